"""Second worlds: every one has been replayed in the database engine, where all answers so far are as published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from phverify.disclosure.grouping import grouped
from phverify.disclosure.log.query import Value
from phverify.disclosure.worlds.cells import Frame, World
from phverify.disclosure.worlds.database import Content, Copies, Row
from phverify.errors import Defect

KEPT = 48
"""How many worlds are kept; the oldest are dropped."""


@dataclass(frozen=True, eq=False)
class Kept:
    world: World
    schema: str


def same(one: Sequence[Row] | None, other: Sequence[Row]) -> bool:
    """Whether two answers are the same bag of rows; an error (None) is no answer."""
    return one is not None and Counter(one) == Counter(other)


class Pool:
    """The worlds found so far.  ``asked`` are the statements so far with their answers."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        types = {name: frame.types[name] for name in frame.types if name in frame.policy.columns}
        self.copies = Copies(frame.policy.table, Content(types, frame.public), frame.external)
        self.asked: list[tuple[str, Sequence[Row]]] = []
        self.worlds: list[Kept] = []
        self.swapped: set[int] = set()
        self.version = 0  # another one whenever the worlds are others

    def learn(self, sql: str, answer: Sequence[Row]) -> None:
        """A new answer: worlds where it differs are dropped."""
        self.asked.append((sql, answer))
        for kept in list(self.worlds):
            if not same(self.copies.execute(kept.schema, sql), answer):
                self.drop(kept)

    def adopt(self, world: World) -> World:
        """Keep a world after replaying every answer there.

        Raises Defect where one differs, and where a cell is outside its declared domain.
        """
        for column, cells in world.items():
            if not all(map(self.frame.codings[column].allows, set(cells))):
                raise Defect(f"a second world has a {column} outside its domain")
        kept = Kept(world, self.copies.add(world))
        for sql, answer in self.asked:
            found = self.copies.execute(kept.schema, sql)
            if not same(found, answer):
                raise Defect(f"a second world answers {sql!r} with {found and found[:3]!r} instead of {answer[:3]!r}")
        self.worlds.append(kept)
        self.version += 1
        if len(self.worlds) > KEPT:
            self.drop(self.worlds[0])
        return world

    def drop(self, kept: Kept) -> None:
        self.worlds.remove(kept)
        self.version += 1
        self.copies.drop(kept.schema)


def swaps(frame: Frame, classes: Sequence[Hashable]) -> Iterator[World]:
    """Worlds where rows that no query tells apart have exchanged their sensitive cells.

    For each sensitive column two of them: one moves each row by as many places as its most frequent value has, so that
    no row keeps its value where that can be; one turns the order round, so that large values meet small ones.
    """
    members = grouped((name, row) for row, name in enumerate(classes))
    for cells in frame.truth.values():
        for turned in (False, True):
            source = list(range(frame.rows))
            for rows in members.values():
                for row, other in zip(*_exchange(rows, cells, turned), strict=True):
                    source[row] = other
            if any(frame.truth[c][a] != frame.truth[c][b] for c in frame.truth for a, b in enumerate(source)):
                yield {c: tuple(values[other] for other in source) for c, values in frame.truth.items()}


def _exchange(rows: Sequence[int], cells: Sequence[Value], turned: bool) -> tuple[list[int], list[int]]:
    """Rows in the order of their cells, and where each gets its cells from."""
    order = sorted(rows, key=lambda row: (cells[row] is None, "" if cells[row] is None else cells[row], row))
    shift = max(Counter(cells[row] for row in rows).values()) % len(order)
    return order, order[::-1] if turned else [*order[shift:], *order[:shift]]
