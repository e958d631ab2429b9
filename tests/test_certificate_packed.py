"""That there can be no certificate of a packed or piped table is said before anything
is decided, with the command that makes a CSV file of it.
"""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import phverify as ph
from phverify.cli import verify as command
from phverify.cli.main import main

TABLE = "zip,s\n1,a\n1,b\n"
POLICY = """
[columns]
quasi = ["zip"]
sensitive = ["s"]
[rules]
two = "k_anonymity(2)"
"""
WHY = "a certificate is about CSV files, which its checker reads by itself"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "table.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    frame = pd.DataFrame({"zip": ["1", "1"], "s": ["a", "b"]})
    frame.to_parquet(tmp_path / "table.parquet")
    return tmp_path


def arguments(folder: Path, table: str, *more: str) -> list[str]:
    release = table if table == "-" else str(folder / table)
    policy = ["--policy", str(folder / "policy.toml")]
    certificate = ["--certificate", str(folder / "why.json")]
    return ["verify", release, *policy, *certificate, *more]


def unasked(*_: object, **__: object) -> None:
    pytest.fail("a rule is decided")


@pytest.mark.parametrize("table", ["table.csv.gz", "table.parquet", "-"])
def test_it_is_said_first(
    table: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "verify", unasked)
    assert main(arguments(folder, table)) == 2
    said = capsys.readouterr()
    assert WHY in said.err and not said.out
    other = ["--original", str(folder / "table.csv.gz")]
    assert main(arguments(folder, "table.csv", *other)) == 2
    assert WHY in capsys.readouterr().err


def test_the_command_makes_a_certificate_possible(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "table.csv").unlink()
    assert main(arguments(folder, "table.csv.gz")) == 2
    line = capsys.readouterr().err.strip().splitlines()[-1].strip()
    assert line.startswith("unpack it first: gzip -dc ")
    subprocess.run(line.removeprefix("unpack it first: "), shell=True, check=True)
    assert main(arguments(folder, "table.csv")) == 0
    assert (folder / "why.json").is_file()


def test_python_says_it_of_both_tables(folder: Path) -> None:
    policy = folder / "policy.toml"
    report = ph.verify(folder / "table.csv", policy)
    frame = pd.DataFrame({"zip": ["1", "1"], "s": ["a", "b"]})
    packed = folder / "table.csv.gz"
    with pytest.raises(ph.InputError) as error:
        ph.certify(report, frame, policy, packed)  # type: ignore[arg-type]
    places = [problem.where for problem in error.value.problems]
    assert places == ["release", str(packed)]
