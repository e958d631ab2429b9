"""What is read for a certificate: numbers and tables.

A table is a dictionary of columns, a column is a tuple of
labels, and a label is the text of a cell, or None where the cell is empty.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path

from phverify.errors import PhverifyError

Label = str | None
Columns = Mapping[str, tuple[Label, ...]]

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?(/\d+)?%?")
DIGITS = 1000
"""A number of a policy or a certificate has so many digits at most, above and below the line."""


class Refused(PhverifyError):
    """What was given is not what it claims to be; the text says why."""


class Unsettled(Refused):
    """It may be what it claims to be: to find out is beyond the checker's bounds."""


def rational(text: str) -> Fraction:
    """The number that a text denotes: ``0.1``, ``2/3``, ``1e-3``, ``5%``.  Raises ValueError for anything else."""
    text = text.strip()
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{shortened(text)!r} is no number")
    above, _, below = text.rstrip("%").partition("/")
    if below and int(below) == 0:
        raise ValueError(f"{shortened(text)!r} divides by zero")
    return Fraction(above) / int(below or 1) / (100 if text.endswith("%") else 1)


def number(text: str) -> Fraction:
    """The same for a number that is to be shown.  Raises Unsettled for one of more than a thousand digits."""
    if len(text) > DIGITS:
        raise Unsettled(f"a number is longer than {DIGITS} characters")
    value = rational(text)
    if max(abs(value.numerator), value.denominator) >= 10**DIGITS:
        raise Unsettled(f"a number has more than {DIGITS} digits")
    return value


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a long text."""
    return text if len(text) <= most else f"{text[:most]}.."


def sha256(path: str | PathLike[str]) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal digits.  Raises Refused when the file cannot be read."""
    return hashlib.sha256(_bytes(path)).hexdigest()


def quoted(path: str | PathLike[str]) -> str:
    """A file's text as a certificate quotes it, byte for byte.  Raises Refused when it is not in UTF-8."""
    try:
        return _bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not in UTF-8: {error}") from None


def _bytes(path: str | PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None


def policy_text(path: str | PathLike[str]) -> str:
    """The text of a policy file, whatever its line ends.  Raises Refused when it cannot be read."""
    return quoted(path).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def table(path: str | PathLike[str], wanted: Iterable[str], digest: str | None = None) -> dict[str, tuple[Label, ...]]:
    """All columns of a CSV file in UTF-8, an empty cell as None.

    The separator is the one whose header holds most of the ``wanted`` columns, then most columns.
    Raises Refused for a file that is no such table, or that has not the SHA-256 ``digest``.
    """
    content = _bytes(path)  # once: what is counted is what was named
    if digest is not None and hashlib.sha256(content).hexdigest() != digest:
        raise Refused(f"{path} is not the file that the certificate is about (its SHA-256 differs)")
    try:
        file = io.StringIO(content.decode("utf-8-sig"), newline="")
        separator = _separator(file.readline(), set(wanted))
        file.seek(0)
        rows = list(csv.reader(file, delimiter=separator, strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise Refused(f"{path} is no well-formed CSV in UTF-8: {error}") from None
    return _columns(rows, str(path))


def _separator(header: str, wanted: set[str]) -> str:
    if not header.strip():
        raise Refused("the table is empty")

    def score(separator: str) -> tuple[int, int]:
        names = next(csv.reader([header], delimiter=separator), [])
        return len(wanted & set(names)), len(names)

    return max((",", ";", "\t", "|"), key=score)  # the first of those that score alike


def _columns(lines: list[list[str]], path: str) -> dict[str, tuple[Label, ...]]:
    names, *rest = lines
    rows = [line or [""] for line in rest] if len(names) == 1 else [line for line in rest if line]
    if len(set(names)) < len(names):
        raise Refused(f"{path} names a column twice")
    if not rows or any(len(row) != len(names) for row in rows):
        raise Refused(f"{path} has no rows, or a row that is longer or shorter than the header")
    cells = zip(*rows, strict=True)
    return {name: tuple(cell or None for cell in column) for name, column in zip(names, cells, strict=True)}


def hierarchy(text: str, where: str) -> dict[str, tuple[str, ...]]:
    """A generalization hierarchy: by value its line, the value first.  Raises Refused for a text that is none."""
    text = text.removeprefix("\ufeff")
    head = text.split("\n", 1)[0]
    separator = ";" if ";" in head else _separator(head, set())
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True) if row]
    except csv.Error as error:
        raise Refused(f"{where} is no well-formed CSV: {error}") from None
    found = {row[0]: tuple(row) for row in rows}
    if len(found) < len(rows):
        raise Refused(f"{where} has two lines for one value")
    return found
