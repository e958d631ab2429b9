"""What a public page must not tell though it is no value: exact figures from which small
numbers of records or classes follow.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.pages import said

import phverify as ph
from phverify.generalization.loop import LeastSearch
from phverify.report.public_costs import above, beneath, page_cost

TIMES = re.compile(r'<g class="axis x.*?</g></g>')
"""The lower axes of curves."""
TREE = "1,10,*\n2,10,*\n3,10,*\n9,90,*\n"


def people() -> pd.DataFrame:
    """Nobody but one has zip 9: at level 1 all the others lose 2/3 of a cell."""
    zips = ["1", "2", "3"] * 11 + ["9"]
    return pd.DataFrame({"zip": zips, "ill": ["a", "b"] * 17})


def policy(folder: Path, rule: str) -> ph.Policy:
    (folder / "zip.csv").write_text(TREE, encoding="utf-8")
    return ph.Policy.from_dict(
        {
            "columns": {"quasi": ["zip"], "sensitive": ["ill"]},
            "hierarchies": {"zip": "zip.csv"},
            "rules": {"r": rule},
        },
        folder,
    )


@pytest.mark.parametrize("space", ["levels", "tuples"])
@pytest.mark.parametrize("objective", ["loss", "precision", "discernibility"])
def test_costs_of_public_pages_are_rough(
    space: str, objective: str, tmp_path: Path
) -> None:
    table = people()
    result: Any
    if space == "tuples":
        chosen = policy(tmp_path, "k_anonymity(2)")
        result = ph.anonymize(table, policy=chosen, objective=objective, budget=30)
    else:
        chosen = policy(tmp_path, "l_diversity(ill, 1)")
        result = ph.search(table, chosen, space=space, objective=objective)
    assert result.cost is not None
    public = result.to_html(public=True)
    check_figures(said(public).partition("Evidence Purpose")[0], result.cost)
    assert "4 tuples" not in public
    # the lengths of curves are as rough
    if objective == "discernibility":
        assert "over time" not in public and "<path" not in public


def check_figures(shown: str, cost: Fraction) -> None:
    """No figure with a fraction is exact, and no cost of many digits is there."""
    for figure in re.findall(r"(?<![\d.])\d+\.\d+(?![\d.])", shown):
        steps = Fraction(figure) * 20
        # seconds have three digits at most, phverify's version two points
        assert steps.denominator == 1 or len(figure.partition(".")[2]) <= 3, figure
    if cost.denominator == 1 and cost > 1:
        assert f"{cost.numerator:,}" not in shown.split()


def test_tradeoffs_of_public_pages_are_rough(tmp_path: Path) -> None:
    chosen = policy(tmp_path, "k_anonymity(2)")
    for objective in ("loss", "discernibility"):
        result = ph.tradeoff(people(), chosen, k=[2, 3], objective=objective)
        internal = said(result.to_html())
        cost = result.points[0].cost
        assert cost is not None
        check_figures(said(result.to_html(public=True)), cost)
        assert "classes" in internal
    assert "The discernibility of releases is left out" in result.to_html(public=True)


def test_public_pages_tell_no_number_of_classes_or_withheld_records(
    tmp_path: Path,
) -> None:
    table = people().assign(who=[f"p{number}" for number in range(34)])
    chosen = {
        "columns": {"quasi": ["zip"], "sensitive": ["ill"], "identifier": "who"},
        "rules": {"r": "k_anonymity(2)"},
    }
    released = table.iloc[:-1]
    report = ph.verify(released, chosen, table, portrait=True)
    linked = ph.reidentify(table, released, chosen)
    measured = ph.measure(released, chosen)
    for answer in (report, linked, measured):
        internal = said(answer.to_html())
        shown = said(answer.to_html(public=True)).partition("Evidence Purpose")[0]
        assert re.search(r"\b3 classes|\b34\b", internal), internal[:300]
        assert "3 classes" not in shown
        # of both numbers one
        assert not ({"33", "34"} <= set(shown.replace(",", "").split())), shown[:600]


@pytest.mark.parametrize("space", ["levels", "tuples", "tradeoff"])
def test_public_pages_of_searches_tell_no_size_where_some_are_withheld(
    space: str, tmp_path: Path
) -> None:
    """Who has the release reckons from it how many are missing."""
    table = people()
    chosen = policy(tmp_path, "k_anonymity(2)")
    answer: Any
    if space == "levels":
        answer = ph.search(table, chosen, suppress=Fraction(1, 10))
    elif space == "tuples":
        answer = ph.anonymize(table, policy=chosen, suppress="1/10", budget=2)
    else:
        answer = ph.tradeoff(table, chosen, k=[2, 3], suppress="1/10")
    size = f"{len(table)} records"
    assert size in said(answer.to_html())
    shown = said(answer.to_html(public=True))
    assert size not in shown and str(len(table)) not in shown.split()
    assert "or more records" in shown


@pytest.mark.parametrize(
    ("value", "objective", "told"),
    [
        ("59/96", "loss", "at most 0.650000"),
        ("0", "loss", "at most 0"),
        ("1", "precision", "at most 1"),
        ("5", "height", "5"),
        ("145", "discernibility", "left out in the public form"),
        ("31/4", "class-size", "left out in the public form"),
        ("31/4", "entropy", "left out in the public form"),
    ],
)
def test_a_public_cost(value: str, objective: str, told: str) -> None:
    cost = Fraction(value)
    assert page_cost(cost, objective, True) == told
    below, over = beneath(cost, objective, True), above(cost, objective, True)
    assert below <= cost <= over
    assert above(cost, objective, False) == cost


@pytest.mark.parametrize("space", ["levels", "partitions"])
def test_pages_do_not_tell_how_many_are_rare(
    space: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one person with zip 9, or of three, the same is told."""
    # What is looked for where a search takes long is of no person, either.
    monkeypatch.setattr(LeastSearch, "_repair_now_and_then", lambda *_: None)
    pages = []
    for rare in (1, 3):
        zips = ["1", "2", "3"] * 80
        zips[-rare:] = ["9"] * rare
        table = pd.DataFrame({"zip": zips, "ill": ["a", "b", "c", "d"] * 60})
        chosen = policy(tmp_path, "k_anonymity(5)")
        found = ph.search(table, chosen, space=space)
        costs = ph.tradeoff(table, chosen, k=[2, 5], suppress="1/20")
        told_of: list[Any] = [found, costs]
        # how long a search took is of no person
        untimed = [TIMES.sub("", one.to_html(public=True)) for one in told_of]
        shown = [said(one) for one in untimed]
        pages.append(
            [re.sub(r"\d+\.\d(\d\d)?(?!\d)|[\d.]+ seconds", "", one) for one in shown]
        )
    assert pages[0] == pages[1]
