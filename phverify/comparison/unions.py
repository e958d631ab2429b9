"""Classes taken together: the whole table, and what an agent does not tell apart."""

from __future__ import annotations

from collections.abc import Iterator

from phverify.comparison.choice import Undecided
from phverify.comparison.criterion_terms import Facts
from phverify.comparison.relaxed import Relaxed, around
from phverify.comparison.shape_cells import Chosen, ShapeCell
from phverify.constraints import terms as t


class WholeTable(Relaxed):
    """The table as one class, up to a factor: what merging keeps holds there.  Of its
    size nothing is said.
    """

    sized = False

    def frame(self) -> Facts:
        """It has rows, and the values that must occur."""
        size = self.size(0)
        yield t.compare(size, ">", 0)
        active = self.case.choice.active
        for f, needed in active.items():
            for value in needed:
                profiles = self.having(f, value)
                rows = self.inside(0, profiles)
                yield t.compare(rows, ">", 0)

    def like(self, kind: str, c: int, chosen: Chosen) -> t.LinearSum:
        """It is like itself."""
        return self.inside(c, chosen)


class Block(WholeTable):
    """What an agent with partial knowledge sees around a class: a union of classes,
    where what merging keeps holds.
    """

    def _cells(self) -> Iterator[ShapeCell]:
        kind, _, c = self.mark.partition(" ")
        for p in range(len(self.profiles)):
            yield ShapeCell(0, p, None, "", around(kind, int(c), p))

    def frame(self) -> Facts:
        """Nothing: the classes around it are said elsewhere."""
        return iter(())

    def like(self, kind: str, c: int, chosen: Chosen) -> t.LinearSum:
        """Raises Undecided: a block has shares of its own."""
        raise Undecided("the shares of the table are not scaled to this")
