"""The violation behind each clause of a certificate of minimality, counted over the
rows.

box: these records, as one class, break a part of the policy that is kept when classes
are merged, so that whatever keeps the box apart has a class in it that breaks it.
class: they break it as a class.  cut: a candidate would have more records withheld than
may be, and so would everything finer.  candidate: this one candidate breaks the policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from phverify.spec.bitset import Bits, bits, members
from phverify.spec.classes import Asked, Counting, Part
from phverify.spec.data import Data, Label, Refused
from phverify.spec.merging import MERGE, OPEN, UPWARD, together
from phverify.spec.schemes import Clause, Truth
from phverify.spec.source import Plain
from phverify.spec.spaces import Box, Space
from phverify.spec.wording import many

Labels = tuple[Label, ...]
Classes = Sequence[tuple[Labels, Bits]]
"""Classes by their released values, with their rows."""
WAYS = 12
"""Of so many classes all sets are tried that could be withheld."""


@dataclass(frozen=True, eq=False)
class Violations:
    """Derives each clause from its violation, or refuses it.

    ``budget`` records may be withheld; ``shown`` says of parts how far queries show
    that merging keeps them.
    """

    data: Data
    asked: Asked
    space: Space
    budget: int
    shown: Mapping[int, int]
    used: set[int] = field(default_factory=set)
    """The parts whose closure under merging some clause rests on."""

    @cached_property
    def counting(self) -> Counting:
        return Counting(self.data)

    def part(self, number: int) -> Part:
        """A part of the policy.  Raises Refused."""
        if not 0 <= number < len(self.asked.parts):
            raise Refused(f"the policy has no part {number}")
        return self.asked.parts[number]

    @cached_property
    def levels(self) -> list[int]:
        """How far merging is known to keep each part."""
        return [together(part.bodies, self.data) for part in self.asked.parts]

    def closed(self, number: int) -> int:
        """How far merging keeps a part, as is known or shown."""
        return max(self.levels[number], self.shown.get(number, OPEN))

    # Boxes

    def box(self, claim: Plain) -> Clause:
        """The clause of a violating box or class.  Raises Refused."""
        number, person = claim["part"], claim.get("person")
        part, rows = self.part(number), self.inside(claim["blocks"])
        if not rows or self.counting.satisfies(part, rows):
            raise Refused(f"a box does not violate {part.rule}")
        if not self.matters(part, person, rows):
            raise Refused(
                f"a box that violates {part.rule} could be withheld, or concerns nobody"
                " who is named"
            )
        if claim["kind"] == "class":
            return self.space.avoided(claim["blocks"])
        if self.closed(number) < (MERGE if person is None else UPWARD):
            raise Refused(
                f"{part.rule} is not closed under merging: its violation says nothing"
                " about finer releases"
            )
        self.used.add(number)
        return self.space.cut(claim["blocks"])

    def inside(self, box: Box) -> Bits:
        """The records in a box.  Raises Refused when it is none."""
        if len(box) != len(self.space.schemes):
            raise Refused("a box has not a block for each column")
        rows = self.counting.everybody
        for scheme, block in zip(self.space.schemes, box, strict=True):
            if (scheme.name, block) not in self._having:
                if not scheme.valid(block):
                    raise Refused(f"{block} is no block of {scheme.name!r}")
                having = self.counting.table.having(scheme.name)
                self._having[scheme.name, block] = sum(
                    having[scheme.values[v]] for v in scheme.members(block)
                )
            rows &= self._having[scheme.name, block]
        return rows

    _having: dict[tuple[str, int], Bits] = field(default_factory=dict)
    """The records whose value of a column lies in a block."""

    def matters(self, part: Part, person: int | None, rows: Bits) -> bool:
        """Whether a violating class cannot be withheld, and holds somebody whom the
        part is about, if it is.
        """
        if not part.people and not self.budget:
            return True
        return (
            person is not None
            and person in (part.people or self.asked.named)
            and bool(rows >> person & 1)
        )

    # Whole candidates

    def cut(self, claim: Plain) -> Clause:
        """The clause of a candidate in which too many records break parts that are
        upward-closed.  Raises Refused.
        """
        candidate = self.space.candidate(claim["choice"])
        parts = enumerate(self.asked.parts)
        rising = [
            k for k, part in parts if not part.people and self.closed(k) == UPWARD
        ]
        self.used.update(rising)
        records = size(self.failing(candidate, rising))
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
            columns.append([images[value] for value in self.data.columns[name]])
        rows: dict[Labels, list[int]] = {}
        for row, labels in enumerate(zip(*columns, strict=True)):
            rows.setdefault(labels, []).append(row)
        return [(labels, bits(inside)) for labels, inside in rows.items()]

    def failing(self, candidate: Truth, parts: Iterable[int]) -> Classes:
        """The classes that break one of some parts."""
        wanted = [(self.asked.parts[k], self.people[k]) for k in parts]

        def broken(rows: Bits) -> bool:
            concerned = (
                part for part, people in wanted if not part.people or rows & people
            )
            return not all(self.counting.satisfies(part, rows) for part in concerned)

        return [
            (labels, rows) for labels, rows in self.classes(candidate) if broken(rows)
        ]

    @cached_property
    def people(self) -> list[Bits]:
        """Whom each part is about."""
        return [bits(part.people) for part in self.asked.parts]

    @cached_property
    def named(self) -> Bits:
        """Everybody whom the policy names."""
        return bits(self.asked.named)

    def unfit(self, classes: Classes) -> str:
        """Why these classes may not be withheld together."""
        if size(classes) > self.budget:
            return f"{size(classes)} records are withheld, and {self.budget} may be"
        return (
            "somebody who is named is withheld"
            if any(rows & self.named for _, rows in classes)
            else ""
        )

    def ways(self, candidate: Truth) -> Iterator[frozenset[Labels]]:
        """All sets of classes that could be withheld such that no part is broken;
        nothing if there are none.

        Raises Refused when there are too many to look at.
        """
        must = self.failing(candidate, range(len(self.asked.parts)))
        if self.unfit(must):
            return
        free = [
            one
            for one in self.classes(candidate)
            if one not in must and not self.unfit([*must, one])
        ]
        if len(free) > WAYS:
            raise Refused(
                "a candidate could withhold too many sets of classes to look at"
                " them all"
            )
        for length in range(len(free) + 1):
            for some in combinations(free, length):
                if not self.unfit([*must, *some]):
                    yield frozenset(labels for labels, _ in (*must, *some))

    def withheld(self, candidate: Truth, said: Sequence[Sequence[Label]]) -> list[int]:
        """The rows of the classes that are said to be withheld.  Raises Refused if they
        may not be.
        """
        wanted = set(map(tuple, said))
        found = (
            [one for one in self.classes(candidate) if one[0] in wanted]
            if wanted
            else []
        )
        if len(found) != len(said):
            raise Refused("a class that is said to be withheld does not exist")
        if why := self.unfit(found):
            raise Refused(why)
        return sorted(row for _, rows in found for row in members(rows))


def size(classes: Classes) -> int:
    """How many records some classes hold."""
    return sum(rows.bit_count() for _, rows in classes)
