"""A search of spaces under ``never_known``: each candidate is verified."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
ORIGINAL = pd.read_csv(HOSPITAL / "original.csv", dtype=str)
BIRTH = {
    line.split(";")[0]: line.split(";")
    for line in (HOSPITAL / "birth.csv").read_text(encoding="utf-8").splitlines()
}
COLUMNS = {"quasi": ["birth", "zip"], "sensitive": ["income", "health"]}
TIP = {"tip": "@i6 ~(health = 2)"}
ASKED = [
    ("never_known(@i3 health = 0)", {}),
    ("never_known(@i5 health = 2)", TIP),
    ("forall i: never_known(@i income = '30K') & k_anonymity(2)", TIP),
    ("never_known() & k_anonymity(2)", {}),
]


def policy(rule: str, assumptions: dict[str, str]) -> dict[str, Any]:
    return {
        "rows": "same order",
        "columns": {**COLUMNS, "neutral": ["height"], "identifier": "person"},
        "hierarchies": {
            "birth": str(HOSPITAL / "birth.csv"),
            "zip": {"prefixes": [4, 3, 2, 1]},
        },
        "secrets": {"*": ["health = 2"]},
        "assumptions": assumptions,
        "rules": {"rule": rule},
    }


def released(birth: int, zip_code: int) -> pd.DataFrame:
    """The release where both columns are generalized so far."""
    codes = ORIGINAL["zip"]
    if zip_code:
        stars = "*" * zip_code
        codes = codes.str.slice(0, 5 - zip_code) + stars if zip_code < 5 else "*"
    births = [BIRTH[value][birth] for value in ORIGINAL["birth"]]
    return ORIGINAL.drop(columns="person").assign(birth=births, zip=codes)


@pytest.mark.parametrize(("rule", "assumptions"), ASKED)
def test_the_least_is_that_of_all_candidates(
    rule: str, assumptions: dict[str, str]
) -> None:
    asked = policy(rule, assumptions)
    plain = {name: part for name, part in asked.items() if name != "hierarchies"}
    heights = []
    for levels in product(range(4), range(6)):
        report = ph.verify(released(*levels), plain)
        if report.verdict == "proved":
            heights.append(sum(levels))
    found = ph.search(HOSPITAL / "original.csv", asked, objective="height")
    if not heights:
        assert found.verdict == "infeasible"
        return
    assert (found.verdict, found.cost) == ("optimal", min(heights))
    assert found.uncertified == "" or "never_known" in str(found.uncertified)


@pytest.mark.parametrize("space", ["subtrees", "intervals"])
def test_other_spaces(space: str) -> None:
    asked = policy(*ASKED[1])
    asked["columns"] = {**COLUMNS, "quasi": ["zip"], "identifier": "person"}
    asked["columns"]["neutral"] = ["birth", "height"]
    del asked["hierarchies"]["birth"]
    found = ph.search(HOSPITAL / "original.csv", asked, space=space)
    assert found.verdict == "optimal"
    assert found.checks is not None and found.checks.verdict == "proved"
