"""What the kind of an error says: SQLSTATEs of PostgreSQL, numbers of Snowflake,
reasons of BigQuery, as their histories keep them.

A kind that is decided before a row is read tells nothing, whatever the data: syntax,
names, rights.  But what a function or a cast reads may be data, and fail as a text that
was no SQL: then nothing is known.  A statement that was stopped, by its sender or
because it took too long, tells of the data by its time, which verdicts are not about;
and it may have told a part of its answer.  Any other error may depend on the data: a
division by zero, a number that is no date (class 22).

(PostgreSQL 17, Appendix A; Snowflake, "Error messages"; BigQuery, "Error messages".)
"""

from __future__ import annotations

import re

from phverify.disclosure.log.failure import COMMANDS, calls
from phverify.disclosure.log.statements import Statement, split

_CLASSES = ("42", "28")
"""Syntax errors, names that are not there, access rules; authorization."""
_STATES = ("25P02", "25006", "3D000", "3F000", "57P03")
"""A transaction that had failed before, or may not write; no such database or schema;
the server does not answer yet.
"""
_STOPPED = ("57014", "57P01", "57P02", "57P05", "53100", "53200", "53400")
"""Cancelled, also by a timeout; the server ended; no disk, no memory, a limit."""
_GENERAL = "42000"
"""What some engines say of any error, also of one that depends on the data."""
_SQLSTATE = 5
"""The length of an SQLSTATE; Snowflake's numbers have six digits."""
_COMPILED = {
    1003: "SQL compilation error",
    2003: "SQL compilation error",
    904: "SQL compilation error",
    2140: "SQL compilation error",
    3001: "SQL access control error",
}
"""Snowflake's numbers, and how their messages begin."""
_SNOWFLAKE_STOPPED = (604, 630)
_REASONS = ("accessDenied", "notFound")
_ANALYSED = ("Syntax error: ", "Unrecognized name: ", "Table not found: ")
"""How BigQuery's ``invalidQuery`` begins where the text alone is why."""
_BIGQUERY_STOPPED = ("stopped", "timeout", "resourcesExceeded")
_PLAIN = re.compile(
    r"\s*(?:select|with)\b(?:[\w\s.,()*=<>!+'\"%|`-]|/(?!\*)|\$(?=\d))*",
    re.IGNORECASE | re.ASCII,
)
_PURE = {"coalesce", "nullif", "round", "floor", "ceil", "ceiling", "abs", "lower"}
_PURE |= {"upper", "trim", "length", "date_trunc", "extract", "greatest", "least"}
_PURE |= {"stddev", "variance", "row_number", "rank", "dense_rank", "lag", "lead"}
_PURE |= {
    "then",
    "else",
    "when",
    "partition",
    "/",
    "%",
    "|",
    "filter",
    "rollup",
    "cube",
}
"""Functions that call an error of theirs no syntax error, and words of SQL."""


def static(statement: Statement) -> bool:
    """Whether the kind of the error says that the text alone was why."""
    code = statement.code
    if not _one_question(statement.text) or calls(statement.text, _PURE):
        return False
    if code == _GENERAL:
        return False
    if len(code) == _SQLSTATE:
        return code.startswith(_CLASSES) or code in _STATES
    error = statement.error.strip()
    if code.isdecimal():
        begin = _COMPILED.get(int(code))
        return begin is not None and error.startswith(begin)
    if code == "invalidQuery":
        return error.startswith(_ANALYSED)
    return code in _REASONS


def stopped(statement: Statement) -> bool:
    """Whether the kind of the error says that the statement was stopped."""
    code = statement.code
    if code in _STOPPED or code in _BIGQUERY_STOPPED:
        return True
    return (
        code.isdecimal() and len(code) != _SQLSTATE and int(code) in _SNOWFLAKE_STOPPED
    )


def _one_question(text: str) -> bool:
    """Whether a text is one SELECT and nothing else."""
    if _PLAIN.fullmatch(text) is None or "--" in text or len(list(split(text))) != 1:
        return False
    words = re.findall(r"\w+", text.lower())
    return (COMMANDS - {"case", "end", "else", "if"}).isdisjoint(words)
