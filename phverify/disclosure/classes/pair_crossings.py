"""Crossings of two columns: at one *place*, which is what classes have in all other
columns, two classes have one less, and with the values of one column exchanged two
classes have one more; or the other way round.  Only sums that read both columns change.

What is left of those sums is brought back to 0 by crossings that make it less, or as
much; now and then by one that makes it a little more.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from phverify.disclosure.classes.rotations import Attributes, Walk, numbered
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import Entries

DRAWN = 400_000
"""So many crossings are drawn at most."""
CHECKED = 4096
"""So many are drawn between two looks at the clock."""
WARMTH = 0.5
"""By about so much the squares of what is left may become more at once."""


class PairCrossings:
    """What two columns can be crossed by.

    ``step`` is what the two classes that are drawn have more, -1 or 1: on this side few
    classes have room.  ``ahead`` is how much of it each class has, ``behind`` the room
    on the other side.
    """

    def __init__(
        self,
        entries: Entries,
        pair: tuple[str, str],
        attributes: Attributes,
        low: Ints,
        high: Ints,
    ) -> None:
        self.entries = entries
        downs = np.count_nonzero(low)
        ups = np.count_nonzero(high)
        self.step = -1 if downs <= ups else 1
        moves = self.step * low, self.step * high
        ahead = np.maximum(*moves)
        behind = -np.minimum(*moves)
        self.ahead = ahead.tolist()
        self.behind = behind.tolist()
        width = len(low)
        one, other = pair
        others = sorted(attributes.keys() - {one, other})
        self.at = numbered(others, attributes, width).tolist()
        self.one = attributes[one].tolist()
        self.other = attributes[other].tolist()
        open_ = np.flatnonzero(low < high)
        self.cells = self._cells(open_)
        self._sort(width)

    def _cells(self, open_: Ints) -> dict[tuple[int, int, int], int]:
        """Classes by their place and by what they have in both columns."""
        found = {}
        for place in open_.tolist():
            at = self.at[place]
            one = self.one[place]
            other = self.other[place]
            found[at, one, other] = place
        return found

    def _sort(self, width: int) -> None:
        """The sums class by class."""
        entries = self.entries
        order = np.argsort(entries.columns, kind="stable")
        each = np.arange(width + 1)
        starts = np.searchsorted(entries.columns[order], each)
        self.starts = starts.tolist()
        self.rows = entries.rows[order].tolist()
        self.factors = entries.factors[order].tolist()

    def sums(self, place: int) -> Iterator[tuple[int, int]]:
        """The sums that a class is in, each with its factor."""
        first = self.starts[place]
        after = self.starts[place + 1]
        for entry in range(first, after):
            yield self.rows[entry], self.factors[entry]

    def settled(
        self, moves: Ints, needed: set[int], check: Callable[[], None]
    ) -> Ints | None:
        """Moves that leave all sums, some crossings away; those of some classes are not
        0.  None where they were not found.
        """
        state = CrossedSums(self, moves, needed)
        for count in range(DRAWN):
            if not state.left:
                return np.array(state.moves, dtype=np.int64)
            if count % CHECKED == 0:
                check()
            state.draw()
        return None


class CrossedSums:
    """What moves leave of the sums, and which classes have room ahead, by their place
    and by their sums.
    """

    def __init__(self, crossings: PairCrossings, moves: Ints, needed: set[int]) -> None:
        self.crossings = crossings
        self.needed = needed
        self.pick = random.Random(len(moves))
        self.moves = moves.tolist()
        sums = crossings.entries.times(moves).tolist()
        self.left = {row: left for row, left in enumerate(sums) if left}
        self.listed: set[int] = set()
        self.of_place: dict[int, list[int]] = {}
        self.of_sum: dict[int, list[int]] = {}
        for place in crossings.cells.values():
            self._list(place)

    def _list(self, place: int) -> None:
        """Keeps a class, once it has room.  It stays when it has none any more."""
        if place in self.listed:
            return
        crossings = self.crossings
        moved = self.moves[place] * crossings.step
        room = crossings.ahead[place] - moved
        if not room:
            return
        self.listed.add(place)
        at = crossings.at[place]
        self.of_place.setdefault(at, []).append(place)
        for row, _ in crossings.sums(place):
            beside = self.of_sum.setdefault(row, [])
            beside.append(place)

    def draw(self) -> None:
        """Draws a crossing, and takes it if it serves."""
        walk = self._drawn()
        if not walk:
            return
        added = self._added(walk)
        if not self._serves(added):
            return
        for place, by in walk:
            self.moves[place] += by
            self._list(place)
        for row, by in added.items():
            before = self.left.pop(row, 0)
            after = before + by
            if after:
                self.left[row] = after

    def _serves(self, added: Mapping[int, int]) -> bool:
        """Whether the squares of what is left become no more, or that may be now."""
        more = 0
        for row, by in added.items():
            before = self.left.get(row, 0)
            after = before + by
            more += after**2 - before**2
        if more <= 0:
            return True
        chance = math.exp(-more / WARMTH)
        return self.pick.random() < chance

    def _drawn(self) -> Walk:
        """A crossing that changes some sum that is not 0; nothing where what was drawn
        is none.
        """
        rows = list(self.left)
        row = self._one(rows)
        several = self.of_sum.get(row)
        if not several:
            return []
        first = self._one(several)
        at = self.crossings.at[first]
        beside = self.of_place[at]
        second = self._one(beside)
        return self._crossing(first, second)

    def _one(self, several: Sequence[int]) -> int:
        """One of several by chance."""
        place = self.pick.random() * len(several)
        return several[int(place)]

    def _crossing(self, first: int, second: int) -> Walk:
        """The crossing of two classes of one place; nothing where one has no room."""
        crossings = self.crossings
        at = crossings.at[first]
        one = crossings.one[first], crossings.one[second]
        other = crossings.other[first], crossings.other[second]
        if one[0] == one[1] or other[0] == other[1]:
            return []
        cells = crossings.cells
        third = cells.get((at, one[0], other[1]), -1)
        fourth = cells.get((at, one[1], other[0]), -1)
        if third < 0 or fourth < 0:
            return []
        step = crossings.step
        walk = [
            (first, step),
            (second, step),
            (third, -step),
            (fourth, -step),
        ]
        for place, by in walk:
            if not self._may(place, by):
                return []
        return walk

    def _may(self, place: int, by: int) -> bool:
        """Whether a class may have so much more, and moves still if that is needed."""
        crossings = self.crossings
        moved = self.moves[place] + by
        if not moved and place in self.needed:
            return False
        ahead = moved * crossings.step
        most = crossings.ahead[place]
        least = -crossings.behind[place]
        return bool(least <= ahead <= most)

    def _added(self, walk: Walk) -> dict[int, int]:
        """What a crossing adds to the sums, where it adds something."""
        found: dict[int, int] = {}
        for place, by in walk:
            for row, factor in self.crossings.sums(place):
                before = found.get(row, 0)
                found[row] = before + factor * by
        for row in [row for row, by in found.items() if not by]:
            del found[row]
        return found
