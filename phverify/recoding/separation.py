"""Cuts and classes; compiled.

Which classes pay for which cuts, and which cuts a fractional choice of classes breaks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phverify.exact import Floats, Ints
from phverify.machine.machine_code import counted as compiled
from phverify.machine.machine_code import counted_entry_point
from phverify.recoding.penalties import cuts_of

NEIGHBOURS = 400
"""Tuples that share classes with one, at most; of more those that are met first."""
SHARED = 1e-3
"""Classes with smaller shares are left out."""
BROKEN = 1.02
"""What the classes that have two tuples of a cut share at least, where it is broken."""
ROOM = 300_000
"""Broken cuts, at most."""


class ChosenClasses(NamedTuple):
    """Classes with shares: class s has ``members[starts[s]:starts[s + 1]]``.

    Tuple t is in the classes ``of[at[t]:at[t + 1]]``.
    """

    members: Ints
    starts: Ints
    of: Ints
    at: Ints
    shares: Floats


class Near(NamedTuple):
    """The later tuples that share classes with one; ``place`` numbers them, or is -1.

    ``alone[i]`` is what neighbour i shares with it, ``pairs[i, j]`` what two share, and
    ``all[i, j]`` what these two share with it.
    """

    place: Ints
    own: Ints
    alone: Floats
    pairs: Floats
    all: Floats


@compiled
def _neighbours(chosen: ChosenClasses, near: Near, one: int) -> int:
    """Find the neighbours of a tuple: how many."""
    count = 0
    for k in range(chosen.at[one], chosen.at[one + 1]):
        column = chosen.of[k]
        for m in range(chosen.starts[column], chosen.starts[column + 1]):
            other = chosen.members[m]
            # Each triple is looked at once, from its first tuple.
            if other > one and near.place[other] < 0 and count < NEIGHBOURS:
                near.place[other] = count
                near.own[count] = other
                count += 1
    near.alone[:count] = 0.0
    near.pairs[:count, :count] = 0.0
    near.all[:count, :count] = 0.0
    return count


@compiled
def _share(
    chosen: ChosenClasses, near: Near, column: int, first: int, table: Floats
) -> None:
    """Add what neighbour ``first`` shares with later ones in a class."""
    share = chosen.shares[column]
    start = chosen.starts[column]
    end = chosen.starts[column + 1]
    for m in range(start, end):
        one = chosen.members[m]
        other = near.place[one]
        if other > first:
            table[first, other] += share


@compiled
def _sum_up(chosen: ChosenClasses, near: Near, one: int, count: int) -> None:
    """What a tuple and its neighbours share, by two and by three."""
    for k in range(chosen.at[one], chosen.at[one + 1]):
        column = chosen.of[k]
        share = chosen.shares[column]
        start = chosen.starts[column]
        end = chosen.starts[column + 1]
        for m in range(start, end):
            other = chosen.members[m]
            first = near.place[other]
            if first >= 0:
                near.alone[first] += share
                _share(chosen, near, column, first, near.all)
    for first in range(count):
        other = near.own[first]
        for k in range(chosen.at[other], chosen.at[other + 1]):
            column = chosen.of[k]
            _share(chosen, near, column, first, near.pairs)


@counted_entry_point
def _separate(chosen: ChosenClasses, near: Near, triples: Ints, worth: Floats) -> int:
    """Write down the cuts that are broken, with what their classes share: how many."""
    filled = 0
    for one in range(chosen.at.size - 1):
        count = _neighbours(chosen, near, one)
        _sum_up(chosen, near, one, count)
        for i in range(count):
            for j in range(i + 1, count):
                two = near.alone[i] + near.alone[j] + near.pairs[i, j]
                # A class with all three was counted three times.
                total = two - 2 * near.all[i, j]
                if total > BROKEN and filled < worth.size:
                    triples[filled, 0] = one
                    triples[filled, 1] = near.own[i]
                    triples[filled, 2] = near.own[j]
                    worth[filled] = total
                    filled += 1
        for i in range(count):
            near.place[near.own[i]] = -1
    return filled


def broken_cuts(sets: list[Ints], shares: Floats, tuples: int) -> tuple[Ints, Floats]:
    """Cuts that shares of classes break, three tuples each, ascending; and what the
    classes that pay for each share.
    """
    # Many classes have shares near 0: they break no cut, and would fill the tables.
    used = np.flatnonzero(shares > SHARED)
    own = [sets[place] for place in used.tolist()]
    members = np.concatenate([*own, np.zeros(0, np.int32)])
    lengths = np.array([len(one) for one in own], np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.zeros(tuples + 1, np.int64)
    at[1:] = np.cumsum(np.bincount(members, minlength=tuples))
    column = np.repeat(np.arange(len(own)), lengths)
    of = column[np.argsort(members, kind="stable")]
    chosen = ChosenClasses(members, starts, of, at, shares[used])
    place = np.full(tuples, -1, np.int64)
    square = (NEIGHBOURS, NEIGHBOURS)
    near = Near(
        place,
        np.zeros(NEIGHBOURS, np.int64),
        np.zeros(NEIGHBOURS),
        np.zeros(square),
        np.zeros(square),
    )
    triples = np.zeros((ROOM, 3), np.int64)
    worth = np.zeros(ROOM)
    filled = _separate(chosen, near, triples, worth)
    return np.sort(triples[:filled], axis=1), worth[:filled]


@counted_entry_point
def _pay(
    members: Ints, starts: Ints, first: Ints, of: Ints, inside: Ints, found: Ints
) -> int:
    """Write down each class and each cut of which it has two tuples: how many."""
    filled = 0
    for column in range(starts.size - 1):
        for m in range(starts[column], starts[column + 1]):
            one = members[m]
            for k in range(first[one], first[one + 1]):
                cut = of[k]
                inside[cut] += 1
                if inside[cut] == 2:
                    found[0, filled] = cut
                    found[1, filled] = column
                    filled += 1
        for m in range(starts[column], starts[column + 1]):
            one = members[m]
            for k in range(first[one], first[one + 1]):
                inside[of[k]] = 0
    return filled


def paid_cuts(
    triples: Ints, members: Ints, starts: Ints, tuples: int
) -> tuple[Ints, Ints]:
    """Each cut with each class that pays for it, two arrays, by ascending classes."""
    inside = np.zeros(len(triples), np.int64)
    cuts = cuts_of(triples, inside, tuples)
    # A class that pays for a cut has two of its tuples.
    sizes = np.diff(cuts.starts)
    met = int(sizes[members].sum())
    found = np.zeros((2, met // 2), np.int64)
    filled = _pay(members, starts, cuts.starts, cuts.of, inside, found)
    cut, column = found[:, :filled]
    return cut, column
