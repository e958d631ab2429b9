"""The checker's criteria: by the definitions of the oracle and by the engine, on small
tables and large classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from math import log, log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.criteria_cases import TREE, counts, criteria
from support.so_many import so_many
from support.strategies import tables

from phverify.microdata.hierarchy import Hierarchy
from phverify.spec import data as d
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import Unfit, arguments, build
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.rules import looked_up, named_arguments
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT, ValueType

TREE_PATHS = {value: tuple(path) for value, path in TREE.items()}


def by_hand(
    rows: list[Any], kinds: Mapping[str, ValueType], tree: Mapping[str, tuple[str, ...]]
) -> d.Data:
    """Data with these columns, the sensitive ones."""
    columns = {name: tuple(row[name] for row in rows) for name in kinds}
    domains = {}
    for name, column in columns.items():
        order = sorted(set(column) - {None}, key=kinds[name].key)
        domains[name] = (*order, *([None] if None in column else []))
    trees = {"f": tree} if tree else {}
    return d.Data(
        len(rows),
        columns,
        (),
        {},
        domains,
        kinds,
        (),
        (),
        trees,
        sensitive=tuple(kinds),
    )


@so_many(150)
@given(st.data())
def test_criteria_agree_with_the_definition_and_the_engine(
    drawn: st.DataObject,
) -> None:
    """The checker reads the same criteria, with the same needs, from its own data."""
    rows = drawn.draw(tables(12, missing=False))
    text, test = drawn.draw(criteria(rows))
    data = by_hand(rows, {"f": TEXT, "g": ValueType("integer")}, TREE_PATHS)
    kinds = {"f": ValueType(), "g": ValueType("integer")}
    attributes = {
        name: Attribute(name, kind, data.domains[name]) for name, kind in kinds.items()
    }
    signature = Signature(attributes, ("a0", "a1"), len(rows), sensitive=("f", "g"))
    formula, _ = resolve(parse(text), signature, "", text)
    found = looked_up(parse(text), data)
    pairs = list(zip(criteria_of(formula), criteria_of(found), strict=True))
    for node, own in pairs:
        assert own == named_arguments(node, data)
        assert arguments(own, data.columns) == arguments(node, signature.attributes)
        assert data.criterion(own) == build(
            node, signature, {"f": Hierarchy("tree", TREE_PATHS)}
        )
    for members in oracle.classes(rows, ("q", "r")):
        said = [data.criterion(own) for _, own in pairs]
        assert all(
            one.holds(*counts(one.attribute, members, rows)) for one in said
        ) == test(members, rows), text


def criteria_of(formula: s.Formula) -> list[s.Criterion]:
    return [node for node in s.subformulas(formula) if isinstance(node, s.Criterion)]


@st.composite
def histograms(draw: st.DrawFn) -> tuple[dict[str | None, int], dict[str | None, int]]:
    """A class and its table, with counts up to some thousands."""
    top = draw(st.sampled_from([3, 30, 5000]))
    inside = draw(st.lists(st.integers(0, top), min_size=1, max_size=5).filter(any))
    rest = draw(
        st.lists(st.integers(0, top), min_size=len(inside), max_size=len(inside))
    )
    labels: list[str | None] = [*"abcd", None]
    pairs = [
        (v, k, k + r) for v, k, r in zip(labels, inside, rest, strict=False) if k + r
    ]
    return {v: k for v, k, _ in pairs if k}, {v: m for v, _, m in pairs}


@st.composite
def large(draw: st.DrawFn) -> tuple[str, dict[str | None, int], dict[str | None, int]]:
    inside, whole = draw(histograms())
    n = sum(inside.values())
    value = draw(st.sampled_from(sorted(inside, key=str)))
    p, q = (
        Fraction(whole[value], sum(whole.values())),
        Fraction(inside[value], sum(inside.values())),
    )
    near_log = Fraction(f"{-log(p):.6f}")
    near = st.sampled_from(
        [Fraction(0), Fraction(1, 10**9), Fraction(-1, 10**9), Fraction(1, 7)]
    )
    little = draw(near)
    delta = Fraction(abs(log2(q / p))).limit_denominator(
        draw(st.sampled_from([2, 60, 90, 5000]))
    )
    gaps = (
        Fraction(inside.get(v, 0), n) - Fraction(k, sum(whole.values()))
        for v, k in whole.items()
    )
    var = sum(map(abs, gaps), Fraction(0)) / 2
    spread = Fraction(
        f"{2 ** -sum(k / n * log2(k / n) for k in inside.values()):.6f}"
    )  # about the tie
    text = draw(
        st.sampled_from(
            [
                f"alpha_k_anonymity(f, {max(q + little, 0)}, 2)",
                f"entropy_l_diversity(f, {max(len(inside) + little, 1)})",
                f"entropy_l_diversity(f, {max(spread + little, 1)})",
                f"recursive_l_diversity(f, {abs(q + little) or 1}, 2)",
                f"delta_disclosure(f, {delta + abs(little) or 1})",
                f"delta_disclosure(f, {delta or 1}, absent=ignored)",
                (
                    f"delta_disclosure(f, {max(delta + little, Fraction(1, 10**9))},"
                    " absent=ignored)"
                ),
                f"beta_likeness(f, {max((q - p) / p + little, 0)})",
                f"enhanced_beta_likeness(f, {max((q - p) / p + little, 0)})",
                f"enhanced_beta_likeness(f, {max(near_log + little, 0)})",
                f"average_benefit(f, {max(q - p + little, 0)})",
                f"t_closeness(f, {max(var + little, 0)})",
                f"t_closeness(f, {max(var + little, 0)}, distance=ordered)",
                f"t_closeness(f, {max(var + little, 0)}, distance=hierarchical)",
            ]
        )
    )
    return text, inside, whole


def judged(
    args: Mapping[str, Any],
    inside: Mapping[Any, int],
    whole: Mapping[Any, int],
    data: d.Data,
) -> bool:
    named = tuple((name, str(value)) for name, value in args.items())
    return data.criterion(s.Criterion("t_closeness", (), named)).holds(inside, whole)


TALL = {v: (v, "ab" if v in "ab" else "cd", "*") for v in "abcd"}


@so_many(400)
@given(large())
def test_criteria_agree_with_the_engine_on_large_classes(given_: Any) -> None:
    text, inside, whole = given_
    labels = (*(v for v in whole if v is not None), *([None] if None in whole else []))
    data = d.Data(
        sum(whole.values()),
        {"f": ()},
        (),
        {},
        {"f": labels},
        {"f": TEXT},
        (),
        (),
        {"f": TALL},
    )
    signature = Signature(
        {"f": Attribute("f", ValueType(), labels)}, ("a0", "a1"), data.rows
    )
    node = parse(text)
    assert isinstance(node, s.Criterion)
    found = named_arguments(node, data)
    args = dict(found.named)
    if None in whole and args.get("distance", "variational") != "variational":
        with pytest.raises(Unfit):
            build(node, signature, {"f": Hierarchy("tree", TALL)})
        with pytest.raises(d.Refused):
            data.criterion(found)
        return
    engine = build(node, signature, {"f": Hierarchy("tree", TALL)})
    assert data.criterion(found).holds(inside, whole) == engine.holds(inside, whole), (
        text
    )


@pytest.mark.parametrize(
    ("text", "inside", "whole", "expected"),
    [
        ("entropy_l_diversity(f, 3)", {"a": 700, "b": 700, "c": 700}, {}, True),
        (
            "entropy_l_diversity(f, 3.000000000000000000000000000000000000001)",
            {"a": 7, "b": 7, "c": 7},
            {},
            False,
        ),
        ("entropy_l_diversity(f, 3)", {"a": 700, "b": 701, "c": 700}, {}, False),
        ("entropy_l_diversity(f, 2)", {"a": 400, "b": 100, "c": 100}, {}, True),
        ("delta_disclosure(f, 1)", {"a": 2, "b": 2}, {"a": 2, "b": 6}, False),
        ("delta_disclosure(f, 1.0000001)", {"a": 2, "b": 2}, {"a": 2, "b": 6}, True),
        ("delta_disclosure(f, 1/1000000000)", {"a": 1, "b": 1}, {"a": 1, "b": 1}, True),
        ("delta_disclosure(f, 1e30)", {"a": 1}, {"a": 1, "b": 1}, False),
        ("delta_disclosure(f, 1e30, ignored)", {"a": 1}, {"a": 1, "b": 1}, True),
        ("enhanced_beta_likeness(f, 9)", {"a": 5}, {"a": 5}, True),
        (
            "enhanced_beta_likeness(f, 9)",
            {"a": 1},
            {"a": 1, "b": 1},
            False,
        ),  # gain 1 > ln 2
        (
            "enhanced_beta_likeness(f, 9)",
            {"a": 2, "b": 1},
            {"a": 2, "b": 2},
            True,
        ),  # gain 1/3 < ln 2
        ("enhanced_beta_likeness(f, 1/4)", {"a": 2, "b": 1}, {"a": 2, "b": 2}, False),
        ("enhanced_beta_likeness(f, 1/3)", {"a": 2, "b": 1}, {"a": 2, "b": 2}, True),
        ("recursive_l_diversity(f, 2, 2)", {"a": 2, "b": 1}, {}, False),
        ("recursive_l_diversity(f, 2.01, 2)", {"a": 2, "b": 1}, {}, True),
        ("t_closeness(f, 1/2, hierarchical)", {"a": 1}, {"a": 1, "c": 1}, True),
        ("t_closeness(f, 0.49, hierarchical)", {"a": 1}, {"a": 1, "c": 1}, False),
        ("t_closeness(f, 1/4, hierarchical)", {"a": 1}, {"a": 1, "b": 1}, True),
        ("t_closeness(f, 0.24, hierarchical)", {"a": 1}, {"a": 1, "b": 1}, False),
        ("t_closeness(f, 0, ordered)", {"a": 1}, {"a": 9}, True),
        ("t_closeness(f, 0, hierarchical)", {"a": 1}, {"a": 9}, True),
    ],
)
def test_ties(
    text: str, inside: dict[str, int], whole: dict[str, int], expected: bool
) -> None:
    whole = whole or inside
    data = d.Data(
        9, {"f": ()}, (), {}, {"f": tuple(whole)}, {"f": TEXT}, (), (), {"f": TALL}
    )
    assert data.criterion(node_of(text)).holds(inside, whole) == expected


@pytest.mark.parametrize(
    "tree",
    [
        {},
        {"a": ("a", "*")},
        {"a": ("a", "x"), "b": ("b", "y")},
        {"a": ("a",), "b": ("b",)},
    ],
    ids=["none", "too small", "two roots", "no levels"],
)
def test_hierarchies_that_do_not_fit(tree: dict[str, tuple[str, ...]]) -> None:
    data = by_hand([{"f": "a"}, {"f": "b"}], {"f": TEXT}, tree)
    args = {"f": "f", "t": Fraction(1), "distance": "hierarchical"}
    with pytest.raises(d.Refused):
        judged(args, {"a": 1}, {"a": 1, "b": 1}, data)
    with pytest.raises(d.Refused):
        judged(
            args, {"a": 1}, {"a": 1}, by_hand([{"f": "a"}], {"f": TEXT}, {"a": ("a",)})
        )


def test_an_order_by_type_or_by_lines() -> None:
    """Values a, b, c: the class holds a, the table a and c. Distance 1/2 * (1/2 + 1/2)
    in a, b, c; 1/4 in a, c, b.
    """
    args = {"f": "f", "t": Fraction(1, 4), "distance": "ordered"}
    rows = [{"f": "a"}, {"f": "b"}, {"f": "c"}, {"f": "c"}]
    whole, inside = Counter(row["f"] for row in rows), {"c": 1}
    for order, expected in (
        ("abc", Fraction(3, 8)),
        ("acb", Fraction(1, 4)),
        ("cab", Fraction(3, 8)),
    ):
        args["t"] = expected
        typed = by_hand(rows, {"f": ValueType("ordered", tuple(order))}, {})
        listed = by_hand(rows, {"f": TEXT}, {v: (v, "*") for v in order})
        for data in (typed, listed):
            assert judged(args, inside, whole, data)
            assert not judged(
                {**args, "t": expected - Fraction(1, 99)}, inside, whole, data
            )
    with pytest.raises(d.Refused):
        judged(args, inside, whole, by_hand(rows, {"f": TEXT}, {}))
    with pytest.raises(d.Refused, match="missing"):
        missing = by_hand(
            [*rows, {"f": None}], {"f": ValueType("ordered", ("a", "b", "c"))}, {}
        )
        judged(args, inside, {**whole, None: 1}, missing)


def node_of(text: str) -> s.Criterion:
    node = parse(text)
    assert isinstance(node, s.Criterion)
    return node
