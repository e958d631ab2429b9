"""Second worlds by linear algebra: a world with all answers, moved by integers that
change no sum.

Whether such a world gives all answers is evaluated here, and executed again where it is
kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phverify.constraints import terms as t
from phverify.disclosure.certain import Certain
from phverify.disclosure.grouping import grouped
from phverify.disclosure.log.query import Value
from phverify.disclosure.pool import Views
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.solving.nullspace import NullSpace
from phverify.disclosure.worlds.constraints import Effect
from phverify.disclosure.worlds.unknowns import AuditFrame, Classes, Coding, World

TRIES = 3
"""After a world that does not give all answers, what those are about is left as it is,
so many times.
"""


def broken(effects: Sequence[Effect], values: t.Assignment) -> list[t.Term]:
    """What a world does not satisfy of what the answers say."""
    terms: list[t.Term] = []
    for effect in effects:
        terms += effect.broken(values)
    return terms


def shifted(
    frame: AuditFrame,
    certain: Certain,
    effects: Sequence[Effect],
    world: World,
    views: Mapping[ProtectedFact, Views],
) -> World | None:
    """A world beside this one that is otherwise where many facts are.

    Their cells are as in none of the views.  None where no such world is found.
    """
    taken = _taken(frame, views)
    here = frame.assignment(world)
    unknowns = [cell.variable for cells in frame.cells.values() for cell in cells]
    still: set[str] = set()
    for _ in range(TRIES):
        ranges = {}
        for unknown in unknowns:
            # Values with gaps between them cannot be moved along a line.
            if unknown.name not in still and not unknown.values:
                ranges[unknown.name] = unknown.low, unknown.high
        space = NullSpace(certain.space, ranges, here, taken)
        moved = space.away(taken)
        if not moved:
            return None

        # What is not linear, and what is rounded, may be broken by the move.
        there = here | moved
        wrong = broken(effects, there)
        if not wrong:
            return frame.world(there)
        # The next try leaves alone what these terms are about.
        still |= t.unknowns(wrong).names
    return None


def _taken(
    frame: AuditFrame, views: Mapping[ProtectedFact, Views]
) -> dict[str, list[int]]:
    """The codes that the unknowns of some facts have in the data and in the views."""
    taken: dict[str, list[int]] = {}
    for fact, several in views.items():
        for place, (column, row) in enumerate(fact.places):
            code = frame.codings[column].code
            name = frame.cells[column][row].variable.name
            codes = [code(view[place]) for view in (fact.truth, *several)]
            taken.setdefault(name, []).extend(codes)
    return taken


def paired(frame: AuditFrame, classes: Classes, column: str, turn: int) -> World:
    """The data with pairs of rows that no query tells apart moved in one column.

    One goes up and one down: sums stay as they are, and nearly all cells of a class
    change at once, even where all of them are equal.  ``turn``, 0 or 1, is where the
    pairs begin.
    """
    coding = frame.codings[column]
    cells = list(frame.truth[column])

    # Within a class no query sees which row has which value.
    alike = grouped((name, row) for row, name in enumerate(classes))
    for rows in alike.values():
        there = [row for row in rows[turn:] if cells[row] is not None]
        for first, second in zip(there[::2], there[1::2], strict=False):
            _part(cells, coding, second, first)
    return {**frame.truth, column: tuple(cells)}


def _part(cells: list[Value], coding: Coding, one: int, other: int) -> None:
    """Move two cells apart by one, either way, if the domain has room."""
    # One up and one down: the sum of the two stays.
    for up, down in ((one, other), (other, one)):
        higher = int(cells[up] or 0) + 1
        lower = int(cells[down] or 0) - 1
        if higher <= coding.high and lower >= coding.low:
            cells[up] = higher
            cells[down] = lower
            return
