"""How often each combination of sensitive values occurs in each group, for aggregates
that are not known.

They must not look at the order in which rows come: those that show values one after
another do, and the last digits of STDDEV, or of a sum of floating point, depend on it.
What occurs nowhere is told as well: the counts of a group add up to all of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from phverify.disclosure.bounding.block import AtMost, BlockView, aggregates, bare
from phverify.disclosure.bounding.pure import COUNTING, EXACT, SYMMETRIC
from phverify.disclosure.bounding.rows import public_conditions, public_where
from phverify.disclosure.log.query import Value, quoted
from phverify.disclosure.log.sources import COMPARISONS, kind_of, written

SMALL = 2**31
"""Integers that all types of numbers hold."""
EXACT_AS_DOUBLE = 2**53
"""Below it doubles hold all integers: the order in which they are added changes
nothing.
"""
COMPARING = (*COMPARISONS, "Between", "In", "Is")
"""Signs between values, of which the result is true or false."""
COMBINATIONS = 64
"""So many combinations of values are counted in each group."""


def histogram(view: BlockView) -> Iterator[AtMost]:
    """The counts of all combinations that occur, by the public columns that are
    read.
    """
    if not view.plain or view.whole or view.statement.picks or not view.aggregates:
        return
    nested = any(kind_of(node) == "Select" for node in view.own[1:])
    if nested or not _in_any_order(view) or not _of_groups(view):
        return
    reads = sorted(view.block.reads)
    by = _public_columns(view)
    if view.scope.key in by or not reads:
        return
    counts = _counts(view, reads)
    if counts is None:
        return
    names = list(map(quoted, by))
    shown = ", ".join([*names, "COUNT(*)", *counts])
    group = f" GROUP BY {', '.join(names)}" if names else ""
    table = quoted(view.scope.table)
    says = f"how often each {' with each '.join(reads)} occurs"
    if by:
        says += f" by {', '.join(by)}"
    part = f"SELECT {shown} FROM {table}{public_where(view)}{group}"
    yield AtMost((part,), says)


def _counts(view: BlockView, reads: list[str]) -> list[str] | None:
    """A count for each combination; None where there are too many, or values without
    a literal.
    """
    values = [view.occurring(name) for name in reads]
    if prod(map(len, values)) > COMBINATIONS:
        return None
    counts = []
    for combination in product(*values):
        if not all(isinstance(one, int | str | None) for one in combination):
            return None
        pairs = zip(reads, combination, strict=True)
        parts = [_holds(name, value) for name, value in pairs]
        same = " AND ".join(parts)
        counts.append(f"COUNT(*) FILTER (WHERE {same})")
    return counts


def _holds(name: str, value: Value) -> str:
    """A cell has a value, as SQL."""
    if value is None:
        return f"{quoted(name)} IS NULL"
    if isinstance(value, str):
        doubled = value.replace("'", "''")
        return f"{quoted(name)} = '{doubled}'"
    literal = str(value).upper()
    return f"{quoted(name)} = {literal}"


def _in_any_order(view: BlockView) -> bool:
    """Whether no aggregate depends on the order in which rows come."""
    for node in view.own:
        if not aggregates(node):
            continue
        kind = kind_of(node)
        name = str(node.name).lower()
        named = kind == "Anonymous" and name in COUNTING
        if kind not in SYMMETRIC and not named:
            return False
        if kind in ("Sum", "Avg") and not _added_exactly(view, node):
            return False
    return True


def _added_exactly(view: BlockView, total: Any) -> bool:
    """Whether a sum, or the sum of an average, is added up without rounding, whatever
    numbers an engine adds.

    Engines make doubles of 1e-1, of long decimals, some of all decimals, and of texts
    that are added up.
    """
    for node in total.walk(prune=lambda one: _cast(view, one)):
        kind = kind_of(node)
        if kind not in EXACT and kind not in COMPARISONS and not _cast(view, node):
            return False
    largest = _largest(view, total)
    return largest is not None and largest * view.rows < EXACT_AS_DOUBLE


def _largest(view: BlockView, node: Any) -> int | None:
    """How far from 0 the part of a sum may be that a row adds; None where that may be
    no integer.
    """
    kind = kind_of(node)
    if kind in COMPARING or kind in ("Boolean", "Identifier"):
        return 1
    if kind == "Literal":
        return _whole(node)
    if kind == "Column":
        return _largest_cell(view, view.name(node))
    parts = [_largest(view, one) for one in _added(node)]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return prod(known) if kind == "Mul" else sum(known)


def _added(node: Any) -> list[Any]:
    """The parts of which the value becomes that of the whole: what a CASE asks before
    it chooses one is none.
    """
    kind = kind_of(node)
    if kind == "Case":
        chosen = [*node.args["ifs"], node.args.get("default")]
    elif kind == "If":
        chosen = [node.args["true"], node.args.get("false")]
    else:
        chosen = list(node.iter_expressions())
    return [one for one in chosen if one is not None]


def _largest_cell(view: BlockView, name: str) -> int | None:
    """The same of the cells of a column."""
    if view.kinds.get(name) == "boolean":
        return 1
    if view.kinds.get(name) != "integer":
        return None
    if name in view.scope.sensitive:
        # In each world with these counts the same ones occur.
        values = [one for one in view.occurring(name) if isinstance(one, int)]
        return max(map(abs, values), default=0)
    ends = view.ends(name)
    return None if ends is None else max(map(abs, ends))


def _whole(literal: Any) -> int | None:
    """An integer from 0, whatever it is written as: 0.0 is one."""
    if literal.is_string:
        return None
    value = Fraction(str(literal.this))
    return int(value) if value.denominator == 1 else None


def _cast(view: BlockView, node: Any) -> bool:
    """Whether this is an integer as another number that holds it exactly."""
    if kind_of(node) != "Cast" or kind_of(node.this) != "Column":
        return False
    name = view.name(node.this)
    if view.kinds.get(name) != "integer" or name not in view.scope.sensitive:
        return False
    values = [one for one in view.occurring(name) if isinstance(one, int)]
    small = all(abs(one) < SMALL for one in values)
    return small and node.to.this.name in ("DOUBLE", "DECIMAL", "BIGINT", "INT")


def _of_groups(view: BlockView) -> bool:
    """Whether all that is shown or asked for is of groups: aggregates and keys."""
    keys = {written(key).casefold() for key in view.keys}
    having = view.tree.args.get("having")
    shown = list(map(bare, view.tree.expressions))
    if having:
        shown.append(having)
    for node in shown:
        if written(node).casefold() in keys:
            continue
        for one in node.walk():
            kind = kind_of(one)
            loose = kind in ("Column", "Star")
            if loose and id(one) not in view.aggregated:
                return False
    return True


def _public_columns(view: BlockView) -> list[str]:
    """The public columns that are read elsewhere than in public conditions."""
    told: set[int] = set()
    for part in public_conditions(view):
        told |= {id(node) for node in part.walk()}
    names = []
    for node in view.own:
        if kind_of(node) != "Column" or id(node) in told or view.secret(node):
            continue
        name = view.name(node)
        if name:
            names.append(name)
    once = dict.fromkeys(names)
    return list(once)
