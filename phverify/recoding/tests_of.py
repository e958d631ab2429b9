"""What a policy asks of single classes, as the tests that compiled functions make.

Tests propose, and may be loose; whatever is asked besides goes to the exact judge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from phverify.exact import Floats, Ints
from phverify.recoding.demands import (
    ClassDemands,
    CloseShares,
    DistinctValues,
    LeastEntropy,
    SharedValues,
    ordered,
    variational,
)
from phverify.spec import syntax as s
from phverify.spec.class_rules import ClassRules
from phverify.spec.criteria.alpha_k_anonymity import AlphaKAnonymity
from phverify.spec.criteria.entropy_l_diversity import EntropyDiversity
from phverify.spec.criteria.k_anonymity import KAnonymity
from phverify.spec.criteria.l_diversity import DistinctDiversity
from phverify.spec.criteria.t_closeness import TCloseness
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.original import OfOriginal
from phverify.spec.criterion.value import ValueCriterion
from phverify.spec.source import Label

HALVINGS = 40
WHOLE = (KAnonymity, DistinctDiversity)
"""Criteria that a test decides in whole numbers: nobody else need be asked."""


def demands_of(rules: ClassRules, records: int = 1) -> ClassDemands:
    """The demands of the rules on single classes; at least ``records`` in any case."""
    criteria = list(_criteria(rules))
    tests = _Tests(rules, criteria)
    decided = len(criteria) == sum(len(part.bodies) for part in rules.parts)
    about_all = not any(part.people for part in rules.parts)
    whole = decided and about_all and all(isinstance(c, WHOLE) for c in criteria)

    def exact(classes: list[Ints]) -> list[bool]:
        return [rules.satisfied(tuple(sorted(one.tolist()))) for one in classes]

    return ClassDemands(
        least=max(records, rules.necessary.records),
        histograms=tests.histograms(),
        distinct=tests.distinct(),
        shares=tests.shares(),
        close=tests.close(),
        entropies=tests.entropies(),
        exact=None if whole else exact,
    )


def _criteria(rules: ClassRules) -> list[ClassCriterion]:
    """The criteria that all classes are asked for."""
    criteria = []
    for part in rules.parts:
        for body in part.bodies:
            if isinstance(body, s.Criterion) and not part.people:
                criteria.append(_measured(rules.data.criterion(body)))
    return criteria


def _measured(criterion: ClassCriterion) -> ClassCriterion:
    """The criterion as it is of the table at hand, which is the original."""
    if isinstance(criterion, OfOriginal):
        return criterion.inner
    return criterion


class _Tests:
    """The tests of some criteria over one histogram of all columns side by side."""

    def __init__(self, rules: ClassRules, criteria: Sequence[ClassCriterion]) -> None:
        self.rules = rules
        self.criteria = criteria
        self.place: dict[tuple[str, Label], int] = {}
        self.spans: dict[str, tuple[int, int]] = {}
        for column in dict.fromkeys(one.attribute for one in criteria):
            if column:
                start = len(self.place)
                for value in rules.whole(column):
                    self.place[column, value] = len(self.place)
                self.spans[column] = start, len(self.place)

    def histograms(self) -> Ints:
        """How often each value occurs in each tuple."""
        shape = len(self.rules.space.tuples), len(self.place)
        table: Ints = np.zeros(shape, dtype=np.int64)
        for column in self.spans:
            for number, counts in enumerate(self.rules.by_tuple(column)):
                for value, count in counts.items():
                    table[number, self.place[column, value]] = count
        return table

    def distinct(self) -> list[DistinctValues]:
        """Columns that need several values."""
        tests = []
        for one in self.criteria:
            least = one.least_values or 1
            if one.attribute and least > 1:
                tests.append(DistinctValues(*self.spans[one.attribute], least))
        return tests

    def entropies(self) -> list[LeastEntropy]:
        """Columns of some entropy."""
        tests = []
        for one in self.criteria:
            if isinstance(one, EntropyDiversity):
                least = math.log(float(one.l))
                tests.append(LeastEntropy(*self.spans[one.f], least))
        return tests

    def shares(self) -> SharedValues | None:
        """Between which shares each value has to be."""
        lower: Floats = np.zeros(len(self.place))
        upper: Floats = np.ones(len(self.place))
        for one in self.criteria:
            if isinstance(one, AlphaKAnonymity):
                start, stop = self.spans[one.f]
                upper[start:stop] = np.minimum(upper[start:stop], float(one.alpha))
            if isinstance(one, ValueCriterion):
                self._bounds(one, lower, upper)
        if not lower.any() and upper.all() and (upper == 1).all():
            return None
        return SharedValues(lower, upper)

    def _bounds(self, one: ValueCriterion, lower: Floats, upper: Floats) -> None:
        """The shares of each value at which a criterion of values holds."""
        whole = self.rules.whole(one.attribute)
        rows = sum(whole.values())
        for value, count in whole.items():
            share = Fraction(count, rows)
            place = self.place[one.attribute, value]
            # What fails even at the table's own share has no bounds to search for.
            if one.fine(share, share):
                upper[place] = min(upper[place], _edge(one, share, Fraction(1)))
                lower[place] = max(lower[place], _edge(one, share, Fraction(0)))

    def close(self) -> list[CloseShares]:
        """Columns whose shares are near those of the table."""
        tests = []
        for one in self.criteria:
            if isinstance(one, TCloseness):
                tests.append(self._distance(one))
        return tests

    def _distance(self, one: TCloseness) -> CloseShares:
        """The distance, or one that is never above it."""
        start, stop = self.spans[one.f]
        most = float(one.t)
        if one.distance == "variational":
            return variational(start, stop, most)
        if one.distance == "ordered":
            places = [self.place[one.f, value] for value in one.values]
            test = ordered(start, stop, most)
            values = np.array(places)
            return CloseShares(values, test.first, test.last, test.weights, most)
        # The mean over the levels of trees: of the values alone, a part of it.
        test = variational(start, stop, most)
        height = len(one.tree[0][1]) - 1
        weights = test.weights / height
        return CloseShares(test.values, test.first, test.last, weights, most)


def _edge(one: ValueCriterion, fine: Fraction, end: Fraction) -> float:
    """How far a share may go from one that is fine towards an end."""
    share = fine
    if one.fine(fine, end):
        return float(end)
    wrong = end
    for _ in range(HALVINGS):
        middle = (fine + wrong) / 2
        if one.fine(share, middle):
            fine = middle
        else:
            wrong = middle
    return float(wrong)
