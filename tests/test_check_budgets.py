"""``phverify check``: every rule must be proved, in time; other files are refused."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.certificate_cases import sealed
from support.certificate_more_cases import forged
from support.check_claims_cases import TWO, Desk, desk, two  # noqa: F401

import phverify as ph
from phverify import budget
from phverify.budget import OutOfTime, within
from phverify.cli.main import main
from phverify.errors import InputError
from phverify.microdata.hierarchy import Hierarchy


def run(
    desk: Desk,
    capsys: pytest.CaptureFixture[str],
    *more: str,
    release: str = "release.csv",
) -> tuple[int, str]:
    code = main(
        ["check", str(desk("cert.json")), "--release", str(desk(release)), *more]
    )
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def test_every_rule_of_the_policy_must_be_proved(
    two: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    own, policy = ["--policy", str(two("policy.toml"))], ["--require", "proved"]
    assert run(two, capsys)[0] == run(two, capsys, *own)[0] == 0
    code, shown = run(two, capsys, *own, *policy)
    assert (
        code == 1
        and shown.splitlines()[-1].startswith("UNMET: ")
        and "bad is refuted" in shown
    )
    code, shown = run(two, capsys, *policy)
    assert code == 2 and "its author's" in shown
    release = two("release.csv")
    half = ph.certify(
        ph.verify(release, two("policy.toml"), rules=["good"]),
        release,
        two("policy.toml"),
    )
    two.certificate(half)
    code, shown = run(two, capsys, *own, *policy)
    assert code == 1 and "bad is not spoken of" in shown
    alone = two("policy.toml", TWO.replace('bad = "k_anonymity(3)"\n', ""))
    two.certificate(ph.certify(ph.verify(release, alone), release, alone))
    code, shown = run(two, capsys, *own, *policy)
    assert code == 0 and shown.splitlines()[-1] == "ACCEPTED"
    two("policy.toml", TWO)
    assert run(two, capsys, *own, *policy)[0] == 1, (
        "its author dropped the rule that fails"
    )


def test_whose_policy_it_is_and_all_of_it(
    two: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    _, shown = run(two, capsys, "--policy", str(two("policy.toml")))
    assert (
        shown.splitlines()[0]
        == f"  ok  the policy is {str(two('policy.toml'))!r}, given with --policy"
    )
    _, shown = run(two, capsys)
    assert shown.splitlines()[0].startswith("  ok  the policy is the certificate's own")
    assert "  ok  type of f: a < b < c" in shown.splitlines()
    assert [line for line in shown.splitlines() if "secret of i" in line] == [
        f"  ok  secret of i{k}: f = b" for k in (1, 2, 3, 4)
    ]


def test_one_deadline_for_everything(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"x,{value}\n" for value in "abcdefghijklmnopqrst")
    release = desk("release.csv", f"q,f\n{rows}")
    nested = "".join(f"forall v{k} in f: " for k in range(9))
    body = " | ".join(f"f = v{k}" for k in range(9))
    text = (
        f'[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\nrule = "{nested}({body}'
        ' | true)"\n'
    )
    plain = text.replace(nested, "").replace(f"{body} | ", "")
    desk.certificate(sealed({**forged(release, plain), "policy": text}))
    code, shown = run(desk, capsys, "--budget", "0.5")
    assert (code, shown.splitlines()[-1]) == (
        3,
        "UNDECIDED: the budget of 0.5 s ran out",
    )
    desk.certificate(
        sealed({**forged(release, plain), "policy": text.replace("forall", "exists")})
    )
    code, shown = run(desk, capsys)
    assert code == 1 and "too many instances" in shown


def test_time_that_is_over_ends_any_loop() -> None:
    def forever() -> None:
        while True:
            with suppress(Exception):
                sum(range(1000))

    with pytest.raises(OutOfTime), within(0.05):
        forever()
    with within(1e9):
        assert sum(range(1000)) == 499500
    with within(None):
        pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_time_that_is_over_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python ignores whatever is raised inside a finalizer."""
    monkeypatch.setattr(budget, "AGAIN", 0.05)
    lost = []

    class Slow:
        def __del__(self) -> None:
            end = time.monotonic() + 5
            while time.monotonic() < end:
                lost.append(None)

    with pytest.raises(OutOfTime), within(0.05):
        thing: Slow | None = Slow()
        thing = None
        while thing is None:
            sum(range(1000))
    assert lost


@pytest.mark.parametrize("bad", [0, -3])
def test_budgets_that_are_none(bad: float, desk: Desk) -> None:
    with pytest.raises(InputError, match="above 0"):
        ph.check(
            {"kind": "phverify certificate of a verdict"},
            release=desk("r.csv"),
            budget=bad,
        )


@pytest.mark.parametrize(
    "rule",
    [
        "l_a1(f = a) < {}",
        "k_anonymity({})",
        "l_a1(f = a) < 1/{}",
        "l_a1(f = a) < 1e{}",
        "f = a | {}",
    ],
)
def test_long_numbers_are_refused_and_not_echoed(rule: str, desk: Desk) -> None:
    release = desk("release.csv", "q,f\nx,a\nx,a\n")
    text = (
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\nrule ='
        ' "k_anonymity(2)"\n'
    )
    for digits in ("9" * 3000, "9" * 9000, "9999"):
        other = text.replace("k_anonymity(2)", rule.format(digits))
        if len(digits) > 4 or "1e" in rule:
            found = ph.check(
                sealed({**forged(release, text), "policy": other}), release=release
            )
            assert not found.accepted and len(str(found)) < 2000


@pytest.mark.parametrize(
    "path", [("release", "sha256"), ("version",), ("rules", 0, "name"), ("rows",)]
)
def test_long_texts_of_digits_are_not_echoed(path: tuple[Any, ...], desk: Desk) -> None:
    release = desk("release.csv", "q,f\nx,a\nx,a\n")
    text = (
        '[columns]\nquasi = ["q"]\nsensitive = ["f"]\n[rules]\nrule ='
        ' "k_anonymity(2)"\n'
    )
    certificate = forged(release, text)
    place: Any = certificate
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = "9" * 5000
    assert len(str(ph.check(sealed(certificate), release=release))) < 2000


SEARCHED = """[columns]
quasi = ["age", "zip"]
sensitive = ["f"]
neutral = ["note"]
identifier = "who"
[types]
age = "integer"
[hierarchies]
age = {intervals = [10, 20]}
zip = "zip.csv"
[rules]
anonymous = "k_anonymity(2)"
"""


@pytest.fixture
def searched(desk: Desk) -> Desk:
    desk("zip.csv", "11;1*;*\n12;1*;*\n21;2*;*\n22;2*;*\n")
    desk(
        "table.csv",
        "who,age,zip,f,note\nA,21,11,a,p\nB,25,12,b,q\nC,31,21,a,r\nD,38,22,b,s\nE,39,22,c,t\n",
    )
    desk("policy.toml", SEARCHED)
    files = [str(desk("table.csv")), "--policy", str(desk("policy.toml"))]
    made = [
        "--output",
        str(desk("release.csv")),
        "--certificate",
        str(desk("cert.json")),
        "--shuffle",
        "3",
    ]
    assert main(["search", *files, *made]) == 0
    return desk


def checked(
    desk: Desk, *more: str, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[str]]:
    capsys.readouterr()
    files = ["--table", str(desk("table.csv")), "--policy", str(desk("policy.toml"))]
    code = main(["check", str(desk("cert.json")), *files, *more])
    return code, capsys.readouterr().out.splitlines()


def test_a_search_names_its_files(
    searched: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    said = json.loads(searched("cert.json").read_text())["files"]
    assert said == {
        name: hashlib.sha256(searched(file).read_bytes()).hexdigest()
        for name, file in (
            ("table", "table.csv"),
            ("policy", "policy.toml"),
            ("release", "release.csv"),
        )
    }
    code, lines = checked(searched, "--require", "proved", capsys=capsys)
    assert (
        code == 0
        and f"  ok  the released file has SHA-256 {said['release']}: with --release FILE it is compared"
        in lines
    )
    assert (
        lines[0]
        == f"  ok  the policy is {str(searched('policy.toml'))!r}, given with --policy"
    )
    assert "  ok  built again as the policy says: the hierarchy of 'age'" in lines
    code, lines = checked(
        searched, "--release", str(searched("release.csv")), capsys=capsys
    )
    assert (
        code == 0
        and "  ok  the released file holds these 5 records, in whatever order" in lines
    )
    assert "  ok  the files are those named by SHA-256: table, policy, release" in lines


def test_a_release_of_a_table_in_memory(tmp_path: Path) -> None:
    """Columns of the policy are compared; of others phverify alone knows."""
    frame = pd.DataFrame(
        {
            "q": [1, 2, 3, 4],
            "f": list("wxyz"),
            "day": pd.to_datetime(["2020-01-01"] * 4),
        }
    )
    tree = {
        "q": Hierarchy(
            "q",
            {str(k): (str(k), "low" if k < 3 else "high", "*") for k in (1, 2, 3, 4)},
        )
    }
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["q"], "sensitive": ["f"], "neutral": ["day"]},
            "rules": {"k": "k_anonymity(2)"},
        }
    )
    found = ph.search(frame, policy, tree)
    assert found.release is not None and found.certificate is not None
    file = tmp_path / "release.csv"
    found.release.to_csv(file, index=False)
    checked = ph.check(found.certificate, frame, policy, tree, release=file)
    assert (
        "the released file holds these 4 records, in whatever order; compared were"
        " 'q', 'f', 'day'" in checked.verified
    )
    found.release[["q", "day"]].to_csv(file, index=False)
    assert not ph.check(found.certificate, frame, policy, tree, release=file).accepted


@pytest.mark.parametrize("file", ["table.csv", "policy.toml", "release.csv", "zip.csv"])
def test_other_files_are_refused(
    file: str, searched: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    text = searched(file).read_text()
    searched(
        file,
        {
            "policy.toml": f"# mine\n{text}",
            "zip.csv": text.replace("12;1*", "12;2*"),
        }.get(file, f"{text}\n"),
    )
    code, lines = checked(
        searched, "--release", str(searched("release.csv")), capsys=capsys
    )
    assert code == 1 and lines[-1].startswith("REFUSED")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1*,a,p", "1*,b,p"),
        ("1*,a,p", "11,a,p"),
        ("note", "notes"),
        ("a,p\n", "a,p\n20-29,1*,a,p\n"),
        ("age,", "who,"),
    ],
)
def test_other_rows_are_refused(
    old: str, new: str, searched: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the certificate names the file that was given: its rows are compared
    with those of the candidate.
    """
    text = searched("release.csv").read_text()
    assert old in text
    other = searched("other.csv", text.replace(old, new))
    certificate = json.loads(searched("cert.json").read_text())
    certificate["files"]["release"] = hashlib.sha256(other.read_bytes()).hexdigest()
    searched.certificate(sealed(certificate))
    code, lines = checked(searched, "--release", str(other), capsys=capsys)
    assert code == 1 and "released file" in lines[-1]
