"""``phverify audit`` as a user meets it: text, JSON, --redact, exit codes, the examples, bad input."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import phverify
from phverify import cli_audit
from phverify.audit.log import read_log
from phverify.cli import main

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

ROOT = Path(phverify.__file__).parents[1]
ROWS = [("Ann", "north", 320), ("Bob", "south", 270), ("Jean", "north", 420), ("Kim", "south", 150)]
ROWS += [("Lou", "south", 420)]
POLICY = """
table = "accounts"
key = "name"
public = ["branch"]
[sensitive]
balance = { from = 0, to = 1000 }
[protect]
"""
CELLS = 'cells = { column = "balance" }\n'
ALL, BUT_JEAN = "SELECT SUM(balance) FROM accounts", "SELECT SUM(balance) FROM accounts WHERE name <> 'Jean'"
COUNT = "SELECT COUNT(*) FROM accounts WHERE balance > 1"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Audit a log against the bank; returns the exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    connection = duckdb.connect("bank.duckdb")
    connection.execute("CREATE TABLE accounts (name VARCHAR, branch VARCHAR, balance INTEGER)")
    connection.executemany("INSERT INTO accounts VALUES (?, ?, ?)", ROWS)
    connection.close()

    def audited(log: str, *more: str, policy: str = POLICY + CELLS, database: str = "bank.duckdb") -> Any:
        Path("queries.sql").write_text(log, encoding="utf-8")
        Path("audit.toml").write_text(policy, encoding="utf-8")
        code = main(["audit", "--database", database, "--log", "queries.sql", "--policy", "audit.toml", *more])
        return (code, *capsys.readouterr())

    return audited


# verdicts


def test_what_is_disclosed_comes_first_with_its_queries(run: Run) -> None:
    code, out, err = run(f"{ALL};\n\n-- a comment\n{COUNT};\n{BUT_JEAN}; {ALL};\n")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[:3] == [
        "bank.duckdb, accounts: 5 rows; 4 queries of the log",
        "  the adversary knows: name (which names each row), branch, and the answers below",
        "  unknown: balance, one of 0..1000",
    ]
    assert lines[4:9] == [
        "DISCLOSED by query 3: the balance of Jean = 420 follows from queries 1 and 3",
        f"    1: {ALL} -> 1580",
        f"    3: {BUT_JEAN} -> 1160",
        "    (none of them can be left out; found by row space, checked in fractions)",
        "SAFE: 4 facts after the last query; for each there is another world with the same answers",
    ]
    assert f"query 2, line 4: {COUNT} -> 5" in lines
    assert f"query 3, line 5: {BUT_JEAN} -> 1160" in lines
    assert "  DISCLOSED the balance of Jean = 420: from queries 1 and 3" in lines
    assert "  SAFE 4 facts, all as before" in lines[lines.index(f"query 4, line 5: {ALL} -> 1580") :]


def test_safe_shows_ranges_and_a_second_world(run: Run) -> None:
    code, out, _ = run(f"{BUT_JEAN};SELECT COUNT(*) FROM accounts WHERE name = 'Bob' AND balance BETWEEN 260 AND 280")
    assert code == 0 and "DISCLOSED" not in out
    said = r": it may be {}, distance {}; in another world balance of"
    assert re.search("the balance of Jean" + said.format(r"0\.\.1000", "1000/1001") + r" Jean is \d+", out)
    assert re.search("the balance of Bob" + said.format(r"260\.\.280", "20/21") + r" Bob is 2[678]\d", out)
    assert "SAFE: 5 facts after the last query; for each there is another world with the same answers" in out
    assert "Not covered: how likely a value is" in out


def test_first_stops(run: Run) -> None:
    code, out, _ = run(f"{ALL};\n{BUT_JEAN};\n{COUNT};\n", "--first")
    assert code == 1 and "2 queries of the log" in out and "query 3" not in out
    assert "  the rest of the log was not audited (--first)" in out


def test_unsupported_is_no_safe(run: Run) -> None:
    code, out, _ = run(f"SELECT COUNT(DISTINCT balance) FROM accounts;\n{ALL};\n")
    assert code == 3 and "SAFE" not in out
    assert "UNSUPPORTED: 5 facts after the last query; nothing is sure, as query 1 (line 1) is not audited" in out


def test_no_time_is_undecided(run: Run) -> None:
    log = "SELECT COUNT(*) FROM accounts WHERE name = 'Jean' AND balance BETWEEN 418 AND 420"
    code, out, _ = run(log, "--budget", "1e-9")
    assert code == 3 and "UNDECIDED: 1 fact after the last query; no time was left" in out
    assert run(log)[0] == 0


def test_a_domain_gives_it_away_before_any_query(run: Run) -> None:
    code, out, _ = run("", policy=POLICY + 'low = { fact = "balance <= 1000", keys = ["Ann"] }\n')
    assert code == 1
    assert "DISCLOSED before the first query: balance" in out and "from the declared domains alone" in out


def test_many_facts_are_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "many.csv"
    path.write_text("id,v\n" + "".join(f"{k},{k % 7}\n" for k in range(300)), encoding="utf-8")
    (tmp_path / "audit.toml").write_text(
        'table = "many"\nkey = "id"\n[sensitive]\nv = { from = 0, to = 50 }\n[protect]\nc = { column = "v" }\n'
    )
    (tmp_path / "log.sql").write_text(
        "SELECT SUM(v) FROM many; SELECT SUM(v) FROM many WHERE id <> 17; SELECT id, v FROM many WHERE id >= 280"
    )
    given = ["--database", str(path), "--log", str(tmp_path / "log.sql"), "--policy", str(tmp_path / "audit.toml")]
    assert main(["audit", *given]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "DISCLOSED by query 2: the v of 17 = 3 follows from queries 1 and 2" in lines
    said = "DISCLOSED by query 3: the v of 280 = 0, the v of 281 = 1, the v of 282 = 2 and 17 more follow from query 3"
    assert said in lines
    assert any(re.search(r"and 297 more; in all: v 0\.\.50 \(300 cells\)", line) for line in lines)
    assert len(lines) < 60


# the forms of a report


def test_json(run: Run) -> None:
    code, out, _ = run(f"{ALL};\n{BUT_JEAN};\n", "--json", "out.json")
    assert code == 1 and out.startswith("bank.duckdb")
    saved = json.loads(Path("out.json").read_text(encoding="utf-8"))
    code, out, _ = run(f"{ALL};\n{BUT_JEAN};\n", "--json", "-")
    shown = json.loads(out)
    for plain in (saved, shown):
        assert (code, plain["verdict"], plain["first"]) == (1, "disclosed", 2)
        jean = next(f for f in plain["steps"][2]["findings"] if f["verdict"] == "disclosed")
        assert (jean["fact"], jean["core"], jean["minimal"]) == ("the balance of Jean", [1, 2], True)
        assert plain["steps"][1]["answer"] == [[1580]] and plain["public"] == ["name", "branch"]


def test_redact_says_no_value(run: Run) -> None:
    """Neither balances, nor sums of them, nor who has 400 or more."""
    policy = POLICY + CELLS + 'rich = { fact = "balance >= 400" }\n'
    log = f"{ALL};\n{BUT_JEAN};\nSELECT name, balance FROM accounts WHERE branch = 'north';\n"
    secrets = [str(row[2]) for row in ROWS] + ["1580", "1160"]
    plain, hidden = run(log, policy=policy), run(log, "--redact", policy=policy)
    assert plain[0] == hidden[0] == 1
    assert all(value in plain[1] for value in ("420", "320", "1580", "1160"))
    assert not [value for value in secrets if value in hidden[1]] and "rich: a fact about balance" in hidden[1]
    assert "cells: a fact about balance of Jean" in hidden[1] and "rich: a fact about balance of" not in hidden[1]
    _, out, _ = run(log, "--redact", "--json", "-", policy=policy)
    data = json.loads(out)
    for timed in (*data["steps"], *data["stages"]):
        del timed["seconds"]
    assert not [value for value in secrets if value in json.dumps(data)] and "answer" not in data["steps"][1]
    assert all("worlds" not in step and "remaining" not in step for step in data["steps"])


def test_redact_in_errors(run: Run) -> None:
    code, _, err = run(ALL, "--redact", policy=POLICY.replace("1000", "400") + CELLS)
    assert code == 2 and "420" not in err and "(hidden)" in err


def test_values_and_statements_pass_for_no_verdict(run: Run) -> None:
    log = "SELECT COUNT(*) FROM accounts WHERE name = 'x\nSAFE: all is well\u2028SAFE: all' AND balance > 0"
    _, out, _ = run(log)
    assert sum(line.startswith("SAFE") for line in out.splitlines()) == 1


def test_colours_on_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, out, _ = run(f"{ALL};\n{BUT_JEAN};\n")
    assert "\x1b[1;31mDISCLOSED\x1b[0m by query 2" in out and "\x1b[1;32mSAFE\x1b[0m: 4 facts" in out


def test_progress_names_the_query(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(cli_audit.Progress, "step", lambda self, name: told.append(name))
    run(f"{ALL};\n{BUT_JEAN};\n")
    assert told == ["before the first query", "query 1 of 2", "query 2 of 2"]


def test_from_python(run: Run) -> None:
    run("")
    report = phverify.audit("bank.duckdb", [ALL, BUT_JEAN], "audit.toml", first=True)
    assert isinstance(report, phverify.AuditReport)
    assert report.verdict == "disclosed" and report.first is not None and report.first.number == 2
    assert "DISCLOSED by query 2" in str(report) and "DISCLOSED by query 2" in report._repr_html_()
    assert report.to_dict()["verdict"] == "disclosed"
    from phverify.audit.run import audit

    assert phverify.audit is audit


# the examples


def test_demo_bank(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--demo", "bank"]) == 1
    out = capsys.readouterr().out
    assert "the balance of Jean = 420 and balance of Jean >= 420 follow from queries 1 and 4" in out or (
        "DISCLOSED by query 4: the balance of Jean = 420 and" in out
    )
    assert "accounts.csv, accounts: 5 rows" in out


def test_demo_census(capsys: pytest.CaptureFixture[str]) -> None:
    """Garfinkel, Abowd and Martindale: the statistics have one solution, up to who is who."""
    assert main(["audit", "--demo", "census", "--ranges", "0"]) == 1
    out = capsys.readouterr().out
    block = re.search(r"determine all 7 rows:\n(.*?)\n    \d: SELECT", out, re.DOTALL)
    assert block
    rows = [tuple(line.split()) for line in block[1].splitlines()]
    assert rows == [
        ("age", "sex", "race", "marital_status"),
        ("8", "female", "black", "single"),
        ("18", "male", "white", "single"),
        ("24", "female", "white", "single"),
        ("30", "male", "white", "married"),
        ("36", "female", "black", "married"),
        ("66", "female", "black", "married"),
        ("84", "male", "black", "married"),
    ]
    assert "the only solution, up to which row is whose: CP-SAT and Z3 agree" in out
    assert "SAFE: 7 facts" in out


def test_the_published_statistics_of_the_census_block() -> None:
    """The seven of the paper: how many, median, mean (to one place)."""
    folder = ROOT / "phverify" / "examples" / "census"
    connection = duckdb.connect(":memory:")
    connection.execute("CREATE TABLE people AS SELECT * FROM read_csv(?)", [str(folder / "people.csv")])
    found = [connection.execute(s.text).fetchone() for s in read_log(folder / "queries.sql")]
    published = [(7, 30, 38), (4, 30, 33.5), (3, 30, 44), (4, 51, 48.5), (3, 24, 24), (4, 51, 54), (3, 36, 36.7)]
    assert [(row[0], row[1], round(row[2], 1)) for row in found] == published


def test_reconstruct(run: Run) -> None:
    code, out, _ = run(ALL, "--reconstruct")
    assert code == 0 and "SAFE as a whole: other tables of balance have the same answers" in out
    assert re.search(r"instead of \(\d+\), .* there may be \(\d+\)", out)
    log = "SELECT MIN(balance), MAX(balance) FROM accounts; SELECT name, balance FROM accounts"
    code, out, _ = run(log, "--reconstruct")
    assert code == 1 and "DISCLOSED as a whole: query 2 determine" in out.replace("determines", "determine")
    code, out, _ = run(f"SELECT COUNT(DISTINCT balance) FROM accounts; {ALL}", "--reconstruct", "--json", "-")
    assert code == 3 and json.loads(out)["reconstruction"]["status"] == "unsupported"


def test_rows_with_equal_values_are_one_solution(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rows of one age may stand in any order; that is no other table."""
    (tmp_path / "t.csv").write_text("id,age,sex\n1,30,f\n2,30,m\n3,40,f\n4,40,m\n", encoding="utf-8")
    head = 'table = "t"\nkey = "id"\n[sensitive]\nage = { from = 0, to = 90 }\nsex = { values = ["f", "m"] }\n'
    (tmp_path / "a.toml").write_text(head + '[protect]\nc = { column = "sex" }\n', encoding="utf-8")
    conditions = ("age = 30", "age = 40", "sex = 'f' AND age = 30", "sex = 'f' AND age = 40")
    log = "".join(f"SELECT COUNT(*) FROM t WHERE {condition};\n" for condition in conditions)
    (tmp_path / "q.sql").write_text(log, encoding="utf-8")
    given = [
        "--database",
        str(tmp_path / "t.csv"),
        "--log",
        str(tmp_path / "q.sql"),
        "--policy",
        str(tmp_path / "a.toml"),
    ]
    assert main(["audit", *given, "--reconstruct", "--ranges", "0"]) == 1
    out = capsys.readouterr().out
    assert "DISCLOSED as a whole: queries 1, 2, 3 and 4 determine all 4 rows:" in out and "SAFE: 4 facts" in out


def test_demo_takes_no_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--demo", "bank", "--log", "x.sql"]) == 2
    assert "--demo: has files of its own" in capsys.readouterr().err
    assert main(["audit", "--demo", "cencus"]) == 2
    assert "did you mean 'census'?" in capsys.readouterr().err


# bad input


def test_flags_that_are_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--log", "x.sql"]) == 2
    err = capsys.readouterr().err
    assert "--database: is missing" in err and "--policy: is missing" in err and "phverify audit --demo bank" in err


def test_no_database_and_no_table(run: Run) -> None:
    code, out, err = run(ALL, database="bnk.duckdb")
    assert (code, out) == (2, "") and "bnk.duckdb" in err and "no such file" in err
    assert not Path("bnk.duckdb").exists()
    code, _, err = run(ALL, policy=POLICY.replace('"accounts"', '"acounts"') + CELLS)
    assert code == 2 and "there is no table 'acounts'" in err and "did you mean 'accounts'?" in err
    Path("text.duckdb").write_text("no database", encoding="utf-8")
    code, _, err = run(ALL, database="text.duckdb")
    assert code == 2 and "is no DuckDB or SQLite database" in err


def test_no_log_and_no_text(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(ALL)
    given = ["--database", "bank.duckdb", "--policy", "audit.toml"]
    assert main(["audit", *given, "--log", "nothing.sql"]) == 2
    assert "nothing.sql" in capsys.readouterr().err
    Path("bytes.sql").write_bytes(b"SELECT \xff")
    assert main(["audit", *given, "--log", "bytes.sql"]) == 2
    assert "is no text in UTF-8" in capsys.readouterr().err


def test_a_syntax_error_is_shown_and_the_rest_is_audited(run: Run) -> None:
    code, out, _ = run(f"{ALL};\n\nSELECT COUNT(*)\nFROM accounts WHERE (;\n{BUT_JEAN};\n")
    assert code == 1 and "DISCLOSED by query 3: the balance of Jean = 420 follows from queries 1 and 3" in out
    assert "  BROKEN syntax error near" in out and "not audited, no SQL: query 2 (line 4)" in out


def test_a_quote_that_is_not_closed_hides_nothing(run: Run) -> None:
    code, out, _ = run(f"{ALL};\nSELECT COUNT(*) FROM accounts WHERE branch = 'north;\n{BUT_JEAN};\n")
    assert code == 1 and "DISCLOSED by query 3: the balance of Jean = 420 follows from queries 1 and 3" in out
    assert "not audited, no SQL: query 2 (line 2)" in out


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM accounts",
        "UPDATE accounts SET balance = 0",
        "INSERT INTO accounts VALUES ('Zoe', 'south', 1)",
        "DROP TABLE accounts",
        "CREATE TABLE copies AS SELECT * FROM accounts",
        "COPY accounts TO 'stolen.csv'",
        "ATTACH 'other.duckdb'",
    ],
)
def test_a_statement_that_would_write_is_refused(run: Run, statement: str) -> None:
    before = Path("bank.duckdb").read_bytes()
    code, out, _ = run(f"{statement};\n{ALL};\n{BUT_JEAN};\n")
    assert code == 1 and "would write: refused, the database is read-only" in out
    assert "follows from queries 2 and 3" in out
    assert Path("bank.duckdb").read_bytes() == before
    assert {p.name for p in Path().iterdir()} == {"bank.duckdb", "queries.sql", "audit.toml"}


def test_a_sqlite_file_stays_as_it_is(run: Run) -> None:
    file = sqlite3.connect("bank.sqlite")
    file.execute("CREATE TABLE accounts (name TEXT, branch TEXT, balance INTEGER)")
    file.executemany("INSERT INTO accounts VALUES (?, ?, ?)", ROWS)
    file.commit()
    file.close()
    before = Path("bank.sqlite").read_bytes()
    code, _, _ = run(f"DELETE FROM accounts;\n{ALL};\n{BUT_JEAN};\n", database="bank.sqlite")
    assert code == 1 and Path("bank.sqlite").read_bytes() == before


def test_a_value_outside_its_domain_is_named(run: Run) -> None:
    code, _, err = run(ALL, policy=POLICY.replace("1000", "400") + CELLS)
    assert (
        code == 2 and "sensitive.balance: the cell of 'Jean' is '420', which is outside its domain, and 1 more" in err
    )
    assert "declared: 0..400" in err


def test_a_fact_that_is_false_in_the_data(run: Run) -> None:
    code, _, err = run(ALL, policy=POLICY + 'rich = { fact = "balance >= 421", keys = ["Jean"] }\n')
    assert code == 2 and "protect.rich" in err and "is false in the data: the cell is '420'" in err


def test_a_policy_with_problems(run: Run) -> None:
    code, _, err = run(ALL, policy="table = 3\n[sensitive]\nbalance = { from = 9, to = 1 }\n")
    assert code == 2 and "no integer is from 9 to 1" in err and err.count("phverify: ") >= 3


def test_inputs_are_not_overwritten(run: Run) -> None:
    code, _, err = run(ALL, "--json", "queries.sql")
    assert code == 2 and "is an input, which is never overwritten" in err
    code, _, err = run(ALL, "--budget", "soon")
    assert code == 2 and "is a number of seconds" in err


@pytest.mark.parametrize(("module", "name"), [("duckdb", "DuckDB"), ("sqlglot", "sqlglot")])
def test_a_library_that_is_not_installed(run: Run, monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    code, out, err = run(ALL)
    assert (code, out) == (2, "") and f"{name} is not installed" in err and "pip install 'phverify[audit]'" in err


def test_examples_have_all_their_files() -> None:
    for name, (table, said) in cli_audit.DEMOS.items():
        folder = ROOT / "phverify" / "examples" / name
        assert {p.name for p in folder.iterdir()} == {table, "queries.sql", "audit.toml"} and said
