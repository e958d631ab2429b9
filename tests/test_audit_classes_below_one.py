"""A class that goes less than one row in real numbers does not go at all."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from support.so_many import FUZZ
from support.systems import moving, system_of

from phverify.disclosure.classes import proofs
from phverify.disclosure.classes.proofs import MultipliedPart
from phverify.disclosure.classes.selected import Ints


def test_it_is_proved_of_no_class_that_moves() -> None:
    proved = fractional = 0
    for seed in range(3000 if FUZZ else 150):
        pick = random.Random(seed)
        width, height = pick.randint(3, 6), pick.randint(2, 4)
        factors = [
            [pick.choice((0, 0, 1, 1, 2)) for _ in range(width)] for _ in range(height)
        ]
        matrix = np.array(factors)
        low = np.array([-pick.randint(0, 2) for _ in range(width)])
        high = np.array([pick.randint(0, 2) for _ in range(width)])
        part = MultipliedPart(system_of(matrix, low, high))
        moves = moving(matrix, low, high)
        for place, sign in itertools.product(range(width), (1, -1)):
            core = part.below_one(place, sign)
            assert core is None or (place, sign) not in moves, seed
            end = high[place] if sign == 1 else low[place]
            if core is None or part.places[place] < 0 or not end:
                continue
            proved += 1
            # What the selections say is said by these alone.
            told = np.zeros(len(matrix), dtype=bool)
            told[list(core)] = True
            alone = moving(matrix[told], low, high)
            assert (place, sign) not in alone, seed
            fractional += part.one_way(np.array([place]), lambda: None)[1] is None
    assert proved > 20 and fractional > 5


@pytest.mark.parametrize("noise", [0.0, 0.4, -0.4, 1e9, float("nan")])
def test_whatever_is_proposed_proves_nothing_wrong(
    noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of ``x + y = 2 z``: z goes one up, and x alone, which may go one up, does not."""
    solved = proofs.solved

    def disturbed(*given: Ints, **more: bool) -> object:
        found = solved(*given, **more)  # type: ignore[arg-type]
        assert found is not None
        object.__setattr__(found, "multipliers", found.multipliers + noise)
        return found

    monkeypatch.setattr(proofs, "solved", disturbed)
    matrix = np.array([[1, 1, -2], [1, -1, 0]])
    part = MultipliedPart(system_of(matrix, np.zeros(3, int), np.ones(3, int)))
    for place in range(3):
        assert part.below_one(place, 1) is None
