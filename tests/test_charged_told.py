"""What is told of searches that charge withheld records: what finer columns cost, and
which level vectors are known to cost no less; against all candidates and all sets of
classes.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.charged_oracle import releases
from support.compared_rules import asked
from support.schemas import validated
from support.search_charging import charging
from support.search_oracle import WHOLE
from support.search_questions import TREE, Case, drawn_about_classes
from support.so_many import so_many

import phverify as ph
from phverify.generalization.explored import STATES
from phverify.microdata.hierarchy import validated as hierarchy

DRAWN = st.sampled_from([asked, drawn_about_classes])
"""Which records are withheld is a choice, or follows."""
AGES = ("1", "1", "2", "3", "3", "7")
LINES = [("1", "lo", "*"), ("2", "lo", "*"), ("3", "hi", "*"), ("7", "hi", "*")]
TABLE = pd.DataFrame({"age": AGES, "zip": [*"aaabbb"], "ill": [*"xyxxxy"]})
COLUMNS = {"quasi": ["age", "zip"], "sensitive": ["ill"]}
POLICY = {"columns": COLUMNS, "rules": {"k": "k_anonymity(2)"}}


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("told") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


def drawn(data: st.DataObject, tree: Path) -> Case:
    about = data.draw(DRAWN)
    case: Case = about(data.draw, tree, data.draw(charging(3, 8)))
    return case


def ask(case: Case, **more: Any) -> Any:
    by_columns = case.question.objective not in WHOLE
    return case.ask(charge_withheld=by_columns, **more)


def costs_by_vector(case: Case) -> dict[tuple[Any, ...], set[tuple[Fraction, int]]]:
    """What the releases of each level vector cost, and how many records they lack."""
    costs: dict[tuple[Any, ...], set[tuple[Fraction, int]]] = {}
    total = len(case.question.judge.rows)
    for price, candidate, rows in releases(case):
        own = costs.setdefault(candidate.levels, set())
        own.add((price, total - len(rows)))
    return costs


@so_many(30, fuzz=1500)
@given(st.data())
def test_what_a_finer_column_costs(tree: Path, data: st.DataObject) -> None:
    """The cheapest of all ways to release it."""
    case = drawn(data, tree)
    result = ask(case, explain=True)
    if result.explanation is None:
        return
    costs = costs_by_vector(case)
    for name, steps in result.explanation.steps.items():
        for step in steps:
            levels = {**result.levels, name: result.levels[name] - 1}
            known = costs.get(tuple(levels.values()))
            assert step.outcome == ("satisfies" if known else "breaks")
            if known is None:
                assert step.cost is None
                continue
            assert step.cost == min(cost for cost, _ in known)
            assert step.cost >= result.cost
            assert (step.cost, step.withheld) in known
    assert str(result) and result.to_html()
    validated(result.to_dict())


@so_many(40, fuzz=1500)
@given(st.data())
def test_the_cheapest_way_to_release_a_vector(tree: Path, data: st.DataObject) -> None:
    """What a search finds first may withhold more than it must."""
    case = asked(data.draw, tree, data.draw(charging(5, 9)))
    result = ask(case)
    if result.levels is None:
        return
    search = result.explored.search
    for levels, known in costs_by_vector(case).items():
        decisions = [
            height < level
            for scheme, level in zip(search.space.schemes, levels, strict=True)
            for height in range(scheme.decisions)
        ]
        candidate = np.array(decisions, dtype=bool)
        finding = search.refuter.examine(candidate)
        assert finding.status == "fits"
        found = search.in_cheapest_way(candidate, finding, search.deadline)
        assert (search.price(found), found.withheld_rows) in known
        assert search.price(found) == min(cost for cost, _ in known)


def test_what_fails_first_is_not_what_is_withheld() -> None:
    """To withhold whatever fails, again and again, costs more than it must."""
    classes = enumerate(["aa", "abbccc", "bbb"])
    rows = [(f"x{number}", one) for number, own in classes for one in own]
    table = pd.DataFrame(rows, columns=["q", "f"])
    columns = {"quasi": ["q"], "sensitive": ["f"]}
    policy = {"columns": columns, "rules": {"r": "beta_likeness(f, 1)"}}
    result = ph.search(table, policy, objective="discernibility", suppress="1/2")
    assert result.explored is not None
    search = result.explored.search
    candidate = search.space.bottom()
    finding = search.refuter.examine(candidate)
    found = search.in_cheapest_way(candidate, finding, search.deadline)
    assert search.price(found) == 67 and found.withheld_rows == 2


@so_many(30, fuzz=1500)
@given(st.data())
def test_what_is_known_of_level_vectors(tree: Path, data: st.DataObject) -> None:
    """An optimum leaves none open; were less known, what costs no less would."""
    case = drawn(data, tree)
    result = ask(case)
    if result.levels is None:
        return
    known = costs_by_vector(case)
    states = states_of(result)
    for levels, state in states.items():
        assert state != "open"
        assert state == "best" or (state == "broken") == (levels not in known)

    search = result.explored.search
    # Each may have been left open: then nothing but its bounds says what it costs.
    search.looked_at = [replace(one, note="open") for one in search.looked_at]
    for price in {cost for own in known.values() for cost, _ in own}:
        search.least_price = price
        for levels, state in states_of(result).items():
            if state == "dear":
                assert all(cost >= price for cost, _ in known.get(levels, set()))


def states_of(result: Any) -> dict[tuple[int, ...], str]:
    """What the page says of each level vector."""
    states = result.explored.lattice().states
    return {levels: STATES[int(state)] for levels, state in np.ndenumerate(states)}


def test_a_finer_column_costs_more() -> None:
    """Two records would be withheld, which are charged."""
    paths = {"age": hierarchy("age", LINES)}
    result = ph.search(
        TABLE, POLICY, paths, suppress="0.4", charge_withheld=True, explain=True
    )
    assert result.cost == Fraction(1, 6) and not result.suppressed
    assert result.explanation is not None
    [step] = result.explanation.steps["age"]
    assert (step.cost, step.withheld) == (Fraction(1, 3), 2)
    told = " ".join(str(result).split())
    said = "keeps every rule, too, without 2 records: loss 0.333333 (exactly 1/3)"
    assert said in told
    assert "not decided" not in result.to_html()


@pytest.mark.parametrize(("share", "charged"), [("0", False), ("0.4", True)])
def test_what_nobody_withholds_is_not_charged(share: str, charged: bool) -> None:
    """A curve says of it what a search says."""
    asked_for: dict[str, Any] = {"suppress": share, "charge_withheld": True}
    curve = ph.tradeoff(TABLE, POLICY, k="2..3", **asked_for)
    assert curve.charged == charged
    assert ph.search(TABLE, POLICY, **asked_for).charged == charged
