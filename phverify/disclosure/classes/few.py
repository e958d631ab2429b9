"""Few classes among many are looked at one by one, where they stand: those of a few
protected rows, or what worlds of crossings leave of all.

Of few rows the end of the log is judged first: what is open there was open before.
Worlds of small boxes and proofs of few sums come first, then worlds of slices of the
whole table, then larger boxes and more sums.

Of classes that are left of many, first those are proved where nothing else fits; then
come worlds of slices, worlds of all classes, and proofs by multipliers.

Classes that are open after the same answers are so in one world.  What is not settled
in this way is asked of all classes, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from phverify.disclosure.certain import checked
from phverify.disclosure.classes.assumed import AssumedClasses
from phverify.disclosure.classes.history import ColumnHistory
from phverify.disclosure.classes.neighbourhood import Neighbourhood
from phverify.disclosure.classes.proofs import MultipliedPart
from phverify.disclosure.classes.selected import Ints, first_of
from phverify.disclosure.classes.sliced import Slices
from phverify.disclosure.classes.system import ClassSystem
from phverify.disclosure.classes.whole import WholeWorlds
from phverify.disclosure.stages import BOUNDS, SWAPPED
from phverify.errors import BudgetExceeded

FEW = 64
"""Up to so many classes are looked at one by one."""
BY = checked(BOUNDS)
"""Who says what follows from sums and bounds alone."""
ROUNDS = (
    ((40, 40, 80, 80), 300),
    ((160, 160, 320, 320), 3000),
    ((600, 600, 600, 600), 10_000),
)
"""How many classes boxes have, one after the other, and over how many at most the sums
are of the proofs that are tried then.
"""


class FewHistory(ColumnHistory):
    """As ``ColumnHistory``; few classes are looked at one by one."""

    def settle(self) -> None:
        """What boxes and small proofs decide, from the end of the log on."""
        asked = np.flatnonzero(self.asked)
        names = asked.tolist()
        waiting = dict.fromkeys(names, self.levels)
        while waiting:
            levels = waiting.values()
            level = max(levels)
            names = [name for name, last in waiting.items() if last == level]
            earlier = self._judged(level, names)
            for name in names:
                del waiting[name]
            waiting.update(earlier)

    def _judged(self, level: int, names: Sequence[int]) -> dict[int, int]:
        """What is fixed after so many selections among some of the finest classes, each
        with the number of selections up to which it is to be looked at.
        """
        near = Neighbourhood(self, level)
        earlier: dict[int, int] = {}
        for number, (sizes, most) in enumerate(ROUNDS):
            if not names:
                break
            self._world(near, names, sizes)
            names = self._not_open(level, names)
            proved = self._proved_near(near, names, most)
            earlier.update(proved)
            names = [name for name in names if name not in proved]
            # What small boxes and few sums leave is asked of slices next.
            first = number == 0
            if names and first:
                self._of_slices(level, names)
                names = self._not_open(level, names)
        # What stays open was open before: since when says an earlier answer.
        if level:
            earlier.update(dict.fromkeys(names, level - 1))
        return earlier

    def _not_open(self, level: int, names: Sequence[int]) -> list[int]:
        """Those of some finest classes that no world so far leaves open."""
        return [name for name in names if self.free[name] < level]

    def _proved_near(
        self, near: Neighbourhood, names: Sequence[int], most: int
    ) -> dict[int, int]:
        """Those of some finest classes that sums over so many classes at most fix, each
        with the number of selections before the last of these.
        """
        found: dict[int, int] = {}
        for name in names:
            self._check()
            core = near.proof(name, most)
            if core:
                last = max(core)
                # The verdict comes last, as ever.
                self.core[name] = core, BY
                self.since[name] = last + 1
                found[name] = last
        return found

    def _of_slices(self, level: int, names: Sequence[int]) -> None:
        """As ``_slices``, for some of the finest classes."""
        classes = self.classes
        last = level == self.levels
        system = classes.of_finest() if last else classes.system(level)
        places = system.label[names]
        several = places.tolist()
        self._slices(system, level, several)

    def _slices(self, system: ClassSystem, level: int, places: Sequence[int]) -> None:
        """One world where as many of some classes are open as slices have moves for."""
        attributes = self._attributes(level, system.label)
        read = self._read(level)
        slices = Slices(
            system,
            attributes,
            read,
            self._check,
        )
        for place in places:
            slices.opened(place)
        if slices.needed:
            self._adopt(system, level, slices.moves)

    def _singly(self, system: ClassSystem, level: int, wanted: Ints) -> Ints:
        """The classes that are neither shown to be open nor fixed, looked at one by one
        where few are left.
        """
        if not 0 < len(wanted) <= FEW:
            return wanted
        part = MultipliedPart(system)
        wanted = self._assumed(part, level, wanted)
        # Of a few protected rows that has been done.
        if self.asked.sum() > FEW:
            self._slices(system, level, wanted.tolist())
        names = first_of(system.label)[wanted]
        wanted = wanted[self.free[names] < level]
        wanted = self._whole(part, level, wanted)
        return self._below_one(part, level, wanted)

    def _assumed(self, part: MultipliedPart, level: int, wanted: Ints) -> Ints:
        """The classes that are left without those of which nothing else fits."""
        assumptions = AssumedClasses(part)
        fixed = []
        for place in wanted.tolist():
            self._check()
            core = assumptions.fixed(place)
            if core is not None:
                self._fix(part.system, np.array([place]), core, BY)
                fixed.append(place)
        return np.setdiff1d(wanted, fixed)

    def _whole(self, part: MultipliedPart, level: int, wanted: Ints) -> Ints:
        """The classes that are left by worlds for one class after the other, for which
        all classes may move.
        """
        farther = WholeWorlds(part, self._check)
        for place in wanted.tolist():
            if place not in wanted:
                continue
            moves = farther.world(place)
            if moves is not None:
                self._adopt(part.system, level, moves)
                wanted = wanted[moves[wanted] == 0]
        return wanted

    def _below_one(self, part: MultipliedPart, level: int, wanted: Ints) -> Ints:
        """The classes that are left without those that can go one way alone, and go
        less than one row.
        """
        system = part.system
        fixed = []
        for place in wanted.tolist():
            self._check()
            ends = system.low[place], system.high[place]
            if all(ends):
                continue
            sign = 1 if ends[1] else -1
            core = part.below_one(place, sign)
            if core is not None:
                self._fix(system, np.array([place]), core, BY)
                fixed.append(place)
        return np.setdiff1d(wanted, fixed)

    def decide(self) -> None:
        """Everything, or as much as there is time for."""
        if self.asked.sum() > FEW:
            super().decide()
            return
        try:
            # Whether the time of the whole is over is looked at again below.
            with suppress(BudgetExceeded):
                self.settle()
        except (KeyboardInterrupt, MemoryError) as error:
            self.stopped = error
            return
        never = self.free == self.levels
        first = self.since == self.free + 1
        if not (never | first)[self.asked].all():
            super().decide()

    def _world(
        self, near: Neighbourhood, names: Sequence[int], sizes: Sequence[int]
    ) -> None:
        """One world where as many of some of the finest classes are open as is found
        by boxes of these sizes.
        """
        moves, loose = near.moves(names, sizes)
        found = [name for name in names if near.opened(name)]
        if not found:
            return
        system = near.system
        codes = self.classes.values.copy()
        of_row = system.label[self.classes.finest.of_row]
        changed = self.classes.spread(codes, of_row, moves)
        self._exchange(system, codes, changed, loose)
        stage = "HiGHS" if moves.any() else SWAPPED
        self._keep(system, near.level, codes, changed, stage, np.array(found))
