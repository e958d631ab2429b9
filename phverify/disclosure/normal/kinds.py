"""Of which kind values are: of numbers, texts and dates beside each other engines cast
some, each in its own way, and fail where that is not possible.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from phverify.disclosure.log.sources import kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context
from phverify.disclosure.worlds.column_types import INTEGERS

NUMBER, DATE, TEXT, LITERAL = "number", "date", "text", "literal"
TEXTS = (TEXT, LITERAL)
"""Texts of cells, and those that a statement has itself."""
_GIVES = {
    **dict.fromkeys(("Sum", "Avg", "Count", "CountIf", "Neg", "Mul", "Div"), NUMBER),
    **dict.fromkeys(("IntDiv", "Mod", "Abs", "Round", "Floor", "Ceil"), NUMBER),
    **dict.fromkeys(("Length", "Year", "Month", "Day", "Extract"), NUMBER),
    **dict.fromkeys(("Lower", "Upper", "Trim", "Concat", "DPipe", "Left"), TEXT),
    **dict.fromkeys(("Right", "Substring", "Replace"), TEXT),
    **dict.fromkeys(("DateTrunc", "TimestampTrunc", "CurrentDate"), DATE),
}
_OTHER = ("BOOLEAN", "UUID", "TIME")
"""Types whose values are beside nothing else."""
_PASSING = ("Min", "Max", "Nullif", "Filter", "Window", "Alias", "Ordered")
"""What gives a value of its first operand."""
_GIVING = ("Coalesce", "Greatest", "Least", "Subquery", "Select")
_NO_KIND = ("Null", "Boolean", "Interval")
_ARITHMETIC = ("Add", "Sub", "Mul")
_ONE_KIND = ("Coalesce", "Nullif", "Greatest", "Least", "Case")
"""What compares its operands, or gives one of them."""


def kinds(context: Context, node: Any) -> set[str]:
    """The kinds that the values of an expression may have.

    An empty text stands for any other kind; nothing for truth values and NULL.
    """
    node = trees.bare(node)
    name = kind_of(node)
    if name in _PASSING:
        return kinds(context, node.this)
    if name in _GIVING or name == "Case":
        return _of_all(context, _given(node))
    match name:
        case "Literal":
            return {LITERAL if node.is_string else NUMBER}
        case "Column":
            return _of_types(context.types_of(node))
        case "Cast":
            return _of_types({node.to.sql("duckdb")})
        case "Add" | "Sub":
            either = _of_all(context, [node.this, node.expression])
            return {NUMBER} if either == {NUMBER} else {""}
    if name in _NO_KIND or is_predicate(node):
        return set()
    return {_GIVES.get(name, "")}


def _given(node: Any) -> list[Any]:
    """Those operands of which an expression gives one."""
    if kind_of(node) == "Case":
        return trees.branches(node)
    if kind_of(node) in ("Subquery", "Select"):
        shown: list[Any] = node.selects
        return shown
    return [node.this, *node.expressions]


def _of_all(context: Context, nodes: list[Any]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        found |= kinds(context, node)
    return found


def _of_types(types: set[str]) -> set[str]:
    """The kinds of columns of these types, those of no type among them."""
    found = set()
    for type_ in types:
        if type_ in INTEGERS or type_.startswith(("DECIMAL", "DOUBLE", "FLOAT")):
            found.add(NUMBER)
        elif type_ == "VARCHAR" or type_.startswith(("ENUM", "TEXT")):
            found.add(TEXT)
        elif type_.startswith(("DATE", "TIMESTAMP")):
            found.add(DATE)
        elif type_ not in _OTHER:
            found.add("")
    return found


def is_predicate(node: Any) -> bool:
    """Whether a node is true, false or NULL."""
    from sqlglot import exp

    return isinstance(node, exp.Predicate | exp.Connector | exp.Not)


def clashing(context: Context, node: Any) -> bool:
    """Whether a node has a text beside a number or a date, or these beside each other,
    or adds texts.
    """
    name = kind_of(node)
    if name == "Union":
        return _union_clashes(context, node)
    if name in _ARITHMETIC:
        found = _of_all(context, [node.this, node.expression])
        return not found.isdisjoint(TEXTS)
    if name == "Case":
        given = _of_all(context, trees.branches(node))
        compared = _of_all(context, _compared(node))
        return _mixed(given) or _mixed(compared)
    if name in _ONE_KIND or is_predicate(node):
        operands = list(node.iter_expressions())
        return _mixed(_of_all(context, operands))
    return False


def _compared(case: Any) -> list[Any]:
    """What CASE with an operand compares."""
    operand = case.this
    if operand is None:
        return []
    values = [one.this for one in case.args["ifs"]]
    return [operand, *values]


def _union_clashes(context: Context, union: Any) -> bool:
    """Whether a column of a UNION is made of several kinds."""
    pairs = zip(union.this.selects, union.expression.selects, strict=False)
    for pair in pairs:
        found = _of_all(context, list(pair))
        if _mixed(found):
            return True
    return False


def _mixed(found: set[str]) -> bool:
    """Whether an engine casts some of these values to another kind; a text that the
    statement has itself is a date beside dates.
    """
    known = found - {"", LITERAL}
    return len(known) > 1 or (LITERAL in found and NUMBER in known)


def is_day(node: Any) -> bool:
    """Whether a node is a day that all engines read alike: DATE '2020-01-31'."""
    if kind_of(node) != "Cast" or node.to.sql("duckdb") != "DATE":
        return False
    of = node.this
    if kind_of(of) != "Literal" or not of.is_string:
        return False
    text = str(of.this)
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def begins(context: Context, node: Any) -> bool:
    """Whether a node is the day that begins a month, or another unit, of a column."""
    if kind_of(node) != "Cast" or node.to.sql("duckdb") != "DATE":
        return False
    of = node.this
    if kind_of(of) not in ("DateTrunc", "TimestampTrunc"):
        return False
    column = of.this
    days = ("DATE", "TIMESTAMP")
    return kind_of(column) == "Column" and context.type_of(column) in days


def write_days(tree: Any) -> None:
    """Writes ``TO_DATE('2020-01-31', 'YYYY-MM-DD')`` as the day that it is."""
    from sqlglot import exp

    for node in list(tree.find_all(exp.StrToDate, exp.TsOrDsToDate)):
        form = node.args.get("format")
        day = exp.cast(node.this.copy(), "DATE")
        if form is not None and str(form.name) == "%Y-%m-%d" and is_day(day):
            node.replace(day)
