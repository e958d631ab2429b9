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
    """The sum of factor * quantity is at least ``bound``, which is not negative.

    Above it where ``strict``.
    """

    terms: tuple[tuple[Fraction, str], ...]
    bound: int = 0
    strict: bool = False

    def clear(self) -> int:
        """A number that makes all factors whole."""
        denominators = [factor.denominator for factor, _ in self.terms]
        return lcm(*denominators)

    def preserved(self) -> bool:
        """Whether it carries over from two classes to the merged one.

        Their sums add up to at least twice the bound.  Only ``d`` may become smaller
        than the sum, which must not hurt.
        """
        # Twice a negative bound is below it.
        if self.bound < 0:
            return False
        # With a positive factor the sum would shrink with d.
        return all(factor <= 0 for factor, name in self.terms if name == "d")

    def added(self) -> bool:
        """Whether the sum is at least 0 in any class, so that adding one does not hurt.

        Of ``a`` and ``b`` it is known that they lie between 0 and ``n``; of constants
        and distances nothing is.
        """
        per_row = Fraction(0)
        for factor, name in self.terms:
            # Constants and distances may be anything.
            if name in "uwd" and factor:
                return False
            if name == "n":
                per_row += factor
            # The least of factor * a for 0 <= a <= n: at a = n where it is negative.
            if name in "ab":
                per_row += min(factor, Fraction(0))
        return per_row >= 0


@dataclass(frozen=True)
class Lemma:
    """All ``conditions``, or none at all where the quantity ``absent`` is 0.

    ``why`` says whose instances they are.
    """

    why: str
    conditions: tuple[Inequality, ...]
    absent: str = ""

    @property
    def quantities(self) -> tuple[str, ...]:
        """The letters in the conditions, each once."""
        letters: dict[str, None] = {}
        for condition in self.conditions:
            letters.update((name, None) for _, name in condition.terms)
        return tuple(letters)

    def closed(self) -> int:
        """How closed it is, by the inequalities alone.

        Where an absent value is ignored, its rows in one class may be too few for the
        other's: nothing is known.
        """
        if self.absent:
            return OPEN
        if not all(condition.preserved() for condition in self.conditions):
            return OPEN
        # Then any other class may join, whether it satisfies the condition or not.
        if all(condition.added() for condition in self.conditions):
            return UPWARD
        return MERGE


def at_most(
    left: str, factor: Fraction | int, right: str, strict: bool = False
) -> Inequality:
    """``left <= factor * right``, or ``<`` where ``strict``."""
    bound = (Fraction(factor), right)
    bounded = (Fraction(-1), left)
    return Inequality((bound, bounded), strict=strict)


def rows(k: int) -> Inequality:
    """``n >= k``."""
    return Inequality(((Fraction(1), "n"),), k)
