"""A syntax tree by its SELECTs: what each is about, and which nodes are its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from phverify.disclosure.log.sources import Unsupported, kind_of, more, written

QUERIES = ("Select", "Union", "Except", "Intersect", "Subquery", "Values")
"""What a statement that is bounded may be."""


def source_of(select: Any) -> Any:
    """What stands first in the FROM of a SELECT; None where it has none."""
    start = select.args.get("from_") or select.args.get("from")
    return start.this if start else None


def sources_of(select: Any) -> Iterator[Any]:
    """The tables and subqueries in the FROM of a SELECT, those in parentheses, too.

    Raises Unsupported for tables that have one name together.
    """
    first = source_of(select)
    if first is not None:
        yield from _flat(first)
    for join in select.args.get("joins") or ():
        yield from _flat(join.this)


def _flat(source: Any) -> Iterator[Any]:
    """A table, a subquery, or what is joined in parentheses."""
    inner = source.this
    if kind_of(source) == "Subquery" and not _is_query(inner):
        if source.alias:
            raise Unsupported("a JOIN in parentheses with a name is not bounded")
        yield from _flat(inner)
    else:
        yield source
    for join in source.args.get("joins") or ():
        yield from _flat(join.this)


def _is_query(node: Any) -> bool:
    """Whether what stands in parentheses is a query, and no table."""
    if kind_of(node) == "Subquery":
        joined = node.args.get("joins")
        return _is_query(node.this) and not joined
    return kind_of(node) in QUERIES


def select_of(node: Any) -> Any:
    """The SELECT that a node stands in; None where it stands in none."""
    above = node.parent
    while above is not None and kind_of(above) != "Select":
        above = above.parent
    return above


def own_nodes(select: Any) -> Iterator[Any]:
    """The nodes of a SELECT that stand in no SELECT within it."""

    def within(node: Any) -> bool:
        return node is not select and kind_of(node) == "Select"

    yield from select.walk(prune=within)


def counted(star: Any) -> bool:
    """Whether this is the star of COUNT(*), with nothing left out or put in."""
    above = star.parent
    if more(star):
        return False
    return kind_of(above) == "Count"


def among(select: Any, core: Sequence[Any]) -> bool:
    """Whether a SELECT stands within one of these."""
    above = select_of(select)
    while above is not None:
        if any(above is one for one in core):
            return True
        above = select_of(above)
    return False


def left_out(node: Any) -> bool:
    """Whether a node is a name that ``*`` leaves out."""
    if kind_of(node) == "Identifier" and kind_of(node.parent) == "Column":
        node = node.parent
    above = node.parent
    if kind_of(above) != "Star":
        return False
    # sqlglot's word for it is Python's, too
    named = above.args.get("except_") or above.args.get("except") or []
    return any(one is node for one in named)


def shown_to_exists(star: Any) -> bool:
    """Whether this is the star of EXISTS (SELECT * ..), of which no cell is read."""
    select = select_of(star)
    if select is None or star.parent is not select:
        return False
    above = select.parent
    return kind_of(above) == "Exists" or (
        kind_of(above) == "Subquery" and kind_of(above.parent) == "Exists"
    )


def cut(node: Any) -> str:
    """A node as SQL, as far as it fits in a sentence."""
    text = written(node)
    return text if len(text) <= 60 else f"{text[:57]}..."
