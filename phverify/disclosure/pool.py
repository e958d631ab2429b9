"""Second worlds: every one has been replayed in the database engine, where all answers
so far are as published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from phverify.disclosure.grouping import grouped
from phverify.disclosure.protected import Fact, View
from phverify.disclosure.result import Change
from phverify.disclosure.worlds.database import Content, Copies, Rows
from phverify.disclosure.worlds.unknowns import AuditFrame, World
from phverify.errors import Defect

KEPT = 48
"""How many worlds are kept; the oldest are dropped."""


@dataclass(frozen=True, eq=False)
class ReplayedWorld:
    """A world, where it is otherwise than the data, and the schema of its copy."""

    world: World
    changes: tuple[Change, ...]
    schema: str


Views = Mapping[View, ReplayedWorld | None]
"""Views that count against a fact, each with a world that shows it; None is the
data.
"""


def same(one: Rows | None, other: Rows) -> bool:
    """Whether two answers are the same bag of rows; an error (None) is no answer."""
    return one is not None and Counter(one) == Counter(other)


class Pool:
    """The worlds found so far.  ``asked`` are the statements so far with their answers.

    ``views`` is what the worlds show of facts, as long as they are the same;
    ``swapped`` are those of the last swaps.
    """

    def __init__(self, frame: AuditFrame) -> None:
        self.frame = frame
        types = {
            name: frame.types[name]
            for name in frame.types
            if name in frame.policy.columns
        }
        self.copies = Copies(
            frame.policy.table, Content(types, frame.public), frame.external
        )
        self.asked: list[tuple[str, Rows]] = []
        self.worlds: list[ReplayedWorld] = []
        self.swapped: set[ReplayedWorld] = set()
        self.views: dict[Fact, Views] = {}

    def learn(self, sql: str, answer: Rows) -> None:
        """A new answer: worlds where it differs are dropped."""
        self.asked.append((sql, answer))
        for kept in list(self.worlds):
            if not same(self.copies.execute(kept.schema, sql), answer):
                self.drop(kept)

    def adopt(self, world: World) -> ReplayedWorld:
        """Keep a world after replaying every answer there.

        Raises Defect where one differs, and where a cell is outside its declared
        domain.
        """
        for column, cells in world.items():
            if not all(map(self.frame.codings[column].allows, set(cells))):
                raise Defect(f"a second world has a {column} outside its domain")
        schema = self.copies.add(world)
        for sql, answer in self.asked:
            found = self.copies.execute(schema, sql)
            if not same(found, answer):
                raise Defect(
                    f"a second world answers {sql!r} with {found and found[:3]!r}"
                    f" instead of {answer[:3]!r}"
                )
        kept = ReplayedWorld(world, tuple(self.changes(world)), schema)
        self.worlds.append(kept)
        self.views.clear()
        if len(self.worlds) > KEPT:
            self.drop(self.worlds[0])
        return kept

    def drop(self, kept: ReplayedWorld) -> None:
        self.worlds.remove(kept)
        self.views.clear()
        self.copies.drop(kept.schema)

    def changes(self, world: World) -> Iterator[Change]:
        for column, cells in self.frame.truth.items():
            for key, true, other in zip(
                self.frame.keys, cells, world[column], strict=True
            ):
                if true != other:
                    yield Change(str(key), column, true, other)

    def shown(self, fact: Fact) -> Views:
        """Views of the worlds that count against a fact, no more than it takes; the
        truth is one where they count.
        """
        if fact not in self.views:
            found: dict[View, ReplayedWorld | None] = (
                {fact.truth: None} if fact.counting else {}
            )
            for kept in reversed(self.worlds):
                if len(found) >= fact.wanted:
                    break
                view = fact.view(kept.world)
                if fact.refuted_by(view):
                    found.setdefault(view, kept)
            self.views[fact] = found
        return self.views[fact]

    def lacking(self, facts: Iterable[Fact]) -> list[Fact]:
        """The facts that the worlds do not refute."""
        return [fact for fact in facts if len(self.shown(fact)) < fact.wanted]

    def useful(self, fact: Fact, world: World) -> bool:
        """Whether a world has a view that counts against a fact and that no kept world
        has.
        """
        view = fact.view(world)
        return fact.refuted_by(view) and view not in self.shown(fact)


def swaps(frame: AuditFrame, classes: Sequence[Hashable]) -> Iterator[World]:
    """Worlds where rows that no query tells apart have exchanged their sensitive cells.

    For each sensitive column two of them: one moves each row by as many places as its
    most frequent value has, so that no row keeps its value where that can be; one turns
    the order round, so that large values meet small ones.
    """
    members = grouped((name, row) for row, name in enumerate(classes))
    for cells in frame.truth.values():
        for turned in (False, True):
            source = list(range(frame.rows))
            for rows in members.values():
                order = sorted(
                    rows,
                    key=lambda row: (
                        cells[row] is None,
                        "" if cells[row] is None else cells[row],
                        row,
                    ),
                )
                shift = max(Counter(cells[row] for row in rows).values()) % len(order)
                others = order[::-1] if turned else order[shift:] + order[:shift]
                for row, other in zip(order, others, strict=True):
                    source[row] = other
            world = frame.moved(source)
            if world != frame.truth:
                yield world
