"""What is read: numbers, and files as they are.

A table is a dictionary of columns, a column is a tuple of
labels, and a label is the text of a cell, or None where the cell is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.errors import PhverifyError, Problem

Label = str | None
Values = tuple[Label, ...]
Columns = Mapping[str, Values]
Recoding = Mapping[Label, Label]
"""What each value became."""
Mappings = Mapping[str, Recoding]
"""For each quasi-identifier the released value of each original value."""
Names = tuple[str, ...]
"""Of columns, agents, individuals."""
Line = tuple[str, ...]
"""A value followed by its generalizations."""
Paths = Mapping[str, Line]
"""A generalization hierarchy, in the order of its lines.

Each value with itself and its generalizations.
"""
Trees = Mapping[str, Paths]
"""By column its hierarchy."""
Plain = Mapping[str, Any]
"""What TOML and JSON hold."""
File = str | PathLike[str]

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?(/\d+)?%?")
MONTH = re.compile(
    r"(0?[1-9]|1[0-2])/(1[89]|20|21)\d\d|(1[89]|20|21)\d\d/(0?[1-9]|1[0-2])", re.ASCII
)
"""``03/1956``, ``1956/3``: months, though they could be fractions."""
DIGITS = 1000
"""A number of a policy or a certificate has so many digits at most, above and below the
line.
"""


class Refused(PhverifyError):
    """What was given is not what it claims to be; the text says why."""


class Unsettled(Refused):
    """It may be what it claims to be: to find out is beyond the checker's bounds."""


def refused(problems: Iterable[Problem]) -> Refused:
    """The refusal that says all that is wrong."""
    return Refused(
        "; ".join(f"{problem.where}: {problem.what}" for problem in problems)
    )


def rational(text: str) -> Fraction:
    """The number that a text denotes: ``0.1``, ``2/3``, ``1e-3``, ``5%``.  Raises
    ValueError for anything else.
    """
    text = text.strip()
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{shortened(text)!r} is no number")
    number = text.rstrip("%")
    above, _, below = number.partition("/")
    divisor = int(below or 1)
    if divisor == 0:
        raise ValueError(f"{shortened(text)!r} divides by zero")
    value = Fraction(above) / divisor
    if text.endswith("%"):
        return value / 100
    return value


def measured(text: str) -> Fraction:
    """The number that a cell holds.  Raises ValueError for anything else, and for a
    month of a year: as a fraction it would be next to 0, whatever the month.
    """
    if MONTH.fullmatch(text.strip()):
        raise ValueError(f"{text!r} is a month of a year, and no number")
    return rational(text)


def number(text: str) -> Fraction:
    """The same as ``rational``, for a number that is to be shown.  Raises Unsettled for
    one of more than a thousand digits.
    """
    if len(text) > DIGITS:
        raise Unsettled(f"a number is longer than {DIGITS} characters")
    return presentable(rational(text))


def presentable(value: Fraction) -> Fraction:
    """A number that can be shown.  Raises Unsettled for one of more than a thousand
    digits.
    """
    if not written_within(value, DIGITS):
        raise Unsettled(f"a number has more than {DIGITS} digits")
    return value


def writable(value: Fraction) -> bool:
    """Whether a number has at most 300 digits above and below the line: labels are to
    be read.
    """
    return written_within(value, 300)


def written_within(value: Fraction, digits: int) -> bool:
    """Whether a number has at most so many digits above and below the line."""
    beyond: int = 10**digits
    return max(abs(value.numerator), value.denominator) < beyond


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a long text."""
    if len(text) <= most:
        return text
    return f"{text[:most]}.."


def quoted(path: File) -> str:
    """A file's text as a certificate quotes it, byte for byte.  Raises Refused when it
    is not in UTF-8.
    """
    try:
        return content_of(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not in UTF-8: {error}") from None


def content_of(path: File) -> bytes:
    """The bytes of a file.  Raises Refused when it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Refused(f"{path} is no path of a file: {error}") from None


def policy_text(path: File) -> str:
    """The text of a policy file, whatever its line ends.  Raises Refused when it cannot
    be read.
    """
    # Some editors begin a file with a byte order mark.
    text = quoted(path).removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")
