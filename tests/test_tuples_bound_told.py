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
