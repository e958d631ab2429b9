"""External tables B1..Bm: all of their columns are public, and queries may join them with the audited table.

A policy names tables of the same database, ``external = ["towns"]``, or files with one table each::

    [external]
    towns = { file = "towns.csv" }      # CSV, Parquet; beside the policy
    regions = {}                        # a table of the same database
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from phverify.disclosure.log.query import quoted
from phverify.disclosure.policy import External
from phverify.disclosure.worlds.database import Content, Database, content, fill, opened, plain
from phverify.errors import InputError, Problem, nearest

DATES = "audited are dates of the years 1 to 9999, and times before 24:00"


def attached(database: Database, externals: Sequence[External], folder: Path) -> dict[str, Content]:
    """Every external table, in the database as well.  Raises InputError for what is not there."""
    problems: list[Problem] = []
    found: dict[str, Content] = {}
    tables = {name.lower(): name for name in database.tables()} if externals else {}
    for external in externals:
        where = f"{database.source}, external table {external.name!r}"
        if external.file and external.name.lower() in tables:
            problems.append(Problem(where, "the database has a table of this name already"))
        elif external.file:
            found[external.name] = _copied(database, external, folder)
        elif external.name.lower() in tables:
            name = tables[external.name.lower()]
            found[external.name] = _beside(database, name, where, problems)
        else:
            hint = nearest(external.name, tables.values(), "tables")
            problems.append(Problem(where, "there is no such table", hint))
    if problems:
        raise InputError(problems)
    return found


def endless(
    database: Database, table: str, names: Sequence[str], types: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Columns with a date or time that Python has no value for, such as infinity, each with one of them."""
    for name in names:
        cell, kind = quoted(name), types[name]
        beyond = f"NOT isfinite({cell}) OR year({cell}) NOT BETWEEN 1 AND 9999"
        wrong = {"DATE": beyond, "TIMESTAMP": beyond, "TIME": f"{cell} = TIME '24:00:00'"}.get(kind)
        found = database.execute(f"SELECT {cell}::VARCHAR FROM {quoted(table)} WHERE {wrong} LIMIT 1") if wrong else []
        yield from ((name, str(row[0])) for row in found)


def _told(where: str, found: Iterator[tuple[str, str]]) -> Iterator[Problem]:
    for name, cell in found:
        what = f"the column {name} has a date or time that is not audited: '{cell}'"
        yield Problem(where, what, f"{DATES}; store it as text", True)


def _beside(database: Database, name: str, where: str, problems: list[Problem]) -> Content:
    """A table of the same database."""
    types = database.types(name)
    if database.collated(name):
        problems.append(Problem(where, "has a COLLATE of its own: texts are audited as they are compared by bytes"))
    strange = [column for column, kind in types.items() if not plain(kind)]
    for column in strange:
        problems.append(Problem(where, f"the column {column!r} of type {types[column]} is not audited"))
    if not strange:
        problems += _told(where, endless(database, name, list(types), types))
    return content(types, [] if strange else database.execute(f"SELECT * FROM {quoted(name)}"))


def _copied(database: Database, external: External, folder: Path) -> Content:
    """A file as a temporary table of the database, which stays read-only."""
    file = opened(folder / external.file, external.name)
    types = file.types(external.name)
    wrong = list(_told(external.file, endless(file, external.name, list(types), types)))
    if wrong:
        raise InputError(wrong)
    outside = content(types, file.execute(f"SELECT * FROM {quoted(external.name)}"))
    fill(database.connection, quoted(external.name), outside, "TEMP TABLE")
    return outside
