"""``phverify reidentify --redact`` shows counts, columns and structure, and neither a
value of the tables nor whom a record is; on the packaged files, in every output.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

import phverify as ph
from phverify.cli.main import main

ARGUMENTS = ["people.csv", "release.csv", "--policy", "policy.toml"]
Redacted = Callable[..., str]


@pytest.fixture
def redacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Redacted:
    """What a run with ``--redact`` prints, on both streams; no value may be in it."""
    monkeypatch.chdir(tmp_path)
    folder = files("phverify.examples").joinpath("reidentify")
    shutil.copytree(str(folder), tmp_path, dirs_exist_ok=True)
    secret = values("people.csv") | values("release.csv")

    def run(*more: str, code: int = 0) -> str:
        assert main(["reidentify", *ARGUMENTS, "--redact", *more]) == code
        captured = capsys.readouterr()
        text = captured.out + captured.err
        for value in secret | values("release.csv"):
            assert not re.search(rf"(?<![\w.,]){re.escape(value)}(?![\w.,%])", text)
        # how records are called is said of any six of them
        names = text.replace("or d1 to d6", "")
        assert not re.search(r"\b[di][1-9]\d*\b", names)
        assert not re.search(r"\brecord [1-9]", text)
        return text

    return run


def values(name: str) -> set[str]:
    """All cells of a table."""
    with Path(name).open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return {cell for row in rows for cell in row} - {"*"}


def rewrite(name: str, old: str, new: str) -> None:
    text = Path(name).read_text(encoding="utf-8")
    assert old in text
    Path(name).write_text(text.replace(old, new), encoding="utf-8")


def test_the_values_are_those_of_the_tables(redacted: Redacted) -> None:
    """The scan would find a leak: the same run unredacted names records."""
    result = ph.reidentify("people.csv", "release.csv", "policy.toml")
    assert "from Ann" in str(result)
    assert {"Ann", "23", "10427", "20-29"} <= values("people.csv") | values(
        "release.csv"
    )


def test_the_risk(redacted: Redacted) -> None:
    text = redacted()
    assert "Whoever knows age, zip can expect to link 2.33 of 6 records" in text
    data = json.loads(redacted("--json", "-"))
    assert data["attackers"][0]["fewest_candidates"] == 2
    assert "of_record" not in data["attackers"][0]


def test_who_is_singled_out_is_counted(redacted: Redacted) -> None:
    rewrite("release.csv", "20-29,104**,nurse", "29,104**,nurse")
    assert "1 record can come from one original only." in redacted()
    singled_out = json.loads(redacted("--json", "-"))["singled_out"]["linkage"]
    assert singled_out["combinations"][0] == {"attributes": ["age"], "records": 1}


def test_reasons_of_unsound_answers_are_counted(redacted: Redacted) -> None:
    text = redacted("--method", "links.csv", code=1)
    assert "UNSOUND  2 answers: more is given to another record than to" in text
    assert "UNSOUND: 2 of 3 answers" in text
    data = json.loads(redacted("--method", "links.csv", "--json", "-", code=1))
    assert sum(data["reasons"].values()) == data["unsound_records"] == 2
    assert data["unsound"] == data["undecided"] == []


def test_an_inferred_mapping_is_not_shown(redacted: Redacted) -> None:
    rewrite("release.csv", "20-29", "young")
    text = redacted()
    assert "age: nothing is declared; read by the mapping" in text


def test_a_record_that_cannot_come_from_its_original(redacted: Redacted) -> None:
    rewrite("release.csv", "20-29,104**,nurse", ">=40,104**,nurse")
    text = redacted(code=2)
    said = "release.csv, age: (hidden) cannot come from (hidden)"
    assert text.count(said) == 1
    assert "the release is no masking of the original" in text


def test_cells_that_say_nothing(redacted: Redacted) -> None:
    rewrite("release.csv", ">=40,104**,nurse", "4 or 5,104**,nurse")
    rewrite(
        "policy.toml", "[agents]", "[masking]\nage = {intervals = true}\n\n[agents]"
    )
    text = redacted(code=2)
    assert "release.csv, age: (hidden) is no value of the original" in text
    assert "say how the column was masked under [masking]" in text


@pytest.mark.parametrize(
    ("line", "said", "hint"),
    [
        ("d1,Anne,1", "there is no original record (hidden)", ""),
        ("d77,Ann,1", "there is no released record (hidden)", "released records are"),
        ("d1,Ann,-3", "(hidden) is negative", "are at least 0"),
        ("d1,Ann,Eve", "(hidden) is no number", "write 0.25, 1/4 or 25%"),
        ("d1,Ann,1/0", "(hidden) divides by zero", "write 0.25, 1/4 or 25%"),
        ("d1,Ann,2/3", "the numbers of (hidden) sum to 2/3, not to 1", "--pairwise"),
        ("d1,Ann,1\nd1,Ann,1", "(hidden) is linked to (hidden) twice", "once"),
    ],
)
def test_lines_that_mean_nothing(
    redacted: Redacted, line: str, said: str, hint: str
) -> None:
    lines = f"record,original,probability\n{line}\n"
    Path("links.csv").write_text(lines, encoding="utf-8")
    text = redacted("--method", "links.csv", code=2)
    assert said in text
    assert hint in text


def test_a_population_without_somebody(redacted: Redacted) -> None:
    rows = Path("people.csv").read_text(encoding="utf-8").splitlines()
    Path("town.csv").write_text("\n".join(rows[:4]) + "\n", encoding="utf-8")
    text = redacted("--population", "town.csv", code=2)
    assert "release.csv, a record: no record of the population can have" in text
