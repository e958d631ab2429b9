"""The truth of formulas that name nobody, at the rows of a large table.

It is found block by block of whole classes.  a0 sees all rows, so that what it thinks
is settled once.  What is left of a formula depends on the row's class alone, unless
another agent is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain

from phverify.spec import syntax as s
from phverify.spec.bitset import bits, members
from phverify.spec.memory import remembered
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.semantics import Worlds, truth_set
from phverify.spec.walk import agents

BLOCK = 500
"""Rows that are evaluated together, or one class."""
Block = tuple[list[int], Table]
"""Rows of the whole table that make up whole classes, and a table of these alone."""


@dataclass(eq=False)
class Ground:
    """What is true where in one table; what was worked out is remembered."""

    table: Table

    @cached_property
    def everyone(self) -> range:
        """The numbers of all classes."""
        many = len(self.table.classes)
        return range(many)

    @cached_property
    def all_blocks(self) -> list[Block]:
        """The rows of all classes."""
        blocks = self.blocks(self.everyone)
        return list(blocks)

    @remembered
    def everywhere(self, formula: s.Formula, classes: range) -> bool:
        """Whether a formula is true at all rows of some classes."""
        f = self.settled(formula)
        if not _of_classes(f):
            table = self.table
            # Other agents see beyond a class: no block can be taken by itself.
            in_classes = (table.classes[number] for number in classes)
            rows = bits(chain.from_iterable(in_classes))
            return truth_set(ReleaseModel(table), f, rows) == rows

        # The blocks of single classes are not worth remembering.
        blocks: Iterable[Block] = self.blocks(classes)
        if classes == self.everyone:
            blocks = self.all_blocks
        return all(ReleaseModel(block).valid(f) for _, block in blocks)

    @remembered
    def rows(self, f: s.Formula) -> frozenset[int]:
        """The rows at which a formula is true."""
        return frozenset(self._true_rows(self.settled(f)))

    def _true_rows(self, f: s.Formula) -> Iterator[int]:
        if not _of_classes(f):
            yield from members(_true_in(self.table, f))
            return
        for rows, block in self.all_blocks:
            for position in members(_true_in(block, f)):
                yield rows[position]

    def blocks(self, classes: range) -> Iterator[Block]:
        """The rows of some classes, a few classes at a time."""
        rows: list[int] = []
        for number in classes:
            rows += self.table.classes[number]
            # A class is never cut: a1 sees all of it.
            if len(rows) >= BLOCK:
                yield rows, part(self.table, rows)
                rows = []
        if rows:
            yield rows, part(self.table, rows)

    def settled(self, f: s.Formula) -> s.Formula:
        """The formula with what a0 thinks as truths and numbers."""
        match f:
            # a0 takes every row for possible, and all for equally likely.
            case s.Diamond("a0", body):
                rows = self.rows(body)
                somewhere = len(rows) > 0
                return s.Truth(somewhere)
            case s.Box("a0", body):
                rows = self.rows(body)
                everybody = self.table.size
                everywhere = len(rows) == everybody
                return s.Truth(everywhere)
            case s.Compare():
                return s.map_sides(f, self._share)
        return s.rebuild(f, self.settled)

    def _share(self, term: s.Likelihood) -> Fraction | s.Likelihood:
        """What a0 thinks as a number; what others think, with a0's part settled."""
        if term.agent == "a0":
            rows = self.rows(term.body)
            return Fraction(len(rows), self.table.size)
        return s.Likelihood(term.agent, self.settled(term.body))


def part(table: Table, rows: list[int]) -> Table:
    """Some whole classes as a table of their own."""
    columns = {}
    for name, column in table.data.columns.items():
        columns[name] = tuple(column[row] for row in rows)
    data = replace(table.data, rows=len(rows), columns=columns)
    return Table(data, table)


def _true_in(table: Table, f: s.Formula) -> Worlds:
    model = ReleaseModel(table)
    return truth_set(model, f, table.everything)


def _of_classes(f: s.Formula) -> bool:
    """Whether nobody but a1 is asked."""
    nodes = s.subformulas(f)
    asked = chain.from_iterable(map(agents, nodes))
    return all(agent == "a1" for agent in asked)
