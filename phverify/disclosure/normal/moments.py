"""Texts of a statement that are days or moments, and which of them all engines read
alike.

A text that is compared with a day or a moment is read alike where it is written as ISO
has it, with six digits of a second at most, without a zone, and of a day without a
time.  All else an engine rounds, cuts or moves in its own way.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from phverify.disclosure.log.sources import kind_of
from phverify.disclosure.normal import trees
from phverify.disclosure.normal.context import Context

_DAY = r"\d{4}-\d\d-\d\d"
_SECONDS = re.compile(rf"{_DAY}[ T]\d\d:\d\d(:\d\d(\.\d{{1,6}})?)?", re.ASCII)
_NAMES = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|mon(?:day)?"
    r"|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
    r"|epoch|infinity|now|today|tomorrow|yesterday)(?![a-z])"
)
_DIGITS = rf"\d+(?:\W*\Z|\W+\d|t\d|\W*{_NAMES})"
_RANGE = r"\d{1,3} ?- ?\d{1,3}\Z"
_MAYBE = re.compile(
    rf"\s*[-+]?(?!{_RANGE})(?:{_DIGITS}|{_NAMES})", re.IGNORECASE | re.ASCII
)
"""What some engine may take for a day or a moment where nothing is known of what it
stands beside: ``30-49`` and ``50 or above`` are none for any.
"""
_DAYS, _MOMENTS = "DATE", "TIMESTAMP"
_OF_TEXTS = ("VARCHAR", "ENUM", "TEXT")
_LETTERED = ("postgres", "redshift", "snowflake", "tsql", "oracle")
"""Engines whose templates of days are of letters."""
_PATTERNS = ("Like", "ILike", "StartsWith")


def read_otherwise(context: Context, tree: Any, dialect: str) -> str:
    """The first text of a statement that may be compared with a day or a moment, and
    that an engine may read as another one than DuckDB; nothing where there is none.
    """
    from sqlglot import exp

    of_tables = set().union(*context.types_by_name.values())
    casts = {cast.to.sql("duckdb") for cast in tree.find_all(exp.Cast)}
    somewhere = of_tables | casts
    if tree.find(exp.DateTrunc, exp.TimestampTrunc, exp.CurrentDate, exp.Date):
        somewhere.add(_DAYS)
    if not any(type_.startswith((_DAYS, _MOMENTS)) for type_ in somewhere):
        return ""
    for one in tree.find_all(exp.Literal):
        text = str(one.this)
        if not one.is_string:
            continue
        beside = _beside(context, one)
        if beside is None and not _MAYBE.match(text):
            continue
        if not _alike(text, somewhere if beside is None else beside, dialect):
            return text
    return ""


def _alike(text: str, types: set[str], dialect: str) -> bool:
    """Whether a text beside values of these types means the same to all engines."""
    points = {type_ for type_ in types if type_.startswith((_DAYS, _MOMENTS))}
    if not points:
        return True
    if any("ZONE" in type_ or "TZ" in type_ for type_ in points):
        return False
    if dialect == "sqlite" and points != {_DAYS}:
        # it compares moments as texts, letter by letter
        return False
    if re.fullmatch(_DAY, text, re.ASCII):
        return _exists(text)
    if dialect == "tsql" and "." in text:
        # DATETIME has steps of 1/300 of a second
        return False
    return points == {_MOMENTS} and bool(_SECONDS.fullmatch(text)) and _exists(text)


def _exists(text: str) -> bool:
    """Whether a moment as ISO writes it is one."""
    whole, _, _ = text.partition(".")
    try:
        return datetime.fromisoformat(whole).date().isoformat() == text[:10]
    except ValueError:
        return False


def _beside(context: Context, literal: Any) -> set[str] | None:
    """The types of the columns that a text is compared with; None where that is not
    known.
    """
    from sqlglot import exp

    around = literal.parent
    while kind_of(around) == "Paren":
        around = around.parent
    if kind_of(around) in _PATTERNS:
        return set()
    if not isinstance(around, exp.Predicate | exp.Coalesce | exp.Nullif):
        return None
    types: set[str] = set()
    for operand in around.iter_expressions():
        of = trees.bare(operand)
        if kind_of(of) == "Literal":
            continue
        if kind_of(of) in ("Min", "Max"):
            of = trees.bare(of.this)
        if kind_of(of) != "Column":
            return None
        types |= context.types_of(of)
    known = (*_OF_TEXTS, _DAYS, _MOMENTS)
    told = types and all(type_.startswith(known) for type_ in types)
    return types if told else None


def has_percent(tree: Any, text: str, dialect: str) -> bool:
    """Whether a day may be read by a template with % (``%Y``) where an engine's are of
    letters alone (``YYYY``): the tree does not tell the two from each other.
    """
    from sqlglot import exp

    if dialect not in _LETTERED or not re.search("%[a-z]", text, re.IGNORECASE):
        return False
    read = tree.find_all(exp.StrToDate, exp.TsOrDsToDate)
    return any(node.args.get("format") is not None for node in read)
