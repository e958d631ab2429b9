"""A candidate whose classes have been counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints
from phverify.microdata.coarser import lying_in
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import Coded
from phverify.spec import syntax as s
from phverify.symbolic.ground import GroundColumns
from phverify.symbolic.models import bits


@dataclass(frozen=True, eq=False)
class CountedCandidate:
    """A candidate counted: its quotient, and what it makes of the ``finest`` one.

    ``grounding`` is for formulas over the quotient, of which many candidates are asked
    none.
    """

    candidate: Bools
    quotient: Quotient
    grounding: Callable[[Quotient], GroundColumns]
    finest: Quotient
    images: Coded
    """The image of each value, by column."""
    failing: dict[int, Ints] = field(default_factory=dict)
    """The classes that break a part, by the part's number in memory."""

    @cached_property
    def ground(self) -> GroundColumns:
        """Truth of formulas without names over the quotient."""
        return self.grounding(self.quotient)

    @cached_property
    def truth(self) -> int:
        """The decisions of the candidate as bits."""
        return bits(self.candidate)

    @cached_property
    def into(self) -> Ints:
        """For each class of the finest quotient the class it lies in."""
        return lying_in(self.finest, self.images, self.quotient)

    def broken(self, formula: s.Formula) -> Bools:
        """The classes where a formula is false at some row."""
        if isinstance(formula, s.Criterion):
            return ~self.ground.safe(formula)
        false = ~self.ground.truth(formula)
        # no class is empty: of an empty one ``reduceat`` would show the next cell
        broken: Bools = np.logical_or.reduceat(false, self.quotient.starts[:-1])
        return broken

    def rows(self, classes: Ints) -> int:
        """How many records are in these classes."""
        return int(self.quotient.sizes[classes].sum())
