"""Over-approximation: what a statement says at most.

A SELECT that is not modelled is taken for statements of the audited fragment from whose
answers its own surely follows, whatever the table.  Worlds with the same answers to
these have the same answer to it, so that what is safe by them is safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from phverify.disclosure.bounding.aggregates_apart import apart
from phverify.disclosure.bounding.block import AtMost as AtMost
from phverify.disclosure.bounding.block import BlockView
from phverify.disclosure.bounding.counts import COMBINATIONS, histogram
from phverify.disclosure.bounding.failing import sums_may_fail
from phverify.disclosure.bounding.parameters import for_any_values as for_any_values
from phverify.disclosure.bounding.rows import all_cells, cells, kept
from phverify.disclosure.bounding.values import (
    require_unmistakable as require_unmistakable,
)
from phverify.disclosure.bounding.values import spelled as spelled
from phverify.disclosure.bounding.values import unfilled as unfilled
from phverify.disclosure.bounding.values import with_nulls as with_nulls
from phverify.disclosure.bounding.walking import QUERIES
from phverify.disclosure.bounding.what_is_read import StatementReading, reading
from phverify.disclosure.log.query import Value, quoted
from phverify.disclosure.log.silent import Silent, no_select
from phverify.disclosure.log.sources import QueryScope, Unsupported, kind_of
from phverify.disclosure.log.statements import tokens
from phverify.disclosure.worlds.database import INTEGERS, Database, load_duckdb

Levels = tuple[AtMost, ...]
"""What one SELECT is taken for, the least telling first: the first that is
understood.
"""

_VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal"
NOTHING = "it reads public data alone, and says nothing of the cells"
_OPTION = r"ANALY[ZS]E|VERBOSE|QUERY\s+PLAN|FORMAT\s*=?\s*\w+|\([\w\s,]+\)"
_EXPLAIN = re.compile(
    rf"(EXPLAIN(\s+({_OPTION}))*|SUMMARIZE)\s*(?=\bSELECT\b|\bWITH\b|\()",
    re.IGNORECASE,
)
_NAME = r'(?:\w+|"[^"]+")'
_SUMMARY = re.compile(
    rf"SUMMARIZE\s+(?!SELECT\b|WITH\b)({_NAME}(?:\.{_NAME})*)", re.IGNORECASE
)


def explained(text: str) -> str:
    """The SELECT whose plan EXPLAIN shows, or whose columns SUMMARIZE; nothing for any
    other statement.
    """
    table = _SUMMARY.fullmatch(text)
    if table is not None:
        return f"SELECT * FROM {table[1]}"
    found = _EXPLAIN.match(text)
    if found is None:
        return ""
    end = found.end()
    return text[end:]


def bounded(
    text: str,
    scope: QueryScope,
    source: Database,
    plan: bool = False,
    dialect: str = "duckdb",
    parts: bool = False,
) -> tuple[Levels, ...]:
    """What each SELECT of a statement over the audited table is taken for.

    ``plan``: how it is executed was shown, which follows from statistics, too: from all
    cells of the columns that it reads.  ``dialect`` is sqlglot's name of that of the
    engine that answered; ``parts``: its groups are parts of those that were meant
    (``for_any_values``).  Raises Silent for a statement over public data
    alone, and Unsupported where it may read more than it names.
    """
    tree = _tree(text, dialect)
    replaced = _replaced(source, text)
    if replaced:
        raise Unsupported(f"the database has a function {replaced!r} of its own")
    views = source.execute(_VIEWS)
    names = [*source.tables(), *(str(row[0]) for row in views)]
    found = reading(tree, scope, names, dialect)
    types = source.types(scope.table)
    widths = _widths(found, scope) if plan and dialect != "duckdb" else []
    if found.public and not widths:
        if dialect == "duckdb":
            _bound(found, scope, source, text)
        raise Silent(NOTHING)
    if found.doubt or plan:
        return ((all_cells(scope, {*found.named, *widths}),),)
    kinds = {name: _kind(kind) for name, kind in types.items()}

    def occurring(name: str) -> Sequence[Value]:
        return _occurring(source, scope.table, name)

    def ends(name: str) -> tuple[int, int] | None:
        integers = types.get(name) in INTEGERS
        return _ends(source, scope, name) if integers else None

    ((rows,),) = source.execute(f"SELECT COUNT(*) FROM {quoted(scope.table)}")
    levels = []
    for block in found.blocks:
        if block.reads:
            view = BlockView(
                *(block, found, scope, kinds, occurring, dialect, parts),
                rows=rows,
                ends=ends,
            )
            levels.append(tuple(filter(_without_values, _levels(view))))
    return tuple(levels)


def _without_values(level: AtMost) -> bool:
    """Whether no part has a value that is not known, which DuckDB is to execute."""
    return not any(unfilled(part, "duckdb") for part in level.parts)


def _kind(type_: str) -> str:
    """What the cells of a column are; other numbers are none of the integers."""
    if type_ in INTEGERS:
        return "integer"
    return {"VARCHAR": "text", "BOOLEAN": "boolean"}.get(type_, type_.lower())


def _tree(text: str, dialect: str) -> Any:
    """The syntax tree of a query.  Raises Unsupported for what is none."""
    import sqlglot

    try:
        tree = sqlglot.parse_one(text, read=dialect)
    except sqlglot.errors.SqlglotError:
        raise Unsupported("it is not read as one statement") from None
    if kind_of(tree) not in QUERIES:
        raise Unsupported(no_select(kind_of(tree), text))
    return tree


def _replaced(source: Database, text: str) -> str:
    """A function of the database's own that a text may call: it may read data."""
    words = {token.casefold().strip('"') for token in tokens(text)}
    for name in sorted(source.functions):
        if name.casefold() in words:
            return name
    return ""


def _bound(
    found: StatementReading, scope: QueryScope, source: Database, text: str
) -> None:
    """Raises Unsupported where the database refuses a statement before it runs.

    A name may then mean something else to whoever answered it.
    """
    own = {name.casefold() for name in (scope.table, *scope.external)}
    tables = [node for node in found.tree.walk() if kind_of(node) == "Table"]
    if own.isdisjoint(str(table.name).casefold() for table in tables):
        return
    try:
        source.execute(f"EXPLAIN {with_nulls(text)}")
    except load_duckdb().Error as error:
        why = str(error).splitlines()[0]
        raise Unsupported(f"the database reports an error: {why}") from None


def _widths(found: StatementReading, scope: QueryScope) -> list[str]:
    """Sensitive columns of which other engines' plans may tell: their costs count the
    pages of a table, or the bytes of its columns, and a cell that is missing, or alike
    many others, takes fewer.
    """
    own = [node for node in found.tree.walk() if kind_of(node) == "Table"]
    about = any(table.name.casefold() == scope.table.casefold() for table in own)
    return list(scope.sensitive) if about else []


def _levels(view: BlockView) -> Iterator[AtMost]:
    """The levels of one SELECT, the least telling one first."""
    if not view.shadowed and not sums_may_fail(view):
        yield from apart(view)
        yield from histogram(view)
        yield from kept(view)
    yield cells(view)


def _ends(source: Database, scope: QueryScope, name: str) -> tuple[int, int] | None:
    """The least and the greatest that a cell of a column of integers may be."""
    if name in scope.sensitive:
        domain = scope.domains.get(name)
        known = domain is not None and domain.integral and not domain.scaled
        return domain.ends if domain is not None and known else None
    column = quoted(name)
    ((least, greatest),) = source.execute(
        f"SELECT MIN({column}), MAX({column}) FROM {quoted(scope.table)}"
    )
    return (0, 0) if least is None else (int(least), int(greatest))


def _occurring(source: Database, table: str, column: str) -> list[Any]:
    """The values of a column, missing ones, too: one more than are counted shows that
    there are too many.
    """
    name = quoted(column)
    rows = source.execute(
        f"SELECT DISTINCT {name} FROM {quoted(table)} ORDER BY 1"
        f" LIMIT {COMBINATIONS + 1}"
    )
    return [row[0] for row in rows]
