"""Conditions on rows as constraints: a condition has two terms for a row, when it is true and when it is false; where
neither holds it is NULL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.connectives import BOTH, OPERATORS, Both, Carrier, Formula, fold, ordered, where
from phverify.disclosure.facts.domains import kind_of
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import Terms, alone
from phverify.disclosure.worlds.cells import Cell, Coding, type_kind
from phverify.disclosure.worlds.relation import Relation

ROWS: Carrier[list[Both]] = Carrier(
    lambda rows: list(map(BOTH.negated, rows)),
    lambda several: list(map(BOTH.every, zip(*several, strict=True))),
    lambda several: list(map(BOTH.some, zip(*several, strict=True))),
)
"""The connectives row by row."""


def is_value(cell: Cell, coding: Coding, value: q.Value) -> t.Term:
    """The cell holds this value (None: it is missing)."""
    if value is None:
        return cell.missing
    return t.conj((t.neg(cell.missing), t.equal(alone(cell.variable), coding.code(value))))


def compared(body: t.Sum, operator: str, bound: Fraction) -> t.Term:
    """``body operator bound``, for a sum of integers."""
    floor = bound.numerator // bound.denominator
    whole = bound == floor
    match operator:
        case "=":
            return t.equal(body, floor) if whole else t.FALSE
        case "!=":
            return t.neg(t.equal(body, floor)) if whole else t.TRUE
        case "<":
            return t.within(body, None, floor - 1 if whole else floor)
        case "<=":
            return t.within(body, None, floor)
        case ">":
            return t.within(body, floor + 1, None)
    return t.within(body, floor if whole else floor + 1, None)


def comparison(cells: Sequence[tuple[int, Cell]], operator: str, bound: Fraction) -> Both:
    """``sum of factor * code operator bound``, unknown where a cell of it is missing."""
    body = t.Sum(plain=tuple((factor, cell.variable) for factor, cell in cells))
    return where((t.neg(cell.missing) for _, cell in cells), compared(body, operator, bound))


@dataclass(frozen=True)
class Reader:
    """Conditions as terms, a pair for each row."""

    over: Relation

    def true(self, condition: Formula | None) -> list[t.Term]:
        """When a condition is true of each row."""
        if condition is None:
            return [t.TRUE] * self.over.rows
        return [true for true, _ in fold(condition, self.leaf, ROWS)]

    def both_true(self, selected: Terms, condition: Formula | None) -> Terms:
        """When a row is selected and the condition is true of it."""
        if condition is None:
            return selected
        return [t.conj(pair) for pair in zip(selected, self.true(condition), strict=True)]

    def leaf(self, condition: q.Public | q.IsNull | q.Compare) -> list[Both]:
        rows = range(self.over.rows)
        match condition:
            case q.Public(sql):
                return [(t.constant(value is True), t.constant(value is False)) for value in self.over.truth[sql]]
            case q.IsNull(column):
                return [where((), self.missing(column, row)) for row in rows]
            case q.Compare(left, operator, right):
                self.alike(left, right)
                return [self.compare(left, operator, right, row) for row in rows]

    def missing(self, column: str, row: int) -> t.Term:
        if column in self.over.codings:
            return self.over.cells[column][row].missing
        return t.constant(self.over.public[column][row] is None)

    def kind(self, side: q.Operand) -> str:
        """integer, text, boolean, or nothing for NULL.  Raises Unsupported for a public column of another type."""
        if isinstance(side, q.Column) and side.name in self.over.codings:
            return self.over.codings[side.name].kind
        if isinstance(side, q.Column):
            type_ = self.over.types[side.name]
            if kind := type_kind(type_):
                return kind
            raise Unsupported(f"{side.name}, a column of {type_}, beside a sensitive column is not audited")
        if side.value is None:
            return ""
        return kind_of(side.value) or "integer"

    def alike(self, left: q.Operand, right: q.Operand) -> None:
        kinds = {self.kind(left), self.kind(right)} - {""}
        if len(kinds) > 1:
            raise Unsupported(f"a comparison of {' with '.join(sorted(kinds))} is not audited")
        unknown = [s.name for s in (left, right) if isinstance(s, q.Column) and s.name in self.over.codings]
        domains = {self.over.codings[name].domain.values for name in unknown}
        if len(domains) > 1 and kinds != {"integer"}:
            raise Unsupported(f"a comparison of {' with '.join(unknown)}, which have other values, is not audited")

    def compare(self, left: q.Operand, operator: str, right: q.Operand, row: int) -> Both:
        one, other = self.side(left, row), self.side(right, row)
        if one is None or other is None:
            return t.FALSE, t.FALSE
        if not isinstance(one, Cell) and not isinstance(other, Cell):
            return where((), t.constant(bool(OPERATORS[operator](ordered(one), ordered(other)))))
        cells, bound = [], Fraction(0)
        for sign, side in ((1, one), (-1, other)):
            if isinstance(side, Cell):
                cells.append((sign, side))
            else:
                bound -= sign * self.coding(left, right).position(side)
        return comparison(cells, operator, bound)

    def coding(self, *sides: q.Operand) -> Coding:
        """How the first sensitive column of two sides is coded."""
        names = [side.name for side in sides if isinstance(side, q.Column)]
        return next(self.over.codings[name] for name in names if name in self.over.codings)

    def side(self, side: q.Operand, row: int) -> Any:
        """A cell, a value, or None for NULL."""
        if isinstance(side, q.Constant):
            return side.value
        if side.name in self.over.codings:
            return self.over.cells[side.name][row]
        return self.over.public[side.name][row]
