"""Facts made of formulas: taxonomies and files, distances, missing cells, mutants."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import test_audit_sql as differential
from support.audit_formula_cases import (
    ILLNESS,
    named,
    people,  # noqa: F401
    policy,
    verdicts,
)
from support.audit_oracle import Case

from phverify.constraints import terms as t
from phverify.disclosure import measure
from phverify.disclosure import protected as facts
from phverify.disclosure.connectives import Both, Formula, Not
from phverify.disclosure.facts import formula as f
from phverify.disclosure.policy import load
from phverify.disclosure.worlds import conditions
from phverify.errors import Defect, InputError
from phverify.verbs.audit import audit

F = Fraction


def complaint(people: Path, protect: Any, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        audit(people, [], policy(protect, **more))
    return str(caught.value)


def test_bad_facts_are_explained(people: Path) -> None:
    false = "balance[Jean] > 420 or illness[Ann] = 'covid'"
    assert (
        "is false in the data: balance[Jean] is '420', illness[Ann] is 'flu'"
        in complaint(people, named(false))
    )
    assert "did you mean 'Jean'?" in complaint(
        people, named("balance[Jan] > 1 and balance[Jen] > 1")
    )
    assert "no row has the key 'Jen'" in complaint(
        people, named("balance[Jan] > 1 and balance[Jen] > 1")
    )
    assert "a formula names its rows itself" in complaint(
        people, {"p": {"formula": "balance[Ann] > 1", "keys": ["Ann"]}}
    )
    assert "not 3" in complaint(people, {"p": {"formula": 3}})
    assert "asks for fact and formula" in complaint(
        people, {"p": {"formula": "balance[Ann] > 1", "fact": "balance > 1"}}
    )
    assert "leave column out" in complaint(
        people, {"p": {"fact": "balance > 1", "column": "balance"}}
    )
    assert "'balance' of which row?" in complaint(people, named("balance > 1"))


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"r": {"a": ["flu"], "b": ["flu"]}}, "the node 'flu' has 2 parents: 'a', 'b'"),
        ({"a": ["flu"], "b": ["covid"]}, "there are 2 roots: 'a', 'b'"),
        ({"a": {"b": ["a"]}}, "is above itself"),
        ({}, "there are no nodes"),
        ({"a": 3}, "the children of 'a' are a table or a list of texts, not 3"),
        ({"a": ["flu", "covid", "cancer"]}, "the value 'heart disease' is no node"),
        (
            {"flu": ["cancer", "covid", "heart disease"]},
            "the value 'flu' lies above the value 'cancer'",
        ),
        (3, "is a hierarchy file or nested tables, not 3"),
    ],
)
def test_a_taxonomy_that_is_no_tree_is_refused(
    people: Path, tree: Any, said: str
) -> None:
    assert said in complaint(
        people, named("balance[Ann] > 1"), taxonomies={"illness": tree}
    )


def test_a_taxonomy_from_a_file(people: Path, tmp_path: Path) -> None:
    file = tmp_path / "illness.csv"
    file.write_text(
        "flu;viral;*\ncovid;viral;*\ncancer;other;*\nheart disease;other;*\n"
    )
    report = audit(
        people,
        ["BEGIN"],
        policy(
            {"v": {"fact": "illness below 'viral'"}}, taxonomies={"illness": str(file)}
        ),
    )
    assert len(report.steps[0].findings) == 2
    file.write_text(
        "flu;viral;*\ncovid;viral;*\ncancer;other;*\nheart disease;viral;other\n"
    )
    two = {"illness": str(file)}
    assert "'viral' at level 1 lies under '*' and 'other'" in complaint(
        people, named("balance[Ann] > 1"), taxonomies=two
    )
    file.write_text("flu;viral;*\nviral;other;*\n")
    assert "the node 'viral' has 2 parents: '*', 'other'" in complaint(
        people, named("balance[Ann] > 1"), taxonomies=two
    )
    assert "no such file" in complaint(
        people, named("balance[Ann] > 1"), taxonomies={"illness": "nowhere.csv"}
    )
    assert "over a column of texts" in complaint(
        people, named("balance[Ann] > 1"), taxonomies={"balance": ILLNESS}
    )
    assert "did you mean 'illness'" in complaint(
        people, named("balance[Ann] > 1"), taxonomies={"ilness": ILLNESS}
    )


def test_a_file_is_looked_for_beside_the_policy(people: Path, tmp_path: Path) -> None:
    (tmp_path / "illness.csv").write_text(
        "flu;viral;*\ncovid;viral;*\ncancer;other;*\n"
    )
    text = (
        "table = 'people'\nkey = 'name'\npublic = ['branch']\n[sensitive]\nbalance = {"
        " from = 0, to = 1000 }\n"
    )
    text += (
        "illness = { values = ['flu', 'covid', 'cancer'], null = true"
        " }\n[taxonomies]\nillness = 'illness.csv'\n"
    )
    text += "[protect]\npair = { formula = \"balance['Jean Paul'] < balance[Ann]\" }\n"
    (tmp_path / "audit.toml").write_text(text)
    assert verdicts(audit(people, ["BEGIN"], tmp_path / "audit.toml")) == ["safe"]


def test_distances_are_checked() -> None:
    def said(**kinds: str) -> str:
        with pytest.raises(InputError) as caught:
            load(policy(named("balance[Ann] > 1"), distances=kinds))
        return str(caught.value)

    assert "did you mean 'numerical'" in said(balance="numericall")
    assert "'balance' has no taxonomy" in said(balance="taxoral")
    assert "numerval is for integers" in said(illness="numerval")


def not_of_unknown_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = conditions.terms

    def broken(formula: Formula, unknown: Any) -> Both:
        if isinstance(formula, Not):
            return (
                t.neg(terms(formula.body, unknown)[0]),
                terms(formula.body, unknown)[0],
            )
        return terms(formula, unknown)

    monkeypatch.setattr(conditions, "terms", broken)
    monkeypatch.setattr(facts, "terms", broken)


def missing_cells_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    value = f._value
    monkeypatch.setattr(
        f,
        "_value",
        lambda side, values: value(side, {c: v or 0 for c, v in values.items()}),
    )


def one_cell_of_a_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = conditions.comparison

    def broken(left: conditions.Side, operator: str, right: conditions.Side) -> Both:
        return whole((left[0][:1], left[1]), operator, right)

    monkeypatch.setattr(conditions, "comparison", broken)


def half_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_share", lambda fact, known, domains: F(1, 2))


def telling(formula: str) -> Case:
    """The first query leaves k0 with 0 or missing; swaps of rows are no help after
    it.
    """
    log = (
        "SELECT COUNT(*) FROM t WHERE s = 1 AND id = 'k0'",
        "SELECT COUNT(s) FROM t WHERE id = 'k1'",
    )
    rows = (("k0", "x", 1, 0), ("k1", "x", 1, 1))
    external: dict[str, tuple[Any, ...]] = {"e": (("x", 1, "n"),), "f": ((1, "n"),)}
    return Case(rows, {"s": [0, 1, None]}, named(formula), log, external)


MUTANTS = [
    (not_of_unknown_is_true, "not (s[k0] = 1)"),
    (missing_cells_compare, "not (s[k0] = 1)"),
    (one_cell_of_a_sum, "s[k0] is missing or s[k0] + s[k1] >= 1"),
    (half_is_left, "s[k0] + s[k1] <= 1"),
]


@pytest.mark.parametrize(("mutate", "formula"), MUTANTS)
def test_mutants_are_caught(
    mutate: Any, formula: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert differential.agree(0, tmp_path, telling(formula)) == 3
    mutate(monkeypatch)
    with pytest.raises((AssertionError, Defect)):
        differential.agree(0, tmp_path, telling(formula))


def formulas_only(seed: int) -> Case:
    """A random case with its formulas and a short log."""
    case = Case.random(seed)
    protect = {
        name: entry
        for name, entry in case.protect.items()
        if name.startswith(("own", "named"))
    }
    return replace(case, protect=protect, log=case.log[:2])


def test_formulas_agree_with_every_world(tmp_path: Path) -> None:
    assert (
        sum(
            differential.agree(seed, tmp_path, formulas_only(seed))
            for seed in range(500, 506)
        )
        > 20
    )
