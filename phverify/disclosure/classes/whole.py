"""A world for one class, for which all classes may move.

A linear program lets them move as little as they need, and says by how much each of the
others would make it worse.  An integer program is quick with the few that are cheap,
and seldom needs a dearer one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from phverify.disclosure.classes.programs import fewest, prices
from phverify.disclosure.classes.proofs import MultipliedPart
from phverify.disclosure.classes.selected import Ints

FAR = 1
"""By so much a class may move."""
PRICES = (1.0, 1.25, 1.5)
"""So much worse a class may make the linear program, one try after the other."""
EACH = 5.0
"""Seconds of this process for an integer program."""


class WholeWorlds:
    """The search in all classes that sums leave room."""

    def __init__(self, part: MultipliedPart, check: Callable[[], None]) -> None:
        self.part = part
        self.check = check
        system = part.system
        self.entries = system.entries.part(part.members, system.width)
        self.low = np.maximum(system.low[part.members], -FAR)
        self.high = np.minimum(system.high[part.members], FAR)

    def world(self, place: int) -> Ints | None:
        """Moves that leave all sums and move one class, where they were found."""
        mine = int(self.part.places[place])
        if mine < 0:
            return None
        for way in (1, -1):
            end = self.high[mine] if way > 0 else self.low[mine]
            if not end:
                continue
            found = self._moved(mine, way)
            if found is not None:
                moves = np.zeros(self.part.system.width, dtype=np.int64)
                moves[self.part.members] = found
                return moves
        return None

    def _moved(self, mine: int, way: int) -> Ints | None:
        """The world where one class goes one way, with dearer classes each time."""
        self.check()
        price = prices(self.entries, self.low, self.high, mine, way)
        if price is None:
            return None
        for most in PRICES:
            self.check()
            chosen = np.flatnonzero(price < most)
            chosen = np.union1d(chosen, [mine])
            moves = self._of(chosen, mine, way)
            if moves is not None and self._is_world(moves, mine):
                return moves
        return None

    def _of(self, chosen: Ints, mine: int, way: int) -> Ints | None:
        """Moves of some classes alone."""
        found = fewest(
            self.entries.part(chosen, len(self.low)),
            self.low[chosen],
            self.high[chosen],
            int(np.searchsorted(chosen, mine)),
            way,
            EACH,
        )
        if found is None:
            return None
        moves = np.zeros(len(self.low), dtype=np.int64)
        moves[chosen] = found
        return moves

    def _is_world(self, moves: Ints, mine: int) -> bool:
        """Whether all sums are as before, within the bounds, and a class moves."""
        inside = (self.low <= moves) & (moves <= self.high)
        left = self.entries.times(moves)
        return bool(moves[mine] and inside.all() and not left.any())
