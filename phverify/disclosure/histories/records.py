"""The records of a history, as its file has them: CSV, TSV, JSON, JSON Lines, Parquet.

A file is known by its ending, and a JSON text by how it begins, too.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from phverify.errors import refusal
from phverify.microdata.files import converted
from phverify.microdata.interruptible import Interruptible
from phverify.spec.separated import find_separator
from phverify.spec.source import Plain

CSV = (".csv", ".tsv", ".tab")
LINES = (".jsonl", ".ndjson")
JSON = (".json",)
PARQUET = (".parquet", ".pq")
ENDINGS = (*CSV, *LINES, *JSON, *PARQUET)


class Written(str):
    """A number with a point as it was written: no digit is lost."""


@dataclass(frozen=True)
class Record:
    """One record: its cells by column, and its place in the file.

    That is its first line, from 1; in Parquet and in a JSON list its number.
    """

    place: int
    cells: Mapping[str, Any]


@dataclass(frozen=True)
class History:
    """All records of a file; ``names`` are the columns, none where it has no header.

    ``at`` is what a place is: a line, a record; ``header`` is that of the names, 0
    where each record has its own.
    """

    names: tuple[str, ...]
    records: Sequence[Record]
    at: str = "line"
    header: int = 0


def text_of(path: Path) -> str:
    """A file as text.  Raises InputError."""
    # CSV tells an end of line in quotes from one outside of them.
    newline = "" if path.suffix.lower() in CSV else None
    try:
        # A byte order mark is no part of the first statement.
        with path.open(encoding="utf-8-sig", newline=newline) as file:
            return file.read()
    except UnicodeDecodeError as error:
        what = f"is no text in UTF-8: {error.reason} at byte {error.start}"
        raise refusal(str(path), what, converted(path)) from None
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror}") from None


def of_parquet(path: Path) -> History:
    """The records of a Parquet file.  Raises InputError."""
    # Loaded here, so that a log of SQL needs it no earlier than the database does.
    import duckdb

    try:
        plain = duckdb.connect(":memory:", config={"threads": "1"})
        with closing(Interruptible(plain)) as database:
            read = partial(_read, path)
            names, rows = database.ask(read)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise refusal(str(path), f"is no Parquet file: {reason}") from None
    records = []
    for number, row in enumerate(rows, 1):
        cells = dict(zip(names, row, strict=True))
        records.append(Record(number, cells))
    return History(tuple(names), records, "record", 1)


def _read(path: Path, connection: Any) -> tuple[list[str], list[Any]]:
    """The columns of a Parquet file, and its rows."""
    asked = _times_as_texts(connection, path)
    answer = connection.execute(asked, [str(path)])
    names = [str(column[0]) for column in answer.description]
    rows = answer.fetchall()
    return names, rows


def _times_as_texts(connection: Any, path: Path) -> str:
    """The query of a Parquet file's records: a time is a text with all of its digits
    and its zone, which Python's times have not without another package.
    """
    connection.execute("SET TimeZone = 'UTC'")
    described = "DESCRIBE SELECT * FROM read_parquet(?)"
    columns = connection.execute(described, [str(path)]).fetchall()
    items = []
    for name, kind, *_ in columns:
        quoted = '"' + name.replace('"', '""') + '"'
        time = kind.startswith("TIMESTAMP") or "WITH TIME ZONE" in kind
        items.append(f"CAST({quoted} AS VARCHAR) AS {quoted}" if time else quoted)
    return f"SELECT {', '.join(items)} FROM read_parquet(?)"


def of_json(path: Path, text: str) -> History:
    """The records of a JSON list of objects, or of JSON Lines.  Raises InputError."""
    if text.lstrip()[:1] == "[" and path.suffix.lower() not in LINES:
        records = list(_of_list(path, text))
        return History(_all_names(records), records, "record")
    records = []
    # Not splitlines: a text in JSON may hold other ends of lines.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            cells = _object(line, f"{path}, line {number}")
            records.append(Record(number, cells))
    return History(_all_names(records), records)


def _of_list(path: Path, text: str) -> Iterator[Record]:
    """The objects of one JSON list."""
    try:
        entries = json.loads(
            text, object_pairs_hook=_once(str(path)), parse_float=Written
        )
    except ValueError as error:
        raise refusal(str(path), f"is no JSON: {error}") from None
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            where = f"{path}, record {number}"
            raise refusal(where, "is no JSON object", "a history is a list of objects")
        yield Record(number, entry)


def _all_names(records: Sequence[Record]) -> tuple[str, ...]:
    """The keys of all objects: a missing value may have none."""
    names: dict[str, None] = {}
    for record in records:
        names |= dict.fromkeys(record.cells)
    return tuple(names)


def _once(where: str) -> Any:
    """What makes an object of its pairs.  Raises InputError for a name given twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            # Readers of JSON differ in which of two they take.
            if names.count(name) > 1:
                raise refusal(where, f"has {name!r} twice")
        return dict(pairs)

    return once


def _object(line: str, where: str) -> Plain:
    """One line of JSON Lines.  Raises InputError."""
    try:
        entry = json.loads(line, object_pairs_hook=_once(where), parse_float=Written)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        hint = (
            'each line is an object: {"sql": "SELECT ..",'
            ' "error": "what was said where it failed"}'
        )
        raise refusal(where, "is no JSON object", hint)
    return entry


def of_csv(path: Path, text: str, wanted: Sequence[str]) -> History:
    """The records of separated values, an empty cell as None.

    ``wanted`` are names that tell the separator.  Raises InputError.
    """
    header, _, _ = text.partition("\n")
    separator = "\t"
    if path.suffix.lower() == ".csv":
        separator = find_separator(header.rstrip("\r"), wanted)
    rows = list(csv_rows(path, text, separator))
    if not rows:
        return History((), ())
    _, names = rows[0]
    records = []
    for place, cells in rows[1:]:
        if len(cells) != len(names):
            where = f"{path}, line {place}"
            what = f"has {len(cells)} cells, and the header names {len(names)} columns"
            raise refusal(where, what)
        # In CSV an empty cell and a missing one are the same.
        named = {n: cell or None for n, cell in zip(names, cells, strict=True)}
        records.append(Record(place, named))
    return History(tuple(names), records, header=1)


def csv_rows(
    path: Path, text: str, separator: str = ","
) -> Iterator[tuple[int, list[str]]]:
    """The rows of separated values, each with its first line.  Raises InputError."""
    # All at once: the limit is that of the process, and is put back before others read.
    rows = []
    with _long_fields():
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=separator, strict=True
        )
        place = 1
        try:
            for row in reader:
                if row:
                    rows.append((place, row))
                place = reader.line_num + 1
        except csv.Error as error:
            raise refusal(f"{path}, line {place}", f"is no CSV: {error}") from None
    return iter(rows)


@contextmanager
def _long_fields() -> Iterator[None]:
    """Statements may be longer than the fields that csv takes by itself."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
