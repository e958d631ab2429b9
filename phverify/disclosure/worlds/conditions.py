"""Conditions as constraints: conditions of SQL on rows, and formulas over cells.

Either has two terms, when it is true and when it is false; where neither holds it is
NULL, or unknown.  ``terms`` is the twin of ``formula.truth``, the same cases in the
same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.connectives import (
    BOTH,
    OPERATORS,
    Both,
    Proposition,
    fold,
    leaves,
    ordered,
    where,
)
from phverify.disclosure.facts import formula as f
from phverify.disclosure.grids import unit_of
from phverify.disclosure.log import query as q
from phverify.disclosure.sums import Terms
from phverify.disclosure.worlds.alike import compared_columns, literal
from phverify.disclosure.worlds.codings import Coding
from phverify.disclosure.worlds.relation import QueriedRows
from phverify.disclosure.worlds.unknowns import UnknownCell

Known = int | Fraction | str | bool | None
Side = tuple[Sequence[tuple[int, UnknownCell]], Known]
"""A sum of cells, each with its factor, and what is added, None for nothing; or one
text, or one truth value.
"""


def compared(body: t.LinearSum, operator: str, bound: Fraction) -> t.Term:
    """``body operator bound``, for a sum of integers."""
    # The body is an integer: a bound between two integers is one of them.
    floor = bound.numerator // bound.denominator
    whole = bound == floor
    match operator:
        case "=":
            if whole:
                return t.equal(body, floor)
            return t.FALSE
        case "!=":
            return t.neg(compared(body, "=", bound))
        case "<":
            return t.within(body, None, floor - whole)
        case "<=":
            return t.within(body, None, floor)
        case ">":
            return t.within(body, floor + 1, None)
    return t.within(body, floor + (not whole), None)


def comparison(left: Side, operator: str, right: Side) -> Both:
    """``left operator right``, unknown where a cell of them is missing."""
    left_cells, left_known = left
    right_cells, right_known = right
    cells = [*left_cells, *((-factor, cell) for factor, cell in right_cells)]
    if not cells:
        holds = OPERATORS[operator](ordered(left_known), ordered(right_known))
        return where((), t.constant(bool(holds)))
    # What is added on the left is taken away from the bound.
    coding = cells[0][1].coding
    bound = Fraction(0)
    if left_known is not None:
        bound -= _place(left_known, coding)
    if right_known is not None:
        bound += _place(right_known, coding)
    body = t.LinearSum(plain=tuple((factor, cell.variable) for factor, cell in cells))
    return where((cell.there for _, cell in cells), compared(body, operator, bound))


def _place(known: int | Fraction | str | bool, coding: Coding) -> Fraction:
    """A constant among the codes; a number is one already."""
    if coding.integral:
        return Fraction(known)
    return coding.position(known)


# formulas over cells


def terms(formula: Proposition, unknown: Mapping[f.FactCell, UnknownCell]) -> Both:
    """When the formula is true, and when it is false."""

    def side(side: f.Side) -> Side:
        if not isinstance(side, f.LinearSide):
            return (), side
        cells = []
        for factor, cell in side.factors:
            cells.append((factor, unknown[cell]))
        constant = side.constant or None
        return cells, constant

    def leaf(atom: f.Atom) -> Both:
        match atom:
            case f.CellComparison(left, operator, right):
                return comparison(side(left), operator, side(right))
            case f.Among(cell, among, _):
                one = unknown[cell]
                allowed: list[Any] = [v for v in among if one.coding.allows(v)]
                inside = t.disj(map(one.has, allowed))
                return inside, t.conj((one.there, t.neg(inside)))
            case f.Missing(cell):
                return unknown[cell].missing, unknown[cell].there

    return fold(formula, leaf, BOTH)


# conditions on rows


def chosen(
    condition: Proposition | None, over: QueriedRows, selected: Terms | None = None
) -> Terms:
    """When a condition is true of each row that is selected, or of each one.

    Raises Unsupported.
    """
    if selected is None:
        selected = [t.TRUE] * over.rows
    if condition is None:
        return selected

    # Column by column, then row by row: each part is read once.
    parts = leaves(condition)
    columns = {part: _column(part, over) for part in parts}
    both = []
    for row, term in enumerate(selected):

        def leaf(part: q.Leaf, row: int = row) -> Both:
            column = columns[part]
            return column[row]

        true, _ = fold(condition, leaf, BOTH)
        selects = t.conj((term, true))
        both.append(selects)
    return both


def _column(part: q.Leaf, over: QueriedRows) -> Sequence[Both]:
    """What a condition is of each row."""
    match part:
        case q.Public(sql):
            return [_public(value) for value in over.truth[sql]]
        case q.IsNull(column):
            if column in over.cells:
                return [(cell.missing, cell.there) for cell in over.cells[column]]
            values = over.public[column]
            return [where((), t.constant(value is None)) for value in values]
        case q.SqlComparison(left, operator, right):
            beside = compared_columns(operator, (left, right), over)
            sides = zip(
                _sides(left, beside, over), _sides(right, beside, over), strict=True
            )
            return [_compared(one, operator, other) for one, other in sides]


def _public(value: bool | None) -> Both:
    """What the database says of a public condition; NULL is neither."""
    true = t.constant(value is True)
    false = t.constant(value is False)
    return true, false


def _compared(one: Side | None, operator: str, other: Side | None) -> Both:
    """A comparison in a row, where a side is NULL neither true nor false."""
    if one is None or other is None:
        return t.FALSE, t.FALSE
    return comparison(one, operator, other)


def _sides(
    side: q.Operand, beside: Sequence[Coding], over: QueriedRows
) -> Sequence[Side | None]:
    """A side of a comparison in each row, None where it is NULL.

    ``beside`` are the codings of the sensitive columns in the comparison.
    """
    if isinstance(side, q.SqlConstant):
        constant = _known(side.value, beside)
        return [constant] * over.rows
    if side.name in over.cells:
        units = [coding.unit for coding in beside]
        unit = unit_of(units)
        own = over.frame.codings[side.name].unit
        factor = int(own / unit)
        return [([(factor, cell)], None) for cell in over.cells[side.name]]
    return [_known(value, beside) for value in over.public[side.name]]


def _known(value: Any, beside: Sequence[Coding]) -> Side | None:
    """What is known of a side, as it stands among codes; None for NULL."""
    if value is None:
        return None
    coding = beside[0]
    if coding.integral:
        constant = literal(value, coding)
        value = coding.position(constant)
    return (), value
