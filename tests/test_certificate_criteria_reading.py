"""What the checker reads of rules: mutated texts, secrets, criteria."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bridge import told
from support.certificate_reading_cases import (
    SMALL_POLICY,
    TEXTS,
    by_the_checker,
    by_the_engine,
    lines,
    mixed,
    mutated,
    of,
    toml,
)
from support.so_many import so_many
from support.strategies import RULES, fit, tables

from phverify.errors import InputError
from phverify.logic.printer import to_text
from phverify.microdata.read import read
from phverify.policy.bind import BoundPolicy, bind
from phverify.policy.model import Policy
from phverify.spec import data as d
from phverify.spec import rules as f


@cache
def seeds() -> list[str]:
    """Short texts, four fifths of them formulas."""
    short = [text for text in TEXTS if 0 < len(text) < 200]
    good = [text for text in short if by_the_checker(text, mixed()[1])]
    return [*short, *good * (4 * len(short) // len(good))]


@so_many(600)
@given(st.deferred(lambda: st.sampled_from(seeds())), st.integers(0, 2**40))
def test_a_mutated_text_is_never_misread(text: str, seed: int) -> None:
    """Whatever the checker accepts, the engine accepts and reads in the same way."""
    signature, data = mixed()
    changed = mutated(text, random.Random(seed))
    found = by_the_checker(changed, data)
    assert found is None or found == by_the_engine(changed, signature, data), changed


RULE_TEXTS = [
    "logical_safety()", "weighted_safety(1/2)", "weighted_safety(50%) | ~logical_safety()", "k_anonymity(2)",
    "forall i: @i logical_safety()", "forall v in f: f = v & logical_safety()", "l_a1(weighted_safety(b=1)) = 1",
    "(forall i: i) | logical_safety() | (forall i, v in f: @i f = v)",
]  # fmt: skip


@dataclass(frozen=True)
class AsItIs:
    """A value in the words of TOML."""

    text: str


@st.composite
def policies(draw: st.DrawFn) -> tuple[list[dict[str, str | None]], dict[str, Any]]:
    """A table with identifiers, and a policy with secrets and assumptions over it."""
    rows = draw(tables())
    for k, row in enumerate(rows):
        row["who"] = ("Ann", "d9", "B B", "i9", "c*")[k]
    people = [
        *(str(row["who"]) for row in rows),
        *(f"i{k + 1}" for k in range(len(rows))),
    ]
    formulas = RULES.map(lambda formula: to_text(fit(formula, rows)))
    weights = st.sampled_from(["0", "1", "0.25", "1e-1", '"1/3"', '"5%"']).map(AsItIs)
    weighted = st.fixed_dictionaries({"formula": formulas, "weight": weights})
    secrets: dict[str, Any] = {}
    for who in draw(st.lists(st.sampled_from(["*", *people]), unique=True, max_size=3)):
        secrets[who] = draw(st.lists(st.one_of(formulas, weighted), max_size=2))
    section = dict(
        SMALL_POLICY,
        columns={**SMALL_POLICY["columns"], "identifier": "who"},
        secrets=secrets,
    )
    section["rules"] = {
        f"r{k}": text for k, text in enumerate([*RULE_TEXTS, draw(formulas)])
    }
    section["assumptions"] = {"known": draw(formulas)}
    return rows, section


def met(policy: str, folder: Path) -> BoundPolicy:
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    return bind(
        Policy.load(folder / "policy.toml"), read(str(folder / "table.csv")), None
    )


@so_many(60)
@given(policies())
def test_rules_with_their_secrets(
    tmp_path_factory: Any, given_: tuple[list[Any], dict[str, Any]]
) -> None:
    (rows, section), folder = given_, tmp_path_factory.getbasetemp()
    (folder / "table.csv").write_text(lines(rows), encoding="utf-8")
    policy = of(section)
    data = d.release_data(policy, d.table(folder / "table.csv", policy.columns), {})
    if not section["secrets"] or section["secrets"] == {"*": []}:
        for rule in [
            rule for rule, text in section["rules"].items() if "safety" in text
        ]:
            with pytest.raises(d.Refused, match="no secret"):
                f.rule(policy, data, rule)
            del section["rules"][rule]
    bound = met(toml(section), folder)
    for found in bound.rules:
        assert f.rule(policy, data, found.name) == told(found.expanded, data)
    for name, formula in bound.assumptions.items():
        assert f.assumption(policy, data, name) == told(formula, data)


def test_identifiers_that_read_as_positions(tmp_path: Path) -> None:
    """Without quotes neither reads them; an identifier that is the own position is no
    other.
    """
    section = dict(
        SMALL_POLICY, columns={**SMALL_POLICY["columns"], "identifier": "who"}
    )
    rows = [
        {"q": "x", "r": "u", "f": "a", "g": "1", "who": who}
        for who in ("i1", "i3", "d1")
    ]
    (tmp_path / "table.csv").write_text(lines(rows), encoding="utf-8")
    for text in ("@i3 f = a", "@d1 f = a"):
        policy = of(dict(section, rules={"r": text}))
        data = d.release_data(
            policy, d.table(tmp_path / "table.csv", policy.columns), {}
        )
        with pytest.raises(d.Refused, match="is the identifier of individual"):
            f.rule(policy, data, "r")
        with pytest.raises(InputError, match="in single quotes for the identifier"):
            met(toml(dict(section, rules={"r": text})), tmp_path)
    section["rules"] = {
        "a": "@'i3' f = a & @i1 f = a & @i2 f = a",
        "b": "logical_safety()",
    }
    section["secrets"] = {"'i3'": ["f = a"]}
    policy, bound = of(section), met(toml(section), tmp_path)
    data = d.release_data(policy, d.table(tmp_path / "table.csv", policy.columns), {})
    for found in bound.rules:
        assert f.rule(policy, data, found.name) == told(found.expanded, data)


@pytest.mark.parametrize(
    ("secrets", "rule"),
    [
        ('"*" = ["logical_safety()"]', "logical_safety()"),
        ('"*" = ["f = a", "g < "]', "logical_safety()"),
        ('i9 = ["f = a"]', "logical_safety()"),
        ('d1 = ["f = a"]', "weighted_safety(1)"),
        ('"*" = []', "logical_safety()"),
        ("", "k_anonymity(2) | weighted_safety(1)"),
        ('"*" = ["f = a"]', "nothing"),
    ],
)
def test_secrets_that_are_none(secrets: str, rule: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,r,f,g\nx,u,a,1\n")
    text = toml({**SMALL_POLICY, "rules": {"r": rule}}) + f"\n[secrets]\n{secrets}\n"
    policy = d.policy(text.replace('"r" = "nothing"', '"s" = "true"'))
    with pytest.raises(d.Refused):
        f.rule(policy, d.release_data(policy, d.table(tmp_path / "t.csv", ()), {}), "r")


def test_criteria_about_secrets_belong_into_rules(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,r,f,g\nx,u,a,1\n")
    section = {
        **SMALL_POLICY,
        "secrets": {"*": ["f = a"]},
        "assumptions": {"a": "logical_safety()"},
    }
    policy = of(section)
    with pytest.raises(d.Refused, match="outside rules"):
        f.assumption(
            policy, d.release_data(policy, d.table(tmp_path / "t.csv", ()), {}), "a"
        )
