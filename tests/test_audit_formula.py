"""Formulas over cells: what is read, what it means (twins), and how facts made of them
are judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import test_audit_sql as differential
from hypothesis import given
from hypothesis import strategies as st
from support.audit_oracle import Case

from phverify.constraints import terms as t
from phverify.disclosure import measure
from phverify.disclosure import protected as facts
from phverify.disclosure.connectives import (
    Both,
    Conjunction,
    Disjunction,
    Negation,
    Proposition,
)
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.facts.formula_parser import FormulaScope, parse
from phverify.disclosure.facts.taxonomy import from_table
from phverify.disclosure.policy_reader import load
from phverify.disclosure.result import AuditReport
from phverify.disclosure.worlds import conditions
from phverify.disclosure.worlds.unknowns import Coding, _cells
from phverify.errors import Defect, InputError
from phverify.verbs.audit import audit

duckdb = pytest.importorskip("duckdb")
F = Fraction
ILLNESS = {
    "ailment": {"viral": ["flu", "covid"], "others": ["cancer", "heart disease"]}
}
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


# what is read


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
    assert read("balance[a] > 1 or balance[b] > 1 and balance[c] > 1") == Disjunction(
        (a, Conjunction((b, c)))
    )
    assert read("(balance[a] > 1 or balance[b] > 1) and balance[c] > 1") == Conjunction(
        (Disjunction((a, b)), c)
    )
    assert read(
        "not balance[a] > 1 and balance[b] > 1 or balance[c] > 1"
    ) == Disjunction((Conjunction((Negation(a), b)), c))
    assert read(
        "not (not not balance[a] > 1 or balance[b] > 1) and balance[c] > 1"
    ) == Conjunction((Negation(Disjunction((Negation(Negation(a)), b))), c))


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


# what it means: evaluation and constraints are twins


SMALL = {
    "s": Domain(0, 2, null=True),
    "w": Domain(-1, 1),
    "u": Domain(values=("a", "b"), null=True),
}
CODINGS = {"s": Coding(SMALL["s"]), "w": Coding(SMALL["w"]), "u": Coding(SMALL["u"])}
CELLS = [f.FactCell(column, key) for column in SMALL for key in "xy"]
UNKNOWN = {
    f.FactCell(column, key): cell
    for place, column in enumerate(SMALL)
    for key, cell in zip("xy", _cells(place, CODINGS[column], 2), strict=True)
}
numbers = st.sampled_from([cell for cell in CELLS if cell.column != "u"])
texts = st.sampled_from([cell for cell in CELLS if cell.column == "u"])
linear = st.builds(
    f.LinearSide,
    st.lists(st.tuples(st.integers(-2, 2), numbers), min_size=1, max_size=3).map(tuple),
    st.integers(-3, 3),
)
signs = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
alone = st.builds(f.LinearSide, st.tuples(st.tuples(st.just(1), texts)))
leaves = st.one_of(
    st.builds(
        f.CellComparison,
        linear,
        signs,
        linear | st.builds(f.LinearSide, st.just(()), st.integers(-3, 3)),
    ),
    st.builds(f.CellComparison, alone, signs, alone | st.sampled_from("ab")),
    st.builds(f.Among, numbers, st.lists(st.integers(-1, 3), max_size=3).map(tuple)),
    st.builds(f.Among, texts, st.lists(st.sampled_from("ab"), max_size=2).map(tuple)),
    st.builds(f.Missing, numbers | texts),
)


def nested(inner: st.SearchStrategy[Proposition]) -> st.SearchStrategy[Proposition]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return (
        st.builds(Negation, inner)
        | st.builds(Conjunction, several)
        | st.builds(Disjunction, several)
    )


formulas = st.recursive(leaves, nested, max_leaves=5)
VALUES = {"s": [None, 0, 1, 2], "w": [-1, 0, 1], "u": [None, "a", "b"]}


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


# facts made of them


PEOPLE = [
    ("Ann", "N", 320, "flu"),
    ("Bob", "S", 270, "cancer"),
    ("Jean", "N", 420, "covid"),
    ("Jean Paul", "S", 150, None),
]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(tmp_path: Path) -> Path:
    """A database of the people."""
    path = tmp_path / "people.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute(
        "CREATE TABLE people (name VARCHAR, branch VARCHAR, balance INTEGER, illness"
        " VARCHAR)"
    )
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", PEOPLE)
    connection.close()
    return path


def policy(protect: dict[str, Any], **more: Any) -> dict[str, Any]:
    sensitive = {"balance": {"from": 0, "to": 1000}}
    sensitive["illness"] = {
        "values": ["cancer", "covid", "flu", "heart disease"],
        "null": True,
    }
    data = {
        "table": "people",
        "key": "name",
        "public": ["branch"],
        "sensitive": sensitive,
        "protect": protect,
    }
    return data | {"taxonomies": {"illness": ILLNESS}} | more


def verdicts(report: AuditReport) -> list[str]:
    return [finding.verdict for finding in report.steps[-1].findings]


def named(text: str) -> dict[str, Any]:
    return {"p": {"formula": text}}


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


# taxonomies


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


# mutants: a broken meaning is caught by the oracle


def not_of_unknown_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = conditions.terms

    def broken(formula: Proposition, unknown: Any) -> Both:
        if isinstance(formula, Negation):
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
