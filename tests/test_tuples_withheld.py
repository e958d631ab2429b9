"""Searches by tuples that find a release only where records are withheld."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

import phverify as ph
from phverify.recoding import leaving_out


def test_the_only_release_withholds_a_tuple() -> None:
    """All together b is too rare; of those with c it is not."""
    table = pd.DataFrame({"q": ["c", "c", "b"], "f": ["b", "a", "a"]})
    found = ph.anonymize(
        table,
        quasi=["q"],
        sensitive=["f"],
        rules=["recursive_l_diversity(f, 5/4, 2)"],
        suppress="1/2",
        budget=2.5,
    )
    assert found.verdict == "proved"
    assert found.suppressed == 1
    assert found.cost == 0
    assert found.release["q"].tolist() == ["c", "c"]


@pytest.mark.parametrize("few", [12, 2])
def test_of_more_tuples_those_with_most_of_a_value_go(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaving_out, "FEW", few)
    table = pd.DataFrame({"q": list("aabbccdd"), "f": list("xyxxxxxy")})
    ask = {
        "quasi": ["q"],
        "sensitive": ["f"],
        "rules": ["recursive_l_diversity(f, 3/2, 2)"],
        "budget": 2.5,
    }
    found = ph.anonymize(table, suppress="1/2", **ask)
    assert found.verdict == "proved"
    assert found.suppressed == 4
    assert set(found.release["q"]) <= {"a", "d", "*"}
    assert Fraction(found.suppressed, 8) <= Fraction(1, 2)
    # A quarter is not enough: nothing is found, and nothing is there.
    assert ph.anonymize(table, suppress="1/4", **ask).verdict == "undecided"
