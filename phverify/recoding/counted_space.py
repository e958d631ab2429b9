"""Tuples of a table whose rows stay in an engine: equal rows are one line, with how
many they are.

Everything that is said of tuples and classes follows from these numbers; what would
need the rows one by one (a formula that is no criterion of classes) is asked of rows
that are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from phverify.errors import Defect
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.class_rules import ClassRules, demands
from phverify.spec.classes import Demands
from phverify.spec.criterion.base import Counts
from phverify.spec.data import Data, release_data
from phverify.spec.memory import remembered
from phverify.spec.recoded_rows import ROWS, released_data
from phverify.spec.recoding import TupleRecoding, TupleSpace
from phverify.spec.released import Given
from phverify.spec.sides import BoxSide
from phverify.spec.source import Label, Trees


@dataclass(frozen=True, eq=False)
class CountedSpace(TupleSpace):
    """``each`` line stands for so many records; ``row_tuple`` is that of each line."""

    each: tuple[int, ...] = ()

    @property
    def rows(self) -> int:
        """How many records there are."""
        return sum(self.each)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many records each tuple has."""
        counted = [0] * len(self.tuples)
        for number, records in zip(self.row_tuple, self.each, strict=True):
            counted[number] += records
        return tuple(counted)


def counted_space(space: TupleSpace, each: Sequence[int]) -> CountedSpace:
    """The space of lines as one of the records that they stand for."""
    records = tuple(each)
    sides = []
    for k, side in enumerate(space.sides):
        cells = [values[k] for values in space.tuples]
        having: Counter[Label] = Counter()
        for number, count in zip(space.row_tuple, records, strict=True):
            having[cells[number]] += count
        sides.append(_recorded(side, having))
    return CountedSpace(
        tuple(sides),
        space.tuples,
        space.row_tuple,
        space.weights,
        space.objective,
        space.medians,
        each=records,
    )


def _recorded(side: BoxSide, having: Counter[Label]) -> BoxSide:
    """A side that knows how many records have each of its values."""
    return replace(side, records=tuple(having[value] for value in side.values))


@dataclass(eq=False)
class CountedRules(ClassRules):
    """What a policy asks of single classes, counted over lines.

    ``space`` is a CountedSpace.
    """

    @cached_property
    def each(self) -> tuple[int, ...]:
        """How many records each line stands for."""
        assert isinstance(self.space, CountedSpace)
        return self.space.each

    @remembered
    def whole(self, column: str) -> Counts:
        """How often each value of a column occurs; without one, the number of rows."""
        if not column:
            return {"": self.space.rows}
        counted: Counter[Label] = Counter()
        values = self.data.columns[column]
        for value, records in zip(values, self.each, strict=True):
            counted[value] += records
        return counted

    @remembered
    def by_tuple(self, column: str) -> list[Counter[str | None]]:
        """For each tuple how often each value of a column occurs."""
        counted: list[Counter[Label]] = [Counter() for _ in self.space.tuples]
        values = self.data.columns[column]
        lines = zip(self.space.row_tuple, values, self.each, strict=True)
        for number, value, records in lines:
            counted[number][value] += records
        return counted

    def _holds(self, body: s.Formula, numbers: tuple[int, ...]) -> bool:
        if not isinstance(body, s.Criterion):
            raise Defect("a formula that is no criterion needs the rows one by one")
        return super()._holds(body, numbers)


def class_rules(data: Data, space: TupleSpace, asked: Demands) -> ClassRules:
    """The rules of classes over a space of rows, or of lines that stand for many."""
    if isinstance(space, CountedSpace):
        return CountedRules(data, space, asked)
    return ClassRules(data, space, asked)


def countable(rules: ClassRules) -> bool:
    """Whether rules can be decided without looking at single rows."""
    if rules.open and rules.space.rows <= ROWS:
        # Whole releases of small tables are judged, model by model.
        return False
    bodies = [body for part in rules.parts for body in part.bodies]
    return all(isinstance(body, s.Criterion) for body in bodies)


@dataclass(frozen=True, eq=False)
class CountedGiven(Given):
    """The lines of a counted table; ``each`` stands for so many records."""

    each: tuple[int, ...] = ()

    @cached_property
    def data(self) -> Data:
        """The lines; what is compared with the table is compared with its records."""
        before: dict[str, Counter[Label]] = {}
        for name, cells in self.columns.items():
            counted: Counter[Label] = Counter()
            for cell, records in zip(cells, self.each, strict=True):
                counted[cell] += records
            before[name] = counted
        lines = release_data(self.policy, self.columns, self.hierarchies)
        return replace(lines, before=before)


def counted_given(policy: Policy, table: CodedTable, trees: Trees) -> CountedGiven:
    """The lines of a counted table, of the columns by which rows are grouped.

    Nothing is asked of the others, so the policy is read as if it did not name them.
    """
    assert table.elsewhere is not None
    grouped = table.elsewhere.grouped
    narrowed = replace(
        policy,
        sensitive=tuple(name for name in policy.sensitive if name in grouped),
        neutral=tuple(name for name in policy.neutral if name in grouped),
        identifier=None,
        missing="value",
    )
    known = {name: paths for name, paths in trees.items() if name in grouped}
    each = tuple(table.elsewhere.counts.tolist())
    return CountedGiven(narrowed, table.plain(grouped), known, each=each)


def counted_release_rules(given: Given, recoding: TupleRecoding) -> ClassRules:
    """What the policy asks of classes of the rows that are released."""
    space = recoding.space
    assert isinstance(space, CountedSpace)
    lines = [line for line, _ in recoding.rows()]
    data = replace(released_data(given, recoding), before=given.data.before)
    asked = demands(given.policy, data, Fraction(0))
    own = replace(
        space,
        row_tuple=tuple(space.row_tuple[line] for line in lines),
        each=tuple(space.each[line] for line in lines),
    )
    return CountedRules(data, own, asked)
