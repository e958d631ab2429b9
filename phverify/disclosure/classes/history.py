"""When is a class first given away?  The answers of a log only become more.

What is open after all of them was open before, and what is fixed after some stays so.

So the end of the log is judged first.  Then, from the last selection to the first, what
was given away by it is asked for without it; almost always a world says at once that it
was open then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phverify.budget import Deadline
from phverify.disclosure.certain import checked
from phverify.disclosure.classes.crossings import Crossings
from phverify.disclosure.classes.moves import Movers
from phverify.disclosure.classes.proofs import SumProofs, fixed_by_sums, multiplied
from phverify.disclosure.classes.questions import another
from phverify.disclosure.classes.rotations import Rotations
from phverify.disclosure.classes.selected import Flags, Ints, first_of
from phverify.disclosure.classes.system import ClassSystem, ColumnClasses
from phverify.disclosure.stages import BOUNDS, SWAPPED
from phverify.errors import BudgetExceeded

VAIN = 6
"""So many rounds in vain end the search for worlds that solvers move."""
FEWER = 2
LITTLE = 50
"""After an earlier answer a round is in vain that serves less than this part of what is
left.
"""
FEW = 200
"""So many classes are asked for there, too."""
EARLIER, TENTH = 2.0, 10
"""Seconds of this process for what was open after an earlier answer, and again as often
as a tenth of it, or more, was found in that time.
"""
ALL_EARLIER = 12.0
"""Seconds for all of it: after some answers what is known is by when at the latest."""
EACH = 8.0
"""Seconds for one question to the solvers of single cells."""
NEVER = np.iinfo(np.int32).max
Codes = NDArray[np.integer[Any]]
"""Codes of a column in as few bytes as they need."""


@dataclass(frozen=True, eq=False)
class ClassWorld:
    """A world with the first so many answers: the codes of the column, and for each of
    the finest classes a row that is otherwise there (-1: none).
    """

    codes: Codes
    changed: NDArray[np.int32]
    stage: str


Replay = Callable[[int, Ints], None]
"""Executes what was answered up to a number of selections where the column has these
codes.
"""


class ColumnHistory:
    """What becomes of the classes of one column.

    By finest class: ``since``, the number of selections after which it is known to be
    fixed (NEVER: after none), ``free``, that up to which a world says that it is open,
    ``world`` its place among ``worlds``, and ``core``, the selections that fix it, with
    who says so.  What lies between ``free`` and ``since`` is not known.
    """

    def __init__(
        self,
        classes: ColumnClasses,
        attributes: Mapping[int, Mapping[str, Ints]],
        replay: Replay,
        deadline: Deadline,
        seconds: float,
        asked: Flags,
    ) -> None:
        self.classes = classes
        self.attributes = attributes
        self.replay = replay
        self.deadline = deadline
        self.end = time.process_time() + seconds
        self.level_end = self.end
        self.level_left = 0
        self.earlier_end: float | None = None
        self.levels = len(classes.learned)
        self.asked = asked
        count = len(classes.finest.sizes)
        self.since: NDArray[np.int64] = np.full(count, NEVER, dtype=np.int64)
        self.free: NDArray[np.int64] = np.full(count, -1, dtype=np.int64)
        self.world: Ints = np.full(count, -1, dtype=np.int64)
        self.core: dict[int, tuple[tuple[int, ...], tuple[str, ...]]] = {}
        self.worlds: list[ClassWorld] = []
        self.stopped: BaseException | None = None

    def decide(self) -> None:
        """Everything, or as much as there is time for."""
        try:
            self._sums()
            for level in range(self.levels, -1, -1):
                self.deadline.check()
                open_ = (self.free < level) & (self.since > level)
                waiting = np.flatnonzero(open_ & self.asked)
                if len(waiting):
                    self._level(level, waiting)
        except (BudgetExceeded, KeyboardInterrupt, MemoryError) as error:
            self.stopped = error

    def _check(self) -> None:
        """Raises BudgetExceeded where the time is over, or that for solvers.

        The latter is time of this process: how much is found does not depend on what
        else the machine does.
        """
        self.deadline.check()
        now = time.process_time()
        end = min(self.end, self.level_end)
        if now > end:
            raise BudgetExceeded("the time for solvers ran out")

    def _sums(self) -> None:
        """What sums alone fix, from the first selection on."""
        system = self.classes.of_finest()
        proofs = SumProofs(system, self.levels)
        for level in range(1, self.levels + 1):
            self.deadline.check()
            new = np.flatnonzero(proofs.learn(level) & system.tight)
            # Some may be known to be fixed before, by more than sums alone.
            new = new[self.since[new] > level]
            self.since[new] = level
            for place in new.tolist():
                self.core[place] = proofs.members(place), checked(BOUNDS)

    def _level(self, level: int, waiting: Ints) -> None:
        """Classes that are open after a selection, or not known to be."""
        system = self.classes.system(level)
        label = system.label
        self._exchanged(system, level, waiting[~system.tight[label[waiting]]])
        waiting = waiting[system.tight[label[waiting]]]
        wanted = np.unique(label[waiting])
        # What is known in the end matters most: it has all the time.
        if level < self.levels:
            self._go_on(len(wanted))
        try:
            self._search(system, level, wanted)
        except BudgetExceeded:
            # The time for solvers; that of the whole is looked at where it ends.
            self.deadline.check()

    def _search(self, system: ClassSystem, level: int, wanted: Ints) -> None:
        """Worlds and proofs for tight classes, the cheaper ones first."""
        fixed = fixed_by_sums(system.entries, system.low, system.high)
        open_ = np.flatnonzero(~fixed)
        read = self._read(level)
        attributes = self._attributes(level, system.label)
        walks = Rotations(system, open_, attributes, read, self._check)
        crossings = Crossings(system, open_, attributes, read, self._check)
        wanted = self._shown(system, level, crossings.worlds(wanted), wanted)
        wanted = self._shown(system, level, walks.worlds(wanted), wanted)
        wanted = self._singly(system, level, wanted)
        wanted, system = self._proved(system, level, wanted)
        movers = Movers(level, read, self._check)
        last = level == self.levels
        vain = 0
        while len(wanted) and vain < (VAIN if last else FEWER):
            moves = movers.world(system, wanted, attributes)
            world = walks.further(moves, wanted)
            left = wanted[world[wanted] == 0]
            served = len(wanted) - len(left)
            if served:
                self._adopt(system, level, world)
            # What is open in the end is asked for to the end.
            vain = 0 if served > (0 if last else len(wanted) // LITTLE) else vain + 1
            wanted = left
        if last or len(wanted) <= FEW:
            self._asked(system, level, wanted)

    def _singly(self, system: ClassSystem, level: int, wanted: Ints) -> Ints:
        """The classes that are left after they were looked at one by one: all."""
        return wanted

    def _shown(
        self, system: ClassSystem, level: int, worlds: Iterable[Ints], wanted: Ints
    ) -> Ints:
        """The classes that some worlds leave as they are."""
        for world in worlds:
            self._adopt(system, level, world, SWAPPED)
            still = world[wanted] == 0
            wanted = wanted[still]
            if level == self.levels:
                continue
            left = len(wanted)
            served = self.level_left - left
            if served * TENTH >= self.level_left:
                self._go_on(left)
        return wanted

    def _go_on(self, left: int) -> None:
        """Some time for what was open after an earlier answer: so many classes."""
        self.level_left = left
        now = time.process_time()
        if self.earlier_end is None:
            self.earlier_end = now + ALL_EARLIER
        self.level_end = min(now + EARLIER, self.earlier_end)

    def _proved(
        self, system: ClassSystem, level: int, wanted: Ints
    ) -> tuple[Ints, ClassSystem]:
        """What multipliers prove: the classes that are left, and the system without the
        others.
        """
        last = level == self.levels
        proved, _ = multiplied(system, wanted, self._check, last)
        low, high = system.low.copy(), system.high.copy()
        for places, origins in proved:
            by = checked(BOUNDS)
            self._fix(
                system,
                places,
                origins,
                by,
            )
            wanted = np.setdiff1d(wanted, places)
            low[places] = high[places] = 0
        return wanted, replace(system, low=low, high=high)

    def _asked(self, system: ClassSystem, level: int, wanted: Ints) -> None:
        """What is left then, one world after the other, or one proof for all."""
        while len(wanted):
            self._check()
            time_left = self.deadline.within(EACH)
            outcome, moves = another(
                system,
                wanted,
                time_left,
            )
            if outcome.status == "unknown":
                return
            if outcome.status == "unsat":
                every = tuple(range(level))
                self._fix(system, wanted, every, outcome.by)
                return
            self._adopt(system, level, moves, outcome.by[0])
            wanted = wanted[moves[wanted] == 0]

    def _fix(
        self,
        system: ClassSystem,
        places: Ints,
        origins: tuple[int, ...],
        by: tuple[str, ...],
    ) -> None:
        """Classes that follow from some selections: from the last of them on."""
        last = max(origins, default=-1) + 1
        among = np.isin(system.label, places)
        later = self.since > last
        members = np.flatnonzero(among & later)
        # The verdict comes last: what interrupts here leaves none without its reason.
        self.core.update(dict.fromkeys(members.tolist(), (origins, by)))
        self.since[members] = last

    def _read(self, level: int) -> list[frozenset[str]]:
        """The columns and conditions that each of the first selections reads."""
        return [frozenset(self.attributes[place]) for place in range(level)]

    def _attributes(self, level: int, label: Ints) -> dict[str, Ints]:
        """Public columns as numbers of the classes of a level."""
        firsts = first_of(label)
        known: dict[str, Ints] = {}
        for place in range(level):
            attributes = self.attributes[place]
            for name, codes in attributes.items():
                known[name] = codes[firsts]
        return known

    # worlds

    def _exchanged(self, system: ClassSystem, level: int, members: Ints) -> None:
        """One world where in each class that is not tight two rows are otherwise."""
        if not len(members):
            return
        codes = self.classes.values.copy()
        changed = np.full(system.width, -1, dtype=np.int64)
        loose = np.flatnonzero(~system.tight)
        self._exchange(system, codes, changed, loose)
        self._keep(system, level, codes, changed, SWAPPED, members)

    def _exchange(
        self, system: ClassSystem, codes: Ints, changed: Ints, loose: Ints
    ) -> None:
        """Let two rows be otherwise in each of some classes that are not tight."""
        values = self.classes.values
        low, high = system.lowest[loose], system.highest[loose]
        same = values[low] == values[high]
        # Two rows of other values exchange them.
        one, other = low[~same], high[~same]
        codes[one], codes[other] = values[other], values[one]
        # Of rows with one value between the ends one goes up and one goes down.
        alike = loose[same]
        first, second = self._pairs(system, alike)
        codes[first] += 1
        codes[second] -= 1
        changed[loose[~same]] = one
        changed[alike] = first

    def _pairs(self, system: ClassSystem, alike: Ints) -> tuple[Ints, Ints]:
        """Two rows of each of some classes."""
        of_row = system.label[self.classes.finest.of_row]
        wanted = np.zeros(system.width, dtype=bool)
        wanted[alike] = True
        rows = np.flatnonzero(wanted[of_row])
        order = rows[np.argsort(of_row[rows], kind="stable")]
        starts = np.searchsorted(of_row[order], alike)
        return order[starts], order[starts + 1]

    def _adopt(
        self, system: ClassSystem, level: int, moves: Ints, stage: str = "HiGHS"
    ) -> None:
        """A world by the moves of its classes."""
        codes = self.classes.values.copy()
        of_row = system.label[self.classes.finest.of_row]
        changed = self.classes.spread(codes, of_row, moves)
        told = np.flatnonzero(changed[system.label] >= 0)
        self._keep(system, level, codes, changed, stage, told)

    def _keep(
        self,
        system: ClassSystem,
        level: int,
        codes: Ints,
        changed: Ints,
        stage: str,
        members: Ints,
    ) -> None:
        """Keeps a world after it was executed, for classes that it shows to be open."""
        self.replay(level, codes)
        served: Flags = self.free[members] < level
        members = members[served]
        # The verdict comes last: what interrupts here leaves none without its world.
        self.worlds.append(self._small(codes, changed[system.label], stage))
        self.world[members] = len(self.worlds) - 1
        self.free[members] = level

    def _small(self, codes: Ints, changed: Ints, stage: str) -> ClassWorld:
        """A world in as few bytes as its numbers need: there may be hundreds."""
        first, last = self.classes.ends
        ends = np.min_scalar_type(first), np.min_scalar_type(last)
        kind = np.result_type(*ends)
        return ClassWorld(codes.astype(kind), changed.astype(np.int32), stage)
