"""What the tests of cli search have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import phverify.cli.main as cli

ROOT = str(Path(cli.__file__).resolve().parents[2])


TABLE = """person,age,zip,illness,note
Ann,34,12045,flu,a
Bob,36,12045,cold,b
Cid,47,12111,flu,c
Dee,45,12111,gout,d
Eve,52,13001,cold,e
Fay,59,13001,gout,f
Gus,71,13002,flu,g
Hal,78,13002,cold,h
"""


COLUMNS = (
    '[columns]\nquasi = ["age", "zip"]\nsensitive = ["illness"]\nneutral ='
    ' ["note"]\nidentifier = "person"\n'
)


HIERARCHIES = 'age = {intervals = [10, 20, 40]}\nzip = {masking = "right"}\n'


GOOD = 'anonymous = "k_anonymity(2)"\ndiverse = "l_diversity(illness, 2)"\n'


ALL = ("--output", "out.csv", "--certificate", "proof.json", "--json", "result.json")


Shown = tuple[int, str, str]


Run = Callable[..., Shown]


def policy(
    rules: str = GOOD,
    hierarchies: str = HIERARCHIES,
    columns: str = COLUMNS,
    more: str = "",
) -> None:
    head = f'{columns}[types]\nage = "integer"\n[hierarchies]\n{hierarchies}'
    Path("policy.toml").write_text(f"{head}{more}[rules]\n{rules}", encoding="utf-8")


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """One command in a folder of its own that holds table.csv and policy.toml."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    policy()

    def shown(verb: str, *arguments: str) -> Shown:
        code = cli.main([verb, *arguments, "--policy", "policy.toml"])
        return (code, *capsys.readouterr())

    return shown


def searched(run: Run, *more: str) -> Shown:
    return run("search", "table.csv", *more)


def files() -> set[str]:
    return {path.name for path in Path().iterdir()} - {
        "table.csv",
        "policy.toml",
        "zip.csv",
    }


LINES = ["12045;12*;*", "12111;12*;*", "13001;13*;*", "13002;13*;*"]
