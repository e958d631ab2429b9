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
from contextlib import closing
from pathlib import Path

from phverify.disclosure.log.query import quoted
from phverify.disclosure.policy import AuditPolicy, External
from phverify.disclosure.worlds.database import Content, Database, fill, plain
from phverify.disclosure.worlds.opening import open_database
from phverify.errors import InputError, Problem, Problems, nearest

DATES = "audited are dates of the years 1 to 9999, and times before 24:00"


def attached(database: Database, policy: AuditPolicy) -> dict[str, Content]:
    """Every external table, in the database as well.

    Raises InputError for what is not there.
    """
    problems: Problems = []
    contents: dict[str, Content] = {}
    tables: dict[str, str] = {}
    if policy.external:
        tables = {name.lower(): name for name in database.tables()}

    # Names are those of the database where it has the table.
    for external in policy.external:
        where = f"{database.source}, external table {external.name!r}"
        name = tables.get(external.name.lower(), "")
        if external.file and name:
            what = "the database has a table of this name already"
            problems.append(Problem(where, what))
        elif external.file:
            contents[external.name] = _filed(database, policy, external)
        elif name:
            wrong = list(_unfit(database, name, where))
            problems += wrong
            if not wrong:
                contents[external.name] = database.content(name)
        else:
            hint = nearest(external.name, tables.values(), "tables")
            problems.append(Problem(where, "there is no such table", hint))
    if problems:
        raise InputError(problems)
    return contents


def misnamed(database: Database, policy: AuditPolicy) -> Iterator[Problem]:
    """Tables that [names] means, and that are nowhere."""
    if not policy.names:
        return
    tables = [policy.table, *(one.name for one in policy.external), *policy.views]
    tables += [*database.tables(), *database.views()]
    known = {name.lower() for name in tables}
    for name, table in policy.names.items():
        if table.lower() not in known:
            where = f"{policy.source}, names"
            # of a server those alone are known that the policy names
            has = "the policy has" if database.server else "there is"
            what = f"{name!r} is {table!r}, and {has} no such table"
            yield Problem(where, what, nearest(table, dict.fromkeys(tables), "tables"))


def _filed(database: Database, policy: AuditPolicy, external: External) -> Content:
    """The table of a file; a temporary table of the database, which stays read-only.

    Raises InputError.
    """
    name = external.name
    folder = Path(policy.source).parent
    with closing(open_database(folder / external.file, name)) as file:
        strange = endless(file, name)
        wrong = [dated(external.file, what) for what in strange]
        if wrong:
            raise InputError(wrong)
        content = file.content(name)
    table = quoted(name)
    fill(database.connection, table, content, "TEMP TABLE")
    return content


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
        what = f"the column {column!r} of type {types[column]} is not audited"
        yield Problem(where, what)
    if not strange:
        yield from (dated(where, what) for what in endless(database, name))


def endless(
    database: Database, table: str, names: Sequence[str] | None = None
) -> Iterator[str]:
    """Columns, all or these, with a date or time that Python has no value for.

    Such as infinity; each with one.
    """
    types = database.types(table)
    for name in types if names is None else names:
        cell = quoted(name)
        beyond = f"NOT isfinite({cell}) OR year({cell}) NOT BETWEEN 1 AND 9999"
        conditions = {
            "DATE": beyond,
            "TIMESTAMP": beyond,
            "TIME": f"{cell} = TIME '24:00:00'",
        }
        wrong = conditions.get(types[name])
        if wrong is None:
            continue
        shown = f"SELECT {cell}::VARCHAR FROM {quoted(table)} WHERE {wrong} LIMIT 1"
        # Redacted sentences keep what stands before the first quote.
        for row in database.execute(shown):
            yield (
                f"the column {name} has a date or time that is not audited: '{row[0]}'"
            )


def dated(where: str, what: str, mend: str = "store it as text") -> Problem:
    """The problem with such a column."""
    return Problem(where, what, f"{DATES}; {mend}", True)
