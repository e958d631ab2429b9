"""``phverify audit`` as a user meets it: text, JSON, --redact, exit codes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from support.audit_bank import ALL, BUT_JEAN, CELLS, COUNT, POLICY, ROWS, Run, auditor

import phverify
from phverify.cli import audit as cli_audit
from phverify.cli.main import main

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    return auditor(tmp_path, capsys, monkeypatch)


# verdicts


def test_what_is_disclosed_comes_first_with_its_queries(run: Run) -> None:
    code, out, err = run(f"{ALL};\n\n-- a comment\n{COUNT};\n{BUT_JEAN}; {ALL};\n")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[:3] == [
        "bank.duckdb, accounts: 5 rows; 4 queries of the log",
        (
            "  the adversary knows: name (which names each row), branch, and the"
            " answers below"
        ),
        "  unknown: balance, one of 0..1000",
    ]
    assert lines[4:9] == [
        "DISCLOSED by query 3: the balance of Jean = 420 follows from queries 1 and 3",
        f"    1: {ALL} -> 1580",
        f"    3: {BUT_JEAN} -> 1160",
        "    (none of them can be left out; found by row space, checked in fractions)",
        (
            "SAFE: 4 facts after the last query; for each there is another world with"
            " the same answers"
        ),
    ]
    assert f"query 2, line 4: {COUNT} -> 5" in lines
    assert f"query 3, line 5: {BUT_JEAN} -> 1160" in lines
    assert "  DISCLOSED the balance of Jean = 420: from queries 1 and 3" in lines
    assert (
        "  SAFE 4 facts, all as before"
        in lines[lines.index(f"query 4, line 5: {ALL} -> 1580") :]
    )


def test_safe_shows_ranges_and_a_second_world(run: Run) -> None:
    code, out, _ = run(
        f"{BUT_JEAN};SELECT COUNT(*) FROM accounts WHERE name = 'Bob' AND balance"
        " BETWEEN 260 AND 280"
    )
    assert code == 0 and "DISCLOSED" not in out
    said = r": it may be {}, distance {}; in another world balance of"
    assert re.search(
        "the balance of Jean"
        + said.format(r"0\.\.1000", "1000/1001")
        + r" Jean is \d+",
        out,
    )
    assert re.search(
        "the balance of Bob"
        + said.format(r"260\.\.280", "20/21")
        + r" Bob is 2[678]\d",
        out,
    )
    assert (
        "SAFE: 5 facts after the last query; for each there is another world with the"
        " same answers" in out
    )
    assert "Not covered: how likely a value is" in out


def test_first_stops(run: Run) -> None:
    code, out, _ = run(f"{ALL};\n{BUT_JEAN};\n{COUNT};\n", "--first")
    assert code == 1 and "2 queries of the log" in out and "query 3" not in out
    assert "  the rest of the log was not audited (--first)" in out


def test_unsupported_is_no_safe(run: Run) -> None:
    code, out, _ = run(f"SELECT unmask(balance) FROM accounts;\n{ALL};\n")
    assert code == 3 and "SAFE" not in out
    assert (
        "UNSUPPORTED: 5 facts after the last query; nothing is sure, as query 1 (line"
        " 1) is not audited" in out
    )


def test_a_transaction_says_nothing(run: Run) -> None:
    code, out, _ = run(f"BEGIN;\n{ALL};\nCOMMIT;\n{BUT_JEAN};\nROLLBACK;\n")
    assert (
        code == 1
        and "DISCLOSED by query 4: the balance of Jean = 420 follows from queries 2 and 4"
        in out
    )
    assert (
        out.count("  SILENT a transaction by itself says nothing") == 3
        and "SAFE: 4 facts" in out
    )


def test_no_time_is_undecided(run: Run) -> None:
    log = (
        "SELECT COUNT(*) FROM accounts WHERE name = 'Jean' AND balance BETWEEN 418"
        " AND 420"
    )
    code, out, _ = run(log, "--budget", "1e-9")
    said = (
        "UNDECIDED: 5 facts after the last query; the run was stopped before the first"
        " query: the budget of 1e-09 s"
    )
    assert (
        code == 3
        and said in out
        and "SAFE" not in out
        and "0 of 1 query of the log" in out
    )
    assert run(log)[0] == 0


def test_a_domain_gives_it_away_before_any_query(run: Run) -> None:
    code, out, _ = run(
        "BEGIN", policy=POLICY + 'low = { fact = "balance <= 1000", keys = ["Ann"] }\n'
    )
    assert code == 1
    assert (
        "DISCLOSED before the first query: balance" in out
        and "from the declared domains alone" in out
    )


def test_many_facts_are_summed_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "many.csv"
    path.write_text(
        "id,v\n" + "".join(f"{k},{k % 7}\n" for k in range(300)), encoding="utf-8"
    )
    (tmp_path / "audit.toml").write_text(
        'table = "many"\nkey = "id"\n[sensitive]\nv = { from = 0, to = 50'
        ' }\n[protect]\nc = { column = "v" }\n'
    )
    (tmp_path / "log.sql").write_text(
        "SELECT SUM(v) FROM many; SELECT SUM(v) FROM many WHERE id <> 17; SELECT id, v"
        " FROM many WHERE id >= 280"
    )
    given = [
        "--database",
        str(path),
        "--log",
        str(tmp_path / "log.sql"),
        "--policy",
        str(tmp_path / "audit.toml"),
    ]
    assert main(["audit", *given]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "DISCLOSED by query 2: the v of 17 = 3 follows from queries 1 and 2" in lines
    said = (
        "DISCLOSED by query 3: the v of 280 = 0, the v of 281 = 1, the v of 282 = 2 and"
        " 17 more follow from query 3"
    )
    assert said in lines
    assert any(
        re.search(r"and 297 more; in all: v 0\.\.50 \(300 cells\)", line)
        for line in lines
    )
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
        [jean] = plain["disclosed"]
        numbers = [one["query"] for one in jean["queries"]]
        assert plain["facts"][jean["fact"]]["fact"] == "the balance of Jean"
        assert numbers == [1, 2] and jean["minimal"]
        assert plain["steps"][1]["answer"] == [[1580]] and plain["public"] == [
            "name",
            "branch",
        ]


def test_redact_says_no_value(run: Run) -> None:
    """Neither balances, nor sums of them, nor who has 400 or more."""
    policy = POLICY + CELLS + 'rich = { fact = "balance >= 400" }\n'
    log = (
        f"{ALL};\n{BUT_JEAN};\nSELECT name, balance FROM accounts WHERE branch ="
        " 'north';\n"
    )
    secrets = [str(row[2]) for row in ROWS] + ["1580", "1160"]
    plain, hidden = run(log, policy=policy), run(log, "--redact", policy=policy)
    assert plain[0] == hidden[0] == 1
    assert all(value in plain[1] for value in ("420", "320", "1580", "1160"))
    assert (
        not [value for value in secrets if value in hidden[1]]
        and "rich: a fact about balance" in hidden[1]
    )
    assert (
        "cells: a fact about balance of Jean" in hidden[1]
        and "rich: a fact about balance of" not in hidden[1]
    )
    _, out, _ = run(log, "--redact", "--json", "-", policy=policy)
    data = json.loads(out)
    for timed in (*data["steps"], *data["stages"]):
        del timed["seconds"]
    assert (
        not [value for value in secrets if value in json.dumps(data)]
        and "answer" not in data["steps"][1]
    )
    assert "worlds" not in data
    assert not any("remaining" in step for step in data["steps"])


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            POLICY.replace("1000", "400") + CELLS,
            "sensitive.balance: 2 cells are outside the domain; that of (hidden) is (hidden)",
        ),
        (
            POLICY + 'rich = { fact = "balance >= 421", keys = ["Jean"] }\n',
            "protect.rich: is false in the data: the cell is (hidden), and it says (hidden)",
        ),
        (
            POLICY + 'rich = { fact = "balance >= 0", keys = ["Jen"] }\n',
            "protect.rich: no row has the key (hidden)",
        ),
        (
            POLICY.replace('"name"', '"branch"').replace('["branch"]', "[]") + CELLS,
            "the key branch must name each row once, and has (hidden) twice",
        ),
    ],
)
def test_redact_in_errors(run: Run, policy: str, said: str) -> None:
    """A sentence that ends where it would quote the data."""
    code, _, err = run(ALL, "--redact", policy=policy)
    assert code == 2 and not re.search("42[01]|Jean|south", err)
    assert [line.split("audit.toml")[1].lstrip(", :") for line in err.splitlines()] == [
        said.lstrip(", :")
    ]


def test_values_and_statements_pass_for_no_verdict(run: Run) -> None:
    log = (
        "SELECT COUNT(*) FROM accounts WHERE name = 'x\nSAFE: all is well\u2028SAFE:"
        " all' AND balance > 0"
    )
    _, out, _ = run(log)
    assert sum(line.startswith("SAFE") for line in out.splitlines()) == 1


def test_colours_on_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, out, _ = run(f"{ALL};\n{BUT_JEAN};\n")
    assert (
        "\x1b[1;31mDISCLOSED\x1b[0m by query 2" in out
        and "\x1b[1;32mSAFE\x1b[0m: 4 facts" in out
    )


def test_progress_names_the_query(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        cli_audit.Progress, "step", lambda self, name: told.append(name)
    )
    run(f"{ALL};\n{BUT_JEAN};\n")
    assert told == ["before the first query", "query 1 of 2", "query 2 of 2"]


def test_from_python(run: Run) -> None:
    run("BEGIN")
    report = phverify.audit("bank.duckdb", [ALL, BUT_JEAN], "audit.toml", first=True)
    assert isinstance(report, phverify.AuditReport)
    assert (
        report.verdict == "disclosed"
        and report.first is not None
        and report.first.number == 2
    )
    assert (
        "DISCLOSED by query 2" in str(report)
        and "The first was given away by query 2" in report._repr_html_()
    )
    assert report.to_dict()["verdict"] == "disclosed"
    from phverify.verbs.audit import audit

    assert phverify.audit is audit


def test_reconstruct(run: Run) -> None:
    code, out, _ = run(ALL, "--reconstruct")
    assert (
        code == 0
        and "SAFE as a whole: other tables of balance have the same answers" in out
    )
    assert re.search(
        r"there may be \((\d+)\) instead of \((?!\1)\d+\) for [A-Z]\w+, ", out
    )
    log = (
        "SELECT MIN(balance), MAX(balance) FROM accounts; SELECT name, balance FROM"
        " accounts"
    )
    code, out, _ = run(log, "--reconstruct")
    assert code == 1 and "DISCLOSED as a whole: query 2 determines all 5 rows" in out
    code, out, _ = run(
        f"SELECT unmask(balance) FROM accounts; {ALL}", "--reconstruct", "--json", "-"
    )
    assert code == 3 and json.loads(out)["reconstruction"]["status"] == "unsupported"


def test_of_an_empty_table_there_is_nothing_to_reconstruct(run: Run) -> None:
    with duckdb.connect("bank.duckdb") as connection:
        connection.execute("DELETE FROM accounts")
    code, out, _ = run(ALL, "--reconstruct")
    assert (
        code == 0
        and "SAFE as a whole: the table has no rows, so that there is nothing to reconstruct"
        in out
    )
    assert "SAFE: no fact is protected in this table" in out
    _, out, _ = run(ALL, "--reconstruct", "--json", "-")
    assert (
        json.loads(out)["verdict"],
        json.loads(out)["reconstruction"]["status"],
    ) == ("safe", "nothing")
