"""Operators and functions of public columns that have one value for a row: what they
are is for the database to say.
"""

from __future__ import annotations

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
