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

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.constraints import terms as t
from phverify.disclosure.facts.domains import LARGEST
from phverify.disclosure.grouping import grouped
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.sums import Number, alone, count
from phverify.disclosure.worlds.cells import Coding
from phverify.disclosure.worlds.conditions import compared
from phverify.disclosure.worlds.rounding import LARGEST_SUM, sums

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
        """Equal for cells that count in the same cases: the terms are the same objects,
        or made alike of the same.
        """
        return tuple(_shape(term) for term, _ in self.cells)

    @cached_property
    def number(self) -> t.LinearSum:
        """How many cells count."""
        return (
            different(self.cells)
            if self.distinct
            else count(term for term, _ in self.cells)
        )

    @cached_property
    def total(self) -> t.LinearSum:
        """The sum of the cells that count."""
        return t.total((1, term, x) for term, x in self.cells)


@dataclass(frozen=True)
class Helper:
    """An integer that some constraint needs beside the cells: the lower median of some
    of them.
    """

    variable: t.Variable
    cells: Gated

    def value(self, assignment: t.Assignment) -> int:
        counted = [x for term, x in self.cells if t.evaluate(term, assignment)]
        there = sorted(x if isinstance(x, int) else assignment[x.name] for x in counted)
        found = there[(len(there) - 1) // 2] if there else self.variable.low
        return max(
            self.variable.low, min(found, self.variable.high)
        )  # terms are folded by its range


Found = tuple[list[t.Term], list[Helper]]


def _shape(term: t.Term) -> Hashable:
    match term:
        case t.Conj(parts):
            return frozenset(_shape(part) for part in parts)
        case t.Neg(body):
            return "not", _shape(body)
    return id(term)


def different(cells: Gated) -> t.LinearSum:
    """How many different values the cells that count have.  Raises Unsupported where
    they may be too many.

    A value counts when a cell that counts has it; or a cell counts when none before it
    has the same value.
    """
    guards = grouped((x, term) for term, x in cells if term is not t.FALSE)
    there = [(t.disj(terms), x) for x, terms in guards.items()]
    unknown = [(term, x) for term, x in there if isinstance(x, t.Variable)]
    if len(unknown) < len(there) or not unknown:
        return count(term for term, _ in there)
    values = unknown[0][1].values or range(unknown[0][1].low, unknown[0][1].high + 1)
    parts = []
    if len(values) <= VALUES and len(values) * len(unknown) <= PAIRS:
        for value in values:
            parts.append(
                t.disj(t.conj((term, t.equal(alone(x), value))) for term, x in unknown)
            )
    elif len(unknown) <= CELLS:
        for place, (term, x) in enumerate(unknown):
            same = (
                t.conj((other, t.equal(alone(x) - alone(y), 0)))
                for other, y in unknown[:place]
            )
            parts.append(t.conj((term, *map(t.neg, same))))
    else:
        raise Unsupported(
            f"COUNT(DISTINCT ..) is audited for domains of up to {VALUES} values, or"
            f" {CELLS} cells of a group: here there are {len(values):,} and"
            f" {len(unknown):,}"
        )
    return count(parts)


def aggregate(
    kind: str, selected: Selected, value: Any, name: str, size: int | None = None
) -> Found:
    """When the aggregate has this value; ``name`` is for a helper.  Raises Unsupported.

    ``size`` is how many cells count, where another term says so already.
    """
    number = selected.number
    if kind == "count":
        return [t.equal(number, value)], []
    if value is None:
        return [t.equal(number, 0)], []
    number = number if size is None else t.LinearSum(size)
    helpers: list[Helper] = []
    match kind:
        case "avg":
            terms = [mean(number, selected.total, value)]
        case "median":
            terms, helpers = median(number, selected, 2 * Fraction(value), name)
        case _:
            code = (
                int(value) if selected.coding is None else selected.coding.code(value)
            )
            terms = [measured(kind, selected, "=", Fraction(code))]
    return [t.within(number, 1, None), *terms], helpers


def mean(number: t.LinearSum, total: t.LinearSum, value: float) -> t.Term:
    """The quotient rounds to the published double: for each count, a range of sums."""
    if max(map(abs, t.bounds(total))) >= LARGEST_SUM:
        raise Unsupported("AVG is audited where the sum is below 2^53")
    low, high = t.bounds(number)
    cases = []
    try:
        for n in range(max(1, low), high + 1):
            if found := sums(value, n):
                cases.append(
                    t.conj((t.equal(number, n), t.within(total, found[0], found[-1])))
                )
    except ArithmeticError as error:
        raise Unsupported(str(error)) from None
    return t.disj(cases)


def measured(kind: str, selected: Selected, operator: str, bound: Fraction) -> t.Term:
    """COUNT, SUM, MIN or MAX beside a constant, where some cell counts.

    MIN is above a constant where all cells are, and MAX below it likewise; all else of
    them is made of that.
    """
    if kind not in ("min", "max"):
        return compared(
            selected.total if kind == "sum" else selected.number, operator, bound
        )

    def every(sign: str) -> t.Term:
        return t.conj(
            t.disj((t.neg(term), compared(alone(x), sign, bound)))
            for term, x in selected.cells
        )

    beyond, from_ = (">", ">=") if kind == "min" else ("<", "<=")
    match operator:
        case "=":
            attained = (
                t.conj((term, compared(alone(x), "=", bound)))
                for term, x in selected.cells
            )
            return t.conj((every(from_), t.disj(attained)))
        case "!=":
            return t.neg(measured(kind, selected, "=", bound))
    if operator in (beyond, from_):
        return every(operator)
    return t.neg(every(from_ if operator in ("<", ">") else beyond))


def median(
    number: t.LinearSum, selected: Selected, double: Fraction, name: str
) -> Found:
    """The median is half of ``double``."""
    ranges = [
        (x, x) if isinstance(x, int) else (x.low, x.high) for _, x in selected.cells
    ]
    low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
    if double.denominator != 1 or max(abs(low), abs(high)) > LARGEST:
        raise Unsupported("MEDIAN is audited for integers up to 2^52")
    twice = double.numerator
    least, most = t.bounds(number)
    if least == most and most % 2:
        middle = t.LinearSum(twice // 2)
        return [
            t.constant(twice % 2 == 0),
            *_middle(number, selected, middle, middle),
        ], []
    lower = t.Variable(name, max(low, twice - high), min(high, twice // 2))
    bottom = alone(lower)
    return _middle(number, selected, bottom, -1 * bottom + twice), [
        Helper(lower, selected.cells)
    ]


def _middle(
    number: t.LinearSum, selected: Selected, low: t.LinearSum, high: t.LinearSum
) -> list[t.Term]:
    """``low`` is the lower median and ``high`` the upper one; they are one object where
    they are equal.
    """

    def below(bound: t.LinearSum, strictly: int) -> t.LinearSum:
        """How many cells that count are ``<= bound`` (``< bound`` when strictly is
        1).
        """
        return count(
            t.conj((gate, t.within(alone(x) - bound, None, -strictly)))
            for gate, x in selected.cells
        )

    least, most = t.bounds(number)
    if least == most:
        terms = [
            t.within(below(low, 1), None, (least - 1) // 2),
            t.within(below(high, 0), least // 2 + 1, None),
        ]
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
