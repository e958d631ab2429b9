"""``ph.check`` accepts honest certificates and refuses what is false; and searches that
once went wrong.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.check_cases import FOUR, TREE, about, policy, sealed

import phverify as ph
from phverify.spec.data import Refused
from phverify.spec.minimal import Judges, Minimality


def swapped(
    honest: dict[str, Any], other: dict[str, Any], clauses: list[Any]
) -> dict[str, Any]:
    """The claim that the dearer candidate of another certificate is the least, on the
    strength of these clauses.
    """
    taken = {
        name: other[name]
        for name in (
            "choice",
            "mapping",
            "cost",
            "withheld_classes",
            "released",
            "bound",
        )
    }
    return sealed(copy.deepcopy(honest), **taken, clauses=clauses)


def why(
    frame: pd.DataFrame, mine: ph.Policy, honest: dict[str, Any], claim: dict[str, Any]
) -> str:
    """Why one claim gives no clause; what else the certificate says is as it was."""
    checker = Minimality(honest, about(mine, frame, {"q": TREE}), Judges())
    with pytest.raises(Refused) as refused:
        checker.clause(claim)
    return str(refused.value)


@pytest.mark.parametrize("space", ["levels", "subtrees", "partitions"])
@pytest.mark.parametrize("suppress", [0, "1/2"])
def test_honest_certificates(space: str, suppress: Any) -> None:
    for rule in (
        "k_anonymity(2)",
        "~k_anonymity(4)",
        "t_closeness(f, 3/4)",
        "k_anonymity(2) | l_diversity(f, 3)",
    ):
        found = ph.search(
            FOUR, policy(rule), {"q": TREE}, space=space, suppress=suppress
        )
        assert found.verdict == "optimal"
        written = json.loads(json.dumps(found.certificate))
        assert ph.check(written, FOUR, policy(rule), {"q": TREE}).accepted, rule


def test_a_policy_may_be_a_dictionary() -> None:
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"r": "k_anonymity(2)"},
    }
    found = ph.search(FOUR, section, {"q": TREE})
    assert ph.check(found.certificate, FOUR, section, {"q": TREE}).accepted
    stricter = {**section, "rules": {"r": "k_anonymity(3)"}}
    assert not ph.check(found.certificate, FOUR, stricter, {"q": TREE}).accepted


def test_a_certificate_of_a_verdict_wants_the_file_of_a_policy(tmp_path: Path) -> None:
    policy_file, release = tmp_path / "policy.toml", tmp_path / "release.csv"
    policy_file.write_text('[columns]\nquasi = ["q"]\n[rules]\nr = "k_anonymity(2)"')
    release.write_text("q\na\na\n")
    report = ph.verify(release, policy_file)
    written = ph.certify(report, release, policy_file)
    section = {"columns": {"quasi": ["q"]}, "rules": {"r": "k_anonymity(2)"}}
    with pytest.raises(ph.InputError, match=r"quotes a policy's text\n *give the file"):
        ph.check(written, policy=section, release=release)


def test_no_number_but_a_blocks_is_one_in_a_tree() -> None:
    """A number from the end, or of a node left out, once gave a clause that nothing
    meets.
    """
    honest = ph.search(
        FOUR, policy("k_anonymity(2)"), {"q": TREE}, space="subtrees"
    ).certificate
    other = ph.search(
        FOUR, policy("k_anonymity(4)"), {"q": TREE}, space="subtrees"
    ).certificate
    assert honest and other
    for block in [*range(-12, 0), *range(7, 15)]:
        claim = {"kind": "box", "part": 0, "blocks": [block]}
        result = ph.check(
            swapped(honest, other, [claim]), FOUR, policy("k_anonymity(2)"), {"q": TREE}
        )
        assert not result.accepted
        assert "is no block" in why(FOUR, policy("k_anonymity(2)"), honest, claim)


def test_violations_that_are_none() -> None:
    """A box that satisfies the rule, a candidate that does, and one that may be mended
    by withholding.
    """
    mine = policy("k_anonymity(2)")
    honest = ph.search(FOUR, mine, {"q": TREE}, space="subtrees").certificate
    other = ph.search(
        FOUR, policy("k_anonymity(4)"), {"q": TREE}, space="subtrees"
    ).certificate
    assert honest and other
    tree = {
        label: node for node, label in enumerate(["a", "p", "*", "b", "c", "r", "d"])
    }
    for label in ("p", "*", "a"):
        for kind, part in (("box", 0), ("class", 0), ("box", 1)):
            claim = {"kind": kind, "part": part, "blocks": [tree[label]]}
            assert not ph.check(
                swapped(honest, other, [claim]), FOUR, mine, {"q": TREE}
            ).accepted
    for kind in ("cut", "candidate"):
        for choice in ([], [0], [1], honest["choice"], other["choice"]):
            claim = {
                "kind": kind,
                "choice": choice,
                **({"witnesses": []} if kind == "candidate" else {}),
            }
            assert not ph.check(
                swapped(honest, other, [claim]), FOUR, mine, {"q": TREE}
            ).accepted


def test_each_violation_that_is_none_is_told() -> None:
    mine = policy("k_anonymity(2)")
    honest = ph.search(FOUR, mine, {"q": TREE}, space="subtrees").certificate
    half = ph.search(
        FOUR, mine, {"q": TREE}, space="subtrees", suppress="1/2"
    ).certificate
    assert honest and half
    tree = {
        label: node for node, label in enumerate(["a", "p", "*", "b", "c", "r", "d"])
    }
    for kind in ("box", "class"):
        said = {"kind": kind, "part": 0}
        for label in ("p", "r", "*"):
            claim = {**said, "blocks": [tree[label]]}
            assert "does not violate" in why(FOUR, mine, honest, claim)
            assert "not a block for each" in why(
                FOUR, mine, honest, {**claim, "blocks": []}
            )
            assert "no part" in why(FOUR, mine, honest, {**claim, "part": 1})
        claim = {**said, "blocks": [0]}
        assert "could be withheld" in why(FOUR, mine, half, claim)
        assert "could be withheld" in why(FOUR, mine, half, {**claim, "person": 0})
    cut = {"kind": "cut", "choice": honest["choice"]}
    assert "leaves 0 records" in why(FOUR, mine, honest, cut)
    few = {**cut, "choice": [next(u for u in half["choice"])]}
    assert "leaves 2 records" in why(FOUR, mine, half, few)
    one = {"kind": "candidate", "choice": honest["choice"], "witnesses": []}
    assert "not refuted in every way" in why(FOUR, mine, honest, one)


@pytest.mark.parametrize("kind", ["box", "class"])
def test_no_number_but_a_blocks_is_one_in_an_order(kind: str) -> None:
    frame = pd.DataFrame({"n": list("1234"), "f": list("xyyx")})
    types = {"types": {"n": "integer"}}
    mine = policy("alpha_k_anonymity(f, 1/2, 1)", "n", **types)
    honest = ph.search(frame, mine, space="intervals").certificate
    other = ph.search(
        frame, policy("k_anonymity(4)", "n", **types), space="intervals"
    ).certificate
    assert honest and other
    runs = [sum(1 << v for v in range(a, b)) for b in range(5) for a in range(b)]
    for block in range(-20, 30):
        claim = {"kind": kind, "part": 0, "blocks": [block]}
        assert not ph.check(
            swapped(honest, other, [*honest["clauses"], claim]), frame, mine
        ).accepted
        if block not in runs:
            assert "is no block" in why(frame, mine, honest, claim)


FORGED: list[dict[str, Any]] = [
    {"clauses": []},
    {"clauses": [1]},
    {"weights": {}},
    {"weights": {"q": None}},
    {"weights": 3},
    {"withheld_classes": [["nobody"]]},
    {"withheld_classes": [True]},
    {"choice": [1.0]},
    {"kind": "another"},
    {"format": 4},
    {"format": 5.0},
    {"more": 1},
    {"cost": "0"},
    {"choice": []},
    {"suppress": "1/2"},
    {"objective": "height"},
    {"rules": {"k": "k_anonymity(9)"}},
    {"closures": [{"part": 0, "upward": False, "how": "each"}]},
    {"space": "levels"},
]


@pytest.mark.parametrize("change", FORGED, ids=str)
def test_false_claims_are_refused(change: dict[str, Any]) -> None:
    honest = ph.search(
        FOUR, policy("k_anonymity(2)"), {"q": TREE}, space="subtrees"
    ).certificate
    assert honest
    assert not ph.check(
        sealed(honest, **change), FOUR, policy("k_anonymity(2)"), {"q": TREE}
    ).accepted


@pytest.mark.parametrize("space", ["levels", "subtrees"])
def test_too_few_clauses(space: str) -> None:
    """Without its clauses a certificate proves nothing, whatever it says of the
    bound.
    """
    honest = ph.search(
        FOUR, policy("k_anonymity(2)"), {"q": TREE}, space=space
    ).certificate
    assert honest
    for bound in (honest["bound"], {}, {"farkas": {}}, None):
        forged = sealed(honest, clauses=[], closures=[], bound=bound)
        result = ph.check(forged, FOUR, policy("k_anonymity(2)"), {"q": TREE})
        assert not result.accepted
        assert (
            space != "levels"
            or bound is not None
            or "a cheaper candidate meets all clauses" in result.problem
        )
