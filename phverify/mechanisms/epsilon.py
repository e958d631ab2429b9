"""Privacy levels ``a + b1 ln r1 + b2 ln r2 + ..`` with rational a, b and positive rational r: exact, no float.

Equality is decidable.  With a != 0 the number e^a is transcendental (Lindemann) and no product of rational powers;
with a = 0 the question is whether a product of rational powers is 1, which is read off a *coprime base*: pairwise
coprime integers above 1 are multiplicatively independent, so exponents must agree one by one.  No large power is
ever computed.
"""

from __future__ import annotations

import re
from fractions import Fraction

from phverify.errors import refusal
from phverify.exact import LogSum, ln
from phverify.spec.source import rational

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:/\d+)?"
_TERM = re.compile(
    rf"\s*(?P<sign>[+-]?)\s*(?:(?P<factor>{_NUMBER})|\(\s*(?P<inner>{_NUMBER})\s*\))?"
    rf"\s*(?P<times>\*?)\s*(?:(?:ln|log)\s*\(\s*(?P<log>{_NUMBER})\s*\))?\s*(?:/\s*(?P<below>\d+))?\s*"
)


Epsilon = LogSum
"""A privacy level."""


def epsilon(value: Epsilon | Fraction | int | str) -> Epsilon:
    """A level from a number or a text such as ``1/2``, ``ln(3)``, ``20/39 ln(3/2)``, ``0.1 + ln(2)/2``.

    Raises InputError when the text is no such sum.
    """
    if isinstance(value, Epsilon):
        return value
    if isinstance(value, str):
        return _parsed(value)
    return Epsilon(Fraction(value))


def _parsed(text: str) -> Epsilon:
    total, place = Epsilon(), 0
    while place < len(text) or not place:
        found = _TERM.match(text, place)
        if not found or not _complete(found, first=place == 0):
            hint = "write a sum of rationals and logarithms, such as 0.1 + 1/2 ln(3)"
            raise refusal(f"epsilon {text!r}, character {place + 1}", "this is no term", hint)
        total, place = total + _value(found), found.end()
    return total


def _complete(found: re.Match[str], first: bool) -> bool:
    factor, log = found["factor"] or found["inner"], found["log"]
    if found["times"] and not (factor and log):
        return False
    below_zero = found["below"] is not None and int(found["below"]) == 0
    zero = any(part and "/" in part and int(part.split("/")[1]) == 0 for part in (factor, log))
    return bool(factor or log) and bool(first or found["sign"]) and not below_zero and not zero


def _value(found: re.Match[str]) -> Epsilon:
    factor = rational(found["factor"] or found["inner"] or "1") / int(found["below"] or 1)
    factor = -factor if found["sign"] == "-" else factor
    return Epsilon(factor) if found["log"] is None else ln(rational(found["log"])).times(factor)
