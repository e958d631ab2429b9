"""Claims of a recoding by tuples that no policy lets be made, each forged by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from support.check_cases import sealed

import phverify as ph
from phverify.spec.data import Refused
from phverify.spec.prices import require_feasible

SIX = pd.DataFrame({"age": [31, 32, 33, 47, 48, 49], "ill": list("abcabc")})


def mine(rule: str) -> ph.Policy:
    return ph.Policy.from_dict(
        {
            "columns": {"quasi": ["age"], "sensitive": ["ill"]},
            "types": {"age": "integer"},
            "rules": {"k": "k_anonymity(2)", "r": rule},
        }
    )


def refused(rule: str, given: dict[str, Any], **changes: Any) -> str:
    """What the checker says of an honest certificate with these changes."""
    policy = mine(rule)
    honest = ph.anonymize(SIX, policy=policy, budget=3, **given).certificate
    assert honest and ph.check(honest, SIX, policy).accepted
    checked = ph.check(sealed(honest, **changes), SIX, policy)
    assert not checked.accepted
    return str(checked)


def test_somebody_whom_a_rule_names_is_not_withheld() -> None:
    rule = "@i1 l_a1(ill = 'a') <= 1/2"
    said = refused(rule, {"suppress": "1/3"}, classes=[[2, 3], [4, 5]])
    assert "somebody whom the policy names is withheld" in said


def test_records_that_are_numbered_are_not_withheld() -> None:
    """With the row before it withheld, d2 would be another record."""
    said = refused("@d2 ill = 'b'", {}, suppress="1/3", classes=[[1, 2], [3, 4, 5]])
    assert "names records by number" in said


def test_of_rules_about_the_whole_table_reasons_are_checked() -> None:
    said = refused("exists i: @i ill = 'a'", {}, splits=["small"] * 5)
    assert "splits" in said or "split" in said


def test_no_proof_is_there_for_nothing() -> None:
    proofs = {"0" * 64: {"farkas": [[0, "1"]]}}
    said = refused("l_diversity(ill, 2)", {}, proofs=proofs)
    assert "holds proofs of systems that nothing needs" in said


@pytest.mark.parametrize(
    ("prices", "counts", "least", "right"),
    [
        ([2], [1], 1, True),
        ([3], [1], 1, False),
        ([5, 5], [2, 3], 5, True),
        ([5, 6], [2, 3], 5, False),  # together one unit more than five records cost
        ([7, 0], [1, 3], 4, True),
        ([9, 0], [1, 3], 4, False),
    ],
)
def test_a_unit_too_much_is_too_much(
    prices: list[int], counts: list[int], least: int, right: bool
) -> None:
    """One box, in which a record costs two units."""
    codes = [(0,)] * len(counts)
    layers = [[((0,), [2])]]
    try:
        require_feasible(prices, counts, codes, layers, least, None)
    except Refused as error:
        assert not right and "more than they cost as a class" in str(error)
    else:
        assert right
