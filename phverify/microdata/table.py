"""An information system (Definition 5) as coded columns: a code per row and a label per
code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Protocol

import numpy as np

from phverify.errors import InputError, Problem, Problems, refusal
from phverify.errors.near import no_column
from phverify.exact import Ints, IntsPair
from phverify.microdata.freed import keep_freed_memory
from phverify.microdata.grouped_digits import comma_hint, grouped_hint
from phverify.microdata.ondemand import ColumnsOnDemand
from phverify.spec.sampling import RecordSample
from phverify.spec.source import MONTH, Names, Values
from phverify.spec.types import TEXT, ValueType

Parts = tuple[tuple[str, int], ...]
"""The files of one table in their order, each with its number of rows."""
Label = str | None
"""A cell's text; ``None`` is a missing cell, which is a value of its own."""

ONE_CELL = (
    "who has the table tells 0.0 from -0.0, NaN from null, and 1 from '1': write each"
    " value in one way"
)
MANY = 10_000
"""Of so many rows columns are read two at a time."""
FLOAT = re.compile(r"[+-]?\d+\.0+", re.ASCII)
PANDAS = (
    "pandas writes 12 as 12.0 where cells of the column are missing: read the source"
    ' there with dtype=str (or dtype="Int64") and write it again'
)


def float_hint(label: str) -> str:
    """A hint where a text may be an integer that pandas made a float of, else ""."""
    if FLOAT.fullmatch(label):
        return PANDAS
    return ""


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """``labels[codes[row]]`` is the cell.

    Labels are distinct and every label occurs.  Where equal rows stand once, ``counts``
    says how many each of them stands for.  Cells are ``merged`` where different ones
    of the source have one label: 0.0 and -0.0, NaN and null.
    """

    codes: Ints
    labels: Values
    counts: Ints | None = None
    merged: bool = False

    def typed(self, kind: ValueType, where: str) -> CodedColumn:
        """The column in the type's canonical texts.

        Raises InputError naming a value that does not fit.
        """
        # Texts are compared as they are written: ``01`` and ``1`` are two.
        if kind == TEXT:
            return self
        texts: list[Label] = []
        for label in self.labels:
            text = None if label is None else _canonical(kind, label, where)
            texts.append(text)
        codes, labels = merge_labels(self.codes, texts)
        return CodedColumn(codes, labels, self.counts)

    def taken(self, rows: Ints) -> CodedColumn:
        """The cells of these rows, in their order."""
        codes = self.codes.take(rows)
        present = np.zeros(len(self.labels), dtype=bool)
        present[codes] = True
        if present.all():
            return CodedColumn(codes, self.labels)
        # Labels that no row has any more are dropped: every label occurs.
        labels = tuple(compress(self.labels, present.tolist()))
        place = np.cumsum(present) - 1
        return CodedColumn(place[codes], labels)

    @staticmethod
    def coded(labels: Iterable[Label], known: Values) -> Ints:
        """The place of each label among those that are known."""
        place = {label: k for k, label in enumerate(known)}
        codes = [place[label] for label in labels]
        return np.array(codes, dtype=np.int64)

    def cells(self) -> list[Label]:
        """The cells by row."""
        return [self.labels[code] for code in self.codes.tolist()]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        if self.counts is None:
            return len(self.codes)
        return int(self.counts.sum())

    def occurrences(self) -> list[int]:
        """In how many rows each label stands."""
        width = len(self.labels)
        if self.counts is None:
            rows: list[int] = np.bincount(self.codes, minlength=width).tolist()
            return rows
        totals = np.zeros(width, dtype=np.int64)
        # Weights of bincount would pass through floats.
        np.add.at(totals, self.codes, self.counts)
        counted: list[int] = totals.tolist()
        return counted

    def missing(self) -> int:
        """How many cells are missing."""
        if None not in self.labels:
            return 0
        return self.occurrences()[self.labels.index(None)]


Coded = Mapping[str, CodedColumn]


class RowsElsewhere(Protocol):
    """The rows of a table that stay where they are: in a database, or in files.

    Rows are numbered from 0 in the order of the table.  What stands once in the columns
    of the ``CodedTable`` is called a group here.
    """

    @property
    def grouped(self) -> Names:
        """The columns by which rows are grouped."""

    @property
    def counts(self) -> Ints:
        """How many rows each group has."""

    @property
    def firsts(self) -> Ints:
        """The first row of each group."""

    def rows_of(self, groups: Ints) -> IntsPair:
        """The rows of these groups, ascending, and for each the group that it is of."""

    def groups_of(self, rows: Sequence[int]) -> list[int]:
        """The group of each of these rows."""

    def flaws(self, column: str) -> Problems:
        """What is wrong with an identifier column: cells are missing, or not single."""

    def names(self, column: str) -> Sequence[str]:
        """The cells of an identifier column, asked for one by one."""

    def numbers(self, names: Sequence[str]) -> Mapping[str, int]:
        """By identifier the row that has it, asked for one by one."""


@dataclass(frozen=True)
class CellCounts(Mapping[str, Mapping[Label, int]]):
    """How many cells coded columns have of each value, counted when a column is asked
    for.
    """

    columns: Coded

    def __getitem__(self, name: str) -> Mapping[Label, int]:
        column = self.columns[name]
        by_label = zip(column.labels, column.occurrences(), strict=True)
        return {label: count for label, count in by_label if count}

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def merge_labels(codes: Ints, texts: list[Label]) -> tuple[Ints, Values]:
    """Codes and labels after labels that became equal are made one."""
    labels = tuple(dict.fromkeys(texts))
    if len(labels) == len(texts):
        return codes, labels
    # The old code leads to its text, and that to the new code.
    return CodedColumn.coded(texts, labels)[codes], labels


def _canonical(kind: ValueType, label: str, where: str) -> str:
    """The one text of a value of the type.  Raises InputError for another label."""
    try:
        return kind.canonical(label)
    except ValueError:
        hint = f"the policy's [types] says {kind.name}; use text, or mend the value"
        if kind.name == "ordered":
            hint = f"the policy's [types] lists {', '.join(kind.order)}"
        if kind.name == "date":
            hint = "dates are written as 1956-03-23; say text for anything else"
        hint = _number_hint(kind, label) or float_hint(label) or hint
        raise refusal(where, f"{label!r} is no {kind.name} value", hint, True) from None


def _number_hint(kind: ValueType, label: str) -> str:
    """What is said of a number with a separator of thousands or a decimal comma, and of
    a month, where numbers belong.
    """
    match kind.name:
        case "integer":
            return grouped_hint(label)
        case "decimal" if MONTH.fullmatch(label.strip()):
            return "write the months as days, such as 1956-03-01, and say date"
        case "decimal":
            return comma_hint(label)
        case _:
            return ""


@dataclass(frozen=True)
class IndexLevel:
    """A level of a DataFrame's index, which is published as a column is.

    ``numbers``: its cells are integers, as numbers of rows are.
    """

    name: str | None
    numbers: bool


@dataclass(frozen=True, eq=False)
class CodedTable:
    """Columns of equal length, in the order of the file.

    ``notes`` says what reading it decided, and ``parts`` where it is several files.
    ``sample`` is how the rows were drawn where they are some of a table's.
    Where the rows stay in an engine, equal
    ones stand once in the columns, and ``elsewhere`` finds single rows again.
    ``index`` is what a DataFrame has beside its columns, unless it counts from 0.
    """

    source: str
    columns: Coded
    rows: int
    notes: Names = field(default=())
    elsewhere: RowsElsewhere | None = None
    parts: Parts = ()
    sample: RecordSample | None = None
    index: tuple[IndexLevel, ...] = ()

    def column(self, name: str) -> CodedColumn:
        """One column.  Raises InputError where there is none of this name."""
        if name not in self.columns:
            raise InputError(no_column(self.source, name, self.columns))
        return self.columns[name]

    def read(self, names: Iterable[str]) -> None:
        """Read these columns, two at a time where there are many rows."""
        if self.rows < MANY:
            return
        keep_freed_memory()
        if isinstance(self.columns, ColumnsOnDemand):
            self.columns.make_ahead(names)

    def taken(self, rows: Ints) -> CodedTable:
        """These rows, in their order."""
        columns = {name: column.taken(rows) for name, column in self.columns.items()}
        return CodedTable(self.source, columns, len(rows), self.notes)

    def only(self, names: Iterable[str]) -> CodedTable:
        """These columns alone."""
        columns = {name: self.columns[name] for name in names}
        return CodedTable(self.source, columns, self.rows)

    def require(self, names: Iterable[str]) -> Problems:
        """A problem for each column that is not there."""
        absent = [name for name in names if name not in self.columns]
        return [no_column(self.source, name, self.columns) for name in absent]

    def require_told_apart(self, names: Iterable[str]) -> None:
        """Raises InputError where different cells of one of these columns are one
        value here: whoever has the table tells them apart.
        """
        problems: Problems = []
        for name in names:
            if self.columns[name].merged:
                what = f"column {name!r} has cells that differ and are one value here"
                problems.append(Problem(self.source, what, ONE_CELL))
        if problems:
            raise InputError(problems)

    def in_one_way(self) -> CodedTable:
        """The table as it is released: each value is written in one way, and no index
        of the input is left.
        """
        columns = {name: replace(c, merged=False) for name, c in self.columns.items()}
        return replace(self, columns=columns, index=())

    def plain(self, names: Iterable[str]) -> dict[str, Values]:
        """Those of the columns that are there, as texts by row.

        An empty text is a missing cell.
        """
        wanted = {*names}
        texts: dict[str, Values] = {}
        for name, column in self.columns.items():
            if name in wanted:
                texts[name] = tuple(cell or None for cell in column.cells())
        return texts
