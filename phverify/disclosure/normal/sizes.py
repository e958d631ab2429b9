"""How large numbers can be that are made of the table's cells."""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.sources import kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context
from phverify.disclosure.worlds.column_types import SMALL

Ends = tuple[int, int]
"""The least and the greatest of numbers."""
TINY, SHORT, WIDE = 2**7, 2**15, 2**63
"""Integers below these are of 8, 16 and 64 bits."""
_WIDENING = ("mysql", "sqlite", "bigquery", "snowflake")
"""Engines that add and multiply small integers in wider ones."""


def ends(context: Context, node: Any) -> Ends | None:
    """What an expression of integers is at least and at most; None where that is not
    known.
    """
    node = trees.bare(node)
    match kind_of(node):
        case "Literal" if str(node.this).isdecimal() and not node.is_string:
            return int(node.this), int(node.this)
        case "Column" if is_own(context, node):
            return _cells(context, node)
        case "Case":
            return _cases(context, node)
        case "Min" | "Max":
            return ends(context, node.this)
        case "Neg" | "Div" | "Sum":
            return _of_one(context, node, ends(context, node.this))
        case "Count":
            return _of_all_rows(context, node, (0, 1))
        case "Add" | "Sub" | "Mul":
            return _of_both(context, node)
    return None


def _of_one(context: Context, node: Any, each: Ends | None) -> Ends | None:
    """What is made of one expression that lies between these ends."""
    if each is None:
        return None
    low, high = each
    match kind_of(node):
        case "Neg":
            return -high, -low
        case "Sum":
            return _of_all_rows(context, node, each)
    # no quotient by a whole number is larger
    most = max(-low, high)
    return (-most, most) if ends(context, node.expression) else None


def _cells(context: Context, column: Any) -> Ends | None:
    """The least and the greatest that a cell of a column may be."""
    name = context.sensitive.get(column.name.lower())
    if name is None:
        return context.public_ends(column.name)
    domain = context.scope.domains.get(name)
    if domain is None or not domain.integral or domain.scaled:
        return None
    low, high = domain.ends
    return int(low), int(high)


def _cases(context: Context, node: Any) -> Ends | None:
    """What any branch of CASE gives; without ELSE it is NULL, which adds nothing."""
    branches = trees.branches(node)
    found = [ends(context, one) for one in branches if kind_of(one) != "Null"]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def is_own(context: Context, column: Any) -> bool:
    """Whether a name is surely that of a column of the audited table: no other table
    that is read has such a column, and nothing in the statement is given this name.
    """
    from sqlglot import exp

    tree = column.root()
    name = column.name.lower()
    own = context.scope.table.lower()
    external = {one.lower(): one for one in context.scope.external}
    others = {table.name.lower() for table in tree.find_all(exp.Table)} - {own}
    for other in others:
        known = external.get(other)
        if known is None or name in map(str.lower, context.source.types(known)):
            return False
    renamed = any(one.alias.lower() == name for one in tree.find_all(exp.Alias))
    # AS t(a, b) gives names to columns
    listed = any(one.columns for one in tree.find_all(exp.TableAlias))
    return not renamed and not listed


def largest(context: Context, node: Any) -> int | None:
    """What the amount of an expression is at most; None where that is not known."""
    found = ends(context, node)
    return None if found is None else max(map(abs, found))


def _of_all_rows(context: Context, node: Any, each: Ends) -> Ends | None:
    """As much for each row that is kept; a join may repeat rows."""
    if joined(node):
        return None
    low, high = each
    rows = context.rows
    return min(0, low * rows), max(0, high * rows)


def _of_both(context: Context, node: Any) -> Ends | None:
    """What a sum, a difference or a product is."""
    left = ends(context, node.this)
    right = ends(context, node.expression)
    if left is None or right is None:
        return None
    low, high = left
    least, greatest = right
    match kind_of(node):
        case "Add":
            return low + least, high + greatest
        case "Sub":
            return low - greatest, high - least
    corners = (low * least, low * greatest, high * least, high * greatest)
    return min(corners), max(corners)


def below_zero(context: Context, node: Any) -> bool:
    """Whether an expression may be below zero where a column of it may be UNSIGNED:
    which columns are so is not known, but one with a cell below zero is none.

    SUM and AVG are decimals, which have a sign.
    """
    from sqlglot import exp

    if node.find(exp.Sum, exp.Avg):
        return False
    columns = node.find_all(exp.Column)
    if all(_signed(context, one) for one in columns):
        return False
    found = ends(context, node)
    return found is None or found[0] < 0


def _signed(context: Context, column: Any) -> bool:
    """Whether some cell of a column is, or may be, below zero."""
    if not is_own(context, column):
        return False
    found = _cells(context, column)
    return found is not None and found[0] < 0


def most_allowed(context: Context, node: Any, dialect: str) -> int:
    """From which amount on an expression of integers may be too large for an engine.

    Columns of integers have 32 bits at least, unless their type says less; T-SQL adds
    them up in so many, too.
    """
    from sqlglot import exp

    if node.find(exp.Sum, exp.Count) and dialect != "tsql":
        return WIDE
    columns = node.find_all(exp.Column)
    types = {context.type_of(one) for one in columns}
    if node.find(exp.Literal, exp.Sum, exp.Count) or dialect in _WIDENING:
        return SMALL
    if types <= {"TINYINT"}:
        return TINY
    return SHORT if types <= {"TINYINT", "SMALLINT"} else SMALL


def joined(node: Any) -> bool:
    """Whether a statement reads more than one table, or one twice."""
    from sqlglot import exp

    return len(list(node.root().find_all(exp.Table))) > 1


def is_decimal(context: Context, node: Any) -> bool:
    """Whether an expression is surely of decimals or doubles, which do not pass an end
    of integers.
    """
    node = trees.bare(node)
    match kind_of(node):
        case "Literal":
            return not node.is_string and "." in str(node.this)
        case "Column":
            kind = context.type_of(node) if is_own(context, node) else ""
            return kind.startswith(("DECIMAL", "DOUBLE", "FLOAT"))
        case "Neg" | "Sum" | "Min" | "Max" | "Avg":
            return is_decimal(context, node.this)
        case "Add" | "Sub" | "Mul" | "Div":
            either = (node.this, node.expression)
            return any(is_decimal(context, one) for one in either)
    return False
