"""Uncertainty of a belief function as exact numbers ``sum of b ln r``: they compare exactly, floats are for display.

Natural logarithms, as in the paper's figures; divide by ``ln 2`` for bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import InputError, Problem
from phverify.exact import Logs, log_sign, logs_enclosure
from phverify.linkage.belief.frame import bits
from phverify.linkage.belief.mass import Mass
from phverify.linkage.belief.transforms import pignistic


@dataclass(frozen=True, eq=False)
class LogSum:
    """The number ``sum of b ln r`` over ``terms``, with rationals b and positive rationals r.

    Comparison is exact: equal numbers are told by a coprime base of the r, others by enclosures that part.
    """

    terms: Logs

    @staticmethod
    def of(pairs: Iterable[tuple[Fraction, Fraction]]) -> LogSum:
        """A sum of pairs (b, r), equal r merged.  Raises InputError when an r is not positive."""
        merged: dict[Fraction, Fraction] = {}
        for b, r in pairs:
            if r <= 0:
                raise InputError(Problem("logarithm", f"ln({r}) is no real number", "logarithms need positive numbers"))
            merged[r] = merged.get(r, Fraction(0)) + b
        return LogSum(tuple((b, r) for r, b in sorted(merged.items()) if b and r != 1))

    def sign(self) -> int:
        """-1, 0 or 1, exactly."""
        return log_sign(self.terms)

    def __add__(self, other: LogSum) -> LogSum:
        return LogSum.of((*self.terms, *other.terms))

    def __sub__(self, other: LogSum) -> LogSum:
        return self + other.times(Fraction(-1))

    def times(self, factor: Fraction) -> LogSum:
        """The same number, ``factor`` times."""
        return LogSum.of((b * factor, r) for b, r in self.terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogSum) and (self - other).sign() == 0

    __hash__ = None  # type: ignore[assignment]  # equal numbers have many forms

    def __lt__(self, other: LogSum) -> bool:
        return (self - other).sign() < 0

    def __le__(self, other: LogSum) -> bool:
        return (self - other).sign() <= 0

    def __gt__(self, other: LogSum) -> bool:
        return other < self

    def __ge__(self, other: LogSum) -> bool:
        return other <= self

    def __float__(self) -> float:
        """For display only: no verdict reads it."""
        low, high = logs_enclosure(self.terms, 30)
        return float((low + high) / 2)

    def __str__(self) -> str:
        return " + ".join(f"{b} ln({r})" for b, r in self.terms).replace("+ -", "- ") or "0"


def ln(value: Fraction | int) -> LogSum:
    """The number ln(value)."""
    return LogSum.of([(Fraction(1), Fraction(value))])


def shannon(shares: Mapping[int, Fraction]) -> LogSum:
    """Shannon's entropy of a probability: -sum of p ln p."""
    return LogSum.of((-p, p) for p in shares.values() if p)


def entropy(mass: Mass) -> LogSum:
    """Definition 22: the entropy of the pignistic distribution.

    The paper's formula 4 lacks the minus sign; its figures (Examples 23 and 24) have it, and so has this.
    """
    return shannon(pignistic(mass))


def nonspecificity(mass: Mass) -> LogSum:
    """Definition 25: N = sum of m(A) ln |A|; 0 exactly for probabilities, ln |X| at most."""
    return LogSum.of((m, Fraction(b.bit_count())) for b, m in mass.focal.items())


def conflict(mass: Mass) -> LogSum:
    """Klir and Ramer's discord: -sum of m(A) ln P_Bel(A), P_Bel pignistic; Shannon's entropy for probabilities.

    Section 4.2 of the paper calls entropy a measure of conflict and nonspecificity one of imprecision; this is the
    measure of conflict on the level of beliefs.
    """
    share = pignistic(mass)
    return LogSum.of((-m, sum((share[k] for k in bits(b)), Fraction(0))) for b, m in mass.focal.items())
