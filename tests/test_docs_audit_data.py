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
