"""Database reconstruction: do the answers of a log determine every row, up to which row is whose?

Rows that no query tells apart can always exchange their cells, so that no single cell may be disclosed while the
table as a whole is known.  Asked is for a world with another bag of rows; among the rows of a class those with the
smaller value of one integer column come first, which every such bag allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from phverify.audit import integers as t
from phverify.audit.constraints import is_value
from phverify.audit.decide import Known
from phverify.audit.solving import settled
from phverify.audit.worlds import Frame, World
from phverify.smt.solver import Deadline


def reconstruction(
    frame: Frame, asked: Sequence[Known], signatures: Sequence[Sequence[Hashable]], order: str, deadline: Deadline
) -> tuple[str, World | None]:
    """``determined``, ``open`` with a world of another bag of rows, or ``undecided``.

    ``order`` is an integer column whose cells are never missing; rows are compared with those of the same signatures.
    """
    classes = [tuple(s[row] for s in signatures) for row in range(frame.rows)]
    terms = [term for one in asked for term in one.effect.terms]
    terms += _sorted(frame, classes, order)
    found = _ordered(frame, classes, order)
    while True:
        terms.append(_differs(frame, found))
        outcome = settled(terms, deadline)
        if outcome.status != "sat":
            return ("determined" if outcome.status == "unsat" else "undecided"), None
        found = frame.world(outcome.values)
        if _bag(classes, found) != _bag(classes, frame.truth):  # otherwise rows with equal values changed places
            return "open", found


def _bag(classes: Sequence[Hashable], world: World) -> Counter[Hashable]:
    return Counter(zip(classes, *world.values(), strict=True))


def _neighbours(classes: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Each row with the next one of its class."""
    last: dict[Hashable, int] = {}
    pairs = []
    for row, name in enumerate(classes):
        if name in last:
            pairs.append((last[name], row))
        last[name] = row
    return pairs


def _sorted(frame: Frame, classes: Sequence[Hashable], order: str) -> list[t.Term]:
    cells = frame.cells[order]
    pairs = _neighbours(classes)
    return [t.within(t.Sum(plain=((1, cells[b].variable), (-1, cells[a].variable))), 0, None) for a, b in pairs]


def _ordered(frame: Frame, classes: Sequence[Hashable], order: str) -> World:
    """The data, with the rows of each class in order."""
    source = list(range(frame.rows))
    for name in set(classes):
        rows = [row for row in range(frame.rows) if classes[row] == name]
        by_value = sorted(rows, key=lambda row: frame.codings[order].code(frame.truth[order][row]))
        for row, other in zip(rows, by_value, strict=True):
            source[row] = other
    return {column: tuple(cells[other] for other in source) for column, cells in frame.truth.items()}


def _differs(frame: Frame, world: World) -> t.Term:
    """Some cell is another than in this world."""
    return t.disj(
        t.neg(is_value(frame.cells[column][row], frame.codings[column], value))
        for column, cells in world.items()
        for row, value in enumerate(cells)
    )
