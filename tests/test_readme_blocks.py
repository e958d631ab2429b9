"""README's Python and TOML run on the files that a reader has, and give what they say."""

from __future__ import annotations

import ast
import re
import shutil
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from test_readme import EXAMPLES, blocks

import phverify as ph

PLACES = {"verify": "hospital", "search": "hospital", "anonymize": "hospital"}
PLACES |= {"audit": "bank", "reidentify": "reidentify", "compare_data": "hospital"}
"""By what a block calls first, whose files it is about."""
COMMENT = re.compile(r"^(?P<code>[^\s#].*?)  # (?P<value>.*)$")


def written(language: str) -> list[str]:
    texts = [text for one, text in blocks() if one == language]
    if not texts:
        pytest.skip("installed without its README")
    return texts


def placed(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a copy of the files that a block is about."""
    verb = re.findall(r"ph\.(\w+)\(", text)[0]
    example = EXAMPLES / PLACES[verb]
    shutil.copytree(example, folder, dirs_exist_ok=True)
    monkeypatch.chdir(folder)


def value(comment: str) -> Any:
    """What a comment says that a line gives; None where it says it in words."""
    said = comment.split("; ")[0]
    try:
        ast.parse(said, mode="eval")
        return eval(said, {"Fraction": Fraction})
    except (SyntaxError, NameError, TypeError):
        return None


def linkage() -> dict[str, Any]:
    """What recordlinkage and splink would have given for the shipped files."""
    original = pd.read_csv("people.csv", dtype=str)
    release = pd.read_csv("release.csv", dtype=str)
    original["unique_id"] = original["name"]
    release["unique_id"] = [f"r{row}" for row in range(len(release))]
    pairs = pd.MultiIndex.from_tuples([(row, row) for row in range(len(release))])
    chances = pd.Series([0.75] * len(release), index=pairs)
    predictions = pd.DataFrame(
        {
            "unique_id_l": release["unique_id"],
            "unique_id_r": original["unique_id"],
            "source_dataset_l": "release",
            "source_dataset_r": "original",
            "match_probability": 0.75,
        }
    )
    return {
        "classifier": SimpleNamespace(prob=lambda features: chances),
        "features": None,
        "predictions": predictions,
        "original": original,
        "release": release,
    }


@pytest.mark.parametrize("number", range(7))
def test_python_runs(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = written("python")[number]
    placed(text, tmp_path, monkeypatch)
    names: dict[str, Any] = {"ph": ph}
    if "from_splink" in text:
        names |= linkage()
    exec(text, names)
    checked = 0
    for line in filter(None, map(COMMENT.match, text.splitlines())):
        expected = value(line["value"])
        if expected is None:
            continue
        assert eval(line["code"], names) == expected, line["code"]
        checked += 1
    assert checked


def test_there_are_no_more_blocks() -> None:
    assert len(written("python")) == 7
    assert len(written("toml")) == 4


def test_the_policy_is_one_of_the_hospital(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed("ph.verify(", tmp_path, monkeypatch)
    Path("readme.toml").write_text(written("toml")[0], encoding="utf-8")
    report = ph.verify("release.csv", "readme.toml")
    verdicts = {rule.name: rule.verdict for rule in report.rules}
    assert verdicts == {
        "anonymous": "proved",
        "safe": "refuted",
        "not_both": "proved",
        "inferred": "refuted",
        "fair": "proved",
        "either": "refuted",
    }
    found = ph.search("original.csv", "readme.toml", budget=60)
    assert found.verdict == "optimal"


def test_the_policy_of_an_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """About the bank's accounts, with two columns and a table more."""
    placed("ph.audit(", tmp_path, monkeypatch)
    import duckdb

    with duckdb.connect("bank.duckdb") as database:
        database.execute(
            "CREATE TABLE accounts AS SELECT *, branch || 'ton' AS town,"
            " CASE WHEN name = 'Ann' THEN 'flu' END AS illness FROM 'accounts.csv'"
        )
        database.execute(
            "CREATE TABLE towns AS SELECT DISTINCT town, 7 AS people FROM accounts"
        )
    Path("readme.toml").write_text(written("toml")[1], encoding="utf-8")
    report = ph.audit(
        "bank.duckdb", ["SELECT SUM(balance) FROM accounts"], "readme.toml"
    )
    assert report.verdict == "safe"


def test_each_masking(tmp_path: Path) -> None:
    lines = written("toml")[2].splitlines()
    assert lines[0] == "[masking]"
    for line in lines[1:]:
        column = line.split(" = ")[0]
        head = f'[columns]\nquasi = ["{column}"]\n[rules]\nr = "true"\n[masking]\n'
        (tmp_path / "policy.toml").write_text(head + line, encoding="utf-8")
        assert ph.Policy.load(tmp_path / "policy.toml").masking, line
