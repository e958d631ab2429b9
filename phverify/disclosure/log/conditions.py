"""Conditions of a WHERE, from the syntax tree of a query."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from phverify.disclosure.connectives import (
    AllOf,
    AnyOf,
    Negation,
    Proposition,
)
from phverify.disclosure.grids import DATE, TIMESTAMP, date_of
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import (
    COMPARISONS,
    QueryScope,
    Source,
    Unsupported,
    kind_of,
    more,
    named,
    outside,
    written,
)


class ConditionReader:
    """Conditions on rows; each method reads one kind of node."""

    def __init__(self, scope: QueryScope) -> None:
        self.source = Source(scope)
        self.column = self.source.column

    def predicate(self, node: Any) -> Proposition:
        """A condition on rows."""
        # Of public columns the database says what is true: no operator is read here.
        if not self.source.touches(node):
            return q.Public(self.source.plain(node))
        both = self.combined(node, self.predicate)
        if both is not None:
            return both
        kind = kind_of(node)
        match kind:
            case "Between":
                return self.between(node)
            case "In":
                return self.among(node)
            case "Is":
                if kind_of(node.this) != "Column" or kind_of(node.expression) != "Null":
                    raise outside(node)
                return q.IsNull(self.column(node.this))
            case "Column":
                column = q.SqlColumn(self.column(node))
                return q.SqlComparison(column, "=", q.SqlConstant(True))
        if kind in COMPARISONS:
            left = self.operand(node.this)
            right = self.operand(node.expression)
            return q.SqlComparison(left, COMPARISONS[kind], right)
        raise Unsupported(
            f"the condition {written(node)} on a sensitive column is outside the"
            " audited fragment"
        )

    def between(self, node: Any) -> Proposition:
        """BETWEEN: two comparisons."""
        if more(node, "this", "low", "high"):
            raise outside(node)
        middle = self.operand(node.this)
        low = self.operand(node.args["low"])
        high = self.operand(node.args["high"])
        above = q.SqlComparison(middle, ">=", low)
        below = q.SqlComparison(middle, "<=", high)
        return AllOf((above, below))

    def among(self, node: Any) -> Proposition:
        """IN a list: one of some comparisons."""
        listed = node.expressions
        if more(node, "this", "expressions") or not listed:
            raise Unsupported(f"{written(node)}: IN is audited for lists of values")
        one = self.operand(node.this)
        equal = []
        for expression in listed:
            value = self.operand(expression)
            case = q.SqlComparison(one, "=", value)
            equal.append(case)
        return AnyOf(tuple(equal))

    def combined(
        self, node: Any, read: Callable[[Any], Proposition]
    ) -> Proposition | None:
        """A condition made of others; None for any other."""
        match kind_of(node):
            case "Paren":
                return read(node.this)
            case "Not":
                return Negation(read(node.this))
            case "And":
                return AllOf((read(node.this), read(node.expression)))
            case "Or":
                return AnyOf((read(node.this), read(node.expression)))
        return None

    def operand(self, node: Any) -> q.Operand:
        """A side of a comparison: a column, or a constant."""
        match kind_of(node):
            case "Paren":
                return self.operand(node.this)
            case "Column":
                return q.SqlColumn(self.column(node))
            case "Null" | "Boolean":
                return _truth(node)
            case "Cast":
                return _point(node)
            case "Literal" if node.is_string:
                return q.SqlConstant(str(node.this))
            case "Literal" if _exact(str(node.this)):
                return q.SqlConstant(_number(str(node.this)))
            case "Neg" if kind_of(node.this) == "Literal":
                inner = self.operand(node.this)
                number = inner.value if isinstance(inner, q.SqlConstant) else None
                if isinstance(number, (int, Fraction)):
                    return q.SqlConstant(-number)
        return self.derived(node)

    def derived(self, node: Any) -> q.SqlColumn:
        """What is derived from public columns, beside a sensitive one."""
        if named(node) and not self.source.touches(node):
            name = self.source.derived(node)
            return q.SqlColumn(name)
        raise outside(node, " beside a sensitive column")


_POINTS = {"DATE": DATE, "TIMESTAMP": TIMESTAMP}
"""Types of literals, as sqlglot names them."""


def _truth(node: Any) -> q.SqlConstant:
    """TRUE, FALSE or NULL."""
    if kind_of(node) == "Null":
        return q.SqlConstant(None)
    return q.SqlConstant(bool(node.this))


def _point(node: Any) -> q.Operand:
    """A date or a timestamp: ``DATE '2020-12-31'``, or a CAST of such a text."""
    text = node.this
    type_ = node.to.sql("duckdb")
    written_type = str(type_)
    sort = _POINTS.get(written_type, "")
    literal = kind_of(text) == "Literal" and text.is_string
    others = more(node, "this", "to")
    if literal and sort and not others:
        digits = str(text.this)
        point = date_of(digits, sort)
        if point is not None:
            return q.SqlConstant(point)
    raise outside(node, " beside a sensitive column")


def _number(text: str) -> int | Fraction:
    """An exact number, as an integer where it is one."""
    value = Fraction(text)
    if value.denominator == 1:
        return value.numerator
    return value


def _exact(text: str) -> bool:
    """A number that the database does not take as a double.

    It has no exponent, and few enough digits.
    """
    if text.isdecimal() and len(text) <= 18:
        return True
    return text.replace(".", "", 1).isdecimal() and len(text) <= 15
