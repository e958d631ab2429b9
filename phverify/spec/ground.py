"""The truth of formulas that name nobody, at the rows of a large table: block by block of whole classes.

a0 sees all rows, so that what it thinks is settled once.  What is left of a formula looks at the row's class alone,
unless another agent is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from phverify.spec import syntax as s
from phverify.spec.bitset import below, bits, members
from phverify.spec.data import Label
from phverify.spec.models import ReleaseModel, Table
from phverify.spec.semantics import Worlds, truth_set
from phverify.spec.walk import agents

BLOCK = 500
"""Rows that are looked at together, or one class."""


@dataclass(eq=False)
class Ground:
    """What is true where in one table; what was found is kept."""

    table: Table
    _rows: dict[s.Formula, frozenset[int]] = field(default_factory=dict)

    @cached_property
    def everyone(self) -> range:
        """The numbers of all classes."""
        return range(len(self.table.classes))

    @cached_property
    def all_blocks(self) -> list[Block]:
        return list(self.blocks(self.everyone))

    def everywhere(self, f: s.Formula, classes: Iterable[int]) -> bool:
        """Whether a formula is true at all rows of some classes."""
        f = self.settled(f)
        if not _of_classes(f):
            rows = bits(row for number in classes for row in self.table.classes[number])
            return truth_set(ReleaseModel(self.table), f, rows) == rows
        blocks = self.all_blocks if classes == self.everyone else self.blocks(classes)
        return all(block.true(f) == below(block.size) for block in blocks)

    def rows(self, f: s.Formula) -> frozenset[int]:
        """The rows at which a formula is true."""
        if f not in self._rows:
            self._rows[f] = frozenset(self._found(self.settled(f)))
        return self._rows[f]

    def _found(self, f: s.Formula) -> Iterator[int]:
        if not _of_classes(f):
            yield from members(truth_set(ReleaseModel(self.table), f, self.table.everything))
            return
        for block in self.all_blocks:
            yield from (block.rows[k] for k in members(block.true(f)))

    def blocks(self, classes: Iterable[int]) -> Iterator[Block]:
        """The rows of some classes, a few classes at a time."""
        rows: list[int] = []
        for number in classes:
            rows += self.table.classes[number]
            if len(rows) >= BLOCK:
                yield Block(self.table, rows)
                rows = []
        if rows:
            yield Block(self.table, rows)

    def settled(self, f: s.Formula) -> s.Formula:
        """The formula with what a0 thinks as truths and numbers."""
        match f:
            case s.Diamond("a0", body):
                return s.Truth(bool(self.rows(body)))
            case s.Box("a0", body):
                return s.Truth(len(self.rows(body)) == self.table.size)
            case s.Compare(left, op, right):
                return s.Compare(self.side(left), op, self.side(right))
        return s.rebuild(f, self.settled)

    def side(self, linear: s.Linear) -> s.Linear:
        """The same of a sum."""
        terms: list[tuple[Fraction, s.Likelihood | s.Abs]] = []
        rest = linear.constant
        for factor, quantity in linear.terms:
            if isinstance(quantity, s.Abs):
                terms.append((factor, s.Abs(self.side(quantity.body))))
            elif quantity.agent == "a0":
                rest += factor * Fraction(len(self.rows(quantity.body)), self.table.size)
            else:
                terms.append((factor, s.Likelihood(quantity.agent, self.settled(quantity.body))))
        return s.Linear(tuple(terms), rest)


def _of_classes(f: s.Formula) -> bool:
    """Whether nobody but a1 is asked."""
    return all(agent == "a1" for node in s.subformulas(f) for agent in agents(node))


@dataclass(eq=False)
class Block:
    """Some whole classes as a table of their own; row k of it is row ``rows[k]`` of the whole."""

    table: Table
    rows: list[int]
    _cells: dict[int, Worlds] = field(default_factory=dict)
    _extensions: dict[s.Descriptor, Worlds] = field(default_factory=dict)

    def __post_init__(self) -> None:
        inside: dict[int, list[int]] = {}
        for k, row in enumerate(self.rows):
            inside.setdefault(self.table.cell_of["a1"][row], []).append(k)
        self._cells = {number: bits(some) for number, some in inside.items()}

    @property
    def size(self) -> int:
        return len(self.rows)

    def true(self, f: s.Formula) -> Worlds:
        """The rows of the block at which a formula is true."""
        return truth_set(ReleaseModel(self), f, below(self.size))

    def cell(self, agent: str, row: int) -> Worlds:
        return self._cells[self.table.cell_of["a1"][self.rows[row]]]

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        if descriptor not in self._extensions:
            column = self.table.data.signature.attributes[descriptor.attribute]
            labels = column.matches(descriptor.op, s.texts(descriptor))
            values = self.table.data.columns[descriptor.attribute]
            self._extensions[descriptor] = bits(k for k, row in enumerate(self.rows) if values[row] in labels)
        return self._extensions[descriptor]

    def satisfies(self, node: s.Criterion, rows: Worlds) -> bool:
        criterion = self.table.data.criterion(node)
        column = criterion.attribute
        inside: dict[Label, int] = {"": rows.bit_count()}
        if column:
            values = self.table.data.columns[column]
            inside = {}
            for k in members(rows):
                label = values[self.rows[k]]
                inside[label] = inside.get(label, 0) + 1
        return criterion.holds(inside, self.table.whole[column])
