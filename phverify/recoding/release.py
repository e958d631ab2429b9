"""The table that a recoding by tuples releases, and what ``verify`` says of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from phverify.budget import Deadline
from phverify.exact import Ints
from phverify.generalization.parts import Parts
from phverify.generalization.released import identified, kept_of, names
from phverify.logic.printer import Style
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.table import CodedColumn, CodedTable
from phverify.policy.bind import BoundPolicy, bind
from phverify.policy.model import Policy
from phverify.spec.recoding import TupleRecoding, TupleSpace
from phverify.spec.source import Label
from phverify.verification.result import Report
from phverify.verification.run import decided


@dataclass(frozen=True, eq=False)
class PosedRelease:
    """A policy and the table before sanitization, as the search was given them."""

    policy: Policy
    table: CodedTable
    bound: BoundPolicy
    parts: Parts
    paths: Hierarchies


def released_rows(recoding: TupleRecoding) -> Ints | None:
    """The rows that are released, or the lines that stand for them; None for all."""
    if not recoding.withheld:
        return None
    return np.array([row for row, _ in recoding.rows()], dtype=np.int64)


def released(posed: PosedRelease, recoding: TupleRecoding) -> CodedTable:
    """The released table, in the order of the input, without identifiers."""
    rows = released_rows(recoding)
    table = posed.table if rows is None else kept_of(posed.table, rows)
    columns = dict(table.columns)
    # Names are never released.
    columns.pop(posed.policy.identifier or "", None)
    counts = None if table.elsewhere is None else table.elsewhere.counts
    shown = [cells for _, cells in recoding.rows()]
    for k, side in enumerate(recoding.space.sides):
        coded = _coded([cells[k] for cells in shown])
        columns[side.name] = replace(coded, counts=counts)
    return replace(table, columns=columns).in_one_way()


def rows_of_cells(space: TupleSpace, after: CodedTable) -> dict[str, Ints]:
    """Of each column of medians: for each cell, a row of the input that has it."""
    found = {}
    for k, side in enumerate(space.sides):
        if side.name in space.medians:
            first: dict[Label, int] = {}
            for row, number in enumerate(space.row_tuple):
                # A median is a value of the column: its cell is shown as some row wrote
                # it.
                first.setdefault(space.tuples[number][k], row)
            labels = after.columns[side.name].labels
            found[side.name] = np.array([first[label] for label in labels])
    return found


def _coded(cells: list[Label]) -> CodedColumn:
    """A column of these cells."""
    number: dict[Label, int] = {}
    codes = [number.setdefault(cell, len(number)) for cell in cells]
    return CodedColumn(np.array(codes, dtype=np.int64), tuple(number))


def judged(
    posed: PosedRelease,
    after: CodedTable,
    rows: Ints | None,
    deadline: Deadline,
    style: Style,
) -> Report:
    """What ``verify`` says of a released table; ``rows`` are the input's rows in it."""
    called = names(posed.policy, posed.table, rows) if posed.parts.people else None
    # Secrets that no rule asks about need nobody to be found in the release.
    policy = posed.policy if posed.parts.secrets else replace(posed.policy, secrets={})
    numbered = called is not None and not identified(posed.policy, posed.table)
    bound = bind(
        policy,
        after,
        None,
        names=called,
        spelled=posed.bound.release.columns,
        paths=posed.paths,
        numbered=numbered,
    )
    return decided(
        bound, posed.policy.source, "the released table", deadline, style=style
    )
