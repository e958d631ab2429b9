"""Answers about releases by tuples that are easily wrong, each on a small table."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from support.certificate_cases import sealed

import phverify as ph


def certificate_of(frame: pd.DataFrame, policy: ph.Policy, **more: Any) -> Any:
    found = ph.anonymize(frame, policy=policy, budget=3, **more)
    return json.loads(json.dumps(found.certificate))


def policy_of(rule: str, **sections: Any) -> ph.Policy:
    columns = {"quasi": ["age"], "sensitive": ["ill"], **sections.pop("columns", {})}
    return ph.Policy.from_dict(
        {
            "columns": columns,
            "types": {"age": "integer"},
            "rules": {"rule": rule},
            **sections,
        }
    )


def test_one_class_of_all_may_break_what_is_asked_of_a_single_person() -> None:
    """Merging keeps the rule only of classes where it holds, and in the others it need
    not.
    """
    frame = pd.DataFrame(
        {"id": ["p", "q", "r"], "age": [30, 30, 47], "ill": ["flu", "flu", "gout"]}
    )
    policy = policy_of("@r l_a1(ill = flu) <= 1/2", columns={"identifier": "id"})
    found = ph.anonymize(frame, policy=policy, budget=3)
    assert found.verdict == "proved"
    assert found.cost == 0


@pytest.mark.parametrize("unit", [-1, 0])
def test_prices_are_counted_in_units_above_0(unit: int) -> None:
    """With units below 0 the relief of withheld records would raise the bound."""
    frame = pd.DataFrame({"age": [30] * 4, "ill": ["a", "b", "a", "b"]})
    policy = policy_of("k_anonymity(2)")
    claimed = certificate_of(frame, policy)
    bound = {"by": "boxes", "unit": unit, "prices": [0], "relief": 4, "value": "2"}
    forged = sealed({**claimed, "suppress": "1/2", "bound": bound, "splits": None})
    answer = ph.check(forged, table=frame, policy=policy)
    assert answer.verdict == "refused"
    assert "not counted in units" in str(answer)


def test_where_blind_classes_end_depends_on_no_confidential_value() -> None:
    """The search ends when cost and bound are near: the bound sees no illness either."""
    policy = policy_of("l_diversity(ill, 2)")
    bounds = set()
    for ill in ("uvuv", "uuvv"):
        frame = pd.DataFrame({"age": [1, 2, 3, 4], "ill": list(ill)})
        bounds.add(ph.anonymize(frame, policy=policy, blind=2, budget=3).bound)
    assert len(bounds) == 1


def test_nothing_is_impossible_by_the_lemma_of_another_rule() -> None:
    """Merging keeps the size of classes; that all of a class are alike it does not."""
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "ill": list("uuvv")})
    alike = "l_a1(ill = u) >= 1 | l_a1(ill = v) >= 1"
    policy = policy_of("true", rules={"alike": alike, "enough": "k_anonymity(9)"})
    found = ph.anonymize(frame, policy=policy, budget=2)
    assert found.verdict == "infeasible"
    assert found.reason == "even the most general release breaks enough"
