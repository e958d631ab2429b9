"""The plain checker of minimality against brute force: what merging keeps, violations,
mutants of certificates.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.minimality_cases import (
    above,
    rows_of,
    truths,
)
from support.search_questions import (
    criteria,
)
from support.so_many import so_many

from phverify.budget import Deadline
from phverify.constraints.solver import solve
from phverify.generalization.space import implications, implied, wider
from phverify.spec import syntax as s
from phverify.spec.along import Levels, Subtrees
from phverify.spec.along import tree as tree_of
from phverify.spec.classes import Counting, PolicyPart
from phverify.spec.closures import HOW, queries
from phverify.spec.data import Data, Refused
from phverify.spec.least import all_covered, none_cheaper
from phverify.spec.merging import MERGE, OPEN, UPWARD, Merging, known
from phverify.spec.parser import parse
from phverify.spec.rules import looked_up as resolve
from phverify.spec.schemes import Scheme
from phverify.spec.spaces import Space
from phverify.spec.together import Intervals, Partitions, Together
from phverify.symbolic.histograms import merging


def holds(data: Data, text: str) -> list[bool]:
    """For every set of rows, as bits, whether it satisfies a formula as a class."""
    counting, part = (
        Counting(data),
        PolicyPart("r", s.TRUE, (resolve(parse(text), data),)),
    )
    return [
        counting.satisfies(part, rows) if rows else True
        for rows in range(1 << data.rows)
    ]


def kept(found: Sequence[bool]) -> int:
    """How closed a property of sets of rows is, by looking at all pairs of disjoint
    sets.
    """
    pairs = [
        (a, b) for a in range(1, len(found)) for b in range(1, len(found)) if not a & b
    ]
    if all(found[a | b] for a, b in pairs if found[a]):
        return UPWARD
    return (
        MERGE if all(found[a | b] for a, b in pairs if found[a] and found[b]) else OPEN
    )


CELLS = st.lists(
    st.sampled_from(["a0", "a1", "b0", "b1", "c0"]), min_size=2, max_size=6
)


ATOMS = [
    "f = a", "f >= b", "g != 0", "~[a1] f = a", "[a1] (f = a | g = 1)", "<a1> (f = b & g = 0)", "~<a1> f = c",
    "l_a1(f = a) <= 1/2", "l_a1(f = a) - l_a0(f = a) < 1/3", "l_a1(f = a) = l_a1(g = 0)", "l_a1(f = b) != 1/2",
    "abs(l_a1(f = a) - l_a0(f = a)) <= 1/4", "2 l_a1(f = a) - abs(l_a1(g = 0) - 1/2) <= 1", "k_anonymity(3)",
    "l_a1(f = a) <= 1/2 * l_a1(g = 1) + 1/3", "l_a0(f = a) >= 1/2", "[a0] f = a", "true", "false",
]  # fmt: skip


@st.composite
def formulas(draw: st.DrawFn) -> str:
    atom = st.one_of(st.sampled_from(ATOMS), criteria().map(lambda pair: pair[0]))
    whole = st.recursive(
        atom,
        lambda inner: st.one_of(
            inner.map(lambda f: f"~({f})"),
            st.tuples(inner, st.sampled_from(["&", "|", "->", "<->"]), inner).map(
                lambda p: f"({p[0]}) {p[1]} ({p[2]})"
            ),
        ),
        max_leaves=3,
    )
    return draw(whole)


@so_many(75)
@given(CELLS, criteria())
def test_criteria_are_kept_as_the_table_says(
    cells: list[str], rule: tuple[str, Any]
) -> None:
    """By the definitions of the oracle, over all pairs of disjoint classes of a
    table.
    """
    text, test = rule
    table = [{"f": c[0], "g": c[1]} for c in cells]
    sets = [
        [row for k, row in enumerate(table) if which >> k & 1]
        for which in range(1 << len(table))
    ]
    found = [not members or test(members, table) for members in sets]
    assert kept(found) >= known(resolve(parse(text), rows_of(cells)), rows_of(cells))


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("delta_disclosure(f, 5/4, absent=ignored)", OPEN),
        ("delta_disclosure(f, 5/4)", MERGE),
        ("recursive_l_diversity(f, 3/2, 2)", MERGE),
        ("entropy_l_diversity(f, 2)", MERGE),
        ("alpha_k_anonymity(f, 3/4, 2)", MERGE),
        ("t_closeness(f, 1/4)", MERGE),
        ("l_diversity(f, 2)", UPWARD),
        ("k_anonymity(2)", UPWARD),
        ("l_a1(f = a) != 1/2", OPEN),
        ("f = a -> l_a1(f = a) <= 1/2", OPEN),
        ("~k_anonymity(3)", OPEN),
        ("[a1] f = a | [a1] f = b", OPEN),
        ("f = a | [a1] f = b", OPEN),
        ("l_a1(f = a) <= 1/4 | l_a1(f = b) <= 1/4", OPEN),
        ("l_a1(f = a) <= 1/4 | k_anonymity(3)", MERGE),
        ("f != a | <a1> f = c", MERGE),
        ("k_anonymity(3) | <a1> f = c", UPWARD),
    ],
)
def test_what_merging_keeps_in_a_table_where_it_shows(text: str, level: int) -> None:
    """No more is known than holds; the table has pairs of classes that show what is not
    kept.
    """
    data = rows_of(["a0"] * 4 + ["b0"] * 3 + ["c0"])
    assert known(resolve(parse(text), data), data) == level <= kept(holds(data, text))
    if text not in (
        "f = a -> l_a1(f = a) <= 1/2",
    ):  # which is kept, though it is not known to be
        assert kept(holds(data, text)) == level


@so_many(75)
@given(CELLS, formulas())
def test_formulas_are_kept_as_is_said(cells: list[str], text: str) -> None:
    data = rows_of(cells)
    assert kept(holds(data, text)) >= known(resolve(parse(text), data), data)


@so_many(30)
@given(CELLS, formulas(), st.sampled_from([MERGE, UPWARD]), st.booleans())
def test_what_a_query_shows_is_kept(
    cells: list[str], text: str, goal: int, exact: bool
) -> None:
    data = rows_of(cells)
    try:
        asked = merging(Merging((resolve(parse(text), data),), goal, exact, data))
    except Refused:
        return
    status = solve(asked, Deadline(5)).status
    found = kept(holds(data, text))
    assert status != "unsat" or found >= goal
    if exact and status != "unknown":
        assert (status == "unsat") == (found >= goal)


def test_a_query_is_about_its_goal_and_all_its_bodies() -> None:
    data = rows_of(["a0"] * 4 + ["b0"] * 4)
    alike, uneven = (
        resolve(parse(text), data) for text in ("[a1] f = a", "l_a1(f = a) != 1/2")
    )
    asked = [
        ((alike,), MERGE),
        ((alike,), UPWARD),
        ((alike, uneven), MERGE),
        ((s.TRUE, uneven), MERGE),
    ]
    found = [
        solve(merging(Merging(bodies, goal, True, data)), Deadline(5)).status
        for bodies, goal in asked
    ]
    assert found == ["unsat", "sat", "unsat", "sat"]


def test_queries_go_further_than_what_is_known() -> None:
    data = rows_of(["a0", "a0", "b1", "b0", "c0"])
    for text in (
        "f = a -> l_a1(f = a) <= 1/2",
        "abs(l_a1(f = a) - l_a0(f = a)) <= 1/4",
        "~l_a1(f = a) > 1/3",
    ):
        body = resolve(parse(text), data)
        assert known(body, data) < MERGE
        (asked,) = queries((body,), MERGE, "each", data)
        assert solve(merging(asked), Deadline(5)).status == "unsat"
    for how in HOW:
        with pytest.raises(Refused):
            queries((resolve(parse("k_anonymity(2)"), data),), UPWARD, how, data)


@so_many(40)
@given(
    CELLS,
    st.sampled_from(["variational", "hierarchical"]),
    st.integers(0, 12),
    st.data(),
)
def test_what_t_closeness_demands_of_a_class_while_records_are_withheld(
    cells: list[str], distance: str, t: int, data: st.DataObject
) -> None:
    """A class that is t-close to the released table is close to the whole one within
    the share withheld.
    """
    whole = rows_of(cells)
    out = data.draw(st.sets(st.integers(0, len(cells) - 1), max_size=len(cells) - 1))
    left = rows_of([cell for k, cell in enumerate(cells) if k not in out])
    share, bound = Fraction(len(out), len(cells)), Fraction(t, 12)
    inside = data.draw(st.integers(1, (1 << left.rows) - 1))
    mine, weaker = (
        s.Criterion(
            "t_closeness", (), (("f", "f"), ("t", str(most)), ("distance", distance))
        )
        for most in (bound, bound + share)
    )
    numbers = [k for k in range(len(cells)) if k not in out]
    same = sum(1 << numbers[k] for k in range(left.rows) if inside >> k & 1)
    if Counting(left).true(mine, inside):
        assert Counting(whole).true(weaker, same)


PAIRS = {
    "1": ("1", "p", "*"),
    "2": ("2", "p", "*"),
    "3": ("3", "r", "*"),
    "4": ("4", "r", "*"),
    "": ("", "", "*"),
}


FIVE = ("1", "2", "3", "4", None)


OVER = tree_of("n", FIVE, PAIRS)


SCHEMES = {
    "levels": (Levels("n", FIVE, OVER), 3),
    "subtrees": (Subtrees("n", FIVE, OVER), 2 * 2 + 1),
    "named": (Subtrees("n", FIVE, OVER, True), 2 * 2 * 2 + 1),
    "intervals": (Intervals("n", FIVE), 2**3 + 1),
    "partitions": (Partitions("n", FIVE), 52),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_clauses_of_schemes_say_what_they_should(name: str) -> None:
    scheme, count = SCHEMES[name]
    found = list(truths(Space((scheme,))))
    assert len(found) == count
    assert {block for truth in found for block in scheme.blocks(truth)} == set(
        filter(scheme.valid, range(-9, 99))
    )
    for truth, block in itertools.product(
        found, filter(scheme.valid, range(1 << len(FIVE)))
    ):
        inside, blocks = set(scheme.members(block)), scheme.blocks(truth)
        apart = all(set(scheme.members(blocks[v])) <= inside for v in inside)
        kept_apart = not any(truth[u - 1] for u in scheme.cut(block))
        assert apart or not kept_apart
        assert (block in blocks) == (
            kept_apart and all(truth[u - 1] for u in scheme.inner(block))
        )
    for truth, other in itertools.product(found, found):
        finer = all(
            set(scheme.members(a)) <= set(scheme.members(b))
            for a, b in both(scheme, other, truth)
        )
        assert finer or any(other[u - 1] for u in scheme.beyond(truth))
        assert truth != other or not any(other[u - 1] for u in scheme.beyond(truth))


def both(
    scheme: Scheme, one: Sequence[bool], two: Sequence[bool]
) -> Iterator[tuple[int, int]]:
    """The blocks of each value under two partitions."""
    return zip(scheme.blocks(one), scheme.blocks(two), strict=True)


@pytest.mark.parametrize("name", SCHEMES)
def test_where_a_search_goes_from_a_partition(name: str) -> None:
    """The finest coarser partition with an unknown true, and the next larger blocks: by
    looking at all of them.
    """
    scheme, _ = SCHEMES[name]
    found = list(truths(Space((scheme,))))
    blocks = {
        block: frozenset(scheme.members(block))
        for truth in found
        for block in scheme.blocks(truth)
    }
    for truth, unknown in itertools.product(found, range(scheme.decisions)):
        coarser = [one for one in found if above(one, truth) and one[unknown]]
        raised = implied(
            implications(scheme),
            {u for u, true in enumerate(truth) if true} | {unknown},
        )
        (finest,) = (
            one for one in coarser if all(above(other, one) for other in coarser)
        )
        assert tuple(u in raised for u in range(scheme.decisions)) == finest
    for truth in found:
        parts = {frozenset(scheme.members(block)) for block in scheme.blocks(truth)}
        unions = {
            block: inside for block, inside in blocks.items() if is_union(inside, parts)
        }
        for block, inside in unions.items():
            further = {other for other in unions.values() if other > inside}
            smallest = {
                other for other in further if not any(one < other for one in further)
            }
            found_ones = {
                unions[other]
                for other in wider(scheme, block, np.array(truth, dtype=bool))
            }
            assert found_ones == smallest or not isinstance(scheme, Together)
            assert all(inside <= other for other in found_ones)


def is_union(inside: frozenset[int], parts: set[frozenset[int]]) -> bool:
    return all(part <= inside or not part & inside for part in parts)


TWO = Space((SCHEMES["levels"][0], Levels("m", FIVE, OVER)))


UNKNOWNS = st.integers(1, TWO.decisions)


CUTS = st.lists(UNKNOWNS, min_size=1, max_size=2)


LITERALS = UNKNOWNS.flatmap(lambda u: st.sampled_from([u, -u]))


@so_many(150)
@given(
    st.lists(st.one_of(CUTS, CUTS, st.lists(LITERALS, max_size=3)), max_size=4),
    st.data(),
)
def test_level_vectors_are_all_looked_at(
    clauses: list[list[int]], data: st.DataObject
) -> None:
    """By brute force: none that meets all clauses is cheaper, or above no minimal
    one.
    """
    vectors = list(truths(TWO))
    good = [
        v
        for v in vectors
        if all(any(v[abs(u) - 1] == (u > 0) for u in clause) for clause in clauses)
    ]
    weights = data.draw(
        st.lists(st.integers(0, 3), min_size=TWO.decisions, max_size=TWO.decisions)
    )
    bound = data.draw(st.integers(0, sum(weights) + 1))
    minimal = data.draw(
        st.one_of(st.just(lowest(good)), st.lists(st.sampled_from(vectors), max_size=3))
    )
    minimal = minimal[: data.draw(st.integers(max(len(minimal) - 1, 0), len(minimal)))]
    asked = [tuple(clause) for clause in clauses]
    cheap = any(
        sum(w for w, true in zip(weights, v, strict=True) if true) < bound for v in good
    )
    assert refuses(lambda: none_cheaper(TWO, weights, asked, bound)) == cheap
    covered = all(any(above(v, one) for one in minimal) for v in good)
    apart = not any(above(a, b) for a, b in itertools.permutations(minimal, 2))
    assert refuses(lambda: all_covered(TWO, asked, minimal)) != (covered and apart)


def lowest(vectors: Sequence[tuple[bool, ...]]) -> list[tuple[bool, ...]]:
    """Those that lie above no other one."""
    return [
        one
        for one in vectors
        if not any(above(one, other) and one != other for other in vectors)
    ]


def refuses(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except Refused:
        return True
    return False
