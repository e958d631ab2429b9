"""Whether some sensitive value could make a statement fail.

A division, a cast, an overflow or a text compared with a number fails for some values.
Engines may work out an expression before they leave out rows, whatever the text says:
that the statement had an answer then says something of rows that are left out, too.

So does an expression over public columns: where it fails for a row, the answer says
that it was not worked out there, and so that the row is left out by another condition,
which may be one on sensitive columns.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from phverify.disclosure.bounding.block import BlockView, aggregates
from phverify.disclosure.bounding.pure import CLAUSES, TOTAL
from phverify.disclosure.log.sources import COMPARISONS, kind_of

SMALL = 2**31
"""Integers below it are of 32 bits."""
_ONE_KIND = {*COMPARISONS, "Between", "In", "Like", "ILike"}
"""Comparisons: of values of one kind they never fail."""
_LITERALS = ("Literal", "Boolean")
_NUMBERS = ("integer", "bigint", "smallint", "double", "number")
_GIVES = {
    **dict.fromkeys(("Lower", "Upper", "Trim", "Concat", "DPipe", "Left"), "text"),
    **dict.fromkeys(("Length", "Year", "Month", "Day", "Extract"), "integer"),
    **dict.fromkeys(("DateTrunc", "TimestampTrunc"), "date"),
}
"""What functions give that fail for no value in DuckDB."""
_INERT = ("Column", "Var", "DataType", "Neg", *_LITERALS)


def may_fail(view: BlockView) -> bool:
    """Whether some value of a cell could make the statement fail, for rows that are
    left out, too.
    """
    for node in view.tree.walk():
        if view.secret(node) and not _safe(view, node):
            return True
        # An aggregate is worked out over rows that are kept.
        if id(node) not in view.aggregated and not _never_fails(view, node):
            return True
    # What stands around the SELECT may be worked out within it.
    inside = {id(node) for node in view.tree.walk()}
    for node in view.statement.tree.walk():
        around = id(node) not in inside
        if around and not _passes_on(node):
            return True
    return False


def sums_may_fail(view: BlockView) -> bool:
    """Whether a part of a sum may be too large where the whole is not.

    T-SQL adds up INT in 32 bits; below zero parts are larger than the whole, and which
    they are depends on whose the values are.
    """
    if view.dialect != "tsql":
        return False
    for node in filter(view.secret, view.own):
        domain = view.scope.domains.get(view.name(node))
        if (
            domain is None
            or not domain.integral
            or node.find_ancestor(*_sums()) is None
        ):
            continue
        low, high = domain.ends
        if low < 0 and max(-low, high) * view.rows >= SMALL:
            return True
    return False


def _sums() -> tuple[Any, ...]:
    from sqlglot import exp

    return (exp.Sum, exp.Avg)


def _safe(view: BlockView, column: Any) -> bool:
    """Whether nothing that is made of a column, up to its clause, can fail."""
    kind = view.kinds.get(view.name(column), "")
    node = column.parent
    while node is not None and kind_of(node) not in CLAUSES:
        if aggregates(node):
            # An aggregate is worked out over rows that are kept.
            return True
        name = kind_of(node)
        if name in _ONE_KIND:
            if not _of_kind(view, node, kind):
                return False
        elif name not in TOTAL:
            return False
        node = node.parent
    return True


def _never_fails(view: BlockView, node: Any) -> bool:
    """Whether a node fails for no values of its operands."""
    name = kind_of(node)
    if name in ("Subquery", "Select") and node is not view.tree:
        return _no_scalar(node)
    if name in CLAUSES or name in TOTAL or name in _INERT or aggregates(node):
        return True
    if name in _ONE_KIND:
        return _comparable(view, node)
    if name == "Cast":
        return _kind(view, node) == "date"
    return view.dialect == "duckdb" and name in _GIVES


def _no_scalar(query: Any) -> bool:
    """Whether a query stands where it may have several rows."""
    while kind_of(query.parent) == "Subquery":
        query = query.parent
    return kind_of(query.parent) in ("From", "Join", "In", "Exists", "CTE", "Union")


def _comparable(view: BlockView, node: Any) -> bool:
    """Whether engines compare these without a cast that may fail."""
    if kind_of(node) in ("Like", "ILike"):
        pattern = node.expression
        plain = kind_of(pattern) == "Literal" and "\\" not in str(pattern.this)
        return plain and _kind(view, node.this) == "text"
    if node.args.get("query"):
        return True
    kinds = {_kind(view, one) for one in node.iter_expressions()} - {"null"}
    if "date" in kinds:
        kinds -= {"day"}
    if "day" in kinds:
        kinds = kinds - {"day"} | {"text"}
    if kinds <= {*_NUMBERS}:
        return True
    return len(kinds) == 1 and "" not in kinds


def _kind(view: BlockView, node: Any) -> str:
    """What a value is: ``day`` is a text that is a date; nothing if not known."""
    match kind_of(node):
        case "Column":
            return view.kinds.get(view.name(node), "")
        case "Paren" | "Neg":
            return _kind(view, node.this)
        case "Null":
            return "null"
        case "Literal" if node.is_string:
            return "day" if _day(str(node.this)) else "text"
        case "Literal":
            return "number"
        case "Boolean":
            return "boolean"
        case "Cast" if node.to.this.name == "DATE":
            return "date" if _kind(view, node.this) in ("day", "date") else ""
    return _GIVES.get(kind_of(node), "")


def _day(text: str) -> bool:
    """Whether a text is a date to every engine."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _of_kind(view: BlockView, node: Any, kind: str) -> bool:
    """Whether all that a comparison compares is of one kind, and plain."""
    for inner in node.walk():
        name = kind_of(inner)
        column = view.name(inner) if name == "Column" else ""
        if name == "Column" and view.kinds.get(column) != kind:
            return False
        if name in _LITERALS and _literal_kind(inner) != kind:
            return False
        known = name in _ONE_KIND or name in TOTAL or name in _LITERALS
        if not known and name not in ("Column", "Neg"):
            return False
    return bool(kind)


def _literal_kind(node: Any) -> str:
    """What a literal is: integer, text, boolean, or nothing for other numbers."""
    if kind_of(node) == "Boolean":
        return "boolean"
    if node.is_string:
        return "text"
    return "integer" if str(node.this).isdecimal() else ""


def _passes_on(node: Any) -> bool:
    """Whether a node beside the SELECT only passes on, counts or orders."""
    name = kind_of(node)
    passes = name in CLAUSES or name in TOTAL or name in ("Column", "Literal")
    return passes or aggregates(node)
