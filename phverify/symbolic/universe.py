"""The universe of a question from the quotient: whole columns are counted at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phverify.spec import syntax as s
from phverify.spec.universe import Cell, Cells, Scope, Universe
from phverify.symbolic.ground import ClassView, GroundColumns
from phverify.symbolic.release import SymbolicRelease


def universe(release: SymbolicRelease, scope: Scope) -> Universe:
    """The universe of a question."""
    ground = release.ground
    homes = {k: release.class_of(s.Person(k)) for k in scope.people}
    row_cells = {row: release.cell_of_row(row) for row in sorted(scope.rows)}
    row_class = {
        row: int(ground.quotient.class_of_cell[cell]) for row, cell in row_cells.items()
    }
    touched = {*homes.values(), *row_class.values()}
    view = (
        ground.everything
        if scope.everywhere
        else ground.some(np.array(sorted(touched), dtype=np.int64))
    )
    cells = _cells(ground, scope, view)
    for row, cell in row_cells.items():
        cells[row_class[row]] = _cut(
            cells[row_class[row]], profile_at(ground, scope, cell), row
        )
    far = {
        agent: ground.agent_cells(agent)
        for agent in ground.agents
        if agent in scope.agents and not ground.local(agent)
    }
    where = {
        number: {agent: int(seen[number]) for agent, seen in far.items()}
        for number in view.classes.tolist()
    }
    return scope.universe(
        homes,
        touched,
        {number: (cells[number], seen) for number, seen in where.items()},
    )


Profile = tuple[tuple[int, ...], tuple[int, ...]]


def profile_at(ground: GroundColumns, scope: Scope, cell: int) -> Profile:
    """The profile of a cell of the quotient."""
    view = ground.some(ground.quotient.class_of_cell[cell : cell + 1])
    here = int(np.flatnonzero(view.cells == cell)[0])
    truths = tuple(int(ground.truth(part, view)[here]) for part in scope.parts)
    return truths, tuple(int(ground.quotient.codes[a][cell]) for a in scope.columns)


def _cells(ground: GroundColumns, scope: Scope, view: ClassView) -> dict[int, Cells]:
    """The cells of each class of the view, by profile."""
    quotient = ground.quotient
    looks = [ground.truth(part, view) for part in scope.parts]
    values = [quotient.codes[a][view.cells] for a in scope.columns]
    columns = [
        column.tolist() for column in (view.spread(view.classes), *looks, *values)
    ]
    counts: dict[tuple[int, ...], int] = {}
    for key, count in zip(
        zip(*columns, strict=True), quotient.counts[view.cells].tolist(), strict=True
    ):
        counts[key] = counts.get(key, 0) + count
    found: dict[int, list[Cell]] = {}
    split = len(looks) + 1
    for key, count in sorted(counts.items()):
        found.setdefault(key[0], []).append(Cell(count, key[1:split], key[split:]))
    return {number: tuple(cells) for number, cells in found.items()}


def _cut(cells: Cells, profile: Profile, row: int) -> Cells:
    """The cells after one row of a profile became a cell of its own, because a
    pseudonym names it.
    """
    found = [Cell(1, *profile, row)]
    for cell in cells:
        own = cell.row is None and (cell.truths, cell.values) == profile
        found.append(replace(cell, count=cell.count - 1) if own else cell)
    return tuple(
        sorted((cell for cell in found if cell.count), key=lambda cell: cell.place)
    )
