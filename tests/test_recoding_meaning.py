"""What a recoding by tuples is: least boxes, costs, disjointness, by their definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from phverify.spec.recoding import TupleRecoding, TupleSpace, tuple_space
from phverify.spec.sides import BoxSide, HierarchySide, RangeSide, side
from phverify.spec.source import Refused

LETTERS = "abcdef"
ROOT = "*"


@st.composite
def trees(draw: Any, size: int) -> dict[str, tuple[str, ...]]:
    """A hierarchy over letters: groups of letters, groups of groups, the root."""
    values = LETTERS[:size]
    levels = draw(st.integers(0, 2))
    groups = {value: value for value in values}
    paths: dict[str, list[str]] = {value: [value] for value in values}
    for level in range(levels):
        names = sorted(set(groups.values()))
        above = {
            name: f"L{level}{draw(st.integers(0, len(names) - 1))}" for name in names
        }
        groups = {value: above[groups[value]] for value in values}
        for value in values:
            paths[value].append(groups[value])
    return {value: (*path, ROOT) for value, path in paths.items()}


@st.composite
def sides_of(draw: Any, name: str) -> tuple[BoxSide, list[frozenset[Any]]]:
    """A side with all its nodes as sets of values, by the definition."""
    size = draw(st.integers(1, 5))
    if draw(st.booleans()):
        paths = draw(trees(size))
        nodes = set()
        for value in paths:
            for level, label in enumerate(paths[value]):
                nodes.add(frozenset(v for v in paths if paths[v][level] == label))
        return side(name, tuple(draw(st.permutations(list(paths)))), paths), list(nodes)
    missing = draw(st.booleans())
    values: tuple[Any, ...] = tuple(str(10 * k) for k in range(size))
    runs = [frozenset(values[a:b]) for a in range(size) for b in range(a + 1, size + 1)]
    if missing:
        values = (*values, None)
        runs += [frozenset([None]), frozenset(values)]
    return side(name, values, None), runs


@st.composite
def spaces(draw: Any) -> tuple[TupleSpace, list[list[frozenset[Any]]]]:
    made = [draw(sides_of(name)) for name in "xy"[: draw(st.integers(1, 2))]]
    rows = draw(st.integers(1, 7))
    columns = {
        one.name: [draw(st.sampled_from(one.values)) for _ in range(rows)]
        for one, _ in made
    }
    weights = {one.name: Fraction(draw(st.integers(1, 3))) for one, _ in made}
    sides = tuple(one for one, _ in made)
    return tuple_space(sides, columns, weights, "loss"), [nodes for _, nodes in made]


def classes_of(draw: Any, space: TupleSpace) -> tuple[tuple[int, ...], ...]:
    owners = [draw(st.integers(0, 3)) for _ in space.tuples]
    return tuple(
        tuple(t for t, owner in enumerate(owners) if owner == one)
        for one in sorted(set(owners))
    )


@given(st.data())
def test_the_least_box_is_the_least_node_in_each_attribute(data: Any) -> None:
    space, nodes = data.draw(spaces())
    for numbers in classes_of(data.draw, space):
        box = space.box(numbers)
        for k, one in enumerate(space.sides):
            held = {space.tuples[t][k] for t in numbers}
            holding = [node for node in nodes[k] if held <= node]
            least = min(holding, key=len)
            first, last = box[k]
            assert set(one.values[first : last + 1]) == set(least)
            if isinstance(one, RangeSide):
                price = Fraction(len(least) - 1, max(len(one.values) - 1, 1))
                assert one.price(box[k], "loss") == price


@given(st.data())
def test_a_node_has_a_label_of_its_own(data: Any) -> None:
    one, _ = data.draw(sides_of("x"))
    ranks = range(len(one.values))
    nodes = {one.node(a, b) for a in ranks for b in ranks if a <= b}
    assert len({one.label(node) for node in nodes}) == len(nodes)


@given(st.data(), st.sampled_from(["loss", "precision"]))
def test_every_node_lies_in_a_group_that_is_no_dearer(
    data: Any, objective: str
) -> None:
    """The lower bound rests on it."""
    one, _ = data.draw(sides_of("x"))
    assume(objective == "loss" or isinstance(one, HierarchySide))
    layers = list(one.layers(objective))
    ranks = range(len(one.values))
    for node in {one.node(a, b) for a in ranks for b in ranks if a <= b}:
        price = one.price(node, objective)
        inside = range(node[0], node[1] + 1)
        assert any(
            len({layer.group[rank] for rank in inside}) == 1
            and layer.price[layer.group[node[0]]] <= price
            for layer in layers
        )


@given(st.data())
def test_cost_and_overlap_by_their_definitions(data: Any) -> None:
    space, _ = data.draw(spaces())
    classes = classes_of(data.draw, space)
    released = classes if len(classes) == 1 or data.draw(st.booleans()) else classes[1:]
    recoding = TupleRecoding(space, released)
    try:
        recoding.require_function()
    except Refused:
        boxes = [space.box(one) for one in released]
        assert len(set(boxes)) < len(boxes)
        return
    rows = dict(recoding.rows())
    total = Fraction(0)
    for row in rows:
        number = space.row_tuple[row]
        own = next(one for one in released if number in one)
        total += space.price(space.box(own))
    assert recoding.cost == total / len(space.row_tuple)
    kept = {number for one in released for number in one}
    assert set(rows) == {r for r, t in enumerate(space.row_tuple) if t in kept}

    def holds(place: int, number: int) -> bool:
        codes = space.codes[number]
        pairs = zip(recoding.boxes[place], codes, strict=True)
        return all(first <= code <= last for (first, last), code in pairs)

    strangers = [
        (place, number)
        for place, one in enumerate(released)
        for number in sorted(kept - set(one))
        if holds(place, number)
    ]
    found = recoding.overlap()
    assert (found is None) == (not strangers)
    assert found is None or found in strangers


def test_a_group_called_like_its_member_is_told_apart() -> None:
    paths = {
        "other": ("other", "other", "*"),
        "x": ("x", "other", "*"),
        "y": ("y", "y", "*"),
    }
    one = side("c", ("other", "x", "y"), paths)
    other, x = one.rank["other"], one.rank["x"]
    group = one.node(min(other, x), max(other, x))
    assert one.label(one.node(other, other)) == "other"
    assert one.label(group) == "other (level 1)"


@pytest.mark.parametrize(
    ("values", "label"),
    [
        (("1", "2", "3"), "1-2"),
        (("-1", "0", "3"), "-1..0"),
        (("2020-01-01", "2020-01-02", "2020-01-09"), "2020-01-01..2020-01-02"),
        (("a..", "b-c", "d"), "a.. to b-c"),
        (("a..", "b-c to", "d to e"), "a..=>b-c to"),
        (("-1", "0", "0.", ".5", "5"), "-1 to 0"),
        (("a", "a to", "p-q", "p..q", "to b", "b"), "a=>a to"),
    ],
)
def test_a_range_reads_in_one_way(values: tuple[str, ...], label: str) -> None:
    one = side("c", values, None)
    assert one.label(one.node(0, 1)) == label
    size = len(values)
    ranges = combinations_with_replacement(range(size), 2)
    labels = [one.label(one.node(a, b)) for a, b in ranges]
    assert len(set(labels)) == len(labels)


def test_a_star_that_is_a_value_is_not_everything() -> None:
    one = side("c", ("*", "b"), None)
    assert one.label(one.whole) == "*-b"


def test_values_that_meet_nowhere_are_refused() -> None:
    with pytest.raises(Refused, match="do not meet at one root"):
        side("c", ("a", "b"), {"a": ("a", "A"), "b": ("b", "B")})
