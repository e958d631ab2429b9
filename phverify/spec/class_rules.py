"""What a policy asks of single classes of tuples, and which classes could be split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from phverify.spec import syntax as s
from phverify.spec.bitset import bits, within
from phverify.spec.classes import Counting, Demands, PolicyPart, Whole
from phverify.spec.criterion.base import Counts
from phverify.spec.data import Data, PlainPolicy
from phverify.spec.necessary import Necessary, necessary
from phverify.spec.recoding import Class, TupleRecoding, TupleSpace
from phverify.spec.rules import assumption, rule

FEW = 12
"""Classes of at most so many tuples are split in every way there is."""


def demands(policy: PlainPolicy, data: Data, share: Fraction) -> Demands:
    """The rules of a policy over a table of which some share may be withheld."""
    rules = {name: rule(policy, data, name) for name in policy.rules}
    assumed = tuple(assumption(policy, data, name) for name in policy.assumptions)
    return Demands(data.signature, data.quasi, data.criterion, rules, assumed, share)


@dataclass(eq=False)
class ClassRules:
    """The parts of a policy that are decided class by class, over tuples."""

    data: Data
    space: TupleSpace
    demands: Demands
    _satisfied: dict[Class, bool] = field(default_factory=dict)

    @cached_property
    def parts(self) -> list[PolicyPart]:
        """What single classes are asked."""
        return self.demands.parts

    @cached_property
    def open(self) -> list[Whole]:
        """What only a whole release can be asked."""
        return [piece for piece in self.demands.cut() if isinstance(piece, Whole)]

    @cached_property
    def necessary(self) -> Necessary:
        """What every class needs."""
        return necessary(self.parts, self.data.criterion, self.whole)

    def whole(self, column: str) -> Counts:
        """How often each value of a column occurs; without one, the number of rows."""
        if not column:
            return {"": self.data.rows}
        if column not in self._wholes:
            self._wholes[column] = Counter(self.data.columns[column])
        return self._wholes[column]

    def counts(self, column: str, numbers: Class) -> Counts:
        """The same for the records of some tuples."""
        if not column:
            return {"": self.space.records(numbers)}
        counted: Counter[str | None] = Counter()
        by_tuple = self.by_tuple(column)
        for number in numbers:
            counted.update(by_tuple[number])
        return counted

    def by_tuple(self, column: str) -> list[Counter[str | None]]:
        """For each tuple how often each value of a column occurs."""
        if column not in self._by_tuple:
            counted: list[Counter[str | None]] = [Counter() for _ in self.space.tuples]
            values = self.data.columns[column]
            for number, value in zip(self.space.row_tuple, values, strict=True):
                counted[number][value] += 1
            self._by_tuple[column] = counted
        return self._by_tuple[column]

    def satisfied(self, numbers: Class) -> bool:
        """Whether these tuples, as one class, satisfy every part."""
        if numbers not in self._satisfied:
            self._satisfied[numbers] = not any(self.broken(numbers))
        return self._satisfied[numbers]

    def broken(self, numbers: Class) -> Iterator[str]:
        """The rules that a class breaks."""
        for part in self.parts:
            if part.people and not self._lives(part.people, numbers):
                continue
            if not all(self._holds(body, numbers) for body in part.bodies):
                yield part.rule

    def _lives(self, people: tuple[int, ...], numbers: Class) -> bool:
        """Whether somebody of these is in the class."""
        inside = set(numbers)
        return any(self.space.row_tuple[person] in inside for person in people)

    def _holds(self, body: s.Formula, numbers: Class) -> bool:
        if isinstance(body, s.Criterion):
            criterion = self.data.criterion(body)
            column = criterion.attribute
            # Distances are measured from the table before sanitization.
            return criterion.holds(self.counts(column, numbers), self.whole(column))
        return self._counting.true(body, self._rows(numbers))

    def _rows(self, numbers: Class) -> int:
        """The rows of some tuples as bits."""
        rows = 0
        for number in numbers:
            rows |= self._rows_of[number]
        return rows

    @cached_property
    def _rows_of(self) -> list[int]:
        rows = [0] * len(self.space.tuples)
        for row, number in enumerate(self.space.row_tuple):
            rows[number] |= 1 << row
        return rows

    @cached_property
    def _counting(self) -> Counting:
        return Counting(self.data)

    @cached_property
    def _wholes(self) -> dict[str, Counts]:
        return {}

    @cached_property
    def _by_tuple(self) -> dict[str, list[Counter[str | None]]]:
        return {}


# Splitting


@dataclass(frozen=True)
class Splits:
    """What is known of splitting the classes of a release.

    ``small`` classes have fewer records than two classes need, or one tuple; of
    ``tried`` every split was looked at, and breaks a rule; ``left`` were not looked at.
    """

    small: int
    tried: int
    left: int


@dataclass(eq=False)
class Splitting:
    """Looks for classes of a recoding that could be two.

    With ``disjoint`` boxes, a split must leave them disjoint.
    """

    recoding: TupleRecoding
    rules: ClassRules
    disjoint: bool

    def split(self, place: int) -> tuple[Class, Class] | None:
        """Two classes that one could be without breaking a part of a rule."""
        whole = self.recoding.classes[place]
        for one, other in self._halves(whole):
            if self._fine(place, one, other):
                return one, other
        return None

    def known(self, place: int) -> str:
        """Why a class need not be looked at, "small", or is too large to be, "left"."""
        numbers = self.recoding.classes[place]
        space = self.recoding.space
        if len(numbers) == 1:
            return "small"
        if space.records(numbers) < 2 * self.rules.necessary.records:
            return "small"
        return "left" if len(numbers) > FEW else ""

    def all(self) -> Splits | int:
        """What is known of all classes; or the place of one that could be split."""
        counted = Counter({"small": 0, "left": 0, "": 0})
        for place in range(len(self.recoding.classes)):
            known = self.known(place)
            counted[known] += 1
            if not known and self.split(place) is not None:
                return place
        return Splits(counted["small"], counted[""], counted["left"])

    def _halves(self, whole: Class) -> Iterator[tuple[Class, Class]]:
        """Every way to cut a class in two that are large enough; each once."""
        first, *rest = whole
        least = self.rules.necessary.records
        records = self.recoding.space.records
        # The first tuple stays on one side, so that no cut is met twice; never all do.
        for size in range(len(rest)):
            for chosen in combinations(rest, size):
                one = (first, *chosen)
                other = tuple(number for number in rest if number not in chosen)
                if records(one) >= least and records(other) >= least:
                    yield one, other

    def _fine(self, place: int, one: Class, other: Class) -> bool:
        """Whether a release with these two classes is another one, and allowed."""
        space = self.recoding.space
        boxes = space.box(one), space.box(other)
        if boxes[0] == boxes[1]:
            # Tuples with one box are one class, whichever part they are counted to.
            return False
        for part, box in zip((one, other), boxes, strict=True):
            alike = self._place_of.get(box, place)
            joined = set(part)
            if alike != place:
                # A part with the box of another class becomes one with that class.
                joined |= set(self.recoding.classes[alike])
            # Ascending: a class is known by its numbers in that order.
            if not self.rules.satisfied(tuple(sorted(joined))):
                return False
            if self.disjoint and not within(self._inside(box), bits(joined)):
                return False
        return True

    def _inside(self, box: tuple[tuple[int, int], ...]) -> int:
        """The released tuples in a box."""
        return self.recoding.space.inside(box) & self._released

    @cached_property
    def _released(self) -> int:
        return bits({number for one in self.recoding.classes for number in one})

    @cached_property
    def _place_of(self) -> Mapping[tuple[tuple[int, int], ...], int]:
        return {box: place for place, box in enumerate(self.recoding.boxes)}
