"""Formulas as constraints: the twin of ``formula.truth``, the same cases in the same order."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from phverify.constraints import terms as t
from phverify.disclosure.connectives import BOTH, Both, Formula, fold
from phverify.disclosure.facts import formula as f
from phverify.disclosure.worlds.cells import Cell, Coding
from phverify.disclosure.worlds.conditions import comparison, is_value

Unknown = Callable[[f.Cell], tuple[Cell, Coding]]
"""The unknown of a cell, with the coding of its column."""


def terms(formula: Formula, unknown: Unknown) -> Both:
    """When the formula is true, and when it is false."""

    def leaf(atom: f.Atom) -> Both:
        match atom:
            case f.Compare(left, operator, right):
                return _comparison(left, operator, right, unknown)
            case f.Among(cell, among, _):
                found, coding = unknown(cell)
                inside = t.disj(is_value(found, coding, value) for value in among if coding.allows(value))
                return inside, t.conj((t.neg(found.missing), t.neg(inside)))
            case f.Missing(cell):
                missing = unknown(cell)[0].missing
                return missing, t.neg(missing)

    return fold(formula, leaf, BOTH)


def _comparison(left: f.Side, operator: str, right: f.Side, unknown: Unknown) -> Both:
    """Both sides in codes: ``sum of factor * code operator bound``, where no cell of them is missing."""
    sides = [(sign, side) for sign, side in ((1, left), (-1, right))]
    found = [(sign * c, *unknown(cell)) for sign, s in sides if isinstance(s, f.Linear) for c, cell in s.factors]
    coding = found[0][2]
    bound = Fraction(0)
    for sign, side in sides:
        bound -= sign * (side.constant if isinstance(side, f.Linear) else coding.position(side))
    return comparison([(c, cell) for c, cell, _ in found], operator, bound)
