"""Aggregates of CASE, COUNT_IF and sums of linear terms, as functions of the aggregates
that the fragment has.

Each rule is an equality for every group that has a row.  Of no row at all a SUM is
NULL, which a COUNT with FILTER is not: ``Measure.rowless`` says where that matters.
"""

from __future__ import annotations

from typing import Any

from phverify.disclosure.log.functions import DERIVED
from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import domains, trees
from phverify.disclosure.normal.context import Context

KINDS = ("Sum", "Count", "Avg", "Min", "Max", "Median")


def measured(item: Any, context: Context) -> tuple[Any, bool]:
    """An item where each aggregate is one of the fragment, and whether it is NULL of no
    row where these aggregates would have a value.

    Raises Unsupported.
    """
    from sqlglot import exp

    item = item.copy()
    root = exp.Paren(this=item)
    rowless = False
    for node in list(root.find_all(exp.AggFunc)):
        found = node.parent if kind_of(node.parent) == "Filter" else node
        if node.find_ancestor(exp.AggFunc, exp.Window):
            raise Unsupported("an aggregate of an aggregate is outside the fragment")
        gate = found.expression.this if found is not node else None
        new, null = _one(node, gate, context)
        rowless = rowless or null
        found.replace(new)
    return trees.bare(root.this), rowless


def _one(node: Any, gate: Any, context: Context) -> tuple[Any, bool]:
    """One aggregate, which is over the rows where ``gate`` is true."""
    kind = kind_of(node)
    more = {name for name, value in node.args.items() if value} - {"this", "big_int"}
    if more:
        raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
    if kind == "CountIf":
        return filtered("COUNT(*)", trees.both(gate, node.this), context), False
    if kind not in KINDS:
        raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
    over = trees.bare(node.this)
    distinct = kind_of(over) == "Distinct"
    if distinct:
        if kind != "Count" or len(over.expressions) != 1 or over.args.get("on"):
            raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
        over = trees.bare(over.expressions[0])
    if kind_of(over) in ("Case", "If"):
        return _of_case(kind, distinct, over, gate, context)
    if kind == "Sum" and not distinct:
        return _sum(over, gate, context)
    return _plain(kind, distinct, over, gate, context), False


def _plain(kind: str, distinct: bool, over: Any, gate: Any, context: Context) -> Any:
    """An aggregate of a column, or of a public expression."""
    every = kind_of(over) == "Star" or (
        kind_of(over) == "Literal" and kind == "Count" and not distinct
    )
    if every:
        return filtered("COUNT(*)", gate, context)
    if kind_of(over) != "Column" and not context.public(over):
        raise Unsupported(
            f"{kind.upper()} of {trees.text_of(over)} is outside the audited fragment"
        )
    context.plain(over)
    word = "DISTINCT " if distinct else ""
    return filtered(f"{kind.upper()}({word}{trees.text_of(over)})", gate, context)


def filtered(text: str, gate: Any, context: Context) -> Any:
    """An aggregate over the rows where a condition is true."""
    if gate is None:
        return trees.expression(text)
    mended = trees.text_of(domains.readable(gate, context))
    return trees.expression(f"{text} FILTER (WHERE {mended})")


def _cases(over: Any) -> tuple[Any, Any, Any]:
    """The condition of a CASE of one branch, what it then is, and what else.

    Raises Unsupported for more branches.
    """
    branches = [over] if kind_of(over) == "If" else over.args.get("ifs") or []
    if len(branches) != 1:
        raise Unsupported(f"{trees.text_of(over)}: CASE is audited with one WHEN")
    (branch,) = branches
    holds = branch.this
    if kind_of(over) == "Case" and over.this is not None:
        shown = trees.text_of(over.this)
        holds = trees.expression(f"{shown} = {trees.text_of(branch.this)}")
    # IF has its third part itself, and CASE has ELSE
    other = over.args.get("false") or over.args.get("default")
    if other is not None and kind_of(trees.bare(other)) == "Null":
        other = None
    return holds, trees.bare(branch.args["true"]), other and trees.bare(other)


def _of_case(
    kind: str, distinct: bool, over: Any, gate: Any, context: Context
) -> tuple[Any, bool]:
    """An aggregate of a CASE: FILTER, and for SUM the constants of both branches."""
    holds, then, other = _cases(over)
    both = trees.both(gate, holds)
    number = _integer(then)
    if other is None:
        if kind == "Sum" and number is not None:
            count = trees.text_of(filtered("COUNT(*)", both, context))
            # of no row it is NULL, and the count is 0
            return trees.expression(f"(NULLIF({count}, 0) * {number})"), False
        if kind == "Count" and kind_of(then) == "Literal" and not distinct:
            return filtered("COUNT(*)", both, context), False
        if kind == "Sum" and not distinct:
            return _sum(then, both, context)
        return _plain(kind, distinct, then, both, context), False
    if kind == "Avg" and gate is None and _zero(other) and _number(then):
        count = trees.text_of(filtered("COUNT(*)", both, context))
        shown = trees.text_of(then)
        text = f"CAST({count} AS DOUBLE) * {shown} / NULLIF(COUNT(*), 0)"
        return trees.expression(f"({text})"), True
    if kind != "Sum" or _integer(other) != 0 or gate is not None:
        raise Unsupported(
            f"{kind.upper()} of {trees.text_of(over)} is outside the audited fragment"
        )
    if number is not None:
        count = trees.text_of(filtered("COUNT(*)", both, context))
        return trees.expression(f"({count} * {number})"), True
    if kind_of(then) != "Column" or _may_be_null(then, context):
        raise Unsupported(
            f"SUM of {trees.text_of(over)} is audited where {trees.text_of(then)}"
            " cannot be NULL"
        )
    total = trees.text_of(_plain("Sum", False, then, both, context))
    return trees.expression(f"COALESCE({total}, 0)"), True


def _may_be_null(column: Any, context: Context) -> bool:
    """Whether a column may be missing in some world."""
    name = context.sensitive.get(column.name.lower())
    if name is None:
        return True
    domain = context.scope.domains.get(name)
    return domain is None or bool(domain.null)


def _number(node: Any) -> bool:
    """Whether this is a literal number."""
    return kind_of(node) == "Literal" and not node.is_string


def _zero(node: Any) -> bool:
    """Whether this is the number zero."""
    return _number(node) and not str(node.this).strip("0.")


def _integer(node: Any) -> int | None:
    """An integer literal as it is; None for all else."""
    node = trees.bare(node)
    sign = 1
    if kind_of(node) == "Neg":
        sign, node = -1, trees.bare(node.this)
    if kind_of(node) != "Literal" or node.is_string or not str(node.this).isdecimal():
        return None
    number = int(node.this)
    return sign * number if number < 2**31 else None


def _sum(over: Any, gate: Any, context: Context) -> tuple[Any, bool]:
    """SUM of ``a * x + b``, as ``a * SUM(x) + b * COUNT(x)``."""
    number = _integer(over)
    if number is not None:
        count = trees.text_of(filtered("COUNT(*)", gate, context))
        return trees.expression(f"(NULLIF({count}, 0) * {number})"), False
    if kind_of(over) == "Column" or context.public(over):
        return _plain("Sum", False, over, gate, context), False
    factor, column, rest = _linear(over)
    _fits(over, context)
    total = trees.text_of(_plain("Sum", False, column, gate, context))
    text = f"{factor} * {total}"
    if rest:
        count = trees.text_of(_plain("Count", False, column, gate, context))
        text += f" + {rest} * {count}"
    return trees.expression(f"({text})"), False


def _linear(node: Any) -> tuple[int, Any, int]:
    """``a * x + b`` with integers a and b.  Raises Unsupported for all else."""
    node = trees.bare(node)
    kind = kind_of(node)
    if kind == "Column":
        return 1, node, 0
    if kind == "Neg":
        factor, column, rest = _linear(node.this)
        return -factor, column, -rest
    if kind in ("Add", "Sub", "Mul"):
        left, right = _integer(node.this), _integer(node.expression)
        if left is None and right is not None:
            factor, column, rest = _linear(node.this)
            if kind == "Mul":
                return factor * right, column, rest * right
            return factor, column, rest + (right if kind == "Add" else -right)
        if left is not None and right is None:
            factor, column, rest = _linear(node.expression)
            if kind == "Mul":
                return factor * left, column, rest * left
            sign = 1 if kind == "Add" else -1
            return sign * factor, column, left + sign * rest
    raise Unsupported(f"SUM of {trees.text_of(node)} is outside the audited fragment")


def _fits(over: Any, context: Context) -> None:
    """Raises Unsupported where the expression is an error for some value: no world of
    such a value has an answer.
    """
    names = context.touched(over)
    domain = context.scope.domains.get(names[0]) if len(names) == 1 else None
    if domain is None or domain.kind != "integer":
        raise Unsupported(f"SUM of {trees.text_of(over)} is outside the fragment")
    bare = over.copy()
    from sqlglot import exp

    for column in bare.find_all(exp.Column):
        column.set("table", None)
    # linear: it is greatest and least at the ends
    ends = (min(domain.values), max(domain.values)) if domain.values else None
    low, high = ends or (domain.low, domain.high)
    kind = context.types[names[0]]
    for end in (low, high):
        value = f'CAST({end} AS {kind}) AS "{names[0]}"'
        context.run(f"SELECT {trees.text_of(bare)} FROM (SELECT {value})")


def aggregates_of(item: Any) -> list[str]:
    """The aggregates in an item, each once, as SQL."""
    from sqlglot import exp

    found = []
    for node in item.find_all(exp.AggFunc):
        whole = node.parent if kind_of(node.parent) == "Filter" else node
        found.append(trees.text_of(whole))
    return list(dict.fromkeys(found))


def public_item(item: Any, groups: set[str], context: Context) -> bool:
    """Whether an item follows from what a group is: of its columns and constants."""
    from sqlglot import exp

    if item.find(exp.AggFunc, exp.Window, exp.Query):
        return False
    if any(kind_of(node) not in DERIVED for node in item.walk()):
        return False
    columns = [trees.text_of(column) for column in item.find_all(exp.Column)]
    return all(column in groups for column in columns) or trees.text_of(item) in groups
