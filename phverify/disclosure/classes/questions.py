"""What is left of a system, asked of the solvers of single cells.

That nothing is otherwise is said by two of them.
"""

from __future__ import annotations

import numpy as np

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.disclosure.classes.proofs import fixed_by_sums
from phverify.disclosure.classes.selected import Flags, Ints
from phverify.disclosure.classes.system import ClassSystem, Entries
from phverify.disclosure.solving.ask import SolverOutcome, settled
from phverify.disclosure.sums import alone

MOST = 2000
"""Of so many classes at most these solvers are asked."""


def another(
    system: ClassSystem, wanted: Ints, deadline: Deadline
) -> tuple[SolverOutcome, Ints]:
    """Whether any of some classes is otherwise in a world, and the moves of one."""
    moves = np.zeros(system.width, dtype=np.int64)
    fixed = fixed_by_sums(system.entries, system.low, system.high)
    members = _connected(system.entries, wanted, ~fixed)
    if len(members) > MOST:
        return SolverOutcome("unknown"), moves
    part = system.entries.part(members, system.width)
    ends = zip(system.low[members].tolist(), system.high[members].tolist(), strict=True)
    cells = [t.Variable(f"z{k}", low, high) for k, (low, high) in enumerate(ends)]
    sums: list[list[tuple[int, t.Variable]]] = [[] for _ in range(part.height)]
    triples = (part.rows, part.columns, part.factors)
    for row, column, factor in zip(*map(np.ndarray.tolist, triples), strict=True):
        sums[row].append((factor, cells[column]))
    terms = [t.equal(t.LinearSum(plain=tuple(several)), 0) for several in sums]
    asked = np.flatnonzero(np.isin(members, wanted))
    zero = [t.equal(alone(cells[place]), 0) for place in asked]
    outcome = settled([*terms, t.neg(t.conj(zero))], deadline)
    if outcome.status == "sat":
        found = [outcome.values.get(cell.name, 0) for cell in cells]
        moves[members] = found
    return outcome, moves


def _connected(entries: Entries, start: Ints, open_: Flags) -> Ints:
    """The open classes that sums connect with some, directly or by others."""
    reached = np.zeros(
        len(open_),
        dtype=bool,
    )
    reached[start] = True
    inside = open_[entries.columns]
    while True:
        rows = np.zeros(
            entries.height,
            dtype=bool,
        )
        met = inside & reached[entries.columns]
        rows[entries.rows[met]] = True
        more = reached.copy()
        beside = inside & rows[entries.rows]
        more[entries.columns[beside]] = True
        if (more == reached).all():
            return np.flatnonzero(reached & open_)
        reached = more
