"""A world class by class, where boxes of a few hundred classes have none.

Of two columns that few sums read together those sums are *shared*.  All others are
kept by an integer program over *slices*: all classes with one of some values of the
column that most of these sums read.  What its moves leave of the shared sums is few,
and crossings of the two columns, anywhere in the table, bring it back to 0.

The world is looked at as a whole before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations

import numpy as np

from phverify.disclosure.classes.pair_crossings import PairCrossings
from phverify.disclosure.classes.programs import fewest
from phverify.disclosure.classes.proofs import fixed_by_sums
from phverify.disclosure.classes.rotations import Attributes
from phverify.disclosure.classes.selected import Flags, Ints
from phverify.disclosure.classes.system import ClassSystem, Entries

SIZES = (3000, 4000, 4000, 5000, 5000, 6000, 6000, 8000, 8000, 10_000)
"""About so many open classes the slices have, one draw after the other."""
FAR = 3
"""By so much a class may move at most."""
Pair = tuple[str, str]


def least_together(read: Sequence[frozenset[str]], sizes: Sequence[int]) -> Pair | None:
    """The two columns that the fewest sums read together; ``read`` are the columns of
    each selection, ``sizes`` say how many sums it has.
    """
    names = frozenset().union(*read)
    price: dict[Pair, int] = {}
    for pair in combinations(sorted(names), 2):
        price[pair] = 0
        selections = zip(read, sizes, strict=True)
        for columns, size in selections:
            if columns.issuperset(pair):
                price[pair] += size
    return min(
        price,
        key=price.__getitem__,
        default=None,
    )


def most_read(
    names: Sequence[str], read: Sequence[frozenset[str]], sizes: Sequence[int]
) -> str:
    """The one of some columns that the most sums read; nothing where there is none."""
    count = dict.fromkeys(names, 0)
    for name in names:
        selections = zip(read, sizes, strict=True)
        for columns, size in selections:
            if name in columns:
                count[name] += size
    return max(
        count,
        key=count.__getitem__,
        default="",
    )


class Slices:
    """The search for a world in one system, class by class: ``moves`` are those of the
    world so far, ``needed`` the classes that it is for.

    ``read`` are the columns and conditions that each selection reads.
    """

    def __init__(
        self,
        system: ClassSystem,
        attributes: Attributes,
        read: Sequence[frozenset[str]],
        check: Callable[[], None],
    ) -> None:
        self.system = system
        self.attributes = attributes
        self.read = read
        self.check = check
        self.pick = np.random.default_rng(system.width)
        self.moves = np.zeros(system.width, dtype=np.int64)
        self.needed: set[int] = set()
        fixed = fixed_by_sums(system.entries, system.low, system.high)
        self.open_ = np.flatnonzero(~fixed)
        low = np.maximum(system.low, -FAR)
        high = np.minimum(system.high, FAR)
        self.low = np.where(fixed, 0, low)
        self.high = np.where(fixed, 0, high)
        self._divide()

    def _divide(self) -> None:
        """Which sums are kept, which are shared, and what slices are of."""
        read = self.read
        origins = self.system.origins
        sizes = np.bincount(origins, minlength=len(read))
        pair = least_together(read, sizes.tolist())
        shared = np.zeros(len(read), dtype=bool)
        if pair is not None:
            shared[:] = [columns.issuperset(pair) for columns in read]
        alone = np.where(shared, 0, sizes)
        names = sorted(self.attributes)
        self.column = most_read(names, read, alone.tolist())
        self.kept = self._entries(~shared)
        self.crossings: PairCrossings | None = None
        if pair is not None and shared.any():
            finest = self._finest(np.flatnonzero(shared))
            self.crossings = PairCrossings(
                self._entries(finest),
                pair,
                self.attributes,
                self.low,
                self.high,
            )

    def _entries(self, chosen: Flags) -> Entries:
        """The sums of some selections."""
        entries = self.system.entries
        of_entry = self.system.origins[entries.rows]
        inside = chosen[of_entry]
        return Entries(
            entries.rows[inside],
            entries.columns[inside],
            entries.factors[inside],
            entries.height,
        )

    def _finest(self, shared: Ints) -> Flags:
        """Of some selections those whose sums are no sums of another one's."""
        system = self.system
        entries = system.entries
        of_entry = system.origins[entries.rows]
        read = self.read
        size = len(read), system.width
        adds = np.zeros(size, dtype=np.int64)
        adds[of_entry, entries.columns] = entries.factors
        finest = np.zeros(len(read), dtype=bool)
        finest[shared] = True
        several = shared.tolist()
        for one, other in permutations(several, 2):
            within = read[one] < read[other]
            same = adds[one] == adds[other]
            if within and same.all():
                finest[one] = False
        return finest

    def opened(self, place: int) -> bool:
        """Whether one more class moves in the world, which may be another one then."""
        if self.moves[place]:
            self.needed.add(place)
            return True
        if not self.low[place] and not self.high[place]:
            return False
        for size in SIZES:
            self.check()
            members = self._slices(place, size)
            moves = self._moved(members, place)
            if moves is not None and self._is_world(moves, place):
                self.moves = moves
                self.needed.add(place)
                return True
            if len(members) == len(self.open_):
                return False
        return False

    def _slices(self, place: int, size: int) -> Ints:
        """The open classes with one of some values of the column, that of one class
        among them: about so many.
        """
        if not self.column:
            return self.open_
        codes = self.attributes[self.column]
        here = codes[self.open_]
        values, counts = np.unique(here, return_counts=True)
        own = values == codes[place]
        others = np.flatnonzero(~own)
        order = self.pick.permutation(others)
        together = counts[own].sum() + np.cumsum(counts[order])
        # Two values at least: a move takes from one what it gives to another.
        count = max(1, np.searchsorted(together, size))
        own[order[:count]] = True
        return self.open_[np.isin(here, values[own])]

    def _moved(self, members: Ints, place: int) -> Ints | None:
        """The world where some classes move so that one does and the sums that are
        kept are left; and what crossings make of it.
        """
        moved = self.moves[members]
        settled = np.isin(members, list(self.needed))
        low = self.low[members] - moved
        high = self.high[members] - moved
        low[settled] = high[settled] = 0
        mine = int(np.searchsorted(members, place))
        ends = [low[mine], high[mine]]
        ways = [int(np.sign(end)) for end in ends if end]
        way = int(self.pick.choice(ways))
        entries = self.kept.part(members, self.system.width)
        found = fewest(
            entries,
            low,
            high,
            mine,
            way,
        )
        if found is None:
            return None
        moves = self.moves.copy()
        moves[members] += found
        if self.crossings is None:
            return moves
        needed = {*self.needed, place}
        return self.crossings.settled(moves, needed, self.check)

    def _is_world(self, moves: Ints, place: int) -> bool:
        """Whether all sums are as before, within the bounds, and the classes that are
        to move do.
        """
        system = self.system
        below = moves < system.low
        above = moves > system.high
        outside = below | above
        needed = [place, *self.needed]
        moved = moves[needed] != 0
        if outside.any() or not moved.all():
            return False
        left = system.entries.times(moves)
        return not left.any()
