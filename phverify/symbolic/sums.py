"""Formulas as constraints: what their carriers share, and the value of a likelihood
formula as a sum of counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeVar

from phverify.constraints import terms as t
from phverify.spec import syntax as s
from phverify.spec.fold import Carrier
from phverify.spec.linear import Cleared

Place = TypeVar("Place")


class TermCarrier(Carrier[t.Term, Place]):
    """A carrier whose truth values are constraints."""

    def constant(self, value: bool, place: Place) -> t.Term:
        """True, or false."""
        return t.constant(value)

    def negation(self, truth: t.Term, place: Place) -> t.Term:
        """True where the term is not."""
        return t.neg(truth)

    def conjunction(self, truths: Iterator[t.Term], place: Place) -> t.Term:
        """True where all terms are."""
        return t.conj(truths)

    def disjunction(self, truths: Iterator[t.Term], place: Place) -> t.Term:
        """True where one of the terms is."""
        return t.disj(truths)


def weighed(
    linear: Cleared, unit: t.LinearSum, counted: Callable[[s.Likelihood], t.LinearSum]
) -> t.LinearSum:
    """The value times ``unit``, where ``counted`` gives each likelihood times it."""
    parts = [linear.constant * unit]
    parts += [coefficient * counted(term) for coefficient, term in linear.terms]
    parts += [
        sign * t.magnitude(weighed(inner, unit, counted))
        for sign, inner in linear.magnitudes
    ]
    return t.added(parts)


def compared(value: t.LinearSum, op: str) -> t.Term:
    """``value op 0`` for a sum of whole numbers."""
    match op:
        case ">":
            return t.at_least(value, 1)
        case ">=":
            return t.at_least(value)
        case "<":
            return t.at_least(-1 * value, 1)
        case "<=":
            return t.at_least(-1 * value)
    equal = t.conj((t.at_least(value), t.at_least(-1 * value)))
    if op == "=":
        return equal
    return t.neg(equal)


def share(
    part: t.LinearSum, op: str, factor: Fraction | int, rows: t.LinearSum
) -> t.Term:
    """``part op factor * rows``, without the fraction."""
    factor = Fraction(factor)
    return t.compare(factor.denominator * part, op, factor.numerator * rows)
