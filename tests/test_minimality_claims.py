"""Minimality: claims about closures, mutants, and all minimal candidates."""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.minimality_cases import (
    HEAD,
    satisfies,
    truths,
)
from support.search_questions import (
    TREE,
    Case,
    drawn_about_classes,
    drawn_about_people,
    drawn_at_random,
    settings,
)
from support.so_many import sampled, so_many

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints.agree import smtlib
from phverify.constraints.solver import solve
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.certificate import digest
from phverify.spec.closures import HOW, queries
from phverify.spec.command import MALFORMED
from phverify.spec.data import Refused, policy
from phverify.spec.least import all_covered
from phverify.spec.merging import MERGE, UPWARD, Merging
from phverify.spec.minimal import Judges, Minimality, check
from phverify.spec.spaces import space
from phverify.spec.system import System
from phverify.spec.types import ValueType
from phverify.symbolic.histograms import merging
from phverify.verbs.check_inputs import given as inputs


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


def minimality(case: Case, **changes: Any) -> Minimality:
    """The checker on a case's table, before any claim."""
    question, empty = case.question, {name: {} for name in ("proofs", "agreed")}
    start = inputs(case.frame, case.policy, case.hierarchies)
    orders = {name: start.data.domains[name] for name in start.data.quasi}
    said = {
        "space": question.space,
        "suppress": str(question.suppress),
        "objective": question.objective,
        "mapping": {
            name: [[value, value] for value in values]
            for name, values in orders.items()
        },
        "closures": [],
        "minimal": [],
        **empty,
    }
    return Minimality({**said, **changes}, start, Judges(texts=unsatisfiable))


def unsatisfiable(questions: Sequence[System | Merging]) -> int:
    texts = {
        smtlib(one) if isinstance(one, System) else merging(one) for one in questions
    }
    return (
        len(texts)
        if all(solve(text, Deadline(5)).status == "unsat" for text in texts)
        else 0
    )


def claims(checker: Minimality) -> Iterator[dict[str, Any]]:
    """Claims about all boxes and candidates, which say of them what is true as far as
    counting goes.
    """
    blocks = [
        list(filter(scheme.valid, range(256))) for scheme in checker.space.schemes
    ]
    for box in itertools.islice(itertools.product(*blocks), 400):
        inside = checker.violations.inside(box)
        people = [{"person": p} for p in range(checker.data.rows) if inside >> p & 1]
        for number in range(len(checker.violations.asked.parts)):
            for kind, person in itertools.product(("box", "class"), ({}, *people)):
                yield {"kind": kind, "part": number, "blocks": list(box), **person}
    for truth in truths(checker.space):
        yield from about(truth)


def about(truth: tuple[bool, ...]) -> Iterator[dict[str, Any]]:
    """Claims about a whole candidate."""
    chosen = [u for u, true in enumerate(truth) if true]
    yield {"kind": "cut", "choice": chosen}
    yield {"kind": "candidate", "choice": chosen, "witnesses": []}


def closures(checker: Minimality) -> list[dict[str, Any]]:
    """Claims about the closure of all parts, the strongest first, as far as Z3 finds
    it.
    """
    found = []
    for number, part in enumerate(checker.violations.asked.parts):
        for goal, how in itertools.product((UPWARD, MERGE), HOW):
            try:
                texts = queries(part.bodies, goal, how, checker.data)
            except Refused:
                continue
            if unsatisfiable(texts):
                found.append({"part": number, "upward": goal == UPWARD, "how": how})
                break
    return found


DRAWN = {
    "classes": drawn_about_classes,
    "people": drawn_about_people,
    "random": drawn_at_random,
}


@so_many(30)
@given(st.sampled_from(sorted(DRAWN)), st.data())
def test_clauses_hold_for_whatever_satisfies_the_policy(
    tree: Path, kind: str, data: st.DataObject
) -> None:
    """Whatever the checker makes of true counts is never too strong."""
    case = DRAWN[kind](data.draw, tree, data.draw(settings(2, 4)))
    try:
        checker = minimality(case)
        checker = minimality(case, closures=closures(checker))
        checker.violations.used.update(checker.violations.shown)
        checker.closures()
    except (ph.InputError, Refused):
        return
    if checker.space.decisions > 8:
        return
    found = set()
    for claim in claims(checker):
        try:
            found.add(checker.clause(claim))
        except Refused:
            continue
    good = [
        truth
        for truth in truths(checker.space)
        if satisfies(case, checker.space.mapping(truth))
    ]
    for truth in good:
        whole = checker.space.solution(truth)
        assert all(
            any(whole[abs(u) - 1] == (u > 0) for u in clause) for clause in found
        )


SAID = ("rules", "space", "objective", "weights", "suppress", "cost", "choice")


EVIDENCE = (
    "clauses",
    "closures",
    "minimal",
    "withheld_classes",
    "withheld",
    "witnesses",
    "person",
)
"""Lists may be in another order or longer than need be; another person may be in the
same box, another witness true.
"""


CLAUSE = {"kind", "part", "blocks", "choice"}
"""What a clause says may be as true of another box, or of another candidate."""


MUTANTS = 60
"""Of each certificate; 20 certificates make more than a thousand in all."""


FRAME = pd.DataFrame(
    {
        "q": list("aabbccdd"),
        "r": list("xyxyxyxx"),
        "f": list("stuvstss"),
        "g": list("01010101"),
    }
)


HIERARCHIES = {
    "q": Hierarchy("q", {v: (v, "p" if v in "ab" else "s", "*") for v in "abcd"}),
    "r": Hierarchy("r", {v: (v, "*") for v in "xy"}),
}


RULES = {
    "k": "k_anonymity(2)",
    "l": "l_diversity(f, 2) | k_anonymity(4)",
    "a": "forall v in f: f = v -> l_a1(f = v) <= 2/3",
    "o": "@i1 f = s -> @i3 ~[a1] g = 0",
}


ASKED: list[dict[str, Any]] = [
    {"space": "levels"},
    {"space": "subtrees"},
    {"space": "subtrees", "suppress": "1/4"},
    {"space": "levels", "all_minimal": True},
    {"space": "levels", "objective": "discernibility"},
    {"space": "levels", "objective": "ambiguity", "suppress": "1/4"},
    {"space": "levels", "suppress": "1/4", "charge_withheld": True},
]


def certified(
    asked: Mapping[str, Any], rules: Mapping[str, str]
) -> tuple[Any, dict[str, Any]]:
    section = {
        "columns": {"quasi": ["q", "r"], "sensitive": ["f", "g"]},
        "rules": dict(rules),
    }
    mine = ph.Policy.from_dict(section)
    found = ph.search(FRAME, mine, HIERARCHIES, **asked)
    assert found.certificate is not None, found.uncertified
    return mine, json.loads(json.dumps(found.certificate))


def leaves(item: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything in a certificate."""
    if isinstance(item, dict | list):
        pairs = item.items() if isinstance(item, dict) else enumerate(item)
        for key, inner in pairs:
            yield (*path, key)
            yield from leaves(inner, (*path, key))


def changed(value: Any, chance: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + chance.choice((-1, 1, 7))
        case str():
            return chance.choice([value + "1", value[:-1], f"{value}/2", "1", "x"])
        case None:
            return "x"
        case list():
            return chance.choice([value[:-1], [*value, *value[-1:]], value[::-1], []])
    return dict(list(value.items())[1:])


def mutants(
    written: dict[str, Any], chance: random.Random, count: int
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    paths = [path for path in leaves(written) if path[0] != "digest"]
    for path in chance.choices(paths, k=count):
        mutant = copy.deepcopy(written)
        place = mutant
        for key in path[:-1]:
            place = place[key]
        before = place[path[-1]]
        place[path[-1]] = changed(before, chance)
        if place[path[-1]] != before or type(place[path[-1]]) is not type(before):
            yield path, {**mutant, "digest": digest(mutant)}


@pytest.mark.parametrize(
    ("asked", "names"), sampled([*product(ASKED, ["k", "kl", "a", "ko"])], 3), ids=str
)
def test_mutants_are_refused(asked: dict[str, Any], names: str) -> None:
    """What is accepted after a change says the same, by another true claim or by
    another proof that is one.
    """
    rules = {name: RULES[name] for name in names}
    mine, honest = certified(asked, rules)
    assert ph.check(honest, FRAME, mine, HIERARCHIES).accepted
    start, chance = inputs(FRAME, mine, HIERARCHIES), random.Random(f"{asked}{names}")
    for path, mutant in mutants(honest, chance, MUTANTS):
        try:
            list(check(mutant, start, Judges()))
        except (Refused, *MALFORMED):
            continue
        other = path[0] == "clauses" and CLAUSE & {*path}
        verdicts = mutant["released"]["rules"]
        turned = verdicts[::-1] == honest["released"]["rules"] != verdicts
        assert (
            other
            or path[0] in ("bound", "mapping")
            or "witness" in path
            or path[-1] in EVIDENCE
            or turned
        ), path
        assert all(mutant[name] == honest[name] for name in SAID)
        assert meant(mutant) == meant(honest)


def meant(written: dict[str, Any]) -> dict[str, dict[Any, Any]]:
    """The mapping of a certificate, whatever the order in which it names the values."""
    return {name: dict(map(tuple, pairs)) for name, pairs in written["mapping"].items()}


def test_every_way_to_withhold_is_refuted() -> None:
    """A candidate is excluded only if it fails whatever is withheld of it."""
    mine, honest = certified(ASKED[2], {"a": RULES["a"]})
    checker = Minimality(honest, inputs(FRAME, mine, HIERARCHIES), Judges())
    claim, *_ = (
        c
        for c in honest["clauses"]
        if c["kind"] == "candidate" and len(c["witnesses"]) > 1
    )
    assert checker.clause(claim)
    for k in range(len(claim["witnesses"])):
        fewer = [one for j, one in enumerate(claim["witnesses"]) if j != k]
        with pytest.raises(Refused, match="not refuted in every way"):
            checker.clause({**claim, "witnesses": fewer})


def test_clauses_are_in_one_order() -> None:
    """A proof of the bound names clauses by number: boxes that were found after whole
    candidates count, too.
    """
    mine, honest = certified(
        {"space": "partitions", "suppress": "1/8"}, {name: RULES[name] for name in "lo"}
    )
    whole = [clause["kind"] in ("cut", "candidate") for clause in honest["clauses"]]
    assert whole != sorted(whole) and honest["bound"]
    assert ph.check(honest, FRAME, mine, HIERARCHIES).accepted


def test_all_minimal_candidates_are_minimal() -> None:
    """A list with one above another, without the candidate, or with a cheaper one is
    refused.
    """
    mine, honest = certified(
        {"space": "levels", "all_minimal": True}, {"k": RULES["k"]}
    )
    checker = Minimality(honest, inputs(FRAME, mine, HIERARCHIES), Judges())
    minimal = [checker.space.candidate(one["choice"]) for one in honest["minimal"]]
    top = (True,) * checker.space.decisions
    clauses = [checker.clause(claim) for claim in honest["clauses"]]
    with pytest.raises(Refused, match="above another"):
        all_covered(checker.space, clauses, [*minimal, top])
    with pytest.raises(Refused, match="none of the minimal"):
        checker.price(checker.space.candidate(honest["choice"]), [top])
    dear = Minimality({**honest, "cost": "1"}, checker.given, Judges())
    with pytest.raises(Refused, match="cheaper"):
        dear.price(top, [*minimal, top])
    with pytest.raises(Refused, match="none of the space"):
        checker.space.candidate([1])


def test_questions_that_make_no_sense() -> None:
    mine, honest = certified({"space": "levels"}, {"k": RULES["k"]})
    start = inputs(FRAME, mine, HIERARCHIES)
    assert Minimality(honest, start, Judges()).require_sense() is None  # type: ignore[func-returns-value]
    whole = {**honest, "objective": "ambiguity", "minimal": [honest]}
    assert Minimality(whole, start, Judges()).require_sense() is None  # type: ignore[func-returns-value]
    for change in (
        {"objective": "discernibility"},
        {"space": "all"},
        {"objective": "beauty"},
        {"suppress": "1"},
        {"objective": "ambiguity"},
        {"objective": "ambiguity", "suppress": "1/4", "minimal": [honest]},
    ):
        with pytest.raises(Refused):
            Minimality({**honest, **change}, start, Judges()).question()
            Minimality({**honest, **change}, start, Judges()).require_sense()
    typed = replace(policy(HEAD), types={"q": ValueType("integer")})
    for values in (("2", "10"), ("10", "2")):
        assert [
            one.values for one in space("intervals", typed, {"q": values}, {}).schemes
        ] == [("2", "10")]
    with pytest.raises(Refused, match="no integer"):
        space("intervals", typed, {"q": ("2", "x")}, {})


def test_the_question_is_told() -> None:
    """Another space, other weights or more that may be withheld would be another claim,
    as true as this one.
    """
    for asked, told in (
        ({}, "the least loss in the space levels (q levels, r levels)"),
        (
            {"suppress": "1/4"},
            (
                "the least loss in the space levels (q levels, r levels); at most 2"
                " records withheld"
            ),
        ),
        (
            {"space": "subtrees", "objective": "height", "weights": {"r": "1/3"}},
            (
                "the least height in the space subtrees (q subtrees, r subtrees);"
                " weights: r 1/3, others 1"
            ),
        ),
    ):
        mine, honest = certified(asked, {"k": RULES["k"]})
        assert (
            ph.check(honest, FRAME, mine, HIERARCHIES).verified[2]
            == f"the question: {told}"
        )


def test_numbers_that_would_mean_somebody_else() -> None:
    """Whoever is third in the table need not be third in what is released; i₃ is i3."""
    columns = {"quasi": ["q", "r"], "sensitive": ["f", "g"], "identifier": "id"}
    frame = FRAME.assign(id=[f"p{k}" for k in range(len(FRAME))])
    for text in ("@i3 ~[a1] f = s", "@i₃ ~[a1] f = s", "~(@'p1' f = s & @ i₁ g = 0)"):
        mine = ph.Policy.from_dict(
            {"columns": columns, "rules": {"k": "k_anonymity(2)", "r": text}}
        )
        start = inputs(frame, mine, HIERARCHIES)
        start.nameable(0)
        with pytest.raises(Refused, match="by number"):
            start.nameable(1)
        with pytest.raises(ph.InputError, match="by number"):
            ph.search(frame, mine, HIERARCHIES, suppress="1/4")


def test_a_cell_of_the_table_is_another_one() -> None:
    mine, honest = certified(ASKED[1], {name: RULES[name] for name in "kl"})
    for row, name in itertools.product(range(len(FRAME)), ("q", "r", "f")):
        other = FRAME.copy()
        other.loc[row, name] = next(
            v for v in sorted(set(FRAME[name])) if v != FRAME.loc[row, name]
        )
        result = ph.check(honest, other, mine, HIERARCHIES)
        if result.accepted:  # the same counts: another table with the same answer
            found = ph.search(other, mine, HIERARCHIES, **ASKED[1])
            assert str(found.cost) == honest["cost"]
