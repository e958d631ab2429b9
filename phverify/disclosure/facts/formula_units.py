"""Numbers with decimals and dates in formulas: both sides of a comparison, and lists of
values, as integers times a unit.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import LARGEST, kind_of
from phverify.disclosure.facts.formula_tokens import FactTokens
from phverify.disclosure.grids import NUMBER, amount, date_of, unit_of
from phverify.errors import nearest

Constant = int | Fraction | str | bool


class UnitTokens(FactTokens):
    """What is read of numbers and dates; the scope is told what does not fit."""

    def number(self) -> int | Fraction:
        """The number that was read last."""
        whole, _, decimals = self.token.partition(".")
        digits = whole.lstrip("0")
        most = len(str(LARGEST))
        # A number of very many digits is not converted at all.
        if len(digits) > most or int(whole) > LARGEST:
            self.complain(self.place, f"{self.token} is larger than 2^52")
            return LARGEST
        if len(decimals) > most:
            self.complain(self.place, f"{self.token} has more than {most} decimals")
            return int(whole)
        exact = Fraction(self.token)
        return exact.numerator if exact.denominator == 1 else exact

    def dated(self, side: f.Side, other: f.Side) -> f.Side:
        """A text beside a cell with a date is that date; any other side is itself."""
        if not isinstance(side, str) or not isinstance(other, f.LinearSide):
            return side
        if not single(other):
            return side
        ((_, cell),) = other.factors
        point = self.point(side, cell)
        if point is None:
            return side
        return f.LinearSide((), point, sort=self.scope.columns[cell.column].sort)

    def point(self, text: str, cell: f.FactCell) -> Any:
        """The amount of a text beside a cell with a date; None where it is none."""
        domain = self.scope.columns.get(cell.column)
        if domain is None or domain.sort == NUMBER:
            return None
        point = date_of(text, domain.sort)
        return None if point is None else amount(point)

    def in_units(
        self, left: f.Side, right: f.Side, place: int
    ) -> tuple[f.Side, f.Side]:
        """Both sides as integers times the greatest unit that divides all of them."""
        if not isinstance(left, f.LinearSide) or not isinstance(right, f.LinearSide):
            return left, right
        cells = [*left.factors, *right.factors]
        domains = [self.scope.columns.get(cell.column) for _, cell in cells]
        sorts = {domain.sort for domain in domains if domain is not None}
        if len(sorts) > 1 or (sorts and sorts != {NUMBER} and not _pair(left, right)):
            hint = "a date is compared with a date, in single quotes, or another cell"
            self.complain(place, "these cannot be compared", hint)
            return left, right
        amounts = [Fraction(factor) * cell.unit for factor, cell in cells]
        amounts += [Fraction(left.constant), Fraction(right.constant)]
        unit = unit_of(amounts)
        plain = not any(domain is not None and domain.scaled for domain in domains)
        if plain and unit.denominator != 1:
            hint = "numbers are integers here"
            self.complain(place, "a number is no integer", hint)
        if plain:
            return left, right
        sort = sorts.pop() if sorts else NUMBER
        return _scaled(left, unit, sort), _scaled(right, unit, sort)

    def fits(self, cell: f.FactCell, value: Constant) -> None:
        """Complain where a value is none of the column's, or of another type."""
        domain = self.scope.columns.get(cell.column)
        if domain is None:
            return
        integral = domain.integral
        unlisted = not integral and value not in domain.values
        kind = kind_of(value)
        if kind != domain.kind or unlisted or domain.scaled:
            declared = domain.text()
            hint = f"declared: {declared}"
            if not integral:
                hint = nearest(str(value), domain.values, "values")
            written = str(value)
            if isinstance(value, (str, bool)):
                written = f.literal(value)
            what = f"{cell.column!r} cannot be compared with {written}"
            self.complain(cell.place, what, hint)

    def codes(
        self, cell: f.FactCell, values: tuple[Constant, ...]
    ) -> tuple[int | Fraction, ...]:
        """Values of a list as codes of a column of decimals or dates."""
        codes: list[int | Fraction] = []
        for value in values:
            exact = self.point(value, cell) if isinstance(value, str) else value
            if exact is None or isinstance(exact, bool) or self.undated(cell, value):
                self.fits(cell, value)
                continue
            code = Fraction(exact) / cell.unit
            codes.append(code.numerator if code.denominator == 1 else code)
        return tuple(codes)

    def undated(self, cell: f.FactCell, value: Constant) -> bool:
        """Whether a number stands beside a cell with a date."""
        domain = self.scope.columns[cell.column]
        return domain.sort != NUMBER and not isinstance(value, str)


def _pair(left: f.LinearSide, right: f.LinearSide) -> bool:
    """Whether each side is one cell, or a constant and nothing else."""
    for side in (left, right):
        if side.factors and not single(side):
            return False
    # A number beside a date is no date.
    constants = [side for side in (left, right) if not side.factors]
    return all(side.sort != NUMBER for side in constants)


def _scaled(side: f.LinearSide, unit: Fraction, sort: str) -> f.LinearSide:
    """A side in other units."""
    factors = []
    for factor, cell in side.factors:
        factors.append((int(factor * cell.unit / unit), cell))
    constant = int(side.constant / unit)
    return replace(
        side, factors=tuple(factors), constant=constant, unit=unit, sort=sort
    )


def single(side: f.LinearSide) -> bool:
    """Whether a side is one cell and nothing else."""
    if len(side.factors) != 1 or side.constant:
        return False
    factor, _ = side.factors[0]
    return factor == 1
