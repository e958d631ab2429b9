"""Linear and integer programs over classes, for HiGHS, and for CP-SAT.

What they say are proposals, checked in integers by who asks.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.classes.system import Entries

GAP = 0.05
"""A solution as near as this to the best is good enough."""


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
    seconds: float = 60.0,
) -> ProposedSolution | None:
    """Values within the bounds, all rows 0, with the greatest aim that was found; None
    where there are none.
    """
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("time_limit", seconds)
    solver.setOptionValue("mip_rel_gap", GAP)
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
    solver.parameters.max_time_in_seconds = seconds
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
