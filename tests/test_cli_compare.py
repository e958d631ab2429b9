"""``phverify compare`` and ``phverify lint`` as a user meets them: text, JSON, exit
codes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phverify.cli.main import main

POLICY = """
[columns]
quasi = ["zip"]
sensitive = ["income", "health"]
[secrets]
"*" = ["income = '100K' or health = 2"]
[rules]
"""
DIVERSE = (
    POLICY + 'income = "l_diversity(income, 2)"\nhealth = "l_diversity(health, 2)"\n'
)
SAFE = POLICY + 'safe = "logical_safety()"\n'


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "diverse.toml").write_text(DIVERSE, encoding="utf-8")
    (tmp_path / "safe.toml").write_text(SAFE, encoding="utf-8")
    (tmp_path / "table.csv").write_text(
        "zip,income,health\n1,100K,2\n2,30K,1\n", encoding="utf-8"
    )
    return tmp_path


def test_implies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "entropy_l_diversity(s,3)", "l_diversity(s,3)"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "IMPLIES  entropy_l_diversity(s,3)  =>  l_diversity(s,3)"
    assert "any number of rows, of classes and of values" in lines[2]


def test_implies_within_a_bound(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two values are all that entropy log 2 needs; with three, one may be frequent."""
    rules = ["entropy_l_diversity(income,2)", "alpha_k_anonymity(income,1/2,1)"]
    assert main(["compare", *rules, "--values", "2", "--json", "out.json"]) == 0
    assert capsys.readouterr().out.startswith(
        "IMPLIES up to 2 values of income  entropy"
    )
    data = json.loads((files / "out.json").read_text(encoding="utf-8"))
    assert (data["verdict"], data["up_to"], data["values"]) == (
        "implies",
        "2 values of income",
        {"income": 2},
    )
    assert main(["compare", *rules, "--table", "table.csv"]) == 0
    assert capsys.readouterr().out.startswith(
        "IMPLIES up to 2 values of income  entropy"
    )
    assert main(["compare", *rules]) == 1


def test_separated(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "l_diversity(s,3)", "entropy_l_diversity(s,3)"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("SEPARATED  ")
    assert "has 4 rows" in out
    assert "d4  A" in out
    assert "REFUTED  second: entropy_l_diversity(s, 3)" in out
    assert "the entropy is below log 3" in out


def test_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    """Two ways of saying the same, of which the second speaks of everybody inside."""
    rule = "forall i: exists j: (@i ~j & @i <a1> j)"
    assert main(["compare", "k_anonymity(2)", rule, "--budget", "1"]) == 3
    out = capsys.readouterr().out
    assert out.startswith("UNDECIDED  ")
    assert "the budget of 1 s ran out" in out
    assert "No table with at most" in out


def test_equivalent(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["compare", "k_anonymity(3)", "forall i: l_a1(i) <= 1/3", "--equivalent"])
        == 0
    )
    assert capsys.readouterr().out.splitlines()[-1] == "EQUIVALENT"
    assert main(["compare", "l_diversity(s, 2)", "k_anonymity(2)", "--equivalent"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "SEPARATED: not equivalent"


def test_example_3(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "diverse.toml", "safe.toml", "--json", "out.json"]) == 1
    out = capsys.readouterr().out
    assert "l_a1(income = 100K | health = 2) = 1" in out
    data = json.loads((files / "out.json").read_text(encoding="utf-8"))
    assert data["verdict"] == "separated"
    assert len(data["table"]) == 2
    assert data["reports"][0]["verdict"] == "proved"
    assert data["reports"][1]["verdict"] == "refuted"


def test_json_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "k_anonymity(3)", "k_anonymity(2)", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "implies"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["k_anonymity(2)"], "needs two formulas or policies"),
        (["k_anonymity(2", "k_anonymity(2)"], "the formula ends too early"),
        (["k_anonimity(2)", "k_anonymity(2)"], "did you mean 'k_anonymity'"),
        (["nothing.toml", "k_anonymity(2)"], "there is no such file"),
        (["logical_safety()", "k_anonymity(2)"], "there are no [secrets]"),
        (
            ["k_anonymity(2)", "k_anonymity(3)", "--values", "0"],
            "--values: is a whole number above 0",
        ),
        (
            ["k_anonymity(2)", "k_anonymity(3)", "--budget", "no"],
            "--budget: is a number of seconds",
        ),
        (
            ["k_anonymity(2)", "t_closeness(s, 1/2, distance=hierarchical)"],
            "needs a hierarchy for 's'",
        ),
        (["s < x", "k_anonymity(2)"], "the order of the values of 's' is not clear"),
        (["@i1 s = x", "@'Ann' s = x"], "individuals are called in two ways"),
        (["k_anonymity(2)", "--matrix"], "takes no formulas"),
        (["[a3] s = x", "k_anonymity(2)"], "unknown agent 'a3'"),
    ],
)
def test_bad_input(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_policies_that_do_not_fit_together(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "other.toml").write_text(SAFE.replace('"zip"', '"age"'), encoding="utf-8")
    assert main(["compare", "safe.toml", "other.toml"]) == 2
    assert "different quasi-identifiers" in capsys.readouterr().err


def test_lint(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "diverse.toml"]) == 1
    out = capsys.readouterr().out
    assert "unprotected: secrets.*" in out
    assert (
        "no rule protects income = '100K' or health = 2: it may become certain of"
        " anyone" in out
    )
    (files / "clean.toml").write_text(
        DIVERSE.partition("[secrets]")[0] + DIVERSE[DIVERSE.index("[rules]") :]
    )
    assert main(["lint", "clean.toml"]) == 0
    assert capsys.readouterr().out.startswith("CLEAN  clean.toml: 2 rules")
    assert (
        main(["lint", "safe.toml", "--table", "table.csv", "--json", "lint.json"]) == 0
    )
    (files / "vacuous.toml").write_text(
        SAFE + 'one = "k_anonymity(1)"\n', encoding="utf-8"
    )
    assert main(["lint", "vacuous.toml"]) == 1
    assert "  vacuous: one" in capsys.readouterr().out
    assert (
        json.loads((files / "lint.json").read_text(encoding="utf-8"))["verdict"]
        == "clean"
    )


def test_lint_bad_input(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "bad.csv").write_text("age,income,health\n1,100K,2\n", encoding="utf-8")
    assert main(["lint", "safe.toml", "--table", "bad.csv"]) == 2
    assert "there is no column 'zip'" in capsys.readouterr().err
    assert main(["lint", "absent.toml"]) == 2
