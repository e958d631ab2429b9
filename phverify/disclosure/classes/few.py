"""A few protected rows among many: each class with one is looked at where it stands.

A *box* is some values of each public column, and the classes that have them.  Classes
outside of a box stay as they are, so what moves inside and leaves all sums is a world;
boxes grow until one has such a move.  A proof needs few sums with all of their classes:
what follows from some of the sums follows from all.

Classes that are open after the same answers are so in one world.  What is not settled
in this way is asked of all classes, as ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from phverify.disclosure.certain import checked
from phverify.disclosure.classes.history import ColumnHistory
from phverify.disclosure.classes.moves import Movers
from phverify.disclosure.classes.proofs import SumProofs, multiplied
from phverify.disclosure.classes.rotations import Attributes
from phverify.disclosure.classes.selected import Flags, Ints, added, first_of
from phverify.disclosure.classes.system import ClassSystem, Entries
from phverify.disclosure.stages import BOUNDS, SWAPPED
from phverify.errors import BudgetExceeded, Defect

FEW = 64
"""Up to so many classes with protected rows are looked at one by one."""
ROUNDS = (
    ((40, 40, 80, 80), 300),
    ((160, 160, 320, 320), 3000),
    ((600, 600, 600, 600), 10_000),
)
"""How many classes boxes have, one after the other, and over how many at most the sums
are of the proofs that are tried then.
"""
NOTHING: Ints = np.zeros(0, dtype=np.int64)


class FewHistory(ColumnHistory):
    """As ``ColumnHistory``, first class by class."""

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
        for sizes, most in ROUNDS:
            self._world(near, names, sizes)
            names = [name for name in names if not near.opened(name)]
            for name in names:
                self._check()
                core = near.proof(name, most)
                if core:
                    last = max(core)
                    by = checked(BOUNDS)
                    self.since[name] = last + 1
                    self.core[name] = core, by
                    earlier[name] = last
            names = [name for name in names if name not in earlier]
            if not names:
                break
        # What stays open was open before: since when says an earlier answer.
        for name in names:
            if not near.opened(name) and level:
                earlier[name] = level - 1
        return earlier

    def decide(self) -> None:
        """Everything, or as much as there is time for."""
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
        changed = np.full(system.width, -1, dtype=np.int64)
        self._exchange(system, codes, changed, loose)
        of_row = system.label[self.classes.finest.of_row]
        for place in np.flatnonzero(moves).tolist():
            members = np.flatnonzero(of_row == place)
            by = int(moves[place])
            changed[place] = self.classes.spread(codes, members, by)
        stage = "HiGHS" if moves.any() else SWAPPED
        self._keep(system, near.level, codes, changed, stage, np.array(found))


class Neighbourhood:
    """The classes after so many selections, without the sums of all.

    ``z`` are the moves of the last world that was looked for, ``swapped`` the classes
    where two rows exchange their cells there.
    """

    def __init__(self, history: ColumnHistory, level: int) -> None:
        self.history = history
        self.level = level
        classes = history.classes
        label = np.arange(len(classes.finest.sizes))
        if level < history.levels:
            label = classes.label(level)
        # Of the level's classes only what is in them: no sum so far.
        self.system = classes.of_label(label, 0)
        told = classes.selections[:level]
        if level < history.levels:
            firsts = first_of(label)
            told = [(groups[firsts], factors[firsts]) for groups, factors in told]
        self.indexes = [GroupIndex(groups, factors) for groups, factors in told]
        self.attributes: Attributes = history._attributes(level, label)
        self.z = np.zeros(self.system.width, dtype=np.int64)
        self.swapped = np.zeros(self.system.width, dtype=bool)
        self.movers = Movers(level, history._read(level), history._check)

    # worlds

    def opened(self, name: int) -> bool:
        """Whether the moves so far leave one of the finest classes otherwise."""
        place = self.system.label[name]
        return bool(self.swapped[place] or self.z[place])

    def moves(self, names: Sequence[int], sizes: Sequence[int]) -> tuple[Ints, Ints]:
        """Moves of all classes, and those in which two rows are exchanged, so that as
        many of some finest classes as were found are otherwise.
        """
        self.z = np.zeros(self.system.width, dtype=np.int64)
        self.swapped = np.zeros(self.system.width, dtype=bool)
        places = np.unique(self.system.label[np.array(names)])
        self.swapped[places] = ~self.system.tight[places]
        for place in places.tolist():
            if not self.swapped[place] and not self.z[place]:
                self._move(place, sizes)
        # Where a class moves one of its rows is otherwise, without an exchange.
        self.swapped &= self.z == 0
        moved = np.flatnonzero(self.z)
        for index in self.indexes:
            groups = index.groups[moved]
            there = groups >= 0
            products = (index.factors[moved] * self.z[moved])[there]
            sums = added(groups[there], products, _count(groups))
            if sums.any():
                raise Defect("moves of a few classes do not leave the sums")
        return self.z, np.flatnonzero(self.swapped)

    def _move(self, place: int, sizes: Sequence[int]) -> None:
        """Moves that leave all sums and move one class, by one box after the other."""
        for size in sizes:
            self.history._check()
            members = self.box(place, size)
            part = self.part(members, self.entries(members))
            left = members == place
            every = np.arange(len(members))
            found = self.movers.moved(part, every, left)
            if found is not None:
                self.z[members] += found
                return

    def box(self, place: int, size: int) -> Ints:
        """Classes with some values of each attribute, those of one class among them:
        about so many.
        """
        pick = self.movers.pick
        allowed: dict[str, Flags] = {}
        inside = np.ones(self.system.width, dtype=bool)
        own = np.zeros(self.system.width, dtype=bool)
        own[place] = True
        orders: dict[str, Iterator[int]] = {}
        for name, codes in self.attributes.items():
            values = np.unique(codes)
            others = values[values != codes[place]]
            orders[name] = iter(pick.permutation(others).tolist())
            allowed[name] = codes == codes[place]
            inside &= allowed[name]
        while orders and inside.sum() < size:
            for name in pick.permutation(list(orders)).tolist():
                value = next(orders[name], None)
                if value is None:
                    del orders[name]
                    continue
                allowed[name] |= self.attributes[name] == value
            inside = np.logical_and.reduce(list(allowed.values()))
        return np.flatnonzero(inside | own)

    def entries(self, members: Ints) -> Entries:
        """The sums of the level over some classes alone."""
        parts = [(NOTHING, NOTHING, NOTHING)]
        height = 0
        for index in self.indexes:
            groups, factors = index.groups, index.factors
            there = np.flatnonzero((groups[members] >= 0) & (factors[members] != 0))
            chosen = members[there]
            met, rows = np.unique(groups[chosen], return_inverse=True)
            parts.append((height + rows.reshape(-1), there, factors[chosen]))
            height += len(met)
        rows, columns, factors = map(np.concatenate, zip(*parts, strict=True))
        return Entries(rows, columns, factors, height)

    def part(self, members: Ints, entries: Entries) -> ClassSystem:
        """The system of some classes beside the moves so far: others stay as they are,
        and so does what is settled already.
        """
        system = self.system
        settled = self.z[members] != 0
        low = np.where(settled, 0, system.low[members])
        high = np.where(settled, 0, system.high[members])
        origins = np.zeros(entries.height, dtype=np.int64)
        return self.of(members, entries, low, high, origins)

    def of(
        self,
        members: Ints,
        entries: Entries,
        low: Ints,
        high: Ints,
        origins: Ints,
    ) -> ClassSystem:
        """A system of some classes, with sums over them."""
        system = self.system
        return ClassSystem(
            entries,
            origins,
            np.arange(len(members)),
            low,
            high,
            system.tight[members],
            system.lowest[members],
            system.highest[members],
        )

    # proofs

    def proof(self, name: int, most: int) -> tuple[int, ...]:
        """The selections that fix one of the finest classes; nothing where sums over so
        many classes do not say so.
        """
        place = int(self.system.label[name])
        if not self.system.tight[place]:
            return ()
        members, entries, origins = self.sums(place, most)
        low, high = self.system.low[members], self.system.high[members]
        system = self.of(members, entries, low, high, origins)
        mine = np.flatnonzero(members == place)
        return self._fixed(system, mine)

    def _fixed(self, system: ClassSystem, mine: Ints) -> tuple[int, ...]:
        """The selections that fix a class of a system of some sums."""
        proofs = SumProofs(system, self.level)
        for level in range(1, self.level + 1):
            fixed = proofs.learn(level)
            if fixed[mine].any():
                (place,) = mine.tolist()
                return proofs.members(place)
        check = self.history._check
        proved, _ = multiplied(system, mine, check)
        for places, origins in proved:
            if np.isin(mine, places).all():
                return origins
        return ()

    def sums(self, place: int, most: int) -> tuple[Ints, Entries, Ints]:
        """Sums with all of their classes, those nearest to one class, as long as they
        are over so many classes at most; and the selection of each.
        """
        known = np.zeros(self.system.width, dtype=bool)
        known[place] = True
        count = 1
        seen: set[tuple[int, int]] = set()
        chosen: list[tuple[int, Ints]] = []
        waiting = deque([place])
        while waiting:
            here = waiting.popleft()
            for key in self._groups_of(here):
                if key in seen:
                    continue
                seen.add(key)
                selection, group = key
                index = self.indexes[selection]
                members = index.members(group)
                new = members[~known[members]]
                if count + len(new) > most:
                    continue
                chosen.append((selection, members))
                known[new] = True
                count += len(new)
                waiting.extend(new.tolist())
        return self._of_sums(np.flatnonzero(known), chosen)

    def _groups_of(self, place: int) -> list[tuple[int, int]]:
        """The groups that a class is in, by selection, the smallest first."""
        found = []
        for selection, index in enumerate(self.indexes):
            group = int(index.groups[place])
            if group >= 0 and index.factors[place]:
                found.append((index.size(group), selection, group))
        return [(selection, group) for _, selection, group in sorted(found)]

    def _of_sums(
        self, classes: Ints, chosen: Sequence[tuple[int, Ints]]
    ) -> tuple[Ints, Entries, Ints]:
        """Some sums as a matrix over the classes in them."""
        where = np.zeros(self.system.width, dtype=np.int64)
        where[classes] = np.arange(len(classes))
        parts = [(NOTHING, NOTHING, NOTHING)]
        for number, (selection, members) in enumerate(chosen):
            factors = self.indexes[selection].factors[members]
            rows = np.full(len(members), number, dtype=np.int64)
            parts.append((rows, where[members], factors))
        rows, columns, factors = map(np.concatenate, zip(*parts, strict=True))
        # Where a factor is 0 the class is in no sum.
        there = factors != 0
        entries = Entries(rows[there], columns[there], factors[there], len(chosen))
        origins = [selection for selection, _ in chosen]
        return classes, entries, np.array(origins, dtype=np.int64)


class GroupIndex:
    """Group and factor of each class in one selection, and the classes of a group."""

    def __init__(self, groups: Ints, factors: Ints) -> None:
        self.groups = groups
        self.factors = factors
        self.order: Ints | None = None

    def _sort(self) -> Ints:
        """The classes by their group."""
        if self.order is None:
            self.order = np.argsort(self.groups, kind="stable")
            each = np.arange(int(self.groups.max(initial=-1)) + 2)
            self.starts = np.searchsorted(self.groups[self.order], each)
        return self.order

    def members(self, group: int) -> Ints:
        """The classes of a group."""
        order = self._sort()
        return order[self.starts[group] : self.starts[group + 1]]

    def size(self, group: int) -> int:
        """How many classes a group has."""
        self._sort()
        end = self.starts[group + 1]
        start = self.starts[group]
        count = end - start
        return int(count)


def _count(groups: Ints) -> int:
    """How many groups there are."""
    most = groups.max(initial=-1)
    last = int(most)
    return last + 1
