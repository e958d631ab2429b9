"""Second worlds by linear algebra: a world with all answers, moved by integers that change no sum.

Whether such a world gives all answers is evaluated here, and executed again where it is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from phverify.constraints import terms as t
from phverify.disclosure.certain import Certain
from phverify.disclosure.protected import Fact, View
from phverify.disclosure.solving.nullspace import NullSpace
from phverify.disclosure.worlds.cells import Frame, World
from phverify.disclosure.worlds.constraints import Effect

TRIES = 3
"""After a world that does not give all answers, what those are about is left as it is, so many times."""


def shifted(
    frame: Frame, certain: Certain, effects: Sequence[Effect], world: World, taken: Mapping[str, Sequence[int]]
) -> World | None:
    """A world beside this one where many of some unknowns have none of the taken values; None where none is found."""
    here, still = frame.assignment(world), set[str]()
    whole = {cell.variable.name: cell.variable for cells in frame.cells.values() for cell in cells}
    for _ in range(TRIES):
        free = [v for name, v in whole.items() if name not in still and not v.values]  # without gaps
        ranges = {v.name: (v.low, v.high) for v in free}
        values = NullSpace(certain.space, ranges, here, taken).away(taken)
        broken = violated(effects, here | values)
        if not values or not broken:
            return frame.world(here | values) if values else None
        still |= t.unknowns(broken).names
    return None


def paired(frame: Frame, classes: Sequence[int], column: str, turn: int) -> World:
    """The data with pairs of rows that no query tells apart moved in one column, one of them up and one down.

    Sums stay as they are, and nearly all cells of a class change at once, even where all of them are equal.  ``turn``,
    0 or 1, is where the pairs begin.
    """
    coding, cells = frame.codings[column], list(frame.truth[column])
    waiting: dict[int, int] = {}
    passed: set[int] = set()
    for row, name in enumerate(classes):
        value = cells[row]
        if value is None or (turn and name not in passed):
            passed.add(name)
        elif name in waiting:
            other = waiting.pop(name)
            for up, down in ((row, other), (other, row)):
                moved = int(cells[up] or 0) + 1, int(cells[down] or 0) - 1
                if moved[0] <= coding.high and moved[1] >= coding.low:
                    cells[up], cells[down] = moved
                    break
        else:
            waiting[name] = row
    return {**frame.truth, column: tuple(cells)}


def violated(effects: Sequence[Effect], values: t.Assignment) -> list[t.Term]:
    """What a world does not satisfy of what the answers say."""
    found = []
    for effect in effects:
        inside = {**values, **effect.values(values)}
        found += [term for term in effect.terms if not t.evaluate(term, inside)]
    return found


def values_of(frame: Frame, views: Mapping[Fact, Collection[View]]) -> dict[str, list[int]]:
    """For each cell of some facts the values that it has in some views, in their order."""
    found: dict[str, list[int]] = {}
    for fact, several in views.items():
        for k, (column, row) in enumerate(fact.places):
            code = frame.codings[column].code
            found.setdefault(frame.cells[column][row].variable.name, []).extend(code(view[k]) for view in several)
    return found
