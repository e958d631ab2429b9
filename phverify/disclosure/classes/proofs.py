"""Which classes cannot be otherwise: proofs in integers, each with the selections that
it rests on.

*Sums that leave no room.*  Where no class of a sum can add to it, none can take from
it; and the last class of a sum that is left is what the others leave it.

*Multipliers.*  For any multipliers y of the sums, ``sum of s z`` over some classes is
``sum of d z`` with d = s - y M, as M z = 0.  Where no ``d z`` can be above 0 it is at
most 0; with each s chosen so that no ``s z`` can be below 0, all of these z are 0.  A
floating-point solver proposes y, integers decide.

*Less than one.*  Of a single class s z is an integer: where the bounds leave the sum of
``d z`` below 1, it is at most 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phverify.disclosure.classes.programs import solved, ways
from phverify.disclosure.classes.selected import Flags, Ints
from phverify.disclosure.classes.system import ClassSystem, Entries
from phverify.exact import LIMIT

Words = NDArray[np.uint64]
"""Sets of selections: a row of 64-bit words for each class."""
DENOMINATORS = (1, 2, 3, 4, 6, 12, 60)
"""Proposed multipliers are taken for fractions with one of these denominators."""
NEAR = 1e-6
HALF = 0.5
SURE = 1e-3
"""What moves by so much in an inner solution moves, as far as a proposal matters."""
FINE = 1 << 20
"""Of multipliers that need not be simple, the denominator."""
LARGE = 2000
"""A system of more classes is large."""
MOST_EACH = 64
"""So many classes that may go both ways are asked for one by one."""


def fixed_by_sums(entries: Entries, low: Ints, high: Ints) -> Flags:
    """Which classes the sums leave no room, round by round."""
    fixed: Flags = (low == 0) & (high == 0)
    while True:
        new = _last_round(entries, low, high, fixed)[0]
        if not new.any():
            return fixed
        fixed = fixed | new


def _last_round(
    entries: Entries, low: Ints, high: Ints, fixed: Flags
) -> tuple[Flags, Ints]:
    """The classes that are fixed next, and for each a sum that says so."""
    width = len(low)
    there = np.flatnonzero(~fixed[entries.columns])
    rows, columns = entries.rows[there], entries.columns[there]
    factors = entries.factors[there]
    up = ((factors > 0) & (high[columns] > 0)) | ((factors < 0) & (low[columns] < 0))
    down = ((factors > 0) & (low[columns] < 0)) | ((factors < 0) & (high[columns] > 0))
    count = np.bincount(rows, minlength=entries.height)
    ups = np.bincount(rows[up], minlength=entries.height)
    downs = np.bincount(rows[down], minlength=entries.height)
    says = (ups == 0) | (downs == 0) | (count == 1)
    telling = np.flatnonzero(says[rows])
    new = np.zeros(width, dtype=bool)
    new[columns[telling]] = True
    by = np.zeros(width, dtype=np.int64)
    by[columns[telling]] = rows[telling]
    return new, by


class SumProofs:
    """What sums fix, selection by selection, and from which selections it follows."""

    def __init__(self, system: ClassSystem, selections: int) -> None:
        self.system = system
        self.fixed = (system.low == 0) & (system.high == 0)
        self.words = -(-max(selections, 1) // 64)
        self.core: Words = np.zeros((system.width, self.words), dtype=np.uint64)

    def learn(self, level: int) -> Flags:
        """What is fixed after so many selections and was not before."""
        system = self.system
        inside = system.origins[system.entries.rows] < level
        entries = Entries(
            system.entries.rows[inside],
            system.entries.columns[inside],
            system.entries.factors[inside],
            system.entries.height,
        )
        before = self.fixed.copy()
        while True:
            new, by = _last_round(entries, system.low, system.high, self.fixed)
            if not new.any():
                more: Flags = self.fixed & ~before
                return more
            self._explain(entries, np.flatnonzero(new), by)
            self.fixed |= new

    def _explain(self, entries: Entries, new: Ints, by: Ints) -> None:
        """A class follows from its sum, and from what the fixed classes in it do."""
        whole: Words = np.zeros((entries.height, self.words), dtype=np.uint64)
        known = np.flatnonzero(self.fixed[entries.columns])
        rows, columns = entries.rows[known], entries.columns[known]
        for word in range(self.words):
            np.bitwise_or.at(whole[:, word], rows, self.core[columns, word])
        origins = self.system.origins
        bits = np.uint64(1) << (origins % 64).astype(np.uint64)
        whole[np.arange(len(origins)), origins // 64] |= bits
        self.core[new] = whole[by[new]]

    def members(self, place: int) -> tuple[int, ...]:
        """The selections from which a class follows."""
        found = []
        for word in range(self.words):
            bits = int(self.core[place, word])
            found += [64 * word + bit for bit in range(64) if bits >> bit & 1]
        return tuple(found)


Proved = list[tuple[Ints, tuple[int, ...]]]
"""Classes that are fixed, with the selections from which they follow together."""


def multiplied(
    system: ClassSystem, wanted: Ints, check: Callable[[], None], thorough: bool = True
) -> tuple[Proved, Ints]:
    """Classes of ``wanted`` that multipliers prove to be fixed, and all that were
    neither proved nor seen to move in a solution by real numbers.

    What is open to both sides is asked for one by one: in large systems only where it
    is ``thorough``.
    """
    proved: Proved = []
    part = MultipliedPart(system)
    # What sums alone fix is in no program: all of them are why.
    fixed = part.places[wanted] < 0
    if fixed.any():
        proved.append((wanted[fixed], part.every()))
        wanted = wanted[~fixed]
    one_way = wanted[(system.low[wanted] == 0) | (system.high[wanted] == 0)]
    still, origins = part.one_way(one_way, check)
    if origins is not None and len(still):
        proved.append((still, origins))
        still = still[:0]
    both_ways = part.unmoved(np.setdiff1d(wanted, one_way), check)
    left = [still]
    if len(part.members) > LARGE and not thorough:
        return proved, np.append(still, both_ways)
    for sign in (1, -1):
        signs = np.full(len(both_ways), sign)
        both_ways, _ = part.together(both_ways, signs, check)
    for place in both_ways[:MOST_EACH]:
        one = np.array([place])
        cores = []
        for sign in (1, -1):
            stays, origins = part.together(one, np.array([sign]), check)
            if len(stays) and origins is not None:
                cores.append(origins)
        if len(cores) == 2:
            proved.append((one, tuple(sorted({*cores[0], *cores[1]}))))
        else:
            left.append(one)
    left.append(both_ways[MOST_EACH:])
    return proved, np.concatenate(left)


class MultipliedPart:
    """The classes of a system that sums leave room."""

    def __init__(self, system: ClassSystem) -> None:
        self.system = system
        fixed = fixed_by_sums(system.entries, system.low, system.high)
        self.members = np.flatnonzero(~fixed)
        self.places = np.full(system.width, -1, dtype=np.int64)
        self.places[self.members] = np.arange(len(self.members))

    @cached_property
    def rows(self) -> Ints:
        """The rows that the members are in, as programs have them; what sums have fixed
        is in none of their columns, and at 0 in every world.
        """
        entries = self.system.entries
        inside = self.places[entries.columns] >= 0
        return np.unique(entries.rows[inside])

    def one_way(
        self, wanted: Ints, check: Callable[[], None]
    ) -> tuple[Ints, tuple[int, ...] | None]:
        """As ``together``, of classes that are open to one side alone."""
        system = self.system
        low, high = system.low[self.members], system.high[self.members]
        entries = system.entries.part(self.members, system.width)
        multipliers = np.zeros(0)
        # All at first, then again those that stayed: for them a proof is wanted.
        for proof in (False, True):
            check()
            if not len(wanted):
                return wanted, None
            found = ways(entries, low, high, self.places[wanted], proof=proof)
            if found is None:
                return wanted, None
            moves = np.abs(found.values) > HALF
            if proof and moves.any():
                return wanted, None
            wanted = wanted[~moves]
            multipliers = found.multipliers
        aim = np.zeros(system.width, dtype=np.int64)
        aim[wanted] = np.sign(system.low[wanted] + system.high[wanted])
        return wanted, self.proving(aim, multipliers)

    def unmoved(self, wanted: Ints, check: Callable[[], None]) -> Ints:
        """Those of ``wanted`` that stay where each is pushed to a side by chance: in
        real numbers almost all that can move do.
        """
        system = self.system
        if not len(wanted):
            return wanted
        check()
        pick = np.random.default_rng(len(wanted))
        aim = np.zeros(system.width, dtype=np.int64)
        aim[wanted] = pick.integers(1, 100, len(wanted)) * pick.choice(
            (-1, 1), len(wanted)
        )
        found = solved(
            system.entries.part(self.members, system.width),
            system.low[self.members],
            system.high[self.members],
            aim[self.members],
            integral=False,
            inside=True,
        )
        if found is None:
            return wanted
        return wanted[np.abs(found.values[self.places[wanted]]) <= SURE]

    def together(
        self, wanted: Ints, signs: Ints, check: Callable[[], None]
    ) -> tuple[Ints, tuple[int, ...] | None]:
        """Those of ``wanted`` that cannot go where their signs say, as far as real
        numbers say, and the selections that prove it of all of them.
        """
        system = self.system
        while len(wanted):
            check()
            aim = np.zeros(system.width, dtype=np.int64)
            aim[wanted] = signs
            found = solved(
                system.entries.part(self.members, system.width),
                system.low[self.members],
                system.high[self.members],
                aim[self.members],
                integral=False,
            )
            values = np.zeros(system.width)
            if found is None:
                return wanted, None
            values[self.members] = found.values
            moves = np.abs(values[wanted]) > NEAR
            if not moves.any():
                return wanted, self.proving(aim, found.multipliers)
            wanted, signs = wanted[~moves], signs[~moves]
        return wanted, None

    def proving(
        self, aim: Ints, proposed: NDArray[np.float64]
    ) -> tuple[int, ...] | None:
        """The selections whose multiples prove that the aim is never above 0."""
        system = self.system
        low, high = system.low[self.members], system.high[self.members]
        part = system.entries.part(self.members, system.width)
        for denominator in DENOMINATORS:
            scaled = np.rint(proposed * denominator)
            if not np.all(np.abs(scaled) < 2**31):
                return None
            multipliers = scaled.astype(np.int64)
            rest = denominator * aim[self.members] - part.transposed(
                multipliers, len(self.members)
            )
            proves = ((rest <= 0) | (high == 0)) & ((rest >= 0) | (low == 0))
            if proves.all():
                used = self.rows[np.flatnonzero(multipliers)]
                return self.with_fixed(used)
        return None

    def below_one(self, place: int, sign: int) -> tuple[int, ...] | None:
        """The selections whose multiples prove that one class, by its sign, stays below
        1: it is an integer, and is not above 0.
        """
        if self.places[place] < 0:
            return self.every()
        system = self.system
        aim = np.zeros(system.width, dtype=np.int64)
        aim[place] = sign
        low = system.low[self.members]
        high = system.high[self.members]
        part = system.entries.part(self.members, system.width)
        # Multipliers inside of the best ones do as well, and are there sooner.
        found = solved(part, low, high, aim[self.members], integral=False, inside=True)
        if found is None:
            return None
        scaled = np.rint(found.multipliers * FINE)
        largest = int(np.abs(part.factors).max(initial=1))
        # No column has more entries than there are rows.
        room = LIMIT // (largest * max(part.height, 1))
        if not np.all(np.abs(scaled) < room):
            return None
        multipliers = scaled.astype(np.int64)
        taken = part.transposed(multipliers, len(self.members))
        rest = FINE * aim[self.members] - taken
        # In integers of any size: no bound is lost by an overflow.
        up = np.maximum(rest, 0).astype(object)
        down = np.minimum(rest, 0).astype(object)
        most = up * high + down * low
        if most.sum() >= FINE:
            return None
        used = self.rows[np.flatnonzero(multipliers)]
        return self.with_fixed(used)

    def with_fixed(self, used: Ints) -> tuple[int, ...]:
        """The selections of some sums, and of those that fixed other classes in them.

        All selections, where some are fixed: which of them would be another question.
        """
        system = self.system
        mine = np.isin(system.entries.rows, used)
        others = self.places[system.entries.columns[mine]] < 0
        moving = (system.low != 0) | (system.high != 0)
        if (others & moving[system.entries.columns[mine]]).any():
            return self.every()
        return tuple(sorted(set(system.origins[used].tolist())))

    def every(self) -> tuple[int, ...]:
        """All selections."""
        return tuple(sorted(set(self.system.origins.tolist())))
