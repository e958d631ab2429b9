"""How often each combination of sensitive values occurs in each group, for aggregates
that are not known.

They must not look at the order in which rows come: those that show values one after
another do, and the last digits of STDDEV, or of a sum of floating point, depend on it.
What occurs nowhere is told as well: the counts of a group add up to all of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

from phverify.disclosure.bounding.block import AtMost, BlockView, aggregates, bare
from phverify.disclosure.bounding.pure import COUNTING, EXACT, SYMMETRIC
from phverify.disclosure.bounding.rows import public_conditions, public_where
from phverify.disclosure.log.query import Value, quoted
from phverify.disclosure.log.sources import COMPARISONS, kind_of, written

SMALL = 2**31
"""Integers whose sum as doubles is exact, up to four million of them."""
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
        if kind in ("Sum", "Avg"):
            inner = node.walk(prune=lambda one: _cast(view, one))
            if not all(_exact(one) or _cast(view, one) for one in inner):
                return False
    return True


def _cast(view: BlockView, node: Any) -> bool:
    """Whether this is an integer as another number that holds it exactly.

    Sums of such doubles are exact below 2^53.
    """
    if kind_of(node) != "Cast" or kind_of(node.this) != "Column":
        return False
    name = view.name(node.this)
    if view.kinds.get(name) != "integer" or name not in view.scope.sensitive:
        return False
    values = [one for one in view.occurring(name) if isinstance(one, int)]
    small = all(abs(one) < SMALL for one in values)
    return small and node.to.this.name in ("DOUBLE", "DECIMAL", "BIGINT", "INT")


def _exact(node: Any) -> bool:
    """Whether a part of a sum is added up without rounding."""
    kind = kind_of(node)
    return kind in EXACT or kind in COMPARISONS


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
