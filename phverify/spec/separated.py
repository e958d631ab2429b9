"""Separated values: tables and generalization hierarchies as CSV texts hold them."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TextIO

from phverify.errors import Problem, Problems
from phverify.spec.source import File, Refused, Values, content_of, refused

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
CHUNK = 20_000
"""So many rows are handed on at a time."""
SHOWN = 5
"""Flaws of one kind that are listed."""

Line = tuple[str, ...]
"""A value followed by its generalizations."""
Paths = Mapping[str, Line]
"""A generalization hierarchy, in the order of its lines.

Each value with itself and its generalizations.
"""
Trees = Mapping[str, Paths]
"""By column its hierarchy."""


def find_separator(header: str, wanted: Collection[str] = ()) -> str:
    """The separator whose header holds most of the wanted columns, then most columns.

    Comma on a tie.
    """

    def score(separator: str) -> tuple[int, int]:
        names = next(csv.reader([header], delimiter=separator), [])
        known = set(names) & set(wanted)
        return len(known), len(names)

    return max(SEPARATORS, key=score)


def split(
    file: TextIO, wanted: Collection[str] = ()
) -> tuple[str, list[str], Iterator[list[list[str]]]]:
    """The separator of a table, its column names, and its rows in chunks.

    A blank line is nothing, unless the table has one column.  Raises Refused for a text
    without a header, and csv.Error for one that is no CSV.
    """
    head = file.readline()
    if not head.strip():
        raise Refused("the file is empty")
    separator = find_separator(head, wanted)
    file.seek(0)
    reader = csv.reader(file, delimiter=separator, strict=True)
    names = next(reader)

    def chunks() -> Iterator[list[list[str]]]:
        while rows := list(islice(reader, CHUNK)):
            if len(names) == 1:
                # A blank line is a missing cell.
                yield [row or [""] for row in rows]
            else:
                yield [row for row in rows if row]

    return separator, names, chunks()


def table(
    path: File, wanted: Collection[str], digest: str | None = None
) -> dict[str, Values]:
    """All columns of a CSV file in UTF-8, an empty cell as None.

    Raises Refused for a file that is no such table, or that has not the SHA-256
    ``digest``.
    """
    # Read once: what is counted is what was named.
    content = content_of(path)
    if digest is not None and hashlib.sha256(content).hexdigest() != digest:
        raise Refused(
            f"{path} is not the file that the certificate is about (its SHA-256"
            " differs)"
        )
    try:
        text = content.decode("utf-8-sig")
        _, names, chunks = split(io.StringIO(text, newline=""), wanted)
        # Strict: a row of another length is an error, not a row with missing cells.
        columns = list(zip(*chain([names], *chunks), strict=True))
    except (Refused, ValueError, csv.Error) as error:
        raise Refused(
            f"{path} is no table in UTF-8 with rows as long as its header: {error}"
        ) from None
    if len(set(names)) < len(names):
        raise Refused(f"{path} names a column twice")
    if len(columns[0]) == 1:
        raise Refused(f"{path} has no rows")
    return {name: _values(cells) for name, *cells in columns}


def _values(cells: Iterable[str]) -> Values:
    """The cells of a column; an empty one is missing."""
    return tuple(cell or None for cell in cells)


def lines(file: TextIO) -> list[Line]:
    """The lines of a hierarchy, ``value;level1;level2;..``.

    Raises Refused for a text without a first line, and csv.Error for one that is no
    CSV.
    """
    head = file.readline()
    if not head.strip():
        raise Refused("the hierarchy is empty")
    # The format of anonymization tools, whose labels may hold commas.
    separator = ";"
    if separator not in head:
        separator = find_separator(head)
    file.seek(0)
    rows = csv.reader(file, delimiter=separator, strict=True)
    return [tuple(row) for row in rows if row]


def hierarchy(text: str, where: str) -> dict[str, Line]:
    """A generalization hierarchy: by value its line.

    Raises Refused for a text that is none.
    """
    # Spreadsheets write a byte order mark.
    without_mark = text.removeprefix("\ufeff")
    try:
        rows = lines(io.StringIO(without_mark, newline=""))
    except (Refused, csv.Error) as error:
        raise Refused(f"{where} is no well-formed CSV: {error}") from None
    problems = flaws(rows, where)
    if problems:
        raise refused(problems)
    return {row[0]: row for row in rows}


def flaws(rows: Sequence[Line], where: str) -> Problems:
    """Why paths are no hierarchy.

    They are of unequal length, there are two for one value, or a node has two parents.
    """
    problems = []
    kinds = (_unbalanced(rows), _repeated(rows), _two_parents(rows))
    for flaws_of_a_kind in kinds:
        # Of each kind a few: one slip in a file often makes thousands.
        for what in islice(flaws_of_a_kind, SHOWN):
            problems.append(Problem(where, what, "", True))
    return problems


def _unbalanced(rows: Sequence[Line]) -> Iterator[str]:
    for row in rows:
        first = rows[0]
        if len(row) != len(first):
            path = f"the path of {row[0]!r} has {len(row)} entries"
            yield f"{path}, that of {first[0]!r} has {len(first)}"


def _repeated(rows: Sequence[Line]) -> Iterator[str]:
    seen = set()
    for value, *_ in rows:
        if value in seen:
            yield f"the value {value!r} occurs on two lines"
        seen.add(value)


def _two_parents(rows: Sequence[Line]) -> Iterator[str]:
    # The values themselves, at level 0, are `_repeated`'s.
    longest = max(map(len, rows), default=0)
    inner_levels = range(1, longest - 1)
    for level in inner_levels:
        parents: dict[str, str] = {}
        for row in rows:
            if len(row) <= level + 1:
                continue
            node = row[level]
            above = row[level + 1]
            parent = parents.setdefault(node, above)
            if parent != above:
                where = f"{node!r} at level {level}"
                yield f"{where} lies under {parent!r} and {above!r}"
