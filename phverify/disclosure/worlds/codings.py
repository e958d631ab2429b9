"""Cells of the database as what constraints are about, and back.

Integers stay as they are; texts and Booleans stand for their places among the values;
decimals, doubles, dates and timestamps for how many units they are.  A *value* is what
worlds hold: an integer (the code), a text or a Boolean.  A *cell* is what the database
has.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.disclosure.connectives import ordered
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.grids import (
    DATE,
    DAY,
    NUMBER,
    TIMESTAMP,
    amount,
    sort_of,
    value_of,
)
from phverify.disclosure.log.query import Value
from phverify.disclosure.worlds.column_types import INTEGERS, decimal_of, labels_of
from phverify.disclosure.worlds.rounding import sum_of_decimals, sums

DOUBLES = 2**53
"""Integers up to here are doubles, each of them."""


@dataclass(frozen=True)
class Coding:
    """Values of a column as integers in their order, and its cells as values.

    ``type`` is that of the column in DuckDB's words; ``unordered`` says that who
    answered the log does not order texts by their bytes.
    """

    domain: Domain
    type: str = ""
    unordered: bool = False

    @property
    def kind(self) -> str:
        """integer (whatever number), text, boolean, date or timestamp."""
        domain = self.domain
        if self.integral and domain.sort != NUMBER:
            return domain.sort
        return domain.kind

    @cached_property
    def integral(self) -> bool:
        """Whether the values are integers."""
        return self.domain.integral

    @cached_property
    def unit(self) -> Fraction:
        """What a code is a multiple of."""
        return self.domain.unit

    # values and codes

    def code(self, value: Value) -> int:
        """The integer of a value.

        A missing one has the least, which its flag makes meaningless.
        """
        if value is None:
            return self.low
        if self.integral:
            return int(value)
        return self.domain.values.index(value)

    def value(self, code: int) -> Value:
        """The value of an integer."""
        if self.integral:
            return code
        return self.domain.values[code]

    def position(self, given: Any) -> Fraction:
        """Where a constant of a query stands among the codes.

        Between two of them when it is none of the values.
        """
        if not self.integral:
            return self._place(given)
        if self.type == "DOUBLE":
            return self._beside_doubles(Fraction(given))
        exact = amount(given)
        # The database takes a date beside a timestamp for its first instant.
        given_sort = sort_of(given)
        if (self.domain.sort, given_sort) == (TIMESTAMP, DATE):
            exact *= DAY
        if (self.domain.sort, given_sort) == (DATE, TIMESTAMP):
            exact /= DAY
        return exact / self.unit

    def _place(self, given: Any) -> Fraction:
        """The place of a text or a Boolean."""
        # Texts are ordered by their bytes, as DuckDB orders them.
        ranks = list(map(ordered, self.domain.values))
        rank = ordered(given)
        place = bisect.bisect_left(ranks, rank)
        if rank in ranks:
            return Fraction(place)
        # Equal to no code, and on the right side of each.
        between = 2 * place - 1
        return Fraction(between, 2)

    def _beside_doubles(self, exact: Fraction) -> Fraction:
        """The place of a number that the database rounds to a double, among cells that
        are the doubles next to their amounts.
        """
        here = float(exact)
        units = exact / self.unit
        near = math.floor(units)
        # Rounding keeps the order: the number lies between these two, or on one.
        for code in (near, near + 1):
            cell = code * self.unit
            if float(cell) == here:
                return Fraction(code)
        between = 2 * near + 1
        return Fraction(between, 2)

    @cached_property
    def codes(self) -> Sequence[int]:
        """All codes, in their order."""
        domain = self.domain
        if not self.integral:
            return range(len(domain.values))
        if domain.values:
            return tuple(map(int, domain.values))
        return range(domain.low, domain.high + 1)

    @property
    def low(self) -> int:
        """The least code."""
        return self.codes[0]

    @property
    def high(self) -> int:
        """The greatest code."""
        return self.codes[-1]

    @property
    def gaps(self) -> tuple[int, ...]:
        """All codes, where they do not fill the range."""
        wide = self.high - self.low + 1
        # A range without gaps is its two ends: millions of codes are not listed.
        if wide == len(self.codes):
            return ()
        return tuple(self.codes)

    def allows(self, value: Any) -> bool:
        """Whether a cell may hold this value."""
        domain = self.domain
        if value is None:
            return domain.null
        # A fraction lies between two codes.
        if domain.integral and type(value) is not int:
            return False
        if domain.values:
            return value in domain.values
        return bool(domain.low <= value <= domain.high)

    # cells of the database

    @cached_property
    def plain(self) -> bool:
        """Whether each cell is its own value."""
        if not self.integral:
            return True
        return self.type in INTEGERS and not self.domain.scaled

    def inward(self, cell: Any) -> Any:
        """The value of a cell, or of a SUM of cells; a fraction between two codes.

        A text where the cell is no number.
        """
        if cell is None or not self.integral:
            # A SUM of Booleans counts those that are true.
            return cell
        if not sort_of(cell):
            return str(cell)
        if self.type != "DOUBLE":
            return _whole(self.domain.code(cell))
        units = Fraction(cell) / self.unit
        near = round(units)
        nearest = near * self.unit
        if float(nearest) == cell:
            return near
        # No sum of cells, and no cell: whatever it is, it is no code.
        return Fraction(2 * near + 1, 2)

    def total(self, cell: Any) -> int:
        """The sum of the codes where SUM has this value."""
        inner = self.inward(cell)
        if isinstance(inner, Fraction):
            what = f"{cell} is no sum of multiples of {self.unit}"
            raise AssertionError(what)
        return int(inner)

    def of_aggregate(self, kind: str, cell: Any) -> int:
        """The code of what SUM, MIN or MAX has answered."""
        if kind == "sum":
            return self.total(cell)
        value = self.inward(cell)
        return self.code(value)

    @property
    def added(self) -> int:
        """How many of the integers that the database adds up the unit is: hundredths
        where a decimal has two places; of doubles, the numerator.
        """
        scale = decimal_of(self.type)
        if scale is None:
            return self.unit.numerator
        _, places = scale
        shifted = self.unit * 10**places
        return int(shifted)

    def sums(self, mean: float, count: int) -> range:
        """The sums of codes of so many cells of which AVG is ``mean``.

        Raises ArithmeticError where rounding is unclear.
        """
        scale = decimal_of(self.type)
        if scale is None:
            units = count / self.unit
            return sums(mean, units)
        _, places = scale
        total = sum_of_decimals(mean, count, places)
        exact = Fraction(total, self.added)
        code = int(exact)
        # No sum of codes where it is no whole number of units.
        after = code + (exact == code)
        return range(code, after)

    def outward(self, value: Value) -> Any:
        """The cell of a value."""
        if value is None or not self.integral:
            return value
        exact = int(value) * self.unit
        if self.domain.sort != NUMBER:
            return value_of(self.domain.sort, exact)
        if self.type == "DOUBLE":
            return float(exact)
        scale = decimal_of(self.type)
        if scale is not None:
            _, places = scale
            digits = int(exact * 10**places)
            whole = Decimal(digits)
            return whole.scaleb(-places)
        return int(exact)

    # what is understood of the column

    @cached_property
    def exact(self) -> bool:
        """Whether each cell is exactly its amount.  A double is so where the unit is a
        sum of few powers of two: sums are then exact, in any order.
        """
        if self.type != "DOUBLE":
            return True
        below = self.unit.denominator
        bits = below & (below - 1)
        power_of_two = bits == 0
        small = below < 2**200
        return power_of_two and small and self._fits(1)

    def _fits(self, cells: int) -> bool:
        """Whether sums of so many cells are doubles, each of them."""
        ends = abs(self.low), abs(self.high)
        most = max(*ends, 1)
        largest = most * cells * self.unit.numerator
        return largest <= DOUBLES

    def summed(self, kind: str, cells: int) -> str:
        """Why SUM, AVG or MEDIAN of so many cells is not audited; "" where it is."""
        if kind == "sum" and self.domain.values == (False, True):
            return ""
        if not self.integral or self.domain.sort != NUMBER:
            return f"a column of {self.kind}s"
        if self.type == "DOUBLE" and not (self.exact and self._fits(max(cells, 2))):
            return (
                f"a column of doubles in steps of {self.domain.shown(1)}: the sum"
                " depends on the order of the rows (store it as DECIMAL)"
            )
        scale = decimal_of(self.type)
        if kind != "median":
            return ""
        if scale is not None:
            halves = self.unit * 10 ** scale[1] / 2
            if halves.denominator != 1:
                return "a column of decimals: DuckDB cuts the mean of the middle two"
        elif self.unit != 1 and not self._fits(2):
            return "a column of integers beyond 2^52"
        return ""

    @property
    def beside_integers(self) -> bool:
        """Whether the cells are other numbers than integers, or dates."""
        if not self.integral:
            return False
        plain = self.type in ("", *INTEGERS)
        return self.domain.scaled or not plain

    @cached_property
    def by_place(self) -> bool:
        """Whether the database orders the values by their bytes; an enumeration only
        where it is declared in that order.
        """
        if self.unordered and self.domain.kind == "text":
            return False
        if not self.type.startswith("ENUM("):
            return True
        labels = labels_of(self.type)
        listed = [text.encode() for text in labels]
        in_order = sorted(listed)
        return listed == in_order


def _whole(exact: Fraction) -> int | Fraction:
    """An integer where a fraction is one."""
    return exact.numerator if exact.denominator == 1 else exact
