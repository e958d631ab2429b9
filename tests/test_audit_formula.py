"""Formulas over cells: what is read, what it means (twins), and how facts made of them
are judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from support.audit_formula_cases import (
    ILLNESS,
    SMALL,
    VALUES,
    formulas,
    named,
    people,  # noqa: F401
    policy,
    verdicts,
)

from phverify.constraints import terms as t
from phverify.disclosure.connectives import (
    AllOf,
    AnyOf,
    Negation,
    Proposition,
)
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.facts.formula_parser import parse
from phverify.disclosure.facts.formula_tokens import FormulaScope
from phverify.disclosure.facts.taxonomy import from_table
from phverify.disclosure.worlds import conditions
from phverify.disclosure.worlds.unknowns import Coding, _cells
from phverify.errors import InputError
from phverify.verbs.audit import audit

TREE = from_table(ILLNESS)


COLUMNS = {
    "balance": Domain(0, 1000),
    "age": Domain(0, 120, null=True),
    "illness": Domain(values=("cancer", "covid", "flu", "heart disease"), null=True),
    "smokes": Domain(values=(False, True)),
}


def read(text: str, named: bool = True) -> Proposition:
    scope = FormulaScope("protect.p", COLUMNS, {"illness": TREE}, named)
    found = parse(text, scope)
    assert found is not None, [problem.text() for problem in scope.problems]
    return found


def told(text: str, named: bool = True) -> str:
    scope = FormulaScope("protect.p", COLUMNS, {"illness": TREE}, named)
    assert parse(text, scope) is None
    return "\n".join(problem.text() for problem in scope.problems)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("balance[Jean] >= 420", "balance[Jean] >= 420"),
        ("balance[Jean]>balance['Jean Paul']", "balance[Jean] > balance['Jean Paul']"),
        (
            "balance[Jean-Paul] - 2*balance[7] + 3 <> age[x] * 4 - 1",
            "balance[Jean-Paul] - 2 * balance[7] + 3 != 4 * age[x] - 1",
        ),
        (
            "smokes[and] = TRUE OR not illness[not] = 'flu'",
            "smokes[and] = true or not (illness[not] = 'flu')",
        ),
        (
            "illness[a] NOT IN ('flu', 'cancer')",
            "not (illness[a] in ('flu', 'cancer'))",
        ),
        (
            "balance[a] ≥ 3 ∧ (age[b] is missing or age[b] < -(1)".replace(
                "-(1)", "-1)"
            ),
            "balance[a] >= 3 and (age[b] is missing or age[b] < -1)",
        ),
        ("age[a] is not missing", "not (age[a] is missing)"),
        ("illness[a] below 'viral'", "illness[a] below 'viral'"),
        ("\"balance\"['it''s'] in (1, -2)", "balance['it''s'] in (1, -2)"),
        ("illness[a] = illness[b]", "illness[a] = illness[b]"),
    ],
)
def test_a_formula_is_read_and_shown(text: str, shown: str) -> None:
    found = read(text)
    assert f.text(found) == shown
    assert read(shown) == found


def test_and_binds_stronger_than_or() -> None:
    a, b, c = (read(f"balance[{k}] > 1") for k in "abc")
    assert read("balance[a] > 1 or balance[b] > 1 and balance[c] > 1") == AnyOf(
        (a, AllOf((b, c)))
    )
    assert read("(balance[a] > 1 or balance[b] > 1) and balance[c] > 1") == AllOf(
        (AnyOf((a, b)), c)
    )
    assert read("not balance[a] > 1 and balance[b] > 1 or balance[c] > 1") == AnyOf(
        (AllOf((Negation(a), b)), c)
    )
    assert read(
        "not (not not balance[a] > 1 or balance[b] > 1) and balance[c] > 1"
    ) == AllOf((Negation(AnyOf((Negation(Negation(a)), b))), c))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "balance[Jean >= 420",
            (
                "character 14: '>=' does not fit here\n    balance[Jean >= 420\n       "
                "          ^"
            ),
        ),
        ("balanse[Jean] >= 420", "did you mean 'balance'?"),
        ("balance >= 420", "'balance' of which row?"),
        ("balance[Jean] >= 419.5", "numbers are integers here"),
        ("balance[Jean] >= ", "the formula ends too early"),
        ("illness[Ann] = 'fluu'", "did you mean 'flu'?"),
        ("illness[Ann] >= 3", "these cannot be compared"),
        ("illness[Ann] = balance[Ann]", "these cannot be compared"),
        ("illness[Ann] + illness[Bob] = 'flu'", "these cannot be compared"),
        ("smokes[Ann] = 1", "these cannot be compared"),
        ("smokes[Ann] in (1)", "cannot be compared with 1"),
        ("smokes[Ann] = 'true'", "cannot be compared with 'true'"),
        ("1 < 2", "no cell is compared here"),
        ("illness[a] below 'virall'", "did you mean 'viral'?"),
        ("balance[a] below 'viral'", "'balance' has no taxonomy"),
        ("balance[a] >= 99999999999999999", "larger than 2^52"),
        ("not " * 60 + "balance[a] > 1", "nested more than 50 levels deep"),
        ("not " * 3000 + "balance[a] > 1", "nested more than 50 levels deep"),
        ("(" * 3000 + "balance[a] > 1" + ")" * 3000, ""),
    ],
)
def test_what_is_no_formula_is_told(text: str, said: str) -> None:
    if said:
        assert said in told(text)
    else:
        assert (
            parse(text, FormulaScope("p", COLUMNS, {})) is not None
        )  # parentheses alone are no depth


def test_all_problems_of_a_formula_come_at_once() -> None:
    assert told("balanse[a] > 1 and illness[b] = 'fluu' or ages[c] = 3").count("^") == 3


CODINGS = {"s": Coding(SMALL["s"]), "w": Coding(SMALL["w"]), "u": Coding(SMALL["u"])}


UNKNOWN = {
    f.FactCell(column, key): cell
    for place, column in enumerate(SMALL)
    for key, cell in zip("xy", _cells(place, CODINGS[column], 2), strict=True)
}


def worlds(named: Sequence[f.FactCell]) -> Iterator[dict[f.FactCell, Any]]:
    """Some 100 of the worlds of a few cells, spread over all of them."""
    every = list(product(*(VALUES[cell.column] for cell in named)))
    for chosen in every[:: 1 + len(every) // 100]:
        yield dict(zip(named, chosen, strict=True))


@given(formulas)
def test_evaluation_and_constraints_agree(formula: Proposition) -> None:
    terms = conditions.terms(formula, UNKNOWN)
    for world in worlds(f.cells(formula)):
        assignment: dict[str, int] = {}
        for cell, value in world.items():
            found = UNKNOWN[cell]
            assignment[found.variable.name] = CODINGS[cell.column].code(value)
            assignment |= (
                {found.missing.name: int(value is None)}
                if isinstance(found.missing, t.Flag)
                else {}
            )
        true, false = (t.evaluate(term, assignment) for term in terms)
        assert f.truth(formula, world) is (True if true else False if false else None)
        assert not (true and false)


def test_three_values() -> None:
    """A comparison with a missing cell is unknown, and so is its negation; ``or`` may
    still be true.
    """
    cell, other = f.FactCell("age", "a"), f.FactCell("balance", "a")
    world = {cell: None, other: 5}

    def of(text: str) -> bool | None:
        return f.truth(read(text), world)

    assert (
        of("age[a] > 3") is None
        and of("not age[a] > 3") is None
        and of("age[a] = age[a]") is None
    )
    assert (
        of("age[a] > 3 or balance[a] = 5") is True
        and of("age[a] > 3 and balance[a] = 4") is False
    )
    assert (
        of("age[a] is missing") is True
        and of("age[a] in (1, 2)") is None
        and of("age[a] - age[a] = 0") is None
    )


def test_a_comparison_of_two_people(people: Path) -> None:
    """Who has more follows although no balance does."""
    log = [
        "SELECT SUM(balance) FROM people WHERE name IN ('Bob', 'Jean Paul')",
        "SELECT COUNT(*) FROM people WHERE balance >= 400",
    ]
    log += ["SELECT MAX(balance) FROM people WHERE name <> 'Jean'"]
    protect = {
        **named("balance[Jean] > balance[Ann]"),
        "cells": {"column": "balance", "keys": ["Jean", "Ann"]},
    }
    report = audit(people, log, policy(protect))
    assert verdicts(report) == ["disclosed", "safe", "safe"]
    finding = report.steps[-1].findings[0]
    assert finding.core == (2, 3) and finding.minimal and len(finding.by) >= 1
    assert finding.fact.text() == "balance[Jean] > balance[Ann]"


def test_a_sum_and_a_disjunction(people: Path) -> None:
    either = "balance[Jean] >= 420 and (illness[Ann] = 'flu' or illness[Bob] = 'flu')"
    log = [
        "SELECT SUM(balance) FROM people",
        "SELECT SUM(balance) FROM people WHERE name <> 'Jean'",
    ]
    log += [
        "SELECT COUNT(*) FROM people WHERE illness = 'flu' AND (name = 'Ann' OR name ="
        " 'Bob')"
    ]
    report = audit(
        people,
        log,
        policy(
            {
                **named(either),
                "sum": {"formula": "balance[Jean] + balance['Jean Paul'] >= 420"},
            }
        ),
    )
    assert [[f.verdict for f in step.findings] for step in report.steps[1:]] == [
        ["safe", "safe"],
        ["safe", "disclosed"],
        ["disclosed", "disclosed"],
    ]
    assert report.steps[3].findings[0].core == (1, 2, 3) and report.steps[3].findings[
        1
    ].core == (1, 2)
    world = report.steps[2].findings[0].worlds[0]
    assert {(c.key, c.column) for c in world} & {("Ann", "illness"), ("Bob", "illness")}


def test_a_node_of_a_taxonomy(people: Path) -> None:
    """A fact about every row is protected where it is true: of Ann and Jean."""
    log = [
        "SELECT COUNT(*) FROM people WHERE illness IN ('flu', 'covid') AND branch = 'N'"
    ]
    report = audit(people, log, policy({"viral": {"fact": "illness below 'viral'"}}))
    assert [finding.fact.text() for finding in report.steps[-1].findings] == [
        "illness[Ann] below 'viral'",
        "illness[Jean] below 'viral'",
    ]
    assert verdicts(report) == ["disclosed", "disclosed"]


def test_a_missing_cell_makes_nothing_true(people: Path) -> None:
    """That Jean Paul's illness is not flu does not follow from its being flu or
    missing; that it is missing may.
    """
    log = ["SELECT name, illness FROM people WHERE illness IS NULL"]
    assert verdicts(
        audit(people, log, policy(named("illness['Jean Paul'] is missing")))
    ) == ["disclosed"]
    with pytest.raises(InputError, match="is false in the data"):
        audit(people, log, policy(named("not illness['Jean Paul'] = 'flu'")))


def test_a_formula_with_and_without_a_row(people: Path) -> None:
    """A fact about each row may name another one, too."""
    report = audit(
        people,
        ["BEGIN"],
        policy({"p": {"fact": "balance > balance[Bob]", "keys": ["Ann", "Jean"]}}),
    )
    assert [f.fact.text() for f in report.steps[0].findings] == [
        "balance[Ann] > balance[Bob]",
        "balance[Jean] > balance[Bob]",
    ]
