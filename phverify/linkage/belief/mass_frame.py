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

from phverify.errors import InputError, Problem, nearest, refusal
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
        if len(self.numbers) < len(self.records):
            twice = next(r for k, r in enumerate(self.records) if self.numbers[r] != k)
            raise refusal("frame", f"the record {twice!r} is given twice", private=True)

    @staticmethod
    def of(records: Iterable[Hashable]) -> MassFrame:
        """The frame of some records, in their order."""
        return MassFrame(tuple(records))

    @staticmethod
    def numbered(size: int) -> MassFrame:
        """The frame of the records 0, 1, .., size - 1."""
        return MassFrame(tuple(range(size)))

    @cached_property
    def numbers(self) -> Mapping[Hashable, int]:
        """Where each record stands."""
        return {record: k for k, record in enumerate(self.records)}

    def __len__(self) -> int:
        return len(self.records)

    @property
    def full(self) -> Subset:
        """The set of all records, X."""
        return below(len(self.records))

    def number(self, record: Hashable) -> int:
        """Where a record stands.  Raises InputError for an unknown one."""
        if record not in self.numbers:
            known = nearest(str(record), self.records, "records")
            raise refusal("frame", f"unknown record {record!r}", known, private=True)
        return self.numbers[record]

    def subset(self, records: Iterable[Hashable]) -> Subset:
        """The set of some records.  Raises InputError that names every unknown one."""
        records = list(records)
        unknown = [r for r in records if r not in self.numbers]
        if unknown:
            hint = nearest(str(unknown[0]), self.records, "records")
            whats = [f"unknown record {r!r}" for r in unknown]
            raise InputError(Problem("frame", what, hint, True) for what in whats)

        return bits(self.numbers[r] for r in records)

    def members(self, subset: Subset) -> tuple[Hashable, ...]:
        """The records of a set, in order."""
        numbers = members(subset)
        return tuple(self.records[k] for k in numbers)

    def holds(self, subset: Subset) -> bool:
        """Whether a number is a set of records of this frame."""
        return 0 <= subset <= self.full

    def shown(self, subset: Subset, most: int = 8) -> str:
        """A set as text, ``{a, b and 3 more}`` when it is long."""
        names = list(map(str, self.members(subset)))
        left = len(names) - most
        listed = ", ".join(names[:most])
        more = f" and {left} more" if left > 0 else ""
        return f"{{{listed}{more}}}"
