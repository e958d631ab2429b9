"""What stands for a value that was filled in, and is not in the log.

What may be a column for some engine is no value: ``@x`` is an absolute value for
PostgreSQL and DuckDB, ``$1`` the first column for Snowflake, ``[:x]`` the end of a
slice, and ``'name': x`` shows a column for DuckDB.
"""

from __future__ import annotations

import re
from typing import Any

from phverify.disclosure.bounding.walking import cut
from phverify.disclosure.log.sources import Unsupported, kind_of
from phverify.disclosure.log.statements import tokens

VALUES = ("Placeholder", "Parameter")
"""Nodes that stand for a value that was filled in."""
_LISTED = """
    And Or Not Paren Between In Is Like ILike EQ NEQ LT LTE GT GTE NullSafeEQ
    NullSafeNEQ Any All Neg Add Sub Mul Div IntDiv Mod Pow DPipe Case If Coalesce Nullif
    Greatest Least Cast TryCast Interval Select Alias Where Having Group Order Ordered
    Limit Offset Fetch Tuple Values Distinct Anonymous Lower Upper Trim Substring Left
    Right Concat Replace Length Abs Round Ceil Floor Date DateTrunc TimestampTrunc
    DateAdd DateSub DateDiff TimestampAdd TimestampSub TimestampDiff StrToDate StrToTime
    TsOrDsToDate TsOrDsAdd TimestampFromParts DateFromParts Sum Avg Count Min Max
    Exists
"""
_PLACES = frozenset(_LISTED.split())
"""Where such a node is surely no name."""
_NAMES = ("Var", "Literal", "Identifier")
_ABSOLUTE = ("duckdb", "postgres", "redshift")
"""Dialects in which ``@`` before a number is its absolute value."""
_OPERAND = re.compile(r"[\w)\]'\"]+|:")
_NAME = re.compile(r"[^\W\d]\w*")


def require_unmistakable(text: str, dialect: str) -> None:
    """Raises Unsupported for a sign that means a column to some engines, and stands for
    a value that was filled in to others.
    """
    words = [*tokens(text), ""]
    for place, word in enumerate(words):
        after = words[place + 1] if word else ""
        if word == "@" and dialect in _ABSOLUTE:
            name = f"@{after.strip()}"
            raise Unsupported(
                f"{name} is the absolute value of a column to {dialect}, and a value"
                " that was filled in to others: write ABS(..), or log the statement"
                " with its values"
            )
        if word == "$" and dialect == "snowflake" and after.isdecimal():
            raise Unsupported(
                f"${after} may be a column by its place: write its name, or log the"
                " statement with its values"
            )


def spelled(text: str) -> tuple[str, str]:
    """A text with ``$name`` for ``:name`` and ``?`` for ``%s``, where these stand alone
    and so for a value, and the first of them.
    """
    parts: list[str] = []
    signs: list[str] = []
    last = ""
    words = list(tokens(text))
    while words:
        word = words.pop(0)
        after = words[0] if words else ""
        if word == "%" and after == "s":
            signs.append(word + words.pop(0))
            word = "?"
        # right after an operand: the end of a slice, the way into an object
        elif word == ":" and not _OPERAND.fullmatch(last) and _NAME.fullmatch(after):
            signs.append(word + after)
            word = "$"
        parts.append(word)
        last = word
    return "".join(parts), next(iter(signs), "")


def unfilled(text: str, dialect: str) -> str:
    """The first of what stands for a value in a statement; nothing where none does."""
    tree = tree_of(text, dialect)
    if tree is None:
        return ""
    marks = tree.find_all(*nodes_of(VALUES))
    return next((str(mark.sql(dialect=dialect)) for mark in marks), "")


def with_nulls(text: str) -> str:
    """A text of DuckDB's with NULL for each value that was filled in, so that it can be
    executed.
    """
    from sqlglot import exp

    tree = tree_of(text, "duckdb")
    marks = [] if tree is None else list(tree.find_all(*nodes_of(VALUES)))
    for mark in marks:
        mark.replace(exp.Null())
    return str(tree.sql(dialect="duckdb")) if marks else text


def require_value(node: Any) -> None:
    """Raises Unsupported for what may be a name, and no value that was filled in."""
    parent = node.parent
    named = kind_of(node) == "Parameter" and kind_of(node.this) not in _NAMES
    # what an alias is, and not what it names
    other = kind_of(parent) == "Alias" and parent.this is not node
    if named or other or kind_of(parent) not in _PLACES:
        raise Unsupported(
            f"{cut(node)} may be a name here: log the statement with its values"
        )


def tree_of(text: str, dialect: str) -> Any:
    """The syntax tree of a text; None where it has none."""
    import sqlglot

    try:
        return sqlglot.parse_one(text, read=dialect)
    except sqlglot.errors.SqlglotError:
        return None


def nodes_of(kinds: Any) -> tuple[Any, ...]:
    """The classes of nodes by their names."""
    from sqlglot import exp

    return tuple([getattr(exp, kind) for kind in kinds])
