"""Worlds where many walks leave the large sums as they are only together.

Most sums are of few rows: those by a column with many values.  This column is the
*place*; the columns that are read together with it fall into *parts* that no selection
reads together there.  In one place a class is a cell, with a value in each part.  Some
cells of a place with one less, and as many with one more that have the values of the
first in another order, part by part, are a *crossing*: all sums that read the place are
as before.

Sums that do not read it are few, and over many classes.  So there are many crossings
that add the same to them, and many that take just that: of two such a world is made
(``opposites``), and of many pairs one where many classes are moved.  It is looked at as
a whole before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from phverify.disclosure.classes.cells import CellNumbers, place_and_parts
from phverify.disclosure.classes.rotations import Attributes
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import ClassSystem

FROM = 300
"""Fewer classes are not worth the time in which the search becomes machine code."""
LEAST = 20_000
"""So many crossings are drawn for a world at least, and twice as many after each one
that serves nothing.
"""
FIRST_VAIN, VAIN = 5, 8
"""So many of those in a row are the last ones: at first, and after many worlds."""
ALONE = 1_000_000
"""To draw so many crossings takes as long as to look at one class by itself."""


class Crossings:
    """The search for worlds of many crossings in one system."""

    def __init__(
        self,
        system: ClassSystem,
        open_: Ints,
        attributes: Attributes,
        read: Sequence[frozenset[str]],
        check: Callable[[], None],
    ) -> None:
        self.system = system
        self.open_ = open_
        self.check = check
        self.cells: CellNumbers | None = None
        values = {name: len(np.unique(codes)) for name, codes in attributes.items()}
        found = place_and_parts(read, values)
        if found is None:
            return
        name, parts = found
        without = [name not in names for names in read]
        large = np.array(without)
        self.large = large[system.origins]
        cells = CellNumbers(name, parts, attributes)
        if cells.fit:
            self.cells = cells

    def worlds(self, wanted: Ints) -> Iterator[Ints]:
        """Worlds, each as the moves of all classes; together they move as many of
        ``wanted`` as were found.
        """
        if self.cells is None or len(wanted) < FROM:
            return
        from phverify.disclosure.classes.crossed import CrossedSystem

        search = CrossedSystem(self.system, self.open_, self.cells, self.large)
        if len(search.givers) < 2:
            return
        served = vain = 0
        while len(wanted) and vain < min(VAIN, FIRST_VAIN + served):
            least = LEAST * 2**vain
            if least > ALONE * len(wanted):
                return
            found = search.further(wanted, least, self.check)
            # Where two sums have one trace by chance, it is no world.
            if self.system.entries.times(found).any():
                return
            left = wanted[found[wanted] == 0]
            if len(left) < len(wanted):
                yield found
                served, vain = served + 1, 0
            else:
                vain += 1
            wanted = left
