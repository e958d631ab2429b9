"""The cuts of a search for prices: more of them whenever prices are nearly the best.

Of three tuples at most one class has two or more.  A fractional choice of classes may
have one and a half; a relaxation that may not proves more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phverify.exact import Floats, Ints
from phverify.recoding.penalties import Cuts, cuts_of
from phverify.recoding.restricted import RestrictedColumns, Solved
from phverify.recoding.separation import broken_cuts

EACH = 1000
"""Cuts that are added at a time."""
OFTEN = 2
"""Of those so many with one tuple."""
CAP = 5
"""A multiplier is at most so many times the mean price of a tuple, at first: wilder
ones say nothing about classes that are not known."""
PAID = 1e-3
"""More is allowed where cuts are broken by so much all the same."""
SMALL = 1e-3
"""Cuts with multipliers below this share of the mean price are dropped."""


@dataclass(eq=False)
class CutRounds:
    """Cuts, with the multipliers of the best bound, in units.

    No cut comes twice, so that rounds come to an end.
    """

    columns: RestrictedColumns
    known: set[tuple[int, ...]] = field(default_factory=set)
    multipliers: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def count(self) -> int:
        """How many cuts there are."""
        return len(self.multipliers)

    def add(self, solved: Solved) -> int:
        """Drop cuts that add nothing, and add some that are broken: how many.

        More may be paid for cuts that are broken though they are there.
        """
        columns = self.columns
        mean = solved.prices.sum() / len(columns.rows)
        if not self.count:
            columns.highest = CAP * mean
        elif solved.above > PAID:
            # The solver would pay more for these cuts, and may.
            columns.highest *= 2
        kept = solved.multipliers > SMALL * mean
        sets, tuples = columns.sets, columns.grid.tuples
        triples, worth = broken_cuts(sets, solved.shares, tuples)
        new = self._chosen(triples, worth)
        columns.triples = np.concatenate([columns.triples[kept], new])
        nothing = np.zeros(len(new), np.int64)
        self.multipliers = np.concatenate([self.multipliers[kept], nothing])
        return len(new)

    def _chosen(self, triples: Ints, worth: Floats) -> Ints:
        """The cuts that are broken most, and few with one tuple."""
        used = np.zeros(self.columns.grid.tuples, np.int64)
        chosen = []
        for place in np.argsort(-worth, kind="stable").tolist():
            own = triples[place]
            triple = tuple(own.tolist())
            # Cuts of the same tuples say nearly the same, and each costs time in every
            # walk.
            if used[own].max() < OFTEN and triple not in self.known:
                used[own] += 1
                self.known.add(triple)
                chosen.append(place)
            if len(chosen) == EACH:
                break
        return triples[chosen]

    def penalties(self, multipliers: Ints) -> Cuts | None:
        """What classes pay for the cuts; None where there are none."""
        if not self.count:
            return None
        return cuts_of(self.columns.triples, multipliers, self.columns.grid.tuples)

    def said(self, multipliers: Ints) -> Ints:
        """The cuts as a bound has them: with positive multipliers, ascending."""
        lines = np.column_stack([self.columns.triples, multipliers])
        paying = lines[multipliers > 0]
        # The certificate's order does not depend on how the cuts were met.
        said: Ints = paying[np.lexsort(paying[:, 2::-1].T)]
        return said
