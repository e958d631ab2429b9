"""The ways to cut a class of tuples in two, found without looking at all of them.

Of two halves in different boxes one lies in a box that is smaller in some attribute:
all its tuples are below one of the greatest nodes within the node of the class.  So the
other half has every tuple outside that node, and the search is about those inside.
Where rules only count, ways that count alike are looked at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from phverify.spec import syntax as s
from phverify.spec.class_rules import ClassRules
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.data import Label
from phverify.spec.recoding import Class, TupleSpace
from phverify.spec.sides import BoxSide, Run

EACH = 20_000
"""So many steps are made for one class, at most."""
TOTAL = 1_000_000
"""So many for all classes of a release."""
ASKED = 20
"""Asking rules about two halves counts as so many steps."""
THRESHOLDS = ("k_anonymity", "l_diversity")
"""Criteria that say no more than how many records and values a class has at least."""
Values = frozenset[Label] | None
"""Values of a column that were met, None once there are enough."""
Chain = tuple[int, Any] | None
"""Tuples one by one: the last, and those before it."""


class OutOfWork(Exception):
    """No more steps are made: what is asked stays open."""


@dataclass(eq=False)
class Work:
    """Steps that are left, for one class and for all.

    They are counted, not timed: who checks a certificate stops where its writer did.
    """

    total: int = TOTAL
    each: int = EACH

    def begin(self) -> None:
        """Another class begins."""
        self.each = EACH

    def spend(self, steps: int = 1) -> None:
        """Raises OutOfWork when no step is left."""
        self.each -= steps
        self.total -= steps
        if min(self.each, self.total) < 0:
            raise OutOfWork


def greatest_runs(one: BoxSide, ranks: Sequence[int]) -> Iterator[Run]:
    """The greatest runs of ranks whose node is smaller than that of all of them."""
    whole = one.node(ranks[0], ranks[-1])
    stop = 0
    for start, low in enumerate(ranks):
        # A run that begins later reaches at least as far.
        end = stop
        while end < len(ranks) and one.node(low, ranks[end]) != whole:
            end += 1
        if end > max(start, stop):
            yield low, ranks[end - 1]
        stop = end


def smaller_boxes(space: TupleSpace, whole: Class) -> Iterator[tuple[Class, Class]]:
    """The tuples of a class inside and outside each greatest smaller node."""
    for k, one in enumerate(space.sides):
        rank_of = {number: space.codes[number][k] for number in whole}
        ranks = sorted(set(rank_of.values()))
        for first, last in greatest_runs(one, ranks):
            inside = [n for n in whole if first <= rank_of[n] <= last]
            outside = [n for n in whole if not first <= rank_of[n] <= last]
            yield tuple(inside), tuple(outside)


class Alike(Protocol):
    """What is known of two halves that are being filled: equal states are as good."""

    def start(self, outside: Class) -> Hashable:
        """The first half is empty, the other has the tuples outside."""

    def give(self, state: Any, number: int) -> Hashable:
        """A tuple comes to the first half."""

    def leave(self, state: Any, number: int) -> Hashable:
        """A tuple comes to the other half."""

    def enough(self, state: Any, rest: Class) -> bool:
        """Whether the halves may be classes, with the ``rest`` in the other one."""


@dataclass(frozen=True, eq=False)
class ByThresholds:
    """Rules ask for records and different values: a state has the values met."""

    rules: ClassRules

    def start(self, outside: Class) -> Hashable:
        """No value was met in the first half."""
        nothing = (frozenset[Label](),) * len(self._columns)
        state = nothing, nothing
        for number in outside:
            state = self.leave(state, number)
        return state

    def give(self, state: Any, number: int) -> Hashable:
        """The first half meets the values of the tuple."""
        first, other = state
        return self._met(first, number), other

    def leave(self, state: Any, number: int) -> Any:
        """The other half meets them."""
        first, other = state
        return first, self._met(other, number)

    def enough(self, state: Any, rest: Class) -> bool:
        """Whether both halves have as many values as a class has."""
        first, other = state
        for number in rest:
            other = self._met(other, number)
        return not any(values is not None for values in (*first, *other))

    @cached_property
    def _columns(self) -> list[tuple[list[frozenset[Label]], int]]:
        """For each column the values of each tuple, and how many a class has."""
        columns = []
        for name, least in self.rules.necessary.distinct.items():
            values = [frozenset(counted) for counted in self.rules.by_tuple(name)]
            columns.append((values, least))
        return columns

    def _met(self, met: tuple[Values, ...], number: int) -> tuple[Values, ...]:
        grown: list[Values] = []
        for values, (of_tuple, least) in zip(met, self._columns, strict=True):
            if values is not None:
                union = values | of_tuple[number]
                grown.append(None if len(union) >= least else union)
            else:
                grown.append(None)
        return tuple(grown)


@dataclass(frozen=True, eq=False)
class ByNumbers:
    """A state is the sum of numbers of the tuples in the first half."""

    number_of: dict[int, int]

    def start(self, outside: Class) -> Hashable:
        """Nothing was added."""
        return 0

    def give(self, state: Any, number: int) -> Hashable:
        """The number of the tuple is added."""
        total: int = state + self.number_of[number]
        return total

    def leave(self, state: Any, number: int) -> Any:
        """Nothing is added."""
        return state

    def enough(self, state: Any, rest: Class) -> bool:
        """Rules are asked."""
        return True


def by_histograms(rules: ClassRules, whole: Class) -> ByNumbers:
    """Equal are halves with as many records of each value of each column."""
    number_of = dict.fromkeys(whole, 0)
    # Digits of a number in a base that no count reaches.
    base = rules.space.records(whole) + 1
    digit = 1
    for column in sorted(_columns(rules)):
        by_tuple = rules.by_tuple(column)
        places: dict[Label, int] = {}
        for number in whole:
            for value, count in by_tuple[number].items():
                if value not in places:
                    places[value] = digit
                    digit *= base
                number_of[number] += count * places[value]
    return ByNumbers(number_of)


def one_by_one(whole: Class) -> ByNumbers:
    """No two halves are equal."""
    number_of = {}
    for place, number in enumerate(whole):
        number_of[number] = 1 << place
    return ByNumbers(number_of)


def _columns(rules: ClassRules) -> set[str]:
    """The columns that criteria look at; "" where only records are counted."""
    columns = {criterion.attribute for criterion in _criteria(rules)}
    return columns - {""}


def _criteria(rules: ClassRules) -> Iterator[ClassCriterion]:
    for part in rules.parts:
        for body in part.bodies:
            if isinstance(body, s.Criterion):
                yield rules.data.criterion(body)


def _of_criteria(rules: ClassRules) -> bool:
    """Whether classes are asked for criteria alone, whoever is in them."""
    for part in rules.parts:
        named = bool(part.people)
        if named or not all(isinstance(body, s.Criterion) for body in part.bodies):
            return False
    return True


def alike(rules: ClassRules, whole: Class) -> Alike:
    """Which halves of a class are equal for the rules about single classes."""
    if not _of_criteria(rules):
        return one_by_one(whole)
    if all(criterion.name in THRESHOLDS for criterion in _criteria(rules)):
        return ByThresholds(rules)
    return by_histograms(rules, whole)


@dataclass(eq=False)
class ClassHalves:
    """The ways to cut one class in two, with enough records in both halves."""

    rules: ClassRules
    whole: Class
    work: Work

    def one_of_each(self) -> Iterator[Class]:
        """First halves that may do, one of those that are equal for the rules.

        Raises OutOfWork.
        """
        equal = alike(self.rules, self.whole)
        for inside, outside in self._boxes:
            yield from self._grown(inside, outside, equal)

    def every(self) -> Iterator[Class]:
        """All first halves.  Raises OutOfWork."""
        equal = one_by_one(self.whole)
        ways = sum(2 ** len(inside) for inside, _ in self._boxes)
        if ways > 2 ** len(self.whole):
            # Boxes that overlap: it is less to look at all halves without one tuple.
            yield from self._grown(self.whole[1:], self.whole[:1], equal)
            return
        for inside, outside in self._boxes:
            yield from self._grown(inside, outside, equal)

    @cached_property
    def _boxes(self) -> list[tuple[Class, Class]]:
        """The smaller boxes in which a class may lie."""
        found = []
        for inside, outside in smaller_boxes(self.rules.space, self.whole):
            if self._may_hold(inside):
                found.append((inside, outside))
        return found

    def _may_hold(self, inside: Class) -> bool:
        """Whether some tuples have the records and the values that a class needs."""
        needed = self.rules.necessary
        if self.rules.space.records(inside) < needed.records:
            return False
        for column, least in needed.distinct.items():
            if len(self.rules.counts(column, inside)) < least:
                return False
        return True

    def _grown(self, inside: Class, outside: Class, equal: Alike) -> Iterator[Class]:
        """First halves of tuples that are inside; the others are in the other half."""
        counts = self.rules.space.counts
        least = self.rules.necessary.records
        most = self.rules.space.records(self.whole) - least
        # What has many records first: sums soon are too large.
        order = tuple(sorted(inside, key=lambda number: (-counts[number], number)))
        left = self.rules.space.records(inside)
        if left <= most:
            yield inside

        halves: dict[tuple[int, Hashable], Chain] = {}
        halves[0, equal.start(outside)] = None
        for place, number in enumerate(order):
            left -= counts[number]
            rest = order[place + 1 :]
            grown: dict[tuple[int, Hashable], Chain] = {}
            for (records, state), chain in halves.items():
                self.work.spend()
                if records + left >= least:
                    grown.setdefault((records, equal.leave(state, number)), chain)
                records += counts[number]
                if records > most or records + left < least:
                    continue
                given = records, equal.give(state, number)
                if given in grown:
                    continue
                longer = number, chain
                grown[given] = longer
                if records >= least and equal.enough(given[1], rest):
                    yield tuple(sorted(_listed(longer)))
            halves = grown


def _listed(chain: Chain) -> Iterator[int]:
    while chain is not None:
        number, chain = chain
        yield number
