"""A world of the whole table for one class, beside all integers; and how worlds are
spread over rows.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from support.so_many import FUZZ
from support.systems import moving, system_of

from phverify.disclosure.classes import whole
from phverify.disclosure.classes.fragment import SUM, TWO
from phverify.disclosure.classes.proofs import MultipliedPart
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import ClassSystem, ColumnClasses
from phverify.disclosure.classes.whole import WholeWorlds


def some(seed: int) -> tuple[Ints, ClassSystem]:
    """A random system whose classes move by one at most."""
    pick = random.Random(seed)
    width, height = pick.randint(4, 8), pick.randint(2, 4)
    factors = [
        [pick.choice((0, 0, 1, 1, -1)) for _ in range(width)] for _ in range(height)
    ]
    matrix = np.array(factors)
    low = np.array([-pick.randint(0, 1) for _ in range(width)])
    high = np.array([pick.randint(0, 1) for _ in range(width)])
    return matrix, system_of(matrix, low, high)


def search(system: ClassSystem) -> WholeWorlds:
    return WholeWorlds(MultipliedPart(system), lambda: None)


def test_each_class_that_can_move_has_a_world() -> None:
    found = 0
    for seed in range(1000 if FUZZ else 40):
        matrix, system = some(seed)
        able = {place for place, _ in moving(matrix, system.low, system.high)}
        for place in range(system.width):
            moves = search(system).world(place)
            # Where a class makes the program much worse it is left out.
            assert (moves is not None) == (place in able), seed
            if moves is None:
                continue
            assert moves[place] and not (matrix @ moves).any()
            assert (system.low <= moves).all() and (moves <= system.high).all()
            found += 1
    assert found > 50


def test_whatever_is_proposed_is_no_wrong_world(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def far(*given: Any) -> Ints:
        return 9 * np.ones(len(given[1]), dtype=np.int64)

    def nothing(*given: Any) -> Ints:
        return np.zeros(len(given[1]), dtype=np.int64)

    def alone(*given: Any) -> Ints:
        moves = nothing(*given)
        moves[given[3]] = given[4]
        return moves

    for wrong in (far, nothing, alone):
        monkeypatch.setattr(whole, "fewest", wrong)
        for seed in range(10):
            matrix, system = some(seed)
            for place in range(system.width):
                moves = search(system).world(place)
                assert moves is None or not (matrix @ moves).any()
                assert moves is None or moves[place]


def test_dearer_classes_are_tried_where_cheap_ones_have_no_world(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = np.array([[1, -1, 0], [0, 1, -1]])
    system = system_of(matrix, np.zeros(3, int), np.ones(3, int))
    monkeypatch.setattr(whole, "prices", lambda *given: np.array([0.0, 1.2, 1.2]))
    moves = search(system).world(0)
    assert moves is not None and moves.tolist() == [1, 1, 1]
    monkeypatch.setattr(whole, "PRICES", (1.0,))
    assert search(system).world(0) is None


@pytest.mark.parametrize(("kind", "ends"), [(TWO, (3, 7)), (SUM, (-2, 4))])
def test_rows_take_what_their_class_has_more(kind: str, ends: tuple[int, int]) -> None:
    first, last = ends
    pick = random.Random(kind)
    for _ in range(500 if FUZZ else 50):
        codes = ends if kind == TWO else range(first, last + 1)
        count = pick.randint(1, 12)
        values = np.array([pick.choice(codes) for _ in range(count)])
        of_row = np.array([pick.randrange(4) for _ in range(count)])
        classes = ColumnClasses(kind, values, ends)
        unit = last - first if kind == TWO else 1
        moves = np.zeros(4, dtype=np.int64)
        for name in range(4):
            inside = values[of_row == name]
            room = (last - inside).sum() // unit, (inside - first).sum() // unit
            moves[name] = pick.choice((0, pick.randint(0, room[0]), -room[1]))
        after = values.copy()
        changed = classes.spread(after, of_row, moves)
        assert ((after >= first) & (after <= last)).all()
        assert kind == SUM or set(after.tolist()) <= set(ends)
        for name in range(4):
            more = (after - values)[of_row == name].sum()
            assert more == moves[name] * unit
            row = int(changed[name])
            assert (row >= 0) == bool(moves[name])
            assert row < 0 or (of_row[row] == name and after[row] != values[row])
