"""Ordinals and aliases: GROUP BY 1, GROUP BY ALL, HAVING and ORDER BY by a name of
what is shown, and names of what stands earlier in SELECT.

Where a name is both a column and an alias, WHERE and SELECT mean the column; what
GROUP BY, HAVING and ORDER BY mean differs between engines and is not guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import trees

ROUNDS = 8
"""Aliases of aliases."""


def resolved(select: Any, columns: Collection[str]) -> Any:
    """A SELECT where each name is of a column, and no item has a name of its own in
    another clause.

    ``columns`` are those of FROM, in small letters.  Raises Unsupported.
    """
    from sqlglot import exp

    select = select.copy()
    aliases = _aliases(select, columns)
    _ordinals(select)
    for _ in range(ROUNDS):
        again = False
        for column in list(select.find_all(exp.Column)):
            name = column.name.lower()
            if column.table or name not in aliases or not _own(column, select):
                continue
            if name in columns:
                _clash(column, select, aliases[name])
                continue
            column.replace(trees.wrapped(aliases[name]))
            again = True
        if not again:
            return select
    raise Unsupported("an alias stands for itself")


def _own(column: Any, select: Any) -> bool:
    """Whether a column stands in this SELECT and in no other one within it."""
    from sqlglot import exp

    return column.find_ancestor(exp.Query) is select


def _aliases(select: Any, columns: Collection[str]) -> Mapping[str, Any]:
    """What each alias stands for.  Raises Unsupported for one of two things."""
    found: dict[str, Any] = {}
    for item in select.expressions:
        if kind_of(item) != "Alias":
            continue
        name = item.alias.lower()
        if name in found and name not in columns:
            raise Unsupported(f"the alias {item.alias!r} stands for two things")
        found[name] = item.this
    return found


def _clash(column: Any, select: Any, named: Any) -> None:
    """Raises Unsupported where engines take a name for different things."""
    name = column.name
    if kind_of(named) == "Column" and named.name.lower() == name.lower():
        return
    node = column
    while node.parent is not select:
        node = node.parent
    if node.arg_key in ("group", "having", "order"):
        raise Unsupported(f"{name!r} is an alias and also a column")


def _ordinals(select: Any) -> None:
    """Places in SELECT as what stands there.

    Raises Unsupported for a place that is none.
    """
    from sqlglot import exp

    _all(select)
    group = select.args.get("group")
    if group:
        for node in list(group.find_all(exp.Literal)):
            direct = (
                isinstance(
                    node.parent,
                    exp.Group | exp.Tuple | exp.Rollup | exp.Cube | exp.GroupingSets,
                )
                or kind_of(node.parent) == "Paren"
            )
            if direct and not node.is_string:
                place = _place(node)
                node.replace(_item(select, place))
    order = select.args.get("order")
    for one in order.expressions if order else ():
        if kind_of(one.this) == "Literal" and not one.this.is_string:
            place = _place(one.this)
            one.set("this", _item(select, place))


def _place(literal: Any) -> int:
    """The place of an item.  Raises Unsupported for other numbers."""
    text = str(literal.this)
    if not text.isdecimal():
        raise Unsupported(f"{text} is no place of an item")
    return int(text)


def _all(select: Any) -> None:
    """GROUP BY ALL: by every item that is no aggregate."""
    from sqlglot import exp

    group = select.args.get("group")
    if not group or not group.args.get("all"):
        return
    plain = [item for item in select.expressions if not item.find(exp.AggFunc)]
    if any(item.find(exp.Star) for item in plain):
        raise Unsupported("GROUP BY ALL of * is outside the audited fragment")
    names = [trees.unaliased(item).copy() for item in plain]
    select.set("group", exp.Group(expressions=names) if names else None)


def _item(select: Any, place: int) -> Any:
    """What stands at a place in SELECT, from 1."""
    if not 1 <= place <= len(select.expressions):
        raise Unsupported(f"SELECT has no column {place}")
    for item in select.expressions[:place]:
        if item.is_star:
            raise Unsupported("a place after * is outside the audited fragment")
    item = select.expressions[place - 1]
    shown = trees.unaliased(item)
    return trees.wrapped(shown)
