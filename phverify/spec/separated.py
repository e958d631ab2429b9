"""Separated values: tables and generalization hierarchies as CSV files hold them, in UTF-8.

What is wrong is told with the line where it stands, as an InputError.  What the checker reads, a whole file at a time,
is refused for the same reasons.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import TextIO

from phverify.errors import InputError, Problem, refusal
from phverify.spec.source import Label, Refused, content_of, refused

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
CHUNK = 20_000
"""So many rows are handed on at a time."""
SHOWN = 5
"""Flaws of one kind that are listed."""

Line = tuple[str, ...]
"""A value followed by its generalizations."""


@contextmanager
def legible(where: str) -> Iterator[None]:
    """What goes wrong while a text is read becomes an InputError that names the line."""
    try:
        yield
    except OSError as error:
        raise refusal(where, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(_encoding_problem(Path(where))) from None
    except csv.Error as error:
        raise refusal(where, f"is no well-formed CSV: {error}") from None


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """A text file whose reading errors become InputErrors."""
    with legible(str(path)), path.open(encoding="utf-8-sig", newline="") as file:
        yield file


def _encoding_problem(path: Path) -> Problem:
    data = path.read_bytes()
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"line {line} is not UTF-8 (byte 0x{data[error.start]:02x})"
        hint = f"convert it, for example: iconv -f latin1 -t utf-8 {path.name} > utf8.csv"
        return Problem(str(path), what, hint)
    return Problem(str(path), "is not UTF-8")


def find_separator(header: str, wanted: Collection[str] = ()) -> str:
    """The separator whose header holds most of the wanted columns, then most columns; comma on a tie."""

    def score(separator: str) -> tuple[int, int]:
        names = next(csv.reader([header], delimiter=separator), [])
        return len(set(names) & set(wanted)), len(names)

    return max(SEPARATORS, key=score)


# Tables


def split(file: TextIO, where: str, wanted: Collection[str] = ()) -> tuple[str, list[str], Iterator[list[list[str]]]]:
    """The separator of a table, its column names, and its rows in chunks."""
    head = file.readline()
    if not head.strip():
        raise refusal(where, "the file is empty")
    separator = find_separator(head, wanted)
    file.seek(0)
    reader = csv.reader(file, delimiter=separator, strict=True)
    names = unique_names(next(reader), where)
    return separator, names, _chunks(reader, file, len(names), where)


def unique_names(names: list[str], where: str) -> list[str]:
    """The names of columns.  Raises InputError when one occurs twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        listed = ", ".join(map(repr, twice))
        raise refusal(where, f"column names occur twice: {listed}", "give every column its own name")
    return names


def _chunks(reader: Iterator[list[str]], file: TextIO, width: int, where: str) -> Iterator[list[list[str]]]:
    """Lists of rows of equal width.  A blank line is nothing, unless the table has one column."""
    empty = True
    while rows := list(islice(reader, CHUNK)):
        full = [row or [""] for row in rows] if width == 1 else [row for row in rows if row]
        if any(len(row) != width for row in full):
            file.seek(0)
            raise InputError(_odd_line(csv.reader(file, reader.dialect, strict=True), width, where))  # type: ignore[attr-defined]
        empty = empty and not full
        yield full
    if empty:
        raise refusal(where, "the table has a header and no rows")


def _odd_line(reader: Iterator[list[str]], width: int, where: str) -> Iterator[Problem]:
    """The first line whose row is too long or too short."""
    line = 1
    for row in reader:
        if (row or width == 1) and len(row or [""]) != width:
            what = f"line {line} has {len(row)} fields where the header has {width}"
            hint = "quote a field that holds the separator, and write an empty field for a missing value"
            yield Problem(where, what, hint)
            return
        line = reader.line_num + 1  # type: ignore[attr-defined]


def table(
    path: str | PathLike[str], wanted: Collection[str], digest: str | None = None
) -> dict[str, tuple[Label, ...]]:
    """All columns of a CSV file, an empty cell as None.

    Raises Refused for a file that is no such table, or that has not the SHA-256 ``digest``.
    """
    content = content_of(path)  # once: what is counted is what was named
    if digest is not None and hashlib.sha256(content).hexdigest() != digest:
        raise Refused(f"{path} is not the file that the certificate is about (its SHA-256 differs)")
    try:
        with legible(str(path)):
            text = io.StringIO(content.decode("utf-8-sig"), newline="")
            _, names, chunks = split(text, str(path), wanted)
            columns = zip(*chain.from_iterable(chunks), strict=True)
            return {name: tuple(cell or None for cell in cells) for name, cells in zip(names, columns, strict=True)}
    except InputError as error:
        raise refused(error.problems) from None


# Hierarchies


def paths_of(file: TextIO, where: str) -> dict[str, Line]:
    """A generalization hierarchy, ``value;level1;level2;..``: by value its line.  Raises InputError."""
    head = file.readline()
    if not head.strip():
        raise refusal(where, "the hierarchy is empty")
    separator = ";" if ";" in head else find_separator(head)
    file.seek(0)
    rows = [tuple(row) for row in csv.reader(file, delimiter=separator, strict=True) if row]
    if problems := flaws(rows, where):
        raise InputError(problems)
    return {row[0]: row for row in rows}


def hierarchy(text: str, where: str) -> dict[str, Line]:
    """The hierarchy of a text.  Raises Refused for a text that is none."""
    try:
        with legible(where):
            return paths_of(io.StringIO(text.removeprefix("\ufeff"), newline=""), where)
    except InputError as error:
        raise refused(error.problems) from None


def unsound(paths: Mapping[str, Line], where: str) -> list[Problem]:
    """Why paths by their values are no hierarchy."""
    problems = flaws([*paths.values()], where) if all(paths.values()) else []
    if not problems and any(path[:1] != (value,) for value, path in paths.items()):
        problems = [Problem(where, "a path starts with another value than its own")]
    return problems


def flaws(rows: Sequence[Line], where: str) -> list[Problem]:
    """Why paths are no hierarchy: of unequal length, two for one value, a node with two parents."""
    return [*_unbalanced(rows, where), *_repeated(rows, where), *_two_parents(rows, where)]


def _unbalanced(rows: Sequence[Line], where: str) -> list[Problem]:
    odd = [row for row in rows if len(row) != len(rows[0])]
    return [
        Problem(
            where, f"the path of {row[0]!r} has {len(row)} entries, that of {rows[0][0]!r} has {len(rows[0])}", "", True
        )
        for row in odd[:SHOWN]
    ]


def _repeated(rows: Sequence[Line], where: str) -> list[Problem]:
    seen: set[str] = set()
    twice = [row[0] for row in rows if row[0] in seen or seen.add(row[0])]  # type: ignore[func-returns-value]
    return [Problem(where, f"the value {value!r} occurs on two lines", "", True) for value in twice[:SHOWN]]


def _two_parents(rows: Sequence[Line], where: str) -> list[Problem]:
    problems = []
    for level in range(1, max(map(len, rows), default=0) - 1):
        parents: dict[str, str] = {}
        for row in rows:
            if len(row) > level + 1 and parents.setdefault(row[level], row[level + 1]) != row[level + 1]:
                what = f"{row[level]!r} at level {level} lies under {parents[row[level]]!r} and {row[level + 1]!r}"
                problems.append(Problem(where, what, "", True))
    return problems[:SHOWN]
