"""What the tests of search have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import phverify as ph
from support.search_oracle import (
    Judge,
    Label,
)
from support.search_questions import (
    Case,
)


def check(case: Case, result: Any) -> None:
    """The result is the least there is, and what is released is what the mapping makes
    of the table.
    """
    question = case.question
    expected = question.least()
    assert result.verdict == ("infeasible" if expected is None else "optimal"), (
        result.reason
    )
    assert result.cost == expected
    assert result.bound is None or expected is None or result.bound <= expected
    if expected is None:
        assert result.release is None
        return
    released = check_mapping(case, result, expected)
    check_release(case, result, released)


def check_mapping(case: Case, result: Any, cost: Fraction) -> list[dict[str, Label]]:
    """The mapping is a candidate of this cost that satisfies the policy; its release
    before withholding.
    """
    question, rows = case.question, case.question.judge.rows
    assert 0 <= result.suppressed <= question.budget
    matching = [
        c for c in question.matching(result.mapping) if question.cost(c) == cost
    ]
    assert matching, "the mapping is no candidate of this cost"
    if question.space == "levels":
        assert tuple(result.levels[f] for f in question.domains) in {
            c.levels for c in matching
        }
    else:
        assert result.levels is None
    assert question.good(matching[0])
    return [
        {**row, **{f: result.mapping[f][row[f]] for f in question.domains}}
        for row in rows
    ]


def check_release(
    case: Case, result: Any, released: Sequence[Mapping[str, Label]]
) -> None:
    judge, release = case.question.judge, result.release
    assert list(release.columns) == [
        name for name in case.frame.columns if name != "id"
    ]
    cells = release.astype(object).where(release.notna(), None).to_dict("records")
    assert len(cells) == len(released) - result.suppressed
    left = Counter(tuple(row.items()) for row in cells)
    kept = whole_classes(
        judge, released, {tuple(row[q] for q in judge.quasi) for row in cells}
    )
    assert Counter(
        tuple(released[k][name] for name in release.columns) for k in kept
    ) == Counter(tuple(value for _, value in row) for row in left.elements())
    assert judge.named <= set(kept)
    assert judge.proved(released, kept)
    if not result.suppressed:
        assert ph.verify(release, case.policy, original=case.frame).verdict == "proved"
    assert result.checks is None or result.checks.verdict == "proved"


def whole_classes(
    judge: Judge, released: Sequence[Mapping[str, Label]], shown: set[Any]
) -> tuple[int, ...]:
    """The rows of the classes that are shown."""
    return tuple(
        k
        for k, row in enumerate(released)
        if tuple(row[q] for q in judge.quasi) in shown
    )
