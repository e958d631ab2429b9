"""External tables B1..Bm: all of their columns are public, and queries may join them
with the audited table.

A policy names tables of the same database, ``external = ["towns"]``, or files with one
table each::

    [external]
    towns = { file = "towns.csv" }      # CSV, Parquet; beside the policy
    regions = {}                        # a table of the same database
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from phverify.disclosure.log.query import quoted
from phverify.disclosure.policy import AuditPolicy
from phverify.disclosure.worlds.database import (
    Content,
    Database,
    fill,
    open_database,
    plain,
)
from phverify.errors import InputError, Problem, Problems, nearest

DATES = "audited are dates of the years 1 to 9999, and times before 24:00"


def attached(database: Database, policy: AuditPolicy) -> dict[str, Content]:
    """Every external table, in the database as well.  Raises InputError for what is not
    there.
    """
    problems: Problems = []
    found: dict[str, Content] = {}
    tables = (
        {name.lower(): name for name in database.tables()} if policy.external else {}
    )
    for external in policy.external:
        where = f"{database.source}, external table {external.name!r}"
        name = tables.get(external.name.lower(), "")
        if external.file and name:
            problems.append(
                Problem(where, "the database has a table of this name already")
            )
        elif external.file:
            # a file is a temporary table of the database, which stays read-only
            file = open_database(
                Path(policy.source).parent / external.file, external.name
            )
            if wrong := [
                dated(external.file, what) for what in endless(file, external.name)
            ]:
                raise InputError(wrong)
            found[external.name] = file.content(external.name)
            fill(
                database.connection,
                quoted(external.name),
                found[external.name],
                "TEMP TABLE",
            )
        elif name:
            wrong = list(_unfit(database, name, where))
            problems += wrong
            if not wrong:
                found[external.name] = database.content(name)
        else:
            hint = nearest(external.name, tables.values(), "tables")
            problems.append(Problem(where, "there is no such table", hint))
    if problems:
        raise InputError(problems)
    return found


def _unfit(database: Database, name: str, where: str) -> Iterator[Problem]:
    """What a table of the same database cannot be audited for."""
    types = database.types(name)
    if database.collated(name):
        yield Problem(
            where,
            "has a COLLATE of its own: texts are audited as they are compared by bytes",
        )
    strange = [column for column, kind in types.items() if not plain(kind)]
    for column in strange:
        yield Problem(
            where, f"the column {column!r} of type {types[column]} is not audited"
        )
    if not strange:
        yield from (dated(where, what) for what in endless(database, name))


def endless(
    database: Database, table: str, names: Sequence[str] | None = None
) -> Iterator[str]:
    """Columns, all or these, with a date or time that Python has no value for, such as
    infinity, each with one.
    """
    types = database.types(table)
    for name in types if names is None else names:
        cell = quoted(name)
        beyond = f"NOT isfinite({cell}) OR year({cell}) NOT BETWEEN 1 AND 9999"
        wrong = {
            "DATE": beyond,
            "TIMESTAMP": beyond,
            "TIME": f"{cell} = TIME '24:00:00'",
        }.get(types[name])
        found = (
            database.execute(
                f"SELECT {cell}::VARCHAR FROM {quoted(table)} WHERE {wrong} LIMIT 1"
            )
            if wrong
            else []
        )
        # redacted sentences keep what stands before the first quote
        yield from (
            f"the column {name} has a date or time that is not audited: '{row[0]}'"
            for row in found
        )


def dated(where: str, what: str, mend: str = "store it as text") -> Problem:
    """The problem with such a column."""
    return Problem(where, what, f"{DATES}; {mend}", True)
