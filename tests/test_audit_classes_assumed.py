"""A class that is assumed to be otherwise, and what follows, beside all integers."""

from __future__ import annotations

import random

import numpy as np
from support.so_many import FUZZ
from support.systems import moving, solutions, system_of

from phverify.disclosure.classes.assumed import AssumedClasses, NarrowedBounds
from phverify.disclosure.classes.proofs import MultipliedPart
from phverify.disclosure.classes.system import Entries


def test_it_is_proved_of_no_class_that_moves() -> None:
    proved = narrow = 0
    for seed in range(3000 if FUZZ else 300):
        pick = random.Random(seed)
        width, height = pick.randint(3, 6), pick.randint(2, 5)
        factors = [
            [pick.choice((0, 0, 1, 1, 1, 2, -1, -3)) for _ in range(width)]
            for _ in range(height)
        ]
        matrix = np.array(factors)
        low = np.array([-pick.randint(0, 2) for _ in range(width)])
        high = np.array([pick.randint(0, 2) for _ in range(width)])
        part = MultipliedPart(system_of(matrix, low, high))
        assumptions = AssumedClasses(part)
        moves = {place for place, _ in moving(matrix, low, high)}
        for place in range(width):
            core = assumptions.fixed(place)
            assert core is None or place not in moves, seed
            if core is None or part.places[place] < 0:
                continue
            proved += 1
            narrow += len(core) < height
            # What the selections say is said by these alone.
            told = np.zeros(height, dtype=bool)
            told[list(core)] = True
            alone = {place for place, _ in moving(matrix[told], low, high)}
            assert place not in alone, seed
    assert proved > 50 and narrow > 10


def test_bounds_lose_no_solution() -> None:
    for seed in range(2000 if FUZZ else 100):
        pick = random.Random(seed)
        width, height = pick.randint(2, 5), pick.randint(1, 4)
        factors = [
            [pick.choice((0, 1, 2, 3, -1, -2, -3)) for _ in range(width)]
            for _ in range(height)
        ]
        matrix = np.array(factors)
        rows, columns = np.nonzero(matrix)
        entries = Entries(rows, columns, matrix[rows, columns], height)
        # 0 may be outside: what is assumed makes it so.
        low = np.array([pick.randint(-3, 1) for _ in range(width)])
        high = low + np.array([pick.randint(0, 4) for _ in range(width)])
        inside = solutions(matrix, low, high)
        bounds = NarrowedBounds(entries, low.copy(), high.copy())
        for _ in range(10):
            width = int((bounds.high - bounds.low).sum())
            narrower = bounds.narrow()
            assert narrower == ((bounds.high - bounds.low).sum() < width)
            assert (bounds.low <= inside).all(), seed
            assert (bounds.high >= inside).all(), seed
            if not narrower or bounds.contradicted.any():
                break
        if bounds.contradicted.any():
            assert not len(inside)


def test_a_sum_that_nothing_fits_says_so_by_itself() -> None:
    """Of ``2 x = 3 y`` neither goes one up, and what another sum says is not needed."""
    matrix = np.array([[2, -3, 0, 0], [0, 0, 1, -1]])
    system = system_of(matrix, np.zeros(4, int), np.array([2, 1, 1, 1]))
    assumptions = AssumedClasses(MultipliedPart(system))
    assert assumptions.fixed(0) == assumptions.fixed(1) == (0,)
    assert assumptions.fixed(2) is None


def test_a_sum_without_room_is_no_part_of_the_proof() -> None:
    """The first two classes are fixed by a sum of their own, which says no more."""
    matrix = np.array([[1, 1, 0, 0, 0], [0, 0, 2, -3, 0], [0, 0, 1, 0, -1]])
    system = system_of(matrix, np.zeros(5, int), np.array([1, 1, 2, 1, 2]))
    assumptions = AssumedClasses(MultipliedPart(system))
    assert assumptions.fixed(2) == assumptions.fixed(3) == (1,)
    assert assumptions.fixed(4) == (1, 2)


def test_one_sum_leaves_each_class_what_the_others_allow() -> None:
    """``2 x - 3 y + z = 0``: 3 y is 2 x + z, from 2 to 10, and so on."""
    matrix = np.array([[2, -3, 1]])
    entries = Entries(*np.nonzero(matrix), matrix[0], 1)
    low, high = np.array([1, -9, 0]), np.array([4, 9, 2])
    bounds = NarrowedBounds(entries, low, high)
    assert bounds.narrow()
    assert bounds.low.tolist() == [1, 1, 0] and bounds.high.tolist() == [4, 3, 2]
    assert not bounds.narrow()
