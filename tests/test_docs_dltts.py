"""The page on transition systems says what the program prints; its examples are so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import phverify
from phverify.cli.main import main

pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

ROOT = Path(phverify.__file__).parent.parent
EXAMPLE = re.compile(r"^(?P<code>[^\s#].*?)  # (?P<value>.*)$")


@pytest.fixture
def page() -> str:
    path = ROOT / "docs" / "dltts.md"
    if not path.exists():
        pytest.skip("installed without its documentation")
    return path.read_text(encoding="utf-8")


def test_the_page_shows_what_is_printed(
    page: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "--demo", "bank", "--dltts", "bank.dot"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    command = "$ phverify audit --demo bank --dltts bank.dot\n..\n"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{command}{last}\n" in page
    assert f"{command}{last}\n" in readme
    lines = Path("bank.dot").read_text(encoding="utf-8")
    shown = page.split("end of `bank.dot`:\n\n```\n")[1].split("```")[0]
    assert lines.endswith(shown)


def test_the_examples_of_the_page(page: str) -> None:
    """Every line with a comment gives the value that the comment says."""
    names: dict[str, Any] = {}
    checked = 0
    for block in re.findall("```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)
        for example in filter(None, map(EXAMPLE.match, block.splitlines())):
            if " = " not in example["code"].split("(")[0]:
                expected = eval(example["value"], names)
                assert eval(example["code"], names) == expected, example["code"]
                checked += 1
    assert checked == 10
