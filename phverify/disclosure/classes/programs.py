"""Linear and integer programs over classes, for HiGHS, and for CP-SAT.

What they say are proposals, checked in integers by who asks.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import Entries

GAP = 0.05
"""A solution as near as this to the best is good enough."""
LONG = 60.0
"""Seconds of this process for a linear program."""
QUICK = 1.0
"""Seconds for a program of which there are others that do as well."""
ANY, NODES = 1.0, 10
"""Where the first solution will do: how far it may be from the best, and how many nodes
are looked at.
"""

MOVED = 1e-6
"""What moves by more moves, as far as a proposal matters."""


@dataclass(frozen=True, eq=False)
class ProposedSolution:
    """Values of the columns, and multipliers of the rows for a linear program.

    ``best`` says that the solver finished in its time.
    """

    values: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    best: bool


def solved(
    entries: Entries,
    low: Ints,
    high: Ints,
    aim: Ints,
    *,
    integral: bool,
    inside: bool = False,
    seconds: float = LONG,
) -> ProposedSolution | None:
    """Values within the bounds, all rows 0, with the greatest aim that was found; None
    where there are none.

    ``inside``: of all best ones one between the others, sooner where there are many.
    """
    solver = _solver(seconds)
    solver.setOptionValue("mip_rel_gap", GAP)
    if inside:
        solver.setOptionValue("solver", "ipm")
        solver.setOptionValue("run_crossover", "off")
    solver.passModel(_program(entries, low, high, aim, integral))
    solver.run()
    status = solver.getModelStatus()
    info = solver.getInfo()
    feasible = highspy.SolutionStatus.kSolutionStatusFeasible
    if info.primal_solution_status != feasible:
        return None
    solution = solver.getSolution()
    best = status == highspy.HighsModelStatus.kOptimal
    # It minimizes the opposite: its multipliers have the other sign.
    duals = -np.array(solution.row_dual) if not integral else np.zeros(0)
    if not integral and not best:
        return None
    return ProposedSolution(np.array(solution.col_value), duals, best)


def ways(
    entries: Entries, low: Ints, high: Ints, asked: Ints, *, proof: bool
) -> ProposedSolution | None:
    """Which of some columns, each open to one side alone, can go there while all rows
    are 0: their values are 1 or -1, of those that cannot 0.

    What is possible a little is possible: of bounds only the side counts, and a column
    that is asked for is two, one of them at most 1 and all that is aimed at.  So one
    program tells all of them.  With ``proof`` its multipliers are those of a vertex,
    simple fractions; without it the solution alone is of use, and sooner there.
    """
    width, more = len(low), len(asked)
    place = np.full(width, -1, dtype=np.int64)
    place[asked] = width + np.arange(more)
    again = place[entries.columns] >= 0
    both = Entries(
        np.append(entries.rows, entries.rows[again]),
        np.append(entries.columns, place[entries.columns[again]]),
        np.append(entries.factors, entries.factors[again]),
        entries.height,
    )
    least = np.append(np.sign(low), np.sign(low[asked]))
    most = np.append(np.sign(high), np.sign(high[asked]))
    aim = np.zeros(width + more, dtype=np.int64)
    aim[width:] = least[width:] + most[width:]
    program = _program(both, least, most, aim, False)
    endless = np.append(np.full(width, highspy.kHighsInf), np.ones(more))
    program.col_lower_ = np.where(least < 0, -endless, 0.0)
    program.col_upper_ = np.where(most > 0, endless, 0.0)
    solver = _solver(LONG)
    solver.setOptionValue("solver", "ipm")
    solver.setOptionValue("run_crossover", "on" if proof else "off")
    solver.passModel(program)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = solver.getSolution()
    values = np.array(solution.col_value)[width:]
    return ProposedSolution(values, -np.array(solution.row_dual), True)


def fewest(
    entries: Entries,
    low: Ints,
    high: Ints,
    mine: int,
    way: int,
    seconds: float = QUICK,
) -> Ints | None:
    """Integers within the bounds, all rows 0, one of which goes one way (1 or -1), the
    others as little as they need; None where none were found.
    """
    both, least, most = _ways_apart(entries, low, high, mine, way)
    aim = np.full(len(most), -1, dtype=np.int64)
    solver = _solver(seconds)
    solver.setOptionValue("mip_rel_gap", ANY)
    solver.setOptionValue("mip_max_nodes", NODES)
    solver.passModel(_program(both, least, most, aim, True))
    solver.run()
    found = solver.getInfo().primal_solution_status
    if found != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    solution = solver.getSolution()
    values = np.rint(solution.col_value)
    numbers = values.astype(np.int64)
    width = len(low)
    moves: Ints = numbers[:width] - numbers[width:]
    return moves


def prices(
    entries: Entries, low: Ints, high: Ints, mine: int, way: int
) -> NDArray[np.float64] | None:
    """By how much each column makes ``fewest`` worse at least, as far as real numbers
    say: 0 where it goes in the linear program.  None where that has no solution.
    """
    both, least, most = _ways_apart(entries, low, high, mine, way)
    # What cannot go one way is no column: there are many of these.
    able = np.flatnonzero(most)
    aim = np.full(len(able), -1, dtype=np.int64)
    part = both.part(able, len(most))
    solver = _solver(LONG)
    solver.setOptionValue("solver", "ipm")
    solver.setOptionValue("run_crossover", "off")
    solver.passModel(_program(part, least[able], most[able], aim, False))
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = solver.getSolution()
    goes = np.array(solution.col_value) > MOVED
    more = np.array(solution.col_dual)
    found = np.full(len(most), np.inf)
    found[able] = np.where(goes, 0, more)
    width = len(low)
    least_of_both: NDArray[np.float64] = np.minimum(found[:width], found[width:])
    return least_of_both


def _ways_apart(
    entries: Entries, low: Ints, high: Ints, mine: int, way: int
) -> tuple[Entries, Ints, Ints]:
    """Columns for what goes up and, after them, for what goes down, with their bounds;
    one of them goes one way.
    """
    width = len(low)
    both = Entries(
        np.append(entries.rows, entries.rows),
        np.append(entries.columns, width + entries.columns),
        np.append(entries.factors, -entries.factors),
        entries.height,
    )
    least = np.zeros(2 * width, dtype=np.int64)
    most = np.append(high, -low)
    ahead = mine
    behind = width + mine
    if way < 0:
        ahead, behind = behind, ahead
    least[ahead] = 1
    most[behind] = 0
    return both, least, most


def _solver(seconds: float) -> highspy.Highs:
    """A solver that says nothing, takes one core, and stops after so many seconds of
    this process: what else the machine does changes nothing that it finds.
    """
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    end = time.process_time() + seconds

    def stop(event: Any) -> None:
        if time.process_time() > end:
            event.interrupt()

    solver.cbSimplexInterrupt.subscribe(stop)
    solver.cbIpmInterrupt.subscribe(stop)
    solver.cbMipInterrupt.subscribe(stop)
    return solver


def integral(
    entries: Entries, low: Ints, high: Ints, aim: Ints, seconds: float
) -> Ints | None:
    """Integers as ``solved`` finds them, by HiGHS."""
    found = solved(
        entries,
        low,
        high,
        aim,
        integral=True,
        seconds=seconds,
    )
    if found is None:
        return None
    rounded = np.rint(found.values)
    return rounded.astype(np.int64)


def searched(
    entries: Entries, low: Ints, high: Ints, aim: Ints, seconds: float
) -> Ints | None:
    """Integers as ``solved`` finds them, by CP-SAT."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    ends = zip(low.tolist(), high.tolist(), strict=True)
    cells = [model.new_int_var(least, most, "") for least, most in ends]
    sums: list[list[int]] = [[] for _ in range(entries.height)]
    factors: list[list[int]] = [[] for _ in range(entries.height)]
    triples = (entries.rows, entries.columns, entries.factors)
    for row, column, factor in zip(*map(np.ndarray.tolist, triples), strict=True):
        sums[row].append(cells[column])
        factors[row].append(factor)
    for several, by in zip(sums, factors, strict=True):
        model.add(cp_model.LinearExpr.weighted_sum(several, by) == 0)
    for cell in cells:
        model.add_hint(cell, 0)
    model.maximize(cp_model.LinearExpr.weighted_sum(cells, aim.tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # Its own measure of what it did, which is about as long.
    solver.parameters.max_deterministic_time = seconds
    solver.parameters.relative_gap_limit = GAP
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return np.array([solver.value(cell) for cell in cells], dtype=np.int64)


def _program(
    entries: Entries, low: Ints, high: Ints, aim: Ints, integral: bool
) -> highspy.HighsLp:
    """The program, column by column."""
    width = len(low)
    order = np.argsort(entries.columns, kind="stable")
    starts = np.zeros(width + 1, dtype=np.int32)
    starts[1:] = np.cumsum(np.bincount(entries.columns, minlength=width))
    program = highspy.HighsLp()
    program.num_col_ = width
    program.num_row_ = entries.height
    program.col_cost_ = -aim.astype(np.float64)
    program.col_lower_ = low.astype(np.float64)
    program.col_upper_ = high.astype(np.float64)
    program.row_lower_ = np.zeros(entries.height)
    program.row_upper_ = np.zeros(entries.height)
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kColwise
    matrix.start_ = starts
    matrix.index_ = entries.rows[order].astype(np.int32)
    matrix.value_ = entries.factors[order].astype(np.float64)
    if integral:
        program.integrality_ = [highspy.HighsVarType.kInteger] * width
    return program
