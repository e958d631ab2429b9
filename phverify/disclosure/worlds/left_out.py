"""Rows that a join leaves out: an engine may work out a public condition before it
joins, and fail for one of them.

That it did not fail says then that another condition left the row out, which may be one
on sensitive columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from phverify.disclosure.log import query as q
from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import COMPARISONS, Unsupported, kind_of
from phverify.disclosure.worlds.column_types import INTEGERS
from phverify.disclosure.worlds.database import Database, load_duckdb
from phverify.disclosure.worlds.unknowns import AuditFrame

_TOTAL = {*COMPARISONS, "And", "Or", "Not", "Paren", "Is", "Between", "In"}
_TOTAL |= {"Column", "Identifier", "Literal", "Null", "Boolean"}
"""What fails for no values of one kind."""
NUMBER, TEXT = "number", "text"


def require_everywhere(
    join: q.Join, texts: Iterable[str], frame: AuditFrame, source: Database
) -> None:
    """Raises duckdb.Error, Otherwise and Unsupported where an expression over public
    columns fails, or may fail, for a row of a table that is joined.
    """
    for text in texts:
        if not _surely_total(text, join, frame):
            _require_of_one_table(text, join, frame, source)


def _require_of_one_table(
    text: str, join: q.Join, frame: AuditFrame, source: Database
) -> None:
    """Works an expression out for every row of the one table that it reads."""
    sides = ((join.main, frame.policy.table), *join.tables)
    for alias, table in sides:
        side = f"{quoted(table)} AS {quoted(alias)}"
        try:
            source.agreed(f"SELECT {text} FROM {side}")
        except load_duckdb().BinderException:
            continue
        return
    raise Unsupported(
        f"{text} may fail for rows that the JOIN leaves out: compare columns of several"
        " tables as they are"
    )


def _surely_total(text: str, join: q.Join, frame: AuditFrame) -> bool:
    """Whether an expression is made of comparisons of one kind of values."""
    import sqlglot

    tree = sqlglot.parse_one(text, read="duckdb")
    nodes = list(tree.walk())
    if not {kind_of(node) for node in nodes} <= _TOTAL:
        return False
    kinds: set[str] = set()
    for node in nodes:
        if kind_of(node) == "Column":
            kinds |= _kinds_of(node.name, join, frame)
        if kind_of(node) == "Literal" and not node.is_string:
            kinds.add(NUMBER if node.is_int else node.name)
    return len(kinds) == 1


def _kinds_of(name: str, join: q.Join, frame: AuditFrame) -> set[str]:
    """What a column of this name is, in whatever table."""
    tables: list[Any] = [frame.types]
    tables += [frame.external[table].types for _, table in join.tables]
    kinds = set()
    for types in tables:
        for column, type_ in types.items():
            if column.casefold() == name.casefold():
                kinds.add(_kind(type_))
    return kinds


def _kind(type_: str) -> str:
    # Integers beside decimals are made decimals first, which may fail.
    if type_ in INTEGERS:
        return NUMBER
    return TEXT if type_ == "VARCHAR" else type_
