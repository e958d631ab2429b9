"""The universe of a question from the quotient: whole columns are counted at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phverify.spec import syntax as s
from phverify.spec.universe import Cell, Cells, Scope, Seen, Universe
from phverify.symbolic.ground import CountedClasses, GroundColumns
from phverify.symbolic.release import SymbolicRelease


def universe(release: SymbolicRelease, scope: Scope) -> Universe:
    """The universe of a question."""
    ground = release.ground
    homes = {k: release.class_of(s.Person(k)) for k in scope.people}
    cell_of_row = {row: release.cell_of_row(row) for row in sorted(scope.rows)}
    class_of_cell = ground.quotient.class_of_cell
    class_of_row = {row: int(class_of_cell[c]) for row, c in cell_of_row.items()}
    touched = {*homes.values(), *class_of_row.values()}
    if scope.everywhere:
        view = ground.everything
    else:
        view = ground.some(np.array(sorted(touched), dtype=np.int64))

    cells = _cells(ground, scope, view)
    for row, cell in cell_of_row.items():
        number = class_of_row[row]
        cells[number] = _cut(cells[number], profile_at(ground, scope, cell), row)

    # Who sees single classes tells any two apart; whom nobody asks tells none apart.
    asked = [agent for agent in ground.agents if agent in scope.agents]
    far = {a: ground.agent_cells(a) for a in asked if not ground.local(a)}
    classes: dict[int, tuple[Cells, Seen]] = {}
    for number in view.classes.tolist():
        seen = {
            agent: int(cell_of_class[number]) for agent, cell_of_class in far.items()
        }
        classes[number] = cells[number], seen
    return scope.universe(homes, touched, classes)


Profile = tuple[tuple[int, ...], tuple[int, ...]]


def profile_at(ground: GroundColumns, scope: Scope, cell: int) -> Profile:
    """The profile of a cell of the quotient."""
    own_class = ground.quotient.class_of_cell[cell : cell + 1]
    view = ground.some(own_class)
    here = int(np.flatnonzero(view.cells == cell)[0])
    truths = tuple(int(ground.truth(part, view)[here]) for part in scope.parts)
    codes = [ground.quotient.codes[attribute] for attribute in scope.columns]
    return truths, tuple(int(column[cell]) for column in codes)


def _cells(
    ground: GroundColumns, scope: Scope, view: CountedClasses
) -> dict[int, Cells]:
    """The cells of each class of the view, by profile."""
    quotient = ground.quotient
    looks = [ground.truth(part, view) for part in scope.parts]
    values = [quotient.codes[attribute][view.cells] for attribute in scope.columns]
    columns = [view.spread(view.classes), *looks, *values]
    keys = zip(*(column.tolist() for column in columns), strict=True)
    counts: dict[tuple[int, ...], int] = {}
    for key, count in zip(keys, quotient.counts[view.cells].tolist(), strict=True):
        counts[key] = counts.get(key, 0) + count

    cells: dict[int, list[Cell]] = {}
    split = len(looks) + 1  # the class, the truths, then the values
    # by what they are, not by the order of the rows
    for key, count in sorted(counts.items()):
        cell = Cell(count, key[1:split], key[split:])
        cells.setdefault(key[0], []).append(cell)
    return {number: tuple(own) for number, own in cells.items()}


def _cut(cells: Cells, profile: Profile, row: int) -> Cells:
    """The cells after one row of a profile became a cell of its own, because a
    pseudonym names it.
    """
    # the named row leaves the cell of its profile, which loses one
    parts = [Cell(1, *profile, row)]
    for cell in cells:
        own = cell.row is None and (cell.truths, cell.values) == profile
        left = replace(cell, count=cell.count - 1) if own else cell
        if left.count:
            parts.append(left)
    return tuple(sorted(parts, key=lambda cell: cell.place))
