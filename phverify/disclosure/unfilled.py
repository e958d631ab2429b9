"""Values that are not in the log: which sign stands for one, and what is said of it."""

from __future__ import annotations

from phverify.disclosure.bounding import require_unmistakable, spelled, unfilled
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.normal.dialects import read
from phverify.disclosure.normal.settling import Settled
from phverify.disclosure.worlds.database import Database, database_error


def require_values(settled: Settled, why: str = "") -> None:
    """Raises Unsupported for a statement with a value that is not known."""
    mark = unfilled(settled.own, settled.dialect)
    if mark:
        said = f"the value of {mark} is not in the log with its type"
        raise Unsupported(f"{said}, {why}" if why else said)


def with_signs(text: str, dialect: str, source: Database) -> str:
    """A text, with the dialect's signs for its values where it is read so alone.

    Raises Unsupported where an engine that has other signs may have answered it.
    """
    require_unmistakable(text, dialect)
    if _is_read(text, dialect, source):
        return text
    other, sign = spelled(text)
    if not sign or not _is_read(other, dialect, source):
        return text
    if dialect == "duckdb":
        raise Unsupported(
            f"{sign} stands for a value to other engines than DuckDB: name that of the"
            " log by --dialect, or log the statement with its values"
        )
    return other


def _is_read(text: str, dialect: str, source: Database) -> bool:
    """Whether a text is read by its dialect."""
    try:
        read(text, dialect)
        if dialect == "duckdb":
            source.kinds(text)
    except (Unsupported, database_error()):
        return False
    return True
