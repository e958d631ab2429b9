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
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.worlds.aggregates import Number, Selected, count
from phverify.disclosure.worlds.conditions import Both, compared
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
    guards: dict[Number, list[t.Term]] = {}
    for term, x in selected.cells:
        if term is not t.FALSE:
            guards.setdefault(x, []).append(term)
    there = [(t.disj(terms), x) for x, terms in guards.items()]
    unknown = [(term, x) for term, x in there if isinstance(x, t.Variable)]
    if len(unknown) < len(there) or not unknown:
        return count([term for term, _ in there])
    values = unknown[0][1].values or range(unknown[0][1].low, unknown[0][1].high + 1)
    if len(values) <= VALUES and len(values) * len(unknown) <= PAIRS:
        return count([_some(unknown, value) for value in values])
    if len(unknown) <= CELLS:
        return count([_first(unknown, place) for place in range(len(unknown))])
    raise Unsupported(
        f"COUNT(DISTINCT ..) is audited for domains of up to {VALUES} values, or {CELLS} cells of a group: "
        f"here there are {len(values):,} and {len(unknown):,}"
    )


def _some(cells: list[tuple[t.Term, t.Variable]], value: int) -> t.Term:
    return t.disj(t.conj((term, t.equal(_alone(x), value))) for term, x in cells)


def _first(cells: list[tuple[t.Term, t.Variable]], place: int) -> t.Term:
    term, x = cells[place]
    return t.conj((term, *(t.neg(t.conj((other, _same(x, y)))) for other, y in cells[:place])))


def _same(x: t.Variable, y: t.Variable) -> t.Term:
    return t.equal(t.Sum(plain=((1, x), (-1, y))), 0)


def _alone(x: Number) -> t.Sum:
    return t.Sum(constant=x) if isinstance(x, int) else t.Sum(plain=((1, x),))


def having(where: q.Predicate | None, cells: Mapping[q.Aggregate, Selected]) -> Both:
    """When a condition on a group is true, and when it is false; ``cells`` are those of its aggregates."""
    match where:
        case None:
            return t.TRUE, t.FALSE
        case q.Not(body):
            true, false = having(body, cells)
            return false, true
        case q.And(parts):
            several = [having(part, cells) for part in parts]
            return t.conj(p[0] for p in several), t.disj(p[1] for p in several)
        case q.Or(parts):
            several = [having(part, cells) for part in parts]
            return t.disj(p[0] for p in several), t.conj(p[1] for p in several)
        case q.Measured(item, operator, constant):
            return _measured(item, cells[item], operator, constant)
    raise TypeError(f"no condition on groups: {where!r}")


def _measured(item: q.Aggregate, cells: Selected, operator: str, constant: q.Constant) -> Both:
    if constant.value is None:
        return t.FALSE, t.FALSE
    bound = _bound(item, cells, constant)
    number = count([term for term, _ in cells.cells])
    some = t.TRUE if item.kind == "count" else t.within(number, 1, None)
    if item.kind in ("min", "max"):
        true = _extreme(item.kind, cells, operator, bound)
    elif item.kind == "avg":
        total = t.joined(((1, _total(cells)), (-bound.numerator, number)))
        true = compared(total, operator, Fraction(0))
    elif item.kind == "sum":
        true = compared(_total(cells), operator, bound)
    else:
        true = compared(different(cells) if item.distinct else number, operator, bound)
    return t.conj((some, true)), t.conj((some, t.neg(true)))


def _total(cells: Selected) -> t.Sum:
    return t.total((1, term, x) for term, x in cells.cells)


def _bound(item: q.Aggregate, cells: Selected, constant: q.Constant) -> Fraction:
    """The constant among the codes of the cells.  Raises Unsupported for one of another kind."""
    value, coding = constant.value, cells.coding
    if item.kind in ("min", "max") and coding is not None and coding.kind == "text" and isinstance(value, str):
        return coding.position(value)
    whole = value if isinstance(value, int) and not isinstance(value, bool) else None
    if item.kind == "median":
        raise Unsupported("MEDIAN in HAVING is outside the audited fragment")
    if whole is None or (item.kind in ("min", "max") and coding is not None and not coding.integral):
        raise Unsupported(
            f"{item.kind.upper()} in HAVING is not audited beside {str(value)!r}: compare it with an integer"
        )
    if item.kind == "avg":
        large = max(map(abs, t.bounds(_total(cells)))) >= LARGEST_SUM or abs(whole) > LARGEST_MEAN
        if large or len(cells.cells) > LARGEST_COUNT:
            raise Unsupported(f"AVG in HAVING is audited for integers up to {LARGEST_MEAN:,}")
    return Fraction(whole)


def _extreme(kind: str, cells: Selected, operator: str, bound: Fraction) -> t.Term:
    """MIN or MAX beside a constant, where some cell counts: all cells are beyond it, or one is not."""
    beyond, from_ = (">", ">=") if kind == "min" else ("<", "<=")

    def all_(sign: str) -> t.Term:
        return t.conj(t.disj((t.neg(term), compared(_alone(x), sign, bound))) for term, x in cells.cells)

    if operator in (beyond, from_):
        return all_(operator)
    if operator in ("=", "!="):
        equal = t.conj((all_(from_), t.neg(all_(beyond))))
        return equal if operator == "=" else t.neg(equal)
    return t.neg(all_(from_ if operator in ("<", ">") else beyond))
