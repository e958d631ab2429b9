"""SQL text as a syntax tree of sqlglot, or why it is none."""

from __future__ import annotations

import logging
from typing import Any

from phverify.disclosure.log.ambiguous import ambiguous
from phverify.disclosure.log.silent import silent
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.log.statements import not_read
from phverify.errors import refusal


class RefusedWrite(Unsupported):
    """A statement that would write: the database is read-only."""

    status = "refused"
    final = True


class Ambiguous(Unsupported):
    """A text that may have meant something else to whoever answered it."""

    final = True


class Broken(Unsupported):
    """A text that is no SQL, and the line where it is none."""

    final = True

    def __init__(self, what: str, line: int = 1) -> None:
        super().__init__(what)
        self.line = line


def quiet() -> Any:
    """sqlglot, which warns of nothing.  Raises InputError where it is not there."""
    try:
        import sqlglot
    except ImportError:
        hint = "pip install phverify"
        raise refusal("audit", "sqlglot is not installed", hint) from None
    # What it cannot parse is told as unsupported.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    return sqlglot


def syntax_tree(text: str, sqlglot: Any) -> Any:
    """The tree of one statement.  Raises Silent, Ambiguous or Broken."""
    # Before any parser: what two engines read differently has no one meaning.
    reason = ambiguous(text)
    if reason:
        raise Ambiguous(reason)
    silent(text)
    try:
        return sqlglot.parse_one(text, read="duckdb")
    except sqlglot.errors.ParseError as error:
        raise _broken(error) from None
    except sqlglot.errors.SqlglotError as error:
        raise Broken(f"syntax error: {not_read(error)}") from None


def _broken(error: Any) -> Broken:
    """A syntax error as sqlglot tells it, at the line where it is."""
    first = error.errors[0] if error.errors else {}
    what = not_read(first.get("description") or error)
    near = first.get("highlight")
    said = f"syntax error near {near!r}: {what}"
    line = first.get("line") or 1
    return Broken(said, int(line))
