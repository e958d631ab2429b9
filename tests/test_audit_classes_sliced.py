"""Worlds of slices and of crossings of two columns, beside all integers within the
bounds.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from support.so_many import FUZZ
from support.systems import Cells

from phverify.disclosure.classes import pair_crossings, sliced
from phverify.disclosure.classes.programs import fewest
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.sliced import Slices, least_together, most_read
from phverify.disclosure.classes.system import Entries

NAMES = ("a", "b", "c")
READ = [("a", "b"), ("b", "c"), ("a", "c"), ("a",), ("b",), ("c",)]


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small systems need few."""
    monkeypatch.setattr(pair_crossings, "DRAWN", 300)
    monkeypatch.setattr(sliced, "SIZES", (4, 6, 6, 100, 100))


class SlicedCells(Cells):
    """Classes with values in three columns, and the search in slices of them."""

    names = NAMES

    def slices(self) -> Slices:
        return Slices(self.system(), self.attributes, self.read, lambda: None)


def some(seed: int) -> SlicedCells:
    """A random system that all solutions can be told of."""
    pick = random.Random(seed)
    sizes = pick.choice([(2, 2, 2), (3, 3, 1), (2, 3, 2), (3, 2, 2)])
    cells = list(itertools.product(*map(range, sizes)))
    cells = pick.sample(cells, min(len(cells), pick.choice([6, 8, 10])))
    read = [*pick.sample(READ, pick.choice([1, 2, 3])), ("a",)]
    sides = [(0, 1), (-1, 0), (-1, 1)] if len(cells) < 9 else [(0, 1), (-1, 0)]
    ends = [pick.choice(sides) for _ in cells]
    return SlicedCells(cells, read, ends, pick.choice([1, 3]))


def test_slices_move_what_can_move() -> None:
    moved = movable = 0
    for seed in range(1000 if FUZZ else 60):
        cells = some(seed)
        able = cells.solutions().any(axis=0)
        movable += int(able.sum())
        for place in range(cells.width):
            search = cells.slices()
            opened = search.opened(place)
            assert able[place] or not opened, seed
            assert opened == bool(search.moves[place]) or not opened
            assert cells.is_world(search.moves)
            moved += opened
    assert 0.8 * movable < moved <= movable


def test_one_world_is_for_several_classes() -> None:
    """What was opened stays so, whatever is opened later."""
    together = 0
    for seed in range(200 if FUZZ else 30):
        cells = some(seed)
        search = cells.slices()
        opened = [place for place in range(cells.width) if search.opened(place)]
        assert search.needed == set(opened)
        assert all(search.moves[opened])
        assert cells.is_world(search.moves)
        together += len(opened) > 3
    assert together


SQUARES = list(itertools.product((0, 1), (0, 1), (0, 1)))


def test_shared_sums_are_brought_back_elsewhere() -> None:
    """In one slice a and b can only change together; the other slice undoes it."""
    ends = [(0, 1), (-1, 0), (-1, 0), (0, 1), (-1, 0), (0, 1), (0, 1), (-1, 0)]
    slices_of_c = [(a, b, c) for c, a, b in SQUARES]
    cells = SlicedCells(slices_of_c, [("a", "b"), ("a", "c"), ("b", "c")], ends)
    search = cells.slices()
    assert search.crossings is not None
    assert search.opened(0)
    assert search.moves.tolist() == [1, -1, -1, 1, -1, 1, 1, -1]


def test_a_wrong_world_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever programs and crossings say, the sums and the bounds decide."""

    def one_more(*given: Any) -> Ints:
        low, mine, way = given[1], given[3], given[4]
        moves = np.zeros(len(low), dtype=np.int64)
        moves[mine] = way
        return moves

    def far(*given: Any) -> Ints | None:
        found = fewest(*given)
        return None if found is None else 9 * found

    def nothing(*given: Any) -> Ints:
        return np.zeros(len(given[1]), dtype=np.int64)

    monkeypatch.setattr(
        pair_crossings.PairCrossings, "settled", lambda self, moves, *more: moves
    )
    for wrong in (one_more, far, nothing):
        monkeypatch.setattr(sliced, "fewest", wrong)
        for seed in range(20):
            search = some(seed).slices()
            for place in range(search.system.width):
                assert not search.opened(place)
            assert not search.moves.any()


def test_crossings_leave_what_others_need() -> None:
    """A class that is to move is not moved back, and nothing leaves its bounds."""
    drawn = 0
    for seed in range(100 if FUZZ else 20):
        pick = random.Random(seed)
        every = list(itertools.product(range(3), range(3), range(2)))
        ends = [pick.choice([(-1, 1), (-1, 1), (0, 1), (-1, 0)]) for _ in every]
        cells = SlicedCells(every, [("a", "b"), *READ], ends, pick.choice([1, 3]))
        crossings = cells.slices().crossings
        assert crossings is not None
        moves = np.zeros(cells.width, dtype=np.int64)
        state = pair_crossings.CrossedSums(crossings, moves, set())
        assert not state.left
        state.left = dict.fromkeys(crossings.rows, 1)
        for _ in range(60):
            walk = state._drawn()
            before = np.array(state.moves)
            for place, by in walk:
                state.moves[place] += by
                state._list(place)
            after = np.array(state.moves)
            assert ((cells.low <= after) & (after <= cells.high)).all()
            assert after[sorted(state.needed)].all()
            sums = crossings.entries.times(after - before)
            found = np.flatnonzero(sums)
            added = dict(zip(found.tolist(), sums[found].tolist(), strict=True))
            assert state._added(walk) == added
            if walk and not state.needed:
                state.needed = set(np.flatnonzero(after)[:2].tolist())
            drawn += bool(walk)
    assert drawn > 50


def test_columns_of_the_fewest_shared_sums() -> None:
    read = [frozenset("ab"), frozenset("bc"), frozenset("abc"), frozenset("a")]
    assert least_together(read, [4, 2, 9, 1]) == ("a", "c")
    assert least_together([frozenset("a")], [3]) is None
    assert least_together([], []) is None
    assert most_read(["a", "b", "c"], read, [4, 2, 9, 1]) == "b"
    assert most_read([], read, [4, 2, 9, 1]) == ""


def test_a_program_moves_as_little_as_it_needs() -> None:
    rows = np.array([0, 0, 1, 1])
    columns = np.array([0, 1, 2, 3])
    entries = Entries(rows, columns, np.ones(4, dtype=np.int64), 2)
    low, high = np.full(4, -2), np.full(4, 2)
    found = fewest(entries, low, high, 0, 1)
    assert found is not None
    assert found[0] > 0 and found[0] == -found[1] and not found[2:].any()
    back = fewest(entries, low, high, 0, -1)
    assert back is not None and back[0] < 0
    assert fewest(entries, np.array([-2, 0, 0, 0]), high, 0, 1) is None
