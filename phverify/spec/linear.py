"""Linear likelihood formulas in whole numbers: the one place where denominators are
cleared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from phverify.spec import syntax as s


@dataclass(frozen=True)
class Cleared:
    """``constant + sum c * l_a(phi) + sum sign * |sum|`` in whole numbers; what stands
    before ``|..|`` is inside.
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
        return sorted({str(term.agent) for term in self.likelihoods})

    @property
    def weight(self) -> int:
        """What the value is at most, each likelihood being at most 1."""
        own = abs(self.constant) + sum(abs(c) for c, _ in self.terms)
        return own + sum(inner.weight for _, inner in self.magnitudes)


def cleared(linear: s.Linear) -> Cleared:
    """The sum times the least number that makes every coefficient whole, those inside
    ``abs`` too.
    """
    return _times(
        linear,
        Fraction(
            math.lcm(*(c.denominator for c in _coefficients(linear, Fraction(1))))
        ),
    )


def _coefficients(linear: s.Linear, factor: Fraction) -> Iterator[Fraction]:
    """All coefficients and constants, those inside ``abs`` multiplied by what stands
    before it.
    """
    yield linear.constant * factor
    for coefficient, quantity in linear.terms:
        yield coefficient * factor
        if isinstance(quantity, s.Abs):
            yield from _coefficients(quantity.body, coefficient * factor)


def _times(linear: s.Linear, factor: Fraction) -> Cleared:
    terms: list[tuple[int, s.Likelihood]] = []
    magnitudes: list[tuple[int, Cleared]] = []
    for coefficient, quantity in linear.terms:
        if isinstance(quantity, s.Likelihood):
            terms.append((_whole(coefficient * factor), quantity))
        elif coefficient:
            magnitudes.append(
                (
                    1 if coefficient > 0 else -1,
                    _times(quantity.body, abs(coefficient) * factor),
                )
            )
    return Cleared(tuple(terms), tuple(magnitudes), _whole(linear.constant * factor))


def _whole(value: Fraction) -> int:
    assert value.denominator == 1
    return value.numerator


def replaced(
    linear: s.Linear, value: Callable[[s.Likelihood], Fraction | s.Likelihood]
) -> s.Linear:
    """The sum with its likelihoods replaced: by numbers, or by others."""
    terms: list[tuple[Fraction, s.Likelihood | s.Abs]] = []
    constant = linear.constant
    for coefficient, quantity in linear.terms:
        if isinstance(quantity, s.Abs):
            terms.append((coefficient, s.Abs(replaced(quantity.body, value))))
        elif isinstance(found := value(quantity), Fraction):
            constant += coefficient * found
        else:
            terms.append((coefficient, found))
    return s.Linear(tuple(terms), constant)
