"""What the answer of a search says of releases by tuples, and of what is still open."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pages import said
from support.search_questions import TREE, drawn_about_classes, settings
from support.so_many import so_many
from support.stopping import counted

import phverify as ph

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["age", "zip"], "sensitive": ["ill"]},
    "types": {"age": "integer"},
    "hierarchies": {
        "age": {"intervals": [10, 100]},
        "zip": {"masking": "right"},
    },
    "rules": {"k": "k_anonymity(2)"},
}
ROWS = [
    ("21", "11", "a"),
    ("21", "11", "b"),
    ("25", "12", "a"),
    ("25", "12", "b"),
    ("30", "11", "a"),
    ("38", "11", "b"),
]


def table(rows: list[tuple[str, str, str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["age", "zip", "ill"])


def policy(*rules: str) -> ph.Policy:
    named = {f"r{k}": rule for k, rule in enumerate(rules)}
    return ph.Policy.from_dict({**POLICY, "rules": named})


def test_four_records_stay_as_they_are_by_tuples() -> None:
    """By levels all ages become decades; two of six records need that."""
    found = ph.search(table(ROWS), policy("k_anonymity(2)"))
    assert found.cost is not None
    estimate = found.tuples_estimate
    assert estimate is not None and estimate < found.cost
    # The age of two records of six, half of the columns: the share of their decade.
    [decade] = {found.cost * Fraction(2, 6)}
    assert estimate == float(f"{float(decade):.2g}")
    assert f"about {estimate:g} or less is lost" in str(found)
    assert found.to_dict()["tuples_estimate"] == estimate
    sentence = "or less is lost (--space tuples): a quick estimate"
    assert f"about {estimate:g} {sentence}" in said(found.to_html())
    # For everybody it is rounded up as costs are.
    twentieth = -(-Fraction(f"{estimate:g}") // Fraction(1, 20)) / 20
    assert twentieth != Fraction(f"{estimate:g}")
    assert f"about {float(twentieth):g} {sentence}" in said(found.to_html(public=True))


@pytest.mark.parametrize("rule", ["t_closeness(ill, 1/2)", "l_diversity(ill, 2)"])
@pytest.mark.parametrize("share", [0, "1/3"])
def test_rules_of_the_whole_table(rule: str, share: str | int) -> None:
    found = ph.search(table(ROWS), policy("k_anonymity(2)", rule), suppress=share)
    assert found.verdict == "optimal"
    # By columns two are withheld and nothing is lost: there is no better one.
    assert (found.tuples_estimate is None) == (share != 0)


@pytest.mark.parametrize(
    "rules", [("l_a1(i1) <= 1/2",), ("forall i, v in ill: @i l_a1(ill = v) <= 1/2",)]
)
def test_where_nothing_is_estimated(rules: tuple[str, ...]) -> None:
    named = ph.search(table(ROWS), policy(*rules), suppress=0)
    assert named.verdict == "optimal"
    if "i1" in rules[0]:
        assert named.tuples_estimate is None
    by_height = ph.search(table(ROWS), policy("k_anonymity(2)"), objective="height")
    assert by_height.tuples_estimate is None


def test_nothing_is_estimated_where_a_formula_compares_with_the_table() -> None:
    """What is left of a table on the way is another one: its values may be gone."""
    places = [("25", "12"), ("25", "12"), ("30", "11"), ("21", "11"), ("38", "12")]
    ills = zip([*places, ("21", "12")], "bcbcba", strict=True)
    rows = [(*place, ill) for place, ill in ills]
    rule = "enhanced_beta_likeness(ill, 1) -> k_anonymity(3)"
    found = ph.search(table(rows), policy(rule))
    assert found.cost is not None
    assert found.tuples_estimate is None


def test_an_estimate_is_of_classes_that_satisfy_the_rules() -> None:
    """What no level vector releases is in one class with others; it once was left."""
    rows = [(f"{20 + k}", "11", ill) for k, ill in enumerate("aaaabbbbc")]
    found = ph.search(table(rows), policy("beta_likeness(ill, 1)"), suppress="1/4")
    assert found.glance is not None
    seen = found.glance.release()
    assert seen is not None and (seen.class_of >= 0).all()
    finest = found.glance.judge.finest
    for number in np.unique(seen.class_of):
        classes = seen.class_of == number
        ages = {20 + place for place in np.flatnonzero(classes)}
        inside = [ill for age, _, ill in rows if int(age) in ages]
        assert len(inside) == finest.sizes[classes].sum()
        for ill, many in Counter(inside).items():
            whole = Fraction("aaaabbbbc".count(ill), 9)
            assert Fraction(many, len(inside)) <= 2 * whole


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("glance") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


@so_many(25)
@given(st.data())
def test_an_estimate_is_below_the_cost(lines: Path, data: st.DataObject) -> None:
    case = drawn_about_classes(data.draw, lines, data.draw(settings(3, 9)))
    found = case.ask()
    estimate = found.tuples_estimate
    if estimate is not None:
        assert found.objective == "loss"
        # Below two digits of the cost: a third is not less than a third.
        assert 0 <= estimate < float(f"{float(found.cost):.2g}")


def test_bound_and_gap_of_what_is_not_proved() -> None:
    """Stopped after some looks at the clock: both ends are told."""
    rows = [(str(20 + k % 40), f"{k % 7}{k % 3}", "ab"[k % 2]) for k in range(60)]
    for looks in range(6, 60):
        with counted():
            asked = policy("k_anonymity(3)", "t_closeness(ill, 1/5)")
            found = ph.search(table(rows), asked, suppress="1/5", budget=looks)
        if found.verdict == "undecided" and found.cost and found.bound:
            assert "of this one's cost can be saved" in str(found)
            return
    pytest.fail("no search was stopped between its first bound and the end")


def test_the_time_is_told_where_nobody_says_how_long() -> None:
    told: list[str] = []
    ph.search(table(ROWS), policy("k_anonymity(2)"), progress=told.append)
    assert any("at most 600 s" in step for step in told)


@pytest.mark.parametrize("dearer", [0, 1])
def test_a_list_that_may_be_longer_is_no_doubt_about_the_least(dearer: int) -> None:
    """What a bound equals is the least; what is dearer may not be."""
    found = ph.search(table(ROWS), policy("k_anonymity(2)"), all_minimal=True)
    assert found.minimal and found.cost is not None
    left = replace(
        found, verdict="undecided", reason="interrupted", cost=found.cost + dearer
    )
    assert ("nothing costs less, and there may be further" in str(left)) != dearer
    assert ("not proved to be the least" in str(left)) == dearer
