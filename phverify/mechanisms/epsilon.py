"""Privacy levels ``a + b1 ln r1 + b2 ln r2 + ..`` with rational a, b and positive rational r: exact, no float.

Equality is decidable.  With a != 0 the number e^a is transcendental (Lindemann) and no product of rational powers;
with a = 0 the question is whether a product of rational powers is 1, which is read off a *coprime base*: pairwise
coprime integers above 1 are multiplicatively independent, so exponents must agree one by one.  No large power is
ever computed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import InputError, Problem
from phverify.exact import Logs as Logs
from phverify.exact import coprime_base as coprime_base
from phverify.exact import is_power as is_power
from phverify.exact import rational

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:/\d+)?"
_TERM = re.compile(
    rf"\s*(?P<sign>[+-]?)\s*(?:(?P<factor>{_NUMBER})|\(\s*(?P<inner>{_NUMBER})\s*\))?"
    rf"\s*(?P<times>\*?)\s*(?:(?:ln|log)\s*\(\s*(?P<log>{_NUMBER})\s*\))?\s*(?:/\s*(?P<below>\d+))?\s*"
)


@dataclass(frozen=True)
class Epsilon:
    """The number ``plain + sum of b ln r`` over ``logs``.

    Two texts of one number (``ln(4)`` and ``2 ln(2)``) are different objects; ask ``same``.
    Raises InputError when an r is not positive.
    """

    plain: Fraction
    logs: Logs = ()

    def __post_init__(self) -> None:
        for _, r in self.logs:
            if r <= 0:
                raise InputError(Problem("epsilon", f"ln({r}) is no real number", "logarithms need positive numbers"))

    def __add__(self, other: Epsilon) -> Epsilon:
        merged: dict[Fraction, Fraction] = {}
        for b, r in (*self.logs, *other.logs):
            merged[r] = merged.get(r, Fraction(0)) + b
        return Epsilon(self.plain + other.plain, tuple((b, r) for r, b in merged.items() if b and r != 1))

    def __sub__(self, other: Epsilon) -> Epsilon:
        return self + other.times(Fraction(-1))

    def times(self, factor: Fraction) -> Epsilon:
        """The same number, ``factor`` times."""
        return Epsilon(self.plain * factor, tuple((b * factor, r) for b, r in self.logs if factor))

    def same(self, other: Epsilon) -> bool:
        """Whether both are the same real number."""
        difference = self - other
        return difference.plain == 0 and is_power(Fraction(1), difference.logs)

    def __str__(self) -> str:
        terms = [_term(b, r) for b, r in self.logs]
        if self.plain or not terms:
            terms.insert(0, str(self.plain))
        return " + ".join(terms).replace("+ -", "- ")


def _term(b: Fraction, r: Fraction) -> str:
    return {Fraction(1): f"ln({r})", Fraction(-1): f"-ln({r})"}.get(b, f"{b} ln({r})")


def ln(r: Fraction | int) -> Epsilon:
    """The level ln r."""
    return Epsilon(Fraction(0), ((Fraction(1), Fraction(r)),) if r != 1 else ())


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
    total, place = Epsilon(Fraction(0)), 0
    while place < len(text) or not place:
        found = _TERM.match(text, place)
        if not found or not _complete(found, first=place == 0):
            hint = "write a sum of rationals and logarithms, such as 0.1 + 1/2 ln(3)"
            raise InputError(Problem(f"epsilon {text!r}, character {place + 1}", "this is no term", hint))
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
