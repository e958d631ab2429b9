"""How many records of the blocks of a line are withheld at least, counted in the rows
of a table (see ``budgeted``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from phverify.spec import syntax as s
from phverify.spec.bitset import Bits, bits
from phverify.spec.budgeted import Lost, ValueLine
from phverify.spec.classes import Counting, PolicyPart
from phverify.spec.criterion.base import Counts
from phverify.spec.data import Label
from phverify.spec.lost import CertainLosses
from phverify.spec.memory import remembered
from phverify.spec.spaces import Space

Box = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RowLosses:
    """Counts for a space, of which one column is a ``line``."""

    certain: CertainLosses
    space: Space
    line: ValueLine
    boxes: dict[Box, BoxLosses] = field(default_factory=dict)
    """By a block for each column beside the line."""

    @property
    def counting(self) -> Counting:
        """The records, of which any set may be a class."""
        return self.certain.violations.counting

    def of(self, beside: Bits, settled: bool) -> Lost:
        """How many records of each block are withheld at least."""
        boxes = self._boxes(beside)
        wholly = self._wholly(beside)
        certain = self.certain

        def lost(start: int, end: int) -> int:
            packed = wholly[start]
            records = self.lanes.at(packed, end)
            if certain.others or certain.compared:
                own = [box.partly(start, end, settled) for box in boxes]
                records += sum(own)
            return records

        return lost

    @remembered
    def _wholly(self, beside: Bits) -> list[int]:
        """For each place where a block may begin, and in lanes for each where it may
        end, how many of its records are in classes that break an upward-closed part.
        """
        boxes = self._boxes(beside)
        packed = [0] * self.line.length
        for box in boxes:
            for start in range(self.line.length):
                packed[start] += box.wholly(start)
        return packed

    @cached_property
    def lanes(self) -> Lanes:
        """Numbers for all places as one."""
        rows = self.counting.data.rows
        width = rows.bit_length()
        places = self.line.length + 1
        return Lanes(width, places)

    @remembered
    def _boxes(self, beside: Bits) -> list[BoxLosses]:
        """The boxes of the candidates that have just these decisions."""
        numbers = range(self.space.decisions)
        candidate = [beside >> number & 1 == 1 for number in numbers]
        data = self.counting.data
        columns = []
        for number, (scheme, part) in enumerate(self.space.parts(candidate)):
            if number != self.line.number:
                blocks = dict(zip(scheme.values, scheme.blocks(part), strict=True))
                columns.append([blocks[value] for value in data.columns[scheme.name]])

        rows: dict[Box, list[int]] = {}
        boxes_of_rows = zip(*columns, strict=True) if columns else [()] * data.rows
        for row, box in enumerate(boxes_of_rows):
            rows.setdefault(box, []).append(row)
        for box, own in rows.items():
            if box not in self.boxes:
                counted = BoxRows(self.counting, own, self.places, self.line.length)
                self.boxes[box] = BoxLosses(self.certain, counted, self.lanes)
        return [self.boxes[box] for box in rows]

    @cached_property
    def places(self) -> list[int]:
        """For each record the place before its value."""
        scheme = self.space.schemes[self.line.number]
        values = [scheme.values[number] for number in self.line.values]
        place = {value: number for number, value in enumerate(values)}
        return [place[value] for value in self.counting.data.columns[scheme.name]]


@dataclass(frozen=True)
class Lanes:
    """Numbers for all places as one integer, of so many bits each: they are added all
    at once.
    """

    width: int
    places: int

    def packed(self, numbers: Sequence[int]) -> int:
        """Numbers from 0, one for each place."""
        shifted = [number << self.width * k for k, number in enumerate(numbers)]
        return sum(shifted)

    def at(self, packed: int, place: int) -> int:
        """The number for a place."""
        shifted = packed >> self.width * place
        mask = (1 << self.width) - 1
        return shifted & mask

    @cached_property
    def masks(self) -> list[int]:
        """For each place all bits of those before it."""
        places = range(self.places + 1)
        return [(1 << self.width * place) - 1 for place in places]

    @cached_property
    def ones(self) -> list[int]:
        """For each place 1 for each of those before it."""
        shifted = [1 << self.width * place for place in range(self.places)]
        return list(accumulate(shifted, initial=0))


@dataclass(frozen=True, eq=False)
class BoxRows:
    """The records of a box: some ``rows`` of a table, each of which has one of ``many``
    places.
    """

    counting: Counting
    rows: Sequence[int]
    places: Sequence[int]
    many: int

    @remembered
    def before(self, column: str) -> Mapping[Label, list[int]]:
        """For each value of a column how many of the records before each place have it.

        Without a column, how many records there are.
        """
        if not column:
            return {"": self.sizes}
        values = self.counting.data.columns[column]
        counts: dict[Label, list[int]] = {}
        for row in self.rows:
            of_value = counts.setdefault(values[row], [0] * (self.many + 1))
            of_value[self.places[row] + 1] += 1
        return {value: list(accumulate(own)) for value, own in counts.items()}

    @cached_property
    def sizes(self) -> list[int]:
        """How many records there are before each place."""
        counts = [0] * (self.many + 1)
        for row in self.rows:
            place = self.places[row]
            # It is before the next place and all that follow.
            counts[place + 1] += 1
        before = accumulate(counts)
        return list(before)

    def inside(self, start: int, end: int) -> Bits:
        """The records between two places."""
        inside = []
        for row in self.rows:
            place = self.places[row]
            if start <= place < end:
                inside.append(row)
        return bits(inside)


@dataclass(frozen=True)
class BlockRows:
    """The records of a box in a block of the line: they may be a class."""

    box: BoxRows
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many there are."""
        before = self.box.sizes
        first = before[self.start]
        last = before[self.end]
        return last - first

    def counts(self, column: str) -> Counts:
        """How often each value of a column occurs."""
        counts = {}
        for value, before in self.box.before(column).items():
            count = before[self.end] - before[self.start]
            if count:
                counts[value] = count
        return counts

    def satisfies(self, part: PolicyPart) -> bool:
        """Whether they satisfy a part, as a class."""
        true = map(self._true, part.bodies)
        return all(true)

    def _true(self, body: s.Formula) -> bool:
        counting = self.box.counting
        if not isinstance(body, s.Criterion):
            rows = self.box.inside(self.start, self.end)
            return counting.true(body, rows)
        # What criteria ask of a class are counts: they are at hand.
        criterion = counting.data.criterion(body)
        column = criterion.attribute
        inside = self.counts(column)
        whole = counting.table.whole(column)
        return criterion.holds(inside, whole)


@dataclass(frozen=True, eq=False)
class BoxLosses:
    """What is lost of a box: a class for each block of the line."""

    certain: CertainLosses
    box: BoxRows
    lanes: Lanes

    @cached_property
    def kept_from(self) -> list[int]:
        """For each place where a block may begin, the first end with which its class
        breaks no upward-closed part; behind the line where there is none.
        """
        places = len(self.box.sizes)
        if self._broken(0, places - 1):
            # What all of them break, some of them break.
            return [places] * places
        sizes = self.box.sizes
        firsts: list[int] = []
        known: dict[tuple[int, int], bool] = {}
        end = 0
        for start in range(places):
            # What a block that begins later holds, the one before it holds, too: it is
            # kept with no end before the other's.
            while end < places:
                same = sizes[start], sizes[end]
                if same not in known:
                    known[same] = self._broken(start, end)
                if not known[same]:
                    break
                end += 1
            firsts.append(end)
        return firsts

    def _broken(self, start: int, end: int) -> bool:
        """Whether a block has no class here, or one that is lost."""
        rows = BlockRows(self.box, start, end)
        if rows.size <= 0:
            return True
        return self.certain.wholly(rows)

    @cached_property
    def _sizes(self) -> int:
        return self.lanes.packed(self.box.sizes)

    def wholly(self, start: int) -> int:
        """In lanes, for each end of a block that begins at a place, how many records of
        it are in a class that breaks an upward-closed part.
        """
        first, kept = start + 1, self.kept_from[start]
        if kept <= first:
            return 0
        ones, masks = self.lanes.ones, self.lanes.masks
        before = self.box.sizes[start] * (ones[kept] - ones[first])
        return (self._sizes & masks[kept] - masks[first]) - before

    @remembered
    def partly(self, start: int, end: int, settled: bool) -> int:
        """How many records of a block are lost by other parts; where the box is
        ``settled``, it is no part of a larger class.
        """
        rows = BlockRows(self.box, start, end)
        kept = self.kept_from[start]
        if end < kept or not rows.size:
            return 0
        if not settled:
            return self.certain.by_limits(rows)
        for part, _ in self.certain.others:
            if not rows.satisfies(part):
                return rows.size
        return 0
