"""Tables of sums with suppressed cells and their margins, and the exact interval of
each suppressed cell by flows in integers.

What a suppressed cell can have more is what can flow back from its column to its row:
along a cell of a column that takes it from another row, and along one of that row that
gives it to another column.  This stands beside what the audit says and shares no code
with it.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

HIGH = 1_000_000
"""The greatest value of a cell."""
Place = tuple[int, int]
LOG = [
    "SELECT r, SUM(v) FROM t GROUP BY r",
    "SELECT c, SUM(v) FROM t GROUP BY c",
    "SELECT SUM(v) FROM t",
    "SELECT id, v FROM t WHERE hidden = 0",
]


@dataclass(frozen=True)
class MarginTable:
    """Values by row and column, and which of them are suppressed."""

    size: int
    values: dict[Place, int]
    hidden: frozenset[Place]

    @classmethod
    def random(cls, size: int, share: float = 0.3, seed: int = 1) -> MarginTable:
        """A table of so many rows and columns, with a share of its cells suppressed."""
        pick = random.Random(seed)
        places = [(r, c) for r in range(size) for c in range(size)]
        values = {at: min(HIGH, int(math.exp(pick.gauss(5, 1.5)))) for at in places}
        hidden = frozenset(at for at in places if pick.random() < share)
        return cls(size, values, hidden)

    def key(self, place: Place) -> str:
        row, column = place
        return str(row * self.size + column)

    def frame(self) -> pd.DataFrame:
        """The cells as rows of a table."""
        rows = [
            (int(self.key(at)), *at, int(at in self.hidden), value)
            for at, value in self.values.items()
        ]
        return pd.DataFrame(rows, columns=["id", "r", "c", "hidden", "v"])

    def policy(self) -> dict[str, Any]:
        keys = [self.key(place) for place in sorted(self.hidden)]
        return {
            "table": "t",
            "key": "id",
            "public": ["r", "c", "hidden"],
            "sensitive": {"v": {"from": 0, "to": HIGH}},
            "protect": {"hidden": {"column": "v", "keys": keys}},
        }

    def intervals(self) -> Iterator[tuple[str, int, int]]:
        """The key, the least and the greatest value of each suppressed cell."""
        for place in sorted(self.hidden):
            value = self.values[place]
            less = self._flow(place, -1, value)
            more = self._flow(place, 1, HIGH - value)
            yield self.key(place), value - less, value + more

    def _flow(self, place: Place, sign: int, most: int) -> int:
        """By how much a cell can be moved one way while its margins stay."""
        row, column = place
        # A step from a column to a row moves their cell against the sign, a step from a
        # row to a column with it.
        room: dict[tuple[str, int], dict[tuple[str, int], int]] = {}
        for r, c in self.hidden - {place}:
            value = self.values[r, c]
            with_it, against = (HIGH - value, value)[::sign]
            room.setdefault(("c", c), {})["r", r] = against
            room.setdefault(("r", r), {})["c", c] = with_it
        start, end = ("c", column), ("r", row)
        total = 0
        while total < most:
            path = _path(room, start, end)
            if not path:
                return total
            by = min(most - total, *(room[one][other] for one, other in path))
            for one, other in path:
                room[one][other] -= by
                # What was moved can be moved back, and both ways are of one cell.
                room[other][one] += by
            total += by
        return total


def _path(
    room: dict[tuple[str, int], dict[tuple[str, int], int]],
    start: tuple[str, int],
    end: tuple[str, int],
) -> list[tuple[tuple[str, int], tuple[str, int]]]:
    """A shortest way with room on each step; nothing where there is none."""
    before = {start: start}
    waiting = deque([start])
    while waiting and end not in before:
        here = waiting.popleft()
        for there, left in room.get(here, {}).items():
            if left and there not in before:
                before[there] = here
                waiting.append(there)
    if end not in before:
        return []
    path = []
    while end != start:
        path.append((before[end], end))
        end = before[end]
    return path
