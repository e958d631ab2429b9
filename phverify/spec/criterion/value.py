"""What criteria on single values share: every value has a share p in the table and a
share q in the class.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ClassCriterion,
    Condition,
    Counterexample,
    Counts,
    TooLong,
    shares,
    total,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.source import Label, Values


@dataclass(frozen=True)
class Mix:
    """``q <= factor * p + more``."""

    factor: Fraction
    more: Fraction = Fraction(0)


@dataclass(frozen=True)
class WithinLog:
    """``q / p - 1 <= -ln p``."""


@dataclass(frozen=True)
class WithinPower:
    """``q < 2^exponent p`` and ``p < 2^exponent q``; ``absent``: or the value does not
    occur in the class.
    """

    exponent: Fraction
    absent: bool


Bound = Mix | WithinLog | WithinPower


def ratio_at_most(
    a: str, b: str, factor: Fraction, value: s.Formula, op: str = "<="
) -> s.Formula:
    """``l_a(value) <= factor * l_b(value)``."""
    return s.Compare(s.likelihood(a, value), op, s.likelihood(b, value, factor))


@dataclass(frozen=True)
class ValueCriterion(ClassCriterion):
    """A criterion that must hold for every value of f that occurs in the table."""

    f: str

    @abstractmethod
    def fine(self, p: Fraction, q: Fraction) -> bool:
        """Whether a value with these shares is fine."""

    @abstractmethod
    def bounds(self) -> tuple[Bound, ...]:
        """The same as bounds on the two shares."""

    @abstractmethod
    def instance(self, value: Label, p: Fraction, rows: int) -> s.Formula:
        """The formula for one value with share p in a table of so many rows."""

    @abstractmethod
    def said(self, p: Fraction, q: Fraction) -> str:
        """What is wrong with these shares."""

    def together(self) -> ValueCriterion | None:
        """What it says, where it holds at several values, of them as one value."""
        return None

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return all(self.fine(*shares(inside, whole, value)) for value in whole)

    def badness(self, h: Histogram) -> Array:
        return h.largest((h.counts / h.cell_sizes) / (h.cell_whole / h.rows))

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        bad = {v: shares(inside, whole, v) for v in whole}
        value = max(
            (v for v in bad if not self.fine(*bad[v])),
            key=lambda v: bad[v][1] / bad[v][0],
        )
        return self.broken(value, inside, whole)

    def broken(self, value: Label, inside: Counts, whole: Counts) -> Counterexample:
        """The criterion fails at this value."""
        p, q = shares(inside, whole, value)
        return Counterexample(
            self.instance(value, p, total(whole)), self.said(p, q), {"v": str(value)}
        )

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        if whole is None:
            raise TooLong(f"{self.name} has no symbolic form")
        rows = total(whole)
        yield from (
            self.instance(value, Fraction(whole[value], rows), rows) for value in domain
        )
