"""The aggregates of a SELECT by themselves, by the same groups and conditions.

Whatever is made of them afterwards follows from them: ratios, ROUND, CASE, windows over
groups, HAVING, DISTINCT, ORDER BY, LIMIT.  Groups by something that follows from public
columns become groups by these columns, which are parts of the groups meant: sums,
counts, least and greatest values of the whole follow from those of its parts, and an
average from a sum and a count of integers.

Which of several groups comes first may depend on which rows were selected: where
something looks at that (LIMIT, a window), the selected rows are told as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from phverify.disclosure.bounding.block import AtMost, BlockView
from phverify.disclosure.bounding.failing import keys_may_fail
from phverify.disclosure.bounding.pure import FUNCTIONS, KEYS
from phverify.disclosure.bounding.same import same, same_value
from phverify.disclosure.bounding.walking import select_of, source_of
from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import kind_of, more, written

_ADDED = ("Count", "Sum", "Min", "Max", "Avg")
"""Aggregates of a group that follow from sums, counts and ends of its parts."""


def apart(view: BlockView) -> Iterator[AtMost]:
    """The aggregates by themselves, where the SELECT is made of them."""
    grouped = view.tree.args.get("group") is not None
    if view.sampled or view.whole or not (view.aggregates or grouped):
        return
    if any(map(view.reads, view.keys)) or not _closed(view) or keys_may_fail(view):
        return
    if not same(view, view.where) or (elsewhere(view) and not view.plain):
        return
    columns = _columns(view)
    if columns is None or not _made_of(view, columns):
        return
    items = _items(view)
    if items is None or (_order_tells(view) and not view.plain):
        return
    by = f" GROUP BY {', '.join(columns)}" if columns else ""
    shown = ", ".join([*columns, *items])
    parts = [f"SELECT {shown}{_clauses(view)}{by}"]
    if _order_tells(view):
        keys = ", ".join(map(quoted, view.scope.keys))
        parts.append(f"SELECT {keys}{_clauses(view)}")
    says = f"its aggregates apart, {', '.join(items)}"
    if columns:
        says += f" by {', '.join(columns)}"
    if len(parts) > 1:
        says += ", and which rows these are over"
    yield AtMost(tuple(parts), says)


def elsewhere(view: BlockView) -> bool:
    """Whether another engine than DuckDB answered."""
    return view.dialect != "duckdb"


def _columns(view: BlockView) -> list[str] | None:
    """The columns of the groups, as SQL; None where a group is of something else, or
    rows of which these are alike may be in several groups.
    """
    columns: list[str] = []
    for key in view.keys:
        for node in key.walk():
            if not _once(node):
                return None
            if kind_of(node) == "Column":
                columns.append(written(node))
    return list(dict.fromkeys(columns))


def _once(node: Any) -> bool:
    """Whether a node has one value for one value of its operands: it asks neither for
    the time nor for chance, and looks at no other row.
    """
    kind = kind_of(node)
    if kind == "Anonymous":
        # ``date()`` is today
        named = str(node.name).lower() in FUNCTIONS - {"pg_sleep"}
        return named and bool(node.expressions)
    if kind == "Literal" and node.is_string:
        return str(node.this).strip().lower() != "now"
    function = any(one.__name__ == "Func" for one in type(node).__mro__)
    if function and not any(node.args.values()):
        return False
    return kind in KEYS


def _made_of(view: BlockView, columns: list[str]) -> bool:
    """Whether all that is shown or asked for is made of aggregates and groups."""
    known = {column.casefold() for column in columns}
    names = set()
    for key in view.keys:
        names |= {view.name(node) for node in key.walk() if kind_of(node) == "Column"}
    aliases = {node.alias.casefold() for node in view.tree.expressions if node.alias}
    for node in view.mine:
        if id(node) in view.aggregated:
            continue
        if kind_of(node) == "Star":
            return False
        if kind_of(node) != "Column" or written(node).casefold() in known:
            continue
        alias = not node.table and node.name.casefold() in aliases
        group = view.plain and view.name(node) and view.name(node) in names
        if not alias and not group:
            return False
    return True


def _items(view: BlockView) -> list[str] | None:
    """The aggregates as SQL; None where one does not follow from parts of its group."""
    # Elsewhere a group may be one of texts that are equal there.
    kinds = map(kind_of, view.keys)
    columns = set(kinds) <= {"Column"}
    whole = columns and not elsewhere(view) and not view.parts
    items: list[str] = []
    for node in view.aggregates:
        if whole:
            parts: list[str] | None = [written(node)]
        else:
            parts = _parts(view, node)
        if parts is None:
            return None
        items += parts
    once = list(dict.fromkeys(items))
    return once or ["COUNT(*)"]


def _parts(view: BlockView, node: Any) -> list[str] | None:
    """What an aggregate of a large group follows from, in each part of it."""
    filtered = kind_of(node) == "Filter"
    function = node.this if filtered else node
    kind = kind_of(function)
    over = function.this
    if kind not in _ADDED or more(function, "this", "big_int"):
        return None
    if kind_of(over) == "Distinct":
        return None
    if filtered and not same(view, node.expression):
        return None
    if not same_value(view, over):
        return None
    if kind in ("Sum", "Avg") or (kind in ("Min", "Max") and elsewhere(view)):
        # Sums of floating point depend on the order in which they are added up.
        inner = [view.name(one) for one in over.walk() if kind_of(one) == "Column"]
        if kind_of(over) != "Column" or view.kinds.get(inner[0]) != "integer":
            return None
    if kind != "Avg":
        return [written(node)]
    condition = f" FILTER ({written(node.expression)})" if filtered else ""
    return [f"{name}({written(over)}){condition}" for name in ("SUM", "COUNT")]


def _clauses(view: BlockView) -> str:
    """FROM and WHERE as they stand."""
    source = source_of(view.tree).copy()
    # A hint says how to read, and not what.
    source.set("hints", None)
    text = f" FROM {written(source)}"
    for join in view.tree.args.get("joins") or ():
        sql = written(join)
        text += sql if sql.startswith(",") else f" {sql}"
    return f"{text} {written(view.where)}" if view.where else text


def _order_tells(view: BlockView) -> bool:
    """Whether the order in which groups come may say which rows were selected."""
    joins = view.tree.args.get("joins") or ()
    conditions = list(joins)
    if view.where is not None:
        conditions.append(view.where)
    asked = any(map(view.reads, conditions))
    return asked and view.statement.picks


def _closed(view: BlockView) -> bool:
    """Whether subqueries in what is shown are about nothing outside of them."""
    columns = {name.casefold() for name in view.scope.columns}
    core = [one.tree for one in view.statement.blocks]
    for node in view.after:
        if kind_of(node) != "Column" or select_of(node) is view.tree:
            continue
        table = str(node.table)
        if table.casefold() in view.block.aliases:
            return False
        select = select_of(node)
        own = any(select is one for one in core)
        if not node.table and not own and node.name.casefold() in columns:
            return False
    return True
