"""A bound is told when the plain program has found it, too."""

from __future__ import annotations

import time
from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.recoding import run


def test_a_wrong_bound_of_compiled_code_is_a_defect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = pd.DataFrame({"age": [31, 32, 47, 48], "ill": ["a", "b", "a", "b"]})
    plain = run.TwoSides._take

    def dearer(self: run.TwoSides, below: run.BoundsBelow) -> None:
        plain(self, below)
        if self.bound is not None:
            prices = self.bound.prices + self.bound.unit
            self.bound = run.replace(self.bound, prices=prices)

    monkeypatch.setattr(run.TwoSides, "_take", dearer)
    with pytest.raises(ph.Defect, match="the bound does not hold"):
        ph.anonymize(table, quasi=["age"], sensitive=["ill"], k=2, budget=1)


def test_the_bound_is_looked_at_soon_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small table's search ends with its bound, or when all has been met; here the
    bound stays below what a release costs.
    """
    slices: list[float] = []
    plain = run.ReleasesAbove.improve

    def improve(above: run.ReleasesAbove, seconds: float, heat: float | None) -> None:
        slices.append(seconds)
        plain(above, seconds, heat)

    monkeypatch.setattr(run, "SLICE", 0.04)
    monkeypatch.setattr(run.ReleasesAbove, "improve", improve)
    ages = [31, 33, 32, 35, 47, 41, 48, 47]
    table = pd.DataFrame({"age": ages, "ill": [*"abababab"]})
    asked = {"quasi": ["age"], "sensitive": ["ill"], "k": 2, "publish": "median"}
    found = ph.anonymize(table, budget=30, **asked)
    assert found.gap > 0
    assert slices[:4] == [0.0025, 0.005, 0.01, 0.02]
    assert set(slices[4:]) <= {0.04}


@pytest.fixture(params=["soon", "late"])
def below(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lower side begins at once, or when the upper one has had its time."""
    plain = run.BoundsBelow._run

    def late(self: run.BoundsBelow) -> None:
        time.sleep(0.2)
        plain(self)

    if request.param == "late":
        monkeypatch.setattr(run.BoundsBelow, "_run", late)


def told(*rules: str) -> Any:
    ages, letters, ills = [5, 1, 5, 9, 1, 5], [*"xyxxxy"], [*"babbab"]
    table = pd.DataFrame({"age": ages, "letter": letters, "ill": ills})
    quasi, sensitive = ["age", "letter"], ["ill"]
    return ph.anonymize(table, quasi, sensitive, rules=[*rules], budget=60)


def test_where_nothing_can_be_improved_the_bound_is_waited_for(below: None) -> None:
    """The constructions fail, and single tuples are joined until rules are kept."""
    found = told("~k_anonymity(4)", "l_diversity(ill, 2)", "l_a1(ill = a) <= 1/2")
    assert (str(found.cost), str(found.bound)) == ("5/8", "1/3")
    assert found.notes == ()
    assert found.certificate["bound"]["by"] == "boxes"


def test_without_a_release_no_bound_is_told(below: None) -> None:
    found = told("k_anonymity(2)", "~k_anonymity(2)")
    assert (found.verdict, found.cost, found.bound) == ("undecided", None, 0)
    assert found.reason == "no classes were found that satisfy every rule"
    assert found.notes == ()
