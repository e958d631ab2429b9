"""One class with a frequent value and many alike: a guess at a separating table where looking at all is too costly.

Among all classes with a given largest share the one with the other values alike has the highest entropy, so that a
threshold of entropy is separated from one of shares by such a class, if by any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from phverify.budget import Deadline
from phverify.comparison.question import Case
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criteria.base import ClassCriterion, Counts

MOST_ROWS = 150


def steep(item: Case, deadline: Deadline) -> Iterator[dict[Label, int]]:
    """Classes that satisfy the first and not the second, as the rows of each value: the fewest rows first.

    For rules that are criteria of one column, joined by connectives; of others nothing is guessed.
    Raises BudgetExceeded.
    """
    parts = (*item.first, *item.second)
    named = item.anchors.keys or any(item.given)
    if len(item.choice.attributes) != 1 or named or not all(_plain(part.body) for part in parts):
        return
    domain = next(iter(item.choice.active.values()))
    for counts in _histograms(len(domain)):
        deadline.check()
        inside = dict(zip(domain, counts, strict=True))
        first = all(_holds(part.body, inside, item.criteria) for part in item.first)
        if first and not all(_holds(part.body, inside, item.criteria) for part in item.second):
            yield inside


def _histograms(values: int) -> Iterator[tuple[int, ...]]:
    """(a, b, .., b, c) with c at most b at most a, all at least one."""
    for rows in range(values, MOST_ROWS):
        for b in range(1, rows // values + 1):
            for c in {max(1, b - 1), b}:
                a = rows - b * (values - 2) - c
                if values > 2 and a >= b:
                    yield (a, *([b] * (values - 2)), c)


def _plain(formula: s.Formula) -> bool:
    kinds = s.Criterion | s.And | s.Or | s.Not | s.Implies | s.Iff | s.Truth
    return all(isinstance(node, kinds) for node in s.subformulas(formula))


def _holds(formula: s.Formula, inside: Counts, criteria: Mapping[s.Criterion, ClassCriterion]) -> bool:
    """Whether a class that is the whole table satisfies a formula."""

    def inner(child: s.Formula) -> bool:
        return _holds(child, inside, criteria)

    match formula:
        case s.Truth(value):
            return value
        case s.Not(body):
            return not inner(body)
        case s.And(parts):
            return all(map(inner, parts))
        case s.Or(parts):
            return any(map(inner, parts))
        case s.Implies(left, right):
            return not inner(left) or inner(right)
        case s.Iff(left, right):
            return inner(left) == inner(right)
    assert isinstance(formula, s.Criterion)
    return criteria[formula].holds(inside, inside)
