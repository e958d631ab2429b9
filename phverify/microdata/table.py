"""An information system (Definition 5) as coded columns: a code per row and a label per
code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from phverify.errors import InputError, Problems, no_column, refusal
from phverify.exact import Ints
from phverify.spec.source import Names, Values
from phverify.spec.types import TEXT, ValueType

Label = str | None
"""A cell's text; ``None`` is a missing cell, which is a value of its own."""


@dataclass(frozen=True, eq=False)
class Column:
    """``labels[codes[row]]`` is the cell.  Labels are distinct and every label
    occurs.
    """

    codes: Ints
    labels: Values

    def typed(self, kind: ValueType, where: str) -> Column:
        """The column in the type's canonical texts.  Raises InputError naming a value
        that does not fit.
        """
        if kind == TEXT:
            return self
        texts = [
            None if label is None else _canonical(kind, label, where)
            for label in self.labels
        ]
        return Column(*merge_labels(self.codes, texts))

    def taken(self, rows: Ints) -> Column:
        """The cells of these rows, in their order."""
        kept, codes = np.unique(self.codes[rows], return_inverse=True)
        return Column(codes, tuple(self.labels[k] for k in kept.tolist()))

    @staticmethod
    def coded(labels: Iterable[Label], known: Values) -> Ints:
        """The place of each label among those that are known."""
        place = {label: k for k, label in enumerate(known)}
        return np.array([place[label] for label in labels], dtype=np.int64)

    def cells(self) -> list[Label]:
        """The cells by row."""
        return [self.labels[code] for code in self.codes.tolist()]

    def missing(self) -> int:
        """How many cells are missing."""
        if None not in self.labels:
            return 0
        return int(np.count_nonzero(self.codes == self.labels.index(None)))


Coded = Mapping[str, Column]


def merge_labels(codes: Ints, texts: list[Label]) -> tuple[Ints, Values]:
    """Codes and labels after labels that became equal are made one."""
    labels = tuple(dict.fromkeys(texts))
    if len(labels) == len(texts):
        return codes, labels
    return Column.coded(texts, labels)[codes], labels


def _canonical(kind: ValueType, label: str, where: str) -> str:
    try:
        return kind.canonical(label)
    except ValueError:
        hint = f"the policy's [types] says {kind.name}; use text, or mend the value"
        if kind.name == "ordered":
            hint = f"the policy's [types] lists {', '.join(kind.order)}"
        if kind.name == "date":
            hint = "dates are written as 1956-03-23; say text for anything else"
        raise refusal(where, f"{label!r} is no {kind.name} value", hint, True) from None


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length, in the order of the file; ``notes`` says what reading it
    decided.
    """

    source: str
    columns: Coded
    rows: int
    notes: Names = field(default=())

    def column(self, name: str) -> Column:
        if name not in self.columns:
            raise InputError(no_column(self.source, name, self.columns))
        return self.columns[name]

    def taken(self, rows: Ints) -> Table:
        """These rows, in their order."""
        return Table(
            self.source,
            {name: c.taken(rows) for name, c in self.columns.items()},
            len(rows),
            self.notes,
        )

    def only(self, names: Iterable[str]) -> Table:
        """These columns alone."""
        return Table(
            self.source, {name: self.columns[name] for name in names}, self.rows
        )

    def require(self, names: Iterable[str]) -> Problems:
        """A problem for each column that is not there."""
        return [
            no_column(self.source, name, self.columns)
            for name in names
            if name not in self.columns
        ]

    def plain(self, names: Iterable[str]) -> dict[str, Values]:
        """Those of the columns that are there, as texts by row; an empty text is a
        missing cell.
        """
        wanted = {*names}
        there = {
            name: column.cells()
            for name, column in self.columns.items()
            if name in wanted
        }
        return {
            name: tuple(cell or None for cell in cells) for name, cells in there.items()
        }
