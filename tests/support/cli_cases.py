"""What the tests of cli have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import phverify.cli.main as cli

FEW = "zip,age,health,pay\n1*,30,flu,10\n1*,30,cold,20\n2*,40,flu,30\n2*,40,gout,40\n3*,50,gout,10\n3*,50,gout,20\n"


COLUMNS = (
    '[columns]\nquasi = ["zip", "age"]\nsensitive = ["health", "pay"]\n[types]\npay ='
    ' "integer"\n'
)


GOOD, BAD = "k_anonymity(2)", "l_diversity(health, 2)"


ASKED = "forall i: @i l_a1(health = flu | i) <= 1"
"""A rule that grounding alone does not settle."""


Shown = tuple[int, str, str]


def policy(folder: Path, *, head: str = COLUMNS, **rules: str) -> Path:
    path = folder / "policy.toml"
    lines = "".join(
        f"{json.dumps(name)} = {json.dumps(text)}\n" for name, text in rules.items()
    )
    path.write_text(f"{head}[rules]\n{lines}", encoding="utf-8")
    return path


def release(folder: Path, text: str = FEW) -> Path:
    path = folder / "release.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    monkeypatch.chdir(tmp_path)

    def shown(*more: str, text: str = FEW, head: str = COLUMNS, **rules: str) -> Shown:
        table, held = release(tmp_path, text), policy(tmp_path, head=head, **rules)
        code = cli.main(["verify", str(table), "--policy", str(held), *more])
        return (code, *capsys.readouterr())

    return shown
