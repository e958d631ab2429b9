"""The rows of a table of probabilities, read from their text and checked one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.errors import InputError, Problem, Problems
from phverify.exact import ZERO
from phverify.mechanisms.mechanism import Exact, Input, Output
from phverify.mechanisms.written import as_decimals
from phverify.microdata.grouped_digits import comma_hint
from phverify.spec.source import Refused, number, writable

SHOWN = 20
"""Problems of a table that are listed."""


@dataclass(frozen=True)
class TableRow:
    """What a file says of one input; ``place`` is where it says so."""

    place: str
    value: str
    probabilities: Mapping[str, Any]


Rows = dict[Input, Mapping[Output, Exact]]
"""The probability of each output, for each input."""


def checked_rows(rows: Iterable[TableRow], where: str, problems: Problems) -> Rows:
    """The probabilities, where all of them are right.

    ``problems`` are those known already.  Raises InputError with them and all that is
    wrong with the rows.
    """
    checked: Rows = {}
    problems = list(problems)
    for row in rows:
        if not row.value.strip():
            problems.append(Problem(row.place, "the input has no name"))
        elif row.value in checked:
            problems.append(Problem(row.place, f"the input {row.value!r} occurs twice"))
        shares, wrong = _read(row)
        if not wrong:
            wrong = _sum_problems(row, shares)
        problems += wrong
        checked[row.value] = shares
    if not checked and not problems:
        problems.append(Problem(where, "there are no rows: a row for each input"))
    more = len(problems) - SHOWN
    if more > 1:
        problems[SHOWN:] = [Problem(where, f"{more:,} more things are wrong")]
    if problems:
        raise InputError(problems)
    return checked


def _read(row: TableRow) -> tuple[dict[Output, Exact], Problems]:
    """The numbers of a row, and what is wrong with them."""
    shares: dict[Output, Exact] = {}
    problems: Problems = []
    for output, written in row.probabilities.items():
        place = f"{row.place}, output {output!r}"
        try:
            share = exact_number(written)
        except (ValueError, Refused) as error:
            usual = "write 3/4, or 0.75 as text: the number is what it says"
            hint = comma_hint(str(written)) or usual
            problems.append(Problem(place, str(error), hint))
            continue
        if share < 0:
            problems.append(Problem(place, f"the probability {written} is negative"))
        shares[output] = share
    return shares, problems


def exact_number(written: Any) -> Fraction:
    """An exact number from its text, an integer or a fraction.

    Raises ValueError for anything else, a float among it, and Refused for a number of
    more than a thousand digits.
    """
    if isinstance(written, str):
        return number(written)
    if isinstance(written, int | Fraction) and not isinstance(written, bool):
        return Fraction(written)
    if isinstance(written, float):
        raise ValueError(f"{written} is a float, which is no exact number")
    raise ValueError(f"{written!r} is no number")


def _sum_problems(row: TableRow, shares: Mapping[Output, Exact]) -> Problems:
    """Whether the row is a distribution."""
    total = sum(map(Fraction, shares.values()), ZERO)
    if total == 1:
        return []
    # A sum of long fractions may be too long to be shown.
    shown = (
        as_decimals(str(total))
        if writable(total)
        else "a fraction of more than 300 digits"
    )
    what = f"the probabilities of input {row.value!r} sum to {shown}, not 1"
    if abs(total - 1) < Fraction(1, 100):
        hint = "write rounded decimals as the fractions they stand for: 1/3, not 0.333"
    else:
        hint = "name every output; what happens otherwise is an output too"
    return [Problem(row.place, what, hint)]
