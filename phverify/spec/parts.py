"""The ground parts of a formula: what is true of a row whoever stands where."""

from __future__ import annotations

from dataclasses import dataclass

from phverify.spec import syntax as s
from phverify.spec.walk import is_ground


@dataclass(frozen=True, slots=True)
class Part(s.Formula):
    """A maximal ground part, by number; its truth is a fact of each cell."""

    index: int


def split(formula: s.Formula, numbers: dict[s.Formula, int]) -> s.Formula:
    """The formula with its maximal ground parts numbered; ``numbers`` gets new ones in
    their order.
    """
    if isinstance(formula, s.Truth):
        return formula
    if is_ground(formula):
        # A part that occurs twice is one part.
        number = numbers.setdefault(formula, len(numbers))
        return Part(number)
    return s.rebuild(formula, lambda child: split(child, numbers))
