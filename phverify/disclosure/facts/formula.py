"""Formulas over cells, as data: what a protected fact says of a table.

A formula is true, false or unknown of a world, as a condition of SQL is: a comparison
with a missing cell is unknown, ``not`` of unknown is unknown, ``and`` is false where a
part is false, ``or`` true where a part is true.  Only ``is missing`` is never unknown.
A formula *holds* where it is true.  ``truth`` says what it is of given cells; its twin
in ``worlds.conditions`` (the same cases in the same order) writes it as constraints
over unknown ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from phverify.disclosure.connectives import (
    FORMULAS,
    OPERATORS,
    TRUTHS,
    AllOf,
    AnyOf,
    Negation,
    Proposition,
    Truth,
    fold,
    leaves,
    ordered,
)
from phverify.disclosure.grids import NUMBER, shown
from phverify.disclosure.log.query import Value
from phverify.spec.decimals import decimal

_SIMPLE = re.compile(r"-?\w+(-\w+)*")


@dataclass(frozen=True)
class FactCell:
    """A cell by column and key.

    Without a key it is that of the row which the fact is about.
    """

    column: str
    key: str | None = None
    place: int = field(default=0, compare=False)
    """Where the text of the formula names it, for messages."""
    unit: Fraction = field(default=Fraction(1), compare=False)
    """What its code is a multiple of."""
    every: bool = False
    """Whether the sum of all such cells of a person is meant."""

    def __str__(self) -> str:
        name = self.column
        if not re.fullmatch(r"[^\W\d]\w*", name):
            doubled = name.replace('"', '""')
            name = f'"{doubled}"'
        if self.every:
            return f"sum({name})"
        if self.key is None:
            return name
        key = self.key
        if not _SIMPLE.fullmatch(key):
            key = literal(key)
        return f"{name}[{key}]"


@dataclass(frozen=True)
class LinearSide:
    """``sum of factor * cell + constant``; the cells of a sum are integers.

    A single text cell is one, too.  Cells stand for their codes, and the whole is so
    many times ``unit``; ``sort`` says whether that is a number, a date or a timestamp.
    """

    factors: tuple[tuple[int, FactCell], ...] = ()
    constant: int = 0
    unit: Fraction = Fraction(1)
    sort: str = NUMBER

    def __str__(self) -> str:
        pieces = []
        for factor, cell in self.factors:
            exact = factor * self.unit / cell.unit
            piece = _product(exact, cell)
            pieces.append(piece)
        if self.constant or not pieces:
            amount = self.constant * self.unit
            constant = shown(self.sort, amount)
            if self.sort != NUMBER:
                constant = literal(constant)
            pieces.append(constant)
        return " + ".join(pieces).replace("+ -", "- ")


def _product(factor: Fraction, cell: FactCell) -> str:
    """A cell with its factor, which is not written where it is 1 or -1."""
    if abs(factor) != 1:
        return f"{decimal(factor)} * {cell}"
    if factor < 0:
        return f"-{cell}"
    return str(cell)


Side = LinearSide | str | bool
"""One side of a comparison: a sum, a text or a truth value."""


@dataclass(frozen=True)
class CellComparison(Proposition):
    """``left operator right``; texts are ordered by bytes.

    The operator is one of ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``.
    """

    left: Side
    operator: str
    right: Side

    def __str__(self) -> str:
        left = _written(self.left)
        right = _written(self.right)
        return f"{left} {self.operator} {right}"


def _written(side: Side) -> str:
    """A side as a formula has it."""
    if isinstance(side, LinearSide):
        return str(side)
    return literal(side)


@dataclass(frozen=True)
class Among(Proposition):
    """The cell has one of the values.

    They are those at or below ``node`` of a taxonomy where that is given.  Numbers and
    dates are so many units of the cell: a fraction is none of its values.
    """

    cell: FactCell
    values: tuple[int | Fraction | str | bool, ...]
    node: str = ""
    sort: str = NUMBER

    def __str__(self) -> str:
        if self.node:
            node = literal(self.node)
            return f"{self.cell} below {node}"
        listed = ", ".join(map(self._shown, self.values))
        return f"{self.cell} in ({listed})"

    def _shown(self, value: int | Fraction | str | bool) -> str:
        """A value as the formula writes it."""
        if isinstance(value, (str, bool)):
            return literal(value)
        amount = value * self.cell.unit
        text = shown(self.sort, amount)
        if self.sort == NUMBER:
            return text
        return literal(text)


@dataclass(frozen=True)
class Missing(Proposition):
    """The cell is missing: true or false, never unknown."""

    cell: FactCell

    def __str__(self) -> str:
        return f"{self.cell} is missing"


Atom = CellComparison | Among | Missing


def text(formula: Proposition) -> str:
    """A formula as it is written."""
    match formula:
        case Negation(body):
            return f"not ({text(body)})"
        case AllOf(several):
            return " and ".join(map(_part, several))
        case AnyOf(several):
            return " or ".join(map(_part, several))
    return str(formula)


def _part(formula: Proposition) -> str:
    """A part of a formula, in parentheses where it has parts of its own."""
    inner = text(formula)
    if isinstance(formula, (AllOf, AnyOf)):
        return f"({inner})"
    return inner


def literal(value: int | str | bool) -> str:
    """A value as a formula writes it."""
    if isinstance(value, str):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return str(value).lower()


def rebuilt(
    formula: Proposition, change: Callable[[FactCell], FactCell]
) -> Proposition:
    """The formula with each cell changed."""

    def leaf(atom: Atom) -> Proposition:
        if isinstance(atom, CellComparison):
            left = _side(atom.left, change)
            right = _side(atom.right, change)
            return CellComparison(left, atom.operator, right)
        return replace(atom, cell=change(atom.cell))

    return fold(formula, leaf, FORMULAS)


def _side(side: Side, change: Callable[[FactCell], FactCell]) -> Side:
    """A side of a comparison with each cell changed."""
    if not isinstance(side, LinearSide):
        return side
    factors = []
    for factor, cell in side.factors:
        changed = change(cell)
        factors.append((factor, changed))
    return replace(side, factors=tuple(factors))


def cells(formula: Proposition) -> tuple[FactCell, ...]:
    """The cells that a formula names, each once, in the order of their first place."""
    named: dict[FactCell, None] = {}

    # A dictionary keeps the order in which cells are named.
    for atom in leaves(formula):
        if not isinstance(atom, CellComparison):
            named[atom.cell] = None
            continue
        for side in (atom.left, atom.right):
            if isinstance(side, LinearSide):
                in_sum = [cell for _, cell in side.factors]
                named |= dict.fromkeys(in_sum)
    return tuple(named)


def truth(formula: Proposition, values: Mapping[FactCell, Value]) -> Truth:
    """True, False or None (unknown) where the cells have these values."""

    def leaf(atom: Atom) -> Truth:
        match atom:
            case CellComparison(left, operator, right):
                one = _value(left, values)
                other = _value(right, values)
                # SQL: even two missing cells are not equal, nor are they different.
                if one is None or other is None:
                    return None
                return bool(OPERATORS[operator](one, other))
            case Among(cell, among, _):
                if values[cell] is None:
                    return None
                return values[cell] in among
            case Missing(cell):
                return values[cell] is None

    return fold(formula, leaf, TRUTHS)


def _value(side: Side, values: Mapping[FactCell, Value]) -> Any:
    """The value of a side; None where a cell is missing; texts by bytes."""
    if not isinstance(side, LinearSide):
        return ordered(side)

    # SQL's arithmetic: a sum with a missing part is missing.
    terms = [(factor, values[cell]) for factor, cell in side.factors]
    missing = any(value is None for _, value in terms)
    if missing:
        return None
    if len(terms) == 1:
        ((_, only),) = terms
        if not isinstance(only, int):
            return str(only).encode()
    total = side.constant
    for factor, value in terms:
        number = int(value or 0)
        total += factor * number
    return total
