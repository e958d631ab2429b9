"""The records that a protected record may come from, numbered; sets of them as bit
masks.

A set is a Python integer whose bit k stands for record k, whatever the size of the
frame: intersection, union and inclusion are one operation on machine words, equal sets
are equal keys, and 100,000 records take 12.5 kB a set.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.spec.bitset import Bits, below, bits, members

Subset = Bits
"""A set of records: bit k is record k.  0 is the empty set."""


@dataclass(frozen=True)
class MassFrame:
    """The reference set X: records in order, each a value that can be hashed.

    Raises InputError when there is no record, or a record is given twice.
    """

    records: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        if not self.records:
            raise refusal("frame", "there are no records", "name at least one")
        if len(self.numbers) == len(self.records):
            return

        # a record given twice has the number of its last place
        for place, record in enumerate(self.records):
            if self.numbers[record] != place:
                what = f"the record {record!r} is given twice"
                raise refusal("frame", what, private=True)

    @staticmethod
    def of(records: Iterable[Hashable]) -> MassFrame:
        """The frame of some records, in their order."""
        return MassFrame(tuple(records))

    @staticmethod
    def numbered(size: int) -> MassFrame:
        """The frame of the records 0, 1, .., size - 1."""
        numbers = range(size)
        return MassFrame(tuple(numbers))

    @cached_property
    def numbers(self) -> Mapping[Hashable, int]:
        """Where each record stands."""
        return {record: k for k, record in enumerate(self.records)}

    def __len__(self) -> int:
        return len(self.records)

    @property
    def full(self) -> Subset:
        """The set of all records, X."""
        size = len(self.records)
        return below(size)

    def number(self, record: Hashable) -> int:
        """Where a record stands.  Raises InputError for an unknown one."""
        number = self.numbers.get(record)
        if number is None:
            what = f"unknown record {record!r}"
            hint = nearest(str(record), self.records, "records")
            raise refusal("frame", what, hint, private=True)
        return number

    def subset(self, records: Iterable[Hashable]) -> Subset:
        """The set of some records.  Raises InputError that names every unknown one."""
        given = list(records)
        unknown = [record for record in given if record not in self.numbers]
        if unknown:
            hint = nearest(str(unknown[0]), self.records, "records")
            problems: Problems = []
            for record in unknown:
                what = f"unknown record {record!r}"
                problems.append(Problem("frame", what, hint, private=True))
            raise InputError(problems)

        numbers = map(self.number, given)
        return bits(numbers)

    def members(self, subset: Subset) -> tuple[Hashable, ...]:
        """The records of a set, in order."""
        numbers = members(subset)
        return tuple(self.records[k] for k in numbers)

    def holds(self, subset: Subset) -> bool:
        """Whether a number is a set of records of this frame."""
        return 0 <= subset <= self.full

    def shown(self, subset: Subset, most: int = 8) -> str:
        """A set as text, ``{a, b and 3 more}`` when it is long."""
        records = self.members(subset)
        names = list(map(str, records))
        first = names[:most]
        shown = ", ".join(first)
        left = len(names) - most
        if left > 0:
            shown += f" and {left} more"
        return f"{{{shown}}}"
