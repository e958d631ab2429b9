"""Distances of audit: metric axioms on random values, the paper's numbers, and where
metrics fail.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.audit_distances_cases import AILMENTS, HOSPITAL, JOHN, L2, L4, L5

from phverify.disclosure.facts.assignment import cheapest
from phverify.disclosure.facts.distances import (
    Columns,
    Nominal,
    Numerical,
    Numerval,
    Row,
    Taxoral,
    hamming_cells,
    hamming_records,
    jaccard,
    nearer,
)
from phverify.disclosure.facts.taxonomy import Taxonomy, from_edges, from_paths
from phverify.errors import InputError

F = Fraction


small_sets = st.frozensets(st.sampled_from("abcde"), max_size=4)


fractions = st.fractions(0, 10, max_denominator=6)


@st.composite
def trees(draw: st.DrawFn) -> Taxonomy:
    """A random tree: each node hangs below an earlier one."""
    size = draw(st.integers(2, 12))
    return from_edges(
        [(f"n{draw(st.integers(0, k - 1))}", f"n{k}") for k in range(1, size)]
    )


def metric(distance: object, x: object, y: object, z: object) -> None:
    """Identity, symmetry, triangle, and the range 0 to 1."""
    assert callable(distance)
    assert distance(x, x) == 0
    assert (distance(x, y) == 0) == (x == y)
    assert distance(x, y) == distance(y, x)
    assert distance(x, z) <= distance(x, y) + distance(y, z)
    assert 0 <= distance(x, y) <= 1 and isinstance(distance(x, y), F)


@given(small_sets, small_sets, small_sets)
def test_nominal_is_a_metric(
    x: frozenset[str], y: frozenset[str], z: frozenset[str]
) -> None:
    metric(Nominal().distance, x, y, z)


@given(fractions, fractions, fractions)
def test_numerical_is_a_metric(x: F, y: F, z: F) -> None:
    metric(Numerical(F(11)).distance, x, y, z)


intervals = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(
    lambda pair: (min(pair), max(pair))
)


@given(intervals, intervals, intervals)
def test_numerval_is_a_metric(
    x: tuple[int, int], y: tuple[int, int], z: tuple[int, int]
) -> None:
    metric(Numerval().distance, x, y, z)


@given(trees(), st.data())
def test_wu_palmer_is_a_metric_on_trees(tree: Taxonomy, data: st.DataObject) -> None:
    x, y, z = (data.draw(st.sampled_from(tree.nodes())) for _ in range(3))
    metric(tree.distance, x, y, z)


@given(trees(), st.data())
def test_wu_palmer_by_its_definition(tree: Taxonomy, data: st.DataObject) -> None:
    """Depths and common ancestors counted anew, from the parents alone."""

    def above(node: str) -> list[str]:
        return [node, *above(tree.parents[node])] if node in tree.parents else [node]

    x, y = (data.draw(st.sampled_from(tree.nodes())) for _ in range(2))
    shared = set(above(x)) & set(above(y))
    assert tree.distance(x, y) == 1 - F(2 * len(shared), len(above(x)) + len(above(y)))


rows = st.fixed_dictionaries(
    {
        "a": st.sampled_from("xyz"),
        "n": fractions,
        "t": st.sampled_from(AILMENTS.nodes()),
    }
)


MIXED = Columns({"a": Nominal(), "n": Numerical(F(11)), "t": Taxoral(AILMENTS)})


databases = st.lists(rows, max_size=4)


@given(databases, databases, databases)
def test_matched_is_a_metric_on_multisets(
    x: list[Row], y: list[Row], z: list[Row]
) -> None:
    def key(row: Row) -> str:
        return str(sorted(row.items()))

    def d(s: list[Row], t: list[Row]) -> F:
        return MIXED.matched(s, t)

    assert d(x, y) == d(y, x)
    assert d(x, z) <= d(x, y) + d(y, z)
    assert (d(x, y) == 0) == (sorted(map(key, x)) == sorted(map(key, y)))


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(
            st.lists(fractions, min_size=n, max_size=n), min_size=n, max_size=n
        )
    )
)
def test_assignment_against_all_permutations(costs: list[list[F]]) -> None:
    size = range(len(costs))
    total, places = cheapest(costs)
    assert total == min(
        sum((costs[i][p[i]] for i in size), F(0)) for p in permutations(size)
    )
    assert sorted(places) == list(size) and total == sum(
        (costs[i][places[i]] for i in size), F(0)
    )


def test_assignment_of_nothing() -> None:
    assert cheapest([]) == (0, ())


@given(st.lists(st.tuples(rows, rows), max_size=5))
def test_remark_4_distances_are_at_most_hamming_in_cells(
    pairs: list[tuple[Row, Row]],
) -> None:
    """Proposition 2 with the assignment sum: matched <= row by row <= differing cells
    <= columns * records.
    """
    one, two = [p[0] for p in pairs], [p[1] for p in pairs]
    assert (
        MIXED.matched(one, two) <= MIXED.in_order(one, two) <= hamming_cells(one, two)
    )
    assert hamming_cells(one, two) <= 3 * hamming_records(one, two)


def test_example_1bis() -> None:
    """l5 is nearest to the target, then l4, then l2; Viral-Infection to CoVid 1/5,
    Cancer to CoVid 3/5.
    """
    assert AILMENTS.distance("Viral-Infection", "CoVid") == F(1, 5)
    assert AILMENTS.distance("Cancer", "CoVid") == F(3, 5)
    d2, d4, d5 = (HOSPITAL.tuples(line, JOHN) for line in (L2, L4, L5))
    assert d2 is not None and d4 is not None and d5 is not None
    assert d5 < d4 < d2
    assert (d5, d2, d4) == (F(10, 11) + F(1, 5), F(10, 11) + F(3, 5), 1 + F(1, 5))
    assert HOSPITAL.parts(L5, JOHN) == {
        "Age": F(10, 11),
        "Gender": 0,
        "Ailment": F(1, 5),
    }


def test_example_4() -> None:
    """d(l4, l5) = 19/20 + 0 + 1 + 0 = 39/20; they differ in one record, or in two
    cells.
    """
    assert HOSPITAL.parts(L4, L5) == {
        "Age": F(19, 20),
        "Gender": 0,
        "Dept": 1,
        "Ailment": 0,
    }
    assert HOSPITAL.tuples(L4, L5) == F(39, 20)
    assert (hamming_records([L4], [L5]), hamming_cells([L4], [L5])) == (1, 2)


def test_section_5_1_keeps_the_nearer() -> None:
    assert nearer(HOSPITAL, [L5], [L4], [JOHN]) == 1
    assert nearer(HOSPITAL, [L4], [L4, L5], [JOHN]) == 2
    assert (
        nearer(HOSPITAL, [L5, L2], [L4, L5], [JOHN]) is None
    )  # equally near: no choice
    assert nearer(HOSPITAL, [], [L4], [JOHN]) == 2
    assert nearer(HOSPITAL, [], [], [JOHN]) is None
    assert (
        nearer(HOSPITAL, [{"Name": "#"}], [{"Dept": "Maths"}], [JOHN]) is None
    )  # nothing is comparable


def test_rho_is_no_metric() -> None:
    """Slip: rho({a}, {a, b}) = 0 for different sets, and the triangle inequality fails
    through {a, b}.
    """
    columns = Columns({"x": Nominal()})
    a, b = {"x": "a"}, {"x": "b"}
    assert columns.rho([a], [a, b]) == 0 == columns.rho([a, b], [b])
    assert columns.rho([a], [b]) == 1
    assert columns.matched([a], [a, b]) == 1 and columns.matched([a], [b]) == 1
    assert columns.rho([], [a]) is None


def test_dummies_are_projected_away() -> None:
    """Decided: a dummy's column is left out, which is no metric across different
    columns; as values they are one.
    """
    columns = Columns({"x": Nominal(), "y": Nominal()})
    one, other = {"x": "a", "y": "b"}, {"x": "a", "y": "c"}
    partial = {"x": "a", "y": "#"}
    assert (
        columns.tuples(one, partial)
        == 0
        == columns.tuples(partial, other)
        == columns.tuples(one, {"x": "a"})
    )
    assert columns.tuples(one, other) == 1
    assert columns.tuples({"y": "$"}, other) is None
    assert Columns(columns.columns, frozenset()).tuples(one, partial) == 1


def test_two_empty_sets_are_equal() -> None:
    assert jaccard(frozenset(), frozenset()) == 0
    assert jaccard(frozenset(), frozenset("a")) == 1


def test_the_triangle_fails_on_a_dag() -> None:
    """Two parents for y: Wu-Palmer by the deepest common ancestor gives 3/4 > 1/4 +
    1/4.  Such input is refused.
    """
    edges = [
        ("r", "a"),
        ("a", "A"),
        ("r", "b"),
        ("b", "B"),
        ("A", "x"),
        ("A", "y"),
        ("B", "y"),
        ("B", "z"),
    ]
    depth = {"r": 1, "a": 2, "b": 2, "A": 3, "B": 3, "x": 4, "y": 4, "z": 4}
    above = {
        "x": {"x", "A", "a", "r"},
        "y": {"y", "A", "B", "a", "b", "r"},
        "z": {"z", "B", "b", "r"},
    }

    def d(u: str, v: str) -> F:
        return 1 - F(
            2 * max(depth[n] for n in above[u] & above[v]), depth[u] + depth[v]
        )

    assert (d("x", "y"), d("y", "z"), d("x", "z")) == (F(1, 4), F(1, 4), F(3, 4))
    with pytest.raises(InputError, match=r"'y' has 2 parents: 'A', 'B'"):
        from_edges(edges)


Polynomial = dict[tuple[int, ...], int]


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for a, c in p.items():
        for b, d in q.items():
            key = tuple(x + y for x, y in zip(a, b, strict=True))
            found[key] = found.get(key, 0) + c * d
    return found


def plus(*parts: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for part in parts:
        for key, c in part.items():
            found[key] = found.get(key, 0) + c
    return {key: c for key, c in found.items() if c}


@pytest.mark.parametrize("last", ["xy", "yz", "xz"])
def test_lemma_1_in_every_shape(last: str) -> None:
    """Slip: the proof expands the case where y and z part last; the other expansion has
    positive coefficients too.

    d(x,y) + d(y,z) - d(x,z) >= 0 with depths 1 + h + arcs, where the pair ``last`` has
    its ancestor a arcs lower.
    """
    one, h, a, *arcs = [{tuple(int(i == k) for i in range(1, 6)): 1} for k in range(6)]
    depth = {
        n: plus(one, h, arcs["xyz".index(n)], a if n in last else {}) for n in "xyz"
    }

    def shared(pair: str) -> Polynomial:
        return plus(one, h, a if pair == last else {})

    sums = {pair: plus(depth[pair[0]], depth[pair[1]]) for pair in ("xy", "yz", "xz")}
    minus = {
        pair: times(shared(pair), {(0,) * 5: -2}) for pair in sums
    }  # -2 c_uv; d = (sum + minus) / sum
    over = {pair: plus(sums[pair], minus[pair]) for pair in sums}
    left = plus(
        times(times(over["xy"], sums["yz"]), sums["xz"]),
        times(times(over["yz"], sums["xy"]), sums["xz"]),
        times(times(over["xz"], times(sums["xy"], sums["yz"])), {(0,) * 5: -1}),
    )
    assert left and all(c > 0 for c in left.values())


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (
            [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")],
            "'c' has 2 parents: 'a', 'b'",
        ),
        ([("a", "b"), ("b", "c"), ("c", "a")], "is above itself: a < c < b < a"),
        ([("r", "a"), ("b", "c"), ("c", "b")], "is above itself"),
        ([("a", "a")], "'a' is above itself: a < a"),
        ([("r", "a"), ("s", "b")], "2 roots: 'r', 's'"),
        ([], "there are no nodes"),
    ],
)
def test_no_tree_is_refused(edges: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_edges(edges)


def test_a_tree_from_paths() -> None:
    tree = from_paths(
        [("Flu", "Viral", "*"), ("CoVid", "Viral", "*"), ("Cancer", "Cancer", "*")]
    )
    assert tree.root == "*" and tree.distance("Flu", "CoVid") == F(1, 3)
    with pytest.raises(InputError, match=r"did you mean 'Flu'"):
        tree.depth("Fluu")
    with pytest.raises(InputError, match=r"'\*' is also a dummy"):
        Columns({"Ailment": Taxoral(tree)})


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        (
            lambda: Numerical(F(5)).distance(0, 5),
            "0 and 5 are 5 apart, the diameter is 5",
        ),
        (lambda: Numerical(F(5)).distance(0, 0.5), "0.5 is no exact number"),
        (lambda: Numerval().distance((3, 2), 1), r"interval \(3, 2\) is empty"),
        (lambda: Nominal().distance(3, "a"), "3 is neither a text"),
        (lambda: HOSPITAL.tuples({"Agee": 3}, JOHN), "did you mean 'Age'"),
        (lambda: HOSPITAL.in_order([L2], []), "1 rows against 0"),
    ],
)
def test_bad_values_are_told(distance: object, message: str) -> None:
    assert callable(distance)
    with pytest.raises(InputError, match=message):
        distance()
