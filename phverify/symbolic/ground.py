"""Grounding: formulas that name no individual have one truth value per cell, computed
for whole columns.

Exact: counts are integers, and a linear likelihood formula is multiplied out so that
only integers are compared.  A view is the part of the quotient that is looked at:
everything, or some classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import eq, ge, gt, le, lt, ne

import numpy as np

from phverify.exact import Bools, Ints, ints
from phverify.microdata.histogram import ClassHistogram, histogram
from phverify.microdata.quotient import Quotient
from phverify.spec import syntax as s
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.fold import fold
from phverify.spec.linear import Cleared, cleared
from phverify.spec.signature import Signature
from phverify.symbolic.columns import TruthColumns, gathered, matching

REMEMBERED = 2**28
"""So many truth values are remembered, a byte each."""


@dataclass(frozen=True, eq=False)
class CountedClasses:
    """Some classes of a quotient with their cells; class k of the view has
    ``starts[k]:starts[k + 1]``.
    """

    classes: Ints
    cells: Ints
    starts: Ints

    def spread(self, per_class: Ints) -> Ints:
        """A value per class as a value per cell."""
        cells_of_class = np.diff(self.starts)
        return np.repeat(per_class, cells_of_class)


@dataclass(frozen=True, eq=False)
class GroundColumns(TruthColumns[CountedClasses]):
    """Truth of ground formulas over a quotient.  ``agents`` gives the quasi-identifiers
    each agent knows.
    """

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
    _histograms: dict[str, ClassHistogram] = field(default_factory=dict)

    @cached_property
    def everything(self) -> CountedClasses:
        """The view of all classes."""
        classes = np.arange(self.quotient.classes)
        cells = np.arange(self.quotient.cells)
        return CountedClasses(classes, cells, self.quotient.starts)

    def some(self, classes: Ints) -> CountedClasses:
        """The view of these classes (ascending, distinct)."""
        first = self.quotient.starts[classes]
        lengths = self.quotient.starts[classes + 1] - first
        starts = np.concatenate([[0], np.cumsum(lengths)])
        moved_by = first - starts[:-1]  # from the view to the quotient
        cells = np.arange(starts[-1]) + np.repeat(moved_by, lengths)
        return CountedClasses(classes, cells, starts)

    def histogram(self, attribute: str) -> ClassHistogram:
        """How often each value of a column occurs in each class, made once."""
        counted = self._histograms.get(attribute)
        if counted is None:
            counted = histogram(self.quotient, attribute)
            self._histograms[attribute] = counted
        return counted

    def agent_cells(self, agent: str) -> Ints:
        """For each class, the number of the cell in which the agent sees it."""
        if agent not in self._cells:
            # who knows all quasi-identifiers sees the class itself
            if self.local(agent):
                cells = np.arange(self.quotient.classes)
            else:
                cells = self.quotient.agent_cells(self.agents[agent])
            self._cells[agent] = cells
        return self._cells[agent]

    def local(self, agent: str) -> bool:
        """Whether the agent sees single classes, so that a view of some classes
        suffices for it.
        """
        known = set(self.agents[agent])
        return known == set(self.quotient.quasi)

    def truth(self, formula: s.Formula, view: CountedClasses | None = None) -> Bools:
        """The truth of a ground formula at each cell of the view."""
        everything = self.everything
        if view is not None and view is not everything:
            # views are many and small: only what is true of all cells is remembered
            return fold(self, gathered(formula), view)
        truth = self._known.get(formula)
        if truth is None:
            truth = fold(self, gathered(formula), everything)
            if len(self._known) * len(truth) < REMEMBERED:
                self._known[formula] = truth
        return truth

    def length(self, view: CountedClasses) -> int:
        """How many cells the view has."""
        return len(view.cells)

    def descriptor(self, formula: s.Descriptor, view: CountedClasses) -> Bools:
        """Where a cell's value is one of those described."""
        attribute = formula.attribute
        members = self._members.get(formula)
        if members is None:
            labels = self.quotient.labels[attribute]
            members = matching(formula, self.signature, labels)
            if len(self._members) * len(members) < REMEMBERED:
                self._members[formula] = members
        codes = self.quotient.codes[attribute][view.cells]
        return members[codes]

    def somewhere(
        self, formula: s.Diamond | s.Box, agent: str, wanted: bool, view: CountedClasses
    ) -> Bools:
        """Where some row of the agent's cell has the wanted truth."""
        body = formula.body if wanted else s.Not(formula.body)
        counts = self._counts(agent, body, view)
        return view.spread(counts > 0)

    def criterion(self, formula: s.Criterion, view: CountedClasses) -> Bools:
        """Where the class satisfies a criterion by its definition."""
        safe = self.safe(formula)
        per_class = safe[view.classes]
        return view.spread(per_class)

    def compare(
        self, formula: s.Compare, difference: s.Linear, view: CountedClasses
    ) -> Bools:
        """Multiplied by all denominators, in integers."""
        linear = cleared(difference)
        agents = linear.agents
        # no partial sum is larger: ``ints`` can say whether 64 bits are enough
        bound = linear.weight * self.quotient.rows ** len(agents) + 1
        sizes = {a: ints(self.cell_sizes(a, view.classes), bound) for a in agents}
        numerator = self._numerator(linear, sizes, view, bound)
        return view.spread(compare(numerator, formula.op))

    def safe(self, node: s.Criterion) -> Bools:
        """For each class, whether it satisfies a criterion."""
        safe = self._safe.get(node)
        if safe is None:
            criterion = self.build(node)
            counted = self.histogram(criterion.attribute)
            safe = criterion.columns(counted)
            self._safe[node] = safe
        return safe

    def _counts(self, agent: str, body: s.Formula, view: CountedClasses) -> Ints:
        """For each class of the view, how many rows of the agent's cell satisfy the
        formula.
        """
        if self.local(agent):
            rows = self.quotient.counts[view.cells]
            counted = np.where(self.truth(body, view), rows, 0)
            # no class is empty: ``reduceat`` gives one sum for each
            result: Ints = np.add.reduceat(counted, view.starts[:-1])
            return result
        # the agent's cell reaches beyond the view: all classes count
        counted = np.where(self.truth(body), self.quotient.counts, 0)
        per_class = np.add.reduceat(counted, self.quotient.starts[:-1])
        cells = self.agent_cells(agent)
        return group(cells, per_class)[cells[view.classes]]

    def cell_sizes(self, agent: str, classes: Ints) -> Ints:
        """For each class, the rows of the agent's cell."""
        sizes = self.quotient.sizes
        if self.local(agent):
            return sizes[classes]
        cells = self.agent_cells(agent)
        rows_of_cell = group(cells, sizes)
        return rows_of_cell[cells[classes]]

    def _numerator(
        self,
        linear: Cleared,
        sizes: Mapping[str, Ints],
        view: CountedClasses,
        bound: int,
    ) -> Ints:
        """The value of the sum times the product of all cell sizes."""
        everything = product_of(sizes.values(), len(view.classes), bound)
        result = everything * linear.constant
        for sign, inner in linear.magnitudes:
            magnitude = np.abs(self._numerator(inner, sizes, view, bound))
            result = result + magnitude * sign
        for coefficient, term in linear.terms:
            other_sizes = [v for a, v in sizes.items() if a != term.agent]
            others = product_of(other_sizes, len(view.classes), bound)
            counts = ints(self._counts(str(term.agent), term.body, view), bound)
            result = result + counts * others * coefficient
        return result


def product_of(arrays: Iterable[Ints], length: int, bound: int) -> Ints:
    """The elementwise product of arrays of one length; no entry exceeds ``bound``."""
    result = ints(np.ones(length, dtype=np.int64), bound)
    for array in arrays:
        result = result * array
    return result


def group(cells: Ints, per_class: Ints) -> Ints:
    """Sums of a value per class over the cells of an agent."""
    result = np.zeros(int(cells.max()) + 1, dtype=np.int64)
    # cells repeat: ``+=`` would add one of their classes only
    np.add.at(result, cells, per_class)
    return result


COMPARED = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def compare(value: Ints, op: str) -> Bools:
    """``value op 0`` elementwise."""
    compared = COMPARED[op]
    truth = compared(value, 0)
    return np.asarray(truth, dtype=bool)
