"""Candidates that searches for other numbers of a rule have counted before: how many
records a class has does not depend on the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from phverify.exact import Bools
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.quotient import Quotient
from phverify.spec.schemes import Scheme

ROOM = 2_000_000
"""Cells of the candidates that are kept, some dozen bytes each."""


@dataclass(eq=False)
class CountedBefore:
    """Quotients by candidate, all of one table in one space; ``room`` is for so many
    cells more.
    """

    room: int = 0
    finest: Quotient | None = None
    read_by: object = None
    quotients: dict[bytes, Quotient] = field(default_factory=dict)

    def known(self, candidate: Bools) -> Quotient | None:
        """The quotient of a candidate; None where it was not kept."""
        return self.quotients.get(candidate.tobytes())

    def keep(self, candidate: Bools, quotient: Quotient) -> None:
        """Keep the quotient of a candidate while there is room for its cells."""
        if quotient.cells <= self.room:
            self.room -= quotient.cells
            self.quotients[candidate.tobytes()] = quotient

    def serves(
        self, finest: Quotient, schemes: Sequence[Scheme], paths: Hierarchies
    ) -> bool:
        """Whether it is about this table in this space; the first one that asks says
        what it is about.
        """
        hierarchies = {name: one.paths for name, one in paths.items()}
        kinds = [(one.name, one.kind, one.decisions, one.values) for one in schemes]
        read_by = kinds, hierarchies
        if self.finest is None:
            self.finest = finest
            self.read_by = read_by
        return self.read_by == read_by and _same(self.finest, finest)

    def clear(self) -> None:
        """Keep nothing any more."""
        self.quotients.clear()
        self.room = 0


def _same(one: Quotient, other: Quotient) -> bool:
    """Whether two quotients count the same rows by the same columns."""
    if (one.quasi, one.others) != (other.quasi, other.others):
        return False
    if one.labels != other.labels:
        return False
    pairs = [
        (one.counts, other.counts),
        (one.starts, other.starts),
        (one.class_keys, other.class_keys),
    ]
    pairs += [(one.codes[name], other.codes[name]) for name in one.others]
    return all(np.array_equal(first, second) for first, second in pairs)
