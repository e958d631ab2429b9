"""``pignistic(i, a) <= q`` in policies: what an agent bets on the right record, by
every road.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.agreement_cases import ask, looked_up, signature
from support.oracle import Row
from support.so_many import so_many
from support.strategies import AGENTS, tables

import phverify as ph
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.spec.parser import parse

BOUNDS = ["0", "0.09", "1/3", "1/2", "50.1%", "1"]
POLICY = """
[columns]
quasi = ["q", "r"]
sensitive = ["f"]
[agents]
half = ["q"]
[rules]
r = "{}"
"""


def test_it_is_short_for_a_formula() -> None:
    for short, long in (
        ("pignistic(i3, a1) <= 0.09", "@i3 l_a1(i3) <= 9/100"),
        ("forall i: pignistic(i, a1) < 5%", "forall i: @i l_a1(i) < 1/20"),
        (
            "forall i, a in agents: pignistic(i, a) = 1/2",
            "forall i, a in agents: @i l_a(i) = 1/2",
        ),
    ):
        assert parse(short) == parse(long)


@so_many(30)
@given(
    tables(),
    st.sampled_from(["a0", "a1", "half"]),
    st.sampled_from(["<=", "<", "=", ">="]),
    st.sampled_from(BOUNDS),
)
def test_all_models(rows: list[Row], agent: str, op: str, bound: str) -> None:
    text = f"forall i: pignistic(i, {agent}) {op} {bound}"
    expected = oracle.valid(rows, AGENTS, signature(rows), looked_up(text, rows))
    assert (ask(rows, text, "quotient").verdict == "proved") == expected
    if len(rows) < 5:
        assert (ask(rows, text, "full").verdict == "proved") == expected


@so_many(30)
@given(tables(), st.integers(1, 4))
def test_it_is_k_anonymity(rows: list[Row], k: int) -> None:
    """Bounded by 1/k for everyone who sees the release: every class has k rows."""
    verdicts = [
        ask(rows, text, "quotient").verdict
        for text in (f"forall i: pignistic(i, a1) <= 1/{k}", f"k_anonymity({k})")
    ]
    assert verdicts[0] == verdicts[1]


def test_it_is_k_anonymity_for_every_table() -> None:
    assert (
        ph.compare(
            "forall i: pignistic(i, a1) <= 1/3", "k_anonymity(3)", equivalent=True
        ).equivalent
        == "implies"
    )
    assert (
        ph.compare(
            "forall i: pignistic(i, a1) <= 0.34", "k_anonymity(3)", equivalent=True
        ).equivalent
        == "implies"
    )
    assert (
        ph.compare("forall i: pignistic(i, a1) <= 1/2", "k_anonymity(3)").verdict
        == "separated"
    )


@pytest.mark.parametrize(("bound", "verdict"), [("1/2", "proved"), ("0.49", "refuted")])
def test_certificates(tmp_path: Path, bound: str, verdict: str) -> None:
    release, policy, kept = (
        tmp_path / name for name in ("release.csv", "policy.toml", "cert.json")
    )
    release.write_text("q,r,f\nx,u,a\nx,u,b\ny,u,a\ny,u,a\n", encoding="utf-8")
    policy.write_text(
        POLICY.format(
            f"forall i: pignistic(i, a1) <= {bound} & pignistic(i, half) <= {bound}"
        )
    )
    code = main(
        ["verify", str(release), "--policy", str(policy), "--certificate", str(kept)]
    )
    assert code == {"proved": 0, "refuted": 1}[verdict]
    assert main(["check", str(kept), "--release", str(release)]) == 0
    assert (
        json.loads(kept.read_text(encoding="utf-8"))["rules"][0]["verdict"] == verdict
    )


def test_the_witness_says_the_number(tmp_path: Path) -> None:
    rows = [
        {"q": "x", "r": "u", "f": "a", "g": "0"},
        {"q": "y", "r": "u", "f": "a", "g": "0"},
    ] * 2
    witness = (
        ask(
            [*rows, {"q": "z", "r": "u", "f": "a", "g": "0"}],
            "forall i: pignistic(i, a1) <= 0.5",
            "quotient",
        )
        .rules[0]
        .witness
    )
    assert witness is not None
    assert witness.facts[0].text == "l_a1(i5) = 1 > 1/2"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pignistic(i1, a1)", "the formula ends too early"),
        ("pignistic(i1) <= 1", "expected ','"),
        ("pignistic(i1, a1) <= l_a1(i1)", "expected a number"),
        ("pignistic(i, a1) <= 0.09", "to speak of everyone: forall i: .."),
        ("pignistic(i1, a3) <= 0.09", "unknown agent 'a3'"),
        ("pignistic(i9, a1) <= 0.09", "unknown individual 'i9'"),
    ],
)
def test_mistakes(text: str, said: str) -> None:
    rows: list[dict[str, Any]] = [{"q": "x", "r": "u", "f": "a", "g": "0"}]
    with pytest.raises(InputError) as error:
        ask(rows, text, "quotient")
    assert said in str(error.value)
