"""One class with a frequent value and many alike: a guess at a separating table where
looking at all is too costly.

Among all classes with a given largest share the one with the other values alike has the
highest entropy, so that a threshold of entropy is separated from one of shares by such
a class, if by any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from phverify.budget import Deadline
from phverify.comparison.case import ComparedCase
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion, Counts
from phverify.spec.fold import Carrier
from phverify.spec.walk import CONNECTIVES

MOST_ROWS = 150


def steep(item: ComparedCase, deadline: Deadline) -> Iterator[dict[Label, int]]:
    """Classes that satisfy the first and not the second, as the rows of each value: the
    fewest rows first.

    For rules that are criteria of one column, joined by connectives; of others nothing
    is guessed. Raises BudgetExceeded.
    """
    one_column = len(item.choice.attributes) == 1
    named = item.anchors.keys or any(item.given)
    plain = all(_plain(part.body) for part in item.parts)
    # a class of mere counts has no people and obeys no assumption
    if named or not one_column or not plain:
        return
    domain = next(iter(item.choice.active.values()))
    whole = _OneClass(item.criteria)
    for counts in _histograms(len(domain)):
        deadline.check()
        inside = dict(zip(domain, counts, strict=True))
        first = all(whole.truth(part.body, inside) for part in item.first)
        if first and not all(whole.truth(part.body, inside) for part in item.second):
            yield inside


def _histograms(values: int) -> Iterator[tuple[int, ...]]:
    """(a, b, .., b, c) with c at most b at most a, all at least one."""
    for rows in range(values, MOST_ROWS):
        for b in range(1, rows // values + 1):
            alike = [b] * (values - 2)
            for c in {max(1, b - 1), b}:
                a = rows - sum(alike) - c
                if values > 2 and a >= b:
                    yield (a, *alike, c)


def _plain(formula: s.Formula) -> bool:
    """Whether a formula has criteria and connectives only."""
    kinds = (s.Criterion, s.Truth, *CONNECTIVES)
    return all(isinstance(node, kinds) for node in s.subformulas(formula))


@dataclass(frozen=True)
class _OneClass(Carrier[bool, Counts]):
    """Whether a class that is the whole table satisfies a formula, given the rows of
    each value.
    """

    criteria: Mapping[s.Criterion, ClassCriterion]

    def constant(self, value: bool, inside: Counts) -> bool:
        """A truth value."""
        return value

    def negation(self, truth: bool, inside: Counts) -> bool:
        """The other truth value."""
        return not truth

    def conjunction(self, truths: Iterator[bool], inside: Counts) -> bool:
        """Whether all are true."""
        return all(truths)

    def criterion(self, formula: s.Criterion, inside: Counts) -> bool:
        """The definition, with the class as the table."""
        return self.criteria[formula].holds(inside, inside)
