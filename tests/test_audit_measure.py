"""How far what is known is from a protected fact: distances of audited logs by hand,
and against counting.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.audit_formula_cases import named, nested, policy, signs, written
from support.stopping import StillClock

from phverify.constraints import cpsat
from phverify.disclosure import measure
from phverify.disclosure import protected as facts
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.policy import AuditPolicy, Protected
from phverify.disclosure.result import Distance, Remaining
from phverify.verbs.audit import audit

F = Fraction
BETWEEN = [
    "SELECT COUNT(*) FROM people WHERE name = 'Jean' AND balance BETWEEN 410 AND 440"
]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return written(tmp_path)


def distances(
    people: Path,
    log: list[str],
    protect: dict[str, Any],
    ranges: float = 600.0,
    **more: Any,
) -> list[Distance]:
    """Of what cells may be, with all the time that a slow machine needs for it."""
    report = audit(people, log, policy(protect, **more), ranges=ranges)
    return [one for step in report.steps for one in step.distances]


def only(found: list[Distance]) -> list[Fraction | None]:
    return [one.value for one in found]


def test_distance_of_an_interval(people: Path) -> None:
    """1001 values, then 21, then 1; a threshold asks for the share below it."""
    log = [
        "SELECT COUNT(*) FROM people WHERE name = 'Jean' AND balance BETWEEN 410"
        " AND 430"
    ]
    log += ["SELECT MAX(balance) FROM people WHERE name = 'Jean'"]
    exact = distances(people, log, {"p": {"column": "balance", "keys": ["Jean"]}})
    assert only(exact) == [F(1000, 1001), F(20, 21), 0] and {
        one.kind for one in exact
    } == {"numerval"}
    assert [one.of for one in exact] == ["the interval", "the interval", "the interval"]
    rich = {"p": {"fact": "balance >= 420", "keys": ["Jean"]}}
    assert only(distances(people, log, rich)) == [F(420, 1001), F(10, 21), 0]
    near = {"p": {"column": "balance", "within": 5, "keys": ["Jean"]}}
    assert only(distances(people, log, near)) == [F(990, 1001), F(10, 21), 0]
    assert only(
        distances(
            people, log, {"p": {"column": "balance", "left": 20, "keys": ["Jean"]}}
        )
    ) == [
        F(982, 1001),
        F(2, 21),
        0,
    ]


def test_to_load_a_solver_takes_no_time_of_its_first_question(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cells may be is asked for half a second; a solver takes longer to load."""
    clock, plain, loads = StillClock(), cpsat.available, [5.0]
    monkeypatch.setattr("phverify.budget.time", clock)

    def available() -> bool:
        if loads:
            clock.now += loads.pop()
        return plain()

    monkeypatch.setattr(cpsat, "available", available)
    protect = {"p": {"column": "balance", "keys": ["Jean"]}}
    exact = distances(people, BETWEEN, protect, ranges=0.5)
    assert not loads and only(exact) == [F(1000, 1001), F(30, 31)]


def test_numerical_distance_is_that_of_the_farthest_value(people: Path) -> None:
    log = BETWEEN
    more = {"distances": {"balance": "numerical"}}
    assert only(
        distances(people, log, {"p": {"column": "balance", "keys": ["Jean"]}}, **more)
    ) == [
        F(580, 1001),
        F(20, 1001),
    ]
    rich = {"p": {"fact": "balance >= 420", "keys": ["Jean"]}}
    assert only(distances(people, log, rich, **more)) == [F(420, 1001), F(10, 1001)]
    holes = {
        "p": {
            "fact": "balance < 300 or balance in (420, 700) or balance = 900",
            "keys": ["Jean"],
        }
    }
    assert only(distances(people, log, holes, **more)) == [F(140, 1001), F(20, 1001)]


def test_taxoral_distance_is_that_of_nodes(people: Path) -> None:
    """Example 1bis: Viral-Infection to CoVid 1/5, with the root at depth 1; from the
    root itself 1/2.
    """
    log = [
        "SELECT COUNT(illness) FROM people",
        (
            "SELECT COUNT(*) FROM people WHERE illness IN ('flu', 'covid') AND branch"
            " = 'N'"
        ),
    ]
    log += [
        "SELECT name, illness FROM people WHERE name = 'Jean' AND illness = 'covid'"
    ]
    exact = distances(people, log, {"p": {"column": "illness", "keys": ["Jean"]}})
    assert only(exact) == [1, 1, F(1, 5), 0] and {one.kind for one in exact} == {
        "taxoral"
    }  # first it may be missing
    there = "SELECT COUNT(illness) FROM people WHERE name = 'Jean'"
    assert only(
        distances(
            people, [there, *log[1:]], {"p": {"column": "illness", "keys": ["Jean"]}}
        )
    ) == [
        1,
        F(1, 2),
        F(1, 5),
        0,
    ]
    viral = {"p": {"fact": "illness below 'viral'", "keys": ["Jean"]}}
    assert only(distances(people, [there, *log[1:]], viral)) == [1, F(1, 3), 0, 0]
    mixed = {
        "p": {"fact": "illness in ('covid', 'cancer')", "keys": ["Jean"]}
    }  # no node: sets are compared
    assert [(d.kind, d.value) for d in distances(people, [there], mixed)] == [
        ("nominal", F(3, 5)),
        ("nominal", F(1, 2)),
    ]
    missing = {"p": {"column": "illness", "keys": ["Jean Paul"]}}
    assert only(
        distances(people, ["SELECT name FROM people WHERE illness IS NULL"], missing)
    ) == [1, 0]


def test_distance_of_a_formula_over_several_cells(people: Path) -> None:
    """Each cell by itself: 581 of 1001 and one of five values (four, or missing)."""
    found, _ = distances(
        people, ["BEGIN"], named("balance[Jean] >= 420 and illness[Ann] = 'flu'")
    )
    assert (found.value, found.of) == (
        1 - F(581, 1001) * F(1, 5),
        "each cell by itself",
    )
    found, _ = distances(people, ["BEGIN"], named("balance[Jean] > balance[Ann]"))
    assert found.value is None and "too many" in found.reason
    small = policy(named("balance[Jean] > balance[Ann]"))
    small["sensitive"]["balance"] = {"from": 100, "to": 449}
    log = [
        "SELECT COUNT(*) FROM people WHERE balance BETWEEN 400 AND 440 AND name ="
        " 'Jean'"
    ]
    log += [
        "SELECT COUNT(*) FROM people WHERE balance BETWEEN 300 AND 410 AND name = 'Ann'"
    ]
    step = audit(people, log, small).steps[-1]
    pairs = sum(1 for jean in range(400, 441) for ann in range(300, 411) if jean <= ann)
    assert step.distances[0].value is None or step.distances[0].value == F(
        pairs, 41 * 111
    )
    assert step.nearest == step.distances[0].value


@given(st.data(), st.booleans())
def test_distances_of_long_lists_against_counting(
    data: st.DataObject, listed: bool
) -> None:
    """Over intervals: every value tried, for formulas about one cell, and for the exact
    value.
    """
    pool = (
        sorted(data.draw(st.sets(st.integers(0, 30), min_size=13, max_size=16)))
        if listed
        else list(range(31))
    )
    domain = (
        Domain(values=tuple(pool), null=True) if listed else Domain(0, 30, null=True)
    )
    cell, true = f.FactCell("s", "x"), data.draw(st.sampled_from(pool))
    one = st.builds(
        f.LinearSide,
        st.tuples(st.tuples(st.integers(-3, 3), st.just(cell))),
        st.integers(-5, 5),
    )
    number = st.builds(f.LinearSide, st.just(()), st.integers(-20, 50))
    among = st.builds(
        f.Among, st.just(cell), st.lists(st.sampled_from(pool), max_size=4).map(tuple)
    )
    ours = (
        st.builds(f.CellComparison, one, signs, number)
        | among
        | st.just(f.Missing(cell))
    )
    formula = data.draw(st.none() | ours | st.recursive(ours, nested, max_leaves=4))
    line = Protected(
        "p", "s", "exact" if formula is None else "formula", formula=formula
    )
    fact = facts.ProtectedFact(line, (cell,), (0,), (true,), formula)
    for low, high, missing in product(pool[::4], pool[::5], (False, True)):
        every: list[int | None] = [
            *(x for x in pool if low <= x <= high),
            *([None] if missing else []),
        ]
        target = [
            x for x in every if (x == true if formula is None else fact.holds((x,)))
        ]
        others = [x for x in every if x not in target]
        if target and others and low <= high:
            left = [Remaining("x", "s", low, high, None, missing)]
            assert measured(fact, left, domain, "numerval") == F(
                len(others), len(every)
            )
            far = farthest(target, others, pool[-1] - pool[0] + 1)
            assert measured(fact, left, domain, "numerical") == far


def measured(
    fact: facts.ProtectedFact, left: Any, domain: Domain, kind: str
) -> Fraction | None:
    policy = AuditPolicy(
        "t", "k", (), {"s": domain}, (fact.protected,), distances={"s": kind}
    )
    return measure.measured(fact, "safe", left, policy).value


def farthest(
    target: Sequence[int | None], others: Sequence[int | None], width: int
) -> Fraction:
    whole = [x for x in target if x is not None]
    if None in others or not whole:
        return F(1)
    return F(
        max(min(abs(x - y) for y in whole) for x in others if x is not None), width
    )
