"""What is left of cells of many values: intervals against the enumeration of all worlds,
and tables with suppressed cells and their margins against flows in integers.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from margins import LOG, MarginTable
from support.so_many import FUZZ

import phverify
from phverify.disclosure.result import AuditReport
from phverify.disclosure.solving.bounds import Program
from phverify.disclosure.solving.linear_rows import Atom, LinearRow, Range
from phverify.disclosure.solving.solutions import IntegerSolutions

Worlds = np.ndarray[Any, np.dtype[np.int64]]
Told = Callable[[Worlds], Worlds]
RANGE = {"from": 0, "to": 13}
GAPS = {"values": [0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 14, 15]}


class Cells:
    """Four cells of many values, and a log with what it says of all worlds."""

    def __init__(self, seed: int) -> None:
        self.pick = pick = random.Random(seed)
        self.domain: dict[str, Any] = pick.choice([RANGE, RANGE, GAPS])
        self.values = self.domain.get("values", list(range(14)))
        self.truth = [pick.choice(self.values) for _ in range(4)]
        asked = [self.statement() for _ in range(pick.choice([1, 2, 3]))]
        self.log = [sql for sql, _ in asked]
        self.told = [told for _, told in asked]

    def statement(self) -> tuple[str, Told]:
        pick = self.pick
        rows = sorted(pick.sample(range(4), pick.choice([1, 2, 2, 3, 3, 4])))
        ids = ", ".join(f"'k{row}'" for row in rows)
        where = f"id IN ({ids})"
        middle = pick.choice(self.values)
        sums = f"SELECT SUM(v) FROM t WHERE {where}", lambda w: w[:, rows].sum(1)
        counts = (
            f"SELECT COUNT(*) FROM t WHERE {where} AND v >= {middle}",
            lambda w: (w[:, rows] >= middle).sum(1),
        )
        most = f"SELECT MAX(v) FROM t WHERE {where}", lambda w: w[:, rows].max(1)
        weighted = (
            f"SELECT SUM(v) FILTER (WHERE v > {middle}) FROM t WHERE {where}",
            lambda w: np.where(
                (w[:, rows] > middle).any(1),
                np.where(w[:, rows] > middle, w[:, rows], 0).sum(1),
                -1,
            ),
        )
        return pick.choice([sums, sums, sums, counts, most, weighted])

    def audit(self) -> AuditReport:
        table = pd.DataFrame({"id": [f"k{row}" for row in range(4)], "v": self.truth})
        policy = {
            "table": "t",
            "key": "id",
            "sensitive": {"v": self.domain},
            "protect": {"all": {"column": "v"}},
        }
        return phverify.audit(table, self.log, policy, ranges=30.0)


def agree(seed: int) -> None:
    cells = Cells(seed)
    alive: Worlds = np.array(list(itertools.product(cells.values, repeat=4)))
    truth = np.array([cells.truth])
    report = cells.audit()
    for number, told in enumerate(cells.told, 1):
        alive = alive[told(alive) == told(truth)]
        step = report.steps[number]
        for one in step.remaining:
            here = alive[:, int(one.key[1:])]
            assert one.low <= here.min() and here.max() <= one.high, (seed, one)
            ends = (one.low, one.high) == (here.min(), here.max())
            assert one.tight == ends and one.confirmed, (seed, number, one)


def test_intervals_are_those_of_all_worlds() -> None:
    for seed in range(400 if FUZZ else 6):
        agree(seed)


@pytest.mark.parametrize(
    ("domain", "truth", "log", "low", "high"),
    [
        # What is said of the other cell is no sum.
        (
            RANGE,
            [3, 6, 0, 0],
            [
                "SUM(v) FROM t WHERE id < 'k2'",
                "COUNT(*) FROM t WHERE id = 'k1' AND v > 4",
            ],
            0,
            4,
        ),
        # 8 is no value: neither cell has it.
        (GAPS, [5, 3, 0, 0], ["SUM(v) FROM t WHERE id < 'k2'"], 1, 7),
    ],
)
def test_a_solution_of_the_sums_alone_is_no_world(
    domain: dict[str, Any], truth: list[int], log: list[str], low: int, high: int
) -> None:
    cells = Cells(0)
    cells.domain, cells.truth = domain, truth
    cells.log = [f"SELECT {said}" for said in log]
    (left,) = [one for one in cells.audit().steps[-1].remaining if one.key == "k0"]
    assert (left.low, left.high, left.tight) == (low, high, True)


def intervals(table: MarginTable, **more: Any) -> None:
    report = phverify.audit(
        table.frame(), LOG, table.policy(), **{"ranges": 30.0} | more
    )
    found = [(one.key, one.low, one.high) for one in report.steps[-1].remaining]
    assert found == list(table.intervals())
    assert all(one.tight and one.confirmed for one in report.steps[-1].remaining)


def test_intervals_of_suppressed_cells_are_exact() -> None:
    for seed in range(60 if FUZZ else 4):
        pick = random.Random(seed)
        size = pick.choice([2, 3, 4, 5, 6])
        table = MarginTable.random(size, pick.choice([0.3, 0.5, 0.8]), seed)
        if table.hidden:
            intervals(table)


def test_a_table_with_margins_asks_no_solver_for_integers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The corners of its rows are in integers: each bound comes with its world."""

    def extreme(*_: Any) -> None:
        raise AssertionError("a solver was asked for an end")

    monkeypatch.setattr("phverify.disclosure.remaining.extreme", extreme)
    intervals(MarginTable.random(6, 0.5, 3))


ROWS = [LinearRow({"x": 1, "y": 2}, 4, 4), LinearRow({"y": 1, "z": -1}, 0, 9)]
ENDS: dict[Atom, Range] = {"x": (0, 4), "y": (0, 3), "z": (0, 3)}


@pytest.mark.parametrize(
    ("x", "y", "z", "counts"),
    [
        (2.0, 1.0, 1.0, True),
        (2.0000001, 0.9999999, 0.0, True),
        (4.0, 0.0, 1.0, False),
        (2.0, 0.0, 0.0, False),
        (2.0, 1.0, 2.0, False),
        (1.0, 1.0, 0.0, False),
        (-2.0, 3.0, 0.0, False),
        (2.0, 1.0, -1.0, False),
        (float("nan"), 1.0, 1.0, False),
        (float("inf"), 1.0, 1.0, False),
        (1e300, 1.0, 1.0, False),
    ],
)
def test_what_is_no_solution_in_integers_does_not_count(
    x: float, y: float, z: float, counts: bool
) -> None:
    met = IntegerSolutions(ROWS, ENDS, {})
    met.learn({"x": x, "y": y, "z": z})
    assert met.attains("x", 2, 1) == met.attains("x", 2, -1) == counts
    assert not met.attains("x", 3, 1) and not met.attains("w", 2, 1)


def test_ends_are_those_of_all_solutions_met() -> None:
    met = IntegerSolutions(ROWS, ENDS, {})
    met.learn({"x": 2.0, "y": 1.0, "z": 1.0})
    met.learn({"x": 0.0, "y": 2.0, "z": 1.0})
    assert met.attains("x", 0, 1) and met.attains("x", 2, -1)


def test_large_numbers_are_left_to_solvers() -> None:
    rows = [LinearRow({"x": 2**60, "y": 1}, 0, 0)]
    met = IntegerSolutions(rows, {"x": (0, 9), "y": (0, 9)}, {})
    met.learn({"x": 0.0, "y": 0.0})
    assert not met.attains("x", 0, 1)


def test_a_bound_names_the_rows_of_what_they_fix() -> None:
    """``x + y <= 5`` and ``2 y = 4``: x is at most 3, by both."""
    rows = [LinearRow({"x": 1, "y": 1}, 0, 5, 1), LinearRow({"y": 2}, 4, 4, 2)]
    program = Program(rows, {"x": (0, 9), "y": (0, 9)})
    found = program.bound("x", -1)
    assert found is not None and (found.value, found.origins) == (3, {1, 2})
    fixed = program.bound("y", 1)
    assert fixed is not None and (fixed.value, fixed.origins) == (2, {2})
    # Half a number fixes nothing here.
    odd = [LinearRow({"x": 1, "y": 1}, 0, 5, 1), LinearRow({"y": 2}, 3, 3, 2)]
    assert not Program(odd, {"x": (0, 9), "y": (0, 9)}).alone
