"""The covering relaxation over some of the possible classes, and its prices.

Choose shares of classes such that every tuple is covered once, at least cost; a tuple
may be withheld at the cost of its records of the budget.  Of the classes that have two
tuples of a cut, or all three, shares of 1 are chosen at most, or what is above is paid
for.  The dual prices, and multipliers of cuts, are what column generation asks the
boxes about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import highspy
import numpy as np

from phverify.exact import Floats, Ints
from phverify.recoding.grid import TupleGrid
from phverify.recoding.separation import paid_cuts


@dataclass(frozen=True, eq=False)
class Solved:
    """Prices and multipliers in units, the cost of the relaxation; of each class the
    reduced cost and the share; what shares of cuts are above 1, all together.
    """

    prices: Floats
    multipliers: Floats
    value: float
    reduced: Floats
    shares: Floats
    above: float


@dataclass(eq=False)
class RestrictedColumns:
    """The classes that are known, each with what it costs at least, in units.

    Only the tuples of ``rows`` have to be covered: all others cost nothing alone.  A
    multiplier of a cut is at most ``highest`` units.
    """

    grid: TupleGrid
    rows: Ints
    budget: int
    sets: list[Ints] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)
    places: dict[bytes, int] = field(default_factory=dict)
    triples: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    highest: float = 0.0

    def add(self, sets: Iterable[Ints], box_costs: Ints | None = None) -> int:
        """Take in classes: how many are new.

        ``box_costs`` are what a record costs in each one's box; otherwise they stand in
        the cheapest box that holds them.
        """
        own = [np.sort(one).astype(np.int32) for one in sets]
        if not own:
            return 0
        costs = self._costs(own)
        if box_costs is not None:
            costs = self._records(own) * box_costs
        before = len(self.sets)
        for one, cost in zip(own, costs.tolist(), strict=True):
            # One column for each set: the same class is met often.
            place = self.places.setdefault(one.tobytes(), len(self.sets))
            if place == len(self.sets):
                self.sets.append(one)
                self.costs.append(cost)
            # A class may be met again in a box that costs less.
            self.costs[place] = min(self.costs[place], cost)
        return len(self.sets) - before

    @property
    def members(self) -> int:
        """The tuples of all classes."""
        return sum(map(len, self.sets))

    def keep_best(self, reduced: Floats, most: int) -> None:
        """Keep the ``most`` classes of least reduced cost, and those not priced yet."""
        priced = len(reduced)
        cheap = np.argsort(reduced, kind="stable")[:most]
        kept = [*np.sort(cheap).tolist(), *range(priced, len(self.sets))]
        self.sets = [self.sets[k] for k in kept]
        self.costs = [self.costs[k] for k in kept]
        self.places = {one.tobytes(): place for place, one in enumerate(self.sets)}

    def solve(self, tolerance: float, seconds: float) -> Solved | None:
        """The prices in the middle of the best ones: interior point, no crossover.

        Prices of a vertex are extreme, and say less about classes that are not known
        yet.  None where the solver ends without prices.
        """
        members = np.concatenate([*self.sets, np.zeros(0, np.int32)])
        starts = _starts(self.sets)
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("solver", "ipm")
        solver.setOptionValue("run_crossover", "off")
        solver.setOptionValue("presolve", "off")
        solver.setOptionValue("ipm_optimality_tolerance", tolerance)
        solver.setOptionValue("time_limit", max(seconds, 0.1))
        solver.passModel(self._program(members, starts))
        cuts, paying = paid_cuts(self.triples, members, starts, self.grid.tuples)
        self._add_cuts(solver, cuts, paying)
        solver.run()
        solution = solver.getSolution()
        duals = np.array(solution.row_dual)
        if len(duals) < len(self.rows) or not np.isfinite(duals).all():
            return None
        prices = np.zeros(self.grid.tuples)
        # Rounding may leave duals a little below 0; prices only propose.
        prices[self.rows] = np.maximum(duals[: len(self.rows)], 0) * self.grid.unit
        count = len(self.triples)
        # Rows of cuts are upper bounds, whose duals are at most 0.
        multipliers = -duals[len(duals) - count :] * self.grid.unit
        multipliers = np.clip(multipliers, 0, self.highest)
        paid = np.add.reduceat(np.append(prices[members], 0.0), starts[:-1])
        reduced = np.array(self.costs, float) - paid[: len(self.sets)]
        reduced += np.bincount(paying, multipliers[cuts], len(self.sets))
        value = float(solver.getInfo().objective_function_value) / self.grid.rows
        chosen = np.array(solution.col_value)
        above = float(chosen[len(chosen) - count :].sum())
        shares = chosen[: len(self.sets)]
        return Solved(prices, multipliers, value, reduced, shares, above)

    def _add_cuts(self, solver: highspy.Highs, cuts: Ints, paying: Ints) -> None:
        """The rows of cuts: ``paying[i]`` is a class that pays for ``cuts[i]``."""
        count = len(self.triples)
        if not count:
            return
        above = solver.getNumCol()
        cost = np.full(count, self.highest / self.grid.unit)
        no_end = np.full(count, highspy.kHighsInf)
        nothing = np.zeros(0, np.int32)
        solver.addCols(
            count, cost, np.zeros(count), no_end, 0, nothing, nothing, np.zeros(0)
        )
        own = np.arange(count)
        # All tuples as one class, which comes after the others, pay for all cuts.
        whole = np.full(count, len(self.sets))
        cut = np.concatenate([cuts, own, own])
        order = np.argsort(cut, kind="stable")
        index = np.concatenate([paying, whole, above + own])[order]
        value = np.ones(len(cut))
        value[len(cut) - count :] = -1
        value = value[order]
        starts = np.zeros(count, np.int32)
        starts[1:] = np.cumsum(np.bincount(cut, minlength=count))[:-1]
        solver.addRows(
            count,
            -no_end,
            np.ones(count),
            len(index),
            starts,
            index.astype(np.int32),
            value,
        )

    def _program(self, members: Ints, starts: Ints) -> highspy.HighsLp:
        """Columns: the classes; all tuples as one class; each tuple withheld."""
        count = len(self.rows)
        row = np.full(self.grid.tuples, -1)
        row[self.rows] = np.arange(count)
        present = row[members] >= 0
        before = np.concatenate([[0], np.cumsum(present)])
        records = self.grid.counts[self.rows]
        index = [row[members][present], np.arange(count)]
        value = [np.ones(before[-1]), np.ones(count)]
        start = [before[starts], before[-1:] + count]
        whole = np.array([float(self.grid.rows * self.grid.most)])
        costs = [np.array(self.costs, float) / self.grid.unit, whole]
        if self.budget:
            pairs = np.stack([np.arange(count), np.full(count, count)], axis=1)
            index.append(pairs.ravel())
            value.append(np.stack([np.ones(count), -records], axis=1).ravel())
            start.append(start[-1][-1] + 2 * (1 + np.arange(count)))
            # What is lost is counted from what records cost as they are.
            costs.append(self.grid.unchanged[self.rows] / self.grid.unit)
        lower = np.append(np.ones(count), -float(self.budget))
        program = highspy.HighsLp()
        program.col_cost_ = np.concatenate(costs)
        program.num_col_ = len(program.col_cost_)
        program.num_row_ = count + bool(self.budget)
        program.col_lower_ = np.zeros(program.num_col_)
        program.col_upper_ = np.full(program.num_col_, highspy.kHighsInf)
        program.row_lower_ = lower[: program.num_row_]
        program.row_upper_ = np.full(program.num_row_, highspy.kHighsInf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.concatenate(start).astype(np.int32)
        program.a_matrix_.index_ = np.concatenate(index).astype(np.int32)
        program.a_matrix_.value_ = np.concatenate(value)
        return program

    def _records(self, sets: list[Ints]) -> Ints:
        starts = _starts(sets)[:-1]
        records: Ints = np.add.reduceat(self.grid.counts[np.concatenate(sets)], starts)
        return records

    def _costs(self, sets: list[Ints]) -> Ints:
        """What classes cost at least: in the cheapest group of each attribute."""
        members = np.concatenate(sets)
        starts = _starts(sets)[:-1]
        price = np.zeros(len(sets), np.int64)
        for attribute, layers in enumerate(self.grid.layers):
            codes = self.grid.codes[members, attribute]
            lowest = np.minimum.reduceat(codes, starts)
            highest = np.maximum.reduceat(codes, starts)
            cheapest = np.full(len(sets), self.grid.unit * self.grid.most)
            for layer in layers:
                together = layer.group[lowest] == layer.group[highest]
                own = np.minimum(cheapest, layer.price[layer.group[lowest]])
                cheapest = np.where(together, own, cheapest)
            price += cheapest
        costs: Ints = self._records(sets) * price
        return costs


def _starts(sets: list[Ints]) -> Ints:
    """Where each set begins when they stand one after the other, and the end."""
    lengths = [len(one) for one in sets]
    starts = np.zeros(len(sets) + 1, np.int64)
    starts[1:] = np.cumsum(lengths)
    return starts
