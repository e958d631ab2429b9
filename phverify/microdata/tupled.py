"""Recoding by tuples: a release whose every cell contains the original one, row by row.

It is a sanitization by one function on tuples of quasi-identifier values, where alike
rows became alike.  Where some did not (relaxed Mondrian), it is truthful all the same;
in which class each of these people is, cannot be told from the quasi-identifiers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from phverify.errors import Problem, Problems
from phverify.exact import Bools
from phverify.microdata.cell_hints import nearest_cell, numeric
from phverify.microdata.coding import PairedColumn, codes_of
from phverify.microdata.departures import SHOWN, RowPlaces, forks, quoted
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.table import Label
from phverify.spec.contained import CellMeaning
from phverify.spec.types import TEXT, ValueType


@dataclass(frozen=True, eq=False)
class TupledRelease:
    """How many different tuples became how many; ``torn`` marks the original rows whose
    tuple became several, and ``example`` are two of them.

    Where records are ``withheld``, those released have tuples; a tuple of which some
    records are withheld is torn.
    """

    tuples: int
    boxes: int
    torn: Bools
    example: tuple[int, int] | None
    withheld: int = 0

    @property
    def function(self) -> bool:
        """Whether alike rows became alike."""
        return self.example is None

    @staticmethod
    def of(known: Sequence[PairedColumn]) -> TupledRelease:
        """The recoding of rows that stand in one order in both tables."""
        rows = len(known[0].before)
        before, after = codes_of(known, rows)
        # The first row of each tuple says what the tuple became.
        _, first, number = np.unique(before, return_index=True, return_inverse=True)
        unlike = after != after[first[number]]
        torn = np.isin(before, before[unlike])
        example = None
        if unlike.any():
            row = int(np.argmax(unlike))
            example = int(first[number[row]]), row
        boxes = len(np.unique(after))
        return TupledRelease(len(first), boxes, torn, example)


@dataclass(frozen=True, eq=False)
class LooseCells:
    """The values of a column whose released cell does not surely contain them: each
    with the cell, and a row that shows it.
    """

    column: PairedColumn
    meaning: CellMeaning
    pairs: list[tuple[Label, Label, int]]

    def problems(self, places: RowPlaces) -> Problems:
        """What is said of a few of them."""
        problems: Problems = []
        for value, label, row in self.pairs[:SHOWN]:
            what = (
                f"{self.column.name} is {quoted(value)} in the original and"
                f" {quoted(label)} in the release, which is no generalization of it"
            )
            hint = nearest_cell(self.meaning, label, value)
            problems.append(Problem(places.both(row), what, hint, private=True))
        return problems


def loose_cells(
    known: Sequence[PairedColumn],
    hierarchies: Hierarchies,
    types: Mapping[str, ValueType],
    occurring: Mapping[str, frozenset[Label]] | None = None,
) -> list[LooseCells]:
    """The columns with cells that do not surely contain the original ones.

    ``occurring`` are the values of the whole original, where ``known`` have not all.
    """
    loose = []
    meanings = meanings_of(known, hierarchies, types, occurring)
    for column, meaning in zip(known, meanings, strict=True):
        pairs = [
            (value, label, row)
            for value, label, row in column.pairs
            if not meaning.contains(label, value)
        ]
        if pairs:
            loose.append(LooseCells(column, meaning, pairs))
    return loose


def meanings_of(
    known: Sequence[PairedColumn],
    hierarchies: Hierarchies,
    types: Mapping[str, ValueType],
    occurring: Mapping[str, frozenset[Label]] | None = None,
) -> list[CellMeaning]:
    """What the released cells of each column mean; ``occurring`` as above."""
    meanings = []
    for column in known:
        hierarchy = hierarchies.get(column.name)
        paths = None if hierarchy is None else hierarchy.paths
        kind = types.get(column.name, TEXT)
        values = (occurring or {}).get(column.name, frozenset(column.values))
        meanings.append(CellMeaning(kind, values, paths))
    return meanings


def other_numbers(loose: Sequence[LooseCells]) -> Problems:
    """The columns that show numbers in place of others, if that is all there is.

    The rows are taken in the order in which they stand.
    """
    problems: Problems = []
    for cells in loose:
        pairs = [(value, label) for value, label, _ in cells.pairs]
        if all(numeric(cells.meaning, value, label) for value, label in pairs):
            value, label = pairs[0]
            what = f"{quoted(label)} stands where the original has {quoted(value)}"
            hint = nearest_cell(cells.meaning, label, value)
            problems.append(Problem(cells.column.name, what, hint, private=True))
    return problems


def against(loose: Sequence[LooseCells], places: RowPlaces) -> Problems:
    """What stands against a release with such cells, by tuples and by columns."""
    problems: Problems = []
    for cells in loose:
        problems += cells.problems(places)
    return [*problems[:SHOWN], *forks([cells.column for cells in loose], places)]
