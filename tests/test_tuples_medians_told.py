"""Medians in place of ranges: forged certificates, the command line, the original."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.spec.certificate import digest

AGES = [31, 33, 32, 35, 47, 41, 48, 47]
ILL = ["flu", "cold", "flu", "cold"] * 2
APART = """[columns]
quasi = ["age", "x"]
sensitive = ["ill"]
[types]
age = "integer"
[rules]
few = "~k_anonymity(5)"
"""


# Forged


@dataclass(frozen=True)
class Certified:
    folder: Path
    certificate: dict[str, Any]

    def checked(self, **changed: Any) -> Any:
        claimed = {**self.certificate, **changed}
        claimed["digest"] = digest(claimed)
        return ph.check(
            claimed,
            table=self.folder / "t.csv",
            policy=self.folder / "p.toml",
            release=self.folder / "o.csv",
        )


POLICY = """[columns]
quasi = ["age"]
sensitive = ["ill"]
[types]
age = "integer"
[rules]
k = "k_anonymity(2)"
"""


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    folder = tmp_path_factory.mktemp("certified")
    pd.DataFrame({"age": AGES, "ill": ILL}).to_csv(folder / "t.csv", index=False)
    (folder / "p.toml").write_text(POLICY)
    arguments = [
        "search", str(folder / "t.csv"), "--policy", str(folder / "p.toml"),
        "--space", "tuples", "--publish", "median", "--budget", "1",
        "--output", str(folder / "o.csv"), "--certificate", str(folder / "c.json"),
    ]  # fmt: skip
    assert main(arguments) == 0
    return Certified(folder, json.loads((folder / "c.json").read_text()))


def test_the_certificate_is_accepted(certified: Certified) -> None:
    answer = certified.checked()
    assert answer.verdict == "accepted", answer
    assert "shown are medians of age" in str(answer).replace("'", "")
    assert "cost and bound are those of the boxes" in str(answer)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"publish": "range"}, "the rows of the released file are not"),
        ({"publish": "mean"}, "what is published is range or median"),
        ({"disjoint": True}, "boxes are called disjoint"),
        ({"splits": ["one tuple"] * 4}, "where medians are shown"),
    ],
)
def test_forged_claims_are_refused(
    certified: Certified, changed: Any, why: str
) -> None:
    files = {**certified.certificate["files"], "release": None}
    answer = certified.checked(files=files, **changed)
    assert answer.verdict == "refused"
    assert why in str(answer)


def test_a_forged_median_is_refused(certified: Certified) -> None:
    file = certified.folder / "o.csv"
    before = file.read_text()
    own = pd.read_csv(file)
    own.loc[0, "age"] = 33 if own.loc[0, "age"] != 33 else 35
    own.to_csv(file, index=False)
    try:
        files = {**certified.certificate["files"], "release": None}
        answer = certified.checked(files=files)
    finally:
        file.write_text(before)
    assert answer.verdict == "refused"
    assert "the rows of the released file are not" in str(answer)


# On the command line


def test_the_output_says_what_is_counted_how(
    certified: Certified, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = certified.folder
    capsys.readouterr()
    code = main(
        ["search", str(folder / "t.csv"), "--policy", str(folder / "p.toml"),
         "--space", "tuples", "--publish", "median", "--budget", "1"]
    )  # fmt: skip
    out = capsys.readouterr().out
    assert code == 0
    assert "age: 7 values, medians of ranges" in out
    assert "medians are shown in place of ranges: records that show" in out
    assert "no class can be split" not in out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--space", "tuples", "--publish", "mean"], "is range or median, not 'mean'"),
        (["--space", "tuples", "--publish", "median", "--disjoint"], "do not show"),
        (["--publish", "median"], "is about releases by tuples"),
    ],
)
def test_what_does_not_go_together_is_refused(
    certified: Certified,
    arguments: list[str],
    why: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = certified.folder
    given = ["search", str(folder / "t.csv"), "--policy", str(folder / "p.toml")]
    assert main([*given, *arguments]) == 2
    assert why in capsys.readouterr().err


def test_text_has_no_median() -> None:
    frame = pd.DataFrame({"q": list("abcd"), "ill": list("abab")})
    with pytest.raises(ph.InputError, match="no column of numbers"):
        ph.anonymize(frame, quasi=["q"], sensitive=["ill"], k=2, publish="median")


@pytest.mark.parametrize("order", ['rows = "same order"\n', ""])
def test_medians_generalize_nothing(
    tmp_path: Path, order: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = pd.DataFrame({"age": [1, 3, 3, 5], "x": list("aabb"), "ill": list("abab")})
    before.to_csv(tmp_path / "t.csv", index=False)
    before.assign(age=[1, 1, 3, 3]).to_csv(tmp_path / "o.csv", index=False)
    policy = APART.replace("~k_anonymity(5)", "k_anonymity(2)")
    (tmp_path / "q.toml").write_text(order + policy)
    arguments = [
        "verify",
        str(tmp_path / "o.csv"),
        "--policy",
        str(tmp_path / "q.toml"),
    ]
    assert main(arguments) == 0
    capsys.readouterr()
    assert main([*arguments, "--original", str(tmp_path / "t.csv")]) == 2
    assert "such as a median, is no generalization" in capsys.readouterr().err
