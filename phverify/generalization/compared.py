"""Criteria that compare a class with the released table, while records may be withheld.

Withholding a class changes the table that the others are compared with.  What is still
known: a share of the table that is left is within limits, and so is each class that
satisfies a criterion in any such table (``spec.criterion.limits``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints
from phverify.generalization.parts import Parts
from phverify.generalization.remaining import exceeding, left
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.histogram import ClassHistogram, histogram
from phverify.policy.bind import BoundPolicy
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.limits import Limits
from phverify.spec.criterion.registry import build
from phverify.symbolic.ground import GroundColumns


@dataclass(frozen=True, eq=False)
class ComparedCriteria:
    """The criteria of a policy that stand for a rule of their own, each an open
    part of it.

    ``budget`` records of the table may be withheld.
    """

    bound: BoundPolicy
    paths: Hierarchies
    asked: tuple[tuple[str, s.Criterion], ...]
    """The criteria as the policy has them, with their rules."""
    budget: int

    @classmethod
    def of(
        cls, bound: BoundPolicy, paths: Hierarchies, parts: Parts, budget: int
    ) -> ComparedCriteria:
        """Those among the open parts of a policy."""
        quasi = bound.release.quotient.quasi
        found = []
        # Where all are released, only what is about quasi-identifiers is left open.
        for part in parts.open if budget else ():
            node = part.formula
            if not isinstance(node, s.Criterion):
                continue
            # Of a quasi-identifier classes show other values than the table has.
            criterion = bound.release.criteria[node]
            if criterion.attribute not in quasi:
                found.append((part.rule, node))
        return cls(bound, paths, tuple(found), budget)

    def each(self) -> Iterator[tuple[str, ClassCriterion]]:
        """The criteria over the whole table, with their rules."""
        criteria = self.bound.release.criteria
        for rule, node in self.asked:
            criterion = criteria[node]
            yield rule, criterion

    # Whatever is withheld

    @cached_property
    def limits(self) -> list[tuple[str, str, Limits]]:
        """What they leave of classes, whichever records are withheld.

        By rule and column, the same for all candidates.
        """
        found = []
        for rule, criterion in self.each():
            f = criterion.attribute
            counted = histogram(self.bound.release.quotient, f)
            whole = counted.outside()
            limits = criterion.limits(whole, self.budget)
            if limits is not None:
                found.append((rule, f, limits))
        return found

    def lost(self, ground: GroundColumns, sizes: Ints) -> Ints:
        """For each class so many of its records are withheld, and in everything
        finer.
        """
        lost: Ints = np.zeros(len(sizes), dtype=np.int64)
        every = np.arange(len(sizes))
        for _, f, limits in self.limits:
            counted = ground.histogram(f)
            beyond = exceeding(counted, limits, every)
            over = np.flatnonzero(beyond)
            kept = left(counted, limits, over)
            own = sizes[over] - kept
            most = np.maximum(lost[over], own)
            lost[over] = most
        return lost

    # When some classes are withheld

    def surely(self, ground: GroundColumns, released: Ints, more: int) -> Bools:
        """Of the released classes those that break a criterion even if at most ``more``
        records of others are withheld besides.
        """
        broken: Bools = np.zeros(len(released), dtype=bool)
        for _, criterion in self.each():
            counted = ground.histogram(criterion.attribute)
            whole = counted.counted(released)
            limits = criterion.limits(whole, more)
            if limits is None:
                continue
            beyond = exceeding(counted, limits, released)
            broken |= beyond
        return broken

    def breaking(self, ground: GroundColumns, released: Ints) -> Bools:
        """Of the released classes those that break a criterion of the table that is
        released.  Raises Unfit.
        """
        broken: Bools = np.zeros(len(released), dtype=bool)
        for _, node in self.asked:
            criterion = self.bound.release.criteria[node]
            f = criterion.attribute
            whole = ground.histogram(f)
            counted = whole.taken(released)
            if len(counted.labels) < len(whole.labels):
                # An order, or a tree, is that of the values that are released.
                criterion = self._among(node, counted)
            good = criterion.columns(counted)
            broken |= ~good
        return broken

    def _among(self, node: s.Criterion, counted: ClassHistogram) -> ClassCriterion:
        """The criterion in a table without some of the values."""
        signature = self.bound.release.signature
        f = self.bound.release.criteria[node].attribute
        attribute = signature.attributes[f]
        values = tuple(filter(counted.labels.__contains__, attribute.domain))
        attributes = {**signature.attributes, f: replace(attribute, domain=values)}
        return build(node, replace(signature, attributes=attributes), self.paths)
