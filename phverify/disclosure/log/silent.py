"""Statements that are no SELECT: those that say nothing and change no later answer, and
why the others taint.

Silent are BEGIN, COMMIT and ROLLBACK: they have no answer, and what they keep or undo
are writes, each of which is refused and taints by itself.  Silent are settings of
threads, memory and the progress bar: no answer of the fragment depends on them, whose
numbers are exact and whose rows have no order.  All are known by their whole text, and
none is executed.  Any other setting may change what a later query means (``SET
default_collation``), and was not made here.
"""

from __future__ import annotations

import re

from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.log.statements import one_line

_TRANSACTION = re.compile(
    r"(BEGIN|COMMIT|ROLLBACK|END|ABORT)( WORK| TRANSACTION)?|START TRANSACTION"
    r"|BEGIN (DEFERRED|IMMEDIATE|EXCLUSIVE)( TRANSACTION)?|(BEGIN|START) TRANSACTION"
    r" READ (ONLY|WRITE)",
    re.IGNORECASE | re.ASCII,
)
_SETTING = re.compile(
    r"SET (?:(?:SESSION|GLOBAL|LOCAL)"
    r" )?(?:threads|worker_threads|memory_limit|max_memory|enable_progress_bar"
    r"|progress_bar_time) ?(?:=|TO ) ?(?:'[\w .]*'|[\w.]+)",
    re.IGNORECASE | re.ASCII,
)
_WHY = {
    "SET": "a setting may change what later queries mean",
    "RESET": "a setting may change what later queries mean",
    "PRAGMA": "it may show data, or change what later queries mean",
    "USE": "it may change which tables later queries are about",
}


class Silent(Unsupported):
    """A statement that says nothing of the data, and changes nothing; why."""

    status = "silent"
    final = True


def silent(text: str) -> None:
    """Raises Silent for a statement that is."""
    line = one_line(text)
    if _TRANSACTION.fullmatch(line):
        raise Silent(
            "a transaction by itself says nothing; a write in it would be refused"
        )
    if _SETTING.fullmatch(line):
        raise Silent("a setting of threads, memory or progress changes no answer")


def no_select(kind: str, text: str) -> str:
    """Why a statement that is no SELECT is not audited.

    ``kind`` is that of its syntax tree.
    """
    line = one_line(text).upper()
    word = re.match(r"\w*", line)
    name = word.group() if word else ""
    if name in ("", "SELECT", "FROM", "WITH", "VALUES"):
        name = kind.upper()
    said = f"only SELECT statements are audited, not {name}"
    if name in _WHY:
        return f"{said}: {_WHY[name]}"
    return said
