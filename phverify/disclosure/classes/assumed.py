"""A class is assumed to be otherwise, and sums say what follows: where nothing fits, it
is as it is.

Each sum is 0, so it leaves each class in it what the bounds of the others allow, and
that is an integer.  Sum by sum the bounds become narrower, until no class is left an
integer, or no sum becomes narrower any more.
"""

from __future__ import annotations

import numpy as np

from phverify.disclosure.classes.proofs import MultipliedPart
from phverify.disclosure.classes.selected import Flags, Ints, added
from phverify.disclosure.classes.system import Entries

ROUNDS = 30
"""So often all sums are looked at: bounds of many values narrow slowly."""


class AssumedClasses:
    """The classes of a system that sums leave room, and what is assumed of them."""

    def __init__(self, part: MultipliedPart) -> None:
        self.part = part
        system = part.system
        members = part.members
        width = system.width
        self.entries = system.entries.part(members, width)
        self.low = system.low[members]
        self.high = system.high[members]

    def fixed(self, place: int) -> tuple[int, ...] | None:
        """The selections from which it follows that a class is as it is; None where
        that was not found.
        """
        mine = int(self.part.places[place])
        if mine < 0:
            return self.part.every()
        found: set[int] = set()
        ends = self.low[mine], self.high[mine]
        for end in ends:
            if not end:
                continue
            way = int(np.sign(end))
            origins = self._refuted(mine, way)
            if origins is None:
                return None
            found.update(origins)
        return tuple(sorted(found))

    def _refuted(self, mine: int, way: int) -> tuple[int, ...] | None:
        """The selections that say that a class does not go one way (1 or -1)."""
        low, high = self.low.copy(), self.high.copy()
        if way > 0:
            low[mine] = 1
        else:
            high[mine] = -1
        bounds = NarrowedBounds(self.entries, low, high)
        for _ in range(ROUNDS):
            if not bounds.narrow():
                return None
            if bounds.contradicted.any():
                used = self.part.rows[bounds.used()]
                return self.part.with_fixed(used)
        return None


class NarrowedBounds:
    """Bounds as they become narrower, and by which sums: ``steps`` are the classes of
    each round and the rows that left them less, ``contradicted`` the classes that are
    left no integer.
    """

    def __init__(self, entries: Entries, low: Ints, high: Ints) -> None:
        self.entries = entries
        self.low = low
        self.high = high
        self.steps: list[tuple[Ints, Ints]] = []
        self.contradicted: Flags = low > high

    def narrow(self) -> bool:
        """Looks at all sums once; whether some left a class less than it had."""
        entries = self.entries
        rows, columns, factors = entries.rows, entries.columns, entries.factors
        one, other = factors * self.low[columns], factors * self.high[columns]
        least, most = np.minimum(one, other), np.maximum(one, other)
        # The sum of all is 0: what is left of it without the others.
        from_others = added(rows, most, entries.height)[rows] - most
        to_others = added(rows, least, entries.height)[rows] - least
        up, down = -to_others, -from_others
        # Of a factor below 0 the greatest product is that of the least integer.
        ahead = factors > 0
        highest = np.where(ahead, up // factors, down // factors)
        lowest = np.where(ahead, -(-down // factors), -(-up // factors))
        less = np.flatnonzero(highest < self.high[columns])
        more = np.flatnonzero(lowest > self.low[columns])
        for there in (less, more):
            step = columns[there], rows[there]
            self.steps.append(step)
        np.minimum.at(self.high, columns[less], highest[less])
        np.maximum.at(self.low, columns[more], lowest[more])
        self.contradicted = self.low > self.high
        return bool(len(less) or len(more))

    def used(self) -> Ints:
        """The rows that the contradiction rests on."""
        entries = self.entries
        needed = self.contradicted.copy()
        used = np.zeros(entries.height, dtype=bool)
        for columns, rows in reversed(self.steps):
            said = rows[needed[columns]]
            mine = np.zeros(entries.height, dtype=bool)
            mine[said] = True
            # What these rows said rests on the bounds of all of their classes.
            inside = mine[entries.rows]
            beside = entries.columns[inside]
            needed[beside] = True
            used |= mine
        return np.flatnonzero(used)
