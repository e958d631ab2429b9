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
from phverify.disclosure.pool import Views
from phverify.disclosure.protected import Fact
from phverify.disclosure.solving.nullspace import NullSpace
from phverify.disclosure.worlds.constraints import Effect
from phverify.disclosure.worlds.unknowns import AuditFrame, Classes, World

TRIES = 3
"""After a world that does not give all answers, what those are about is left as it is,
so many times.
"""


def broken(effects: Sequence[Effect], values: t.Assignment) -> list[t.Term]:
    """What a world does not satisfy of what the answers say."""
    return [term for effect in effects for term in effect.broken(values)]


def shifted(
    frame: AuditFrame,
    certain: Certain,
    effects: Sequence[Effect],
    world: World,
    views: Mapping[Fact, Views],
) -> World | None:
    """A world beside this one where the cells of many facts are as in none of the
    views; None where none is found.
    """
    taken: dict[str, list[int]] = {}
    for fact, several in views.items():
        for k, (column, row) in enumerate(fact.places):
            values = [view[k] for view in (fact.truth, *several)]
            taken.setdefault(frame.cells[column][row].variable.name, []).extend(
                map(frame.codings[column].code, values)
            )
    here, still = frame.assignment(world), set[str]()
    whole = {
        cell.variable.name: cell.variable
        for cells in frame.cells.values()
        for cell in cells
    }
    for _ in range(TRIES):
        free = [
            v for name, v in whole.items() if name not in still and not v.values
        ]  # without gaps
        ranges = {v.name: (v.low, v.high) for v in free}
        moved = NullSpace(certain.space, ranges, here, taken).away(taken)
        wrong = broken(effects, here | moved)
        if not moved or not wrong:
            return frame.world(here | moved) if moved else None
        still |= t.unknowns(wrong).names
    return None


def paired(frame: AuditFrame, classes: Classes, column: str, turn: int) -> World:
    """The data with pairs of rows that no query tells apart moved in one column, one of
    them up and one down.

    Sums stay as they are, and nearly all cells of a class change at once, even where
    all of them are equal.  ``turn``, 0 or 1, is where the pairs begin.
    """
    coding, cells = frame.codings[column], list(frame.truth[column])
    for rows in grouped((name, row) for row, name in enumerate(classes)).values():
        there = [row for row in rows[turn:] if cells[row] is not None]
        for pair in zip(there[1::2], there[::2], strict=False):
            for up, down in (pair, pair[::-1]):
                moved = int(cells[up] or 0) + 1, int(cells[down] or 0) - 1
                if moved[0] <= coding.high and moved[1] >= coding.low:
                    cells[up], cells[down] = moved
                    break
    return {**frame.truth, column: tuple(cells)}
