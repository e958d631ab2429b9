"""A rule of a release that nobody proved: no search is accepted that rests on it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from support.check_cases import FOUR, TREE, policy, sealed

import phverify as ph

RULES = {"k": "k_anonymity(2)", "l": "l_diversity(f, 2)"}
WITNESS = {"world": 1, "assignment": [], "path": []}
UNPROVED: list[dict[str, Any]] = [
    {"verdict": "undecided", "reason": "the budget ended"},
    {"verdict": "refuted", "witness": WITNESS},
]


def unproved(honest: dict[str, Any], number: int, said: dict[str, Any]) -> Any:
    """The certificate with other words about one rule of what is released."""
    rules = [*honest["released"]["rules"]]
    rules[number] = {"name": rules[number]["name"], **said}
    released = {**honest["released"], "rules": rules}
    return sealed(honest, released=released)


@pytest.mark.parametrize("said", UNPROVED)
@pytest.mark.parametrize("number", [0, 1])
def test_of_a_search(number: int, said: dict[str, Any]) -> None:
    honest = ph.search(FOUR, policy(RULES), {"q": TREE}).certificate
    assert honest and ph.check(honest, FOUR, policy(RULES), {"q": TREE}).accepted
    forged = unproved(honest, number, said)
    checked = ph.check(forged, FOUR, policy(RULES), {"q": TREE})
    assert not checked.accepted
    assert "nothing shows that the released table satisfies" in str(checked)


@pytest.mark.parametrize("said", UNPROVED)
@pytest.mark.parametrize("number", [0, 1])
def test_of_a_recoding_by_tuples(number: int, said: dict[str, Any]) -> None:
    frame = pd.DataFrame({"age": [31, 32, 47, 48], "ill": list("abab")})
    columns = {"quasi": ["age"], "sensitive": ["ill"]}
    rules = {"k": "k_anonymity(2)", "l": "l_diversity(ill, 2)"}
    mine = ph.Policy.from_dict(
        {"columns": columns, "types": {"age": "integer"}, "rules": rules}
    )
    honest = ph.anonymize(frame, policy=mine, budget=5).certificate
    assert honest and ph.check(honest, frame, mine).accepted
    checked = ph.check(unproved(honest, number, said), frame, mine)
    assert not checked.accepted
    assert "nothing shows that the released table satisfies" in str(checked)
