"""Walks and programs of audits by classes, beside all integers within the bounds."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from support.so_many import FUZZ

import phverify
import phverify.verbs.audit as audited
from phverify.budget import Deadline
from phverify.disclosure.classes import made_for
from phverify.disclosure.classes.programs import ways
from phverify.disclosure.classes.proofs import multiplied
from phverify.disclosure.classes.questions import another
from phverify.disclosure.classes.road import ClassRoad
from phverify.disclosure.classes.rotations import Rotations, separations
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import ClassSystem, Entries

NAMES = ("a", "b", "c")
READ = [("a", "b"), ("b", "c"), ("a", "c"), ("a",), ("b",), ("c",)]


class Cells:
    """A system of a few cells of a random table, with the margins of some columns."""

    def __init__(self, seed: int) -> None:
        pick = random.Random(seed)
        sizes = pick.choice([(2, 3, 1), (2, 2, 2), (3, 2, 2), (3, 3, 1)])
        cells = list(itertools.product(*map(range, sizes)))
        cells = pick.sample(cells, min(len(cells), pick.choice([4, 6, 8, 9])))
        self.width = len(cells)
        columns = np.array(cells, dtype=np.int64).T
        self.attributes = dict(zip(NAMES, columns, strict=True))
        read = pick.sample(READ, pick.choice([1, 2, 3]))
        self.read = [frozenset(names) for names in [*read, NAMES[:1]]]
        sums: list[tuple[int, ...]] = []
        self.origins = []
        for place, names in enumerate(self.read):
            chosen = [self.attributes[name] for name in sorted(names)]
            keys = list(zip(*[one.tolist() for one in chosen], strict=True))
            for key in sorted(set(keys)):
                sums.append(tuple([int(one == key) for one in keys]))
                self.origins.append(place)
        self.matrix = np.array(sums)
        ends = [pick.choice([(0, 1), (-1, 0), (0, 1), (-1, 1)]) for _ in cells]
        self.low, self.high = np.array(ends, dtype=np.int64).T

    def system(self) -> ClassSystem:
        rows, columns = np.nonzero(self.matrix)
        ones = np.ones(len(rows), dtype=np.int64)
        entries = Entries(rows, columns, ones, len(self.matrix))
        every = np.arange(self.width)
        tight = np.ones(self.width, dtype=bool)
        origins = np.array(self.origins)
        return ClassSystem(
            entries, origins, every, self.low, self.high, tight, every, every
        )

    def movable(self) -> set[int]:
        """The cells that are not 0 in some solution."""
        ends = zip(self.low.tolist(), self.high.tolist(), strict=True)
        ranges = [range(low, high + 1) for low, high in ends]
        every = np.array(list(itertools.product(*ranges)))
        inside = every[(every @ self.matrix.T == 0).all(axis=1)]
        return set(np.flatnonzero(inside.any(axis=0)).tolist())


def nothing() -> None:
    """No clock."""


def walked(cells: Cells) -> set[int]:
    """The cells that walks move."""
    system, every = cells.system(), np.arange(cells.width)
    walks = Rotations(system, every, cells.attributes, cells.read, nothing)
    found: set[int] = set()
    for world in walks.worlds(every):
        assert not (cells.matrix @ world).any()
        assert (system.low <= world).all() and (world <= system.high).all()
        found |= set(np.flatnonzero(world).tolist())
    return found


def test_walks_move_what_can_move() -> None:
    moved = 0
    for seed in range(2000 if FUZZ else 300):
        cells = Cells(seed)
        found = walked(cells)
        assert found <= cells.movable(), seed
        moved += len(found)
    assert moved > 300


def test_what_multipliers_prove_cannot_move() -> None:
    proofs = 0
    for seed in range(1000 if FUZZ else 100):
        cells = Cells(seed)
        system, every = cells.system(), np.arange(cells.width)
        for places, origins in multiplied(system, every, nothing)[0]:
            assert not set(places.tolist()) & cells.movable(), seed
            assert set(origins) <= set(cells.origins)
            proofs += len(places)
    assert proofs > 50


def test_questions_have_the_answers_of_all_solutions() -> None:
    answers = set()
    for seed in range(400 if FUZZ else 40):
        cells = Cells(seed)
        system = cells.system()
        for wanted in range(cells.width):
            asked = np.array([wanted])
            outcome, moves = another(system, asked, Deadline())
            answers.add(outcome.status)
            can_move = wanted in cells.movable()
            assert outcome.status == ("sat" if can_move else "unsat"), seed
            if can_move:
                assert moves[wanted] and not (cells.matrix @ moves).any()
                assert (system.low <= moves).all() and (moves <= system.high).all()
    assert answers == {"sat", "unsat"}


def test_two_columns_apart_are_all_that_walks_need() -> None:
    """Four cells, one more and one less in turns."""
    cells = Cells(0)
    cells.read = [frozenset("a"), frozenset("b")]
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    cells.attributes, cells.width = {"a": a, "b": b}, 4
    cells.matrix = np.array([a, 1 - a, b, 1 - b])
    cells.origins = [0, 0, 1, 1]
    cells.low, cells.high = np.array([0, -1, -1, 0]), np.array([1, 0, 0, 1])
    assert walked(cells) == {0, 1, 2, 3}
    cells.high[0] = 0
    assert walked(cells) == set()


def test_columns_that_are_read_together_are_not_apart() -> None:
    three = [frozenset("ab"), frozenset("bc")]
    assert separations(three) == {"a": frozenset("b")}
    assert separations([*three, frozenset("ac")]) == {}
    assert separations([frozenset("a"), frozenset("bc")])["a"] == frozenset()


@pytest.mark.parametrize(("high", "moves"), [((1, 0), [0, 0]), ((1, 1), [0, 0])])
def test_what_goes_one_way_alone_stays(high: tuple[int, int], moves: list[int]) -> None:
    """Of ``x + y = 0`` with neither below 0."""
    ones = np.array([1, 1])
    entries = Entries(np.array([0, 0]), np.array([0, 1]), ones, 1)
    low, asked = np.zeros(2, dtype=np.int64), np.array([0])
    found = ways(entries, low, np.array(high), asked, proof=True)
    assert found is not None and round(found.values[0]) == moves[0]


def test_what_can_go_a_little_goes() -> None:
    """Of ``x = 3 y``, within 0 and 1 in real numbers."""
    factors: Ints = np.array([1, -3])
    entries = Entries(np.array([0, 0]), np.array([0, 1]), factors, 1)
    low, high = np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)
    found = ways(entries, low, high, np.array([0, 1]), proof=False)
    assert found is not None and np.rint(found.values).tolist() == [1, 1]


def test_sums_of_sums_are_not_learned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audited, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "ROWS_OF_RANGES", 0)
    roads: list[ClassRoad] = []
    decide = ClassRoad.decide

    def kept(self: ClassRoad, steps: int) -> BaseException | None:
        roads.append(self)
        return decide(self, steps)

    monkeypatch.setattr(ClassRoad, "decide", kept)
    rows = [(k, k % 2, k % 3, k % 5 // 4) for k in range(12)]
    table = pd.DataFrame(rows, columns=["id", "g", "p", "s"])
    policy = {
        "table": "t",
        "key": "id",
        "public": ["g", "p"],
        "sensitive": {"s": {"from": 0, "to": 1}},
        "protect": {"s": {"column": "s"}},
    }
    log = ["SELECT g, p, SUM(s) FROM t GROUP BY g, p"]
    log += ["SELECT g, AVG(s) FROM t GROUP BY g"]
    log += ["SELECT g, COUNT(*) FROM t WHERE s = 1 GROUP BY g"]
    log += ["SELECT g, SUM(s) FROM t WHERE p = 1 OR id = 2 GROUP BY g"]
    phverify.audit(table, log, policy)
    assert roads[0].columns["s"].numbers == [1, 4]
