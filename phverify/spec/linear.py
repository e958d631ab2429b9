"""Linear likelihood formulas in whole numbers.

The one place where denominators are cleared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from phverify.spec import syntax as s


@dataclass(frozen=True)
class Cleared:
    """``constant + sum c * l_a(phi) + sum sign * |sum|`` in whole numbers.

    What stands before ``|..|`` is inside, but for its sign.
    """

    terms: tuple[tuple[int, s.Likelihood], ...]
    magnitudes: tuple[tuple[int, Cleared], ...]
    constant: int

    @property
    def likelihoods(self) -> Iterator[s.Likelihood]:
        """All likelihoods, those inside magnitudes too."""
        yield from (term for _, term in self.terms)
        for _, inner in self.magnitudes:
            yield from inner.likelihoods

    @property
    def agents(self) -> list[str]:
        """The agents whose likelihoods occur, sorted."""
        agents = {str(term.agent) for term in self.likelihoods}
        return sorted(agents)

    @property
    def weight(self) -> int:
        """What the value is at most, each likelihood being at most 1."""
        weight = abs(self.constant)
        for coefficient, _ in self.terms:
            weight += abs(coefficient)
        for _, inner in self.magnitudes:
            weight += inner.weight
        return weight


def cleared(linear: s.Linear) -> Cleared:
    """The sum times the least number that makes every coefficient whole.

    Those inside ``abs`` too.
    """
    coefficients = _coefficients(linear, Fraction(1))
    # Above 0, so that what is compared with 0 stays on its side of it.  Not their
    # product: the numbers of a system stay small.
    factor = math.lcm(*(coefficient.denominator for coefficient in coefficients))
    return _times(linear, Fraction(factor))


def _coefficients(linear: s.Linear, factor: Fraction) -> Iterator[Fraction]:
    """All coefficients and constants.

    Those inside ``abs`` are multiplied by what stands before it.
    """
    yield linear.constant * factor
    for coefficient, quantity in linear.terms:
        product = coefficient * factor
        yield product
        if isinstance(quantity, s.Abs):
            yield from _coefficients(quantity.body, product)


def _times(linear: s.Linear, factor: Fraction) -> Cleared:
    terms: list[tuple[int, s.Likelihood]] = []
    magnitudes: list[tuple[int, Cleared]] = []
    for coefficient, quantity in linear.terms:
        if isinstance(quantity, s.Likelihood):
            terms.append((_whole(coefficient * factor), quantity))
        # |c sum| is |c| |sum|: the size goes inside, the sign stays before it.  With 0
        # before it nothing is left.
        elif coefficient:
            sign = 1 if coefficient > 0 else -1
            inner = _times(quantity.body, abs(coefficient) * factor)
            magnitudes.append((sign, inner))
    return Cleared(tuple(terms), tuple(magnitudes), _whole(linear.constant * factor))


def _whole(value: Fraction) -> int:
    assert value.denominator == 1
    return value.numerator
