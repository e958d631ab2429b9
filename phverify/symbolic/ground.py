"""Grounding: formulas that name no individual have one truth value per cell, computed for whole columns.

Exact: counts are integers, and a linear likelihood formula is multiplied out so that only integers are
compared.  A view is the part of the quotient that is looked at: everything, or some classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints, common_denominator, ints
from phverify.logic.names import Signature
from phverify.microdata.histogram import Histogram, histogram
from phverify.microdata.quotient import Quotient
from phverify.spec import syntax as s
from phverify.spec.criteria.base import ClassCriterion


@dataclass(frozen=True, eq=False)
class View:
    """Some classes of a quotient with their cells; class k of the view has ``starts[k]:starts[k + 1]``."""

    classes: Ints
    cells: Ints
    starts: Ints

    def spread(self, per_class: Ints) -> Ints:
        """A value per class as a value per cell."""
        return np.repeat(per_class, np.diff(self.starts))


def is_ground(formula: s.Formula) -> bool:
    """Whether a formula names no individual and has no variable left: its truth depends on the cell alone."""
    match formula:
        case s.Nominal() | s.At() | s.Chosen() | s.Quantified() | s.NeverKnown():
            return False
        case s.Descriptor(_, _, values):
            return not any(isinstance(v, s.Var) for v in values)
        case s.Diamond(s.Var()) | s.Box(s.Var()):
            return False
        case s.Compare(left, _, right):
            terms = (*s.likelihoods(left), *s.likelihoods(right))
            if any(isinstance(term.agent, s.Var) for term in terms):
                return False
    return all(map(is_ground, s.children(formula)))


@dataclass(frozen=True, eq=False)
class Ground:
    """Truth of ground formulas over a quotient.  ``agents`` gives the quasi-identifiers each agent knows."""

    quotient: Quotient
    signature: Signature
    agents: Mapping[str, tuple[str, ...]]
    build: Callable[[s.Criterion], ClassCriterion]
    _known: dict[s.Formula, Bools] = field(default_factory=dict)
    """Truth per cell."""
    _safe: dict[s.Criterion, Bools] = field(default_factory=dict)
    """Truth per class."""
    _cells: dict[str, Ints] = field(default_factory=dict)
    _members: dict[s.Descriptor, Bools] = field(default_factory=dict)
    _histograms: dict[str, Histogram] = field(default_factory=dict)

    @cached_property
    def everything(self) -> View:
        q = self.quotient
        return View(np.arange(q.classes), np.arange(q.cells), q.starts)

    def some(self, classes: Ints) -> View:
        """The view of these classes (ascending, distinct)."""
        first, last = self.quotient.starts[classes], self.quotient.starts[classes + 1]
        starts = np.concatenate([[0], np.cumsum(last - first)])
        cells = np.arange(starts[-1]) + np.repeat(first - starts[:-1], last - first)
        return View(classes, cells, starts)

    def histogram(self, attribute: str) -> Histogram:
        if attribute not in self._histograms:
            self._histograms[attribute] = histogram(self.quotient, attribute)
        return self._histograms[attribute]

    def agent_cells(self, agent: str) -> Ints:
        """For each class, the number of the cell in which the agent sees it."""
        if agent not in self._cells:
            q, known = self.quotient, self.agents[agent]
            everything = set(known) == set(q.quasi)
            self._cells[agent] = np.arange(q.classes) if everything else q.agent_cells(known)
        return self._cells[agent]

    def local(self, agent: str) -> bool:
        """Whether the agent sees single classes, so that a view of some classes suffices for it."""
        return set(self.agents[agent]) == set(self.quotient.quasi)

    def truth(self, formula: s.Formula, view: View | None = None) -> Bools:
        """The truth of a ground formula at each cell of the view."""
        if view is None or view is self.everything:
            if formula not in self._known:
                self._known[formula] = self._truth(formula, self.everything)
            return self._known[formula]
        return self._truth(formula, view)

    def _truth(self, formula: s.Formula, view: View) -> Bools:
        match formula:
            case s.Truth(value):
                return np.full(len(view.cells), value)
            case s.Descriptor():
                return self._descriptor(formula)[self.quotient.codes[formula.attribute][view.cells]]
            case s.Not(body):
                return ~self.truth(body, view)
            case s.And(parts):
                return self._all([self.truth(part, view) for part in parts], len(view.cells))
            case s.Or(parts):
                return ~self._all([~self.truth(part, view) for part in parts], len(view.cells))
            case s.Implies(left, right):
                return ~self.truth(left, view) | self.truth(right, view)
            case s.Iff(left, right):
                return ~(self.truth(left, view) ^ self.truth(right, view))
            case s.Diamond(str(agent), body):
                return view.spread(self._counts(agent, body, view) > 0)
            case s.Box(str(agent), body):
                return view.spread(self._counts(agent, s.Not(body), view) == 0)
            case s.Compare(left, op, right):
                return view.spread(self._compare(s.minus(left, right), op, view))
            case s.Criterion():
                return view.spread(self.safe(formula)[view.classes])
        raise TypeError(f"not ground: {formula!r}")

    def _all(self, parts: list[Bools], size: int) -> Bools:
        result = np.ones(size, dtype=bool)
        for part in parts:
            result &= part
        return result

    def _descriptor(self, formula: s.Descriptor) -> Bools:
        """For each label of the attribute, whether the descriptor holds."""
        if formula not in self._members:
            matching = self.signature.attributes[formula.attribute].matches(formula.op, s.texts(formula))
            labels = self.quotient.labels[formula.attribute]
            self._members[formula] = np.array([label in matching for label in labels], dtype=bool)
        return self._members[formula]

    def safe(self, node: s.Criterion) -> Bools:
        """For each class, whether it satisfies a criterion."""
        if node not in self._safe:
            criterion = self.build(node)
            self._safe[node] = criterion.columns(self.histogram(criterion.attribute))
        return self._safe[node]

    def _counts(self, agent: str, body: s.Formula, view: View) -> Ints:
        """For each class of the view, how many rows of the agent's cell satisfy the formula."""
        if self.local(agent):
            found = np.where(self.truth(body, view), self.quotient.counts[view.cells], 0)
            result: Ints = np.add.reduceat(found, view.starts[:-1])
            return result
        found = np.where(self.truth(body), self.quotient.counts, 0)
        per_class = np.add.reduceat(found, self.quotient.starts[:-1])
        cells = self.agent_cells(agent)
        return group(cells, per_class)[cells[view.classes]]

    def cell_sizes(self, agent: str, classes: Ints) -> Ints:
        """For each class, the rows of the agent's cell."""
        if self.local(agent):
            return self.quotient.sizes[classes]
        cells = self.agent_cells(agent)
        return group(cells, self.quotient.sizes)[cells[classes]]

    def _compare(self, linear: s.Linear, op: str, view: View) -> Bools:
        """``linear op 0`` for each class: multiplied by all denominators, in integers."""
        agents = sorted({str(term.agent) for term in s.likelihoods(linear)})
        clear = Fraction(common_denominator(coefficients(linear)))
        weight = sum(abs(c) for c in coefficients(linear)) * clear
        bound = int(weight) * self.quotient.rows ** len(agents) + 1
        sizes = {a: ints(self.cell_sizes(a, view.classes), bound) for a in agents}
        value = self._numerator(linear, clear, sizes, view, bound)
        return compare(value, op)

    def _numerator(self, linear: s.Linear, clear: Fraction, sizes: Mapping[str, Ints], view: View, bound: int) -> Ints:
        """The value of the sum times ``clear`` times the product of all cell sizes."""
        everything = product_of(sizes.values(), len(view.classes), bound)
        result = everything * int(linear.constant * clear)
        for coefficient, quantity in linear.terms:
            if isinstance(quantity, s.Abs):
                inner = self._numerator(quantity.body, abs(coefficient) * clear, sizes, view, bound)
                result = result + np.abs(inner) * (1 if coefficient > 0 else -1)
            else:
                agent = str(quantity.agent)
                others = product_of((v for a, v in sizes.items() if a != agent), len(view.classes), bound)
                counts = ints(self._counts(agent, quantity.body, view), bound)
                result = result + counts * others * int(coefficient * clear)
        return result


def coefficients(linear: s.Linear, factor: Fraction = Fraction(1)) -> list[Fraction]:
    """All coefficients and constants, those inside ``abs`` multiplied by what stands before it."""
    found = [linear.constant * factor]
    for coefficient, quantity in linear.terms:
        found.append(coefficient * factor)
        if isinstance(quantity, s.Abs):
            found += coefficients(quantity.body, coefficient * factor)
    return found


def product_of(arrays: Iterable[Ints], length: int, bound: int) -> Ints:
    result = ints(np.ones(length, dtype=np.int64), bound)
    for array in arrays:
        result = result * array
    return result


def group(cells: Ints, per_class: Ints) -> Ints:
    """Sums of a value per class over the cells of an agent."""
    result = np.zeros(int(cells.max()) + 1, dtype=np.int64)
    np.add.at(result, cells, per_class)
    return result


def compare(value: Ints, op: str) -> Bools:
    """``value op 0`` elementwise."""
    match op:
        case "=":
            result = value == 0
        case "!=":
            result = value != 0
        case "<":
            result = value < 0
        case "<=":
            result = value <= 0
        case ">":
            result = value > 0
        case _:
            result = value >= 0
    return np.asarray(result, dtype=bool)
