"""The worked examples by every road, and the paper's own claims about its Tables 1 and
2.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

import pytest
from support import oracle
from support.examples import EXAMPLES

import phverify as ph
from phverify.logic.printer import UNICODE, to_text
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT

HOSPITAL = files("phverify.examples").joinpath("hospital")
with HOSPITAL.joinpath("release.csv").open(encoding="utf-8") as _file:
    ROWS: list[dict[str, Any]] = list(csv.DictReader(_file))
QUASI = ("birth", "zip")
AGENTS = {"a0": (), "a1": QUASI}
NAMES = tuple(f"i{k}" for k in range(1, 9))


def signature() -> Signature:
    domains = {f: tuple(sorted({row[f] for row in ROWS})) for f in ROWS[0]}
    attributes = {f: Attribute(f, TEXT, domain) for f, domain in domains.items()}
    return Signature(attributes, ("a0", "a1"), 8, NAMES, 8)


def hospital(rules: dict[str, str], **sections: Any) -> ph.Policy:
    columns = {
        "quasi": list(QUASI),
        "sensitive": ["income", "health"],
        "neutral": ["height"],
        "identifier": "person",
    }
    return ph.Policy.from_dict(
        {"rows": "same order", "columns": columns, "rules": rules, **sections}
    )


def verify(rule: str, encoding: str = "quotient", original: bool = True) -> ph.Report:
    before = str(HOSPITAL.joinpath("original.csv")) if original else None
    return ph.verify(
        str(HOSPITAL.joinpath("release.csv")),
        hospital({"r": rule}),
        before,
        encoding=encoding,
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "verdict"), EXAMPLES)
def test_printing_and_parsing(text: str, verdict: str) -> None:
    formula = parse(text)
    assert parse(to_text(formula)) == formula
    assert parse(to_text(formula, UNICODE)) == formula


@pytest.mark.parametrize(("text", "verdict"), EXAMPLES)
def test_all_models(text: str, verdict: str) -> None:
    formula, problems = resolve(parse(text), signature(), "example", text)
    assert not problems
    assert oracle.valid(ROWS, AGENTS, signature(), formula) == (verdict == "proved")


@pytest.mark.parametrize(("text", "verdict"), EXAMPLES)
@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_encodings(text: str, verdict: str, encoding: str) -> None:
    assert verify(text, encoding).verdict == verdict


def test_the_original_is_generalized_to_the_release() -> None:
    report = verify("k_anonymity(2)")
    assert report.sanitized is not None
    assert (report.sanitized.proper, report.sanitized.trivial) == (True, False)
    assert report.sanitized.mappings["zip"]["24126"] == "24***"


def test_example_3_names_the_two_and_their_class() -> None:
    secret = "income = '100K' or health = 2"
    policy = hospital(
        {"safe": "logical_safety()"},
        secrets={"i3": [secret], "i4": [secret], "i1": [secret]},
    )
    report = ph.verify(
        str(HOSPITAL.joinpath("release.csv")),
        policy,
        str(HOSPITAL.joinpath("original.csv")),
    )
    witness = report.rules[0].witness
    assert witness is not None
    assert dict(witness.cls) == {"birth": "03/56", "zip": "10***"}
    assert witness.assignment == {"i3": "d3", "i4": "d4"}
    assert witness.facts[0].text == "l_a1(income = 100K | health = 2) = 1"


def test_the_number_that_decides() -> None:
    witness = verify("forall i: @i l_a1(health = 2) <= 1/3").rules[0].witness
    assert witness is not None
    assert witness.facts[0].text == "l_a1(health = 2) = 1/2 > 1/3"
    assert witness.facts[0].values == {"l_a1(health = 2)": "1/2"}


def test_assumptions_change_what_follows() -> None:
    release = str(HOSPITAL.joinpath("release.csv"))
    knowing = hospital(
        {"ill": "@i4 health = 2", "open": "@i6 health = 2"},
        assumptions={"tip": "@i3 ~(health = 2)"},
    )
    verdicts = {rule.name: rule.verdict for rule in ph.verify(release, knowing).rules}
    assert verdicts == {"ill": "proved", "open": "refuted"}


def test_joint_knowledge_needs_no_single_name() -> None:
    """At least one of i3 and i4 is certainly ill, though neither is for certain."""
    assert verify("[a1](@i3 health = 2 | @i4 health = 2)").verdict == "proved"
    assert (
        verify("~[a1] @i3 health = 2", original=False).verdict == "refuted"
    )  # true in the models where i3 is d4
    assert verify("@i3 ~[a1] health = 2", original=False).verdict == "proved"
