"""Audits by classes of rows say what the enumeration of all worlds says: verdicts, when
each fact was given away, by which queries, and worlds that have all answers.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_audits import Small, Worlds
from support.so_many import FUZZ

import phverify
import phverify.verbs.audit as audited
from phverify.disclosure.classes import few, made_for
from phverify.disclosure.classes.fragment import OutsideClasses
from phverify.disclosure.classes.road import ClassRoad
from phverify.disclosure.classes.system import ColumnClasses
from phverify.disclosure.classes.tables import CountedFindings
from phverify.disclosure.result import FactFinding, Step
from phverify.errors import Defect


@pytest.fixture(autouse=True)
def _small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes for tables of any size."""
    monkeypatch.setattr(audited, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "ROWS_OF_RANGES", 0)


def agree(seed: int) -> int:
    """How many findings of a random audit were compared."""
    small = Small(seed)
    report, worlds = small.audit(), small.worlds()
    said = worlds[small.truth]
    compared = 0
    for step in report.steps:
        assert isinstance(step.findings, CountedFindings)
        assert step.counts() == Counter(one.verdict for one in step.findings)
        alive = {
            world
            for world, answers in worlds.items()
            if answers[: step.number] == said[: step.number]
        }
        for one in step.findings:
            row = int(one.fact.key[1:])
            fixed = {world[row] for world in alive} == {small.truth[row]}
            assert one.verdict == ("disclosed" if fixed else "safe"), (
                seed,
                step.number,
                one,
            )
            if fixed:
                first_told(small, worlds, one, row)
            else:
                shown(small, alive, one, row)
            compared += 1
        left(small, alive, step)
    return compared


def first_told(small: Small, worlds: Worlds, one: FactFinding, row: int) -> None:
    said, true = worlds[small.truth], small.truth[row]
    for number in range(len(said) + 1):
        fixed = all(
            world[row] == true
            for world, answers in worlds.items()
            if answers[:number] == said[:number]
        )
        assert fixed == (number >= one.since) and one.exact
    core = [number - 1 for number in one.core]
    assert all(
        world[row] == true
        for world, answers in worlds.items()
        if all(answers[q] == said[q] for q in core)
    )


def shown(
    small: Small, alive: set[tuple[int, ...]], one: FactFinding, row: int
) -> None:
    for changes in one.worlds:
        world = list(small.truth)
        for change in changes:
            place = int(change.key[1:])
            assert world[place] == change.true
            world[place] = change.other
        assert tuple(world) in alive and world[row] != small.truth[row]


def left(small: Small, alive: set[tuple[int, ...]], step: Step) -> None:
    """No value is left out that a cell may have, and tight is what it says."""
    for cell in step.remaining:
        possible = {world[int(cell.key[1:])] for world in alive}
        values = set(cell.values or range(cell.low, cell.high + 1))
        assert possible <= values and (not cell.tight or possible == values)
    for finding, distance in zip(step.findings, step.distances, strict=True):
        assert (distance.value == 0) == (finding.verdict == "disclosed")


def test_classes_say_what_all_worlds_say(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for seed in range(600 if FUZZ else 24):
        # By turns all classes are looked at one by one, none, or the last few ones.
        monkeypatch.setattr(few, "FEW", (64, 0, 3)[seed % 3])
        compared += agree(seed)
    assert compared > 300


def test_what_is_outside_takes_the_other_road() -> None:
    small = Small(3)
    small.log = ["SELECT MEDIAN(s) FROM t", "SELECT SUM(s) FROM t"]
    assert not isinstance(small.audit().steps[-1].findings, CountedFindings)


def test_after_a_statement_that_is_not_audited_nothing_is_safe() -> None:
    small = Small(3)
    small.log = [
        "SELECT SUM(s) FROM t",
        "SELECT nothing FROM t",
        "SELECT COUNT(*) FROM t",
    ]
    steps = small.audit().steps
    assert [set(step.counts()) for step in steps] == [
        {"safe"},
        {"safe"},
        {"unsupported"},
        {"unsupported"},
    ]
    # No world is known that gives all answers, and less may be left of each cell.
    for one, left, far in zip(
        steps[3].findings, steps[3].remaining, steps[3].distances, strict=False
    ):
        assert not one.worlds and not left.tight and far.value is None


def test_an_answer_of_other_sums_is_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads an answer otherwise than the data has it is not believed."""
    small = Small(3)
    roads: list[ClassRoad] = []
    before = ClassRoad.learn

    def learn(self: ClassRoad, query: Any, answer: Any, number: int) -> None:
        roads.append(self)
        with pytest.raises(OutsideClasses):
            before(self, query, [(answer[0][0] + 1,)], number)
        before(self, query, answer, number)

    monkeypatch.setattr(ClassRoad, "learn", learn)
    small.log = ["SELECT SUM(s) FROM t"]
    assert isinstance(small.audit().steps[-1].findings, CountedFindings) and roads


def test_a_wrong_world_is_found_by_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are taken for alike and are not give another answer."""
    small = Small(3)
    small.public = [("k0", "x", 0), ("k1", "y", 0), ("k2", "y", 0)]
    small.truth = (small.values[0], small.values[1], small.values[1])
    small.log = ["SELECT g, SUM(s) FROM t GROUP BY g"]
    monkeypatch.setattr(
        ColumnClasses,
        "label",
        lambda self, level: np.zeros(len(self.finest.sizes), dtype=np.int64),
    )
    monkeypatch.setattr(few, "FEW", 0)
    monkeypatch.setattr(
        "phverify.disclosure.classes.history.ColumnHistory._sums", lambda self: None
    )
    with pytest.raises(Defect, match="answers"):
        small.audit()


def rows_of(count: int) -> Iterator[tuple[int, int, int, int, int]]:
    pick = random.Random(count)
    for key in range(count):
        yield (
            key,
            pick.randrange(6),
            pick.randrange(4),
            int(pick.random() < 0.12),
            pick.randrange(1001),
        )


def test_all_rows_of_a_dashboard_are_decided() -> None:
    table = pd.DataFrame(rows_of(900), columns=["id", "a", "b", "ill", "income"])
    log = [
        "SELECT a, COUNT(*) FROM t WHERE ill = 1 GROUP BY a",
        "SELECT b, SUM(income) FROM t GROUP BY b",
    ]
    log += [
        "SELECT a, b, COUNT(*) FILTER (WHERE ill = 1), AVG(income) FROM t GROUP BY a, b"
    ]
    log += ["SELECT SUM(income) FROM t WHERE id <> 17"]
    sensitive = {"ill": {"from": 0, "to": 1}, "income": {"from": 0, "to": 1000}}
    protect = {name: {"column": name} for name in sensitive}
    policy = {
        "table": "t",
        "key": "id",
        "public": ["a", "b"],
        "sensitive": sensitive,
        "protect": protect,
    }
    report = phverify.audit(table, log, policy)
    assert [dict(step.counts()) for step in report.steps[:-1]] == [{"safe": 1800}] * 4
    (finding,) = [
        one for one in report.steps[-1].findings if one.verdict == "disclosed"
    ]
    assert (finding.fact.key, finding.fact.column, finding.since) == ("17", "income", 4)
    assert report.steps[-1].counts() == {"safe": 1799, "disclosed": 1}
