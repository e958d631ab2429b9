"""Which cells and constants a query compares exactly: what the database would cast,
round or order by other rules is not audited.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from phverify.disclosure.facts.domains import kind_of
from phverify.disclosure.grids import (
    DATE,
    NUMBER,
    TIMESTAMP,
    date_of,
    sort_of,
)
from phverify.disclosure.log import query as q
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.worlds.codings import Coding
from phverify.disclosure.worlds.column_types import (
    DIGITS,
    INTEGERS,
    comparable,
    decimal_of,
    kind_of_type,
)
from phverify.disclosure.worlds.relation import QueriedRows

POINTS = (DATE, TIMESTAMP)
LARGE = {"HUGEINT", "UHUGEINT"}
SMALL = 15
"""A decimal of so many digits is rounded to a double once."""


def compared_columns(
    operator: str, sides: Sequence[q.Operand], over: QueriedRows
) -> list[Coding]:
    """The codings of the sensitive columns in a comparison.

    Raises Unsupported for sides that are not compared: they are of several kinds, or
    public columns that are of none, or the database would round one of them.
    """
    columns = [side.name for side in sides if isinstance(side, q.SqlColumn)]
    sensitive = [name for name in columns if name in over.frame.codings]
    codings = [over.frame.codings[name] for name in sensitive]
    kinds = {_kind(name, over) for name in columns}
    for side in sides:
        if isinstance(side, q.SqlConstant) and side.value is not None:
            kinds.add(_kind_of_constant(side.value, codings[0]))

    # DuckDB would cast one side, by rules that are not audited.
    if len(kinds) > 1:
        several = " with ".join(sorted(kinds))
        hint = "; a date is written DATE '2020-12-31'" if kinds & set(POINTS) else ""
        raise Unsupported(f"a comparison of {several} is not audited{hint}")
    _ordered(operator, sensitive, codings)
    _of_one_kind(sensitive, codings)
    types = [over.types[name] for name in columns]
    if len(types) > 1 and kinds == {"integer"}:
        _of_numbers(columns, types, codings)
    return codings


def _kind(name: str, over: QueriedRows) -> str:
    """What the cells of a column are.  Raises Unsupported where it is none of ours."""
    coding = over.frame.codings.get(name)
    if coding is not None:
        return coding.kind
    type_ = over.types[name]
    kind = kind_of_type(type_)
    # Of public doubles some are no numbers, and enumerations have their own order.
    if not kind or type_ == "DOUBLE" or type_.startswith("ENUM"):
        raise Unsupported(
            f"{name}, a column of {type_}, beside a sensitive column is not audited"
        )
    return kind


def _kind_of_constant(value: Any, coding: Coding) -> str:
    """What a constant is beside a column.  Raises Unsupported for one that the database
    would round.
    """
    given = literal(value, coding)
    sort = sort_of(given)
    if sort == NUMBER:
        if not comparable(coding.type, given):
            raise Unsupported(
                f"a comparison of {coding.type} with {value} is not audited: DuckDB has"
                f" decimals of up to {DIGITS} digits"
            )
        return "integer"
    # A date beside a timestamp is its first instant.
    if sort in POINTS and coding.kind in POINTS:
        return coding.kind
    return sort or kind_of(given)


def literal(value: Any, coding: Coding) -> Any:
    """A constant beside a column: a text beside dates is a date."""
    if not isinstance(value, str):
        return value
    kind = coding.kind
    if kind not in POINTS:
        return value
    point = date_of(value, kind)
    return point or value


def _ordered(operator: str, names: Sequence[str], codings: Sequence[Coding]) -> None:
    """Raises Unsupported where a column is not ordered as its texts are."""
    for name, coding in zip(names, codings, strict=True):
        if operator not in ("=", "!=") and not coding.by_place:
            raise Unsupported(unordered(name, coding))


def unordered(name: str, coding: Coding) -> str:
    """Why the order of an enumeration, or of collated texts, is not audited."""
    if not coding.type.startswith("ENUM("):
        return (
            f"the order of the texts of {name} is not audited: the server does not"
            " compare them by their bytes (COLLATE)"
        )
    return (
        f"the order of the enumeration {name} is not audited: engines differ, and it is"
        " not declared in the order of its texts"
    )


def _of_one_kind(names: Sequence[str], codings: Sequence[Coding]) -> None:
    """Raises Unsupported where two sensitive columns have other values."""
    domains = {coding.domain.values for coding in codings}
    different = len(domains) > 1
    first = codings[0]
    if different and not first.integral:
        named = " with ".join(names)
        what = f"a comparison of {named}, which have other values, is not audited"
        raise Unsupported(what)


def _of_numbers(
    names: Sequence[str], types: Sequence[str], codings: Sequence[Coding]
) -> None:
    """Raises Unsupported where the database would round one of two numbers."""
    doubles = "DOUBLE" in types
    exact = _doubles(types, codings) if doubles else _common(types)
    if not exact:
        typed = zip(names, types, strict=True)
        shown = [f"{name} ({kind})" for name, kind in typed]
        named = " with ".join(shown)
        raise Unsupported(f"a comparison of {named} is not audited: one is rounded")


def _doubles(types: Sequence[str], codings: Sequence[Coding]) -> bool:
    """Whether doubles and other numbers are compared as they are."""
    if len(codings) > 1:
        alike = len({(one.type, one.unit) for one in codings}) == 1
        plain = all(one.type in ("DOUBLE", *INTEGERS) for one in codings)
        return alike or (plain and all(one.exact for one in codings))
    # Beside public numbers, which are rounded as constants are.
    other = next((kind for kind in types if kind != "DOUBLE"), "DOUBLE")
    digits = decimal_of(other)
    if digits is not None:
        return digits[0] <= SMALL
    return other in INTEGERS - LARGE


def _common(types: Sequence[str]) -> bool:
    """Whether there is a decimal type for the integers and decimals of all types."""
    scales = [decimal_of(kind) for kind in types]
    if not any(scales):
        return True
    # An integer column has 19 digits; of the largest ones there is no telling.
    if not LARGE.isdisjoint(types):
        return False
    whole = after = 0
    for scale in scales:
        digits, places = scale or (20, 0)
        before = digits - places
        whole = max(whole, before)
        after = max(after, places)
    return whole + after <= DIGITS


def bound_of(value: Any, coding: Coding) -> Fraction | None:
    """A constant beside MIN or MAX of a column; None where it is of another kind."""
    if value is None:
        return None
    kind = _kind_of_constant(value, coding)
    if kind != coding.kind:
        return None
    constant = literal(value, coding)
    return coding.position(constant)
