"""Query histories, written as the systems write them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

POLICY: dict[str, Any] = {
    "table": "accounts",
    "key": "name",
    "public": ["branch"],
    "sensitive": {"balance": {"from": 0, "to": 1000}},
    "protect": {"cells": {"column": "balance"}},
}
ACCOUNTS = "name,branch,balance\nAnn,north,320\nBob,south,270\nJean,north,420\n"
ACCOUNTS += "Kim,south,150\nLou,south,420\n"
ALL = "SELECT SUM(balance) FROM accounts"
BUT_JEAN = "SELECT SUM(balance) FROM accounts WHERE name <> 'Jean'"
WAGE = "SELECT SUM(wage) FROM accounts"


@dataclass(frozen=True)
class Sent:
    """A statement, who sent it, and its SQLSTATE where it failed."""

    text: str
    user: str = "ann"
    state: str = ""
    said: str = ""


NO_COLUMN = Sent(WAGE, "ann", "42703", 'column "wage" does not exist')
SENT = (
    Sent(ALL),
    Sent(
        "SELECT branch,\n  MAX(balance) -- a comment; of two\nFROM accounts\nGROUP BY branch"
    ),
    NO_COLUMN,
    Sent("SELECT COUNT(*) FROM accounts WHERE branch = 'a ''quoted'' \"name\"; x'"),
    Sent(BUT_JEAN, "bob"),
)


def csv_text(rows: Sequence[Sequence[Any]], separator: str = ",") -> str:
    """Rows as separated values."""
    file = io.StringIO()
    csv.writer(file, delimiter=separator, lineterminator="\n").writerows(rows)
    return file.getvalue()


def at(number: int) -> str:
    """A time of day, a second later for each number."""
    return f"2026-11-23 10:{number // 60:02}:{number % 60:02}.101"


def entry(
    number: int,
    user: str,
    severity: str,
    state: str,
    message: str,
    detail: str = "",
    query: str = "",
    **other: str,
) -> list[Any]:
    """One row of a csvlog of PostgreSQL 14 and later."""
    pid = 4711 + sum(map(ord, user)) % 100
    session = other.get("session", f"6922f001.{pid:x}")
    vxid = other.get("vxid", f"3/{number}")
    row = [f"{at(number)} UTC", user, "bank", pid, "10.0.0.5:51514", session, number]
    row += ["SELECT", "2026-11-23 09:59:58 UTC", vxid, 0, severity, state, message]
    row += [detail, "", "", "", "", query, "", "", "psql", "client backend", "", 0]
    return row


def csvlog(sent: Sequence[Sent]) -> str:
    """PostgreSQL's csvlog with ``log_statement = 'all'``, between other entries."""
    rows = [entry(0, "ann", "LOG", "00000", "connection authorized: user=ann")]
    for number, one in enumerate(sent, 1):
        text = f"statement: {one.text}"
        rows.append(entry(number, one.user, "LOG", "00000", text))
        if one.state:
            rows.append(
                entry(number, one.user, "ERROR", one.state, one.said, query=one.text)
            )
        else:
            rows.append(entry(number, one.user, "LOG", "00000", "duration: 0.412 ms"))
    return csv_text(rows)


def csvlog_12(sent: Sequence[Sent]) -> str:
    """That of version 12, with ``log_min_duration_statement``: 23 columns."""
    rows = []
    for number, one in enumerate(sent, 1):
        text = f"duration: 0.412 ms  statement: {one.text}"
        row = entry(number, one.user, "LOG", "00000", text)
        if one.state:
            row = entry(number, one.user, "ERROR", one.state, one.said, query=one.text)
        rows.append(row[:23])
    return csv_text(rows)


def jsonlog(sent: Sequence[Sent]) -> str:
    """PostgreSQL's jsonlog, from version 15 on."""
    lines = []
    for number, one in enumerate(sent, 1):
        common = {"timestamp": f"{at(number)} UTC", "user": one.user, "dbname": "bank"}
        common |= {"pid": 4711, "session_id": f"6922f001.{one.user}"}
        common |= {"line_num": number, "vxid": f"3/{number}"}
        logged = {"error_severity": "LOG", "message": f"statement: {one.text}"}
        lines.append(common | logged | {"backend_type": "client backend"})
        if one.state:
            failed = {"error_severity": "ERROR", "state_code": one.state}
            failed |= {"message": one.said, "statement": one.text}
            lines.append(common | failed | {"backend_type": "client backend"})
    return "\n".join(map(json.dumps, lines)) + "\n"


def bigquery(sent: Sequence[Sent]) -> str:
    """The rows of INFORMATION_SCHEMA.JOBS, as ``bq query --format=json`` writes them."""
    rows = []
    for number, one in enumerate(sent, 1):
        result = None
        if one.state:
            message = "Unrecognized name: wage at [1:12]"
            result = {"reason": "invalidQuery", "location": "query", "message": message}
        row = {"creation_time": f"{at(number)}", "job_type": "QUERY", "state": "DONE"}
        row |= {"query": one.text, "user_email": one.user, "error_result": result}
        rows.append(row | {"statement_type": "SELECT", "cache_hit": "false"})
    return json.dumps(rows)


def snowflake(sent: Sequence[Sent]) -> str:
    """QUERY_HISTORY, as it is downloaded, the latest statement first."""
    names = ["QUERY_ID", "QUERY_TEXT", "DATABASE_NAME", "QUERY_TYPE", "USER_NAME"]
    names += ["EXECUTION_STATUS", "ERROR_CODE", "ERROR_MESSAGE", "START_TIME"]
    rows: list[list[Any]] = [names]
    for number, one in reversed(list(enumerate(sent, 1))):
        status = ["SUCCESS", "", ""]
        if one.state:
            said = "SQL compilation error: error line 1 at position 11\ninvalid"
            status = ["FAIL", "000904", f"{said} identifier 'WAGE'"]
        row = [f"01b1-{number:04}", one.text, "BANK", "SELECT", one.user, *status]
        rows.append([*row, f"{at(number)} -0800"])
    return csv_text(rows)


def plain(sent: Sequence[Sent]) -> list[dict[str, Any]]:
    """Records with the names that need no mapping."""
    rows = []
    for number, one in enumerate(sent, 1):
        row = {"sql": one.text, "time": at(number), "user": one.user}
        status = "failed" if one.state else "success"
        row |= {"status": status, "error": one.said or None, "code": one.state or None}
        rows.append(row)
    return rows


def history_csv(sent: Sequence[Sent], separator: str = ",") -> str:
    """Records as CSV, with the quotes of a spreadsheet."""
    rows = plain(sent)
    cells = [[value or "" for value in row.values()] for row in rows]
    return csv_text([list(rows[0]), *cells], separator)


def history_lines(sent: Sequence[Sent]) -> str:
    """Records as JSON Lines."""
    return "\n".join(map(json.dumps, plain(sent))) + "\n"


def parquet(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Records as Parquet."""
    lines = path.with_suffix(".lines.jsonl")
    lines.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with duckdb.connect() as connection:
        read = f"SELECT * FROM read_json('{lines}', format = 'newline_delimited')"
        connection.execute(f"COPY ({read}) TO '{path}' (FORMAT parquet)")


TEXTS: dict[str, Callable[[Sequence[Sent]], str]] = {
    "postgresql.csv": csvlog,
    "postgresql-12.csv": csvlog_12,
    "postgresql.json": jsonlog,
    "jobs.json": bigquery,
    "history.csv": snowflake,
    "plain.csv": history_csv,
    "semicolons.csv": lambda sent: history_csv(sent, ";"),
    "plain.tsv": lambda sent: history_csv(sent, "\t"),
    "plain.jsonl": history_lines,
}
"""Logs by the name of their file."""


def written(folder: Path, name: str, sent: Sequence[Sent]) -> Path:
    """A log in its file."""
    path = folder / name
    if path.suffix == ".parquet":
        rows = json.loads(bigquery(sent)) if "jobs" in name else plain(sent)
        parquet(path, rows)
    else:
        path.write_text(TEXTS[name](sent), encoding="utf-8", newline="")
    return path
