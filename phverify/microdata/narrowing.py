"""Candidate pairs of a quasi-identifier, narrowed by exact counts of rows.

A pair says that a value may have become an image.  In every context, the rows of the
values that became an image are as many as the rows of the image.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phverify.exact import Bools, Ints, IntsPair

EFFORT = 10_000_000
"""Nodes times distinct rows at most (but ten nodes always); entries of one narrowing
step, and candidate pairs of the nodes on the way down, at most.
"""


class TooHard(Exception):
    """The search passed its bounds before the question was settled."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Candidate pairs, sorted: ``value[k]`` may become ``image[k]``."""

    value: Ints
    image: Ints

    def where(self, chosen: Bools) -> Pairs:
        """Some of the pairs."""
        return Pairs(self.value[chosen], self.image[chosen])

    def covers(self, values: int) -> bool:
        """Whether each of so many values has a candidate."""
        return len(np.unique(self.value)) == values


@dataclass(frozen=True, eq=False)
class Needs:
    """What the candidate pairs ask of the released rows, entry by entry.

    Entry k: if pair ``owner[k]`` holds, ``need[k]`` rows of its value go into
    ``room[k]``, the released rows of its image in the same context; -1 where there are
    none.  ``supply`` is how many rows each room holds.
    """

    owner: Ints
    need: Ints
    room: Ints
    supply: Ints


def needs(pairs: Pairs, before: IntsPair, after: IntsPair, width: int) -> Needs:
    """The needs of pairs, by keys ``code * width + context`` of both tables.

    ``before`` and ``after`` are the keys of distinct rows with their counts.  Raises
    TooHard.
    """
    cells, rows = tally(*before)
    rooms, supply = tally(*after)
    values = int(pairs.value.max(initial=-1)) + 1
    # Keys begin with the value: those of one stand side by side.
    starts = np.searchsorted(cells, np.arange(values + 1) * width)
    lengths = np.diff(starts)
    owner, cell = _spread(starts[pairs.value], lengths[pairs.value])
    context = cells[cell] % width
    room = _places(rooms, pairs.image[owner] * width + context)
    return Needs(owner, rows[cell], room, supply)


def narrowed(pairs: Pairs, asked: Needs) -> Bools:
    """Which pairs stay: those that fit, and no rivals of pairs that are needed.

    All pairs together must fill every room; values with one candidate take their part
    of it first.
    """
    count = len(pairs.value)
    owner = asked.owner
    need = asked.need
    room = asked.room
    supply = asked.supply
    # A value with one candidate is decided: its rows are taken for certain.
    single = np.bincount(pairs.value)[pairs.value] == 1
    decided = single[owner]
    fits = room >= 0
    sure = fits & decided

    # What the pairs offer to a room beyond its rows; too little, and nothing explains.
    spare = _sums(room[fits], need[fits], len(supply)) - supply
    if (spare < 0).any():
        return np.zeros(count, dtype=bool)
    left = supply - _sums(room[sure], need[sure], len(supply))

    own = np.where(decided, need, 0)
    # More rows than a room has beside what is certain of others.
    overfull = need > left[room] + own
    bad = np.zeros(count, dtype=bool)
    bad[owner[~fits | overfull]] = True

    # Without a forced pair its room could not be filled.
    forced = np.zeros(count, dtype=bool)
    forced[owner[fits & (need > spare[room])]] = True
    rivalled = np.isin(pairs.value, pairs.value[forced])
    return ~bad & (forced | ~rivalled)


def blocks(pairs: Pairs, values: int, images: int) -> IntsPair:
    """The connected block of each value and of each image under the pairs.

    A block is called by the least image in it.
    """
    of_image = np.arange(images)
    while True:
        of_value = np.full(values, images - 1)
        np.minimum.at(of_value, pairs.value, of_image[pairs.image])
        linked = of_image.copy()
        np.minimum.at(linked, pairs.image, of_value[pairs.value])
        # Names only become smaller: it ends, and then nothing links two blocks.
        if np.array_equal(linked, of_image):
            return of_value, of_image
        of_image = linked


def tally(keys: Ints, counts: Ints) -> IntsPair:
    """Distinct keys, sorted, and the sum of the counts of each."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    return distinct, _sums(inverse, counts, len(distinct))


def _spread(starts: Ints, lengths: Ints) -> IntsPair:
    """For runs of entries: the run and the number of each entry.

    Raises TooHard for too many.
    """
    total = int(lengths.sum())
    if total > EFFORT:
        raise TooHard
    run = np.repeat(np.arange(len(starts)), lengths)
    before_run = np.cumsum(lengths) - lengths
    return run, np.arange(total) + np.repeat(starts - before_run, lengths)


def _sums(places: Ints, counts: Ints, size: int) -> Ints:
    result = np.zeros(size, dtype=np.int64)
    np.add.at(result, places, counts)
    return result


def _places(keys: Ints, wanted: Ints) -> Ints:
    """The places of the wanted keys among the sorted ones, -1 where there is none."""
    above = np.searchsorted(keys, wanted)
    place = np.minimum(above, len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)
