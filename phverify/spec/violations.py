"""The violation behind each clause of a certificate of minimality, over the rows.

box: these records, as one class, break a part of the policy that merging preserves, so
that whatever keeps the box apart has a class in it that breaks it.
class: they break it as a class.  cut: a candidate, and everything finer, would have
more records withheld than may be, by what a part leaves of each class.  candidate: this
one candidate breaks the policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from phverify.spec.bitset import Bits, bits
from phverify.spec.classes import Counting, Demands, PolicyPart
from phverify.spec.data import Data, Label, Refused
from phverify.spec.memory import remembered
from phverify.spec.merging import MERGE, OPEN, UPWARD, together
from phverify.spec.schemes import Clause, Scheme, Truth
from phverify.spec.source import Plain
from phverify.spec.spaces import Box, Space
from phverify.spec.wording import many

Labels = tuple[Label, ...]
Classes = Sequence[tuple[Labels, Bits]]
"""Classes by their released values, with their rows."""


@dataclass(frozen=True, eq=False)
class Violations:
    """Derives each clause from its violation, or refuses it.

    ``budget`` records may be withheld; ``shown`` says of parts how far queries show
    that merging preserves them.
    """

    data: Data
    asked: Demands
    space: Space
    budget: int
    shown: Mapping[int, int]
    used: set[int] = field(default_factory=set)
    """The parts whose closure under merging some clause rests on."""

    @cached_property
    def counting(self) -> Counting:
        """The records, of which any set may be a class."""
        return Counting(self.data)

    def part(self, number: int) -> PolicyPart:
        """A part of the policy.  Raises Refused."""
        parts = self.asked.parts
        if not 0 <= number < len(parts):
            raise Refused(f"the policy has no part {number}")
        return parts[number]

    @cached_property
    def levels(self) -> list[int]:
        """How far merging is known to preserve each part."""
        levels = []
        for part in self.asked.parts:
            levels.append(together(part.bodies, self.data))
        return levels

    def closed(self, number: int) -> int:
        """How far merging preserves a part, as is known or shown."""
        shown = self.shown.get(number, OPEN)
        return max(self.levels[number], shown)

    # Boxes

    def box(self, claim: Plain) -> Clause:
        """The clause of a violating box or class.

        Raises Refused where the box does not violate the part, or that says nothing.
        """
        number, person = claim["part"], claim.get("person")
        part = self.part(number)
        rows = self.inside(claim["blocks"])
        if not rows or self.counting.satisfies(part, rows):
            raise Refused(f"a box does not violate {part.rule}")
        if not self.matters(part, person, rows):
            raise Refused(
                f"a box that violates {part.rule} could be withheld, or concerns nobody"
                " who is named"
            )
        if claim["kind"] == "class":
            # No closure is needed: only candidates with this very class are excluded.
            return self.space.avoided(claim["blocks"])
        # A person's class may be merged with one that satisfies the part.
        needed = MERGE if person is None else UPWARD
        if self.closed(number) < needed:
            raise Refused(
                f"{part.rule} is not closed under merging: its violation says nothing"
                " about finer releases"
            )
        self.used.add(number)
        return self.space.cut(claim["blocks"])

    def inside(self, box: Box) -> Bits:
        """The records in a box.  Raises Refused when it is none."""
        schemes = self.space.schemes
        if len(box) != len(schemes):
            raise Refused("a box has not a block for each column")
        rows = self.counting.everybody
        blocks = zip(schemes, box, strict=True)
        for scheme, block in blocks:
            rows &= self._rows_of(scheme, block)
        return rows

    @remembered
    def _rows_of(self, scheme: Scheme, block: int) -> Bits:
        """The records whose value of a column lies in a block."""
        if not scheme.valid(block):
            raise Refused(f"{block} is no block of {scheme.name!r}")
        having = self.counting.table.having(scheme.name)
        rows = 0
        for value in scheme.members(block):
            rows |= having[scheme.values[value]]
        return rows

    def matters(self, part: PolicyPart, person: int | None, rows: Bits) -> bool:
        """Whether a violating class breaks the policy.

        It must hold somebody whom the part is about, where it is about people, and it
        must not be withheld, as nobody who is named may be.
        """
        if not part.people and not self.budget:
            return True
        if person is None:
            return False
        # Nobody who is named may be withheld: a class with one of them counts.
        required = part.people or self.asked.named
        if person not in required:
            return False
        return bool(rows >> person & 1)

    # Whole candidates

    def cut(self, claim: Plain) -> Clause:
        """The clause of a candidate of which too many records would be withheld.

        What they violate is closed, so that in everything finer as many are.  Raises
        Refused where there are not too many.
        """
        candidate = self.space.candidate(claim["choice"])
        # Few searches withhold records.
        from phverify.spec.lost import lost_records

        records = lost_records(self, candidate)
        if records <= self.budget:
            raise Refused(
                f"a candidate leaves {many(records, 'record')} in violating classes,"
                f" and {self.budget} may be withheld"
            )
        return self.space.beyond(candidate)

    def classes(self, candidate: Truth) -> Classes:
        """The classes of a candidate."""
        columns = []
        for name, images in self.space.mapping(candidate).items():
            original = self.data.columns[name]
            columns.append([images[value] for value in original])

        rows: dict[Labels, list[int]] = {}
        for row, labels in enumerate(zip(*columns, strict=True)):
            rows.setdefault(labels, []).append(row)
        return [(labels, bits(numbers)) for labels, numbers in rows.items()]

    def withheld(self, candidate: Truth, said: Sequence[Sequence[Label]]) -> list[int]:
        """The rows of the classes that are said to be withheld.

        Raises Refused if they do not exist, or may not be withheld.
        """
        if not said:
            return []
        # Few searches withhold records.
        from phverify.spec.withholding import withheld_rows

        return withheld_rows(self, candidate, said)
