"""Statements with values that were filled in and are not in the log.

Whoever asked knows the value; what it is is not looked for.  Its answer follows from
the value and from what the statement reads, wherever the value stands.  A condition of
public columns and such a value keeps some of the groups by these columns, whichever
they are: sums, counts, least and greatest values over the rows that are kept follow
from those of the groups, as rows follow from all rows.  A value is taken for one that
was chosen as any word of a statement is, and not for a cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from phverify.disclosure.bounding.block import aggregates
from phverify.disclosure.bounding.pure import KNOWN
from phverify.disclosure.bounding.rows import conjuncts
from phverify.disclosure.bounding.values import (
    VALUES,
    nodes_of,
    require_value,
    tree_of,
)
from phverify.disclosure.bounding.walking import own_nodes, source_of
from phverify.disclosure.log.sources import QueryScope, kind_of

_GROUPED = ("expressions",)


def for_any_values(text: str, scope: QueryScope, dialect: str) -> str:
    """A statement that tells at least as much as this one does with any values, where
    they stand in conditions on public columns; nothing where none does so.

    Its SELECTs stand each for one of the statement's, and may not be put together.
    """
    tree = tree_of(text, dialect)
    if tree is None:
        return ""
    selects = list(tree.find_all(*nodes_of(["Select"])))
    freed = [_freed(select, scope) for select in selects]
    return str(tree.sql(dialect=dialect)) if any(freed) else ""


def _freed(tree: Any, scope: QueryScope) -> bool:
    """Frees a SELECT of its conditions on public columns and values; whether it had
    any.
    """
    where = tree.args.get("where")
    if where is None or not _alone(tree, scope):
        return False
    values = nodes_of(VALUES)
    parts = conjuncts(where.this)
    filled = [part for part in parts if part.find(*values)]
    free = [part for part in filled if _public(part, tree, scope)]
    columns: dict[str, Any] = {}
    for part in free:
        for column in part.find_all(*nodes_of(["Column"])):
            name = column.name.casefold()
            columns.setdefault(name, column.copy())
    by = list(columns.values())
    if not free or not _by(tree, by):
        return False
    tree.set("where", None)
    for part in parts:
        if not any(part is one for one in free):
            tree.where(part, copy=False)
    return True


def _alone(tree: Any, scope: QueryScope) -> bool:
    """Whether a SELECT is about the audited table alone, and has no other within."""
    source = source_of(tree)
    if source is None or tree.args.get("joins") or kind_of(source) != "Table":
        return False
    nodes = own_nodes(tree)
    if any(kind_of(node) == "Select" and node is not tree for node in nodes):
        return False
    return bool(source.name.casefold() == scope.table.casefold())


def _public(part: Any, tree: Any, scope: QueryScope) -> bool:
    """Whether a condition is one of public columns and of values."""
    public = {name.casefold() for name in scope.public}
    # An alias could be meant.
    public -= {str(item.alias).casefold() for item in tree.expressions if item.alias}
    own = ("", str(source_of(tree).alias_or_name).casefold())
    for node in part.walk():
        kind = kind_of(node)
        if kind in VALUES:
            require_value(node)
        if kind == "Column" and str(node.table).casefold() not in own:
            return False
        if kind == "Column" and node.name.casefold() not in public:
            return False
        if kind == "Star" or kind not in {*KNOWN, *VALUES}:
            return False
    return True


def _by(tree: Any, columns: list[Any]) -> bool:
    """Puts columns to the groups of a SELECT with aggregates; whether that is known."""
    group = tree.args.get("group")
    if group is not None:
        given = {name for name, value in group.args.items() if value}
        if not given <= set(_GROUPED):
            return False
    if group is not None or any(_of_groups(tree)) or tree.args.get("having"):
        tree.group_by(*columns, copy=False)
    return True


def _of_groups(tree: Any) -> Iterator[bool]:
    """Whether each aggregate of a SELECT is one of groups, and not over a window."""
    for item in tree.expressions:
        for node in filter(aggregates, item.walk()):
            above = node.parent
            while kind_of(above) in ("Filter", "WithinGroup", "IgnoreNulls"):
                above = above.parent
            yield kind_of(above) != "Window"
