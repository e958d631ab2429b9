"""What merging keeps: a criterion as a conjunction of instances of one short condition.

A class is seen through quantities, each of which has its letter:

- ``n``: its rows;
- ``a``, ``b``: rows of it with some value or some values (for entropy, a sum of rows
  times constants >= 0);
- ``u``, ``w``: constants of the table times ``n``, known or not, rational or not;
- ``d``: a sum of absolute values of such quantities.

When two classes are merged all of them add up, but ``d``, which is at most the sum.  If
the condition carries over from the quantities of two classes to those of the merged
class, then so does every instance, and their conjunction.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

OPEN, MERGE, UPWARD = 0, 1, 2
"""How closed something is; upward-closed is merge-closed, too."""


@dataclass(frozen=True)
class Inequality:
    """The sum of factor * quantity is at least ``bound`` (``strict``: above it), which
    is not negative.
    """

    terms: tuple[tuple[Fraction, str], ...]
    bound: int = 0
    strict: bool = False

    def clear(self) -> int:
        """A number that makes all factors whole."""
        return lcm(*(factor.denominator for factor, _ in self.terms))

    def kept(self) -> bool:
        """The sums of two classes add up to at least twice the bound; a smaller ``d``
        must not hurt.
        """
        return self.bound >= 0 and all(
            factor <= 0 for factor, name in self.terms if name == "d"
        )

    def added(self) -> bool:
        """Whether the sum is at least 0 in any class, so that adding one does not hurt:
        0 <= a, b <= n.
        """
        if any(name in "uwd" and factor for factor, name in self.terms):
            return False
        rows = sum((factor for factor, name in self.terms if name == "n"), Fraction(0))
        parts = sum(
            (min(factor, Fraction(0)) for factor, name in self.terms if name in "ab"),
            Fraction(0),
        )
        return rows + parts >= 0


@dataclass(frozen=True)
class Lemma:
    """All ``conditions``, or none at all where the quantity ``absent`` is 0.  ``why``
    says whose instances they are.
    """

    why: str
    conditions: tuple[Inequality, ...]
    absent: str = ""

    @property
    def quantities(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(
                name for condition in self.conditions for _, name in condition.terms
            )
        )

    def closed(self) -> int:
        """How closed it is, by the inequalities alone.

        Where an absent value is ignored, its rows in one class may be too few for the
        other's: nothing is known.
        """
        if self.absent or not all(condition.kept() for condition in self.conditions):
            return OPEN
        return (
            UPWARD if all(condition.added() for condition in self.conditions) else MERGE
        )


def at_most(
    left: str, factor: Fraction | int, right: str, strict: bool = False
) -> Inequality:
    """``left <= factor * right``."""
    return Inequality(((Fraction(factor), right), (Fraction(-1), left)), strict=strict)


def rows(k: int) -> Inequality:
    """``n >= k``."""
    return Inequality(((Fraction(1), "n"),), k)
