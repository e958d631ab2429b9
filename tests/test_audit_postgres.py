"""Audits of a real PostgreSQL server: read in one read-only transaction."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support import postgres_server
from support.postgres_server import PASSWORD, QUOTED

import phverify as ph
from phverify import budget
from phverify.budget import Deadline, alarmed
from phverify.cli.main import main
from phverify.disclosure.worlds.opening import open_database
from phverify.errors import BudgetExceeded, InputError
from phverify.errors.redaction import without_password

needed = pytest.mark.skipif(
    bool(postgres_server.missing()), reason=postgres_server.missing()
)
TABLES = """
CREATE TYPE state AS ENUM ('well', 'ill');
CREATE TABLE patients (
    id integer PRIMARY KEY, town text, born date, cost numeric(8, 2), fee numeric,
    s smallint, ill boolean, seen timestamp, state state, name text COLLATE "und-x-icu",
    code char(3), late timestamptz
);
INSERT INTO patients VALUES
    (1, 'north', '2000-02-29', 10.25, 1.5, 1, true, '2020-01-01', 'ill', 'b', 'a', now()),
    (2, 'north', '2000-03-01', 20.50, 2, 2, false, '2020-01-02', 'well', 'A', 'b', now()),
    (3, 'south', '2000-02-29', 30.00, 2.5, 3, NULL, '2020-01-03', 'ill', 'C', 'c', now());
CREATE TABLE towns (town text, region text);
INSERT INTO towns VALUES ('north', 'r'), ('south', 'q');
CREATE VIEW shown AS SELECT * FROM patients;
CREATE TABLE "Two" ("A" integer, a integer);
CREATE TABLE twice (id integer); CREATE TABLE "Twice" (id integer);
"""
DAY = datetime.date
DOMAINS: dict[str, Any] = {
    "born": {"from": DAY(2000, 2, 28), "to": DAY(2000, 3, 2)},
    "cost": {"from": 0, "to": 100, "step": Fraction(1, 4)},
    "fee": {"from": 0, "to": 3, "step": Fraction(1, 2)},
    "s": {"from": 0, "to": 5},
    "ill": {"values": [True, False], "null": True},
    "state": {"values": ["well", "ill"]},
    "name": {"values": ["A", "b", "C"]},
    "code": {"values": ["a  ", "b  ", "c  "]},
    "late": {"from": DAY(2020, 1, 1), "to": DAY(2030, 1, 1)},
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_server.server() as place:
        import psycopg

        with psycopg.connect(place) as connection:
            connection.execute(TABLES)  # type: ignore[call-overload]
        yield place


def policy(column: str, table: str = "patients") -> dict[str, Any]:
    return {
        "table": table,
        "key": "id",
        "public": ["town"],
        "external": ["towns"],
        "sensitive": {column: DOMAINS[column]},
        "protect": {"cells": {"column": column}},
    }


@needed
@pytest.mark.parametrize(
    ("column", "log", "verdicts"),
    [
        ("cost", ["SELECT SUM(cost) FROM patients WHERE town = 'south'"], "ssd"),
        (
            "cost",
            ["SELECT town, COUNT(*), AVG(cost) FROM patients GROUP BY town"],
            "ssd",
        ),
        ("fee", ["SELECT MAX(fee), COUNT(*) FROM patients WHERE id = 2"], "sds"),
        ("s", ["SELECT AVG(s), COUNT(s) FROM patients WHERE id <> 3"], "sss"),
        (
            "s",
            ["SELECT SUM(s) FROM patients JOIN towns USING (town) WHERE region = 'q'"],
            "ssd",
        ),
        (
            "born",
            ["SELECT COUNT(*) FROM patients WHERE born >= DATE '2000-03-01'"],
            "sss",
        ),
        ("born", ["SELECT MIN(born) FROM patients WHERE town = 'south'"], "ssd"),
        ("ill", ["SELECT COUNT(ill) FROM patients WHERE id = 3"], "ssd"),
        (
            "state",
            ["SELECT town, COUNT(*) FROM patients WHERE state = 'ill' GROUP BY town"],
            "ssd",
        ),
        ("name", ["SELECT COUNT(*) FROM patients WHERE name = 'b' AND id = 1"], "dss"),
    ],
)
def test_what_the_server_answered(
    url: str, column: str, log: list[str], verdicts: str
) -> None:
    report = ph.audit(url, log, policy(column), ranges=0)
    assert [step.reason for step in report.steps] == ["", ""]
    assert "".join(one.verdict[0] for one in report.steps[-1].findings) == verdicts
    assert PASSWORD not in str(report) and QUOTED not in report.source


@needed
@pytest.mark.parametrize(
    ("column", "statement", "reason"),
    [
        (
            "name",
            "SELECT MIN(name) FROM patients",
            "does not compare them by their bytes",
        ),
        ("name", "SELECT COUNT(*) FROM patients WHERE name <= 'A'", "(COLLATE)"),
        (
            "state",
            "SELECT MIN(state) FROM patients",
            "not declared in the order of its",
        ),
        (
            "s",
            "SELECT MEDIAN(s) FROM patients",
            "PostgreSQL, which keeps the table, has no",
        ),
        ("s", "DELETE FROM patients", "would write"),
    ],
)
def test_what_is_not_audited(
    url: str, column: str, statement: str, reason: str
) -> None:
    report = ph.audit(url, [statement, "SELECT COUNT(*) FROM patients"], policy(column))
    assert reason in report.steps[1].reason
    verdicts = {one.verdict for one in report.steps[-1].findings}
    assert verdicts <= {"unsupported", "undecided", "safe"}
    assert report.steps[1].status != "answered"


@needed
@pytest.mark.parametrize(
    ("table", "column", "message"),
    [
        (
            "patients",
            "code",
            "the domain is of texts and the column is character (Postg",
        ),
        ("patients", "late", "timestamp with time zone (PostgreSQL)"),
        ("shown", "s", "'shown' is a view, and tables are audited"),
        ("patient", "s", "there is no table 'patient'"),
        ("two", "s", "columns of 'Two' differ in case alone"),
        ("twice", "s", "are several tables, whose names differ in case"),
    ],
)
def test_what_does_not_fit(url: str, table: str, column: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        ph.audit(url, ["SELECT COUNT(*) FROM patients"], policy(column, table))
    assert message in str(raised.value)
    assert PASSWORD not in str(raised.value) and QUOTED not in str(raised.value)


@needed
def test_nothing_is_written(url: str) -> None:
    from phverify.disclosure.worlds.opening import open_database

    opened = open_database(url, "patients")
    reason = opened.server.contradicts("CREATE TABLE mine AS SELECT 1", [])  # type: ignore[union-attr]
    assert "read-only transaction" in reason


@needed
def test_the_end_of_a_budget_ends_a_statement_of_the_server(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "GRACE", 0.0)
    server = open_database(url, "patients").server
    assert server is not None
    with pytest.raises(BudgetExceeded), alarmed(Deadline(0.3)):
        server.execute("SELECT pg_sleep(600)")
    # and the transaction goes on
    assert server.execute("SELECT COUNT(*) FROM patients") == [(3,)]


@needed
def test_a_table_that_others_have_locked_is_not_waited_for_longer_than_the_budget(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path
) -> None:
    import psycopg

    monkeypatch.setattr(budget, "GRACE", 0.0)
    log = tmp_path / "log.sql"
    log.write_text("SELECT COUNT(*) FROM patients", encoding="utf-8")
    path = tmp_path / "audit.toml"
    path.write_text(
        'table = "patients"\nkey = "id"\nsensitive.s = { from = 0, to = 5 }\n'
        'protect.s = { column = "s" }\n',
        encoding="utf-8",
    )
    files = ["--log", str(log), "--policy", str(path)]
    with psycopg.connect(url) as other:
        other.execute("LOCK TABLE patients IN ACCESS EXCLUSIVE MODE")
        code = main(["audit", "--database", url, *files, "--budget", "0.5"])
        other.rollback()
    out, err = capsys.readouterr()
    assert (code, out) == (3, "")
    assert "the budget of 0.5 s ran out: nothing was decided" in err
    assert main(["audit", "--database", url, *files]) == 0


@needed
def test_the_password_is_in_no_output(url: str, tmp_path: Path, capsys: Any) -> None:
    log = tmp_path / "log.sql"
    log.write_text("SELECT SUM(s) FROM patients WHERE id = 1;")
    rules = tmp_path / "audit.toml"
    rules.write_text(
        'table = "patients"\nkey = "id"\n[sensitive]\ns = { from = 0, to = 5 }\n'
        '[protect]\ns = { column = "s" }\n'
    )
    page, plain = tmp_path / "page.html", tmp_path / "answer.json"
    options = ["--database", url, "--log", log, "--policy", rules]
    code = main(
        ["audit", *map(str, options), "--html", str(page), "--json", str(plain)]
    )
    assert code == 1
    printed = capsys.readouterr()
    for text in (printed.out, printed.err, page.read_text(), plain.read_text()):
        assert PASSWORD not in text and QUOTED not in text and "s3cret" not in text
    assert json.loads(plain.read_text())["database"]["source"].startswith(
        "postgresql://auditor@127.0.0.1:"
    )
    wrong = url.replace("s3cret", "s3cret2")
    assert main(["audit", *map(str, [*options[:1], wrong, *options[2:]])]) == 2
    printed = capsys.readouterr()
    assert "s3cret" not in printed.out + printed.err
    assert "is no PostgreSQL server that answers" in printed.err


@pytest.mark.parametrize(
    ("text", "url", "shown"),
    [
        ("postgresql://u:p@h/d", "", "postgresql://u@h/d"),
        ("postgresql://u:p@x/y:z@h/d", "", "postgresql://u@h/d"),
        ("postgresql://u@h:5432/d", "", "postgresql://u@h:5432/d"),
        (
            "postgresql://h/d?password=p&user=u",
            "",
            "postgresql://h/d?password=..&user=u",
        ),
        ("bad p@ss", "postgres://u:p%40ss@h/d", "bad .."),
        ("no URL: a:b@c", "", "no URL: a:b@c"),
    ],
)
def test_texts_without_passwords(text: str, url: str, shown: str) -> None:
    assert without_password(text, url) == shown
