"""``phverify audit`` on query histories: users, kept answers, columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.histories_cases import ACCOUNTS, ALL, BUT_JEAN, SENT, csv_text, written

from phverify.cli.main import main

pytest.importorskip("sqlglot")
POLICY = """
table = "accounts"
key = "name"
public = ["branch"]
[sensitive]
balance = { from = 0, to = 1000 }
[protect]
cells = { column = "balance" }
"""


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    monkeypatch.chdir(tmp_path)
    Path("accounts.csv").write_text(ACCOUNTS, encoding="utf-8")
    Path("audit.toml").write_text(POLICY, encoding="utf-8")
    written(tmp_path, "postgresql.csv", SENT)

    def audited(log: str, *more: str) -> tuple[int, str, str]:
        files = ["--database", "accounts.csv", "--policy", "audit.toml", "--log", log]
        code = main(["audit", *files, "--ranges", "0", *more])
        return (code, *capsys.readouterr())

    return audited


def test_users_of_a_csvlog(run: Any) -> None:
    code, out, _ = run("postgresql.csv")
    assert code == 1 and "DISCLOSED by query 5" in out
    assert "FAILED the log says that it failed" in out
    code, out, _ = run("postgresql.csv", "--user", "ann")
    assert code == 0 and "the log: left out: 1 statement of bob" in out
    for users in (["--user", "ann,bob"], ["--user", "ann", "--user", "bob"]):
        assert run("postgresql.csv", *users)[0] == 1
    code, _, err = run("postgresql.csv", "--user", "anne")
    assert code == 2 and "did you mean 'ann'" in err
    assert run("postgresql.csv", "--user", ",")[0] == 2


def test_columns_and_kept_answers(run: Any) -> None:
    rows = [["stmt", "rc"], [ALL, "0"], [BUT_JEAN, "0"]]
    Path("log.csv").write_text(csv_text(rows), encoding="utf-8")
    Path("kept.jsonl").write_text('{"query": 2, "rows": [[1161]]}', encoding="utf-8")
    code, _, err = run("log.csv")
    assert code == 2 and "--log-columns text=..,user=.." in err
    columns = ["--log-columns", "text=stmt,status=rc,ok=0"]
    assert run("log.csv", *columns)[0] == 1
    code, out, _ = run("log.csv", *columns, "--answers", "kept.jsonl")
    assert code == 3 and "it was answered '1161', and the table says '1160'" in out
    assert "answered otherwise than the table says: query 2 (line 3)" in out
    _, out, _ = run("log.csv", *columns, "--answers", "kept.jsonl", "--redact")
    assert "1161" not in out and "1160" not in out
    code, out, _ = run("log.csv", *columns, "--answers", "kept.jsonl", "--json", "-")
    assert json.loads(out)["steps"][2]["status"] == "contradicted"


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ("stmt", "'stmt' names no column"),
        ("txt=stmt", "unknown entry 'txt'"),
        ("text=a,text=b", "names text twice"),
    ],
)
def test_columns_that_are_none(columns: str, what: str, run: Any) -> None:
    code, _, err = run("postgresql.csv", "--log-columns", columns)
    assert code == 2 and what in err


def test_a_log_is_not_written_over(run: Any) -> None:
    Path("kept.jsonl").write_text('{"query": 1, "rows": [[1580]]}', encoding="utf-8")
    for name in ("postgresql.csv", "kept.jsonl"):
        code, _, _ = run("postgresql.csv", "--answers", "kept.jsonl", "--json", name)
        assert code == 2
