"""Conditions on groups, and how many different values a group has, as constraints.

``HAVING`` compares aggregates with constants.  Over no cell an aggregate other than COUNT is NULL, and then the
comparison is neither true nor false.  ``AVG`` is a double: where it is compared with an integer c, the rounded
quotient of sum and count stands as the exact one does to c as long as 1/count is more than the distance of doubles
near c.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from phverify.constraints import terms as t
from phverify.disclosure.connectives import BOTH, Both, Formula, fold, where
from phverify.disclosure.grouping import grouped
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import alone, count
from phverify.disclosure.worlds.aggregates import Selected, measured
from phverify.disclosure.worlds.conditions import compared
from phverify.disclosure.worlds.rounding import LARGEST_SUM

VALUES = 64
"""Different values are counted in domains of so many values,"""
CELLS = 64
"""or, whatever the domain, among so many cells of a group."""
PAIRS = 50_000
"""A cell and a value that it may have, in one group."""
LARGEST_MEAN, LARGEST_COUNT = 2**30, 2**20


def different(selected: Selected) -> t.Sum:
    """How many different values the cells that count have.  Raises Unsupported where they may be too many.

    A value counts when a cell that counts has it; or a cell counts when none before it has the same value.
    """
    guards = grouped((x, term) for term, x in selected.cells if term is not t.FALSE)
    there = [(t.disj(terms), x) for x, terms in guards.items()]
    unknown = [(term, x) for term, x in there if isinstance(x, t.Variable)]
    if len(unknown) < len(there) or not unknown:
        return count(term for term, _ in there)
    values = unknown[0][1].values or range(unknown[0][1].low, unknown[0][1].high + 1)
    parts = []
    if len(values) <= VALUES and len(values) * len(unknown) <= PAIRS:
        for value in values:
            parts.append(t.disj(t.conj((term, t.equal(alone(x), value))) for term, x in unknown))
    elif len(unknown) <= CELLS:
        for place, (term, x) in enumerate(unknown):
            same = (t.conj((other, t.equal(alone(x) - alone(y), 0))) for other, y in unknown[:place])
            parts.append(t.conj((term, *map(t.neg, same))))
    else:
        raise Unsupported(
            f"COUNT(DISTINCT ..) is audited for domains of up to {VALUES} values, or {CELLS} cells of a group: "
            f"here there are {len(values):,} and {len(unknown):,}"
        )
    return count(parts)


def having(condition: Formula | None, cells: Mapping[q.Aggregate, Selected]) -> Both:
    """When a condition on a group is true, and when it is false; ``cells`` are those of its aggregates."""

    def leaf(found: q.Measured) -> Both:
        return _measured(found, cells[found.aggregate])

    return (t.TRUE, t.FALSE) if condition is None else fold(condition, leaf, BOTH)


def _measured(found: q.Measured, cells: Selected) -> Both:
    if found.constant.value is None:
        return t.FALSE, t.FALSE
    item, operator, bound = found.aggregate, found.operator, _bound(found, cells)
    if item.kind == "avg":
        true = compared(cells.total - bound.numerator * cells.number, operator, Fraction(0))
    elif item.distinct:
        true = compared(different(cells), operator, bound)
    else:
        true = measured(item.kind, cells, operator, bound)
    return where(() if item.kind == "count" else (t.within(cells.number, 1, None),), true)


def _bound(found: q.Measured, cells: Selected) -> Fraction:
    """The constant among the codes of the cells.  Raises Unsupported for one of another kind."""
    kind, value, coding = found.aggregate.kind, found.constant.value, cells.coding
    if kind == "median":
        raise Unsupported("MEDIAN in HAVING is outside the audited fragment")
    among = coding if kind in ("min", "max") else None
    if among is not None and among.kind == "text" and isinstance(value, str):
        return among.position(value)
    if type(value) is not int or (among is not None and not among.integral):
        raise Unsupported(f"{kind.upper()} in HAVING is not audited beside {str(value)!r}: compare it with an integer")
    if kind == "avg":
        large = max(map(abs, t.bounds(cells.total))) >= LARGEST_SUM or abs(value) > LARGEST_MEAN
        if large or len(cells.cells) > LARGEST_COUNT:
            raise Unsupported(f"AVG in HAVING is audited for integers up to {LARGEST_MEAN:,}")
    return Fraction(value)
