"""Moves part by part, in audits by classes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support.systems import Cells

from phverify.disclosure.classes.moves import FAR, WIDEST, Movers


class FourPlaces(Cells):
    """Classes with values in two columns, whose margins are known."""

    names = ("a", "b")

    def movers(self) -> Movers:
        read = [frozenset(names) for names in self.read]
        return Movers(0, read, lambda: None)


def four() -> FourPlaces:
    cells = list(itertools.product((0, 1), (0, 1)))
    ends = [(-1, 0) if sum(cell) % 2 else (0, 1) for cell in cells]
    return FourPlaces(cells, [("a",), ("b",)], ends)


def test_rounds_in_vain_reach_no_farther_than_numbers_of_64_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = four()
    movers = cells.movers()
    every = np.arange(cells.width)
    with monkeypatch.context() as stuck:
        stuck.setattr(Movers, "moved", lambda *part: None)
        for _ in range(30):
            world = movers.world(cells.system(), every, cells.attributes)
            assert not world.any()
    assert movers.reach == WIDEST
    assert FAR * movers.reach < 2**63
    # As far as that nothing overflows: the four move together, and nothing else can.
    world = movers.world(cells.system(), every, cells.attributes)
    assert world.tolist() == [1, -1, -1, 1]
