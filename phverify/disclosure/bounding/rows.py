"""Rows with the sensitive cells that a SELECT reads of them: what is made of them, by
whatever function, follows.

Rows that a condition leaves out play no part, unless an expression over one of their
cells could fail: that the statement had an answer says then that it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from phverify.disclosure.bounding.block import AtMost, BlockView, unnamed
from phverify.disclosure.bounding.failing import may_fail
from phverify.disclosure.bounding.same import same
from phverify.disclosure.bounding.values import VALUES
from phverify.disclosure.bounding.walking import source_of, sources_of
from phverify.disclosure.log import sql
from phverify.disclosure.log.query import quoted
from phverify.disclosure.log.sources import QueryScope, Unsupported, kind_of


def kept(view: BlockView) -> Iterator[AtMost]:
    """The rows that the whole condition keeps, and what is read of them elsewhere."""
    if view.where is None or not view.plain or may_fail(view):
        return
    if not same(view, view.where):
        return
    condition = unnamed(view.where.this)
    if not _reads(view, condition):
        return
    secret = filter(view.secret, view.mine)
    shown = set(map(view.name, secret))
    reads = sorted(view.block.reads if view.whole else shown)
    names = [*view.scope.keys, *reads]
    columns = ", ".join(map(quoted, names))
    part = f"SELECT {columns} FROM {quoted(view.scope.table)} WHERE {condition}"
    says = "which rows its condition keeps"
    if reads:
        says += f", with their {', '.join(reads)}"
    yield AtMost((part,), says)


def cells(view: BlockView) -> AtMost:
    """The cells that are read, of every row that the public conditions keep."""
    reads = sorted(view.block.reads)
    where = public_where(view)
    rows = "the rows that its public conditions keep" if where else "all rows"
    return _cells(view.scope, reads, where, rows)


def all_cells(scope: QueryScope, names: Iterable[str]) -> AtMost:
    """Every cell of some columns, of all rows."""
    return _cells(scope, sorted(names), "", "all rows")


def _cells(scope: QueryScope, reads: list[str], where: str, rows: str) -> AtMost:
    names = [*scope.keys, *reads]
    columns = ", ".join(map(quoted, names))
    part = f"SELECT {columns} FROM {quoted(scope.table)}{where}"
    return AtMost((part,), f"{', '.join(reads)} of {rows}")


def public_where(view: BlockView) -> str:
    """The public part of the conditions as SQL; nothing where other rows may count."""
    parts = list(map(unnamed, public_conditions(view)))
    if not parts:
        return ""
    both = " AND ".join(parts)
    return f" WHERE {both}"


def public_conditions(view: BlockView) -> list[Any]:
    """What WHERE asks of public columns alone, where the other rows play no part."""
    if view.where is None or view.shadowed or not _only_inner(view) or may_fail(view):
        return []
    parts = conjuncts(view.where.this)
    public = [part for part in parts if _public(view, part) and same(view, part)]
    return [part for part in public if _reads(view, unnamed(part))]


def conjuncts(node: Any) -> list[Any]:
    """What a condition is made of by AND."""
    match kind_of(node):
        case "Paren":
            return conjuncts(node.this)
        case "And":
            return conjuncts(node.this) + conjuncts(node.expression)
    return [node]


def _reads(view: BlockView, condition: str) -> bool:
    """Whether a condition is one of the audited fragment."""
    keys = ", ".join(map(quoted, view.scope.keys))
    text = f"SELECT {keys} FROM {quoted(view.scope.table)} WHERE {condition}"
    try:
        sql.parse(text, view.scope)
    except Unsupported:
        return False
    return True


def _only_inner(view: BlockView) -> bool:
    """Whether each row of the answer is made of a row of the audited table."""
    if len(view.block.aliases) != 1:
        return False
    for join in view.tree.args.get("joins") or ():
        words = {join.args.get("side"), join.args.get("kind"), join.args.get("method")}
        if words - {None, "", "INNER", "CROSS"}:
            return False
    # What is joined in parentheses has joins of its own.
    joined = [join.this for join in view.tree.args.get("joins") or ()]
    return list(sources_of(view.tree)) == [source_of(view.tree), *joined]


def _public(view: BlockView, part: Any) -> bool:
    """Whether a condition is one on the table's public columns alone."""
    for node in part.walk():
        if kind_of(node) in ("Select", "Star", "Subquery", *VALUES):
            return False
        if kind_of(node) != "Column":
            continue
        name = view.name(node)
        if not name or name in view.scope.sensitive:
            return False
        # Without the table's name it may be a column of another one.
        if not node.table and not view.plain:
            return False
    return True
