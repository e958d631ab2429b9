"""COUNT, SUM, AVG, MIN, MAX and MEDIAN over cells that may count or not, as
constraints.

Each function says exactly when SQL's aggregate has a given value.  ``MEDIAN`` needs no
sorting: L is the lower median of N values iff ``2 #(x < L) <= N - 1`` and ``2 #(x <= L)
>= N``, H is the upper one iff ``2 #(x < H) <= N`` and ``2 #(x <= H) >= N + 1``, and the
median is ``(L + H) / 2``; with N even or odd, known or not.

Where the answer also says how many cells count, that number stands in the place of the
sum of their truths: a mean is then one sum, and an odd median has no L and no H, so
that solvers need a third of the time.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.facts.domains import LARGEST
from phverify.disclosure.grouping import grouped
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import Number, alone, count
from phverify.disclosure.worlds.conditions import compared
from phverify.disclosure.worlds.rounding import LARGEST_SUM, sums
from phverify.disclosure.worlds.unknowns import Coding

VALUES = 64
"""Different values are counted in domains of so many values,"""
CELLS = 64
"""or, whatever the domain, among so many cells of a group."""
PAIRS = 50_000
"""A cell and a value that it may have, in one group."""
Gated = tuple[tuple[t.Term, Number], ...]
"""Cells with the term that says when each counts."""


@dataclass(frozen=True)
class Selected:
    """The cells that an aggregate is over; ``coding`` is that of a sensitive column.

    ``distinct``: of equal ones only one counts.
    """

    cells: Gated
    coding: Coding | None = None
    distinct: bool = False

    @cached_property
    def gates(self) -> Hashable:
        """Equal for cells that count in the same cases.

        The terms are the same objects, or made alike of the same.
        """
        terms = [term for term, _ in self.cells]
        return tuple(map(_shape, terms))

    @cached_property
    def number(self) -> t.LinearSum:
        """How many cells count."""
        if self.distinct:
            return different(self.cells)
        terms = [term for term, _ in self.cells]
        return count(terms)

    @cached_property
    def total(self) -> t.LinearSum:
        """The sum of the cells that count."""
        gated = self.cells
        return t.total((1, term, number) for term, number in gated)


@dataclass(frozen=True)
class Helper:
    """An integer that some constraint needs beside the cells.

    It is the lower median of some of them, or the upper one.
    """

    variable: t.Variable
    cells: Gated
    upper: bool = False

    def value(self, assignment: t.Assignment) -> int:
        """That median in a world, within the variable's range."""
        there = []
        for term, x in self.cells:
            if t.evaluate(term, assignment):
                number = x if isinstance(x, int) else assignment[x.name]
                there.append(number)
        there.sort()
        low = self.variable.low
        high = self.variable.high
        median = low
        if there:
            place = (len(there) - (not self.upper)) // 2
            median = there[place]
        # Terms are folded by the variable's range.
        return max(low, min(median, high))


Found = tuple[list[t.Term], list[Helper]]


def _shape(term: t.Term) -> Hashable:
    """Equal for terms that are made alike of the same objects."""
    match term:
        case t.Conj(parts):
            return frozenset(map(_shape, parts))
        case t.Neg(body):
            return "not", _shape(body)
    # A condition of a row is one object wherever it is used.
    return id(term)


def different(cells: Gated) -> t.LinearSum:
    """How many different values the cells that count have.

    A value counts when a cell that counts has it; or a cell counts when none before it
    has the same value.  Raises Unsupported where they may be too many.
    """
    guards = grouped((number, term) for term, number in cells if term is not t.FALSE)
    there = [(t.disj(terms), number) for number, terms in guards.items()]
    unknown = [(term, x) for term, x in there if isinstance(x, t.Variable)]

    # Public cells: each value has been met once, with all terms that let it count.
    if len(unknown) < len(there) or not unknown:
        return count(term for term, _ in there)

    # Value by value where there are few of them, else cell by cell.
    first = unknown[0][1]
    values = first.values or range(first.low, first.high + 1)
    if len(values) <= VALUES and len(values) * len(unknown) <= PAIRS:
        return count(_attained(unknown, value) for value in values)
    if len(unknown) <= CELLS:
        return count(_new(unknown, place) for place in range(len(unknown)))
    raise Unsupported(
        f"COUNT(DISTINCT ..) is audited for domains of up to {VALUES} values, or"
        f" {CELLS} cells of a group: here there are {len(values):,} and"
        f" {len(unknown):,}"
    )


def _attained(cells: Sequence[tuple[t.Term, t.Variable]], value: int) -> t.Term:
    """A cell that counts has a value."""
    cases = []
    for term, x in cells:
        same = t.equal(alone(x), value)
        attained = t.conj((term, same))
        cases.append(attained)
    return t.disj(cases)


def _new(cells: Sequence[tuple[t.Term, t.Variable]], place: int) -> t.Term:
    """A cell counts, and none before it that counts has the same value."""
    term, x = cells[place]
    parts = [term]
    here = alone(x)
    for other, y in cells[:place]:
        difference = here - alone(y)
        equal = t.equal(difference, 0)
        earlier = t.conj((other, equal))
        parts.append(t.neg(earlier))
    return t.conj(parts)


def aggregate(
    kind: str, selected: Selected, value: Any, name: str, size: int | None = None
) -> Found:
    """When the aggregate has this value; ``name`` is for a helper.

    ``size`` is how many cells count, where another term says so already.  Raises
    Unsupported.
    """
    number = selected.number
    if kind == "count":
        return [t.equal(number, value)], []

    # NULL is said of no cell, and only of no cell.
    if value is None:
        return [t.equal(number, 0)], []
    if size is not None:
        number = t.LinearSum(size)
    there = t.within(number, 1, None)
    if kind == "avg":
        return [there, mean(number, selected, value)], []
    coding = selected.coding
    if kind == "median":
        unit = Fraction(1) if coding is None else coding.unit
        double = 2 * Fraction(value) / unit
        terms, helpers = median(number, selected, double, name)
        return [there, *terms], helpers
    code = int(value) if coding is None else coding.of_aggregate(kind, value)
    return [there, measured(kind, selected, "=", Fraction(code))], []


def mean(number: t.LinearSum, selected: Selected, value: float) -> t.Term:
    """The quotient rounds to the published double: for each count, a range of sums."""
    total = selected.total
    low, high = t.bounds(number)
    coding = selected.coding
    if low != high and coding is not None and coding.type.startswith("DECIMAL"):
        # Equal quotients of other numbers of cells end at other doubles.
        raise Unsupported(
            "AVG of decimals is audited where it is known of how many cells: show COUNT"
            " beside it"
        )
    largest = max(map(abs, t.bounds(total)))
    if coding is not None:
        largest *= coding.added
    if largest >= LARGEST_SUM:
        raise Unsupported("AVG is audited where the sum is below 2^53")
    cases = []

    # How many cells count may be unknown, too.
    for n in range(max(1, low), high + 1):
        try:
            rounded = sums(value, n) if coding is None else coding.sums(value, n)
        except ArithmeticError as error:
            raise Unsupported(str(error)) from None
        if rounded:
            fits = t.within(total, rounded[0], rounded[-1])
            counted = t.equal(number, n)
            case = t.conj((counted, fits))
            cases.append(case)
    return t.disj(cases)


def measured(kind: str, selected: Selected, operator: str, bound: Fraction) -> t.Term:
    """COUNT, SUM, MIN or MAX beside a constant, where some cell counts.

    MIN is above a constant where all cells are, and MAX below it likewise; all else of
    them is made of that.
    """
    if kind == "sum":
        return compared(selected.total, operator, bound)
    if kind not in ("min", "max"):
        return compared(selected.number, operator, bound)
    beyond, from_ = (">", ">=") if kind == "min" else ("<", "<=")
    match operator:
        case "=":
            # The least of some numbers: none is below it, and one is it.
            every = _every(selected, from_, bound)
            some = _some(selected, bound)
            return t.conj((every, some))
        case "!=":
            equal = measured(kind, selected, "=", bound)
            return t.neg(equal)

    # MIN <= c is that not all cells are above c.
    if operator in (beyond, from_):
        return _every(selected, operator, bound)
    strict = operator in ("<", ">")
    opposite = from_ if strict else beyond
    denied = _every(selected, opposite, bound)
    return t.neg(denied)


def _every(selected: Selected, sign: str, bound: Fraction) -> t.Term:
    """All cells that count are so beside a constant."""
    cases = []
    for term, number in selected.cells:
        cell = alone(number)
        holds = compared(cell, sign, bound)
        absent = t.neg(term)
        case = t.disj((absent, holds))
        cases.append(case)
    return t.conj(cases)


def _some(selected: Selected, bound: Fraction) -> t.Term:
    """A cell that counts is equal to a constant."""
    cases = []
    for term, number in selected.cells:
        cell = alone(number)
        holds = compared(cell, "=", bound)
        case = t.conj((term, holds))
        cases.append(case)
    return t.disj(cases)


def median(
    number: t.LinearSum, selected: Selected, double: Fraction, name: str
) -> Found:
    """The median is half of ``double``."""
    numbers = [number for _, number in selected.cells]
    low = min(x if isinstance(x, int) else x.low for x in numbers)
    high = max(x if isinstance(x, int) else x.high for x in numbers)
    # Up to LARGEST a double is the exact half of the sum of two integers.
    if double.denominator != 1 or max(abs(low), abs(high)) > LARGEST:
        raise Unsupported("MEDIAN is audited for integers up to 2^52")
    twice = double.numerator

    # Of an odd number that is known the two medians are one, and need no helper.
    least, most = t.bounds(number)
    if least == most and most % 2:
        both = t.LinearSum(twice // 2)
        # The median of an odd number of integers is one of them.
        whole = t.constant(twice % 2 == 0)
        return [whole, *middle(number, selected, both, both)], []

    # The upper median is what twice the median is more than the lower one.
    lower = t.Variable(name, max(low, twice - high), min(high, twice // 2))
    bottom = alone(lower)
    top = -1 * bottom + twice
    helper = Helper(lower, selected.cells)
    return middle(number, selected, bottom, top), [helper]


def middle(
    number: t.LinearSum, selected: Selected, low: t.LinearSum, high: t.LinearSum
) -> list[t.Term]:
    """``low`` is the lower median and ``high`` the upper one.

    They are one object where they are equal.
    """

    def below(bound: t.LinearSum, strictly: int) -> t.LinearSum:
        """How many cells that count are ``<= bound``, or ``< bound``.

        Below where ``strictly`` is 1, and 0 otherwise.
        """
        terms = []
        for gate, x in selected.cells:
            cell = alone(x)
            difference = cell - bound
            small = t.within(difference, None, -strictly)
            counts = t.conj((gate, small))
            terms.append(counts)
        return count(terms)

    least, most = t.bounds(number)
    if least == most:
        terms = [
            t.within(below(low, 1), None, (least - 1) // 2),
            t.within(below(high, 0), least // 2 + 1, None),
        ]
        # Where both medians are one, the two statements above say all.
        if low is not high:
            terms.append(t.within(below(low, 0), (least + 1) // 2, None))
            terms.append(t.within(below(high, 1), None, least // 2))
        return terms
    return [
        t.within(2 * below(low, 1) - number, None, -1),
        t.within(2 * below(low, 0) - number, 0, None),
        t.within(2 * below(high, 1) - number, None, 0),
        t.within(2 * below(high, 0) - number, 1, None),
    ]
