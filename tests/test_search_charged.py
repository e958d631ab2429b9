"""Withheld records that are charged, where rules about the whole release or assumptions
leave open which ones are withheld: against all candidates and all sets of classes.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.charged_oracle import accepted, releases
from support.compared_rules import asked
from support.search_charging import WITHHELD, charging
from support.search_oracle import WHOLE
from support.search_questions import (
    TREE,
    Case,
    Setting,
    drawn_about_people,
)
from support.so_many import so_many
from support.stopping import counted

import phverify as ph
from phverify.errors import BudgetExceeded
from phverify.generalization import cheapest_way, whole, withholding
from phverify.generalization.priced import PricedSearch

FEW_STEPS = 3
"""So few sets of classes that some searches stay open."""


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("charged") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


def ask(case: Case, **more: Any) -> Any:
    by_columns = case.question.objective not in WHOLE
    return case.ask(charge_withheld=by_columns, **more)


def check(case: Case, result: Any) -> None:
    """What is said of costs is so, and what is released costs what is said."""
    costs = [price for price, _, _ in releases(case)]
    if not costs:
        assert result.verdict in ("infeasible", "undecided")
        return
    assert result.verdict in ("optimal", "undecided"), result.reason
    assert result.bound is None or result.bound <= min(costs)
    if result.cost is None:
        return
    assert result.cost in costs
    assert result.verdict == "undecided" or result.cost == min(costs)
    assert result.checks.verdict == "proved"
    levels = tuple(result.levels[f] for f in case.question.domains)
    kept = len(case.question.judge.rows) - result.suppressed
    assert len(result.release) == kept
    same = [
        price
        for price, candidate, rows in releases(case)
        if candidate.levels == levels and len(rows) == kept
    ]
    assert result.cost in same


@so_many(24, fuzz=1500)
@given(st.data())
def test_rules_about_the_whole_release(tree: Path, data: st.DataObject) -> None:
    """Small tables are decided, and the checker sees it."""
    case = asked(data.draw, tree, data.draw(charging(3, 9)))
    result = ask(case)
    check(case, result)
    assert result.verdict != "undecided"
    if result.cost is not None and result.certificate is not None:
        accepted(case, result)


@so_many(15, fuzz=800)
@given(st.data())
def test_rules_about_people(tree: Path, data: st.DataObject) -> None:
    case = drawn_about_people(data.draw, tree, data.draw(charging(2, 4)))
    try:
        result = ask(case)
    except ph.InputError:
        return
    check(case, result)
    if result.cost is not None and result.certificate is not None:
        accepted(case, result)


@so_many(25, fuzz=1500)
@given(st.data())
def test_what_is_left_open_is_bounded(tree: Path, data: st.DataObject) -> None:
    """Few sets of classes are tried, of each candidate and for the cheapest of it."""
    case = asked(data.draw, tree, data.draw(charging(3, 9)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cheapest_way, "STEPS", data.draw(st.integers(1, FEW_STEPS)))
        patched.setattr(withholding, "STEPS", 1)
        patched.setattr(withholding, "FEW", 0)
        patched.setattr(whole, "WAYS", 1)
        result = ask(case)
    check(case, result)
    if result.verdict == "undecided" and result.cost is not None:
        assert result.bound < result.cost


@so_many(25, fuzz=1500)
@given(st.data(), st.integers(1, 400), st.booleans())
def test_a_search_that_ends_too_soon(
    tree: Path, data: st.DataObject, looks: int, interrupted: bool
) -> None:
    """By its budget, or by Ctrl-C at any look at the clock."""
    case = asked(data.draw, tree, data.draw(charging(3, 9)))
    try:
        with counted(looks if interrupted else None):
            result = ask(case, budget=10**6 if interrupted else looks)
    except KeyboardInterrupt:
        # Before the search nothing is known.
        return
    check(case, result)


@so_many(30, fuzz=1500)
@given(st.data(), st.integers(0, 6))
def test_a_search_of_few_candidates(
    tree: Path, data: st.DataObject, candidates: int
) -> None:
    """What is not looked at is bounded, too."""
    case = asked(data.draw, tree, data.draw(charging(3, 9)))
    tried = PricedSearch._tried

    def counted_out(search: PricedSearch, candidate: Any) -> Any:
        if search.examined == candidates:
            search.examined += 1
            raise BudgetExceeded("enough candidates")
        return tried(search, candidate)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PricedSearch, "_tried", counted_out)
        result = ask(case)
    check(case, result)


CLASSES = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 3), min_size=1),
    min_size=2,
    max_size=6,
)


@so_many(36, fuzz=3000)
@given(st.data(), CLASSES, st.sampled_from(WHOLE))
def test_the_cheapest_of_many_ways(
    tree: Path, data: st.DataObject, classes: list[dict[str, int]], objective: str
) -> None:
    """Of classes that are kept as they are, or are all made one."""
    rows = []
    for number, counts in enumerate(classes):
        for value, count in counts.items():
            row = {"q": f"x{number}", "f": value, "g": "0"}
            rows += [dict(row) for _ in range(count)]
    paths = {row["q"]: (row["q"], "*") for row in rows}
    share = data.draw(WITHHELD)
    setting = Setting(
        rows, ("q",), "levels", objective, share, {}, {"q": paths}, names=()
    )
    case = asked(data.draw, tree, setting)
    result = ask(case)
    check(case, result)
    assert result.verdict != "undecided"


@pytest.mark.parametrize(
    ("classes", "rule", "cost", "withheld"),
    [
        ("aa abbccc bbb", "beta_likeness(f, 1)", 67, 2),
        ("b bc bb", "average_benefit(f, 1/4)", 13, 1),
    ],
)
def test_what_fails_first_is_not_what_is_withheld(
    classes: str, rule: str, cost: int, withheld: int
) -> None:
    """To withhold whatever fails, again and again, costs more than it must."""
    rows = []
    for number, values in enumerate(classes.split()):
        rows += [(f"x{number}", value) for value in values]
    frame = pd.DataFrame(rows, columns=["q", "f"])
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    types = {"f": ["a", "b", "c"]}
    policy = ph.Policy.from_dict(
        {"columns": columns, "types": types, "rules": {"r": rule}}
    )
    found = ph.search(frame, policy, objective="discernibility", suppress="1/2")
    assert found.verdict == "optimal"
    assert (found.cost, found.suppressed) == (cost, withheld)


@pytest.mark.parametrize(
    ("objective", "cost"),
    [
        ("class-size", Fraction(8, 3)),
        ("discernibility", 43),
        ("ambiguity", Fraction(43, 8)),
    ],
)
def test_of_few_classes_all_sets_are_tried(objective: str, cost: Fraction) -> None:
    """Three that are alike are released, and the five others withheld.

    Of the 256 sets of eight classes most are cheaper, and break the rule.
    """
    rows = [(f"x{number}", "abc"[number % 3]) for number in range(8)]
    frame = pd.DataFrame(rows, columns=["q", "f"])
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    rule = "k_anonymity(2) | t_closeness(f, 1/3)"
    policy = ph.Policy.from_dict({"columns": columns, "rules": {"r": rule}})
    found = ph.search(frame, policy, objective=objective, suppress="4/5")
    assert found.verdict == "optimal", found.reason
    assert (found.cost, found.suppressed) == (cost, 5)
