"""Numbers with a separator of thousands are refused, with what may be meant."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.microdata.grouped_digits import grouped_hint

EITHER = "write 1000 if its comma separates thousands, or 1.000 if it begins the"


@pytest.mark.parametrize(
    ("label", "hint"),
    [
        ("1,000", f"{EITHER} decimals"),
        ("-12,000", "write -12000 if its comma separates thousands, or -12.000 if it"),
        ("1.000", "write 1000 if its point separates thousands, or 1.000 if it"),
        ("1,000,000", "write 1000000: numbers have no separator of thousands"),
        ("1.000,50", "write 1000.50: numbers have no"),
        ("1,000.50", "write 1000.50: numbers have no"),
        ("1 000", "write 1000: numbers have no"),
        ("1\u202f000", "write 1000: numbers have no"),
        ("1'000", "write 1000: numbers have no"),
        ("0,123", ""),
        ("1,00", ""),
        ("1,0000", ""),
        ("1,000,5", ""),
        ("1,000.000,0", ""),
        ("1000", ""),
        ("2024-01-02", ""),
        ("", ""),
    ],
)
def test_what_may_be_meant(label: str, hint: str) -> None:
    assert grouped_hint(label).startswith(hint)
    assert bool(grouped_hint(label)) == bool(hint)


BUILDERS: list[dict[str, Any]] = [
    {"at_most": 2000},
    {"at_least": 20},
    {"intervals": [100]},
    {"round": [100]},
    {"ranges": [[0, 5000]]},
]
PAYS = ["1,000", "2500", "900"]


def refusal(pays: list[str], policy: dict[str, Any], space: str = "levels") -> str:
    """What a search says of these cells."""
    raw = pd.DataFrame({"pay": pays, "ill": list("xyx")})
    rules = {"rules": {"k": "k_anonymity(2)"}}
    with pytest.raises(ph.InputError) as caught:
        ph.search(raw, {**policy, **rules}, space=space)
    return str(caught.value)


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda one: next(iter(one)))
def test_builders_do_not_guess(builder: dict[str, Any]) -> None:
    roles = {"quasi": ["pay"], "sensitive": ["ill"]}
    told = refusal(PAYS, {"columns": roles, "hierarchies": {"pay": builder}})
    assert "the value '1,000' is no number" in told
    assert EITHER in told


@pytest.mark.parametrize("kind", ["integer", "decimal"])
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_types_do_not_guess(kind: str, role: str) -> None:
    others = {"quasi": ["ill"]} if role == "sensitive" else {"sensitive": ["ill"]}
    roles = {role: ["pay"], **others}
    told = refusal(PAYS, {"columns": roles, "types": {"pay": kind}}, "intervals")
    assert f"'1,000' is no {kind} value" in told
    assert EITHER in told


def test_other_types_have_their_own_hints() -> None:
    roles = {"quasi": ["pay"], "sensitive": ["ill"]}
    told = refusal(PAYS, {"columns": roles, "types": {"pay": "date"}}, "intervals")
    assert "dates are written as" in told and "thousands" not in told
