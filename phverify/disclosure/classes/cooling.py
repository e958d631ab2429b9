"""Crossings drawn by chance, more and more of them only where sums come nearer to 0.

Two or three classes of one place have one less; as many others of the place have one
more, whose values are those of the first in another order, part by part.  So all sums
that read the place are as before.  The sum of the squares of the others is the
*distance*.

What is drawn is taken with a chance that falls with the distance that it adds over the
*heat*, and rises with the wanted classes that it moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Bools, Ints
from phverify.machine.draws import draw, draw_below
from phverify.machine.machine_code import compiled, entry_point, inlined

AIMED = 0.1
"""This part of what is drawn is to move a wanted class that is as it was."""
OF_THREE = 0.1
"""This part is of three classes, the rest of two."""
SEEN = 500
"""Among so many classes one is sought that has what another one needs."""


class CellTable(NamedTuple):
    """The classes by place and cell, and the sums that do not read the place.

    Classes stand in the order of ``numbers``, those of their cells: what the place adds
    (``base``) and what the values of each part add (``shares``).  ``first`` is where
    each place begins.  The sums of a class are ``rows`` with ``factors``, from its
    place in ``starts`` to the next.
    """

    low: Ints
    high: Ints
    numbers: Ints
    shares: Ints
    places: Ints
    base: Ints
    first: Ints
    starts: Ints
    rows: Ints
    factors: Ints


class CooledWorld(NamedTuple):
    """The moves of all classes, what they add to the sums, and the ``distance``.

    ``able`` are the classes that can have one less, place by place, so many as
    ``counts`` says; ``position`` is where each stands there, or -1.  ``step`` is -1
    where one less and one more have changed their parts.  ``drawn`` and ``orders`` are
    the crossing that is looked at.
    """

    moves: Ints
    sums: Ints
    distance: Ints
    able: Ints
    position: Ints
    counts: Ints
    step: int
    drawn: Ints
    orders: Ints
    state: Ints


class Aim(NamedTuple):
    """What is wanted: flags of the classes, and their places; ``givers`` are the
    classes that could have one less at first.
    """

    wanted: Bools
    targets: Ints
    givers: Ints


@entry_point
def cool(
    table: CellTable,
    world: CooledWorld,
    aim: Aim,
    heat: float,
    pull: float,
    draws: int,
    to_end: bool,
) -> None:
    """Draws so many crossings at one heat; with ``to_end`` no more once the sums are 0.

    A wanted class counts ``pull``.
    """
    for _ in range(draws):
        if to_end and world.distance[0] == 0:
            return
        size = _drawn(table, world, aim)
        if size and _completed(table, world, size):
            _taken(table, world, aim, size, heat, pull)


@compiled
def _drawn(table: CellTable, world: CooledWorld, aim: Aim) -> int:
    """Draws the classes with one less, and the order of each part; how many they are, 0
    where they are none.
    """
    state, drawn = world.state, world.drawn
    size = 3 if draw(state) < OF_THREE else 2
    parts = len(table.shares)
    world.orders[0] = 0
    for part in range(1, parts):
        world.orders[part] = draw_below(state, size)
    # One part at least is in another order than the first.
    world.orders[1 + draw_below(state, parts - 1)] = 1 + draw_below(state, size - 1)
    target = -1
    if len(aim.targets) and draw(state) < AIMED:
        target = aim.targets[draw_below(state, len(aim.targets))]
        if world.moves[target]:
            target = -1
    one = target if target >= 0 else aim.givers[draw_below(state, len(aim.givers))]
    place = table.places[one]
    count = world.counts[place]
    if count < size:
        return 0
    aimed = target >= 0 and world.position[target] < 0
    for turn in range(size):
        begin = draw_below(state, count)
        if aimed:
            begin = _suitable(table, world, target, turn, begin)
            if begin < 0:
                return 0
        drawn[turn] = world.able[table.first[place] + begin]
    if target >= 0 and not aimed:
        drawn[0] = target
    return 0 if _met_twice(drawn, size) else size


@inlined
def _met_twice(drawn: Ints, size: int) -> bool:
    """Whether a class is among those with one less more than once."""
    if drawn[0] == drawn[1]:
        return True
    return size == 3 and bool(drawn[0] == drawn[2] or drawn[1] == drawn[2])


@compiled
def _suitable(
    table: CellTable, world: CooledWorld, target: int, turn: int, begin: int
) -> int:
    """A class with the values that the one at this turn gives to a target; -1 if none
    was seen.
    """
    place = table.places[target]
    count = world.counts[place]
    here = begin
    for _ in range(min(count, SEEN)):
        one = world.able[table.first[place] + here]
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
def _completed(table: CellTable, world: CooledWorld, size: int) -> bool:
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
def _with_number(table: CellTable, world: CooledWorld, place: int, number: int) -> int:
    """A class of a cell, one of several by chance; -1 where there is none."""
    first, end = table.first[place], table.first[place + 1]
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
    table: CellTable, world: CooledWorld, aim: Aim, size: int, heat: float, pull: float
) -> None:
    """Goes to the world after a crossing, if its chance comes."""
    gained = 0
    for turn in range(2 * size):
        one = world.drawn[turn]
        before = world.moves[one]
        world.moves[one] += _step(world, size, turn)
        if aim.wanted[one]:
            gained += int(world.moves[one] != 0) - int(before != 0)
    inside = True
    for turn in range(2 * size):
        one = world.drawn[turn]
        inside &= table.low[one] <= world.moves[one] <= table.high[one]
    if inside:
        farther = 0
        for turn in range(2 * size):
            farther += _added(table, world, turn, _step(world, size, turn))
        better = pull * gained - farther / heat
        if better >= 0 or draw(world.state) < np.exp(better):
            world.distance[0] += farther
            for turn in range(2 * size):
                _listed(table, world, world.drawn[turn])
            return
        for turn in range(2 * size):
            _added(table, world, turn, -_step(world, size, turn))
    for turn in range(2 * size):
        world.moves[world.drawn[turn]] -= _step(world, size, turn)


@inlined
def _step(world: CooledWorld, size: int, turn: int) -> int:
    """What one of the classes of a crossing has more."""
    return -world.step if turn < size else world.step


@inlined
def _added(table: CellTable, world: CooledWorld, turn: int, step: int) -> int:
    """Adds what one of the classes drawn has more to its sums; how much farther they
    are from 0 then.
    """
    one, farther = world.drawn[turn], 0
    for entry in range(table.starts[one], table.starts[one + 1]):
        row = table.rows[entry]
        more = table.factors[entry] * step
        farther += more * (2 * world.sums[row] + more)
        world.sums[row] += more
    return farther


@compiled
def _listed(table: CellTable, world: CooledWorld, one: int) -> None:
    """Puts a class among those that can have one less, or takes it out of them."""
    place = table.places[one]
    first, position = table.first[place], world.position[one]
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
