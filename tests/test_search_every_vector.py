"""What is said of all level vectors at once, against each of them by itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

import phverify as ph
from phverify.budget import Deadline
from phverify.errors import Defect
from phverify.generalization.every_vector import (
    ALL_VECTORS,
    LevelVector,
    least_costs,
    vectors_cost,
)
from phverify.generalization.space import CodedSpace
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.schemes import Clause
from phverify.spec.spaces import Cost, meets

HEIGHTS = [(0,), (2,), (3, 0), (1, 2), (2, 1, 3)]
SIGNS = st.sampled_from([1, 1, -1])
WEIGHTS = st.sampled_from([0, 1, 2, 3, 7, 2**61, 2**70])


@cache
def space_of(heights: tuple[int, ...]) -> CodedSpace:
    """A space whose columns have so many levels above the lowest one."""
    names = [f"q{place}" for place in range(len(heights))]
    paths = {}
    for name, height in zip(names, heights, strict=True):
        lines = {}
        for value in "ab":
            above = [f"{value}{level}" for level in range(1, height)]
            lines[value] = (value, *above, "*")[: height + 1]
        paths[name] = Hierarchy(name, lines)
    frame = pd.DataFrame([[value] * len(names) for value in "ab"], columns=names)
    frame["f"] = ["x", "y"]
    policy: dict[str, Any] = {
        "columns": {"quasi": names, "sensitive": ["f"]},
        "rules": {"k": "k_anonymity(1)"},
    }
    found = ph.search(frame, policy, paths)
    assert found.explored is not None
    return found.explored.search.space


def priced(space: CodedSpace, cost: Cost) -> Iterator[tuple[LevelVector, int, Any]]:
    """Every level vector with its cost and its decisions."""
    for vector in product(*(range(one.decisions + 1) for one in space.schemes)):
        candidate = space.vector(vector).tolist()
        yield vector, cost.total(tuple(candidate)), candidate


def drawn_cost(data: st.DataObject, space: CodedSpace) -> Cost:
    many = space.decisions
    weights = data.draw(st.lists(WEIGHTS, min_size=many, max_size=many))
    return Cost(tuple(weights), 1)


def drawn_clauses(data: st.DataObject, space: CodedSpace) -> list[Clause]:
    if not space.decisions:
        return data.draw(st.sampled_from([[], [()]]))
    unknowns = st.integers(1, space.decisions)
    literals = st.builds(lambda unknown, sign: sign * unknown, unknowns, SIGNS)
    return data.draw(st.lists(st.lists(literals, max_size=4).map(tuple), max_size=5))


@so_many(150, fuzz=3000)
@given(heights=st.sampled_from(HEIGHTS), data=st.data())
def test_whether_a_vector_that_meets_all_clauses_is_cheaper(
    heights: tuple[int, ...], data: st.DataObject
) -> None:
    space = space_of(heights)
    cost, clauses = drawn_cost(data, space), drawn_clauses(data, space)
    costs = []
    for _, total, candidate in priced(space, cost):
        if all(meets(candidate, clause) for clause in clauses):
            costs.append(total)
    least = min(costs, default=sum(cost.weights) + 1)
    others = data.draw(st.integers(-1, sum(cost.weights) + 1))
    for total in (least - 1, least, least + 1, others):
        wanted = all(total <= one for one in costs)
        found = vectors_cost(space, cost, clauses, total, Deadline())
        assert found == wanted


@so_many(100, fuzz=2000)
@given(heights=st.sampled_from(HEIGHTS), data=st.data())
def test_the_least_costs_of_what_may_satisfy_each_number(
    heights: tuple[int, ...], data: st.DataObject
) -> None:
    space = space_of(heights)
    cost = drawn_cost(data, space)
    every = list(priced(space, cost))
    numbers = data.draw(st.integers(1, 4))
    vectors = st.sampled_from([vector for vector, _, _ in every])
    so_many_of = st.integers(0, numbers)
    known = data.draw(
        st.dictionaries(vectors, st.tuples(so_many_of, so_many_of), max_size=6)
    )
    wanted: list[int | None] = []
    for number in range(numbers):
        costs = []
        for vector, total, _ in every:
            if all(_may(vector, other, *known[other], number) for other in known):
                costs.append(total)
        wanted.append(min(costs, default=None))
    assert least_costs(space, cost, known, numbers) == wanted


def _may(
    vector: LevelVector, other: LevelVector, itself: int, finer: int, number: int
) -> bool:
    """Whether a vector may satisfy a number, by what is known of another one."""
    if vector == other:
        return min(itself, finer) > number
    pairs = zip(vector, other, strict=True)
    return finer > number or any(own > level for own, level in pairs)


def test_a_bound_that_does_not_hold_is_a_defect() -> None:
    """Whatever a search believes to have found, all level vectors are looked at."""
    policy: dict[str, Any] = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"k": "k_anonymity(2)"},
    }
    paths = {"q": Hierarchy("q", {value: (value, "*") for value in "abc"})}
    frame = pd.DataFrame({"q": list("aabc"), "f": list("xyxy")})
    found = ph.search(frame, policy, paths)
    assert found.explored is not None
    search = found.explored.search
    assert search.best is not None
    assert search.confirm(search.best.total) == (ALL_VECTORS,)
    with pytest.raises(Defect, match="cheaper level vector"):
        search.confirm(search.best.total + 1)
