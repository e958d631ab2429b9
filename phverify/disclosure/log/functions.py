"""Operators and functions of public columns that have one value for a row: what they
are is for the database to say.
"""

from __future__ import annotations

from typing import Any

COMPARISONS = {"EQ": "=", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_LOGIC = {
    "And",
    "Or",
    "Not",
    "Paren",
    "Between",
    "In",
    "Is",
    "Like",
    "ILike",
    "NullSafeEQ",
    "NullSafeNEQ",
}
_VALUES = {
    "Null",
    "Literal",
    "Boolean",
    "Column",
    "Identifier",
    "Neg",
    "Add",
    "Sub",
    "Mul",
    "Mod",
    "Abs",
}
PLAIN = {*_LOGIC, *_VALUES, *COMPARISONS, "Lower", "Upper", "Length", "Trim"}
"""Operators of conditions."""
_CASES = {"Case", "If", "Coalesce", "Nullif", "Greatest", "Least"}
_TEXTS = {"Substring", "Left", "Right", "Concat", "DPipe", "StartsWith", "Replace"}
_NUMBERS = {"Div", "IntDiv", "Round", "Floor", "Ceil", "Sign"}
_DATES = {
    *("Year", "Month", "Day", "Quarter", "Week", "DayOfWeek", "DayOfYear"),
    *("Extract", "DateTrunc", "TimestampTrunc", "TimeToStr", "Date"),
    *("Interval", "DateDiff", "Var"),
}
_CASTS = {"Cast", "TryCast", "DataType", "DataTypeParam"}
DERIVED = {*PLAIN, *_CASES, *_TEXTS, *_NUMBERS, *_DATES, *_CASTS}
"""What a column may be derived by from public ones.

None of these depends on the time, a setting, another row or a random number.
"""
_ZONED = ("TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMETZ")


def zoned(node: Any) -> bool:
    """Whether a node of a tree is the type of a time in some zone.

    A day or a time without one is read in that of the session, which no log tells.
    """
    if type(node).__name__ != "DataType":
        return False
    name = getattr(node.this, "name", node.this)
    return str(name) in _ZONED


def derives(node: Any) -> bool:
    """Whether a node by itself, whatever stands below it, has one value for a row."""
    return type(node).__name__ in DERIVED and not zoned(node)
