"""What a policy asks of single classes of tuples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from phverify.spec import syntax as s
from phverify.spec.classes import Counting, Demands, PolicyPart, Whole
from phverify.spec.criterion.base import Counts
from phverify.spec.data import Data, PlainPolicy
from phverify.spec.memory import remembered
from phverify.spec.necessary import Necessary, necessary
from phverify.spec.recoding import Class, TupleSpace
from phverify.spec.rules import assumption, rule_of_any_kind
from phverify.spec.schemas import apart


def demands(policy: PlainPolicy, data: Data, share: Fraction) -> Demands:
    """The rules of a policy over a table of which some share may be withheld.

    One with ``never_known`` is asked of whole releases, and beside it what it says of
    the release alone, class by class.
    """
    rules = {name: _rule(policy, data, name) for name in policy.rules}
    assumed = tuple(assumption(policy, data, name) for name in policy.assumptions)
    return Demands(data.signature, data.quasi, data.criterion, rules, assumed, share)


def _rule(policy: PlainPolicy, data: Data, name: str) -> s.Formula:
    formula = rule_of_any_kind(policy, data, name)
    if not any(isinstance(node, s.NeverKnown) for node in s.subformulas(formula)):
        return formula
    # Loaded here: few policies have such a rule.
    from phverify.spec.alone import of_release_alone

    alone = of_release_alone(formula)
    return formula if alone == s.TRUE else apart(s.conj(alone, formula))


@dataclass(eq=False)
class ClassRules:
    """The parts of a policy that are decided class by class, over tuples."""

    data: Data
    space: TupleSpace
    demands: Demands

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

    @remembered
    def whole(self, column: str) -> Counts:
        """How often each value of a column occurs; without one, the number of rows."""
        if not column:
            return {"": self.data.rows}
        return Counter(self.data.columns[column])

    def counts(self, column: str, numbers: Class) -> Counts:
        """The same for the records of some tuples."""
        if not column:
            return {"": self.space.records(numbers)}
        counted: Counter[str | None] = Counter()
        by_tuple = self.by_tuple(column)
        for number in numbers:
            counted.update(by_tuple[number])
        return counted

    @remembered
    def by_tuple(self, column: str) -> list[Counter[str | None]]:
        """For each tuple how often each value of a column occurs."""
        counted: list[Counter[str | None]] = [Counter() for _ in self.space.tuples]
        values = self.data.columns[column]
        for number, value in zip(self.space.row_tuple, values, strict=True):
            counted[number][value] += 1
        return counted

    @remembered
    def satisfied(self, numbers: Class) -> bool:
        """Whether these tuples, as one class, satisfy every part."""
        return not any(self.broken(numbers))

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
