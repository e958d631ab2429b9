"""What an audit.toml says of the log: its columns, and how answers were published.

::

    [log]                       # columns of a history that have other names
    text = "statement_text"
    user = "login"
    status = "result_code"
    ok = ["0", "finished"]      # what its status says of a statement that was answered

    [answers]                   # numbers in answers that are not exact
    rounded = 10                # to the nearest 10 (decimals = 1: to the nearest 1/10)
    within = 5                  # with noise of at most 5
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from phverify.disclosure.histories.settings import ROLES, LogColumns, Published
from phverify.errors import nearest

Complain = Callable[[str, str, str], None]
"""Notes a problem: where, what, and a hint."""
_ANSWERS = ("rounded", "decimals", "within")
MOST_DECIMALS = 30


def log_columns(entries: Mapping[str, Any], complain: Complain) -> LogColumns:
    """``[log]``: columns by role, and ``ok``."""
    names: dict[str, str] = {}
    ok: tuple[str, ...] = ()
    for role, value in entries.items():
        if role == "ok":
            words = value if isinstance(value, (list, tuple)) else [value]
            ok = tuple(map(str, words))
        elif role not in ROLES:
            hint = nearest(role, (*ROLES, "ok"), "a history has")
            complain("log", f"unknown entry {role!r}", hint)
        elif not isinstance(value, str) or not value:
            hint = f'for example: [log] {role} = "query_text"'
            complain(f"log.{role}", f"is the name of a column, not {value!r}", hint)
        else:
            names[role] = value
    return LogColumns(names, ok)


def published(entries: Mapping[str, Any], complain: Complain) -> Published:
    """``[answers]``: how far the true numbers may be from the published ones."""
    for name in entries:
        if name not in _ANSWERS:
            hint = nearest(name, _ANSWERS, "answers are")
            complain("answers", f"unknown entry {name!r}", hint)
    if "rounded" in entries and "decimals" in entries:
        complain("answers", "has both rounded and decimals", "they say the same thing")
        return Published()
    unit = None
    if "rounded" in entries:
        unit = _number("answers.rounded", entries["rounded"], complain)
    if "decimals" in entries:
        unit = _decimals(entries["decimals"], complain)
    noise = None
    if "within" in entries:
        noise = _number("answers.within", entries["within"], complain)
    half = Fraction(0) if unit is None else unit / 2
    return Published(half + (noise or 0), unit)


def _number(where: str, given: Any, complain: Complain) -> Fraction | None:
    """A number above zero, exactly as it is written."""
    number = None
    if isinstance(given, (int, float, Decimal)) and not isinstance(given, bool):
        text = str(given)
        # inf and nan are floats of TOML, too
        number = Fraction(text) if text.replace(".", "").isdecimal() else None
    if number:
        return number
    complain(where, f"is a number above 0, not {given!r}", "for example: rounded = 10")
    return None


def _decimals(given: Any, complain: Complain) -> Fraction | None:
    """The unit of so many decimals."""
    if type(given) is int and 0 <= given <= MOST_DECIMALS:
        return Fraction(1, 10**given)
    what = f"is a number from 0 to {MOST_DECIMALS}, not {given!r}"
    complain("answers.decimals", what, "decimals = 2 is to the nearest 0.01")
    return None
