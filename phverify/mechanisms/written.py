"""Numbers of mechanisms as they are written: nothing is rounded, and no fraction stays
that is a decimal and longer than anybody reads.
"""

from __future__ import annotations

import re
from fractions import Fraction

from phverify.rounded import LONG
from phverify.spec.decimals import decimal

_FRACTIONS = re.compile(r"\d+/\d+")


def as_decimals(text: str) -> str:
    """A formula whose long fractions are the decimals that they are; those that are
    none stay: what it says is the same.
    """
    return _FRACTIONS.sub(_as_decimal, text)


def _as_decimal(match: re.Match[str]) -> str:
    written = match[0]
    if len(written) <= LONG:
        return written
    return decimal(Fraction(written))


def has_long(text: str) -> bool:
    """Whether a formula has a fraction that nobody reads."""
    return any(len(written) > LONG for written in _FRACTIONS.findall(text))


def named(name: object) -> str:
    """What has a name that may be a number; then it is written as one."""
    if isinstance(name, Fraction):
        return as_decimals(str(name))
    return str(name)


def quoted(name: object) -> str:
    """The same in a message: a number as it is, all else in quotes."""
    if isinstance(name, Fraction):
        return named(name)
    return repr(name)
