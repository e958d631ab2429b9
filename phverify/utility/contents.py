"""Which values of a column a released cell surely contains, asked of few of them.

``CellMeaning.contains`` is the one definition.  Columns may have thousands of values
and as many ranges: values that a cell cannot contain, by what it is written as, are not
asked about.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from phverify.spec.contained import ALL, LEVEL, CellMeaning
from phverify.spec.data import Label
from phverify.spec.notation import cuts, interval, number
from phverify.spec.source import Values


@dataclass(frozen=True, eq=False)
class CellContents:
    """The values of a column, and what its released cells mean."""

    meaning: CellMeaning
    values: Values

    def places(self, label: Label) -> list[int]:
        """The places of the values that a released cell surely contains."""
        if label in self.meaning.named:
            return self._below.get(label, [])
        found: list[int] = []
        for alike in self._candidates(label):
            if self.meaning.contains(label, self.values[alike[0]]):
                found += alike
        return sorted(found)

    @cached_property
    def _everything(self) -> list[list[int]]:
        """Each value by itself."""
        return [[place] for place in range(len(self.values))]

    @cached_property
    def _below(self) -> dict[Label, list[int]]:
        """The places of the values below each node of the hierarchy, and of each value
        itself.
        """
        below: dict[Label, list[int]] = {}
        for place, value in enumerate(self.values):
            for node in {value, *self.meaning.above(value)}:
                below.setdefault(node, []).append(place)
        return below

    def _candidates(self, label: Label) -> list[list[int]]:
        """Places among which are all values that a cell without a name contains; of
        those that stand together it contains all or none.
        """
        if label is None or label == ALL or LEVEL.fullmatch(label):
            return self._everything
        # What has no name may be a value still: an empty text.
        itself = [[place] for place in self._below.get(label, ())]
        listed = self.meaning.listed(label)
        if listed is not None:
            members = [
                self._place[member] for member in listed if member in self._place
            ]
            return [[place] for place in members]
        if self.meaning.ranged and not itself:
            return self._in_range(label)
        return itself

    def _in_range(self, label: str) -> list[list[int]]:
        """The same of a range."""
        if self.meaning.kind.order:
            return self._everything
        single = self.meaning.figure(label)
        if single is None:
            single = number(label)
        if single is not None:
            return self._between(single, single)
        written = interval(label)
        if written is not None:
            return self._between(written.low, written.high)
        # Ends may be written as the type has them: 1/3..1/2.
        if self.meaning.kind.ordered and any(cuts(label)):
            return self._everything
        return []

    def _between(self, low: Fraction | None, high: Fraction | None) -> list[list[int]]:
        """The numbers between two ends: those that are an end each by itself, as an end
        may belong to the range or not, and all others together.
        """
        figures = self._lowest_first
        first = 0
        last = len(figures)
        if low is not None:
            first = bisect_left(figures, low)
        if high is not None:
            last = bisect_right(figures, high)
        found = []
        inside = []
        for figure, place in self._figures[first:last]:
            if figure in (low, high):
                found.append([place])
            else:
                inside.append(place)
        if inside:
            found.append(inside)
        return found

    @cached_property
    def _place(self) -> dict[Label, int]:
        return {value: place for place, value in enumerate(self.values)}

    @cached_property
    def _lowest_first(self) -> list[Fraction]:
        return [figure for figure, _ in self._figures]

    @cached_property
    def _figures(self) -> list[tuple[Fraction, int]]:
        """The numbers of the values with their places, the lowest first."""
        figures = []
        for place, value in enumerate(self.values):
            figure = None if value is None else self.meaning.figure(value)
            if figure is not None:
                figures.append((figure, place))
        return sorted(figures)
