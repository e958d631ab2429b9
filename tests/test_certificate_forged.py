"""Forged certificates of verify are refused, and witnesses meet what they must."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.bridge import large
from support.certificate_cases import accepted, certified, sealed, written
from support.certificate_more_cases import FOUR, TWINS, forged, opened

import phverify as ph
from phverify.errors import BudgetExceeded
from phverify.spec import certificate as c
from phverify.spec import enumeration, farkas
from phverify.spec import syntax as s
from phverify.spec.data import Refused
from phverify.spec.system import System
from phverify.spec.witness import value
from phverify.verification import claims as make


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


@pytest.mark.parametrize("item", [[0, 1], ["0", "1"], [0], [0, "1", "1"], [True, "1"], [0.0, "1"], {}, "0 1", [[0], "1"]])  # fmt: skip
def test_a_multiplier_is_a_number_and_a_fraction(item: Any, tmp_path: Path) -> None:
    release, file = written(tmp_path, FOUR, "@i1 f = b | @i2 f = b | @i3 f = b")
    _, certificate = certified(release, file)
    proofs = {name: {"farkas": [item]} for name in certificate["proofs"]}
    with large(), pytest.raises(Refused, match="a multiplier is not"):
        list(c.check(sealed({**certificate, "proofs": proofs}), release))


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
