"""Recoding by tuples: a function from quasi-identifier tuples to boxes that hold them.

Definition 6 maps each column by a function of its own.  Here one function maps whole
tuples: each becomes a box, one node for each attribute, that holds it, or is withheld.
Records are alike when their boxes are; classes, models and rules are then as before
(Definition 7, for an adversary who knows the function).

A class is the set of all tuples with one box.  A box may always be taken to be the
least one that holds its class: a larger one only costs more.

Numbers may be published by their median: the release shows that of the class in place
of its range.  Then records are alike when what is shown of them is alike, whatever
their boxes are; what they lose is counted by their boxes all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm

from phverify.spec.bitset import below, members
from phverify.spec.data import Label, PlainPolicy, Refused
from phverify.spec.sides import COUNTED, BoxSide, RangeSide, Run, side
from phverify.spec.source import Columns, Names, Trees, Values
from phverify.spec.spaces import in_order, keep_or_suppress
from phverify.spec.types import TEXT

Box = tuple[Run, ...]
"""A node for each attribute."""
Class = tuple[int, ...]
"""Numbers of tuples, ascending."""
PUBLISHED = ("range", "median")
"""What the release may show of a class in a column of numbers."""
NUMBERS = ("integer", "decimal")
"""The types of which there are medians."""


def sides(
    policy: PlainPolicy, domains: Columns, trees: Trees, ranged: Names = ()
) -> tuple[BoxSide, ...]:
    """The nodes of each quasi-identifier.

    Along its hierarchy, where there is one; else ranges of an ordered type; else a
    value is kept or becomes ``*``.  Columns of ``ranged`` are released in ranges though
    they have a hierarchy.  Raises Refused.
    """
    if not policy.quasi:
        raise Refused("there is nothing to generalize")
    found = []
    for name in policy.quasi:
        values = domains[name]
        kind = policy.types.get(name, TEXT)
        # A hierarchy goes before an order, unless ranges are asked for.
        paths = None if name in ranged else trees.get(name)
        if paths is None and kind.ordered:
            found.append(side(name, in_order(name, kind, values), None))
            continue
        if name in ranged:
            raise Refused(f"{name!r} has no ordered type: there are no ranges of it")
        if paths is None:
            paths = keep_or_suppress(values)
        found.append(side(name, values, paths))
    return tuple(found)


def by_median(
    policy: PlainPolicy, sides: Sequence[BoxSide], publish: str
) -> tuple[str, ...]:
    """The columns of which the release shows medians: numbers released in ranges.

    Raises Refused where medians are asked for, and there are no such columns.
    """
    if publish not in PUBLISHED:
        known = " or ".join(PUBLISHED)
        raise Refused(f"what is published is {known}, not {publish!r}")
    if publish == "range":
        return ()
    ranged = [one.name for one in sides if isinstance(one, RangeSide)]
    names = [n for n in ranged if policy.types.get(n, TEXT).name in NUMBERS]
    if not names:
        raise Refused("no column of numbers is released in ranges: it has no medians")
    return tuple(names)


@dataclass(frozen=True, eq=False)
class TupleSpace:
    """The tuples of a table, and what a box of some of them costs.

    ``tuples`` are the different ones, in the order of their first rows, ``row_tuple``
    the number of each row's.  Of the columns ``medians`` the release shows medians.
    """

    sides: tuple[BoxSide, ...]
    tuples: tuple[Values, ...]
    row_tuple: tuple[int, ...]
    weights: Mapping[str, Fraction]
    objective: str
    medians: tuple[str, ...] = ()
    _prices: dict[tuple[int, Run], Fraction] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many records there are."""
        return len(self.row_tuple)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many records each tuple has."""
        counted = Counter(self.row_tuple)
        return tuple(counted[number] for number in range(len(self.tuples)))

    @cached_property
    def codes(self) -> tuple[tuple[int, ...], ...]:
        """Each tuple by the ranks of its values."""
        ranks = [one.rank for one in self.sides]
        coded = []
        for values in self.tuples:
            pairs = zip(ranks, values, strict=True)
            coded.append(tuple(rank[value] for rank, value in pairs))
        return tuple(coded)

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The weight of each attribute: all together 1."""
        weights = [self.weights[one.name] for one in self.sides]
        whole = sum(weights)
        return tuple(weight / whole for weight in weights)

    def box(self, numbers: Sequence[int]) -> Box:
        """The least box that holds some tuples."""
        nodes = []
        for k, one in enumerate(self.sides):
            ranks = [self.codes[number][k] for number in numbers]
            # Nodes are runs of ranks: what holds both ends holds all between them.
            nodes.append(one.node(min(ranks), max(ranks)))
        return tuple(nodes)

    def price(self, box: Box) -> Fraction:
        """What a record of the box costs: 0 to 1, or bits.

        By entropy, what it would cost as it is (``own_price``) is to be taken off.
        """
        prices = [self.node_price(k, run) for k, run in enumerate(box)]
        return sum(prices, Fraction(0))

    @property
    def priced(self) -> str:
        """The objective by which nodes are priced."""
        return "loss" if self.objective in COUNTED else self.objective

    def node_price(self, k: int, run: Run) -> Fraction:
        """What a record loses in one attribute."""
        if (k, run) not in self._prices:
            price = self.sides[k].price(run, self.priced)
            self._prices[k, run] = self.shares[k] * price
        return self._prices[k, run]

    def own_price(self, k: int, rank: int) -> Fraction:
        """What a record costs in one attribute where it is released as it is."""
        if self.priced != "entropy":
            return Fraction(0)
        return self.node_price(k, (rank, rank))

    @cached_property
    def constant(self) -> Fraction:
        """The mean of what records cost as they are."""
        return self.unchanged(range(len(self.tuples))) / self.rows

    def unchanged(self, numbers: Iterable[int]) -> Fraction:
        """What the records of some tuples cost as they are, all together."""
        if self.priced != "entropy":
            return Fraction(0)
        records: Counter[tuple[int, int]] = Counter()
        for number in numbers:
            for cell in enumerate(self.codes[number]):
                records[cell] += self.counts[number]
        total = Fraction(0)
        for (k, rank), count in records.items():
            total += count * self.own_price(k, rank)
        return total

    def no_less(self, bound: Fraction) -> Fraction:
        """The least cost of a recoding that is not below a bound.

        Costs are whole numbers of some part: what is above one is at least the next.
        """
        parts = 1
        bound = max(bound, Fraction(0))
        for one, share in zip(self.sides, self.shares, strict=True):
            parts = lcm(parts, share.denominator * one.steps(self.objective))
        parts *= self.rows
        return Fraction(ceil(bound * parts), parts)

    def shown(self, numbers: Sequence[int], box: Box) -> Values:
        """What the release shows of a class with a box."""
        cells = []
        for k, one in enumerate(self.sides):
            if one.name in self.medians:
                cells.append(one.values[self.median(k, numbers)])
            else:
                cells.append(one.label(box[k]))
        return tuple(cells)

    def median(self, k: int, numbers: Sequence[int]) -> int:
        """The rank of the median of some tuples' records, the lower one of two.

        Missing cells are not counted where there are others.
        """
        values = self.sides[k].values
        records: Counter[int] = Counter()
        for number in numbers:
            records[self.codes[number][k]] += self.counts[number]
        # A missing cell has the last rank, and is no number.
        if len(records) > 1 and values[-1] is None:
            records.pop(len(values) - 1, None)
        below = 0
        for rank in sorted(records):
            below += records[rank]
            # The lower median is a value that occurs; the mean of two may be none.
            if 2 * below >= records.total():
                return rank
        raise Refused("there is no median of nothing")

    def records(self, numbers: Sequence[int]) -> int:
        """How many records some tuples have."""
        return sum(self.counts[number] for number in numbers)

    # Which tuples lie in a box, as bits of one integer

    @cached_property
    def tuples_below(self) -> list[list[int]]:
        """For each attribute and rank, the tuples with a lower rank."""
        found = []
        for k, one in enumerate(self.sides):
            having = [0] * len(one.values)
            for number, code in enumerate(self.codes):
                having[code[k]] |= 1 << number
            lower = [0]
            for tuples in having:
                # Prefixes: the tuples of a run of ranks are the difference of two.
                lower.append(lower[-1] | tuples)
            found.append(lower)
        return found

    def inside(self, box: Box) -> int:
        """The tuples that a box holds, as bits."""
        inside = below(len(self.tuples))
        for lower, (first, last) in zip(self.tuples_below, box, strict=True):
            inside &= lower[last + 1] & ~lower[first]
        return inside


@dataclass(frozen=True, eq=False)
class TupleRecoding:
    """A function from tuples to boxes: its classes; all other tuples are withheld."""

    space: TupleSpace
    classes: tuple[Class, ...]

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """The least box of each class."""
        return tuple(self.space.box(one) for one in self.classes)

    @cached_property
    def shown(self) -> tuple[Values, ...]:
        """What the release shows of each class."""
        pairs = zip(self.classes, self.boxes, strict=True)
        return tuple(self.space.shown(one, box) for one, box in pairs)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The records of each class of the release: those that are shown alike."""
        records: Counter[Values] = Counter()
        for one, cells in zip(self.classes, self.shown, strict=True):
            # Medians may be alike where boxes are not: an adversary sees one class.
            records[cells] += self.space.records(one)
        return tuple(records.values())

    @cached_property
    def withheld(self) -> Class:
        """The tuples that are in no class."""
        released = {number for one in self.classes for number in one}
        numbers = range(len(self.space.tuples))
        return tuple(number for number in numbers if number not in released)

    @cached_property
    def cost(self) -> Fraction:
        """What the recoding costs by the objective."""
        rows = self.space.rows
        if self.space.objective == "class-size":
            return Fraction(rows, max(len(self.sizes), 1))
        if self.space.objective == "discernibility":
            # Each withheld record counts as if it were in a class with all others.
            withheld = rows - sum(self.sizes)
            return Fraction(sum(n * n for n in self.sizes) + withheld * rows)
        return self.loss

    @cached_property
    def loss(self) -> Fraction:
        """The mean of what records lose; records that are withheld lose nothing."""
        # Few nodes are used often: their records are added up first.
        records: Counter[tuple[int, Run]] = Counter()
        for one, box in zip(self.classes, self.boxes, strict=True):
            size = self.space.records(one)
            for node in enumerate(box):
                records[node] += size
        total = Fraction(0)
        for (k, run), size in records.items():
            total += size * self.space.node_price(k, run)
        released = (number for one in self.classes for number in one)
        total -= self.space.unchanged(released)
        return total / self.space.rows

    def require_function(self) -> None:
        """Raises Refused unless the classes do not share tuples, or boxes."""
        listed = [number for one in self.classes for number in one]
        known = range(len(self.space.tuples))
        if len(set(listed)) < len(listed) or any(n not in known for n in listed):
            raise Refused("the classes are no partition of the table's tuples")
        if not all(self.classes):
            raise Refused("a class is empty")
        if len(set(self.boxes)) < len(self.boxes):
            raise Refused("two classes have one box: they are one class")

    def overlap(self) -> tuple[int, int] | None:
        """A class, and a tuple of another one that lies in its box, if there is one.

        A withheld tuple may lie in any box.
        """
        released = 0
        for one in self.classes:
            for number in one:
                # Withheld tuples are in no class: a box may hold them.
                released |= 1 << number
        for place, box in enumerate(self.boxes):
            own = sum(1 << number for number in self.classes[place])
            others = self.space.inside(box) & released & ~own
            if others:
                return place, next(iter(members(others)))
        return None

    def stars(self) -> int:
        """How many cells of the release hold every value of their column.

        A median is a value, and holds no other.
        """
        count = 0
        for one, box in zip(self.classes, self.boxes, strict=True):
            sided = zip(self.space.sides, box, strict=True)
            # The only value of a column is shown as it is.
            whole = [s.name for s, run in sided if run == s.whole and run[0] < run[1]]
            stars = set(whole).difference(self.space.medians)
            count += len(stars) * self.space.records(one)
        return count

    def rows(self) -> Iterator[tuple[int, Values]]:
        """The rows that are released, in order, with what is shown of each."""
        shown: dict[int, Values] = {}
        for one, cells in zip(self.classes, self.shown, strict=True):
            for number in one:
                shown[number] = cells
        for row, number in enumerate(self.space.row_tuple):
            if number in shown:
                yield row, shown[number]


def tuple_space(
    sides: tuple[BoxSide, ...],
    columns: Mapping[str, Sequence[Label]],
    weights: Mapping[str, Fraction],
    objective: str,
    medians: tuple[str, ...] = (),
) -> TupleSpace:
    """The space over the rows of a table."""
    rows = zip(*(columns[one.name] for one in sides), strict=True)
    number: dict[Values, int] = {}
    row_tuple = tuple(number.setdefault(values, len(number)) for values in rows)
    sides = tuple(_counted(one, columns[one.name]) for one in sides)
    return TupleSpace(sides, tuple(number), row_tuple, weights, objective, medians)


def one_box_each(space: TupleSpace, classes: Iterable[Iterable[int]]) -> TupleRecoding:
    """The recoding of some classes: those with one box are one class.

    Classes stand in the order of their first tuples.
    """
    by_box: dict[Box, set[int]] = {}
    for numbers in classes:
        members = tuple(sorted(numbers))
        by_box.setdefault(space.box(members), set()).update(members)
    listed = sorted(tuple(sorted(numbers)) for numbers in by_box.values())
    return TupleRecoding(space, tuple(listed))


def _counted(one: BoxSide, column: Sequence[Label]) -> BoxSide:
    """A side that knows how many records have each of its values."""
    having = Counter(column)
    return replace(one, records=tuple(having[value] for value in one.values))
