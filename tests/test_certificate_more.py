"""What the checker writes out is what all models say, in both directions; and forgeries
made from nothing.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bridge import large
from support.row_oracle import Rows
from support.strategies import RULES, fit, tables
from test_agreement import assumed, cases, questions
from test_certificate import Row, accepted, certified, sealed, written

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints.agree import smtlib
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded
from phverify.logic.printer import to_text
from phverify.spec import certificate as c
from phverify.spec import enumeration, farkas, shape
from phverify.spec import syntax as s
from phverify.spec.data import Refused, policy, sha256
from phverify.spec.models import Table
from phverify.spec.proofs import examined
from phverify.spec.rules import assumption, rule
from phverify.spec.syntax import Formula
from phverify.spec.system import System
from phverify.spec.witness import value
from phverify.verification import claims as make

# Whether a rule is valid, by the checker's systems and by all its models


def opened(release: Path, text: str) -> tuple[Formula, tuple[Formula, ...], Table]:
    """The rule ``rule`` of a policy, its assumptions, and the table."""
    rules = policy(text)
    claimed = {
        "release": {"sha256": sha256(release)},
        "original": None,
        "hierarchies": {},
    }
    data = c.opened(claimed, rules, release, None).data
    return (
        rule(rules, data, "rule"),
        tuple(assumption(rules, data, a) for a in rules.assumptions),
        Table(data),
    )


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


@cases(120)
@given(questions(4))
def test_systems_say_what_all_models_say(question: tuple[list[Row], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        release, file = written(Path(folder), *question)
        asked = opened(release, file.read_text(encoding="utf-8"))
        assert by_systems(*asked) == by_models(*asked)


@cases(200)
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


@cases(100)
@given(alike())
def test_classes_alike(question: tuple[list[Row], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        release, file = written(Path(folder), *question)
        asked = opened(release, file.read_text(encoding="utf-8"))
        assert by_systems(*asked) == by_models(*asked)


TWINS: list[Row] = [{"q": "x", "r": r, "f": f, "g": "0"} for r in "uvw" for f in "ab"]
MANY: list[Row] = [
    {"q": q, "r": r, "f": f, "g": "0"} for q in "xy" for r in "uvw" for f in "ab"
]
FOUR: list[Row] = [{"q": "x", "r": "u", "f": f, "g": "0"} for f in "aabb"]


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


@cases(60)
@given(questions(8))
def test_larger_tables(question: tuple[list[Row], str]) -> None:
    """Too many models to go through: the systems against the engine."""
    with tempfile.TemporaryDirectory() as folder:
        release, file = written(Path(folder), *question)
        asked = opened(release, file.read_text(encoding="utf-8"))
        assert by_systems(*asked) == (ph.verify(release, file).verdict == "proved")


# Forgeries from nothing: what the checker would count for a policy, whatever the policy
# is


def forged(
    release: Path, text: str, original: Path | None = None, **claims: Any
) -> dict[str, Any]:
    """A certificate that calls every rule proved by counting."""
    before = None
    if original is not None:
        before = {"sha256": sha256(original), "mapping": claims.pop("mapping")}
    claimed: dict[str, Any] = {
        "kind": shape.KIND,
        "format": shape.FORMAT,
        "version": "",
        "solvers": [],
        "policy": text,
        "release": {"sha256": sha256(release)},
        "original": before,
        "hierarchies": {},
        "assumptions": [],
        "rules": [],
        "proofs": {},
        "agreed": {},
        **claims,
    }
    rules = policy(text)
    data = c.opened(claimed, rules, release, original).data
    for name in rules.rules:
        rule(rules, data, name)
        claimed["rules"].append({"name": name, "verdict": "proved"})
    return sealed(json.loads(json.dumps(claimed)))


def files(folder: Path, **texts: str) -> Iterator[Path]:
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        yield folder / f"{name}.csv"


DAYS = (
    '[columns]\nquasi = ["day"]\nsensitive = ["f"]\n[types]\nday ='
    ' "date"\n[rules]\nrule = "@i1 day {}"\n'
)


@pytest.mark.parametrize("cell", ["20200101", " 2020-01-01", "2020-W01-3"])
@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        ("< '2020-06-01'", "proved"),
        (">= '2020-06-01'", "refuted"),
        ("> '2019-12-31'", "proved"),
    ],
)
def test_dates_are_compared_as_dates(
    cell: str, test: str, verdict: str, tmp_path: Path
) -> None:
    """A quasi-identifier keeps its spelling, and its texts are not in the order of its
    days.
    """
    (release,) = files(tmp_path, release=f"day,f\n{cell},a\n{cell},b\n")
    file = tmp_path / "policy.toml"
    file.write_text(DAYS.format(test), encoding="utf-8")
    report, _ = certified(release, file)
    assert report.verdict == verdict
    assert (verdict == "proved") == accepted(
        forged(release, file.read_text(encoding="utf-8")), release
    )


ORIGINAL = "q,f\n1,a\n2,b\n3,a\n4,b\n"
ONE = '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n'


def test_rows_in_order_have_one_mapping(tmp_path: Path) -> None:
    """1 and 2 became x; that 1 became y and 2, 3 x would explain the same table, with
    other people in its classes.
    """
    original, release = files(
        tmp_path, original=ORIGINAL, release="q,f\nx,a\nx,b\ny,a\ny,b\n"
    )
    text = f'{ONE}[rules]\nrule = "@i1 q = y"\n'
    in_order = f'rows = "same order"\n{text}'
    right = {"q": [["1", "x"], ["2", "x"], ["3", "y"], ["4", "y"]]}
    other = {"q": [["1", "y"], ["2", "x"], ["3", "x"], ["4", "y"]]}
    with pytest.raises(Refused, match="row by row"):
        forged(release, in_order, original, mapping=other, rows="same order")
    in_order = in_order.replace("q = y", "q = x")
    said = forged(release, in_order, original, mapping=right, rows="same order")
    assert (
        "row k of the release is row k of the original, as the policy says"
        in c.check(said, release, original)
    )
    for mapping, value_ in ((right, "x"), (other, "y")):
        said = forged(
            release, text.replace("q = y", f"q = {value_}"), original, mapping=mapping
        )
        with pytest.raises(
            Refused, match=r"put i1 into different classes; .* rows = .same order."
        ):
            list(c.check(said, release, original))


def test_the_order_is_that_of_the_policy(tmp_path: Path) -> None:
    original, release = files(
        tmp_path, original=ORIGINAL, release="q,f\nx,a\nx,b\ny,a\ny,b\n"
    )
    right = {"q": [["1", "x"], ["2", "x"], ["3", "y"], ["4", "y"]]}
    text = f'{ONE}[rules]\nrule = "@i1 q = x"\n'
    for policy_, more in (
        (text, {"rows": "same order"}),
        (f'rows = "same order"\n{text}', {}),
    ):
        said = forged(release, policy_, original, mapping=right, **more)
        with pytest.raises(Refused, match="differ in what they say of the order"):
            list(c.check(said, release, original))
    said = forged(release, text, original, mapping=right)
    with pytest.raises(
        Refused, match="rows of the certificate is not written as 'same order'"
    ):
        list(c.check(sealed({**said, "rows": "any order"}), release, original))


def test_hierarchies_are_those_of_the_policy(tmp_path: Path) -> None:
    (release,) = files(tmp_path, release="q,f\nx,a\nx,b\ny,c\ny,d\n")
    text = f'{ONE}[rules]\nrule = "t_closeness(f, 1/2, distance=hierarchical)"\n'
    quoted = {"f": "".join(f"{value_};one;*\n" for value_ in "abcd")}
    with pytest.raises(Refused, match="just the hierarchies that the policy names"):
        list(
            c.check(
                forged(
                    release,
                    text.replace("hierarchical", "variational"),
                    hierarchies=quoted,
                ),
                release,
            )
        )
    held = text.replace("[rules]", '[hierarchies]\nf = "f.csv"\n[rules]')
    said = list(c.check(forged(release, held, hierarchies=quoted), release))
    (shown,) = [line for line in said if "hierarchy" in line]
    assert shown.startswith(
        "the hierarchy of 'f' is the certificate's own: 4 values, 2 levels, SHA-256 "
    )


@pytest.mark.parametrize(
    "line",
    [
        '"t = true: by counting\\n  ok  PROVED   anonymous = k_anonymity(5)" = "true"',
        '"anonymous = k_anonymity(5): by counting" = "true"',
        '"\\u001b[2J anonymous" = "true"',
        "anonymous = \"f = 'a\\u202e' | true\"",
        f'anonymous = "k_anonymity(5){" & true" * 20} | true"',
    ],
)
def test_what_is_shown_cannot_be_taken_for_something_else(
    line: str, tmp_path: Path
) -> None:
    (release,) = files(tmp_path, release="q,f\nx,a\u202e\nx,b\n")
    (said,) = [
        one
        for one in c.check(forged(release, f"{ONE}[rules]\n{line}\n"), release)
        if "PROVED" in one
    ]
    assert said.isprintable() and not said.startswith(
        "PROVED   anonymous = k_anonymity(5): by"
    )
    assert "true: by counting" in said.replace("| true", "true")


def test_assumptions_are_shown(tmp_path: Path) -> None:
    release, file = written(tmp_path, FOUR, "@i2 f = b", ["@i1 f = a", "@i3 f = a"])
    with large():
        said = list(c.check(certified(release, file)[1], release))
    assert "the assumptions can be met together: a0 = @i1 f = a; a1 = @i3 f = a" in said


# Farkas, witnesses, proofs


@pytest.mark.parametrize(
    "text",
    [
        "1e999999999",
        "1_0",
        " 1",
        "１",
        "+1",
        "01",
        "1/0",
        "0",
        "-1",
        "1.0",
        "2/2",
        "9" * 5000,
    ],
)
def test_fractions_that_are_none(text: str) -> None:
    with pytest.raises(Refused):
        farkas.fraction(text)


def test_both_sides_of_a_split_are_proved() -> None:
    half = System(((((2, 0),), -1), (((-2, 0),), 1)), ("x",))
    zero, one = ({"farkas": [[k, "1"]]} for k in (0, 1))
    assert farkas.refute(half, {"split": 0, "zero": zero, "one": one}) == 2
    for wrong in (
        {"zero": zero, "one": zero},
        {"zero": one, "one": one},
        {"zero": zero, "one": {}},
    ):
        with pytest.raises(Refused):
            farkas.refute(half, {"split": 0, **wrong})


def test_fractions() -> None:
    assert [str(farkas.fraction(text)) for text in ("1", "10", "3/7")] == [
        "1",
        "10",
        "3/7",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "forall c in clauses(f, 2), i: @i f = a",
        "forall c in clauses(f, 1), a in agents: i1",
        "forall c in clauses(g, 1), d in clauses(f, 1): @i1 d",
    ],
)
def test_a_clause_that_plays_no_part(text: str, tmp_path: Path) -> None:
    report, _ = certified(*written(tmp_path, FOUR, text))
    assert report.verdict == "refuted"


def test_clauses_of_a_witness(tmp_path: Path) -> None:
    release, file = written(tmp_path, FOUR, "i1")
    table = opened(release, file.read_text(encoding="utf-8"))[2]
    binder = s.Binder(s.Var("c"), "clauses", "f", 1)
    assert (
        value(binder, ["b"], table) == value(binder, 2, table) == s.among("f", ("b",))
    )
    wrong: tuple[Any, ...] = (
        [],
        ["a", "b"],
        ["a", "a"],
        ["x"],
        0,
        3,
        -1,
        True,
        "a",
        None,
        [["a"]],
    )
    for said in wrong:
        with pytest.raises((Refused, TypeError)):
            value(binder, said, table)
    for sort, odd in (
        ("individuals", (0, 5, -1, True, "1")),
        ("values", ("x", 1, None)),
        ("agents", ("me", 1)),
    ):
        for said in odd:
            with pytest.raises(Refused):
                value(s.Binder(s.Var("x"), sort, "f"), said, table)


def test_models_of_a_witness(tmp_path: Path) -> None:
    """Everybody once, on a row of the own class."""
    release, file = written(tmp_path, TWINS, "@i1 f = a")
    _, certificate = certified(release, file)
    (said,) = certificate["rules"]
    for place, world in (
        ([[1, 4], [4, 1]], 1),  # another class
        ([[1, 4]], 1),
        ([[1, 2], [2, 2]], 1),
        ([[1, 2], [1, 2]], 1),
        ([[0, 2]], 1),
        ([[1, 7]], 1),
        ([[1, 2]], 0),
        ([[1, 2]], -5),
        ([[1, 2]], 7),
        ([[True, 2]], 1),
    ):
        lie = {**said, "witness": {"world": world, "assignment": place, "path": []}}
        assert not accepted(sealed({**certificate, "rules": [lie]}), release), (
            place,
            world,
        )
    true = {**said, "witness": {"world": 6, "assignment": [[1, 2]], "path": []}}
    assert accepted(sealed({**certificate, "rules": [true]}), release)


def test_conjuncts_of_a_witness(tmp_path: Path) -> None:
    release, file = written(tmp_path, FOUR, "true & @i1 f = a")
    _, certificate = certified(release, file)
    (said,) = certificate["rules"]
    for path, fits in (
        ([1], True),
        ([], True),
        ([0], False),
        ([-1], False),
        ([True], False),
        ([1, 0], False),
    ):
        other = {**said, "witness": {**said["witness"], "path": path}}
        assert accepted(sealed({**certificate, "rules": [other]}), release) == fits, (
            path
        )


def test_a_witness_meets_all_assumptions(tmp_path: Path) -> None:
    release, file = written(tmp_path, FOUR, "@i2 f = b", ["@i3 f = a", "@i1 f = b"])
    _, certificate = certified(release, file)
    (said,) = certificate["rules"]
    for place, fits in (
        ([[2, 1], [3, 2], [1, 3]], True),
        ([[2, 1], [3, 3], [1, 4]], False),
        ([[2, 1], [3, 4]], False),
    ):
        other = {**said, "witness": {**said["witness"], "assignment": place}}
        assert accepted(sealed({**certificate, "rules": [other]}), release) == fits, (
            place
        )
    for met, fits in (
        ([[3, 1], [1, 3]], True),
        ([[3, 3], [1, 4]], False),
        ([[3, 1], [1, 2]], False),
    ):
        assert accepted(sealed({**certificate, "assumptions": met}), release) == fits, (
            met
        )


def test_no_proofs_are_left_of_a_rule_that_becomes_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several systems, of which the budget suffices for some."""
    release, file = written(
        tmp_path,
        FOUR,
        "(@i1 f = b | @i2 f = b | @i3 f = b) & (@i1 f = a | @i2 f = a | @i4 f = a)",
    )
    report = ph.verify(release, file)
    settle, seen = make.Maker.settle, list[str]()

    def once(self: Any, case: Any) -> None:
        seen.append(case.digest)
        if len(seen) > 1:
            raise BudgetExceeded("no time is left")
        settle(self, case)

    monkeypatch.setattr(make.Maker, "settle", once)
    monkeypatch.setattr(enumeration, "ROWS", 0)
    certificate = ph.certify(report, release, file)
    assert len(seen) > 1 and certificate["rules"][0]["verdict"] == "undecided"
    assert not certificate["proofs"]
    assert not accepted(certificate, release), "it claims nothing"


def test_nothing_superfluous(tmp_path: Path) -> None:
    release, file = written(tmp_path, FOUR, "@i1 f = b | @i2 f = b | @i3 f = b")
    _, certificate = certified(release, file)
    more: Mapping[str, Any] = {"0" * 64: {"farkas": [[0, "1"]]}}
    assert not accepted(
        sealed({**certificate, "proofs": {**certificate["proofs"], **more}}), release
    )
    assert not accepted(
        sealed(
            {
                **certificate,
                "proofs": {},
                "agreed": {k: [] for k in certificate["proofs"]},
            }
        ),
        release,
    )
    with large(), pytest.raises(Refused, match="there is no proof against it"):
        list(c.check(sealed({**certificate, "proofs": {}}), release))


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_criteria_about_a_quasi_identifier(distance: str, tmp_path: Path) -> None:
    release, _ = files(tmp_path, release="q,f\nx,a\nx,b\ny,c\ny,d\n", q="x,*\ny,*\n")
    for limit, verdict in (("1/2", "proved"), ("1/3", "refuted")):
        text = (
            f'{ONE}[hierarchies]\nq = "q.csv"\n[rules]\nrule = "t_closeness(q, {limit},'
            f' distance={distance})"\n'
        )
        (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
        report, _ = certified(release, tmp_path / "policy.toml")
        assert report.verdict == verdict
