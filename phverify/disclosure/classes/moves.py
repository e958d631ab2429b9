"""Worlds where as many classes as possible are otherwise, part by part.

What moves inside one part of the classes and leaves all sums moves beside what another
part does: the sum of both is a world, too.  A part is what some values of a public
column have in common, for a move takes from one value what it gives to another; parts
of a few hundred to a few thousand classes are what an integer program is quick with.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from phverify.disclosure.classes.programs import integral, searched
from phverify.disclosure.classes.proofs import fixed_by_sums
from phverify.disclosure.classes.rotations import Attributes
from phverify.disclosure.classes.selected import Flags, Ints
from phverify.disclosure.classes.system import ClassSystem
from phverify.exact import LIMIT

FEW = 600
"""Up to so many classes CP-SAT is asked, of more HiGHS."""
FIRST, LARGEST, SMALLEST = 1500, 3000, 200
"""So many classes are moved at once, more or fewer as the solver is quick."""
QUICK, LONG = 0.25, 3.0
"""Seconds of this process after which a part was too large; and the most that may pass
with one.
"""
FAR = 3
"""By so much a class may move at most where two rows can exchange their cells."""
FARTHER = 8
"""After a round in vain, so many times as much."""
WIDEST = LIMIT // FAR
"""Beyond it numbers of 64 bits would overflow."""


class Movers:
    """The search for worlds in one system; ``size`` is that of the parts.

    ``read`` are the columns and conditions that each selection reads.
    """

    def __init__(
        self, seed: int, read: Sequence[frozenset[str]], check: Callable[[], None]
    ) -> None:
        self.pick = np.random.default_rng(seed)
        self.read = read
        self.check = check
        self.size = FIRST
        self.reach = 1

    def world(self, system: ClassSystem, wanted: Ints, attributes: Attributes) -> Ints:
        """A world, as the moves of all classes; as many of ``wanted`` move as were
        found.
        """
        left = np.zeros(system.width, dtype=bool)
        left[wanted] = True
        world = np.zeros(system.width, dtype=np.int64)
        parts = self.parts(
            system,
            left,
            attributes,
        )
        for part in parts:
            self.check()
            moved = self.moved(system, part, left)
            if moved is not None:
                world[part] = moved
        # A wrong world is none: the sums are looked at as a whole, too.
        assert not system.entries.times(world).any()
        if not world[wanted].any():
            self.reach = min(self.reach * FARTHER, WIDEST)
        return world

    def parts(
        self, system: ClassSystem, left: Flags, attributes: Attributes
    ) -> Iterator[Ints]:
        """Parts without a class in common, those that have some class left."""
        names = sorted(attributes, key=self._price(system).__getitem__)
        everything = np.arange(system.width)
        for part in self._split(everything, names, attributes):
            if left[part].any():
                yield part

    def _price(self, system: ClassSystem) -> dict[str, float]:
        """How many sums reach across the parts that a column makes; a little by chance,
        so that parts differ from round to round.
        """
        sizes = np.bincount(system.origins, minlength=len(self.read)).tolist()
        price: dict[str, float] = {}
        for name in sorted(frozenset().union(*self.read)):
            pairs = zip(self.read, sizes, strict=True)
            across = 1 + sum([size for read, size in pairs if name not in read])
            price[name] = across * (1 + 2 * self.pick.random())
        return price

    def _split(
        self, members: Ints, names: list[str], attributes: Attributes
    ) -> Iterator[Ints]:
        """Some classes in parts of the size, by one column after the other."""
        if len(members) <= self.size or not names:
            yield members
            return
        values, places = np.unique(attributes[names[0]][members], return_inverse=True)
        share = max(1, len(members) // len(values))
        # A move needs two values at least.
        together = max(2, self.size // share)
        bunch = self.pick.permutation(len(values)) // together
        # One value alone at the end joins those before it.
        bunches = max(1, len(values) // together)
        bunch = np.minimum(bunch, bunches - 1)
        of_member = bunch[places.reshape(-1)]
        order = np.argsort(of_member, kind="stable")
        ends = np.searchsorted(of_member[order], np.arange(bunches + 1))
        for first, last in pairwise(ends):
            yield from self._split(members[order[first:last]], names[1:], attributes)

    def moved(self, system: ClassSystem, part: Ints, left: Flags) -> Ints | None:
        """Moves of the classes of a part, of as many that are left as were found."""
        entries = system.entries.part(part, system.width)
        low, high = system.low[part], system.high[part]
        near = np.where(system.tight[part], 1, FAR) * self.reach
        low, high = np.maximum(low, -near), np.minimum(high, near)
        open_ = np.flatnonzero(~fixed_by_sums(entries, low, high))
        asked = left[part[open_]]
        if not asked.any():
            # Too little is in it for anything to move.
            self.size = min(LARGEST, self.size * 11 // 10)
            return None
        low, high = low[open_], high[open_]
        # Where both ways are open one of them is drawn.
        drawn = self.pick.choice((-1, 1), len(open_))
        aim = np.where(high == 0, -1, np.where(low == 0, 1, drawn))
        aim = np.where(asked, aim, 0)
        entries = entries.part(open_, len(part))
        began = time.process_time()
        search = searched if len(open_) <= FEW else integral
        values = search(entries, low, high, aim, LONG)
        self._resize(time.process_time() - began, len(open_), values is not None)
        if values is None:
            return None
        inside = ((low <= values) & (values <= high)).all()
        if not inside or entries.times(values).any() or not values[asked].any():
            return None
        moves = np.zeros(len(part), dtype=np.int64)
        moves[open_] = values
        return moves

    def _resize(self, seconds: float, width: int, found: bool) -> None:
        """Parts become smaller where one took long, and larger where it did not."""
        if seconds > QUICK or not found:
            self.size = max(SMALLEST, self.size * 4 // 5)
            # What is hard for the one solver is small enough for the other at once.
            if width > FEW:
                self.size = min(self.size, max(SMALLEST, self.size * FEW // width))
        else:
            self.size = min(LARGEST, self.size * 11 // 10)
