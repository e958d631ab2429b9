"""Statements with values that were filled in and are not in the log.

Whoever asked knows the value; what it is is not looked for.  A condition of public
columns and such a value keeps some of the groups by these columns, whichever they are:
sums, counts, least and greatest values over the rows that are kept follow from those
of the groups, as rows follow from all rows.  A value is taken for one that was chosen
as any word of a statement is, and not for a cell.
"""

from __future__ import annotations

from typing import Any

from phverify.disclosure.bounding.pure import KNOWN
from phverify.disclosure.bounding.rows import conjuncts
from phverify.disclosure.log.sources import QueryScope, kind_of

_VALUES = ("Placeholder", "Parameter")
_GROUPED = ("expressions",)


def for_any_values(text: str, scope: QueryScope, dialect: str) -> str:
    """A statement that tells at least as much as this one does with any values; nothing
    where it has none, or stands otherwise than in conditions on public columns.
    """
    import sqlglot

    try:
        tree: Any = sqlglot.parse_one(text, read=dialect)
    except sqlglot.errors.SqlglotError:
        return ""
    where = tree.args.get("where")
    if kind_of(tree) != "Select" or where is None:
        return ""
    if not _alone(tree, scope):
        return ""
    parts = conjuncts(where.this)
    values = _nodes(_VALUES)
    filled = [part for part in parts if part.find(*values)]
    public = [_public(part, tree, scope) for part in filled]
    if not filled or not all(public):
        return ""
    kept = [part for part in parts if not part.find(*values)]
    columns: dict[str, Any] = {}
    for part in filled:
        for column in part.find_all(*_nodes(["Column"])):
            name = column.name.casefold()
            columns.setdefault(name, column.copy())
    tree.set("where", None)
    for part in kept:
        tree.where(part, copy=False)
    if tree.find(*values):
        return ""
    by = list(columns.values())
    if not _by(tree, by):
        return ""
    written = tree.sql(dialect=dialect)
    return str(written)


def _nodes(kinds: Any) -> tuple[Any, ...]:
    from sqlglot import exp

    return tuple([getattr(exp, kind) for kind in kinds])


def _alone(tree: Any, scope: QueryScope) -> bool:
    """Whether a SELECT is about the audited table alone, and has no other within."""
    tables = list(tree.find_all(*_nodes(["Table"])))
    selects = list(tree.find_all(*_nodes(["Select"])))
    if len(tables) != 1 or len(selects) != 1 or tree.args.get("joins"):
        return False
    return bool(tables[0].name.casefold() == scope.table.casefold())


def _public(part: Any, tree: Any, scope: QueryScope) -> bool:
    """Whether a condition is one of public columns and of values."""
    public = {name.casefold() for name in scope.public}
    # An alias could be meant.
    public -= {str(item.alias).casefold() for item in tree.expressions if item.alias}
    for node in part.walk():
        kind = kind_of(node)
        if kind == "Column" and node.name.casefold() not in public:
            return False
        if kind == "Star" or kind not in {*KNOWN, *_VALUES}:
            return False
    return True


def _by(tree: Any, columns: list[Any]) -> bool:
    """Puts columns to the groups of a SELECT with aggregates; whether that is known."""
    group = tree.args.get("group")
    if group is not None:
        given = {name for name, value in group.args.items() if value}
        if not given <= set(_GROUPED):
            return False
    aggregates = any(item.find(*_nodes(["AggFunc"])) for item in tree.expressions)
    if group is not None or aggregates or tree.args.get("having"):
        tree.group_by(*columns, copy=False)
    return True
