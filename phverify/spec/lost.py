"""How many records are withheld in a candidate, and in everything finer.

By parts of the policy: an upward-closed one that a class breaks is broken by all that
is finer; a criterion that limits the shares of values says how much of a class is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from phverify.spec import syntax as s
from phverify.spec.bitset import Bits
from phverify.spec.classes import Counting, PolicyPart
from phverify.spec.criterion.base import Counts
from phverify.spec.merging import UPWARD
from phverify.spec.schemes import Truth

if TYPE_CHECKING:
    from phverify.spec.criterion.limits import Limits
    from phverify.spec.violations import Violations

Limited = Sequence[tuple[str, "Limits"]]
"""What is left of classes, by column."""


class ClassRows(Protocol):
    """Rows that may be a class."""

    @property
    def size(self) -> int:
        """How many there are."""

    def counts(self, column: str) -> Counts:
        """How often each value of a column occurs; without one, how many rows."""

    def satisfies(self, part: PolicyPart) -> bool:
        """Whether they satisfy a part, as a class."""


@dataclass(frozen=True, eq=False)
class RowsOfTable:
    """Rows of the table, as bits."""

    counting: Counting
    rows: Bits

    @property
    def size(self) -> int:
        """How many there are."""
        return self.rows.bit_count()

    def counts(self, column: str) -> Counts:
        """How often each value of a column occurs."""
        return self.counting.table.counts(column, self.rows)

    def satisfies(self, part: PolicyPart) -> bool:
        """Whether they satisfy a part, as a class."""
        return self.counting.satisfies(part, self.rows)


@dataclass(frozen=True, eq=False)
class CertainLosses:
    """What is withheld of classes in a candidate, and in everything finer.

    What parts say that are about people is about their classes alone.
    """

    violations: Violations

    @cached_property
    def everybody(self) -> list[int]:
        """The parts that are about all classes, by their numbers."""
        parts = self.violations.asked.parts
        return [number for number, part in enumerate(parts) if not part.people]

    @cached_property
    def upward(self) -> list[PolicyPart]:
        """Those of them that are upward-closed."""
        violations = self.violations
        upward = []
        for number in self.everybody:
            if violations.closed(number) == UPWARD:
                upward.append(number)
        # Their closure is part of the argument, and must be shown.
        violations.used.update(upward)
        return [violations.asked.parts[number] for number in upward]

    @cached_property
    def others(self) -> list[tuple[PolicyPart, Limited]]:
        """The other ones, and what they leave of classes."""
        violations = self.violations
        others: list[tuple[PolicyPart, Limited]] = []
        for number in self.everybody:
            part = violations.asked.parts[number]
            if part not in self.upward:
                limits = list(_limits(violations, part))
                others.append((part, limits))
        return others

    @cached_property
    def compared(self) -> Limited:
        """What criteria that compare with the released table leave of classes."""
        violations = self.violations
        everyone = violations.counting.everybody
        most = violations.budget
        limits = compared_limits(violations, everyone, most)
        return list(limits)

    def wholly(self, rows: ClassRows) -> bool:
        """Whether all of a class is withheld, as it breaks an upward-closed part."""
        broken = (not rows.satisfies(part) for part in self.upward)
        return any(broken)

    def of_class(self, rows: ClassRows) -> int:
        """So many records of a class at least."""
        if self.wholly(rows):
            return rows.size
        return self.by_limits(rows)

    def by_limits(self, rows: ClassRows) -> int:
        """So many records of a class that breaks no upward-closed part."""
        kept = _left(self.compared, rows)
        for part, limits in self.others:
            if rows.satisfies(part):
                continue
            own = _left(limits, rows)
            kept = min(kept, own)
        return rows.size - kept


def lost_records(violations: Violations, candidate: Truth) -> int:
    """So many records at least, class by class, until they are too many."""
    certain = CertainLosses(violations)
    records = 0
    for _, rows in violations.classes(candidate):
        records += certain.of_class(RowsOfTable(violations.counting, rows))
        # More need not be known.
        if records > violations.budget:
            break
    return records


def _left(limits: Limited, rows: ClassRows) -> int:
    """How many records of a class are left within all limits."""
    left = rows.size
    for column, own in limits:
        inside = rows.counts(column)
        kept = own.left(inside)
        left = min(left, kept)
    return left


def compared_limits(
    violations: Violations, released: Bits, withheld: int
) -> Iterator[tuple[str, Limits]]:
    """What criteria that compare classes with the released table leave of them.

    That table is what is left of some rows once at most so many more of them are
    ``withheld``.
    """
    for node in violations.asked.compared:
        criterion = violations.data.criterion(node)
        f = criterion.attribute
        whole = violations.counting.table.counts(f, released)
        limits = criterion.limits(whole, withheld)
        if limits is not None:
            yield f, limits


def _limits(violations: Violations, part: PolicyPart) -> Iterator[tuple[str, Limits]]:
    """What the criteria of a part leave of classes, by column."""
    for body in part.bodies:
        if not isinstance(body, s.Criterion):
            continue
        criterion = violations.data.criterion(body)
        whole = violations.counting.table.whole(criterion.attribute)
        limits = criterion.limits(whole)
        if limits is not None:
            yield criterion.attribute, limits
