"""Criteria whose classes are compared with the table before anything is withheld.

``reference=original`` makes the distribution of a column in that table a constant: a
class stands alone, whatever happens to the other records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    Param,
    Several,
    total,
)
from phverify.spec.criterion.base import Rows as RowsOf
from phverify.spec.criterion.lemma import Lemma
from phverify.spec.criterion.limits import Limits
from phverify.spec.criterion.registry import Unfit, build, given
from phverify.spec.data import domain
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Values

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram, Lines

RELEASE = "leave reference=original out to compare with the release"


@dataclass(frozen=True)
class OfOriginal(ClassCriterion):
    """A criterion that compares with fixed ``counts`` in place of the table's.

    ``counts`` are how often each value occurs in the table before sanitization, in the
    order of the column's type.
    """

    inner: ClassCriterion
    counts: tuple[tuple[Label, int], ...]
    name: ClassVar[str] = "reference=original"
    source: ClassVar[str] = "the reading of ARX"
    params: ClassVar[tuple[Param, ...]] = ()
    alone: ClassVar[bool] = True

    @property
    def attribute(self) -> str:
        """The column that it concerns."""
        return self.inner.attribute

    @cached_property
    def original(self) -> Counts:
        """The counts of the table before sanitization."""
        return dict(self.counts)

    @cached_property
    def _rows(self) -> int:
        return total(self.original)

    # What it says

    def formula(self, signature: Signature) -> s.Formula:
        """All conditions, with the shares of the original as numbers."""
        parts = []
        for condition in self.conditions(self._values):
            assert not isinstance(condition, RowsOf | Several)
            parts.append(condition)
        return s.conj(*parts)

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """The definition, with the counts of the original."""
        return self.inner.holds(inside, self.original)

    def structure(self) -> str:
        """Values are told apart by their shares in the original."""
        return "names"

    # All classes at once

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether it satisfies the criterion."""
        return self.inner.columns(self._beside(histogram))

    def badness(self, histogram: Histogram) -> Array:
        """How bad each class is, compared with the original."""
        return self.inner.badness(self._beside(histogram))

    def _beside(self, histogram: Histogram) -> Histogram:
        """The classes beside the original, counted once."""
        if self.counts not in histogram.memo:
            histogram.memo[self.counts] = histogram.against(self.original)
        beside: Histogram = histogram.memo[self.counts]
        return beside

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """What breaks the criterion, with the shares of the original as numbers."""
        found = self.inner.counterexample(inside, self.original)
        said = f"{found.statement} (the table is the original one)"
        if found.instance is None:
            return replace(found, statement=said)
        instance = self._settled(found.instance)
        return replace(found, instance=instance, statement=said)

    # Symbols

    @property
    def _values(self) -> Values:
        return tuple(self.original)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """Those of the values of the original, whichever occur in a release."""
        for condition in self.inner.conditions(self._values, self.original):
            if isinstance(condition, RowsOf | Several):
                yield condition
            else:
                yield self._settled(condition)

    def _settled(self, formula: s.Formula) -> s.Formula:
        """The formula with what a0 would think of the original as numbers."""
        if isinstance(formula, s.Compare):
            return s.map_sides(formula, self._share)
        return s.rebuild(formula, self._settled)

    def _share(self, term: s.Likelihood) -> Fraction | s.Likelihood:
        """The share of some values in the original; what a1 thinks stays."""
        if term.agent != "a0":
            return term
        # The conditions of criteria speak of sets of values of one column.
        assert isinstance(term.body, s.Descriptor) and term.body.op in ("=", "in")
        rows = [self.original[value] for value in s.texts(term.body)]
        return Fraction(sum(rows), self._rows)

    def lemma(self) -> Lemma | None:
        """The same as for any constants of the table."""
        return self.inner.lemma()

    def limits(self, whole: Counts, withheld: int = 0) -> Limits | None:
        """The shares that it allows beside those of the original, which is whole."""
        return self.inner.limits(self.original)

    # What follows from it

    @property
    def least_values(self) -> int | None:
        """So many values of a class as the criterion asks for, whatever the table."""
        return self.inner.least_values

    def least_records(self, whole: Counts) -> int:
        """So many records as it asks for, compared with the original."""
        return self.inner.least_records(self.original)

    def implies(self, other: ClassCriterion) -> bool:
        """Whether it implies another that compares with the same table."""
        if not isinstance(other, OfOriginal) or self.counts != other.counts:
            return False
        return self.inner.implies(other.inner)


def of_original(
    node: s.Criterion, f: str, signature: Signature, hierarchies: Mapping[str, Lines]
) -> OfOriginal:
    """The criterion that compares the values of a column with the original.

    An order, or a tree, is that of all values there.  Raises Unfit.
    """
    counts = _counts_before(node, f, signature)
    values = tuple(counts)
    attribute = replace(signature.attributes[f], domain=values)
    attributes = {**signature.attributes, f: attribute}
    language = replace(signature, attributes=attributes)
    others = [pair for pair in given(node).items() if pair[0] != "reference"]
    plain = replace(node, args=(), named=tuple(others))
    try:
        inner = build(plain, language, hierarchies)
    except Unfit as error:
        # The release may have none of the values that it is about.
        raise Unfit(f"of the original: {error}", error.hint) from None
    return OfOriginal(inner, tuple(counts.items()))


def _counts_before(node: s.Criterion, f: str, signature: Signature) -> Counts:
    """How often each value occurs in the table before sanitization, in order.

    Raises Unfit where that is not known, or the release is not made of that table.
    """
    asked = f"{node.name}(.., reference=original)"
    if signature.before is None:
        raise Unfit(
            f"{asked} compares with the table before anything is withheld, and there"
            " is none here",
            f"give that table with --original, or {RELEASE}",
        )
    if f in signature.quasi:
        raise Unfit(
            f"{asked} is about a column that is released as it is, and {f!r} is a"
            " quasi-identifier",
            RELEASE,
        )
    attribute = signature.attributes[f]
    counts: Counter[Label] = Counter(signature.before[f])
    in_order = domain(attribute.kind, counts)
    strange = [value for value in attribute.domain if value not in counts]
    if strange or signature.rows > sum(counts.values()):
        raise Unfit(
            f"{asked}: the release is not made of the records of the original", RELEASE
        )
    return {value: counts[value] for value in in_order}
