"""Facts and findings of many rows as sequences: each is made when it is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from phverify.disclosure.classes.fragment import TWO, OutsideClasses, kind_of_column
from phverify.disclosure.classes.selected import Ints, TableArrays
from phverify.disclosure.facts import formula as f
from phverify.disclosure.policy import Protected
from phverify.disclosure.protected import ProtectedFact, about, facts
from phverify.disclosure.result import (
    DISCLOSED,
    SAFE,
    UNDECIDED,
    UNSUPPORTED,
)
from phverify.disclosure.worlds.unknowns import AuditFrame

T = TypeVar("T")
CODES = (DISCLOSED, UNDECIDED, SAFE)
"""Verdicts by their number in arrays."""
Verdicts = NDArray[np.int8]


class MadeWhenAsked(Sequence[T]):
    """A sequence whose items are made when they are looked at."""

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self.size = count
        self.make = make

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        """The item at a place, or those of a slice."""
        if isinstance(place, slice):
            return [self.make(one) for one in range(*place.indices(self.size))]
        if not -self.size <= place < self.size:
            raise IndexError(place)
        return self.make(place % self.size)

    def __iter__(self) -> Iterator[T]:
        return map(self.make, range(self.size))


class CountedFindings(MadeWhenAsked[T]):
    """Findings whose verdicts are counted without making any."""

    def __init__(
        self, verdicts: Verdicts, taint: str, make: Callable[[int], T]
    ) -> None:
        super().__init__(len(verdicts), make)
        self.verdicts = verdicts
        self.taint = taint

    def counts(self) -> Mapping[str, int]:
        """How many findings have each verdict."""
        numbers = np.bincount(
            self.verdicts,
            minlength=len(CODES),
        )
        pairs = zip(CODES, numbers.tolist(), strict=True)
        counts = Counter(dict(pairs))
        if self.taint:
            counts[UNSUPPORTED] = counts.pop(SAFE)
        return +counts


@dataclass(frozen=True, eq=False)
class FactLine:
    """A line of the policy, and the rows that it is about: whether the cells of a
    column there are what they are.
    """

    protected: Protected
    column: str
    rows: Ints


class FactTable:
    """All protected facts, each about one cell, and true in exactly one value of it."""

    def __init__(self, frame: AuditFrame, table: TableArrays) -> None:
        self.frame = frame
        self.lines: list[FactLine] = []
        for protected in frame.policy.protected:
            self.lines.append(_line(protected, frame, table))
        sizes = [len(line.rows) for line in self.lines]
        self.starts = np.cumsum([0, *sizes])
        self.made: dict[int, ProtectedFact] = {}

    def __len__(self) -> int:
        last = self.starts[-1]
        return int(last)

    def place(self, number: int) -> tuple[FactLine, int]:
        """The line of a fact, and its row."""
        line = int(np.searchsorted(self.starts, number, side="right")) - 1
        row = self.lines[line].rows[number - self.starts[line]]
        return self.lines[line], int(row)

    def fact(self, number: int) -> ProtectedFact:
        """A fact, the same object each time."""
        if number not in self.made:
            line, row = self.place(number)
            self.made[number] = about(line.protected, self.frame, row)
        return self.made[number]


def _line(protected: Protected, frame: AuditFrame, table: TableArrays) -> FactLine:
    """The facts of one line.  Raises OutsideClasses."""
    column, formula = protected.column, protected.formula
    if protected.kind == "fact" and formula is not None:
        cells = f.cells(formula)
        if len(cells) != 1 or cells[0].key is not None:
            raise OutsideClasses("a formula of several cells")
        column = cells[0].column
    elif protected.kind != "exact":
        raise OutsideClasses(f"facts of the kind {protected.kind}")
    coding = frame.codings[column]
    kind = kind_of_column(coding)
    if not kind or (formula is not None and kind != TWO):
        raise OutsideClasses("a column that classes are not made for")
    rows = np.arange(frame.rows)
    if formula is not None:
        holds = [
            code
            for code in coding.codes
            if f.truth(formula, {cells[0]: coding.value(code)}) is True
        ]
        if len(holds) != 1:
            raise OutsideClasses("a formula that says nothing, or what cannot be")
        rows = np.flatnonzero(table.code(column) == holds[0])
    if protected.keys is not None:
        # Keys that are not there, and facts that are false, are told as ever.
        policy = replace(frame.policy, protected=(protected,))
        several = facts(policy, frame)
        rows = np.array([fact.rows[0] for fact in several], dtype=np.int64)
    return FactLine(protected, column, rows)
