"""Numbers with decimals, dates and timestamps as integers: multiples of a unit.

Constraints are about integers.  A decimal is so many hundredths, a date so many days
after 1970-01-01, a timestamp so many microseconds after that day began.  A column's
*unit* is the greatest step of which all of its values are multiples, as a fraction;
the *code* of a value is how many units it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from phverify.spec.decimals import decimal

Given = int | float | Decimal | Fraction | date | datetime
"""A number or a point in time, as a policy, a query or a table has it."""
DATE, TIMESTAMP, NUMBER = "date", "timestamp", "number"
EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
DAY = 86_400 * SECOND
COUNTED = {NUMBER: 1, DATE: 1, TIMESTAMP: SECOND}
"""What steps and distances are counted in: numbers, days, seconds."""


def sort_of(value: object) -> str:
    """number, date or timestamp; nothing for what is none of these."""
    # A datetime is a date to isinstance, and a Boolean an integer.
    if isinstance(value, datetime):
        return TIMESTAMP if value.tzinfo is None else ""
    if isinstance(value, date):
        return DATE
    if isinstance(value, bool):
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    if isinstance(value, Decimal) and not value.is_finite():
        return ""
    if isinstance(value, (int, float, Decimal, Fraction)):
        return NUMBER
    return ""


def amount(value: Given) -> Fraction:
    """How much a value is: a number, days or microseconds, as an exact fraction.

    A double is what is shown of it: 0.1 is 1/10.
    """
    if isinstance(value, datetime):
        return Fraction((value - EPOCH) // MICROSECOND)
    if isinstance(value, date):
        return Fraction(value.toordinal() - EPOCH.toordinal())
    if isinstance(value, float):
        return Fraction(repr(value))
    return Fraction(value)


def value_of(sort: str, exact: Fraction) -> Given:
    """The date or timestamp of an amount; of a number the fraction itself.

    Raises OverflowError for what is before the year 1 or after 9999.
    """
    if sort == TIMESTAMP:
        return EPOCH + int(exact) * MICROSECOND
    if sort == DATE:
        return date.fromordinal(int(exact) + EPOCH.toordinal())
    return exact


def shown(sort: str, exact: Fraction) -> str:
    """An amount as it is written."""
    if sort == NUMBER:
        return decimal(exact)
    return str(value_of(sort, exact))


def unit_of(amounts: Iterable[Fraction]) -> Fraction:
    """The greatest unit of which all amounts are multiples; 1 where all are 0."""
    unit = Fraction(0)
    for one in amounts:
        # gcd(a/b, c/d) = gcd(a d, c b) / (b d)
        over = unit.denominator * one.denominator
        top = math.gcd(
            unit.numerator * one.denominator, one.numerator * unit.denominator
        )
        unit = Fraction(top, over)
    return unit or Fraction(1)


def date_of(text: str, sort: str) -> date | datetime | None:
    """The date or timestamp of a text literal; None for what is written otherwise."""
    try:
        if sort == DATE and re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return date.fromisoformat(text)
        time = r"( \d\d:\d\d(:\d\d(\.\d{1,6})?)?)?"
        if sort == TIMESTAMP and re.fullmatch(rf"\d{{4}}-\d\d-\d\d{time}", text):
            whole, _, parts = text.partition(".")
            read = datetime.fromisoformat(whole)
            return read.replace(microsecond=int(parts.ljust(6, "0") or 0))
    except ValueError:
        return None
    return None
