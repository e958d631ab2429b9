"""What the checker writes out is what all models say, in both directions; and forgeries
made from nothing.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agreement_cases import assumed, questions
from support.certificate_cases import Row, certified, written
from support.certificate_more_cases import FOUR, TWINS, opened
from support.row_oracle import Rows
from support.so_many import so_many
from support.strategies import RULES, fit, tables

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints.agree import smtlib
from phverify.constraints.solver import solve
from phverify.logic.printer import to_text
from phverify.spec.models import Table
from phverify.spec.proofs import examined
from phverify.spec.syntax import Formula


def by_systems(f: Formula, given_: tuple[Formula, ...], table: Table) -> bool:
    """Valid iff no system has a solution; a solver finds one where there is one."""
    left = [case.system for case in examined(f, given_, table) if case is not None]
    found = [solve(smtlib(system), Deadline(60)).status for system in left]
    assert set(found) <= {"sat", "unsat"}
    return "sat" not in found


def by_models(f: Formula, given_: tuple[Formula, ...], table: Table) -> bool | None:
    """Definition 4, row by row, in all models that meet the assumptions; None when
    there is none.
    """
    columns = table.data.columns
    rows = [
        {name: column[k] for name, column in columns.items()}
        for k in range(table.data.rows)
    ]
    return Rows(rows, table.data.agents).valid(f, given_)


@so_many(60)
@given(questions(4))
def test_systems_say_what_all_models_say(question: tuple[list[Row], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        release, file = written(Path(folder), *question)
        asked = opened(release, file.read_text(encoding="utf-8"))
        assert by_systems(*asked) == by_models(*asked)


@so_many(100)
@given(assumed())
def test_systems_with_assumptions(question: tuple[list[Row], str, list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        release, file = written(Path(folder), *question)
        asked = opened(release, file.read_text(encoding="utf-8"))
        expected = by_models(*asked)
        assert expected is None or by_systems(*asked) == expected


@st.composite
def alike(draw: st.DrawFn) -> tuple[list[Row], str]:
    """Classes that repeat and that every agent sees alike, so that they are decided
    together, and a rule.
    """
    part = draw(tables(2, missing=False))
    rows = [
        {**row, "q": "x", "r": r}
        for r in ("u", "v", "w")[: draw(st.integers(2, 3))]
        for row in part
    ]
    return rows[:6], to_text(fit(draw(RULES), rows[:6]))


@so_many(50)
@given(alike())
def test_classes_alike(question: tuple[list[Row], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        release, file = written(Path(folder), *question)
        asked = opened(release, file.read_text(encoding="utf-8"))
        assert by_systems(*asked) == by_models(*asked)


MANY: list[Row] = [
    {"q": q, "r": r, "f": f, "g": "0"} for q in "xy" for r in "uvw" for f in "ab"
]


@pytest.mark.parametrize(
    ("rows", "text", "assumptions"),
    [
        (
            TWINS,
            "forall i, j: @i f = a & @j f = a & ~@i j -> @i ~<a1> j",
            [],
        ),  # one class of many
        (TWINS, "forall i, j: @i f = a & @j f = a -> @i j", []),  # two classes alike
        (TWINS, "forall i, j: @i <a1> j -> l_a0(i | j) <= 1/6", []),
        (TWINS, "forall i, j, k: l_a0(i | j | k) <= 1/3", []),
        (TWINS, "forall i: l_half(f = a & ~i) >= 1/2", []),
        (TWINS, "forall i: @i l_a0(f = a & ~i) > 1/3", []),
        (TWINS, "@i1 (exists j: @j f = b & <a1> j)", []),
        (TWINS, "l_a0(i1 & f = a) = 0 | l_a0(f = b & ~i3) = 1/2", []),
        (MANY, "l_a0(f = b & ~i1) >= 5/12", []),
        (MANY, "l_a0(f = b & ~i1) <= 1/2", []),
        (MANY, "@i1 l_a0(f = b & ~i1) < 1/2", []),
        (MANY, "forall i: l_half(f = b & ~i) >= 1/3", []),
        (MANY, "forall i, j: @i <half> j | l_a0(f = a & ~i & ~j) >= 1/3", []),
        (
            FOUR[:1] + FOUR[2:3],
            "@i1 f = a",
            ["i1 | i2"],
        ),  # no row is left of those named
        (FOUR, "~(@i1 f = a & @i1 f = b)", []),
        (FOUR, "forall i: ~@i i1", []),  # false of somebody who is named
        (TWINS, "@i1 <a0> (f = b & ~i2)", []),  # true in other classes
        (TWINS, "@i1 l_a0(f = b & ~i2) >= 1/3", []),
        (TWINS, "exists j: ~<a1> j", []),
        (TWINS, "@i1 f = a", ["exists j: ~<a1> j & ~@j <a1> i1"]),
        (
            FOUR[:2] + TWINS[2:4],
            "@i1 f = a & @i3 f = a",
            [],
        ),  # other people, other classes
        (FOUR[:2] + TWINS[2:4], "forall i: @i f = a", []),
        (TWINS, "@i1 f = a", ["exists j: ~<a1> j"]),
        (TWINS, "@d1 ~i3", []),
        (FOUR, "forall c in clauses(f, 1): @i1 c -> l_a1(c & ~i1) <= 1/4", []),
        (FOUR, "exists i: exists j: @i f = a & @j f = b", []),
        (FOUR, "(exists j: @i2 j & ~@i1 j) & true", []),
        (FOUR, "@d1 ~i1", []),
        (FOUR, "@d1 i1 | @d1 ~i1", []),
        (FOUR, "abs(l_a1(i1 & f = a) - 1) >= 3/4", []),
        (FOUR, "@d1 (i1 | i2 | i3)", []),  # d1 may be empty of those named
        (FOUR, "@d1 (i1 | i2 | i3 | i4)", []),
        (FOUR, "@d1 i1 | @d2 i1 | @i1 f = b", []),
        (FOUR, "forall i: @d1 i -> l_a1(i & f = a) = 1/4", []),
        (FOUR, "@i1 f = b | @i2 f = b | @i3 f = b", []),  # a pigeonhole
        (FOUR, "@i1 f = b | @i2 f = b", []),
        (FOUR, "f = a | i1 | i2", []),  # false at a row of nobody who is named
        (FOUR, "forall i: exists j: @j f = a & ~@i j", []),
        (
            FOUR,
            "forall i: exists j, k: @j f = a & @k f = a & ~@j k & ~@i j & ~@i k",
            [],
        ),
        (
            FOUR[:3],
            "(exists j: ~j & @j f = b) | f = a",
            [],
        ),  # whoever is on this row is no other
        (FOUR[:3], "~(exists j: ~j & @j f = b) | f = a", []),
        (
            FOUR,
            "~((i1 & f = a & @i2 f = a & @i3 f = a) | (i4 & f = b))",
            [],
        ),  # not in the first way, in another
        (FOUR, "forall c in clauses(f, 1): l_a1(c) = 1/2", []),
        (FOUR, "forall c in clauses(f, 2): l_a1(c) = 1/2", []),
        (FOUR, "forall c in clauses(f, 1): @i1 c | @i2 c", []),
        (FOUR, "abs(l_a1(@i1 f = a) - l_a1(@i2 f = a) - 1/2) = 1/2", []),
        (FOUR, "-1/2 * abs(l_a1(i1 & f = a) - 1/4) >= -1/16", []),
        (FOUR, "-1 * abs(1/3 - l_a1(i1 & f = a)) >= -1/4", []),
        (FOUR, "@i1 f = a", ["forall i: @i f = b -> i -> ~i1"]),
        (FOUR, "@i1 f = a", ["forall i: @i i1 -> @i f = a"]),
        (FOUR, "@i2 f = b", ["@i1 f = a", "@i3 f = a"]),
        (FOUR, "@i2 f = b", ["@i3 f = a"]),
    ],
)
def test_one_by_one(
    rows: list[Row], text: str, assumptions: list[str], tmp_path: Path
) -> None:
    release, file = written(tmp_path, rows, text, assumptions)
    asked = opened(release, file.read_text(encoding="utf-8"))
    expected = by_models(*asked)
    assert expected is not None and by_systems(*asked) == expected
    report, _ = certified(release, file)
    assert report.verdict == ("proved" if expected else "refuted")


@so_many(30)
@given(questions(8))
def test_larger_tables(question: tuple[list[Row], str]) -> None:
    """Too many models to go through: the systems against the engine."""
    with tempfile.TemporaryDirectory() as folder:
        release, file = written(Path(folder), *question)
        asked = opened(release, file.read_text(encoding="utf-8"))
        assert by_systems(*asked) == (ph.verify(release, file).verdict == "proved")
