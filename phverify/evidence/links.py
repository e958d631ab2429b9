"""What a linkage method says: for each released record, numbers on original records or on sets of them.

A method is a file or a DataFrame with one line for each link: released record, original record, probability
(Torra and Stokes, Definition 5), or released record, set of original records, mass (Definition 10).  Numbers are
read from their texts as exact fractions and must sum to 1 for each released record, unless normalizing is asked for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from phverify.errors import InputError, Problem, nearest
from phverify.exact import Ints, rational
from phverify.tables.read import read
from phverify.tables.table import Column, Label, Table

Focal = tuple[tuple[tuple[int, ...], Fraction], ...]
"""Sets of original records (numbers from 0, ascending) with their masses."""

ALIASES = {
    "record": ("record", "released", "released_record", "released_row", "unique_id_l"),
    "original": ("original", "original_record", "original_row", "unique_id_r"),
    "set": ("set", "candidates", "original_rows"),
    "probability": ("probability", "match_probability", "mass", "score"),
}
"""What the columns may be called; ``unique_id_l``, ``unique_id_r`` and ``match_probability`` are splink's."""
BY_ROW = {"released_row", "original_row", "original_rows"}
"""Columns that hold row numbers from 1, whatever the identifiers are."""
FEW = 5
"""So many problems of one kind are told; of the rest their number."""


@dataclass(frozen=True)
class Names:
    """What the records of a table are called: by an identifier, else by their row numbers from 1.

    ``letter`` is d for released records and i for original ones: ``d3`` is the third row, too, unless some identifiers
    are written like that.
    """

    letter: str
    rows: int
    names: Sequence[str] = ()

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    @cached_property
    def _by_number(self) -> re.Pattern[str] | None:
        """How a row number is written; None where identifiers look like that, and a misspelt one would be a number."""
        pattern = re.compile(rf"{self.letter}{'' if self.names else '?'}([1-9]\d{{0,17}})", re.ASCII)
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

    def unknown(self, text: str) -> str:
        """A hint for a name that no record has."""
        what = "original" if self.letter == "i" else "released"
        if self.names:
            return nearest(text, self.names, f"{what} records")
        return f"{what} records are 1 to {self.rows}, or {self.letter}1 to {self.letter}{self.rows}"


@dataclass(frozen=True, eq=False)
class Links:
    """A linkage method's answers.

    ``said[record]`` are the focal sets of a released record with masses that sum to 1; where ``sets`` is false the
    method gave probabilities, and every set is one record.  ``normalized`` counts the released records whose
    numbers did not sum to 1 and were divided by their sum.
    """

    source: str
    said: Mapping[int, Focal]
    sets: bool
    normalized: int = 0

    def probability(self, record: int) -> dict[int, Fraction]:
        """The pignistic distribution of the answer for a record (Definition 4); a probability is its own."""
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
    normalize: bool = False,
) -> Links:
    """The links in a file (CSV, Parquet) or a DataFrame.

    ``columns`` says what the columns ``record``, ``original`` (or ``set``) and ``probability`` are called there.
    With ``normalize``, the numbers of each released record are divided by their sum.
    Raises InputError with everything that is wrong.
    """
    table = read(source, (), "links")
    roles = _roles(table, columns or {})
    reading = _Reading(table, roles, released, original)
    said = reading.said(normalize)
    if reading.problems:
        raise InputError(reading.problems)
    return Links(table.source, said, "set" in roles, reading.normalized)


def _roles(table: Table, given: Mapping[str, str]) -> dict[str, str]:
    """The column of each role.  Raises InputError for roles without a column, and columns that are not there."""
    _there(table, given)
    roles = {role: name for role, names in ALIASES.items() for name in names[::-1] if name in table.columns}
    roles |= given
    if "original" in roles and "set" in roles:
        del roles["original" if "set" in given or "original" not in given else "set"]
    absent = [] if "record" in roles else [("record", "the released record")]
    absent += (
        [] if {"original", "set"} & set(roles) else [("original", "the original record, or as 'set' a set of them")]
    )
    if absent:
        known = f"its columns: {', '.join(map(repr, table.columns))}; --columns names them"
        raise InputError(Problem(table.source, f"no column {role!r} holds {what}", known) for role, what in absent)
    return roles


def _there(table: Table, given: Mapping[str, str]) -> None:
    problems = [
        Problem("columns", f"there is no role {role!r}", nearest(role, ALIASES, "roles"))
        for role in given
        if role not in ALIASES
    ]
    problems += [
        Problem(table.source, f"there is no column {name!r}", nearest(name, table.columns, "its columns"))
        for name in given.values()
        if name not in table.columns
    ]
    if problems:
        raise InputError(problems)


class _Reading:
    """One walk over the lines of a links table; collects problems."""

    def __init__(self, table: Table, roles: Mapping[str, str], released: Names, original: Names) -> None:
        self.table, self.roles = table, roles
        self.released = replace(released, names=()) if roles["record"] in BY_ROW else released
        self.original = replace(original, names=()) if BY_ROW & {*roles.values()} - {roles["record"]} else original
        self.problems: list[Problem] = []
        self.normalized = 0

    def said(self, normalize: bool) -> dict[int, Focal]:
        record = self.looked_up("record", lambda text: self.found(text, self.released, "released"))
        role = "set" if "set" in self.roles else "original"
        focal = self.looked_up(role, self.members if role == "set" else self.single)
        numbers = self.looked_up("probability", self.number) if "probability" in self.roles else None
        lines = zip(*(self.column(role, found) for role, found in (("record", record), (role, focal))), strict=True)
        values = self.column("probability", numbers) if numbers is not None else [Fraction(1)] * self.table.rows
        answers: dict[int, dict[tuple[int, ...], Fraction]] = defaultdict(dict)
        twice: list[str] = []
        for (released, members), value in zip(lines, values, strict=True):
            if released is None or members is None or value is None:
                continue
            if members in answers[released]:
                twice.append(f"{self.released.say(released)!r} is linked to {self.shown(members)!r} twice")
            answers[released][members] = value
        self.tell(twice, "give every link once")
        return self.summed(answers, normalize) if not self.problems else {}

    def looked_up(self, role: str, meaning: Callable[[str], Any]) -> list[Any]:
        """What the labels of a column mean; None where they mean nothing, which is told."""
        name = self.roles[role]
        column = self.table.columns[name]
        wrong: list[tuple[str, str]] = []
        found: list[Any] = []
        for label in column.labels:
            try:
                found.append(meaning(_present(label)))
            except _Wrong as error:
                wrong.append((f"{name}, row {_first(column, label)}: {error}", error.hint))
                found.append(None)
        for what, hint in wrong[:FEW]:
            self.problems.append(Problem(self.table.source, what, hint, True))
        self.tell_more(len(wrong) - FEW, f"more values of {name!r} like these")
        return found

    def column(self, role: str, meanings: Sequence[Any]) -> list[Any]:
        return [meanings[code] for code in self.table.columns[self.roles[role]].codes.tolist()]

    def found(self, text: str, names: Names, what: str) -> int:
        index = names.find(text)
        if index is None:
            raise _Wrong(f"there is no {what} record {text!r}", names.unknown(text))
        return index

    def single(self, text: str) -> tuple[int, ...]:
        return (self.found(text, self.original, "original"),)

    def members(self, text: str) -> tuple[int, ...]:
        """``{r1 r2}``: names apart by blanks, or by semicolons where names hold blanks."""
        inner = text.strip().removeprefix("{").removesuffix("}").strip()
        if (one := self.original.find(inner)) is not None:
            return (one,)
        names = [part.strip() for part in inner.split(";" if ";" in inner else None)]
        if not any(names):
            raise _Wrong("a mass is on the empty set", "nothing comes from no record: leave the line out")
        found = sorted(self.found(name, self.original, "original") for name in names if name)
        if len(set(found)) < len(found):
            raise _Wrong(f"a record is in {text!r} twice", "a set holds every record once")
        return tuple(found)

    def number(self, text: str) -> Fraction:
        try:
            value = rational(text)
        except ValueError as error:
            raise _Wrong(str(error), "write 0.25, 1/4 or 25%") from None
        if value < 0:
            raise _Wrong(f"{text} is negative", "probabilities, masses and scores are at least 0")
        return value

    def summed(self, answers: Mapping[int, Mapping[tuple[int, ...], Fraction]], normalize: bool) -> dict[int, Focal]:
        wrong: list[str] = []
        said: dict[int, Focal] = {}
        for record, given in sorted(answers.items()):
            total = sum(given.values(), Fraction(0))
            if total != 1 and (not normalize or total == 0):
                wrong.append(f"the numbers of {self.released.say(record)!r} sum to {sum_text(total)}, not to 1")
                continue
            self.normalized += total != 1
            said[record] = tuple((members, value / total) for members, value in sorted(given.items()) if value)
        hint = "a sum of 0 cannot be normalized" if normalize else "--normalize divides the numbers by their sum"
        self.tell(wrong, hint)
        return said

    def shown(self, members: Iterable[int]) -> str:
        names = [self.original.say(k) for k in members]
        return names[0] if len(names) == 1 else "{" + " ".join(names[:FEW]) + (" ..}" if len(names) > FEW else "}")

    def tell(self, what: Sequence[str], hint: str) -> None:
        self.problems += [Problem(self.table.source, text, hint, True) for text in what[:FEW]]
        self.tell_more(len(what) - FEW, "more records like these")

    def tell_more(self, count: int, what: str) -> None:
        if count > 0:
            self.problems.append(Problem(self.table.source, f"and {count:,} {what}"))


class _Wrong(Exception):
    """A cell that means nothing, and what could be meant."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def _present(label: Label) -> str:
    if label is None:
        raise _Wrong("the cell is empty")
    return label


def _first(column: Column, label: Label) -> int:
    """The first row, from 1, with a label."""
    rows: Ints = np.flatnonzero(column.codes == column.labels.index(label))
    return int(rows[0]) + 1


def sum_text(total: Fraction) -> str:
    """A sum as a fraction, or as a decimal number where that is long."""
    short = max(total.numerator, total.denominator) < 10**6
    return str(total) if short else f"about {Context(prec=6).divide(total.numerator, total.denominator)}"
