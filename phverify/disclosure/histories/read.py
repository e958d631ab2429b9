"""The door of all logs: a file of SQL, a query history, or a list of entries."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.disclosure.histories import answer_files, postgres, records
from phverify.disclosure.histories.moments import ordered
from phverify.disclosure.histories.prepared import executed
from phverify.disclosure.histories.settings import LogColumns
from phverify.disclosure.histories.systems import OWN, reader
from phverify.disclosure.histories.users import chosen
from phverify.disclosure.log.statements import Statement, split
from phverify.errors import InputError, refusal
from phverify.given import described
from phverify.microdata.files import existing_file
from phverify.spec.source import File
from phverify.words import plural

Entry = str | Mapping[str, Any]
"""SQL, or an object with the keys of an entry."""


@dataclass(frozen=True)
class Asked:
    """What is asked of a log: its columns, whose statements, and where answers are.

    ``users``: all of them where none is named.  ``answers`` is a folder or a file,
    ``dialect`` sqlglot's name of that of the statements.
    """

    columns: LogColumns = field(default_factory=LogColumns)
    users: tuple[str, ...] = ()
    answers: File | None = None
    dialect: str = ""


@dataclass(frozen=True)
class Log:
    """The statements of a log in their order, and what is to be said of it."""

    statements: Sequence[Statement]
    notes: tuple[str, ...] = ()


def read_log(source: File | Iterable[Entry], asked: Asked | None = None) -> Log:
    """The statements of a file, or of a list of entries.

    Raises InputError where there are none.
    """
    asked = asked or Asked()
    where = "queries"
    if isinstance(source, (str, PathLike)):
        path = existing_file(source, "queries")
        where = str(path)
        entries, notes = _of_file(path, asked.columns)
    else:
        entries, notes = list(_of_entries(source, asked.columns)), []
    statements = list(entries)
    if not statements:
        what = "holds no statement: nothing was audited"
        raise refusal(where, what, "is this the log that was meant?")

    # Answers are numbered as the log has its statements, whoever sent them.
    if asked.answers is not None:
        statements = answer_files.joined(statements, asked.answers)
    statements, of_time = ordered(statements)
    # Before some are left out: whose a prepared statement is may not be said.
    statements = executed(statements)
    statements, of_users = chosen(statements, asked.users, where, asked.dialect)
    return Log(statements, (*notes, *of_time, *of_users))


def _of_file(path: Path, columns: LogColumns) -> tuple[list[Statement], list[str]]:
    """What a file says, by its ending.  Raises InputError."""
    ending = path.suffix.lower()
    if ending in records.PARQUET:
        return _of_records(path, records.of_parquet(path), columns)
    text = records.text_of(path)
    if ending in records.CSV:
        return _of_csv(path, text, columns)
    if ending in (*records.LINES, *records.JSON) or _is_json(text):
        return _of_records(path, records.of_json(path, text), columns)
    if ending == ".toml" or _is_toml(text):
        what = "is a TOML file, and no log of queries"
        raise refusal(str(path), what, "the policy is given by --policy")
    if columns.names:
        hint = f"a history ends in one of {', '.join(records.ENDINGS)}"
        raise refusal(str(path), "is SQL, which has no columns", hint)
    return list(split(text)), []


def _of_csv(
    path: Path, text: str, columns: LogColumns
) -> tuple[list[Statement], list[str]]:
    """CSV: PostgreSQL's csvlog without a header, or a history with one."""
    bare = path.suffix.lower() == ".csv" and not columns.names
    if bare and postgres.is_csvlog(_first(path, text)):
        logged = postgres.of_csv(records.csv_rows(path, text), str(path))
        return _all_parts(postgres.statements(logged, str(path))), []
    wanted = [*columns.names.values(), *OWN, "query", "QUERY_TEXT"]
    return _of_records(path, records.of_csv(path, text, wanted), columns)


def _first(path: Path, text: str) -> list[str]:
    """The cells of the first row of CSV with commas; none where it is no such file."""
    try:
        _, cells = next(records.csv_rows(path, text), (0, []))
    except InputError:
        # What other separators part may have quotes that commas do not allow.
        return []
    return cells


def _of_records(
    path: Path, table: records.History, columns: LogColumns
) -> tuple[list[Statement], list[str]]:
    """The statements of records, and how many records have none."""
    if not columns.names and postgres.is_jsonlog(table.names):
        logged = postgres.of_json(table.records)
        return _all_parts(postgres.statements(logged, str(path))), []

    def place(name: str) -> str:
        """Where a column is: in CSV in the header, else in the first record with it."""
        number = table.header
        if not number:
            first = [one.place for one in table.records if name in one.cells]
            number = first[0]
        return f"{path}, {table.at} {number}"

    if not table.records:
        return [], []
    reads = reader(table.names, columns, str(path), place)
    statements = []
    empty = 0
    for record in table.records:
        where = f"{path}, {table.at} {record.place}"
        one = reads.statement(record, where)
        if one is None:
            empty += 1
        else:
            statements += _parts(one, where)
    if not empty:
        return statements, []
    return statements, [f"{plural(empty, 'record')} without a statement: left out"]


def _of_entries(source: Iterable[Entry], columns: LogColumns) -> Iterator[Statement]:
    """The statements of a list.  Raises InputError."""
    if not isinstance(source, Iterable) or isinstance(source, bytes | Mapping):
        what = f"expected a path or a list of statements, not {described(source)}"
        raise refusal("queries", what, 'for example: ["SELECT COUNT(*) FROM t"]')
    for number, entry in enumerate(source, 1):
        where = f"entry {number}"
        if isinstance(entry, str):
            parts = split(entry)
            yield from [replace(part, line=number) for part in parts]
            continue
        if not isinstance(entry, Mapping):
            raise refusal(where, "is neither SQL nor an object with 'sql'")
        reads = reader(tuple(entry), columns, where)
        one = reads.statement(records.Record(number, entry), where)
        if one is not None:
            yield from _parts(one, where)


def _all_parts(entries: Iterable[Statement]) -> list[Statement]:
    """The statements of all entries; one of comments alone has none."""
    statements = []
    for entry in entries:
        statements += _parted(entry)
    return statements


def _parts(entry: Statement, where: str) -> list[Statement]:
    """The statements of an entry.  Raises InputError where there is none."""
    parts = _parted(entry)
    if not parts:
        raise refusal(where, "'sql' holds no statement")
    return parts


def _parted(entry: Statement) -> list[Statement]:
    """The statements of one entry.

    Of several, which one failed, or was answered so, is not known: they are one that is
    not understood.
    """
    if entry.unread:
        return [entry]
    parts = list(split(entry.text))
    if len(parts) == 1:
        return [replace(entry, text=parts[0].text)]
    if parts and entry.error:
        return [entry]
    if parts and (entry.kept is not None or entry.parameters):
        what = "an answer" if entry.kept is not None else "parameters"
        return [replace(entry, unread=f"one entry with {what} has several statements")]
    return [replace(entry, text=part.text) for part in parts]


def _is_json(text: str) -> bool:
    """Whether a text of another ending is JSON: no SQL begins so."""
    return text.lstrip()[:1] == "{"


def _is_toml(text: str) -> bool:
    """Whether a text is TOML that says something."""
    try:
        return bool(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return False
