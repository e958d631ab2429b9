"""Conditions on groups as constraints.

``HAVING`` compares aggregates with constants.  Over no cell an aggregate other than
COUNT is NULL, and then the comparison is neither true nor false.  ``AVG`` is a double:
where it is compared with an integer c, the rounded quotient of sum and count stands as
the exact one does to c as long as 1/count is more than the distance of doubles near c.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from phverify.constraints import terms as t
from phverify.disclosure.connectives import BOTH, Both, Proposition, fold, where
from phverify.disclosure.facts.domains import kind_of
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.worlds.aggregates import Selected, measured
from phverify.disclosure.worlds.alike import bound_of
from phverify.disclosure.worlds.codings import Coding
from phverify.disclosure.worlds.conditions import compared
from phverify.disclosure.worlds.rounding import LARGEST_SUM

LARGEST_MEAN, LARGEST_COUNT = 2**30, 2**20


def having(
    condition: Proposition | None, cells: Mapping[q.Aggregate, Selected]
) -> Both:
    """When a condition on a group is true, and when it is false.

    ``cells`` are those of its aggregates.
    """
    if condition is None:
        return t.TRUE, t.FALSE

    def leaf(part: q.Measured) -> Both:
        selected = cells[part.aggregate]
        return _measured(part, selected)

    return fold(condition, leaf, BOTH)


def _measured(part: q.Measured, cells: Selected) -> Both:
    """A comparison of an aggregate with a constant; with NULL it is neither."""
    if part.constant.value is None:
        return t.FALSE, t.FALSE
    kind = part.aggregate.kind
    bound = _bound(part, cells)

    # sum / number beside c, without the division; c is an integer here.
    if kind == "avg":
        with_mean = bound.numerator * cells.number
        rest = cells.total - with_mean
        zero = Fraction(0)
        true = compared(rest, part.operator, zero)
    else:
        true = measured(kind, cells, part.operator, bound)
    if kind == "count":
        return where((), true)
    # Of no cell every other aggregate is NULL.
    there = t.within(cells.number, 1, None)
    return where([there], true)


def _bound(part: q.Measured, cells: Selected) -> Fraction:
    """The constant among the codes of the cells.

    Raises Unsupported for one of another kind.
    """
    kind = part.aggregate.kind
    value = part.constant.value
    if kind == "median":
        raise Unsupported("MEDIAN in HAVING is outside the audited fragment")
    if cells.coding is not None and cells.coding.beside_integers:
        return _scaled_bound(kind, value, cells.coding)
    among = cells.coding if kind in ("min", "max") else None
    if among is not None and not among.integral and kind_of(value) == among.kind:
        return among.position(value)
    no_numbers = among is not None and not among.integral
    if type(value) is not int or no_numbers:
        raise Unsupported(
            f"{kind.upper()} in HAVING is not audited beside {str(value)!r}: compare it"
            " with an integer"
        )

    # Within these sizes the rounded quotient is on the same side of c.
    if kind == "avg":
        largest = max(map(abs, t.bounds(cells.total)))
        large = largest >= LARGEST_SUM or abs(value) > LARGEST_MEAN
        if large or len(cells.cells) > LARGEST_COUNT:
            raise Unsupported(
                f"AVG in HAVING is audited for integers up to {LARGEST_MEAN:,}"
            )
    return Fraction(value)


def _scaled_bound(kind: str, value: object, coding: Coding) -> Fraction:
    """The constant beside an aggregate of decimals, doubles or dates, in their units.

    Raises Unsupported.
    """
    if kind == "count" and type(value) is int:
        return Fraction(value)
    if kind in ("min", "max"):
        bound = bound_of(value, coding)
        if bound is not None:
            return bound
    # Beside an integer the database rounds no sum.
    if kind == "sum" and type(value) is int and abs(value) < LARGEST_SUM:
        return value / coding.unit
    raise Unsupported(
        f"{kind.upper()} of {coding.type} in HAVING is not audited beside"
        f" {str(value)!r}"
    )
