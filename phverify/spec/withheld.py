"""Which records of an original table a release shows, where it has fewer of them.

The release must be the original, recoded by tuples, without some of its records.  Who
is released is told by the identifiers of both tables, or found:

- where the rows are in the same order, the release is the original with some rows left
  out: rows are placed in their order, each as early as it can be, and as late.
- else one function on tuples must make the release, which withholds whole tuples.  It
  is found as a mapping of one column is (``mappings``): its values are the tuples,
  their images the boxes that contain them, and a box of the withheld.

Whoever knows the quasi-identifiers of people, and no more, knows somebody's class only
where all ways to explain the release put all people with these quasi-identifiers into
it.  Rules that name nobody do not depend on it; those that name somebody else are
refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from phverify.spec.bitset import Bits, below, members
from phverify.spec.contained import CellMeaning
from phverify.spec.data import Refused, Unsettled
from phverify.spec.mappings import PAIRS, Images, Puzzle, State
from phverify.spec.memory import remembered
from phverify.spec.source import Label, Values

Known = Literal["identifier", "policy", "matching"]
Fits = Callable[[int, int], bool]
"""Whether an original row can have become a released one, by their numbers."""
Place = Values | None
"""What somebody's quasi-identifiers became; None for somebody who is withheld."""
GONE = ""
"""What stands for the box of all who are withheld."""
TELL = (
    "add the identifier column to both tables, or keep the rows in their order and say"
    ' rows = "same order" in the policy'
)


@dataclass(frozen=True, eq=False)
class TwoTables:
    """The rows of both tables: ``values`` are the quasi-identifiers of an original row,
    ``cells`` those of a released one; ``rest`` and ``shown_rest`` all that stays as it
    is.
    """

    values: Sequence[Values]
    rest: Sequence[Hashable]
    cells: Sequence[Values]
    shown_rest: Sequence[Hashable]
    meanings: Sequence[CellMeaning]

    def fits(self, row: int, place: int) -> bool:
        """Whether an original row can have become a released one."""
        if self.rest[row] != self.shown_rest[place]:
            return False
        return self.within(self.values[row], self.cells[place])

    def within(self, values: Values, cells: Values) -> bool:
        """Whether each cell surely contains the original value."""
        for column, value in enumerate(values):
            if not self._contains(column, cells[column], value):
                return False
        return True

    @remembered
    def _contains(self, column: int, cell: Label, value: Label) -> bool:
        return self.meanings[column].contains(cell, value)

    @cached_property
    def boxes(self) -> Mapping[Values, int]:
        """The distinct released quasi-identifiers, numbered."""
        return _numbers(self.cells)

    @cached_property
    def _having(self) -> Mapping[tuple[int, Label], Bits]:
        """By column and cell the boxes that have it."""
        having: dict[tuple[int, Label], Bits] = defaultdict(int)
        for cells, number in self.boxes.items():
            for key in enumerate(cells):
                having[key] |= 1 << number
        return having

    @remembered
    def _around(self, column: int, value: Label) -> Bits:
        """The boxes whose cell in a column surely contains a value."""
        around = 0
        for (own, cell), boxes in self._having.items():
            if own != column:
                continue
            if self._contains(column, cell, value):
                around |= boxes
        return around

    def holding(self, values: Values) -> Iterator[int]:
        """The boxes that contain each of these values, by their numbers."""
        boxes = len(self.boxes)
        holding = below(boxes)
        for column, value in enumerate(values):
            around = self._around(column, value)
            holding &= around
        return members(holding)


@dataclass(frozen=True, eq=False)
class Kept(ABC):
    """The original ``rows`` that are released, ascending, and the released row of
    each.
    """

    tables: TwoTables
    rows: tuple[int, ...]
    partners: tuple[int, ...]

    by: ClassVar[Known]

    @remembered
    def is_open(self, values: Values) -> bool:
        """Whether people with these quasi-identifiers may be in several classes, or
        some of them withheld and others not.
        """
        try:
            places = self.places(values)
            first = next(places)
            return any(place != first for place in places)
        except Unsettled:
            return True

    @abstractmethod
    def places(self, values: Values) -> Iterator[Place]:
        """What those with these quasi-identifiers may have become, perhaps repeated.

        Raises Unsettled where that would take too long.
        """

    @property
    @abstractmethod
    def only(self) -> bool:
        """Whether it is known, without a search, that nothing else explains the
        release.
        """

    @cached_property
    def withheld(self) -> tuple[int, ...]:
        """The original rows that are not released."""
        everybody = range(len(self.tables.values))
        gone = set(everybody).difference(self.rows)
        return tuple(sorted(gone))

    @cached_property
    def _owners(self) -> Mapping[Values, list[int]]:
        """The original rows of each tuple."""
        owners = defaultdict(list)
        for row, values in enumerate(self.tables.values):
            owners[values].append(row)
        return owners

    @cached_property
    def _partner(self) -> Mapping[int, int]:
        pairs = zip(self.rows, self.partners, strict=True)
        return dict(pairs)


@dataclass(frozen=True, eq=False)
class ByName(Kept):
    """Identifiers say who is released, and where."""

    by: ClassVar[Known] = "identifier"

    def places(self, values: Values) -> Iterator[Place]:
        """What became of each of them."""
        for row in self._owners[values]:
            place = self._partner.get(row)
            yield None if place is None else self.tables.cells[place]

    @property
    def only(self) -> bool:
        """Nobody can be meant but who is named."""
        return True


@dataclass(frozen=True, eq=False)
class ByOrder(Kept):
    """The released rows in the order of the original: ``rows`` are as early as they can
    be, ``late`` as late.
    """

    by: ClassVar[Known] = "policy"
    late: tuple[int, ...]

    def places(self, values: Values) -> Iterator[Place]:
        """What each of them becomes in some way to leave rows out."""
        early, late = self.rows, self.late
        cells = self.tables.cells
        for row in self._owners[values]:
            # The released rows before ``first`` need not lie at or behind this row,
            # those from ``last`` on need not lie at or before it.
            first = bisect_right(late, row)
            last = bisect_left(early, row)
            if first <= last:
                yield None
            lowest = max(0, first - 1)
            highest = min(len(cells) - 1, last)
            for place in range(lowest, highest + 1):
                if self.tables.fits(row, place):
                    yield cells[place]

    @property
    def only(self) -> bool:
        """Whether no row can lie elsewhere."""
        return self.rows == self.late


@dataclass(frozen=True, eq=False)
class ByFunction(Kept):
    """One function on tuples, found: ``state`` is what narrowing leaves of all."""

    by: ClassVar[Known] = "matching"
    numbers: Mapping[Values, int]
    puzzle: Puzzle
    state: State
    images: Images

    def places(self, values: Values) -> Iterator[Place]:
        """What this function, and perhaps another one, makes of the tuple."""
        key = 0, str(self.numbers[values])
        (own,) = self.images[key]
        yield (own,)
        left, options = self.state
        others = left[key] - {own}
        if others and self.puzzle.solvable(({**left, key: others}, options)):
            yield (None,)

    @property
    def only(self) -> bool:
        """Whether narrowing leaves one function."""
        left, _ = self.state
        return all(len(images) == 1 for images in left.values())


def kept_rows(tables: TwoTables, paired: Sequence[int] | None, in_order: bool) -> Kept:
    """Which records are released.

    ``paired`` is the original row of each released one, where identifiers tell it;
    ``in_order`` says that the rows are in the same order.  Raises Refused where nothing
    explains the release, or too much could.
    """
    if paired is not None:
        if in_order and list(paired) != sorted(paired):
            raise Refused("the identifiers are in another order than the policy says")
        place = {row: place for place, row in enumerate(paired)}
        rows = tuple(sorted(place))
        return ByName(tables, rows, tuple(place[row] for row in rows))
    if in_order:
        return _aligned(tables)
    return _solved(tables)


# In the same order


def _aligned(tables: TwoTables) -> ByOrder:
    size, shown = len(tables.values), len(tables.cells)
    early = earliest(tables.fits, range(size), range(shown))
    if len(early) < shown:
        raise Refused(
            f"row {len(early) + 1} of the release is no row of the original behind the"
            " one before it: with rows withheld, the others must stand in their order,"
            " every cell containing the original one, other columns as they are"
        )
    backwards = earliest(tables.fits, range(size)[::-1], range(shown)[::-1])
    partners = tuple(range(shown))
    return ByOrder(tables, tuple(early), partners, tuple(backwards[::-1]))


def earliest(fits: Fits, rows: Sequence[int], places: Sequence[int]) -> list[int]:
    """For each released row the first original one that it fits, behind the one before;
    as far as there are any.
    """
    found = []
    waiting = iter(rows)
    for place in places:
        row = next((row for row in waiting if fits(row, place)), None)
        if row is None:
            break
        found.append(row)
    return found


# In any order


def _numbers(rows: Sequence[Values]) -> dict[Values, int]:
    """A number for each distinct row."""
    distinct = dict.fromkeys(rows)
    numbers = range(len(distinct))
    return dict(zip(distinct, numbers, strict=True))


def _solved(tables: TwoTables) -> ByFunction:
    numbers, boxes = _numbers(tables.values), tables.boxes
    before = Counter(_coded(numbers, tables.values, tables.rest))
    after = Counter(_coded(boxes, tables.cells, tables.shown_rest))
    images: dict[tuple[int, Label], frozenset[Label]] = {}
    pairs = 0
    for values, number in numbers.items():
        holding = [*map(str, tables.holding(values))]
        images[0, str(number)] = frozenset([*holding, GONE])
        pairs += len(holding)
        if pairs > PAIRS:
            what = "the tables are too large to look for who is withheld"
            raise Unsettled(f"{what}: {TELL}")
    # What is left of each rest is withheld.
    left = Counter(tables.rest)
    left.subtract(tables.shown_rest)
    for rest, count in left.items():
        if count < 0:
            raise Refused(
                "what stands beside the quasi-identifiers stands there more often in"
                " the release than in the original"
            )
        if count:
            after[(GONE,), rest] = count

    puzzle = Puzzle(before, after)
    try:
        state = puzzle.start(images)
        found = None if state is None else puzzle.solution(state)
    except Unsettled as error:
        raise Unsettled(f"{error}: {TELL}") from None
    if state is None or found is None:
        raise Refused(
            "no function on tuples of quasi-identifiers makes the release of the"
            f" original with some tuples withheld; {TELL}"
        )
    rows, partners = _people(tables, numbers, boxes, found)
    return ByFunction(tables, rows, partners, numbers, puzzle, state, found)


def _coded(
    numbers: Mapping[Values, int], rows: Sequence[Values], rest: Sequence[Hashable]
) -> Iterator[tuple[Values, Hashable]]:
    for values, other in zip(rows, rest, strict=True):
        number = numbers[values]
        yield (str(number),), other


def _people(
    tables: TwoTables,
    numbers: Mapping[Values, int],
    boxes: Mapping[Values, int],
    images: Images,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The original rows that a function releases, and a released row for each."""
    waiting: dict[tuple[Label, Hashable], list[int]] = defaultdict(list)
    for place, cells in enumerate(tables.cells):
        box = str(boxes[cells])
        rest = tables.shown_rest[place]
        waiting[box, rest].append(place)
    rows = []
    partners = []
    for row, values in enumerate(tables.values):
        number = numbers[values]
        (image,) = images[0, str(number)]
        if image != GONE:
            alike = waiting[image, tables.rest[row]]
            rows.append(row)
            partners.append(alike.pop(0))
    return tuple(rows), tuple(partners)
