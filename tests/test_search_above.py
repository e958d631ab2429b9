"""All level vectors above a candidate at once: boxes around its classes, each of them
judged alone here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phverify as ph
from phverify.exact import Ints
from phverify.generalization import above
from phverify.generalization.above import LevelsAbove, boxes_fit
from phverify.generalization.judge import Box, CandidateJudge
from phverify.generalization.loop import LeastSearch
from phverify.generalization.parts import ClassPart
from phverify.microdata.hierarchy import Hierarchy

Levels = tuple[int, ...]
ROOTED = {
    "a": ("a", "ab", "*"),
    "b": ("b", "ab", "*"),
    "c": ("c", "c", "*"),
    "d": ("d", "d", "*"),
}
PARTED = {"x": ("x", "xy"), "y": ("y", "xy"), "z": ("z", "z")}
PATHS = {"p": Hierarchy("p", ROOTED), "q": Hierarchy("q", PARTED)}
RULES = [
    "k_anonymity(2)",
    "k_anonymity(3)",
    "l_diversity(f, 2)",
    "entropy_l_diversity(f, 2)",
    "recursive_l_diversity(f, 2, 2)",
    "t_closeness(f, 1/3)",
    "t_closeness(f, 1/3) and k_anonymity(2)",
    "alpha_k_anonymity(f, 1/2, 2)",
]
rows = st.tuples(
    st.sampled_from("abcd"),
    st.sampled_from(["x", "y", "z", None]),
    st.sampled_from("01"),
)
tables = st.lists(rows, min_size=1, max_size=9)


def searched(table: list[tuple[str, str | None, str]], rule: str) -> LeastSearch:
    """The search of a table, all of it released."""
    frame = pd.DataFrame(table, columns=["p", "q", "f"], dtype=object)
    roles = {"quasi": ["p", "q"], "sensitive": ["f"]}
    policy = ph.Policy.from_dict({"columns": roles, "rules": {"r": rule}})
    found = ph.search(frame, policy, PATHS, objective="height")
    assert found.explored is not None
    return found.explored.search


def boxes(
    judge: CandidateJudge, box: Box, levels: Levels
) -> Iterator[tuple[Levels, Box]]:
    """The boxes around a class, at each level vector above it."""
    ladders = []
    for scheme, block, level in zip(judge.space.schemes, box, levels, strict=True):
        paths = scheme.ladders  # type: ignore[attr-defined]
        path = next(path for path in paths if path[level] == block)
        ladders.append([*enumerate(path)][level:])
    for chosen in product(*ladders):
        yield tuple(n for n, _ in chosen), tuple(node for _, node in chosen)


def highest(
    judge: CandidateJudge, part: ClassPart, classes: list[Box], levels: Levels
) -> set[Levels]:
    """The level vectors at which a box breaks the part, and none does above."""
    broken = set()
    for box in classes:
        for vector, wide in boxes(judge, box, levels):
            if judge.breaks(part, judge.inside(wide)):
                broken.add(vector)

    def over(one: Levels, other: Levels) -> bool:
        return one != other and all(a >= b for a, b in zip(one, other, strict=True))

    return {one for one in broken if not any(over(two, one) for two in broken)}


@pytest.mark.parametrize("rule", RULES)
@given(table=tables)
def test_the_highest_boxes_that_break_a_part(
    rule: str, table: list[tuple[str, str | None, str]]
) -> None:
    search = searched(table, rule)
    judge, space = search.refuter.judge, search.space
    for levels in product(*(range(one.decisions + 1) for one in space.schemes)):
        view = judge.view(space.vector(levels))
        for part in judge.parts.classes:
            failing = judge.failing(view, part)
            if not boxes_fit(part) or not len(failing):
                continue
            # Some of them are looked at in one step where there is little room.
            for some in (failing, failing[:1], failing[-1:]):
                require_highest(LevelsAbove(judge, view, part), some, levels)


def require_highest(levels_above: LevelsAbove, classes: Ints, levels: Levels) -> None:
    """The boxes around these classes are the highest ones that break the part."""
    judge, view, part = levels_above.judge, levels_above.view, levels_above.part
    schemes = judge.space.schemes
    vectors = []
    for box in levels_above.broken(classes):
        assert judge.breaks(part, judge.inside(box))
        places = zip(schemes, box, strict=True)
        vectors.append(tuple(one.tree.levels[node] for one, node in places))  # type: ignore[attr-defined]
    assert len(set(vectors)) == len(vectors)
    own = [judge.box(view, index) for index in classes.tolist()]
    assert set(vectors) == highest(judge, part, own, levels)
    # What rules out most comes first.
    ruled_out = [prod(level + 1 for level in vector) for vector in vectors]
    assert ruled_out == sorted(ruled_out, reverse=True)


@given(table=tables, rule=st.sampled_from(RULES))
def test_searches_find_the_same_box_by_box(
    table: list[tuple[str, str | None, str]], rule: str
) -> None:
    """Where there is no room for all boxes they are widened one by one."""
    at_once = searched(table, rule)
    with mock.patch.object(above, "ROOM", 0):
        one_by_one = searched(table, rule)
    assert (at_once.best is None) == (one_by_one.best is None)
    if at_once.best is not None and one_by_one.best is not None:
        found = at_once.best.candidate, one_by_one.best.candidate
        np.testing.assert_array_equal(*found)
