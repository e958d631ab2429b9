"""``phverify audit`` and what is wrong with its input: files, logs, policies, flags."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest
from support.audit_bank import ALL, BUT_JEAN, CELLS, POLICY, ROWS, Run, auditor

from phverify.cli.main import main

pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    return auditor(tmp_path, capsys, monkeypatch)


def test_flags_that_are_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--log", "x.sql"]) == 2
    err = capsys.readouterr().err
    assert (
        "--database: is missing" in err
        and "--policy: is missing" in err
        and "phverify audit --demo bank" in err
    )


def test_no_database_and_no_table(run: Run) -> None:
    code, out, err = run(ALL, database="bnk.duckdb")
    assert (code, out) == (2, "") and "bnk.duckdb" in err and "no such file" in err
    assert not Path("bnk.duckdb").exists()
    code, _, err = run(ALL, policy=POLICY.replace('"accounts"', '"acounts"') + CELLS)
    assert (
        code == 2
        and "there is no table 'acounts'" in err
        and "did you mean 'accounts'?" in err
    )
    Path("text.duckdb").write_text("no database", encoding="utf-8")
    code, _, err = run(ALL, database="text.duckdb")
    assert code == 2 and "is no DuckDB or SQLite database" in err


def test_a_csv_file_says_nothing_of_the_name_of_its_table(run: Run) -> None:
    """With another name in the policy the queries fail here; that is not to say that
    they had no answer.
    """
    lines = [",".join(map(str, row)) for row in [("name", "branch", "balance"), *ROWS]]
    Path("bank.csv").write_text("\n".join(lines), encoding="utf-8")
    code, out, _ = run(f"{ALL};\n{BUT_JEAN};\n", database="bank.csv")
    assert code == 1
    code, out, _ = run(
        ALL,
        database="bank.csv",
        policy=POLICY.replace('"accounts"', '"acounts"') + CELLS,
    )
    assert code == 3 and "only queries about 'acounts' are audited, not accounts" in out
    assert 'is it the table? table = "accounts" in the policy' in out
    assert run("SELECT SUM(balanc) FROM accounts", database="bank.csv")[0] == 3


def test_a_value_that_is_no_node_is_told(run: Run) -> None:
    kind = (
        'kind = { values = ["flu", "cald"] }\n[taxonomies]\nkind = { a = ["flu",'
        ' "cold"] }\n[protect]\n'
    )
    policy = POLICY.replace("[protect]", kind)
    code, _, err = run(ALL, policy=policy + """viral = { fact = "kind below 'a'" }\n""")
    assert (
        code == 2
        and "taxonomies.kind: the value 'cald' is no node" in err
        and "did you mean 'cold'?" in err
    )
    more = """viral = { fact = "balance below 'a'" }\nfew = { column = "balance", left = "3" }\n"""
    code, _, err = run(ALL, policy=POLICY + more)
    assert (
        code == 2 and "there are no taxonomies" in err and "protects nothing" not in err
    )


def test_no_log_and_no_text(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(ALL)
    given = ["--database", "bank.duckdb", "--policy", "audit.toml"]
    assert main(["audit", *given, "--log", "nothing.sql"]) == 2
    assert "nothing.sql" in capsys.readouterr().err
    Path("bytes.sql").write_bytes(b"SELECT \xff")
    assert main(["audit", *given, "--log", "bytes.sql"]) == 2
    assert "is no text in UTF-8" in capsys.readouterr().err


def test_a_syntax_error_is_shown_and_the_rest_is_audited(run: Run) -> None:
    code, out, _ = run(
        f"{ALL};\n\nSELECT COUNT(*)\nFROM accounts WHERE (;\n{BUT_JEAN};\n"
    )
    assert (
        code == 1
        and "DISCLOSED by query 3 at the latest: the balance of Jean = 420 follows from"
        " queries 1 and 3"
        in out
    )
    assert (
        "  UNSUPPORTED syntax error near" in out
        and "not audited, not understood: query 2 (line 4)" in out
    )


def test_a_quote_that_is_not_closed_hides_nothing(run: Run) -> None:
    code, out, _ = run(
        f"{ALL};\nSELECT COUNT(*) FROM accounts WHERE branch = 'north;\n{BUT_JEAN};\n"
    )
    assert (
        code == 1
        and "DISCLOSED by query 3 at the latest: the balance of Jean = 420 follows from"
        " queries 1 and 3"
        in out
    )
    assert "not audited, not understood: query 2 (line 2)" in out


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
    assert {p.name for p in Path().iterdir()} == {
        "bank.duckdb",
        "queries.sql",
        "audit.toml",
    }


def test_a_sqlite_file_stays_as_it_is(run: Run) -> None:
    file = sqlite3.connect("bank.sqlite")
    file.execute("CREATE TABLE accounts (name TEXT, branch TEXT, balance INTEGER)")
    file.executemany("INSERT INTO accounts VALUES (?, ?, ?)", ROWS)
    file.commit()
    file.close()
    before = Path("bank.sqlite").read_bytes()
    code, _, _ = run(
        f"DELETE FROM accounts;\n{ALL};\n{BUT_JEAN};\n", database="bank.sqlite"
    )
    assert code == 1 and Path("bank.sqlite").read_bytes() == before


def test_a_value_outside_its_domain_is_named(run: Run) -> None:
    code, _, err = run(ALL, policy=POLICY.replace("1000", "400") + CELLS)
    assert (
        code == 2
        and "sensitive.balance: 2 cells are outside the domain; that of 'Jean' is '420'"
        in err
    )
    assert "declared: 0..400" in err


def test_a_fact_that_is_false_in_the_data(run: Run) -> None:
    code, _, err = run(
        ALL, policy=POLICY + 'rich = { fact = "balance >= 421", keys = ["Jean"] }\n'
    )
    assert (
        code == 2
        and "protect.rich: is false in the data: the cell is '420', and it says 'balance"
        in err
    )


def test_a_policy_with_problems(run: Run) -> None:
    code, _, err = run(
        ALL, policy="table = 3\n[sensitive]\nbalance = { from = 9, to = 1 }\n"
    )
    assert (
        code == 2
        and "no integer is from 9 to 1" in err
        and err.count("phverify: ") >= 3
    )


def test_inputs_are_not_overwritten(run: Run) -> None:
    Path("towns.csv").write_text("branch,town\nnorth,N\n", encoding="utf-8")
    Path("kinds.csv").write_text("north;any\nsouth;any\n", encoding="utf-8")
    more = (
        'c = { column = "branch" }\n[external]\ntowns = { file = "towns.csv"'
        ' }\n[taxonomies]\nbranch = "kinds.csv"\n'
    )
    policy = POLICY.replace('["branch"]', "[]") + more
    policy = policy.replace(
        "[protect]", 'branch = { values = ["north", "south"] }\n[protect]'
    )
    for name in (
        "queries.sql",
        "audit.toml",
        "bank.duckdb",
        "towns.csv",
        "./kinds.csv",
    ):
        code, _, err = run(ALL, "--json", name, policy=policy)
        assert code == 2 and "is an input, which is never overwritten" in err
    assert Path("kinds.csv").read_text(encoding="utf-8") == "north;any\nsouth;any\n"
    code, _, err = run(ALL, "--budget", "soon")
    assert code == 2 and "is a number of seconds" in err


@pytest.mark.parametrize(
    ("module", "name"), [("duckdb", "DuckDB"), ("sqlglot", "sqlglot")]
)
def test_a_library_that_is_not_installed(
    run: Run, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    code, out, err = run(ALL)
    assert (
        (code, out) == (2, "")
        and f"{name} is not installed" in err
        and "pip install phverify" in err
    )


def test_a_table_without_rows_has_no_types_in_csv(run: Run) -> None:
    Path("empty.csv").write_text("name,branch,balance\n", encoding="utf-8")
    code, _, err = run(ALL, database="empty.csv")
    assert code == 2 and "has no rows, and a CSV file without rows has no types" in err


def test_other_encodings_are_told_with_a_command(run: Run) -> None:
    rows = "name,branch,balance\nJürgen,north,420\n"
    Path("latin.csv").write_bytes(rows.encode("latin1"))
    code, _, err = run(ALL, database="latin.csv")
    assert code == 2
    assert "latin.csv: is no text in UTF-8\n    convert it, for example: iconv" in err


def test_a_log_of_another_encoding(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run(ALL)
    Path("latin.sql").write_bytes("SELECT 'ü'".encode("latin1"))
    files = ["--log", "latin.sql", "--policy", "audit.toml"]
    assert main(["audit", "--database", "bank.duckdb", *files]) == 2
    err = capsys.readouterr().err
    assert "no text in UTF-8" in err and "iconv -f latin1 -t utf-8 latin.sql" in err
