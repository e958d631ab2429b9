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
    readme = (ROOT / "docs" / "reference" / "audit.md").read_text(encoding="utf-8")
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


def test_the_page_says_of_which_cells_deductions_are(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both balances follow; a fact names the cell of Ann, and none that of Bob."""
    monkeypatch.chdir(tmp_path)
    Path("accounts.csv").write_text(
        "name,balance\nAnn,705\nBob,707\n", encoding="utf-8"
    )
    policy = {
        "table": "accounts",
        "key": "name",
        "sensitive": {"balance": {"from": 0, "to": 1000}},
        "protect": {"rich": {"fact": "balance >= 500", "keys": ["Ann"]}},
    }
    total = "SELECT SUM(balance) FROM accounts"
    queries = [total, f"{total} WHERE name = 'Ann'"]
    report = phverify.audit("accounts.csv", queries, policy, ranges=5)
    follows = report.dltts().to_dict()["states"][-1]["follows"]
    assert [text for text in follows if "(" in text] == ["balance(Ann, 705)"]
    said = " ".join(page.split())
    assert "with one value left among those that a protected fact names" in said
    assert "(of other cells nothing is asked: name them in `[protect]`)" in said
    both = {**policy, "protect": {"rich": {"fact": "balance >= 500"}}}
    report = phverify.audit("accounts.csv", queries, both, ranges=5)
    follows = report.dltts().to_dict()["states"][-1]["follows"]
    cells = ["balance(Ann, 705)", "balance(Bob, 707)"]
    assert [text for text in follows if "(" in text] == cells
