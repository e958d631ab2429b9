"""A few protected rows among many: what is found where they stand is what is found
among all rows, and what several queries share is looked at once.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.so_many import FUZZ

import phverify
import phverify.verbs.audit as audited
from phverify.disclosure.classes import few, made_for, neighbourhood, selected
from phverify.disclosure.classes.history import ColumnHistory
from phverify.disclosure.classes.road import ClassRoad
from phverify.disclosure.classes.selected import first_of, numbered, refined, shared
from phverify.disclosure.classes.system import ColumnClasses
from phverify.disclosure.classes.tables import CountedFindings
from phverify.disclosure.result import AuditReport
from phverify.disclosure.worlds import rounding
from phverify.disclosure.worlds.database import Database

NAMES = ("a", "b", "c", "d")
SENSITIVE = {"ill": {"from": 0, "to": 1}, "income": {"from": 0, "to": 5}}


@pytest.fixture(autouse=True)
def _small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes for tables of any size."""
    monkeypatch.setattr(audited, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "FROM_ROWS", 1)


class Dashboard:
    """A table of a few hundred rows, margins of it, and five protected people."""

    def __init__(self, seed: int) -> None:
        pick = random.Random(seed)
        rows = pick.choice([60, 150, 300])
        rare = pick.choice([0.03, 0.1, 0.3])
        widths = [pick.choice([2, 3, 4]) for _ in NAMES]
        self.rows = [
            (
                key,
                *(pick.randrange(width) for width in widths),
                int(pick.random() < rare),
                pick.choice([0, 0, 0, pick.randrange(6), 5]),
            )
            for key in range(rows)
        ]
        sets = [s for size in (1, 2, 3) for s in itertools.combinations(NAMES, size)]
        self.log = []
        for _ in range(pick.choice([4, 8, 14])):
            names = ", ".join(pick.choice(sets))
            item, where = pick.choice(
                [
                    ("COUNT(*)", " WHERE ill = 1"),
                    ("SUM(income)", ""),
                    ("AVG(income), AVG(ill)", ""),
                    ("SUM(income), SUM(ill)", " WHERE a = 1 OR b = 0"),
                ]
            )
            self.log.append(f"SELECT {names}, {item} FROM t{where} GROUP BY {names}")
        self.keys = [str(key) for key in sorted(pick.sample(range(rows), 5))]

    def audit(self) -> AuditReport:
        table = pd.DataFrame(self.rows, columns=["id", *NAMES, "ill", "income"])
        lines = {name: {"column": name, "keys": self.keys} for name in SENSITIVE}
        policy: dict[str, Any] = {"table": "t", "key": "id", "public": list(NAMES)}
        policy |= {"sensitive": SENSITIVE, "protect": lines}
        return phverify.audit(table, self.log, policy, ranges=0)


def verdicts(report: AuditReport) -> list[list[tuple[str, int | None]]]:
    """What is said of each fact after each step, and since when."""
    assert isinstance(report.steps[-1].findings, CountedFindings)
    return [[(one.verdict, one.since) for one in s.findings] for s in report.steps]


def among_all(board: Dashboard, monkeypatch: pytest.MonkeyPatch) -> AuditReport:
    """The same audit without a look at where the rows stand."""
    with monkeypatch.context() as patch:
        patch.setattr(few, "FEW", 0)
        return board.audit()


def test_few_rows_are_judged_as_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    told: set[str] = set()
    for seed in range(100 if FUZZ else 3):
        board = Dashboard(seed)
        found = verdicts(board.audit())
        beside = verdicts(among_all(board, monkeypatch))
        pairs = zip(itertools.chain(*found), itertools.chain(*beside), strict=True)
        for one, other in pairs:
            both_decided = "undecided" not in (one[0], other[0])
            assert one == other or not both_decided, seed
            told.add(one[0])
    assert {"safe", "disclosed"} <= told


def test_most_are_decided_where_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the whole system nor its proofs are asked for."""
    monkeypatch.setattr(ColumnHistory, "decide", lambda self: None)
    found = verdicts(Dashboard(1).audit())
    assert "undecided" not in {verdict for step in found for verdict, _ in step}


def test_slices_find_worlds_where_boxes_have_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = Dashboard(1)
    decided = verdicts(board.audit())
    monkeypatch.setattr(neighbourhood.Neighbourhood, "_move", lambda *given: None)
    monkeypatch.setattr(ColumnHistory, "decide", lambda self: None)
    found = verdicts(board.audit())
    monkeypatch.setattr(few.FewHistory, "_slices", lambda *given: None)
    without = verdicts(board.audit())
    more = 0
    steps = zip(decided, found, without, strict=True)
    for judged in itertools.chain.from_iterable(
        zip(*step, strict=True) for step in steps
    ):
        whole, sliced, least = judged
        assert sliced in (whole, ("undecided", 0))
        more += (least[0] == "undecided") > (sliced[0] == "undecided")
    assert more


def test_what_is_not_found_there_is_asked_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = Dashboard(1)
    found = verdicts(board.audit())
    monkeypatch.setattr(few, "ROUNDS", ())
    assert verdicts(board.audit()) == found


def test_what_is_open_in_the_end_is_looked_at_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where nothing is found after the last answers, worlds of earlier ones count."""
    board = Dashboard(1)
    decided = verdicts(board.audit())
    moves = neighbourhood.Neighbourhood._move
    proof = neighbourhood.Neighbourhood.proof

    def found_late(self: neighbourhood.Neighbourhood) -> bool:
        return self.level == self.history.levels

    def no_move(self: neighbourhood.Neighbourhood, place: int, sizes: Any) -> None:
        if not found_late(self):
            moves(self, place, sizes)

    def no_proof(
        self: neighbourhood.Neighbourhood, name: int, most: int
    ) -> tuple[int, ...]:
        return () if found_late(self) else proof(self, name, most)

    monkeypatch.setattr(neighbourhood.Neighbourhood, "_move", no_move)
    monkeypatch.setattr(neighbourhood.Neighbourhood, "proof", no_proof)
    monkeypatch.setattr(ColumnHistory, "decide", lambda self: None)
    found = verdicts(board.audit())
    assert any(verdict == "undecided" for verdict, _ in found[-1])
    pairs = zip(itertools.chain(*found), itertools.chain(*decided), strict=True)
    assert all(one == other or one[0] == "undecided" for one, other in pairs)
    first = [verdict for verdict, _ in found[0]]
    assert "undecided" not in first


def test_moves_that_do_not_leave_the_sums_are_no_world(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def one_alone(self: Any, system: Any, part: Any, left: Any) -> Any:
        return np.where(left, np.where(system.high > 0, 1, -1), 0)

    board = Dashboard(1)
    monkeypatch.setattr(neighbourhood.Movers, "moved", one_alone)
    with pytest.raises(phverify.errors.Defect, match="do not leave the sums"):
        board.audit()


def test_a_statement_asked_twice_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    before = Database.execute

    def execute(self: Database, sql: str) -> Any:
        asked.append(sql)
        return before(self, sql)

    monkeypatch.setattr(Database, "execute", execute)
    board = Dashboard(0)
    first, second, *_ = dict.fromkeys(board.log)
    board.log = [first, second, first, second]
    report = board.audit()
    assert asked.count(first) == asked.count(second) == 1
    assert [step.number for step in report.steps] == [0, 1, 2, 3, 4]
    assert report.steps[3].answer == report.steps[1].answer
    found = verdicts(report)
    assert found[2] == found[3] == found[4]


def test_counts_and_means_of_the_same_are_one_selection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns: dict[str, ColumnClasses] = {}
    before = ClassRoad.decide

    def decide(self: ClassRoad, steps: int) -> Any:
        columns.update(self.columns)
        return before(self, steps)

    monkeypatch.setattr(ClassRoad, "decide", decide)
    board = Dashboard(0)
    board.log = [
        "SELECT a, COUNT(*) FROM t WHERE ill = 1 GROUP BY a",
        "SELECT a, AVG(ill) FROM t GROUP BY a",
        "SELECT a, SUM(ill) FROM t WHERE b = 1 GROUP BY a",
        "SELECT COUNT(*) FROM t WHERE ill = 1 AND a = 1",
        "SELECT b, AVG(ill) FROM t GROUP BY b",
    ]
    board.audit()
    assert columns["ill"].numbers == [1, 3, 4, 5]


# Rows as arrays


def test_numbers_of_pairs_are_those_of_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    pick = np.random.default_rng(1)
    for _ in range(30):
        size = int(pick.integers(1, 40))
        one = np.unique(pick.integers(0, 6, size), return_inverse=True)[1]
        other = pick.integers(-3, int(pick.integers(1, 60)), size)
        monkeypatch.setattr(selected, "DENSE", 8)
        counted = refined(one, other)
        monkeypatch.setattr(selected, "DENSE", 0)
        assert (counted == refined(one, other)).all()
        assert (first_of(counted) == np.unique(counted, return_index=True)[1]).all()
        assert (numbered(other.tolist(), "INTEGER") == numbered(other)).all() or (
            len(set(other.tolist())) > 1
        )
        alike = numbered(other.tolist(), "INTEGER")
        for value in set(other.tolist()):
            assert len(set(alike[other == value].tolist())) == 1
        assert len(set(alike.tolist())) == len(set(other.tolist()))
    assert not len(first_of(np.zeros(0, dtype=np.int64)))
    assert shared(np.array([2, 2])).tolist() == [2, 2]
    assert shared(np.array([2, 3])).tolist() == [2, 3]
    assert len(set(numbered([3, None, 3], "INTEGER").tolist())) == 2


# Means


def rounded(exact: Fraction, bits: int) -> Fraction:
    """The number with so many bits that is nearest, of two the even one."""
    scale = Fraction(1)
    while exact * scale >= 2**bits:
        scale /= 2
    while exact * scale < 2 ** (bits - 1):
        scale *= 2
    return round(exact * scale) / scale


def test_no_other_sum_has_a_mean_that_says_one() -> None:
    """Whether the quotient is rounded once, or first to 64 bits."""
    pick = random.Random(1)
    ones = 0
    for _ in range(20_000 if FUZZ else 150):
        count = pick.choice(
            [3, 10**3, 2 ** pick.randrange(10, 40), pick.randrange(1, 10**9)]
        )
        total = pick.randrange(1, 2 ** pick.randrange(1, 53))
        if pick.random() < 0.5:
            # Here the next sum is as near as doubles are.
            total = pick.randrange(2**51, 2**53)
        exact = Fraction(total, count)
        mean = float(rounded(rounded(exact, pick.choice([64, 200])), 53))
        near = [s for s in range(total - 2, total + 3) if s > 0]
        alike = []
        for s in near:
            way = Fraction(s, count)
            ends = {float(rounded(rounded(way, bits), 53)) for bits in (64, 200)}
            if mean in ends:
                alike.append(s)
        if rounding.single(mean, total, count):
            assert alike == [total]
            ones += 1
        try:
            several = rounding.sums(mean, count)
        except ArithmeticError:
            continue
        assert alike == [s for s in near if s in several]
    assert ones > 50


def test_a_mean_of_a_sum_that_is_no_double_is_outside() -> None:
    large = rounding.LARGEST_SUM
    coding: Any = None
    assert selected._says(float(large - 2), large - 2, 1, True, coding)
    assert not selected._says(float(large + 2), large + 2, 1, True, coding)


def test_what_nothing_else_fits_is_disclosed_with_its_queries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One, one and one, two by two: no sum says it alone, and no solver is asked."""
    monkeypatch.setattr(few, "FEW", 3)
    monkeypatch.setattr(ColumnHistory, "_asked", lambda *given: None)
    monkeypatch.setattr(ColumnHistory, "_proved", lambda self, a, b, left: (left, a))
    rows = [(key, key, 1) for key in range(3)] + [(3, 3, 2), (4, 4, 0), (5, 3, 2)]
    table = pd.DataFrame(rows, columns=["id", "a", "v"])
    log = [
        f"SELECT SUM(v) FROM t WHERE a IN ({one}, {other})"
        for one, other in [(0, 1), (3, 4), (1, 2), (0, 2)]
    ]
    policy: dict[str, Any] = {"table": "t", "key": "id", "public": ["a"]}
    policy |= {"sensitive": {"v": {"from": 0, "to": 3}}}
    policy |= {"protect": {"v": {"column": "v"}}}
    step = phverify.audit(table, log, policy, ranges=0).steps[-1]
    said = [(one.verdict, one.core, one.since) for one in step.findings]
    assert said == [("disclosed", (1, 3, 4), 4)] * 3 + [("safe", (), 0)] * 3
