"""Crossings drawn by chance, taken together with one that undoes what they do to sums.

Two or three classes of one place have one less; as many others of the place have one
more, whose values are those of the first in another order, part by part.  So all sums
that read the place are as before.  What a crossing adds to the others is its *trace*, a
number of 64 bits in which every sum has a weight by chance: traces of two crossings add
up as their sums do.

Those that were drawn last are kept by their traces.  A crossing without a trace is
taken alone, any other one with one kept that has the opposite trace: from world to
world, as long as not fewer of the wanted classes are moved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phverify.exact import Bools, Ints
from phverify.machine.draws import draw, draw_below
from phverify.machine.machine_code import compiled, entry_point, inlined

AIMED = 0.5
"""This part of what is drawn is to move a wanted class that is as it was."""
OF_THREE = 0.2
"""This part is of three classes, the rest of two."""
SEEN = 100
"""Among so many classes one is sought that has what another one needs."""
MOST = 3
"""So many classes at most have one less."""


Steps = NDArray[np.int8]
"""How far classes move, which is not far: many of these are looked at."""


class CellTable(NamedTuple):
    """The classes by place and cell.

    Classes stand in the order of ``numbers``, those of their cells: what the place adds
    (``base``) and what the values of each part add (``shares``).  ``first`` is where
    each place begins.  ``traces`` are those of one more in each class.
    """

    low: Steps
    high: Steps
    numbers: Ints
    shares: Ints
    places: Ints
    base: Ints
    first: Ints
    traces: Ints


class CrossedWorld(NamedTuple):
    """A world as the moves of all classes.

    ``able`` are the classes that can have one less, place by place, so many as
    ``counts`` says; ``position`` is where each stands there, or -1.  ``step`` is -1
    where one less and one more have changed their parts.  ``drawn`` and ``orders`` are
    the crossing that is looked at.
    """

    moves: Steps
    able: Ints
    position: Ints
    counts: Ints
    step: int
    drawn: Ints
    orders: Ints
    state: Ints


class KeptCrossings(NamedTuple):
    """One crossing for each end of a trace: its trace, how many classes have one less,
    and the classes.
    """

    traces: Ints
    sizes: Ints
    classes: Ints


class WantedClasses(NamedTuple):
    """What is wanted: flags of the classes, and their places; ``givers`` are the
    classes that could have one less at first.
    """

    wanted: Bools
    targets: Ints
    givers: Ints


@entry_point
def cross(
    table: CellTable,
    world: CrossedWorld,
    kept: KeptCrossings,
    aim: WantedClasses,
    draws: int,
) -> int:
    """Draws so many crossings; how many more of the wanted classes are moved then."""
    gained = 0
    for _ in range(draws):
        size = _drawn(table, world, aim)
        if size and _completed(table, world, size):
            gained += _taken(table, world, kept, aim, size)
    return gained


@compiled
def _drawn(table: CellTable, world: CrossedWorld, aim: WantedClasses) -> int:
    """Draws the classes with one less, and the order of each part; how many they are, 0
    where they are none.
    """
    size = 3 if draw(world.state) < OF_THREE else 2
    _ordered(world, size)
    target = _target(world, aim)
    one = target
    if target < 0:
        one = aim.givers[draw_below(world.state, len(aim.givers))]
    place = table.places[one]
    if world.counts[place] < size:
        return 0
    if target >= 0 and world.position[target] < 0:
        if not _suited(table, world, target, size):
            return 0
    else:
        first, count = table.first[place], world.counts[place]
        for turn in range(size):
            world.drawn[turn] = world.able[first + draw_below(world.state, count)]
        if target >= 0:
            world.drawn[0] = target
    return 0 if _met_twice(world.drawn, size) else size


@inlined
def _ordered(world: CrossedWorld, size: int) -> None:
    """Draws the order of each part; one part at least has another than the first."""
    state, orders = world.state, world.orders
    parts = len(orders)
    orders[0] = 0
    for part in range(1, parts):
        orders[part] = draw_below(state, size)
    orders[1 + draw_below(state, parts - 1)] = 1 + draw_below(state, size - 1)


@inlined
def _target(world: CrossedWorld, aim: WantedClasses) -> int:
    """A wanted class that is as it was; -1 where none is to be moved."""
    target = -1
    if len(aim.targets) and draw(world.state) < AIMED:
        target = int(aim.targets[draw_below(world.state, len(aim.targets))])
        if world.moves[target]:
            target = -1
    return target


@inlined
def _met_twice(drawn: Ints, size: int) -> bool:
    """Whether a class is among those with one less more than once."""
    if drawn[0] == drawn[1]:
        return True
    return size == 3 and bool(drawn[0] == drawn[2] or drawn[1] == drawn[2])


@compiled
def _suited(table: CellTable, world: CrossedWorld, target: int, size: int) -> bool:
    """Draws classes that together have the values of a target; whether some were
    seen.
    """
    place = table.places[target]
    for turn in range(size):
        found = _suitable(table, world, target, turn)
        if found < 0:
            return False
        world.drawn[turn] = world.able[table.first[place] + found]
    return True


@compiled
def _suitable(table: CellTable, world: CrossedWorld, target: int, turn: int) -> int:
    """Where a class stands that has the values that the one at this turn gives to a
    target; -1 if none was seen.
    """
    place = table.places[target]
    count = world.counts[place]
    first = table.first[place]
    here = draw_below(world.state, count)
    for _ in range(min(count, SEEN)):
        one = world.able[first + here]
        same = True
        for part in range(len(table.shares)):
            if world.orders[part] == turn:
                same &= table.shares[part, one] == table.shares[part, target]
        if same:
            return here
        here += 1
        if here == count:
            here = 0
    return -1


@compiled
def _completed(table: CellTable, world: CrossedWorld, size: int) -> bool:
    """Whether there are classes that take what those with one less have left."""
    place = table.places[world.drawn[0]]
    for turn in range(size):
        number = table.base[place]
        for part in range(len(table.shares)):
            giver = turn + world.orders[part]
            giver -= size if giver >= size else 0
            number += table.shares[part, world.drawn[giver]]
        # Where one has only what another had before, nothing is crossed.
        if size == 2 and number == table.numbers[world.drawn[turn]]:
            return False
        found = _with_number(table, world, place, number)
        if found < 0:
            return False
        world.drawn[size + turn] = found
    return True


@compiled
def _with_number(table: CellTable, world: CrossedWorld, place: int, number: int) -> int:
    """A class of a cell, one of several by chance; -1 where there is none."""
    first = table.first[place]
    end = table.first[place + 1]
    last = end
    while first < last:
        middle = (first + last) // 2
        if table.numbers[middle] < number:
            first = middle + 1
        else:
            last = middle
    several = 0
    while first + several < end and table.numbers[first + several] == number:
        several += 1
    if several > 1:
        return int(first + draw_below(world.state, several))
    return first if several else -1


@compiled
def _taken(
    table: CellTable,
    world: CrossedWorld,
    kept: KeptCrossings,
    aim: WantedClasses,
    size: int,
) -> int:
    """Goes to the world after a crossing, with its opposite if it has a trace; how many
    more of the wanted classes are moved there.
    """
    drawn, trace = world.drawn, 0
    for turn in range(size):
        trace += table.traces[drawn[size + turn]] - table.traces[drawn[turn]]
    gained = _moved(world, aim, drawn, size, world.step)
    if _inside(table, world, drawn, size):
        if trace:
            both = _with_opposite(table, world, kept, aim, size, trace, gained)
            _keep(kept, drawn, size, trace)
            if both >= 0:
                return both
        elif gained >= 0:
            _listed(table, world, drawn, size)
            return gained
    _moved(world, aim, drawn, size, -world.step)
    return 0


@compiled
def _with_opposite(
    table: CellTable,
    world: CrossedWorld,
    kept: KeptCrossings,
    aim: WantedClasses,
    size: int,
    trace: int,
    gained: int,
) -> int:
    """Takes what is kept with the opposite trace, too; how many more of the wanted
    classes are moved then, -1 where it was not taken.
    """
    drawn = world.drawn
    slot = -trace & (len(kept.traces) - 1)
    if kept.traces[slot] != -trace:
        return -1
    other, size_of_other = kept.classes[slot], kept.sizes[slot]
    gained += _moved(world, aim, other, size_of_other, world.step)
    inside = _inside(table, world, drawn, size)
    inside &= _inside(table, world, other, size_of_other)
    if inside and gained >= 0:
        _listed(table, world, drawn, size)
        _listed(table, world, other, size_of_other)
        return gained
    _moved(world, aim, other, size_of_other, -world.step)
    return -1


@inlined
def _keep(kept: KeptCrossings, drawn: Ints, size: int, trace: int) -> None:
    """Keeps a crossing, in place of the one that was there."""
    slot = trace & (len(kept.traces) - 1)
    kept.traces[slot] = trace
    kept.sizes[slot] = size
    for turn in range(2 * size):
        kept.classes[slot, turn] = drawn[turn]


@compiled
def _moved(
    world: CrossedWorld, aim: WantedClasses, drawn: Ints, size: int, step: int
) -> int:
    """Lets the classes of a crossing have so much less and more; how many more of the
    wanted ones are moved.
    """
    gained = 0
    for turn in range(2 * size):
        one = drawn[turn]
        before = world.moves[one]
        world.moves[one] += -step if turn < size else step
        if aim.wanted[one]:
            gained += int(world.moves[one] != 0) - int(before != 0)
    return gained


@inlined
def _inside(table: CellTable, world: CrossedWorld, drawn: Ints, size: int) -> bool:
    """Whether the classes of a crossing are within their bounds."""
    inside = True
    for turn in range(2 * size):
        one = drawn[turn]
        moves = world.moves[one]
        low = table.low[one]
        high = table.high[one]
        inside &= low <= moves <= high
    return inside


@compiled
def _listed(table: CellTable, world: CrossedWorld, drawn: Ints, size: int) -> None:
    """Puts classes of a crossing among those that can have one less, or takes them out
    of them.
    """
    place = table.places[drawn[0]]
    first = table.first[place]
    for turn in range(2 * size):
        one = drawn[turn]
        position = world.position[one]
        able = table.low[one] <= world.moves[one] - world.step <= table.high[one]
        if able and position < 0:
            world.able[first + world.counts[place]] = one
            world.position[one] = world.counts[place]
            world.counts[place] += 1
        if not able and position >= 0:
            world.counts[place] -= 1
            last = world.able[first + world.counts[place]]
            world.able[first + position] = last
            world.position[last] = position
            world.position[one] = -1
