"""Over-approximation: what a statement says at most.

A SELECT that is not modelled is taken for statements of the audited fragment from whose
answers its own surely follows, whatever the table.  Worlds with the same answers to
these have the same answer to it, so that what is safe by them is safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from phverify.disclosure.bounding.apart import apart
from phverify.disclosure.bounding.block import BlockView
from phverify.disclosure.bounding.block import Bound as Bound
from phverify.disclosure.bounding.histogram import COMBINATIONS, histogram
from phverify.disclosure.bounding.reading import reading
from phverify.disclosure.bounding.rows import all_cells, cells, kept
from phverify.disclosure.log.query import Value, quoted
from phverify.disclosure.log.silent import Silent
from phverify.disclosure.log.sources import QueryScope, Unsupported
from phverify.disclosure.worlds.database import Database
from phverify.disclosure.worlds.unknowns import type_kind

Levels = tuple[Bound, ...]
"""What one SELECT is taken for, the least telling first: the first that is
understood.
"""


def bounded(text: str, scope: QueryScope, source: Database) -> tuple[Levels, ...]:
    """What each SELECT of a statement over the audited table is taken for.

    Raises Silent for a statement over public data alone, and Unsupported where it may
    read more than it names.
    """
    import sqlglot

    tree = sqlglot.parse_one(text, read="duckdb")
    names = [*source.tables(), *source.tables("view")]
    found = reading(tree, scope, names)
    if found.public:
        raise Silent("it reads public data alone")
    if found.doubt:
        return ((all_cells(found, scope),),)
    types = source.types(scope.table)
    kinds = {name: type_kind(kind) for name, kind in types.items()}

    def occurring(name: str) -> Sequence[Value]:
        return _occurring(source, scope.table, name)

    levels = []
    for block in found.blocks:
        if block.reads:
            view = BlockView(block, found, scope, kinds, occurring)
            levels.append(tuple(_levels(view)))
    return tuple(levels)


def _levels(view: BlockView) -> Iterator[Bound]:
    """The levels of one SELECT, the least telling one first."""
    if not view.shadowed:
        yield from apart(view)
        yield from histogram(view)
        yield from kept(view)
    yield cells(view)


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
