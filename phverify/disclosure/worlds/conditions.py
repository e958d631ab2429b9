"""Conditions on rows as constraints: a condition has two terms for a row, when it is true and when it is false; where
neither holds it is NULL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.worlds.cells import Cell, Coding
from phverify.disclosure.worlds.database import INTEGERS
from phverify.disclosure.worlds.relation import Relation

Both = tuple[t.Term, t.Term]
"""When a condition is true of a row, and when it is false."""
_PYTHON = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def is_value(cell: Cell, coding: Coding, value: q.Value) -> t.Term:
    """The cell holds this value (None: it is missing)."""
    if value is None:
        return cell.missing
    alone = t.Sum(plain=((1, cell.variable),))
    return t.conj((t.neg(cell.missing), t.equal(alone, coding.code(value))))


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


@dataclass(frozen=True)
class Reader:
    """Conditions as terms, a pair for each row."""

    over: Relation

    def true(self, where: q.Predicate | None) -> list[t.Term]:
        """When a condition is true of each row."""
        return [true for true, _ in self.both(where)]

    def both_true(self, selected: Sequence[t.Term], where: q.Predicate | None) -> Sequence[t.Term]:
        """When a row is selected and the condition is true of it."""
        if where is None:
            return selected
        return [t.conj(pair) for pair in zip(selected, self.true(where), strict=True)]

    def both(self, where: q.Predicate | None) -> list[Both]:
        rows = range(self.over.rows)
        match where:
            case None:
                return [(t.TRUE, t.FALSE)] * self.over.rows
            case q.Public(sql):
                return [(t.constant(value is True), t.constant(value is False)) for value in self.over.truth[sql]]
            case q.Not(body):
                return [(false, true) for true, false in self.both(body)]
            case q.And(parts):
                several = [self.both(part) for part in parts]
                return [(t.conj(p[r][0] for p in several), t.disj(p[r][1] for p in several)) for r in rows]
            case q.Or(parts):
                several = [self.both(part) for part in parts]
                return [(t.disj(p[r][0] for p in several), t.conj(p[r][1] for p in several)) for r in rows]
            case q.IsNull(column):
                missing = [self.missing(column, r) for r in rows]
                return [(term, t.neg(term)) for term in missing]
            case q.Compare(left, operator, right):
                self.alike(left, right)
                return [self.compare(left, operator, right, r) for r in rows]
        raise TypeError(f"no condition: {where!r}")

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
            kind = "integer" if type_ in INTEGERS else {"VARCHAR": "text", "BOOLEAN": "boolean"}.get(type_)
            if kind is None:
                raise Unsupported(f"{side.name}, a column of {type_}, beside a sensitive column is not audited")
            return kind
        if side.value is None:
            return ""
        return "boolean" if isinstance(side.value, bool) else "text" if isinstance(side.value, str) else "integer"

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
        codings = [
            self.over.codings[s.name] for s in (left, right) if isinstance(s, q.Column) and s.name in self.over.codings
        ]
        if not isinstance(one, Cell) and not isinstance(other, Cell):
            holds = bool(_PYTHON[operator](_ordered(one), _ordered(other)))
            return t.constant(holds), t.constant(not holds)
        body, bound, there = t.Sum(), Fraction(0), []
        for sign, side in ((1, one), (-1, other)):
            if isinstance(side, Cell):
                body = t.joined(((1, body), (1, t.Sum(plain=((sign, side.variable),)))))
                there.append(t.neg(side.missing))
            else:
                bound -= sign * codings[0].position(side)
        term = compared(body, operator, bound)
        return t.conj((*there, term)), t.conj((*there, t.neg(term)))

    def side(self, side: q.Operand, row: int) -> Any:
        """A cell, a value, or None for NULL."""
        if isinstance(side, q.Constant):
            return side.value
        if side.name in self.over.codings:
            return self.over.cells[side.name][row]
        return self.over.public[side.name][row]


def _ordered(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value
