"""Defects that a review of ``compare`` and ``lint`` found, each with the table or the
claim that shows it.
"""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from support.stopping import StillClock

import phverify as ph
from phverify.comparison.criterion_terms import GRID, minus_log_facts
from phverify.comparison.lint import lint
from phverify.comparison.parts import survives
from phverify.comparison.run import compare
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.spec.criteria.delta_disclosure import DeltaDisclosure
from phverify.spec.criteria.recursive_l_diversity import RecursiveDiversity
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.logarithms import log_enclosure
from phverify.symbolic.sums import share

F = Fraction
COLUMNS = {"quasi": ["q"], "sensitive": ["f", "g"]}


def policy(rule: str, **more: object) -> ph.Policy:
    return ph.Policy.from_dict({"columns": COLUMNS, "rules": {"r": rule}, **more})


@pytest.mark.parametrize(
    ("criterion", "kept"),
    [
        (DeltaDisclosure("s", F(1)), True),
        (DeltaDisclosure("s", F(6, 5), "ignored"), False),
        (RecursiveDiversity("s", F(1, 2), 3), True),
    ],
)
def test_what_merging_keeps_is_proved(criterion: ClassCriterion, kept: bool) -> None:
    assert survives(criterion) is kept


def test_classes_are_not_merged_where_that_dilutes_a_value() -> None:
    """Classes aaaa, a, bbbb: the last two together would have too few a."""
    second = "~(k_anonymity(4) & ~k_anonymity(5) & ([a1] s = a) & l_a0(s = a) = 5/9)"
    found = compare(
        "delta_disclosure(s, 6/5, absent=ignored)", second, values=2, budget=60
    )
    assert found.verdict == "separated"
    assert len(found.table) == 9


def test_rows_beside_an_original_may_be_in_another_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Individual i is behind row i only where there is no original."""
    rule = policy("@i1 <a1> d1")
    original = pd.DataFrame(
        {"q": ["1", "2"], "f": ["x", "y"], "g": ["0", "0"]}, dtype=object
    )
    report = ph.verify(
        original.iloc[::-1].reset_index(drop=True), rule, original=original
    )
    assert report.verdict == "refuted"
    with monkeypatch.context() as patched:
        clock = StillClock()
        patched.setattr("phverify.budget.time", clock)

        def progress(step: str) -> None:
            """Each step takes a second: after eight of them the time is over."""
            clock.now += 1

        found = compare(policy("true"), rule, budget=8, progress=progress)
    assert found.verdict == "undecided"
    assert "original" in found.reason
    assert (
        compare(policy("true"), policy("~(@i1 d1 & @i2 d1)"), budget=20).verdict
        == "implies"
    )


def test_a_threshold_that_no_table_reaches_proves_nothing() -> None:
    """Within 12 values, which is all that is looked at without --values, nothing has 30
    of them.
    """
    first, second = "l_diversity(s, 30) | k_anonymity(50)", "k_anonymity(50)"
    found = compare(first, second, budget=10)
    assert found.verdict == "undecided"
    assert "--values 31" in found.reason
    assert compare(first, second, values=12, budget=10).verdict == "implies"


@pytest.mark.parametrize(
    ("first", "values"),
    [
        ("recursive_l_diversity(s, 1/5, 2)", 8),
        ("recursive_l_diversity(s, 2, 2)", 4),
        ("forall v in s: 2 * l_a1(s = v) <= 2/5", 6),
        ("alpha_k_anonymity(s, 1/6, 1)", 7),
        ("forall v in s: l_a1(s = v) <= 1/5", 6),
    ],
)
def test_enough_values_for_every_threshold(first: str, values: int) -> None:
    found = compare(first, "k_anonymity(100)", budget=30)
    assert found.verdict == "separated"
    assert found.values == {"s": values}


def test_many_ways_to_choose_values_do_not_outlast_the_budget() -> None:
    start = time.monotonic()
    many = " | ".join(f"g = {k}0" for k in range(1, 8))
    found = compare(f"(g > 5 | {many}) & l_diversity(g, 6)", "g > 5", budget=3)
    assert found.verdict == "undecided"
    assert "ways" in found.reason
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [("g > '9999-12-31'", "implies"), ("g > '9999-12-30'", "separated")],
)
def test_the_last_day_of_the_calendar(rule: str, verdict: str) -> None:
    dates = {"types": {"g": "date"}}
    assert (
        compare(policy(rule, **dates), policy("false", **dates), budget=10).verdict
        == verdict
    )


def test_contradictory_assumptions_are_the_finding(tmp_path: Path) -> None:
    """Every rule follows from them: to call the rules vacuous would be wrong."""
    file = tmp_path / "policy.toml"
    file.write_text(
        '[columns]\nquasi = ["q"]\nneutral = ["f"]\n[assumptions]\nx = "@i1 f = a"\ny ='
        ' "@i1 ~(f = a)"\n[rules]\nr = "k_anonymity(3)"\n'
    )
    found = lint(file, budget=20)
    assert [(f.kind, f.rules) for f in found.findings] == [
        ("contradictory", ("assumptions.x", "assumptions.y"))
    ]
    assert "contradictory: assumptions.x, assumptions.y" in str(found)


@pytest.mark.parametrize(
    ("first", "second", "values", "rows"),
    [
        ("l_diversity(s, 2)", "recursive_l_diversity(s, 1, 2)", 2, 2),  # 1 < 1 fails
        ("k_anonymity(1)", "recursive_l_diversity(s, 1/2, 1)", 2, 1),
        ("recursive_l_diversity(s, 2, 1)", "recursive_l_diversity(s, 1, 1)", 2, 1),
        ("entropy_l_diversity(s, 2)", "entropy_l_diversity(s, 3)", 3, 2),
        ("entropy_l_diversity(s, 5/2)", "entropy_l_diversity(s, 3)", 4, 4),
        (
            (
                "forall v in s: 2 * l_a1(s = v) >= l_a0(s = v) & 2 * l_a1(s = v) <= 3 *"
                " l_a0(s = v)"
            ),
            "delta_disclosure(s, 1)",
            2,
            8,
        ),
    ],
)
def test_ends_of_criteria(first: str, second: str, values: int, rows: int) -> None:
    found = compare(first, second, values=values, budget=30)
    assert (found.verdict, len(found.table), found.searched) == (
        "separated",
        rows,
        rows - 1,
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("l_a1(s = x) <= 1/2", "l_a0(s = x) <= 1/2"),
        ("forall v in s: l_a1(s = v) <= 1/2", "forall v in s: l_a0(s = v) <= 1/2"),
    ],
)
def test_what_every_class_has_the_table_has(first: str, second: str) -> None:
    assert compare(first, second, budget=20).verdict == "implies"


@pytest.mark.parametrize("k", range(1, GRID))
def test_bounds_on_logarithms_just_above_a_point(k: int) -> None:
    """The bound of a point of the grid is rounded outwards."""
    rows = GRID * 10**9
    u = k * 10**9 + 1
    low, high = (u * bound for bound in log_enclosure(rows, u, 40))
    e = t.number("e", low=None)
    known = t.conj(minus_log_facts(e, t.whole(u), t.whole(rows), GRID))
    inside = share(e, ">=", low, t.whole(1)), share(e, "<=", high, t.whole(1))
    assert solve(script([*inside, t.neg(known)])).status == "unsat"


@pytest.mark.parametrize(
    ("first", "second", "rows"),
    [
        ("true", "forall v in s: <a1> s = v", 2),  # a value occurs in another class
        (
            "forall i, j: @i ~<a1> j | @i j",
            "l_a0(s = x) > 1/4",
            4,
        ),  # everybody alone: no two classes can be merged
    ],
)
def test_classes_that_only_others_look_at(first: str, second: str, rows: int) -> None:
    found = compare(first, second, values=2, budget=30)
    assert (found.verdict, len(found.table), found.searched) == (
        "separated",
        rows,
        rows - 1,
    )


def test_the_same_rule_without_what_it_assumed() -> None:
    told, tip = policy("@i1 ~(f = a)"), {"tip": "@i1 ~(f = a)"}
    known = policy("@i1 ~(f = a)", assumptions=tip)
    assert compare(known, told, budget=20).verdict == "separated"
    assert compare(told, known, budget=20).verdict == "implies"


def test_a_missing_cell_has_no_place_in_an_order() -> None:
    numbers = {"types": {"g": "integer"}}
    found = compare(
        policy("true", **numbers), policy("g >= 3 | g < 3", **numbers), budget=10
    )
    assert found.verdict == "separated"
    assert found.table[0]["g"] is None


def test_a_person_of_a_rule_that_follows_has_to_be_there() -> None:
    """The separating table has a row for i4, though what is said of i4 follows from the
    first policy.
    """
    columns = {"columns": {"quasi": ["q"], "sensitive": ["s"]}}
    first = ph.Policy.from_dict({**columns, "rules": {"a": "k_anonymity(2)"}})
    second = ph.Policy.from_dict(
        {**columns, "rules": {"a": "k_anonymity(3)", "b": "pignistic(i4, a1) <= 1/2"}}
    )
    found = ph.compare(first, second)
    assert found.verdict == "separated"
    assert found.table is not None and len(found.table) == 4
