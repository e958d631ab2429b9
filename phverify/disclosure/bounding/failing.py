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
from phverify.disclosure.bounding.same import same_value
from phverify.disclosure.log.sources import COMPARISONS, kind_of
from phverify.disclosure.worlds.column_types import SMALL

Ends = tuple[int, int]
"""The least and the greatest of numbers."""
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
_PARTS_OF_DATES = ("DateTrunc", "TimestampTrunc", "Extract", "Year", "Month", "Day")
_SETS = ("Group", "Rollup", "Cube", "GroupingSets", "Tuple")
_INERT = ("Column", "Var", "DataType", *_LITERALS)
_TEXTS = ("text", "day")


def may_fail(view: BlockView) -> bool:
    """Whether some value of a cell could make the statement fail, for rows that are
    left out, too.
    """
    for node in view.tree.walk():
        if view.secret(node) and not _safe(view, node):
            return True
        # An aggregate is worked out over rows that are kept.
        aggregated = id(node) in view.aggregated
        if not aggregated and not _never_fails(view, node):
            return True
    if view.dialect != "duckdb" and _unites_texts(view):
        return True
    # What stands around the SELECT may be worked out within it.
    inside = {id(node) for node in view.tree.walk()}
    for node in view.statement.tree.walk():
        around = id(node) not in inside
        if around and not _passes_on(node):
            return True
    return False


def keys_may_fail(view: BlockView) -> bool:
    """Whether what groups are made of may fail for a row that a condition on sensitive
    columns leaves out.

    DuckDB works it out for the rows that are kept.
    """
    if view.dialect == "duckdb" or view.where is None or not view.reads(view.where):
        return False
    for key in view.keys:
        surely = same_value(view, key)
        if not surely and not all(_of_any_row(view, node) for node in key.walk()):
            return True
    return False


def _of_any_row(view: BlockView, node: Any) -> bool:
    """Whether a node of a key fails for no row: parts of dates do not."""
    name = kind_of(node)
    of = node.expression if name == "Extract" else node.this
    if name in _PARTS_OF_DATES and _kind(view, of) in ("date", "timestamp"):
        return True
    if name in ("Lower", "Upper", "Trim") and _kind(view, of) == "text":
        return True
    return name in _SETS or _never_fails(view, node)


def sums_may_fail(view: BlockView) -> bool:
    """Whether a part of a sum may be too large where the whole is not.

    T-SQL adds up INT in 32 bits; below zero parts are larger than the whole, and which
    they are depends on whose the values are.
    """
    if view.dialect != "tsql":
        return False
    sums = [node for node in view.own if kind_of(node) in ("Sum", "Avg")]
    # a join repeats rows
    tables = [node for node in view.statement.tree.walk() if kind_of(node) == "Table"]
    rows = view.rows if len(tables) == 1 else SMALL
    for node in sums:
        if _is_decimal(view, node.this):
            continue
        ends = _ends(view, node.this)
        if ends is None:
            return True
        low, high = ends
        largest = max(-low, high)
        if low < 0 and largest * rows >= SMALL:
            return True
    return False


def _ends(view: BlockView, node: Any) -> Ends | None:
    """The least and the greatest of what is added up; None where it is not known."""
    match kind_of(node):
        case "Literal" if str(node.this).isdecimal() and not node.is_string:
            return int(node.this), int(node.this)
        case "Column":
            return view.ends(view.name(node))
        case "Null":
            return 0, 0
        case "Paren":
            return _ends(view, node.this)
        case "Distinct" if len(node.expressions) == 1:
            return _ends(view, node.expressions[0])
        case "Case":
            return _of_any(view, node)
        case "Add" | "Mul":
            return _of_both(view, node)
    return None


def _of_any(view: BlockView, case: Any) -> Ends | None:
    """What any branch of CASE gives."""
    default = case.args.get("default")
    branches = [one.args["true"] for one in case.args["ifs"]]
    if default is not None:
        branches.append(default)
    found = [_ends(view, branch) for branch in branches]
    known = [ends for ends in found if ends is not None]
    if len(known) < len(found):
        return None
    lows, highs = zip(*known, strict=True)
    return min(lows), max(highs)


def _of_both(view: BlockView, node: Any) -> Ends | None:
    """A sum or a product of what is not below zero."""
    left = _ends(view, node.this)
    right = _ends(view, node.expression)
    if left is None or right is None:
        return None
    low, high = left
    least, greatest = right
    if min(low, least) < 0:
        return None
    if kind_of(node) == "Add":
        return low + least, high + greatest
    return low * least, high * greatest


def _is_decimal(view: BlockView, node: Any) -> bool:
    """Whether what is added up is surely no integer: a number with a point is in it.

    What CASE looks at is not added up.
    """
    name = kind_of(node)
    if name in ("Paren", "Neg", "Distinct"):
        inner = list(node.iter_expressions())
        return any(_is_decimal(view, one) for one in inner)
    if name in ("Add", "Sub", "Mul"):
        return any(_is_decimal(view, one) for one in (node.this, node.expression))
    return _has_point(view, node)


def _has_point(view: BlockView, node: Any) -> bool:
    """Whether a column, a literal or a cast is of decimals or doubles."""
    match kind_of(node):
        case "Literal":
            return not node.is_string and "." in str(node.this)
        case "Cast":
            return node.to.this.name in ("DECIMAL", "DOUBLE", "FLOAT")
        case "Column":
            return _kind(view, node).startswith(("decimal", "double", "float"))
    return False


def _unites_texts(view: BlockView) -> bool:
    """Whether a UNION may have texts beside others, which are cast to these."""
    nodes = view.statement.tree.walk()
    unions = [node for node in nodes if kind_of(node) == "Union"]
    for union in unions:
        sides = (union.this.selects, union.expression.selects)
        for pair in zip(*sides, strict=False):
            kinds = {_kind(view, _unaliased(one)) for one in pair}
            others = kinds - {"null", *_TEXTS}
            texts = not kinds.isdisjoint(_TEXTS)
            if texts and others:
                return True
    return False


def _unaliased(node: Any) -> Any:
    return node.this if kind_of(node) == "Alias" else node


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
    if name == "Neg":
        # the least integer has no opposite
        return kind_of(node.this) == "Literal"
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
