"""How large numbers can be that are made of the table's cells."""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.sources import kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context

SMALL = 2**31
"""Integers below it are of 32 bits."""


WIDE = 2**63
"""Integers below it are of 64 bits."""


def ends(context: Context, node: Any) -> tuple[int, int] | None:
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
        case "Literal" | "Column":
            return None
    most = largest(context, node)
    return None if most is None else (-most, most)


def _cells(context: Context, column: Any) -> tuple[int, int] | None:
    """The least and the greatest that a cell of a column may be."""
    name = context.sensitive.get(column.name.lower())
    if name is None:
        return context.public_ends(column.name)
    domain = context.scope.domains.get(name)
    if domain is None or not domain.integral or domain.scaled:
        return None
    low, high = domain.ends
    return int(low), int(high)


def _cases(context: Context, node: Any) -> tuple[int, int] | None:
    """What any branch of CASE gives; without ELSE it is NULL, which adds nothing."""
    default = node.args.get("default")
    branches = [one.args["true"] for one in node.args["ifs"]]
    branches += [default] if default is not None else []
    found = [ends(context, one) for one in branches if kind_of(one) != "Null"]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def is_own(context: Context, column: Any) -> bool:
    """Whether a name is surely that of a column of the audited table: no other table
    is read, and nothing in the statement is given this name.
    """
    from sqlglot import exp

    tree = column.root()
    own = context.scope.table.lower()
    if any(table.name.lower() != own for table in tree.find_all(exp.Table)):
        return False
    name = column.name.lower()
    renamed = any(one.alias.lower() == name for one in tree.find_all(exp.Alias))
    # AS t(a, b) gives names to columns
    listed = any(one.columns for one in tree.find_all(exp.TableAlias))
    return not renamed and not listed


def largest(context: Context, node: Any) -> int | None:
    """What the amount of an expression is at most; None where that is not known."""
    node = trees.bare(node)
    match kind_of(node):
        case "Literal" | "Column" | "Case":
            return _amount(ends(context, node))
        case "Neg" | "Min" | "Max":
            return largest(context, node.this)
        case "Div":
            # no quotient by a whole number is larger
            divisor = ends(context, node.expression)
            return largest(context, node.this) if divisor else None
        case "Sum":
            return _of_all_rows(context, node, largest(context, node.this))
        case "Count":
            return _of_all_rows(context, node, 1)
        case "Add" | "Sub" | "Mul":
            return _of_both(context, node)
    return None


def _amount(ends: tuple[int, int] | None) -> int | None:
    return None if ends is None else max(map(abs, ends))


def _of_all_rows(context: Context, node: Any, each: int | None) -> int | None:
    """As much for each row; a join may repeat rows."""
    return None if each is None or joined(node) else each * context.rows


def _of_both(context: Context, node: Any) -> int | None:
    """The most that a sum, a difference or a product is."""
    left = largest(context, node.this)
    right = largest(context, node.expression)
    if left is None or right is None:
        return None
    return left * right if kind_of(node) == "Mul" else left + right


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
