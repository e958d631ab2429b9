"""Aggregates of CASE, COUNT_IF and sums of linear terms, as functions of the aggregates
that the fragment has.

Each rule is an equality wherever the aggregate is not NULL.  A SUM with ELSE 0 is NULL
of no row, where a COUNT with FILTER is 0: such a rule comes with a guard, a condition
on rows, and the aggregate is NULL exactly where it is true of no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phverify.disclosure.log.functions import derives
from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.normal import domains, trees
from phverify.disclosure.normal.context import Context
from phverify.disclosure.worlds.column_types import INTEGERS

EVERY = "TRUE"
"""The guard of what is NULL of no row."""
KINDS = ("Sum", "Count", "Avg", "Min", "Max", "Median")


@dataclass(frozen=True)
class Rewritten:
    """An item of aggregates of the fragment, and the conditions one of whose lack makes
    it NULL.
    """

    tree: Any
    guards: tuple[str, ...] = ()


def measured(item: Any, context: Context) -> Rewritten:
    """An item where each aggregate is one of the fragment.

    Raises Unsupported.
    """
    from sqlglot import exp

    item = item.copy()
    root = exp.Paren(this=item)
    guards: list[str] = []
    for node in list(root.find_all(exp.AggFunc)):
        found = trees.aggregate(node)
        gate = found.expression.this if found is not node else None
        if node.find_ancestor(exp.AggFunc, exp.Window):
            raise Unsupported("an aggregate of an aggregate is outside the fragment")
        new, guard = _one(node, gate, context)
        if guard and not _zeroed(found):
            guards.append(guard)
        # a SUM is a HUGEINT, and what is made of it may round otherwise than of a count
        if kind_of(node) == "Sum" and _computed(found):
            new = exp.cast(new, "HUGEINT") if _counts(new) else new
        found.replace(new)
    return Rewritten(trees.bare(root.this), tuple(dict.fromkeys(guards)))


def _computed(node: Any) -> bool:
    """Whether something is computed of an aggregate, and it is not only compared."""
    from sqlglot import exp

    if isinstance(node.parent, exp.Predicate):
        return False
    return isinstance(node.parent, exp.Binary | exp.Func | exp.Neg)


def _counts(node: Any) -> bool:
    """Whether a sum has become a count."""
    return (
        kind_of(trees.bare(node.this if kind_of(node) == "Filter" else node)) == "Count"
    )


def _roundings() -> tuple[Any, ...]:
    """What makes several numbers one."""
    from sqlglot import exp

    return exp.Round, exp.Floor, exp.Ceil, exp.Cast, exp.IntDiv, exp.Mul, exp.Div


def _zeroed(node: Any) -> bool:
    """Whether NULL is made 0 of an aggregate."""
    parent = node.parent
    if kind_of(parent) != "Coalesce" or parent.this is not node:
        return False
    return len(parent.expressions) == 1 and _zero(parent.expressions[0])


def _one(node: Any, gate: Any, context: Context) -> tuple[Any, str]:
    """One aggregate, which is over the rows where ``gate`` is true, and its guard."""
    kind = kind_of(node)
    more = {name for name, value in node.args.items() if value} - {"this", "big_int"}
    if more:
        raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
    if kind == "CountIf":
        if gate is not None:
            raise Unsupported(f"{trees.text_of(node)} with FILTER is not audited")
        guard = f"({trees.text_of(node.this)}) IS NOT NULL"
        return filtered("COUNT(*)", node.this, context), guard
    if kind not in KINDS:
        raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
    over = trees.bare(node.this)
    distinct = kind_of(over) == "Distinct"
    if distinct:
        if kind != "Count" or len(over.expressions) != 1 or over.args.get("on"):
            raise Unsupported(f"{trees.text_of(node)} is outside the audited fragment")
        over = trees.bare(over.expressions[0])
    if kind == "Sum" and not distinct and gate is None:
        over = _chosen(over, context)
    if kind_of(over) in ("Case", "If"):
        rounded = node.find_ancestor(*_roundings()) is not None
        return _of_case(kind, distinct, over, gate, rounded, context)
    if kind == "Sum" and not distinct:
        return _sum(over, gate, context), ""
    return _plain(kind, distinct, over, gate, context), ""


def _chosen(over: Any, context: Context) -> Any:
    """A public column of zeros and ones times a sensitive one, as the CASE that it is;
    all else as it stands.
    """
    if kind_of(over) != "Mul":
        return over
    first, second = trees.bare(over.this), trees.bare(over.expression)
    for flag, column in ((first, second), (second, first)):
        sensitive = context.type_of(column) in INTEGERS and not context.public(column)
        if not sensitive or not context.zeros_and_ones(flag):
            continue
        # Where it is missing the product is, too, and not 0.
        if may_be_null(column, context):
            continue
        holds, then = trees.text_of(flag), trees.text_of(column)
        return trees.expression(f"CASE WHEN {holds} = 1 THEN {then} ELSE 0 END")
    return over


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
    name = kind.upper()
    shown = trees.text_of(over)
    text = f"{name}({word}{shown})"
    return filtered(text, gate, context)


def filtered(text: str, gate: Any, context: Context) -> Any:
    """An aggregate over the rows where a condition is true."""
    if gate is None:
        return trees.expression(text)
    mended = trees.text_of(domains.readable(gate, context))
    return trees.expression(f"{text} FILTER (WHERE {mended})")


def cases(over: Any) -> tuple[Any, Any, Any]:
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
    kind: str, distinct: bool, over: Any, gate: Any, rounded: bool, context: Context
) -> tuple[Any, str]:
    """An aggregate of a CASE: FILTER, and for SUM the constants of both branches."""
    holds, then, other = cases(over)
    both = trees.both(gate, holds)
    if other is None:
        if kind == "Count" and kind_of(then) == "Literal" and not distinct:
            return filtered("COUNT(*)", both, context), ""
        if kind == "Sum" and not distinct:
            return _sum(then, both, context), ""
        return _plain(kind, distinct, then, both, context), ""
    number = integer(then)
    if gate is not None or distinct or not _zero(other):
        raise Unsupported(
            f"{kind.upper()} of {trees.text_of(over)} is outside the audited fragment"
        )
    if kind == "Avg" and _number(then):
        if number is None and rounded:
            raise Unsupported("a mean of decimals that is rounded is not audited")
        count = trees.text_of(filtered("COUNT(*)", both, context))
        shown = trees.text_of(then)
        text = f"CAST({count} * {shown} AS DOUBLE) / NULLIF(COUNT(*), 0)"
        return trees.expression(f"({text})"), EVERY
    if kind == "Sum" and number is not None:
        return _times(filtered("COUNT(*)", both, context), number), EVERY
    if kind != "Sum" or kind_of(then) != "Column":
        raise Unsupported(
            f"{kind.upper()} of {trees.text_of(over)} is outside the audited fragment"
        )
    guard = EVERY
    if may_be_null(then, context):
        shown = trees.text_of(then)
        guard = f"{shown} IS NOT NULL OR ({trees.text_of(holds)}) IS DISTINCT FROM TRUE"
    total = trees.text_of(_plain("Sum", False, then, both, context))
    return trees.expression(f"COALESCE({total}, 0)"), guard


def _times(count: Any, number: int) -> Any:
    """So many times a count."""
    if number == 1:
        return count
    return trees.expression(f"(CAST({trees.text_of(count)} AS HUGEINT) * {number})")


def may_be_null(column: Any, context: Context) -> bool:
    """Whether a column may be missing in some world."""
    name = context.sensitive.get(column.name.lower())
    if name is None:
        return True
    domain = context.scope.domains.get(name)
    if domain is None:
        return True
    return bool(domain.null)


def _number(node: Any) -> bool:
    """Whether this is a literal number."""
    return kind_of(node) == "Literal" and not node.is_string


def _zero(node: Any) -> bool:
    """Whether this is the number zero."""
    return _number(node) and not str(node.this).strip("0.")


def integer(node: Any) -> int | None:
    """An integer literal as it is; None for all else."""
    node = trees.bare(node)
    sign = 1
    if kind_of(node) == "Neg":
        sign, node = -1, trees.bare(node.this)
    if kind_of(node) != "Literal" or node.is_string or not str(node.this).isdecimal():
        return None
    number = int(node.this)
    return sign * number if number < 2**31 else None


def _sum(over: Any, gate: Any, context: Context) -> Any:
    """SUM of ``a * x + b``, as ``a * SUM(x) + b * COUNT(x)``."""
    number = integer(over)
    if number is not None:
        # of no row it is NULL, and the count is 0
        count = trees.text_of(filtered("COUNT(*)", gate, context))
        text = f"(CAST(NULLIF({count}, 0) AS HUGEINT) * {number})"
        return trees.expression(text)
    if kind_of(over) == "Column" or context.public(over):
        return _plain("Sum", False, over, gate, context)
    factor, column, rest = _linear(over)
    _fits(over, context)
    total = trees.text_of(_plain("Sum", False, column, gate, context))
    text = f"{factor} * {total}"
    if rest:
        each = column if may_be_null(column, context) else trees.expression("*")
        count = trees.text_of(_plain("Count", False, each, gate, context))
        text += f" + {rest} * {count}"
    return trees.expression(f"({text})")


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
        left, right = integer(node.this), integer(node.expression)
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
        whole = trees.aggregate(node)
        found.append(trees.text_of(whole))
    return list(dict.fromkeys(found))


def public_item(item: Any, groups: set[str], context: Context) -> bool:
    """Whether an item follows from what a group is: of its columns and constants."""
    from sqlglot import exp

    if item.find(exp.AggFunc, exp.Window, exp.Query):
        return False
    if not all(map(derives, item.walk())):
        return False
    columns = [trees.text_of(column) for column in item.find_all(exp.Column)]
    return all(column in groups for column in columns) or trees.text_of(item) in groups
