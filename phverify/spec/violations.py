"""The violation behind each clause of a certificate of minimality, counted again over the rows.

box: these records, as one class, break a part of the policy that is kept when classes are merged, so that whatever
keeps the box apart has a class in it that breaks it.  class: they break it as a class.  cut: a candidate would have
more records withheld than may be, and so would everything finer.  candidate: this one candidate breaks the policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from phverify.spec.bitset import bits
from phverify.spec.bitset import members as rows_of
from phverify.spec.classes import Asked, Counting, Part
from phverify.spec.data import Data, Label, Refused
from phverify.spec.merging import MERGE, UPWARD
from phverify.spec.schemes import Clause, Truth
from phverify.spec.semantics import Worlds as Rows
from phverify.spec.spaces import Space

Classes = Sequence[tuple[tuple[Label, ...], Rows]]
"""Classes by their released values."""
WAYS = 12
"""Of so many classes all sets are tried that could be withheld."""


@dataclass(frozen=True, eq=False)
class Violations:
    """Derives each clause from its violation, or refuses it.

    ``budget`` records may be withheld; ``closed`` says of each part how far merging keeps it.
    """

    asked: Asked
    space: Space
    budget: int
    closed: Mapping[int, int]
    used: set[int] = field(default_factory=set)
    """The parts whose closure some clause rests on."""

    @property
    def data(self) -> Data:
        return self.asked.data

    @cached_property
    def counting(self) -> Counting:
        return Counting(self.data)

    # Boxes

    def box(self, claim: Mapping[str, Any]) -> Clause:
        """The clause of a violating box or class.  Raises Refused."""
        number, blocks = claim["part"], claim["blocks"]
        part = self.part(number, claim["rule"])
        rows = self.inside(blocks, claim["labels"])
        if not rows or rows.bit_count() != claim["rows"]:
            raise Refused(f"a box holds {rows.bit_count()} records, not {claim['rows']}")
        if self.counting.satisfies(part, rows):
            raise Refused(f"a box does not violate {part.rule}")
        person = claim.get("person")
        self.matters(part, person, rows)
        if claim["kind"] == "class":
            return self.space.avoided(blocks)
        if number not in self.closed:
            raise Refused(f"nothing is said about the closure under merging of {part.rule}")
        if self.closed[number] < (MERGE if person is None else UPWARD):
            raise Refused(f"{part.rule} is not closed under merging: its violation says nothing about finer releases")
        self.used.add(number)
        return self.space.cut(blocks)

    def part(self, number: int, rule: str) -> Part:
        parts = self.asked.parts
        if not 0 <= number < len(parts) or parts[number].rule != rule:
            raise Refused(f"the policy has no part {number} of a rule {rule!r}")
        return parts[number]

    def inside(self, blocks: Sequence[int], labels: Sequence[Label]) -> Rows:
        """The records in a box, which must be what the certificate shows of it."""
        if not len(blocks) == len(labels) == len(self.space.schemes):
            raise Refused("a box has not a block for each column")
        rows = self.counting.everybody
        for k, (scheme, block, label) in enumerate(zip(self.space.schemes, blocks, labels, strict=True)):
            if not scheme.valid(block):
                raise Refused(f"{block} is no block of {scheme.name!r}")
            if scheme.label(block) != label:
                raise Refused(f"a box calls a block of {scheme.name!r} {label!r}, which it is not")
            rows &= self.having(k, block)
        return rows

    def having(self, k: int, block: int) -> Rows:
        """The records whose value of a column lies in a block."""
        if (k, block) not in self._having:
            scheme, found = self.space.schemes[k], 0
            for v in scheme.members(block):
                found |= self.counting.having[scheme.name][scheme.values[v]]
            self._having[k, block] = found
        return self._having[k, block]

    _having: dict[tuple[int, int], Rows] = field(default_factory=dict)

    def matters(self, part: Part, person: int | None, rows: Rows) -> None:
        """A violating class must not be mendable by withholding it, and a part about people must concern one in it."""
        who = set(part.people) if part.people else self.asked.named
        if (part.people or self.budget) and (person is None or person not in who or not rows >> person & 1):
            raise Refused(f"a box that violates {part.rule} could be withheld, or concerns nobody who is named")

    # Whole candidates

    def classes(self, candidate: Truth) -> Classes:
        """The classes of a candidate by their released values."""
        images = self.space.mapping(candidate)
        columns = [list(map(images[s.name].__getitem__, self.data.columns[s.name])) for s in self.space.schemes]
        members: dict[tuple[Label, ...], list[int]] = {}
        for row, key in enumerate(zip(*columns, strict=True)):
            members.setdefault(key, []).append(row)
        return [(key, bits(rows)) for key, rows in members.items()]

    def cut(self, claim: Mapping[str, Any]) -> Clause:
        """The clause of a candidate in which too many records break parts that are upward-closed.  Raises Refused."""
        candidate = self.space.candidate(claim["choice"])
        rising = [k for k, part in enumerate(self.asked.parts) if self.closed.get(k) == UPWARD and not part.people]
        self.used.update(rising)
        broken, rows = self.counted(candidate, rising)
        if rows <= self.budget or rows != claim["rows"]:
            raise Refused(f"a candidate leaves {rows} records in violating classes, not {claim['rows']}")
        if claim["rule"] != broken:
            raise Refused(f"a candidate breaks {broken}, not {claim['rule']!r}")
        return self.space.beyond(candidate)

    def counted(self, candidate: Truth, parts: Sequence[int]) -> tuple[str, int]:
        """The rules of the parts that classes of a candidate break, and how many records these classes hold."""
        broken: dict[int, None] = {}
        records = 0
        for _, rows in self.classes(candidate):
            here = [k for k in parts if self.breaks([k], rows)]
            broken |= dict.fromkeys(here)
            records += rows.bit_count() if here else 0
        return self.named(broken), records

    def named(self, parts: Iterable[int]) -> str:
        """The rules of some parts."""
        return ", ".join(dict.fromkeys(self.asked.parts[k].rule for k in sorted(parts)))

    def breaks(self, parts: Sequence[int], rows: Rows) -> bool:
        return not all(self.counting.satisfies(self.asked.parts[k], rows) for k in parts)

    def failing(self, candidate: Truth) -> Classes:
        """The classes that break a part, those that hold somebody whom the part is about among them."""
        return [(labels, rows) for labels, rows in self.classes(candidate) if self.breaks(self.about(rows), rows)]

    def about(self, rows: Rows) -> list[int]:
        """The parts that a class must satisfy."""
        return [k for k, part in enumerate(self.asked.parts) if not part.people or rows & self.people[k]]

    @cached_property
    def people(self) -> list[Rows]:
        """Whom each part is about."""
        return [bits(sorted(part.people)) for part in self.asked.parts]

    @cached_property
    def known(self) -> Rows:
        """Everybody whom the policy names."""
        return bits(sorted(self.asked.named))

    def broken(self, failing: Classes) -> str:
        """The rules that these classes break."""
        return self.named({k for _, rows in failing for k in self.about(rows) if self.breaks([k], rows)})

    def certain(self, failing: Classes) -> bool:
        """Whether failing classes cannot all be withheld: they are too large, or somebody in them is named."""
        rows = 0
        for _, members in failing:
            rows |= members
        return rows.bit_count() > self.budget or bool(rows & self.known)

    def ways(self, candidate: Truth) -> Iterator[frozenset[tuple[Label, ...]]]:
        """All sets of classes that could be withheld such that no part is broken; nothing if there are none.

        Raises Refused when there are too many to look at.
        """
        failing = self.failing(candidate)
        if self.certain(failing):
            return
        must = frozenset(labels for labels, _ in failing)
        left = self.budget - sum(rows.bit_count() for _, rows in failing)
        free = [
            (labels, rows.bit_count())
            for labels, rows in self.classes(candidate)
            if labels not in must and rows.bit_count() <= left and not rows & self.known
        ]
        if len(free) > WAYS:
            raise Refused("a candidate could withhold too many sets of classes to look at them all")
        for length in range(len(free) + 1):
            for some in combinations(free, length):
                if sum(size for _, size in some) <= left:
                    yield must | {labels for labels, _ in some}

    def withheld(self, candidate: Truth, labels: Sequence[Sequence[Label]]) -> list[int]:
        """The rows of the classes that are said to be withheld.  Raises Refused if they may not be."""
        said = {tuple(one) for one in labels}
        found = [(key, rows) for key, rows in (self.classes(candidate) if said else ()) if key in said]
        if len(found) != len(labels):
            raise Refused("a class that is said to be withheld does not exist")
        together = 0
        for _, rows in found:
            together |= rows
        if together.bit_count() > self.budget:
            raise Refused(f"{together.bit_count()} records are withheld, and {self.budget} may be")
        if together & self.known:
            raise Refused("somebody who is named is withheld")
        return list(rows_of(together))
