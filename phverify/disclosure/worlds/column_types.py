"""Types of columns in DuckDB's words: what cells of them are, and which domains they
can have.
"""

from __future__ import annotations

import re
from fractions import Fraction

from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.grids import DATE, NUMBER, TIMESTAMP, value_of

INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
INTEGERS |= {
    f"U{name}" for name in INTEGERS - {"HUGEINT"}
}  # a SUM of UHUGEINT is a double
BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
DIGITS = 38
"""A decimal of DuckDB has at most so many."""
TINY = Fraction(1, 10**200)
"""The least unit of doubles, far from where they are no longer evenly apart."""
LITERAL = 15
"""A literal with decimals has at most so many digits."""


def decimal_of(type_: str) -> tuple[int, int] | None:
    """Digits and decimals of a DECIMAL; None for another type."""
    found = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", type_)
    if found is None:
        return None
    digits = int(found[1])
    places = int(found[2])
    return digits, places


def labels_of(type_: str) -> list[str]:
    """The values of an ENUM, in its order."""
    texts = re.findall(r"'((?:[^']|'')*)'", type_)
    return [text.replace("''", "'") for text in texts]


def unfit(domain: Domain, type_: str) -> str:
    """Why the cells of a column cannot have the values of a domain; "" where they
    can.
    """
    sort = kind_of_type(type_)
    wanted = domain.kind
    if domain.integral:
        wanted = "integer" if domain.sort == NUMBER else domain.sort
    if not sort or sort != wanted:
        said = wanted if domain.unit.denominator == 1 else "number"
        return f"the domain is of {said}s and the column is {type_}"
    if type_.startswith("ENUM("):
        labels = labels_of(type_)
        strange = [text for text in domain.values if text not in labels]
        return f"the column has no value {strange[0]!r}" if strange else ""
    if sort == "integer":
        return _too_much(domain, type_)
    if sort in (DATE, TIMESTAMP):
        return _beyond(domain)
    return ""


def _too_much(domain: Domain, type_: str) -> str:
    """Why a column of numbers cannot have the values."""
    low, high = (end * domain.unit for end in domain.ends)
    if type_ == "DOUBLE":
        codes = max(map(abs, domain.ends))
        # Then no two codes have the same double next to them.
        apart = codes <= 2**51 and TINY <= domain.unit <= 1 / TINY
        return "" if apart else f"the domain {domain.text()} is too fine for doubles"
    least, most, unit = _room(type_)
    if low < least or high > most:
        return f"the domain {domain.text()} is more than {type_} holds"
    if (domain.unit / unit).denominator != 1:
        return f"the domain has more decimals than {type_}"
    return ""


def _room(type_: str) -> tuple[Fraction, Fraction, Fraction]:
    """The least and the greatest number of a type, and its unit."""
    scale = decimal_of(type_)
    if scale is not None:
        digits, places = scale
        unit = Fraction(1, 10**places)
        most = (10**digits - 1) * unit
        return -most, most, unit
    bits = BITS[type_.removeprefix("U")]
    if type_.startswith("U"):
        return Fraction(0), Fraction(2**bits - 1), Fraction(1)
    half = Fraction(2 ** (bits - 1))
    return -half, half - 1, Fraction(1)


def _beyond(domain: Domain) -> str:
    """Why dates cannot be those of a domain: they are not of the years 1 to 9999."""
    try:
        for end in domain.ends:
            value_of(domain.sort, end * domain.unit)
    except (OverflowError, ValueError):
        return "the domain has dates before the year 1 or after 9999"
    return ""


def kind_of_type(type_: str) -> str:
    """What the cells of a column are: integer (any number), text, boolean, date or
    timestamp; nothing where they are none of these.
    """
    if type_ in INTEGERS or type_ == "DOUBLE" or decimal_of(type_):
        return "integer"
    if type_.startswith("ENUM(") and type_.endswith(")"):
        return "text"
    kinds = {"VARCHAR": "text", "BOOLEAN": "boolean"}
    kinds |= {"DATE": DATE, "TIMESTAMP": TIMESTAMP}
    return kinds.get(type_, "")


def comparable(type_: str, given: int | Fraction) -> bool:
    """Whether a number is compared with those of a type exactly: DuckDB finds a
    decimal type for both.
    """
    scale = decimal_of(type_)
    if scale is None:
        return True
    digits, places = scale
    more = 0 if isinstance(given, int) else LITERAL
    # An integer may have 19 digits.
    whole = max(digits - places, 19)
    after = max(places, more)
    return whole + after <= DIGITS


SMALL = 2**31
"""Integers below it are of 32 bits."""
