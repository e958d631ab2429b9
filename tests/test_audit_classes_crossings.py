"""Crossings of audits by classes, beside all integers within the bounds."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from support.so_many import FUZZ
from support.systems import Cells

from phverify.disclosure.classes import crossed, crossings, opposites
from phverify.disclosure.classes.cells import place_and_parts
from phverify.disclosure.classes.crossings import Crossings
from phverify.disclosure.classes.rotations import Rotations
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import ClassSystem

NAMES = ("p", "a", "b", "c")
READ = [("p", "a"), ("p", "b"), ("p", "c"), ("a", "b"), ("b", "c"), ("p", "a", "c")]


@pytest.fixture(autouse=True)
def _small_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are searched, too, and need few draws."""
    monkeypatch.setattr(crossings, "FROM", 0)
    monkeypatch.setattr(crossings, "LEAST", 300)


class CrossedCells(Cells):
    """Classes with values in four columns, and what crossings find of them."""

    names = NAMES

    def crossed(self) -> set[int]:
        """The cells that crossings move, in worlds."""
        found: set[int] = set()
        for world in self.search().worlds(np.arange(self.width)):
            assert not (self.matrix @ world).any()
            assert (self.low <= world).all() and (world <= self.high).all()
            found |= set(np.flatnonzero(world).tolist())
        return found

    def search(self) -> Crossings:
        every = np.arange(self.width)
        return Crossings(self.system(), every, self.attributes, self.read, nothing)

    def walked(self) -> list[Ints]:
        """The worlds along walks."""
        every = np.arange(self.width)
        walks = Rotations(self.system(), every, self.attributes, self.read, nothing)
        return list(walks.worlds(every))


def nothing() -> None:
    """No clock."""


def some(seed: int) -> CrossedCells:
    """A random system that all solutions can be told of."""
    pick = random.Random(seed)
    sizes = pick.choice([(2, 2, 2, 1), (2, 2, 2, 2), (1, 3, 3, 2), (2, 2, 3, 1)])
    cells = list(itertools.product(*map(range, sizes)))
    cells = pick.sample(cells, min(len(cells), pick.choice([8, 10, 12])))
    read = [*pick.sample(READ, pick.choice([2, 3, 4])), ("p",)]
    ends = [pick.choice([(0, 1), (-1, 0)]) for _ in cells]
    return CrossedCells(cells, read, ends, pick.choice([1, 3]))


def test_crossings_move_what_can_move() -> None:
    moved = beyond = 0
    for seed in range(3000 if FUZZ else 250):
        cells = some(seed)
        found = cells.crossed()
        assert found <= cells.movable(), seed
        moved += len(found)
        beyond += bool(found) and not cells.walked()
    assert moved > 100 and beyond


def opposite() -> CrossedCells:
    """Two places with four cells each, with one more and one less in turns."""
    cells = list(itertools.product((0, 1), (0, 1), (0, 1), (0,)))
    ends = [(-1, 0) if sum(cell) % 2 else (0, 1) for cell in cells]
    return CrossedCells(cells, [("p", "a"), ("p", "b"), ("a", "b")], ends)


def test_two_places_bring_the_large_sums_back_to_0() -> None:
    """Each pair of three columns is read: no walk is there, and one world, in which all
    eight cells of two places are otherwise.
    """
    cells = opposite()
    assert not cells.walked()
    assert cells.crossed() == cells.movable() == set(range(8))
    cells.high[0] = 0
    assert cells.crossed() == cells.movable() == set()


def test_three_parts_are_crossed_with_two_further_cells() -> None:
    """In one place: one more of 000, one less of each cell that has one of its values,
    and one more of the two that take what these leave.
    """
    more, less = [(0, 0, 0), (1, 2, 1), (2, 1, 2)], [(0, 1, 1), (1, 0, 2), (2, 2, 0)]
    cells = [(0, *cell) for cell in [*more, *less]]
    ends = [(0, 1)] * 3 + [(-1, 0)] * 3
    three = CrossedCells(cells, [("p", "a"), ("p", "b"), ("p", "c")], ends)
    assert three.crossed() == three.movable() == set(range(6))


def test_the_place_is_what_most_sums_read() -> None:
    values = {"p": 70, "a": 10, "b": 12, "c": 2}
    read = [frozenset(names) for names in ("pa", "pb", "ab", "pc", "ac", "p")]
    assert place_and_parts(read, values) == ("p", [["a"], ["b"], ["c"]])
    joined = [*read, frozenset("pac")]
    name, parts = place_and_parts(joined, values) or ("", [])
    assert name == "p" and sorted(parts) == [["a", "c"], ["b"]]
    assert place_and_parts([frozenset("pa")], values) is None
    overlapping = [frozenset(names) for names in ("pab", "pbc", "pd")]
    values["d"] = 5
    assert place_and_parts(overlapping, values) == ("p", [["a", "b", "c"], ["d"]])


def test_every_class_that_crossings_can_move_is_moved() -> None:
    """Where the columns of one place alone are read, crossings are all there is."""
    moved = 0
    for seed in range(400 if FUZZ else 60):
        pick = random.Random(seed)
        cells = list(itertools.product((0,), range(3), range(3)))
        cells = [(*cell, 0) for cell in pick.sample(cells, 8)]
        ends = [pick.choice([(0, 1), (-1, 0)]) for _ in cells]
        one = CrossedCells(cells, [("p", "a"), ("p", "b")], ends)
        found = one.crossed()
        assert found == one.movable(), seed
        moved += len(found)
    assert moved > 50


def test_traces_add_up_as_sums_do() -> None:
    for seed in range(50):
        cells, pick = some(seed), np.random.default_rng(seed)
        system = cells.system()
        large = pick.random(system.entries.height) < 0.5
        of_class = crossed.traces(system, large)
        apart = np.zeros(cells.width, dtype=np.int64)
        for row in np.flatnonzero(large):
            one = np.arange(system.entries.height) == row
            apart += crossed.traces(system, one)
        assert (apart == of_class).all()
        assert (of_class != 0).tolist() == cells.matrix[large].any(axis=0).tolist()
        moves = pick.integers(-3, 4, cells.width)
        whole = int(of_class.astype(object) @ moves)
        nothing_added = not (cells.matrix[large] @ moves).any()
        assert (whole % 2**64 == 0) == nothing_added


def test_what_has_no_trace_by_chance_alone_is_no_world(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody sees a world whose large sums are not as they were."""
    cells = opposite()
    cells.high[0] = 0

    def without(system: ClassSystem, _large: Ints) -> Ints:
        return np.zeros(system.width, dtype=np.int64)

    monkeypatch.setattr(crossed, "traces", without)
    assert cells.crossed() == set()


def test_nothing_is_crossed_where_nothing_can_have_one_less() -> None:
    cells = list(itertools.product((0, 1), (0, 1), (0, 1), (0,)))
    one_way = CrossedCells(cells, [("p", "a"), ("p", "b"), ("a", "b")], [(0, 1)] * 8)
    assert one_way.crossed() == set()


def wide(seed: int) -> CrossedCells:
    """Many cells of a few places, with sums that do not read the place."""
    pick = random.Random(seed)
    cells = list(itertools.product(range(5), range(3), range(3), range(2)))
    cells = pick.sample(cells, 70)
    read = [("p", "a"), ("p", "b"), ("p", "c"), ("a", "b"), ("b", "c")]
    several = pick.choice([[(-1, 0), (0, 1)], [(-1, 0), (0, 1), (-1, 1)]])
    return CrossedCells(cells, read, [pick.choice(several) for _ in cells])


@pytest.mark.parametrize("kept", [4, 2**10])
def test_each_world_on_its_way_has_all_sums_and_lists_what_can_have_one_less(
    monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Also where crossings of several traces are kept in one place."""
    monkeypatch.setattr(crossed, "KEPT", kept)
    moved: set[int] = set()
    for seed in range(200 if FUZZ else 40):
        cells = wide(seed)
        search = cells.search()
        assert search.cells is not None
        every = np.arange(cells.width)
        system = crossed.CrossedSystem(search.system, every, search.cells, search.large)
        ways = (cells.low < 0).sum(), (cells.high > 0).sum()
        assert len(system.givers) == min(ways)
        wanted = every
        for _ in range(4):
            world = system.further(wanted, 2000, nothing)
            assert not (cells.matrix @ world).any()
            assert (cells.low <= world).all() and (world <= cells.high).all()
            assert listed(system) == able(system)
            moved |= set(np.flatnonzero(world).tolist())
            wanted = wanted[world[wanted] == 0]
    assert len(moved) > 60


def able(system: crossed.CrossedSystem) -> list[int]:
    """What can have one less."""
    table = system.table
    less = system.world.moves - system.step
    return np.flatnonzero((table.low <= less) & (less <= table.high)).tolist()


def listed(system: crossed.CrossedSystem) -> list[int]:
    """What the lists of the places say of it."""
    table, world = system.table, system.world
    found: list[int] = []
    for place, count in enumerate(world.counts.tolist()):
        first = int(table.first[place])
        found += world.able[first : first + count].tolist()
    assert np.flatnonzero(world.position >= 0).tolist() == sorted(found)
    return sorted(found)


def test_all_is_compiled_before_it_is_needed() -> None:
    crossed.warm_up()
    made = len(opposites.cross.overloads)  # type: ignore[attr-defined]
    assert opposite().crossed() == set(range(8))
    assert len(opposites.cross.overloads) == made  # type: ignore[attr-defined]
