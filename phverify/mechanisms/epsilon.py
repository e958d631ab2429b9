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

from phverify.errors import refusal
from phverify.exact import LogSum, ln
from phverify.spec.source import rational

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:/0*[1-9]\d*)?"
_FACTOR = rf"(?P<factor>{_NUMBER}|\(\s*{_NUMBER}\s*\))"
_LOG = rf"(?:ln|log)\s*\(\s*({_NUMBER})\s*\)"
_TERM = re.compile(
    rf"\s*(?P<sign>[+-]?)\s*(?:{_FACTOR}(?:\s*\*?\s*{_LOG})?|{_LOG})\s*(?:/\s*(?P<below>0*[1-9]\d*)\s*)?"
)

Epsilon = LogSum
"""A privacy level."""


def epsilon(value: Epsilon | Fraction | int | str) -> Epsilon:
    """A level from a number or a text such as ``1/2``, ``ln(3)``, ``20/39 ln(3/2)``,
    ``0.1 + ln(2)/2``.

    Raises InputError when the text is no such sum, and for floats.
    """
    if isinstance(value, Epsilon):
        return value
    if isinstance(value, str):
        return _parsed(value)
    if isinstance(value, float):
        hint = f"write it as a text: {str(value)!r}"
        raise refusal("epsilon", f"{value!r} is a float, no exact number", hint)
    return Epsilon(Fraction(value))


def _parsed(text: str) -> Epsilon:
    total, place = Epsilon(), 0
    while place < len(text) or not place:
        found = _TERM.match(text, place)
        if not found or (place and not found["sign"]):
            hint = "write a sum of rationals and logarithms, such as 0.1 + 1/2 ln(3)"
            raise refusal(
                f"epsilon {text!r}, character {place + 1}", "this is no term", hint
            )
        factor = rational((found["factor"] or "1").strip("()")) / int(
            found["below"] or 1
        )
        if found["sign"] == "-":
            factor = -factor
        log = found[3] or found[4]
        total += ln(rational(log)).times(factor) if log else Epsilon(factor)
        place = found.end()
    return total
