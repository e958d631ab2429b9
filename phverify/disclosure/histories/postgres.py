"""PostgreSQL's own logs: ``csvlog``, a file without a header of 23 to 26 columns, and
``jsonlog``.

With ``log_statement`` a statement is logged before it runs, with
``log_min_duration_statement`` after it has.  One that failed is in the column ``query``
of its error; where it was logged before, too, it is that entry that failed.
(PostgreSQL 17, 19.8.4 "Using CSV-Format Log Output"; 54.2.3 "Extended Query".)
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from phverify.disclosure.histories.postgres_words import (
    FAILED,
    LOG,
    SEVERITIES,
    LogMessage,
    said,
)
from phverify.disclosure.histories.records import Record
from phverify.disclosure.log.statements import Statement
from phverify.errors import refusal

COLUMNS = (
    *("log_time", "user_name", "database_name", "process_id", "connection_from"),
    *("session_id", "session_line_num", "command_tag", "session_start_time"),
    *("virtual_transaction_id", "transaction_id", "error_severity"),
    *("sql_state_code", "message", "detail", "hint", "internal_query"),
    *("internal_query_pos", "context", "query", "query_pos", "location"),
    *("application_name", "backend_type", "leader_pid", "query_id"),
)
FEWEST = 23
"""The columns up to version 12."""
_JSON = {
    "timestamp": "log_time",
    "user": "user_name",
    "session_id": "session_id",
    "vxid": "virtual_transaction_id",
    "error_severity": "error_severity",
    "state_code": "sql_state_code",
    "message": "message",
    "detail": "detail",
    "statement": "query",
}
"""The columns of csvlog by the keys of jsonlog."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_EXPLAINED = re.compile(r"duration: [\d.]+ ms  plan:")
_AUDITED = re.compile(r"AUDIT: (SESSION|OBJECT),")
_TEXT = 7
"""The field of an entry of pgaudit that has the statement."""
_BY_PGAUDIT = LogMessage(
    "-- an entry of pgaudit",
    True,
    unread="pgaudit's entries are not read: log_statement = 'all' logs statements",
)
_PARAMETERS = re.compile(r"[^\W\d]+( [^\W\d]+)? ?: (?=\$1 = )")
"""``parameters: `` in any language."""
_VALUE = re.compile(r"\$(\d+) = (NULL|'(?:[^']|'')*')(?:, |\Z)")
CUT = "..."
"""How a value ends that was cut by ``log_parameter_max_length``."""


@dataclass(frozen=True)
class _OpenEntry:
    """The last entry of a session, logged before it ran; its place among all.

    ``transaction`` is the one that it ran in.  ``simple``: it was sent by itself, so
    that an error of the same text right after it is its own; of an ``execute`` that may
    be a later one whose values did not fit.
    """

    place: int
    text: str
    transaction: Any
    simple: bool


def is_csvlog(first: Sequence[str]) -> bool:
    """Whether a row of CSV is PostgreSQL's: by its length, its time and SQLSTATE."""
    if not FEWEST <= len(first) <= len(COLUMNS):
        return False
    state = first[COLUMNS.index("sql_state_code")]
    return bool(re.fullmatch(r"[0-9A-Z]{5}", state) and _TIME.match(first[0]))


def of_csv(rows: Iterable[tuple[int, list[str]]], where: str) -> Iterator[Record]:
    """The rows of a csvlog by the names of their columns.

    Raises InputError for a row of another length.
    """
    for place, cells in rows:
        if not FEWEST <= len(cells) <= len(COLUMNS):
            what = (
                f"has {len(cells)} cells, and a csvlog has {FEWEST} to {len(COLUMNS)}"
            )
            raise refusal(f"{where}, line {place}", what)
        named = zip(COLUMNS, cells, strict=False)
        yield Record(place, {name: cell or None for name, cell in named})


def is_jsonlog(names: Iterable[str]) -> bool:
    """Whether objects are PostgreSQL's, by their keys."""
    return {"timestamp", "error_severity", "pid", "backend_type"} <= set(names)


def of_json(records: Iterable[Record]) -> Iterator[Record]:
    """The objects of a jsonlog with the names of csvlog's columns."""
    for record in records:
        known = {
            _JSON[name]: cell for name, cell in record.cells.items() if name in _JSON
        }
        yield Record(record.place, known)


def statements(records: Iterable[Record], where: str) -> list[Statement]:
    """The statements of a log, with those that failed.  Raises InputError."""
    found: list[Statement] = []
    audited: dict[int, str] = {}
    still_open: dict[Any, _OpenEntry] = {}
    for record in records:
        cells = record.cells
        severity = cells.get("error_severity")
        kind = SEVERITIES.get(str(severity))
        if kind is None:
            what = f"has the severity {severity!r}, which is none that is known"
            hint = "a log in English is read: lc_messages = 'C'"
            raise refusal(f"{where}, line {record.place}", what, hint)
        session = cells.get("session_id")
        if kind == FAILED:
            _fail(found, record, still_open.pop(session, None))
        elif kind == LOG and _AUDITED.match(str(cells.get("message"))):
            audited[len(found)] = _audited(str(cells["message"]))
            found.append(_statement(record, _BY_PGAUDIT))
        elif kind == LOG:
            logged = _logged(record)
            if logged is None:
                continue
            # What comes after in a session says that the one before has ended.
            still_open.pop(session, None)
            if logged.text is None:
                continue
            found.append(_statement(record, logged))
            if not logged.timed:
                still_open[session] = _opened(record, logged, len(found) - 1)
    return _once(found, audited)


def _audited(message: str) -> str:
    """The statement in an entry of pgaudit; nothing where it is in another entry."""
    fields = next(csv.reader(io.StringIO(message)))
    text = fields[_TEXT] if len(fields) > _TEXT else message
    return "" if text == "<previously logged>" else text.strip("; \n\t")


def _once(found: Sequence[Statement], audited: Mapping[int, str]) -> list[Statement]:
    """The statements without entries of pgaudit that are about another one of them.

    ``audited``: the texts of these entries by their places.
    """
    texts: dict[str | None, set[str]] = {}
    for place, one in enumerate(found):
        if place not in audited:
            texts.setdefault(one.user, set()).add(one.text.strip("; \n\t"))
    kept = []
    for place, one in enumerate(found):
        text = audited.get(place)
        own = texts.get(one.user, set())
        # One of several in an entry is a part of its text.
        known = text in own or (text is not None and any(text in of for of in own))
        if not known:
            kept.append(one)
    return kept


def _opened(record: Record, logged: LogMessage, place: int) -> _OpenEntry:
    """An entry that was logged before it ran."""
    transaction = record.cells.get("virtual_transaction_id")
    return _OpenEntry(place, str(logged.text), transaction, logged.simple)


def _fail(found: list[Statement], record: Record, before: _OpenEntry | None) -> None:
    """Notes an error: of the entry before it, or of a statement that has none."""
    cells = record.cells
    text = cells.get("query")
    if text is None:
        _without_text(found, cells, before)
        return
    error = str(cells.get("message") or "an error")
    code = str(cells.get("sql_state_code") or "")
    if before is not None and _its_own(before, cells, code):
        found[before.place] = replace(found[before.place], error=error, code=code)
        return
    one = replace(_statement(record, LogMessage(str(text), True)), parameters=None)
    found.append(replace(one, error=error, code=code))


def _without_text(
    found: list[Statement], cells: Mapping[str, Any], before: _OpenEntry | None
) -> None:
    """An error that does not say of which statement it is.

    Who could not connect sent none; in a transaction it may be of the entry before it.
    """
    if before is None:
        return
    if before.transaction != cells.get("virtual_transaction_id"):
        return
    why = (
        "an error follows that does not say of which statement it is:"
        " log_min_error_statement = 'error' logs it"
    )
    found[before.place] = replace(found[before.place], unread=why)


def _its_own(before: _OpenEntry, cells: Mapping[str, Any], code: str) -> bool:
    """Whether an error is that of the entry before it."""
    if before.text != cells.get("query"):
        return False
    if before.transaction != cells.get("virtual_transaction_id"):
        return False
    # One that was cancelled may be the next of the same text.
    return before.simple or not code.startswith("57")


def _logged(record: Record) -> LogMessage | None:
    """What an entry says of a statement; None where it is about none that is sent."""
    message = str(record.cells.get("message") or "")
    if _EXPLAINED.match(message):
        why = "auto_explain's plans are not read: log_statement = 'all' logs statements"
        return LogMessage(message, True, unread=why)
    logged = said(message)
    # What no client sent is no statement.
    if logged is not None and logged.unread and not record.cells.get("user_name"):
        return None
    return logged


def _statement(record: Record, logged: LogMessage) -> Statement:
    """A statement with the values that the detail has of its parameters."""
    user = record.cells.get("user_name")
    values, unread = _values(str(record.cells.get("detail") or ""))
    return Statement(
        str(logged.text),
        record.place,
        user=None if user is None else str(user),
        time=record.cells.get("log_time"),
        parameters=values,
        typed=False,
        unread=logged.unread or unread,
    )


def _values(detail: str) -> tuple[Mapping[str, str | None] | None, str]:
    """The values of parameters, and why they are not known as a whole."""
    begin = _PARAMETERS.match(detail)
    if begin is None:
        return None, ""
    values: dict[str, str | None] = {}
    place = begin.end()
    while place < len(detail):
        value = _VALUE.match(detail, place)
        if value is None:
            return None, "the values of its parameters are not understood"
        given = value[2]
        values[value[1]] = None
        if given != "NULL":
            values[value[1]] = given[1:-1].replace("''", "'")
        if given.endswith(f"{CUT}'"):
            return None, f"the value of ${value[1]} was cut: log_parameter_max_length"
        place = value.end()
    return values, ""
