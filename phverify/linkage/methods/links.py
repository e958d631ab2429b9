"""What a linkage method says: for each released record, numbers on original records or
on sets of them.

A method is a file or a DataFrame with one line for each link: released record, original
record, probability (Torra and Stokes, Definition 5), or released record, set of
original records, mass (Definition 10).  Numbers are read from their texts as exact
fractions and must sum to 1 for each released record, unless ``answers`` reads them in
another way.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.exact import ZERO
from phverify.linkage.methods.answers import LinkReading, Members, MethodAnswer
from phverify.linkage.methods.roles import BY_ROW, roles_of
from phverify.microdata.read import read
from phverify.microdata.table import Table
from phverify.spec.source import rational

Focal = tuple[tuple[tuple[int, ...], Fraction], ...]
"""Sets of original records (numbers from 0, ascending) with their masses."""

PLAIN = LinkReading()
FEW = 5
"""So many problems of one kind are told; of the rest their number."""
SUMS = (
    "--pairwise takes each number as the probability that this pair is a match; "
    "--normalize divides the numbers by their sum, as it fits scores"
)
"""What is said where numbers do not sum to 1."""


@dataclass(frozen=True)
class Names:
    """What the records of a table are called: by an identifier, else by their row
    numbers from 1.

    ``letter`` is d for released records and i for original ones: ``d3`` is the third
    row, too, unless some identifiers are written like that.
    """

    letter: str
    rows: int
    names: Sequence[str] = ()

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    @cached_property
    def _by_number(self) -> re.Pattern[str] | None:
        """How a row number is written; None where identifiers look like that, and a
        misspelt one would be a number.
        """
        pattern = re.compile(
            rf"{self.letter}{'' if self.names else '?'}([1-9]\d{{0,17}})", re.ASCII
        )
        return None if any(map(pattern.fullmatch, self.names)) else pattern

    def find(self, text: str) -> int | None:
        """The record of a name, from 0."""
        if text in self._index or self._by_number is None:
            return self._index.get(text)
        found = self._by_number.fullmatch(text)
        return int(found[1]) - 1 if found and int(found[1]) <= self.rows else None

    def say(self, index: int) -> str:
        """The name of a record."""
        return self.names[index] if self.names else f"{self.letter}{index + 1}"

    def number(self, text: str) -> int:
        """The record of a name, from 0.  Raises _Wrong for a name that no record
        has.
        """
        found = self.find(text)
        if found is not None:
            return found
        what = "original" if self.letter == "i" else "released"
        hint = (
            f"{what} records are 1 to {self.rows}, or {self.letter}1 to"
            f" {self.letter}{self.rows}"
        )
        hint = nearest(text, self.names, f"{what} records") if self.names else hint
        raise _Wrong(f"there is no {what} record {text!r}", hint)


@dataclass(frozen=True, eq=False)
class Links:
    """A linkage method's answers.

    ``said[record]`` are the focal sets of a released record with their masses; where
    ``sets`` is false the method gave probabilities, and every set is one record.
    ``rest[record]`` is the mass of the whole frame ("none of them"), where there is
    some; all sum to 1.  ``pairs[record]`` are the numbers of its links as ``reading``
    has them: match probabilities where they are pairwise, else shares of the answer.
    ``normalized`` counts the released records whose numbers did not sum to 1 and were
    divided by their sum.
    """

    source: str
    said: Mapping[int, Focal]
    sets: bool
    normalized: int = 0
    rest: Mapping[int, Fraction] = field(default_factory=dict)
    pairs: Mapping[int, Mapping[int, Fraction]] = field(default_factory=dict)
    reading: LinkReading = PLAIN

    @property
    def unmatched(self) -> int:
        """How many released records are linked to nobody: their answer is the whole
        frame.
        """
        return sum(rest == 1 for rest in self.rest.values())

    @property
    def level(self) -> Fraction | None:
        """The match threshold where it speaks of the numbers of ``pairs``, and not of
        scores.
        """
        return None if self.reading.normalize else self.reading.match_threshold

    def probability(self, record: int) -> dict[int, Fraction]:
        """The pignistic distribution of the answer for a record (Definition 4) without
        that of the whole frame.
        """
        found: dict[int, Fraction] = defaultdict(Fraction)
        for members, mass in self.said[record]:
            for member in members:
                found[member] += mass / len(members)
        return dict(found)


def read_links(
    source: Any,
    released: Names,
    original: Names,
    *,
    columns: Mapping[str, str] | None = None,
    how: LinkReading = PLAIN,
) -> Links:
    """The links in a file (CSV, Parquet) or a DataFrame.

    ``columns`` says what the columns ``record``, ``original`` (or ``set``) and
    ``probability`` are called there, ``how`` what the numbers mean.  Raises InputError
    with everything that is wrong.
    """
    table = read(source, (), "links")
    roles = roles_of(table, columns or {}, released.find, original.find)
    if "set" in roles and (how.pairwise or how.match_threshold is not None):
        what = "the masses of sets are no match probabilities of pairs"
        raise refusal(table.source, what, "leave out pairwise and match-threshold")
    return _Lines(table, roles, released, original, how).links()


class _Lines:
    """One walk over the lines of a links table; collects problems."""

    def __init__(
        self,
        table: Table,
        roles: Mapping[str, str],
        released: Names,
        original: Names,
        how: LinkReading,
    ) -> None:
        self.table, self.roles, self.how = table, roles, how
        self.released = (
            replace(released, names=()) if roles["record"] in BY_ROW else released
        )
        self.original = (
            replace(original, names=())
            if BY_ROW & {*roles.values()} - {roles["record"]}
            else original
        )
        self.problems: Problems = []

    def given(self) -> dict[int, dict[Members, Fraction]]:
        """The number of each link, by released record and set of original records."""
        records = self.column("record", self.released.number)
        if "set" in self.roles:
            focal = self.column("set", self.members)
        else:
            focal = self.column("original", lambda text: (self.original.number(text),))
        numbers: list[Any] = [Fraction(1)] * self.table.rows
        if "probability" in self.roles:
            numbers = self.column("probability", self.number)
        found: dict[int, dict[Members, Fraction]] = defaultdict(dict)
        twice: list[_Wrong] = []
        for released, members, value in zip(records, focal, numbers, strict=True):
            if None not in (released, members, value):
                if members in found[released]:
                    what = (
                        f"{self.released.say(released)!r} is linked to"
                        f" {self.shown(members)!r} twice"
                    )
                    twice.append(_Wrong(what, "give every link once"))
                found[released][members] = value
        self.tell(twice, "records")
        return dict(sorted(found.items()))

    def column(self, role: str, meaning: Callable[[str], Any]) -> list[Any]:
        """What the cells of a column mean; None where they mean nothing, which is
        told.
        """
        name = self.roles[role]
        column = self.table.columns[name]
        wrong: list[_Wrong] = []
        found: list[Any] = []
        for code, label in enumerate(column.labels):
            try:
                if label is None:
                    raise _Wrong("the cell is empty")
                found.append(meaning(label))
            except _Wrong as error:
                row = int(np.argmax(column.codes == code)) + 1
                wrong.append(_Wrong(f"{name}, row {row}: {error}", error.hint))
                found.append(None)
        self.tell(wrong, f"values of {name!r}")
        return [found[code] for code in column.codes.tolist()]

    def members(self, text: str) -> tuple[int, ...]:
        """``{r1 r2}``: names apart by blanks, or by semicolons where names hold
        blanks.
        """
        inner = text.strip().removeprefix("{").removesuffix("}").strip()
        if (one := self.original.find(inner)) is not None:
            return (one,)
        names = [part.strip() for part in inner.split(";" if ";" in inner else None)]
        if not any(names):
            raise _Wrong(
                "a mass is on the empty set",
                "nothing comes from no record: leave the line out",
            )
        found = sorted(self.original.number(name) for name in names if name)
        if len(set(found)) < len(found):
            raise _Wrong(
                f"a record is in {text!r} twice", "a set holds every record once"
            )
        return tuple(found)

    def number(self, text: str) -> Fraction:
        try:
            value = rational(text)
        except ValueError as error:
            raise _Wrong(str(error), "write 0.25, 1/4 or 25%") from None
        if value < 0:
            raise _Wrong(
                f"{text} is negative", "probabilities, masses and scores are at least 0"
            )
        if value > 1 and self.how.pairwise:
            raise _Wrong(
                f"{text} is no match probability of a pair", "--normalize is for scores"
            )
        return value

    def links(self) -> Links:
        """What the numbers of each record amount to; tells those that do not sum to 1,
        and raises all problems.
        """
        how, sets, given = self.how, "set" in self.roles, self.given()
        wrong: list[_Wrong] = []
        answers: dict[int, MethodAnswer] = {}
        normalized = 0
        for record, numbers in given.items():
            total = sum(numbers.values(), ZERO)
            normalized += how.normalize and total != 1
            if answer := how.answer(numbers):
                answers[record] = answer
            else:
                what = (
                    f"the numbers of {self.released.say(record)!r} sum to"
                    f" {sum_text(total)}, not to 1"
                )
                wrong.append(
                    _Wrong(
                        what,
                        "a sum of 0 cannot be normalized" if how.normalize else SUMS,
                    )
                )
        if not self.problems:
            self.tell(wrong, "records")
        if self.problems:
            raise InputError(self.problems)
        said = {
            record: tuple(sorted(answer.masses.items()))
            for record, answer in answers.items()
        }
        rest = {
            record: answer.rest for record, answer in answers.items() if answer.rest
        }
        # the originals that a record may be linked with, at some threshold: those with
        # a number above 0
        shown = {
            record: answers[record].masses if how.normalize else numbers
            for record, numbers in given.items()
        }
        pairs = {
            r: {members[0]: number for members, number in some.items() if number}
            for r, some in shown.items()
        }
        return Links(
            self.table.source, said, sets, normalized, rest, {} if sets else pairs, how
        )

    def shown(self, members: Iterable[int]) -> str:
        names = [self.original.say(k) for k in members]
        return (
            names[0]
            if len(names) == 1
            else "{" + " ".join(names[:FEW]) + (" ..}" if len(names) > FEW else "}")
        )

    def tell(self, found: Iterable[_Wrong], things: str) -> None:
        """Some of what is wrong with cells or records, and how much more there is."""
        wrong, source = list(found), self.table.source
        self.problems += [
            Problem(source, str(error), error.hint, True) for error in wrong[:FEW]
        ]
        if len(wrong) > FEW:
            self.problems.append(
                Problem(source, f"and {len(wrong) - FEW:,} more {things} like these")
            )


class _Wrong(Exception):
    """A cell that means nothing, and what could be meant."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def sum_text(total: Fraction) -> str:
    """A sum as a fraction, or as a decimal number where that is long; what is not 1 is
    not shown as 1.
    """
    if max(total.numerator, total.denominator) < 10**6:
        return str(total)
    if abs(total - 1) < Fraction(1, 10**4):
        return (
            f"about {decimal_text(abs(total - 1), 2)} {'more' if total > 1 else 'less'}"
            " than 1"
        )
    return f"about {decimal_text(total, 6)}"


def decimal_text(value: Fraction, digits: int) -> str:
    """A number rounded to so many digits that count, whatever its size."""
    return str(Context(prec=digits).divide(value.numerator, value.denominator))
