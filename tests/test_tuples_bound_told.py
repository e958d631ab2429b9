"""A bound is told when the plain program has found it, too."""

from __future__ import annotations

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
