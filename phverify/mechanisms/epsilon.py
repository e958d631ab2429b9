"""Privacy levels ``a + b1 ln r1 + b2 ln r2 + ..`` with rational a, b and positive
rational r: exact, no float.

Equality is decidable.  With a != 0 the number e^a is transcendental (Lindemann) and no
product of rational powers; with a = 0 the question is whether a product of rational
powers is 1, which is read off a *coprime base*: pairwise coprime integers above 1 are
multiplicatively independent, so exponents must agree one by one.  No large power is
ever computed.
"""

from __future__ import annotations

import re
from fractions import Fraction
from numbers import Rational

from phverify.errors import refusal
from phverify.exact import LogSum, ln
from phverify.microdata.grouped_digits import comma_hint
from phverify.spec.source import rational

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:/0*[1-9]\d*)?"
_FACTOR = rf"(?P<factor>{_NUMBER}|\(\s*{_NUMBER}\s*\))"
_LOG = rf"(?:ln|log)\s*\(\s*({_NUMBER})\s*\)"
_TERM = re.compile(
    rf"\s*(?P<sign>[+-]?)\s*(?:{_FACTOR}(?:\s*\*?\s*{_LOG})?|{_LOG})\s*(?:/\s*(?P<below>0*[1-9]\d*)\s*)?"
)

A_SUM = "write a sum of rationals and logarithms, such as 0.1 + 1/2 ln(3)"
Epsilon = LogSum
"""A privacy level."""


def epsilon(value: Epsilon | Fraction | int | str) -> Epsilon:
    """A level from a number or a text such as ``1/2``, ``ln(3)`` or ``0.1 + ln(2)/2``.

    Raises InputError when the text is no sum of rationals and their logarithms, and
    for floats.
    """
    if isinstance(value, Epsilon):
        return value
    if isinstance(value, str):
        return _parsed(value)
    if isinstance(value, float):
        hint = f"write it as a text: {str(value)!r}"
        raise refusal("epsilon", f"{value!r} is a float, no exact number", hint)
    if not isinstance(value, Rational):
        hint = "write it as a text: '0.1', '1/2' or 'ln(3)'"
        raise refusal("epsilon", f"{type(value).__name__} is no exact number", hint)
    return Epsilon(Fraction(value))


def _parsed(text: str) -> Epsilon:
    """The sum that a text writes down, term by term."""
    total = Epsilon()
    place = 0
    # An empty text goes through the loop once, to be refused there.
    while place < len(text) or place == 0:
        term = _TERM.match(text, place)
        # Only the first term needs no sign: "ln(2) ln(3)" is no sum.
        if term is None or (place > 0 and not term["sign"]):
            hint = comma_hint(text) or A_SUM
            where = f"epsilon {text!r}, character {place + 1}"
            raise refusal(where, "this is no term", hint)
        total += _value(term)
        place = term.end()
    return total


def _value(term: re.Match[str]) -> Epsilon:
    """The level that one matched term stands for."""
    written = (term["factor"] or "1").strip("()")
    below = int(term["below"] or 1)
    factor = rational(written)
    factor /= below
    if term["sign"] == "-":
        factor = -factor
    # The pattern has two places for a logarithm: behind a factor, and alone.
    argument = term[3] or term[4]
    if argument:
        return ln(rational(argument)).times(factor)
    return Epsilon(factor)
