"""Separated values: tables as CSV texts hold them."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice
from typing import TextIO

from phverify.spec.source import File, Refused, Values, content_of

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
CHUNK = 20_000
"""So many rows are handed on at a time."""


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
        # As the engine: in its first line only a binary file has one.
        if "\0" in text.partition("\n")[0]:
            raise Refused("it seems to be a binary file")
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
