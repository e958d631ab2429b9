"""When statements were sent, as logs write it, and their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from phverify.disclosure.log.statements import Statement
from phverify.words import plural

_ZONE = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?)"
    r" ?(?P<zone>UTC|GMT|Z|[+-]\d\d(:?\d\d)?|[A-Z][A-Za-z_/+-]*)?"
)
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Moment = tuple[str, Fraction]
"""The zone, where it is known by a name alone, and the seconds there."""
NO_ZONE = "none that is said"
"""The zone of a time without one: these are compared with each other alone."""


def moment(value: Any) -> Moment | None:
    """When it was; None for what is no time.

    Numbers are seconds, or parts of them, since one moment.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, datetime):
        since = value.replace(tzinfo=value.tzinfo or UTC) - _EPOCH
        micro = (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds
        zone = NO_ZONE if value.tzinfo is None else ""
        return zone, Fraction(micro, 10**6)
    text = str(value).strip()
    number = re.fullmatch(r"\d+(\.\d+)?([eE]\+?\d\d?)?", text)
    if number:
        return "a number", Fraction(text)
    parts = _ZONE.fullmatch(text)
    return _of_text(parts) if parts else None


def _of_text(parts: re.Match[str]) -> Moment | None:
    """A date with a time of day, and perhaps a zone."""
    whole, _, rest = parts["time"].replace(",", ".").partition(".")
    try:
        local = datetime.fromisoformat(whole)
    except ValueError:
        return None
    since = local - datetime(1970, 1, 1)
    seconds = Fraction(since.days * 86_400 + since.seconds)
    if rest:
        seconds += Fraction(int(rest), 10 ** len(rest))
    zone = parts["zone"] or NO_ZONE
    offset = _OFFSET.fullmatch(zone)
    if offset:
        sign = 1 if offset[1] == "-" else -1
        minutes = 60 * int(offset[2]) + int(offset[3] or 0)
        return "", seconds + sign * 60 * minutes
    if zone in ("UTC", "GMT", "Z"):
        zone = ""
    # A zone by another name is compared with itself alone: its clock may jump.
    return zone, seconds


def ordered(statements: Sequence[Statement]) -> tuple[list[Statement], list[str]]:
    """Statements by their time, and what is to be said of that.

    Those of the same time, and all where some have none, stay as they stand.
    """
    given = [one for one in statements if one.time is not None]
    if not given:
        return list(statements), []
    known = {id(one): moment(one.time) for one in statements}
    unknown = [one for one in statements if known[id(one)] is None]
    if unknown:
        first = f"the first in line {unknown[0].line}"
        count = plural(len(unknown), "statement")
        return list(statements), [
            f"{count} without a time that is understood ({first}): the log is read in"
            " its own order"
        ]
    zones = {where for where, _ in filter(None, known.values())}
    if len(zones) > 1:
        named = ", ".join(sorted(zone or "UTC" for zone in zones))
        return list(statements), [
            f"times are in several zones ({named}): the log is read in its own order"
        ]
    in_time = sorted(statements, key=lambda one: known[id(one)] or ("", Fraction(0)))
    return in_time, _ties(in_time, [known[id(one)] for one in in_time])


def _ties(statements: Sequence[Statement], times: Sequence[Moment | None]) -> list[str]:
    """What is said of statements with the time of the one before."""
    count = 0
    for place in range(1, len(statements)):
        # Several statements of one entry were sent in the order of its text.
        same_entry = statements[place].line == statements[place - 1].line
        count += times[place] == times[place - 1] and not same_entry
    if not count:
        return []
    said = f"{plural(count, 'statement')} at the same time as the one before"
    return [f"{said}: these are read in the order of the log"]
