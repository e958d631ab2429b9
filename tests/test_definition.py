"""What formulas mean on the ground floor against Definition 4 read once more, and all
models against the quotient.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agreement_cases import assumed, questions
from support.bridge import large
from support.certificate_cases import Row, written
from support.row_oracle import Model, Rows
from support.so_many import so_many
from support.strategies import AGENTS, PLAIN, fit, tables

from phverify.budget import Deadline
from phverify.constraints.proofs import Prover
from phverify.errors import PhverifyError
from phverify.logic.printer import to_text
from phverify.spec import ground
from phverify.spec import syntax as s
from phverify.spec.data import Refused, policy, release_data
from phverify.spec.enumeration import models_examined
from phverify.spec.models import ReleaseModel, Table, models, placements
from phverify.spec.proofs import examined
from phverify.spec.rules import assumption, rule
from phverify.spec.schemas import expand
from phverify.spec.semantics import truth_set
from phverify.spec.separated import table as columns

Asked = tuple[s.Formula, tuple[s.Formula, ...], Table]


def asked(
    folder: Path, rows: list[Row], text: str, assumptions: list[str] | None = None
) -> Asked:
    """The rule and the assumptions of a policy, and the table."""
    release, file = written(folder, rows, text, assumptions or [])
    rules = policy(file.read_text(encoding="utf-8"))
    data = release_data(rules, columns(release, rules.columns), {})
    return (
        rule(rules, data, "rule"),
        tuple(assumption(rules, data, a) for a in rules.assumptions),
        Table(data),
    )


@so_many(100)
@given(questions(6), st.integers(0, 2**32))
def test_truth_at_each_row(question: tuple[list[Row], str], seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        formula, _, table = asked(Path(folder), *question)
    rows = Rows(question[0], AGENTS)
    where = list(range(len(question[0])))
    for home in table.classes:  # everybody somewhere in the own class
        for person, row in zip(
            home, random.Random(seed).sample(home, len(home)), strict=True
        ):
            where[person] = row
    found = truth_set(
        ReleaseModel(table, dict(enumerate(where))),
        expand(formula, table.data.signature),
        table.everything,
    )
    wanted = [Model(rows, where).true(formula, row, {}) for row in range(len(where))]
    assert [bool(found >> row & 1) for row in range(len(where))] == wanted


def by_looking(f: s.Formula, given_: tuple[s.Formula, ...], table: Table) -> bool:
    try:
        assert models_examined(f, given_, table) is not None
        return True
    except Refused:
        return False


@so_many(150)
@given(questions(5))
def test_looking_at_all_models(question: tuple[list[Row], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = asked(Path(folder), *question)
    assert by_looking(*found) == Rows(question[0], AGENTS).valid(found[0])


@so_many(150)
@given(assumed())
def test_looking_at_the_models_that_meet_the_assumptions(
    question: tuple[list[Row], str, list[str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = asked(Path(folder), *question)
    wanted = Rows(question[0], AGENTS).valid(found[0], found[1])
    assert by_looking(*found) == (wanted is not False)
    assert by_looking(s.FALSE, *found[1:]) == (wanted is None)


@so_many(75)
@given(assumed())
def test_the_quotient_says_what_the_models_say(
    question: tuple[list[Row], str, list[str]],
) -> None:
    """The systems that the checker writes for large tables, proved or not."""
    with tempfile.TemporaryDirectory() as folder:
        found = asked(Path(folder), *question)
    try:
        for case in examined(*found):
            if case is not None:
                Prover(case.system, Deadline(60)).proof()
        proved = True
    except PhverifyError:  # a defect for the prover: the system has a solution
        proved = False
    assert proved == by_looking(*found)


FOUR: list[Row] = [{"q": "x", "r": "u", "f": f, "g": "0"} for f in "aabb"]


def test_how_many_models_there_are(tmp_path: Path) -> None:
    _, _, table = asked(
        tmp_path, [*FOUR, {"q": "y", "r": "u", "f": "a", "g": "0"}], "true"
    )
    assert [
        placements(table, people)
        for people in ([], [0], [0, 3], [0, 1, 2, 3], [4], [1, 4])
    ] == [
        1,
        4,
        12,
        24,
        1,
        4,
    ]
    for people in ([], [0], [0, 3], [1, 4], [0, 1, 2, 3, 4]):
        found = [tuple(sorted(model.place.items())) for model in models(table, people)]
        assert len(found) == len(set(found)) == placements(table, people)
        assert all(
            table.cell_of["a1"][row] == table.homes[k]
            for place in found
            for k, row in place
        )


def test_what_is_too_much_to_look_at(tmp_path: Path) -> None:
    text = "forall i, j: @i f = a & @j f = a -> l_a1(f = a) <= 1/2"
    found = asked(tmp_path, FOUR, text)
    assert (
        models_examined(*found) == 4 * 4 + 12 * 12
    )  # four of one in four places, twelve of two in twelve
    with large():
        assert models_examined(*found) is None
    assert (
        models_examined(*asked(tmp_path, FOUR, "k_anonymity(4) & k_anonymity(2)")) == 0
    )
    with pytest.raises(Refused, match="it is false in a model, with i1 on d3"):
        models_examined(*asked(tmp_path, FOUR, "@i1 f = a"))
    many = " & ".join(["(exists v in f: forall w in f: f in {v, w})"] * 4000)
    assert models_examined(*asked(tmp_path, FOUR, many)) is None


@pytest.mark.parametrize(
    "text",
    [f"g {op} {value}" for op in ("=", "!=", "<", "<=", ">", ">=") for value in "012"],
)
def test_missing_numbers_have_no_place_in_an_order(text: str, tmp_path: Path) -> None:
    rows: list[Row] = [
        {"q": "x", "r": "u", "f": "a", "g": g} for g in ("0", "1", None, "2")
    ]
    formula, _, table = asked(tmp_path, rows, text)
    found = truth_set(ReleaseModel(table), formula, table.everything)
    wanted = [
        Model(Rows(rows, AGENTS), range(4)).true(formula, row, {}) for row in range(4)
    ]
    assert [bool(found >> row & 1) for row in range(4)] == wanted


def nobody(f: s.Formula) -> s.Formula:
    """The formula without those whom it names."""
    match f:
        case s.Nominal():
            return s.TRUE
        case s.At(_, body):
            return nobody(body)
    return s.rebuild(f, nobody)


@so_many(150)
@given(tables(6), PLAIN)
def test_what_names_nobody_is_looked_at_in_blocks(
    rows: list[Row], formula: s.Formula
) -> None:
    text = to_text(nobody(fit(formula, rows)))
    with tempfile.TemporaryDirectory() as folder, patch.object(ground, "BLOCK", 2):
        found, _, table = asked(Path(folder), rows, text)
        true = [row in ground.Ground(table).rows(found) for row in range(len(rows))]
        classes = range(len(table.classes))
        each = [
            ground.Ground(table).everywhere(found, range(number, number + 1))
            for number in classes
        ]
        assert ground.Ground(table).everywhere(found, classes) == all(true)
    assert true == [
        Model(Rows(rows, AGENTS), range(len(rows))).true(found, row, {})
        for row in range(len(rows))
    ]
    assert each == [all(true[row] for row in home) for home in table.classes]
