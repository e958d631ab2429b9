"""The page on what an audit takes says what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import phverify
from phverify.cli.main import main

PAGE = Path(phverify.__file__).parent.parent / "docs" / "audit-data.md"


def test_the_example_prints_what_is_shown(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not PAGE.exists():
        pytest.skip("installed without its documentation")
    page = PAGE.read_text(encoding="utf-8")
    blocks = dict(re.findall("```(csv|toml|sql)\n(.*?)```", page, re.DOTALL))
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(blocks["csv"])
    Path("audit.toml").write_text(blocks["toml"])
    Path("log.sql").write_text(blocks["sql"])
    command, *shown = page.split("```\n$ ")[1].split("```")[0].splitlines()
    assert main(command.split()[1:]) == 1
    printed = capsys.readouterr().out.splitlines()
    lines = [line for line in shown if line != ".."]
    # In their order; others may stand between them where two dots do.
    rest = iter(printed)
    for line in lines:
        assert line in rest, line


def test_two_tables_with_sensitive_columns_are_two_audits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the page shows one of them, and says how to write the other."""
    duckdb = pytest.importorskip("duckdb")
    if not PAGE.exists():
        pytest.skip("installed without its documentation")
    page = PAGE.read_text(encoding="utf-8")
    blocks = dict(re.findall("```(toml|sql) patients\n(.*?)```", page, re.DOTALL))
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("clinic.duckdb") as made:
        made.execute("CREATE TABLE patients (id VARCHAR, region VARCHAR, income INT)")
        made.execute("CREATE TABLE visits (number INT, id VARCHAR, diagnosis VARCHAR)")
        rows = "('a', 'north', 300), ('b', 'north', 200), ('c', 'south', 150)"
        made.execute(f"INSERT INTO patients VALUES {rows}, ('d', 'south', 700)")
        rows = "(1, 'a', 'flu'), (2, 'b', 'cold'), (3, 'c', 'cold')"
        made.execute(f"INSERT INTO visits VALUES {rows}")
    Path("clinic.sql").write_text(blocks["sql"])
    Path("patients.toml").write_text(blocks["toml"])
    other = 'table = "visits"\nkey = "number"\npublic = ["id"]\n'
    other += 'external = ["patients"]\n[sensitive]\n'
    other += 'diagnosis = { values = ["flu", "cold"] }\n'
    other += '[protect]\nill = { column = "diagnosis" }\n'
    Path("visits.toml").write_text(other)
    command = page.split("--policy patients.toml")[0].rsplit("$ phverify ")[-1].split()
    shown = page.split("--policy patients.toml\n")[1].split("```")[0].splitlines()
    assert main([*command, "--policy", "patients.toml"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in shown if line != ".." and line not in printed] == []
    assert main([*command, "--policy", "visits.toml"]) == 1
    assert "the diagnosis of 1 = flu" in capsys.readouterr().out
