"""One step of the large neighbourhood search, compiled.

Near classes are taken apart and put together again; what is not dearer stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Ints
from phverify.machine.draws import draw, draw_below
from phverify.machine.machine_code import compiled, entry_point
from phverify.recoding.boxes import BoxTable, box_holds, whole_attributes
from phverify.recoding.demands import CompiledTests
from phverify.recoding.partition import ClassPartition, add_class, drop_class
from phverify.recoding.polish import polish
from phverify.recoding.pool import ClassPool, remember
from phverify.recoding.rebuild import APART, TINY, MergeRoom, enter, join_groups, merge
from phverify.recoding.reclosing import merge_closed, take_out
from phverify.recoding.tuple_bits import TupleBits

PLACES = 400
MOST_CLASSES = 6
LOOSE = 48
"""Up to so many tuples are all taken out of their classes."""
ALL_LOOSE = 0.1
"""How often more than these are."""


class NeighbourhoodSearch(NamedTuple):
    """All that a step reads and changes.

    ``chosen`` are the classes of the neighbourhood, and behind them how many they are;
    ``members`` is where one class is written down.  ``taken`` are the tuples of the
    neighbourhood as bits; both kinds of bits are there for disjoint boxes alone.
    """

    table: BoxTable
    tests: CompiledTests
    histograms: Ints
    near: Ints
    partition: ClassPartition
    room: MergeRoom
    chosen: Ints
    members: Ints
    pool: ClassPool
    bits: TupleBits
    taken: Ints


class StepRules(NamedTuple):
    """What a step may do.

    At most so many records are withheld and cells are the whole domain; a withheld
    record counts as much as ``relief``.  With ``heat``, a release that is dearer by
    some ``heat`` is accepted too.
    """

    relief: float
    withheld: int
    stars: int
    heat: float
    disjoint: bool
    asks: bool


@entry_point
def steps(search: NeighbourhoodSearch, rules: StepRules, count: int) -> int:
    """Up to so many neighbourhoods; how many are left when one must be asked about."""
    for step in range(count):
        places = _gather(search)
        # One tuple makes only one release.
        if places < 2 or not _rebuild(search, rules, places):
            continue
        # Only the classes of the neighbourhood change: the rest of the cost is the
        # same.
        difference = _cost_after(search, rules, places)
        difference -= _cost_before(search, rules, places)
        threshold = TINY
        if rules.heat > 0.0:
            # As simulated annealing accepts: the dearer, the more rarely, and the less
            # the colder it is.
            threshold -= rules.heat * np.log(draw(search.room.state) + TINY)
        if difference > threshold or not _within(search, rules, places):
            continue
        if rules.asks:
            search.chosen[MOST_CLASSES + 1] = places
            return count - step - 1
        commit(search, places)
    search.chosen[MOST_CLASSES + 1] = 0
    return 0


@compiled
def _gather(search: NeighbourhoodSearch) -> int:
    """Choose near classes; how many tuples they have, whose places are filled."""
    state = search.room.state
    partition = search.partition
    first = draw_below(state, partition.owner.size)
    wanted = 2 + draw_below(state, MOST_CLASSES - 1)
    places = _take(search, first, 0, 0)
    classes = 1
    if places < 0:
        return 0
    for _ in range(4 * wanted):
        if classes == wanted:
            break
        member = search.room.members[draw_below(state, places)]
        # The product of two numbers is small more often: nearer tuples are preferred.
        reach = draw(state) * draw(state)
        other = search.near[member, int(reach * search.near.shape[1])]
        if other < 0 or _taken(search, other, places, classes):
            continue
        more = _take(search, other, places, classes)
        if more < 0:
            break
        places = more
        classes += 1
    search.chosen[MOST_CLASSES] = classes
    return places


@compiled
def _taken(search: NeighbourhoodSearch, member: int, places: int, classes: int) -> bool:
    """Is the tuple's class chosen (the tuple itself, where it is withheld)?"""
    number = search.partition.owner[member]
    where = search.room.members if number < 0 else search.chosen
    sought = member if number < 0 else number
    for place in range(places if number < 0 else classes):
        if where[place] == sought:
            return True
    return False


@compiled
def _take(search: NeighbourhoodSearch, member: int, places: int, classes: int) -> int:
    """The class of a tuple (itself where it is withheld) enters; -1 for no room."""
    number = search.partition.owner[member]
    search.chosen[classes] = number
    if number < 0:
        if places == PLACES:
            return -1
        search.room.members[places] = member
        return places + 1
    if places + search.partition.size[number] > PLACES:
        return -1
    member = search.partition.head[number]
    while member >= 0:
        search.room.members[places] = member
        places += 1
        member = search.partition.follower[member]
    return places


@compiled
def _cost_before(search: NeighbourhoodSearch, rules: StepRules, places: int) -> float:
    cost = 0.0
    for place in range(search.chosen[MOST_CLASSES]):
        number = search.chosen[place]
        if number >= 0:
            cost += search.partition.cost[number]
    for place in range(places):
        member = search.room.members[place]
        if search.partition.owner[member] < 0:
            cost += rules.relief * search.table.counts[member]
            cost += search.table.own[member]
    return cost


@compiled
def _rebuild(search: NeighbourhoodSearch, rules: StepRules, places: int) -> bool:
    room = search.room
    for place in range(places):
        enter(search.table, search.tests, search.histograms, room, place)
    _keep_cores(search, places)
    # The budget that is left, with the records that the neighbourhood gives back.
    spare = rules.withheld - search.partition.totals[1]
    for place in range(places):
        if search.partition.owner[room.members[place]] < 0:
            spare += room.records_of[place]
    noise = 0.6 * draw(room.state)
    noise *= noise
    if rules.disjoint:
        return _close(search, rules, places, noise, spare)
    if not merge(search.table, search.tests, room, places, noise, rules.relief, spare):
        return False
    for place in range(places):
        if room.group[place] == APART:
            spare -= room.records_of[place]
    polish(
        search.table, search.tests, search.histograms, room, places, rules.relief, spare
    )
    return True


@compiled
def _close(
    search: NeighbourhoodSearch,
    rules: StepRules,
    places: int,
    noise: float,
    spare: int,
) -> bool:
    room = search.room
    take_out(search.taken, room.members, places, True)
    done = merge_closed(
        search.table,
        search.tests,
        search.bits,
        search.taken,
        search.partition.owner,
        room,
        places,
        noise,
        rules.relief,
        spare,
    )
    take_out(search.taken, room.members, places, False)
    return done


@compiled
def _keep_cores(search: NeighbourhoodSearch, places: int) -> None:
    """Of large classes only some tuples are taken out; what is left stays a group."""
    room = search.room
    share = LOOSE / places
    if share >= 1.0 or draw(room.state) < ALL_LOOSE:
        return
    number = -1
    core = -1
    for place in range(places):
        owner = search.partition.owner[room.members[place]]
        # Such a tuple stays loose; all others of its class become one group again.
        if owner < 0 or draw(room.state) < share:
            continue
        if owner == number:
            join_groups(search.table, search.tests, room, core, place, places)
        else:
            number = owner
            core = place


@compiled
def _cost_after(search: NeighbourhoodSearch, rules: StepRules, places: int) -> float:
    room = search.room
    cost = 0.0
    for place in range(places):
        if room.records[place] > 0:
            cost += room.cost[place]
        if room.group[place] == APART:
            cost += rules.relief * room.records_of[place]
            cost += search.table.own[room.members[place]]
    return cost


@compiled
def _within(search: NeighbourhoodSearch, rules: StepRules, places: int) -> bool:
    """Are there few enough whole cells, and nothing strange in boxes?"""
    room = search.room
    # All cells of the release, less those of the old classes, with those of the new
    # ones.
    stars = search.partition.totals[2]
    for place in range(search.chosen[MOST_CLASSES]):
        if search.chosen[place] >= 0:
            stars -= search.partition.stars[search.chosen[place]]
    for group in range(places):
        if room.records[group] > 0:
            whole = whole_attributes(search.table, room.low, room.high, group)
            stars += room.records[group] * whole
    if stars > rules.stars:
        return False
    if rules.disjoint:
        for group in range(places):
            if room.records[group] > 0 and not _pure(search, places, group):
                return False
    return True


@compiled
def _pure(search: NeighbourhoodSearch, places: int, group: int) -> bool:
    """Does the group's box hold no other tuple that is released?"""
    room = search.room
    for place in range(places):
        member = room.members[place]
        if room.group[place] in (group, APART):
            continue
        if box_holds(search.table, room.low, room.high, group, member):
            return False
    for member in range(search.partition.owner.size):
        if search.partition.owner[member] < 0:
            continue
        inside = box_holds(search.table, room.low, room.high, group, member)
        if inside and not _taken(search, member, places, search.chosen[MOST_CLASSES]):
            return False
    return True


@compiled
def _count_withheld(search: NeighbourhoodSearch, places: int) -> None:
    room = search.room
    totals = search.partition.totals
    for place in range(places):
        if search.partition.owner[room.members[place]] < 0:
            totals[1] -= room.records_of[place]
        if room.group[place] == APART:
            totals[1] += room.records_of[place]


@entry_point
def commit(search: NeighbourhoodSearch, places: int) -> None:
    """The neighbourhood's classes become those of the room."""
    room = search.room
    partition = search.partition
    # Before owners change: who was withheld is read from them.
    _count_withheld(search, places)
    for place in range(search.chosen[MOST_CLASSES]):
        if search.chosen[place] >= 0:
            drop_class(partition, search.chosen[place])
    for group in range(places):
        if room.records[group] > 0:
            size = 0
            for place in range(places):
                if room.group[place] == group:
                    search.members[size] = room.members[place]
                    size += 1
            remember(search.pool, search.members, size)
            add_class(search.table, partition, search.members[:size])
