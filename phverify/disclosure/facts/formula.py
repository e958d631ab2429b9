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
from typing import Any

from phverify.disclosure.connectives import (
    FORMULAS,
    OPERATORS,
    TRUTHS,
    Conjunction,
    Disjunction,
    Negation,
    Proposition,
    Truth,
    fold,
    leaves,
    ordered,
)
from phverify.disclosure.log.query import Value

_SIMPLE = re.compile(r"-?\w+(-\w+)*")


@dataclass(frozen=True)
class FactCell:
    """A cell by column and key; without a key it is that of the row which the fact is
    about.
    """

    column: str
    key: str | None = None
    place: int = field(default=0, compare=False)
    """Where the text of the formula names it, for messages."""

    def __str__(self) -> str:
        name = (
            self.column
            if re.fullmatch(r"[^\W\d]\w*", self.column)
            else '"' + self.column.replace('"', '""') + '"'
        )
        if self.key is None:
            return name
        return (
            f"{name}[{self.key if _SIMPLE.fullmatch(self.key) else literal(self.key)}]"
        )


@dataclass(frozen=True)
class LinearSide:
    """``sum of factor * cell + constant``; the cells of a sum are integers.  A single
    text cell is one, too.
    """

    factors: tuple[tuple[int, FactCell], ...] = ()
    constant: int = 0

    def __str__(self) -> str:
        pieces = [
            f"{c} * {cell}" if abs(c) != 1 else "-" * (c < 0) + str(cell)
            for c, cell in self.factors
        ]
        pieces += [str(self.constant)] if self.constant or not pieces else []
        return " + ".join(pieces).replace("+ -", "- ")


Side = LinearSide | str | bool
"""One side of a comparison: a sum, a text or a truth value."""


@dataclass(frozen=True)
class CellComparison(Proposition):
    """``left operator right``, with one of ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``;
    texts are ordered by bytes.
    """

    left: Side
    operator: str
    right: Side

    def __str__(self) -> str:
        sides = [
            str(side) if isinstance(side, LinearSide) else literal(side)
            for side in (self.left, self.right)
        ]
        return f"{sides[0]} {self.operator} {sides[1]}"


@dataclass(frozen=True)
class Among(Proposition):
    """The cell has one of the values; they are those at or below ``node`` of a taxonomy
    where that is given.
    """

    cell: FactCell
    values: tuple[int | str | bool, ...]
    node: str = ""

    def __str__(self) -> str:
        listed = f"in ({', '.join(map(literal, self.values))})"
        return f"{self.cell} {'below ' + literal(self.node) if self.node else listed}"


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
        case Conjunction(several):
            return " and ".join(map(_part, several))
        case Disjunction(several):
            return " or ".join(map(_part, several))
    return str(formula)


def _part(formula: Proposition) -> str:
    """A part of a formula, in parentheses where it has parts of its own."""
    return (
        f"({text(formula)})"
        if isinstance(formula, (Conjunction, Disjunction))
        else text(formula)
    )


def literal(value: int | str | bool) -> str:
    """A value as a formula writes it."""
    return (
        "'" + value.replace("'", "''") + "'"
        if isinstance(value, str)
        else str(value).lower()
    )


def rebuilt(
    formula: Proposition, change: Callable[[FactCell], FactCell]
) -> Proposition:
    """The formula with each cell changed."""

    def leaf(atom: Atom) -> Proposition:
        if isinstance(atom, CellComparison):
            return CellComparison(
                _side(atom.left, change), atom.operator, _side(atom.right, change)
            )
        return replace(atom, cell=change(atom.cell))

    return fold(formula, leaf, FORMULAS)


def _side(side: Side, change: Callable[[FactCell], FactCell]) -> Side:
    if not isinstance(side, LinearSide):
        return side
    return LinearSide(
        tuple((c, change(cell)) for c, cell in side.factors), side.constant
    )


def cells(formula: Proposition) -> tuple[FactCell, ...]:
    """The cells that a formula names, each once, in the order of their first place."""
    found: dict[FactCell, None] = {}
    for atom in leaves(formula):
        if isinstance(atom, CellComparison):
            sides = (
                side for side in (atom.left, atom.right) if isinstance(side, LinearSide)
            )
            found |= dict.fromkeys(cell for side in sides for _, cell in side.factors)
        else:
            found[atom.cell] = None
    return tuple(found)


def truth(formula: Proposition, values: Mapping[FactCell, Value]) -> Truth:
    """True, False or None (unknown) where the cells have these values."""

    def leaf(atom: Atom) -> Truth:
        match atom:
            case CellComparison(left, operator, right):
                one, other = _value(left, values), _value(right, values)
                return (
                    None
                    if one is None or other is None
                    else bool(OPERATORS[operator](one, other))
                )
            case Among(cell, among, _):
                return None if values[cell] is None else values[cell] in among
            case Missing(cell):
                return values[cell] is None

    return fold(formula, leaf, TRUTHS)


def _value(side: Side, values: Mapping[FactCell, Value]) -> Any:
    """The value of a side; None where a cell is missing; texts by bytes."""
    if not isinstance(side, LinearSide):
        return ordered(side)
    found = [values[cell] for _, cell in side.factors]
    if None in found:
        return None
    if len(found) == 1 and not isinstance(found[0], int):
        return str(found[0]).encode()
    return (
        sum(
            c * int(value or 0)
            for (c, _), value in zip(side.factors, found, strict=True)
        )
        + side.constant
    )
