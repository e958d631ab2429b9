"""Claims of certificates about withheld records that are charged: none is too strong,
and what is not so is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.charged_oracle import releases
from support.compared_rules import asked
from support.minimality_cases import truths
from support.search_charging import charging
from support.search_oracle import WHOLE
from support.search_questions import TREE, Case
from support.so_many import so_many

import phverify as ph
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.certificate import digest
from phverify.spec.data import Refused
from phverify.spec.minimal import Judges, Minimality, check
from phverify.spec.schemes import Clause, Truth
from phverify.spec.spaces import meets
from phverify.verbs.check_inputs import given as inputs


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("claims") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


def checker_of(case: Case, cost: Fraction) -> Minimality:
    """The checker on a case's table, before any claim but that of the cost."""
    question = case.question
    start = inputs(case.frame, case.policy, case.hierarchies)
    orders = {name: start.data.domains[name] for name in start.data.quasi}
    listed = {name: [[v, v] for v in values] for name, values in orders.items()}
    weights = {name: str(question.weights.get(name, Fraction(1))) for name in orders}
    said: dict[str, Any] = {
        "space": question.space,
        "suppress": str(question.suppress),
        "objective": question.objective,
        "weights": weights,
        "mapping": listed,
        "cost": str(cost),
        "closures": [],
        "minimal": [],
        "bound": None,
        "proofs": {},
        "agreed": {},
    }
    if question.objective not in WHOLE:
        said["charged"] = True
    return Minimality(said, start, Judges())


def claimed(checker: Minimality, truth: Truth) -> Iterator[Clause]:
    """The clauses of a candidate that the checker accepts without a witness."""
    choice = [unknown for unknown, true in enumerate(truth) if true]
    for said in (
        {"kind": "dear", "choice": choice},
        {"kind": "candidate", "choice": choice, "witnesses": []},
    ):
        try:
            yield checker.clause(said)
        except Refused:
            continue


@so_many(40, fuzz=1500)
@given(st.data())
def test_no_claim_about_costs_is_too_strong(tree: Path, data: st.DataObject) -> None:
    """What is cheaper than the cost that is claimed meets every clause."""
    case = asked(data.draw, tree, data.draw(charging(3, 8)))
    every = list(releases(case))
    if not every:
        return
    cost = data.draw(st.sampled_from(sorted({price for price, _, _ in every})))
    more = data.draw(st.sampled_from([0, Fraction(1, 9), Fraction(1, 10**6)]))
    checker = checker_of(case, cost + more)
    cheaper = {one.levels for price, one, _ in every if price < checker.charges.least}
    vectors = list(truths(checker.space))
    clauses = [clause for truth in vectors for clause in claimed(checker, truth)]
    for truth in vectors:
        parts = checker.space.parts(truth)
        levels = tuple(sum(part) for _, part in parts)
        if levels in cheaper:
            assert all(meets(truth, clause) for clause in clauses)
    if cheaper:
        with pytest.raises(Refused, match="a cheaper candidate"):
            checker.charges.none_cheaper(clauses)


# What is refused


FRAME = pd.DataFrame({"q": list("aabbccde"), "f": list("stuvstst")})
HIERARCHIES = {
    "q": Hierarchy("q", {v: (v, "p" if v in "abc" else "s", "*") for v in "abcde"})
}
POLICY = ph.Policy.from_dict(
    {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"k": "k_anonymity(2)"},
    }
)
BY_CLASSES = {"objective": "discernibility", "suppress": "1/4"}
BY_COLUMNS = {"charge_withheld": True, "suppress": "1/4"}


def honest(asked: dict[str, Any]) -> dict[str, Any]:
    found = ph.search(FRAME, POLICY, HIERARCHIES, **asked)
    assert found.verdict == "optimal" and found.certificate is not None
    written: dict[str, Any] = json.loads(json.dumps(found.certificate))
    return written


def verified(written: dict[str, Any]) -> list[str]:
    """What the checker says.  Raises Refused."""
    start = inputs(FRAME, POLICY, HIERARCHIES)
    whole = {**written, "digest": digest(written)}
    return list(check(whole, start, Judges()))


@pytest.mark.parametrize("asked", [BY_CLASSES, BY_COLUMNS], ids=["classes", "columns"])
def test_the_question_says_what_is_charged(asked: dict[str, Any]) -> None:
    lines = verified(honest(asked))
    assert any("at most 2 records withheld" in line for line in lines)
    told = any("each of which loses 1 in every column" in line for line in lines)
    assert told == ("charge_withheld" in asked)
    assert "no release of any other candidate is cheaper" in lines[-1]


@pytest.mark.parametrize("asked", [BY_CLASSES, BY_COLUMNS], ids=["classes", "columns"])
def test_every_claim_about_costs_is_needed(asked: dict[str, Any]) -> None:
    written = honest(asked)
    costs = [one for one in written["clauses"] if one["kind"] in ("dear", "candidate")]
    assert costs
    for one in costs:
        left = [other for other in written["clauses"] if other != one]
        with pytest.raises(Refused, match="do not prove the bound"):
            verified({**written, "clauses": left})


CHANGED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (BY_COLUMNS, {"charged": False}, "said where records may be withheld"),
    (BY_COLUMNS, {"suppress": "0"}, "said where records may be withheld"),
    (BY_COLUMNS, {"space": "subtrees"}, "charged in the space levels"),
    (BY_COLUMNS, {"objective": "height"}, "no height of its own"),
    (BY_COLUMNS, {"objective": "ambiguity"}, "charges withheld records as it is"),
    (BY_COLUMNS, {"withheld_classes": []}, "not proved"),
    (BY_COLUMNS, {"cost": "1/7"}, "the cost is"),
    (BY_COLUMNS, {"bound": {}}, "no bound that is proved by fractions"),
    (BY_CLASSES, {"bound": {}}, "no bound that is proved by fractions"),
    (BY_CLASSES, {"charged": True}, "charges withheld records as it is"),
    (BY_CLASSES, {"suppress": "0"}, "all minimal level vectors"),
]


@pytest.mark.parametrize(("asked", "change", "why"), CHANGED)
def test_another_question_is_refused(
    asked: dict[str, Any], change: dict[str, Any], why: str
) -> None:
    with pytest.raises(Refused, match=why):
        verified({**honest(asked), **change})


def test_what_is_not_charged_is_another_cost() -> None:
    written = honest(BY_COLUMNS)
    del written["charged"]
    with pytest.raises(Refused):
        verified(written)


def test_false_claims_about_costs_are_refused() -> None:
    by_classes, by_columns = honest(BY_CLASSES), honest(BY_COLUMNS)
    finest: dict[str, Any] = {"kind": "dear", "choice": []}
    for written, why in (
        (by_classes, "cheaper than the least"),
        (by_columns, "by columns needs no dear"),
    ):
        longer = [*written["clauses"], finest]
        with pytest.raises(Refused, match=why):
            verified({**written, "clauses": longer})
    uncharged = honest({"suppress": "1/4"})
    longer = [*uncharged["clauses"], finest]
    with pytest.raises(Refused, match="records that are charged"):
        verified({**uncharged, "clauses": longer})


def test_a_cheaper_way_has_to_be_refuted() -> None:
    """The claim that each release of a candidate is too dear, where one is not."""
    written = honest(BY_CLASSES)
    alone = {"kind": "candidate", "choice": written["choice"], "witnesses": []}
    dearer = str(Fraction(written["cost"]) + 1)
    checker = Minimality(
        {**written, "cost": dearer}, inputs(FRAME, POLICY, HIERARCHIES), Judges()
    )
    with pytest.raises(Refused, match="not refuted in every way"):
        checker.clause(alone)


def test_a_cost_between_two_level_vectors() -> None:
    """What costs a little less than is claimed is looked at, however little it is."""
    start, written = inputs(FRAME, POLICY, HIERARCHIES), honest(BY_COLUMNS)
    checker = Minimality(written, start, Judges())
    for truth in truths(checker.space):
        total = checker.cost.total(checker.space.solution(truth))
        price = checker.cost.fraction(total)
        others = [one for one in truths(checker.space) if one != truth]
        clauses = [checker.space.differs(one) for one in others]
        as_much = Minimality({**written, "cost": str(price)}, start, Judges())
        as_much.charges.none_cheaper(clauses)
        more = str(price + Fraction(1, 10**9))
        dearer = Minimality({**written, "cost": more}, start, Judges())
        with pytest.raises(Refused, match="a cheaper candidate"):
            dearer.charges.none_cheaper(clauses)
