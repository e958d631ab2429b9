"""Questions about many facts at a time: as sound as those about one, against all worlds
listed.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.core import smallest
from phverify.disclosure.log.statements import Statement
from phverify.disclosure.policy_reader import load
from phverify.disclosure.protected import ProtectedFact, facts
from phverify.disclosure.solving.ask import widest
from phverify.disclosure.worlds.constraints import Effect
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.errors import Defect
from phverify.verbs.auditor import Auditor

ROWS, HIGH = 6, 2
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": [],
    "sensitive": {"v": {"from": 0, "to": HIGH}},
    "protect": {
        "cells": {"column": "v"},
        "some": {"column": "v", "left": 3},
        "high": {"fact": "v >= 1"},
    },
}


def made(folder: Path, seed: int) -> tuple[Auditor, list[int], list[list[int]]]:
    """An audit after some sums over random rows, the cells, and the rows of each
    sum.
    """
    pick = random.Random(seed)
    cells = [pick.randint(0, HIGH) for _ in range(ROWS)]
    path = folder / f"{seed}.csv"
    path.write_text(
        "id,v\n" + "".join(f"{k},{v}\n" for k, v in enumerate(cells)), encoding="utf-8"
    )
    settings = load(POLICY)
    source = open_database(path, "t")
    frame = read(source, settings)
    auditor = Auditor(source, frame, facts(settings, frame), Deadline(), 20.0, 1.0)
    chosen = [
        sorted(pick.sample(range(ROWS), pick.randint(2, 5)))
        for _ in range(pick.randint(1, 5))
    ]
    for rows in chosen:
        auditor.learned(
            Statement(
                f"SELECT SUM(v) FROM t WHERE id IN ({', '.join(map(str, rows))})", 1
            )
        )
    return auditor, cells, chosen


def follows(fact: ProtectedFact, cells: list[int], chosen: list[list[int]]) -> bool:
    """Whether a fact is the same in every world with the sums."""
    sums = [sum(cells[row] for row in rows) for rows in chosen]
    every = itertools.product(range(HIGH + 1), repeat=ROWS)
    worlds = [
        world
        for world in every
        if [sum(world[row] for row in rows) for rows in chosen] == sums
    ]
    views = {(world[fact.rows[0]],) for world in worlds}
    return (
        len(views) < fact.wanted
        if fact.counting
        else all(fact.holds(view) for view in views)
    )


@pytest.mark.parametrize("seed", range(12))
def test_one_question_for_all_says_what_holds_of_each(
    tmp_path: Path, seed: int
) -> None:
    auditor, cells, chosen = made(tmp_path, seed)
    for group in auditor.judge.groups(auditor.facts):
        found = auditor.judge.together(group, Deadline(20.0))
        for fact in group:
            expected = "disclosed" if follows(fact, cells, chosen) else "safe"
            assert found[fact].verdict == expected, fact.text()
            if expected == "disclosed":
                core = [chosen[number - 1] for number in found[fact].core]
                assert follows(fact, cells, core)


def test_both_verdicts_occur(tmp_path: Path) -> None:
    said = {
        follows(f, cells, chosen)
        for seed in range(4)
        for a, cells, chosen in [made(tmp_path, seed)]
        for f in a.facts
    }
    assert said == {True, False}


@pytest.mark.parametrize("seed", range(12))
def test_a_whole_step_says_the_same(tmp_path: Path, seed: int) -> None:
    auditor, cells, chosen = made(tmp_path, seed)
    found = auditor.judge.decide_all(auditor.facts)
    for fact, one in zip(auditor.facts, found, strict=True):
        assert (one.verdict == "disclosed") == follows(fact, cells, chosen), fact.text()


def test_what_a_world_of_another_group_settled_is_not_asked_again(
    tmp_path: Path,
) -> None:
    auditor, cells, chosen = made(tmp_path, 0)
    safe = [
        fact
        for fact in auditor.facts
        if fact.wanted == 1 and not follows(fact, cells, chosen)
    ]
    safe += [
        fact
        for fact in auditor.facts
        if fact.wanted == 2 and not follows(fact, cells, chosen)
    ]
    assert safe
    auditor.judge.together(safe, Deadline(20.0))
    again = auditor.judge.together(safe, Deadline(0.0))
    assert {one.verdict for one in again.values()} == {"safe"}


def test_a_step_without_time_is_undecided_and_tires_until_the_last(
    tmp_path: Path,
) -> None:
    auditor, _, _ = made(tmp_path, 0)
    judge = auditor.judge
    judge.each = 0.0
    judge.begin()
    assert (
        "undecided" in {one.verdict for one in judge.decide_all(auditor.facts)}
        and judge.tired == 1
    )
    judge.each = 16.0
    judge.begin()
    assert judge.step.seconds == 8.0
    judge.begin(last=True)
    assert judge.step.seconds == 16.0
    assert (
        "undecided" not in {one.verdict for one in judge.decide_all(auditor.facts)}
        and judge.tired == 0
    )


def test_what_the_data_contradicts_is_a_defect(tmp_path: Path) -> None:
    auditor, _, _ = made(tmp_path, 0)
    with pytest.raises(
        Defect, match="the true database violates what query 9 is taken to say"
    ):
        auditor.judge.learn(Effect((t.FALSE,), (), 9))


def test_as_few_queries_as_suffice() -> None:
    """Where a question stays open a query is kept, and nobody says that it cannot be
    left out.
    """
    one, two, three = (Effect((), (), number) for number in (1, 2, 3))
    assert smallest(
        [one, two, three], lambda rest: "unsat" if two in rest else "sat"
    ) == ([two], True)
    assert smallest([one, two, three], lambda rest: "sat") == ([one, two, three], True)
    open_ = {(two, three): "unknown", (one, three): "sat", (one, two): "unsat"}
    assert smallest([one, two, three], lambda rest: open_[tuple(rest)]) == (
        [one, two],
        False,
    )


def test_the_widest_world_is_never_a_proof(tmp_path: Path) -> None:
    x = t.Variable("x", 0, 3)
    alone = t.LinearSum(plain=((1, x),))
    assert (
        widest([t.equal(alone, 1)], [t.equal(alone, 2)], Deadline(5.0)).status
        == "unknown"
    )
    several = [t.within(alone, k, None) for k in (1, 2, 3)]
    assert widest([], several, Deadline(5.0)).values == {"x": 3}
