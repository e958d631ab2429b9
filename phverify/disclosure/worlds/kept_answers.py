"""Answers as they were published: kept with the log, rounded, or with noise.

A kept answer is what the adversary knows.  Where the present table cannot have given
it, the data changed since, or the log is not of this table: the table is no world
then, and nothing is said of what follows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from phverify.disclosure.histories.settings import Published
from phverify.disclosure.log import query as q
from phverify.disclosure.log.bags import bag, same_bag
from phverify.disclosure.log.ranges import NumberRange, brief, fits, range_places
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.log.statements import KeptAnswer
from phverify.disclosure.worlds.database import INTEGERS, Database, Row, Rows

_NUMERAL = re.compile(r"[+-]?(\d{1,999}(\.\d{0,999})?|\.\d{1,999})([eE][+-]?\d{1,3})?")
_TRUTHS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
DIGITS = 17
"""So many digits tell one double from another."""
SHOWN = 3


class Contradicted(Unsupported):
    """A kept answer that the present table does not give."""

    status = "contradicted"
    final = True


class Unread(Unsupported):
    """A kept answer that is not understood."""

    final = True


@dataclass(frozen=True, eq=False)
class Answers:
    """How the answers of a log are known: as they are, or rounded, or kept."""

    source: Database
    published: Published

    def given(
        self, query: q.SqlQuery, text: str, present: Rows, kept: KeptAnswer | None
    ) -> tuple[Row, ...]:
        """The answer as the adversary has it, with ranges where it is not exact.

        ``present`` is what the table answers.  Raises Contradicted, and Unsupported for
        what is not understood, or known by the kept answer alone.
        """
        numbers = _numbers(query)
        if kept is None:
            if self.published.exact or not numbers:
                return tuple(present)
            return tuple([self.rounded(row, numbers) for row in present])
        rows = self.read(text, kept, frozenset() if self.published.exact else numbers)
        if not agree(present, rows):
            raise contradiction(present, rows)
        return rows

    def check(self, text: str, kept: KeptAnswer | None) -> None:
        """Whether a statement in whatever form was answered as the table does.

        Raises Contradicted, and Otherwise and duckdb.Error where it has no answer.
        """
        if kept is None:
            return
        present = self.source.agreed(text)
        rows = self.read(text, kept, frozenset())
        if not agree(present, rows):
            raise contradiction(present, rows)

    def read(
        self, text: str, kept: KeptAnswer, numbers: frozenset[int]
    ) -> tuple[Row, ...]:
        """A kept answer in the types of the query; ``numbers`` are places of ranges."""
        described = self.source.execute(f"DESCRIBE {text}")
        names = [str(row[0]).lower() for row in described]
        types = [str(row[1]) for row in described]
        order = _order(kept, names)
        rows = []
        for cells in kept.rows:
            if len(cells) != len(types):
                raise Unread(
                    f"its kept answer has rows of {len(cells)} cells, and it shows"
                    f" {len(types)}"
                )
            row = []
            for place, kind in enumerate(types):
                number = place in numbers
                cell = cells[order[place]]
                row.append(self.cell(cell, kind, number))
            rows.append(tuple(row))
        return tuple(rows)

    def cell(self, cell: Any, kind: str, number: bool) -> Any:
        """A kept cell as a query's answer has it.  Raises Unread."""
        if cell is None:
            return None
        if _numeric(kind):
            return self.range(cell) if number else _number(cell, kind)
        if kind == "VARCHAR":
            return _text(cell)
        if kind == "BOOLEAN":
            truth = _TRUTHS.get(str(cell).lower())
            if truth is None:
                raise Unread(f"its kept answer has {str(cell)!r} for a Boolean")
            return truth
        ((cast,),) = self.source.execute(f"SELECT CAST(? AS {kind})", [str(cell)])
        return cast

    def range(self, cell: Any) -> NumberRange:
        """What a published number says of the true one.  Raises Unsupported."""
        said = _exact(cell)
        unit = self.published.unit
        if unit is not None and said % unit:
            raise Unread(
                f"its kept answer has {brief(cell)!r}, which is not rounded to {unit}"
            )
        far = self.published.far
        return NumberRange(said - far, said + far, str(cell))

    def rounded(self, row: Row, numbers: frozenset[int]) -> Row:
        """An answer of the table as it was published.

        Raises Unsupported where that is not known: noise, and numbers in the middle.
        """
        unit = self.published.unit
        cells = list(row)
        for place in numbers:
            cell = row[place]
            if isinstance(cell, bool) or not isinstance(cell, (int, float, Decimal)):
                continue
            if not math.isfinite(cell):
                # no number to be rounded
                continue
            if unit is None or self.published.far != unit / 2:
                raise Unsupported("its answer had noise and was not kept")
            true = Fraction(cell)
            below = math.floor(true / unit) * unit
            slack = Fraction(math.ulp(cell)) if isinstance(cell, float) else Fraction(0)
            middle = below + unit / 2
            if abs(true - middle) <= slack:
                raise Unsupported(
                    "its answer is in the middle of two rounded ones, and was not kept"
                )
            said = below if true < middle else below + unit
            far = self.published.far
            cells[place] = NumberRange(said - far, said + far, str(said))
        return tuple(cells)


def _numbers(query: q.SqlQuery) -> frozenset[int]:
    """The places of an answer that have aggregates of numbers."""
    places = set()
    for place, item in enumerate(query.shown):
        if isinstance(item, q.Aggregate):
            places.add(place)
    return frozenset(places)


def _order(kept: KeptAnswer, names: Sequence[str]) -> list[int]:
    """Where each column of the query stands in the kept answer.

    By name where it has the names of the query, else as they stand.
    """
    given = [name.lower() for name in kept.names]
    by_name = sorted(given) == sorted(names) and len(set(names)) == len(names)
    if by_name:
        return [given.index(name) for name in names]
    return list(range(len(names)))


def _exact(cell: Any) -> Fraction:
    """A number as it was written.  Raises Unsupported for what is none."""
    if isinstance(cell, (int, Decimal)) and not isinstance(cell, bool):
        if isinstance(cell, int) or cell.is_finite():
            return Fraction(cell)
    elif isinstance(cell, float) and math.isfinite(cell):
        return Fraction(repr(cell))
    elif isinstance(cell, str) and _NUMERAL.fullmatch(cell.strip()):
        return Fraction(cell.strip())
    raise Unread(f"its kept answer has {brief(cell)!r}, which is no number")


def _numeric(kind: str) -> bool:
    """Whether a type of DuckDB has numbers."""
    return kind in INTEGERS or kind in ("DOUBLE", "FLOAT") or kind.startswith("DECIMAL")


def _number(cell: Any, kind: str) -> Any:
    """A number as a query of DuckDB has it.

    One with more digits than a double has is of an engine that divides decimals: the
    true number is within half of its last digit.
    """
    exact = _exact(cell)
    if kind in INTEGERS:
        # What is no integer is no answer of the table: it is told as such.
        return exact.numerator if exact.denominator == 1 else exact
    if kind not in ("DOUBLE", "FLOAT"):
        return Decimal(str(cell))
    try:
        number = float(exact)
    except OverflowError:
        said = brief(cell)
        raise Unread(
            f"its kept answer has {said!r}, which is beyond what a double is"
        ) from None
    text = str(cell).strip()
    plain = re.fullmatch(r"[+-]?(\d+)\.(\d+)", text)
    if plain is None or Fraction(number) == exact:
        return number
    if len((plain[1] + plain[2]).lstrip("0")) <= DIGITS:
        return number
    half = Fraction(1, 2 * 10 ** len(plain[2]))
    return NumberRange(exact - half, exact + half, text)


def _text(cell: Any) -> str:
    """A text.  Raises Unsupported for what is none."""
    if isinstance(cell, (list, dict, bool)):
        raise Unread(f"its kept answer has {str(cell)!r} for a text")
    return str(cell)


def agree(present: Rows, kept: Rows) -> bool:
    """Whether the table's own answer is the one that was kept."""
    if range_places(kept):
        return fits(present, kept)
    return same_bag(present, kept)


def contradiction(present: Rows, kept: Rows) -> Contradicted:
    """What is said of a kept answer that is not the table's."""
    if range_places(kept):
        ours, theirs = list(present), list(kept)
    else:
        ours = list((bag(present) - bag(kept)).elements())
        theirs = list((bag(kept) - bag(present)).elements())
    answered = _shown(theirs) if theirs else "without these rows"
    table = f"the table says {_shown(ours)}" if ours else "the table has no such rows"
    return Contradicted(
        f"it was answered {answered}, and {table}: the data changed since, or the log"
        " is not of this table"
    )


def _shown(rows: Sequence[Row]) -> str:
    """Some rows in quotes, which --redact hides."""
    shown = []
    for row in rows[:SHOWN]:
        cells = [_cell(cell) for cell in row]
        shown.append(", ".join(cells))
    more = f" and {len(rows) - SHOWN} more rows" if len(rows) > SHOWN else ""
    return f"'{'; '.join(shown)}'{more}"


def _cell(cell: Any) -> str:
    """A cell as it is shown."""
    if cell is None:
        return "missing"
    number = isinstance(cell, (int, float, Decimal, Fraction))
    return brief(cell) if number else str(cell)
