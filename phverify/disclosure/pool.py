"""Second worlds: every one has been replayed in the database engine, where all answers
so far are as published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from phverify.disclosure.grouping import grouped
from phverify.disclosure.log.bags import same_bag
from phverify.disclosure.log.query import Value
from phverify.disclosure.log.ranges import fits, ranged
from phverify.disclosure.protected import ProtectedFact, View
from phverify.disclosure.result import Change
from phverify.disclosure.worlds.copies import Copies
from phverify.disclosure.worlds.database import Content, Rows
from phverify.disclosure.worlds.unknowns import AuditFrame, World
from phverify.errors import Defect

MOST_WORLDS = 48
"""Of more worlds the oldest are dropped."""


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
    """Whether two answers are the same bag of rows; an error (None) is no answer.

    Where a number of the other is known up to a range, it is in that.
    """
    if one is None:
        return False
    if ranged(other):
        return fits(one, other)
    return same_bag(one, other)


class Pool:
    """The worlds found so far.  ``asked`` are the statements so far with their answers.

    ``views`` is what the worlds show of facts, as long as they are the same;
    ``swapped`` are those of the last swaps.
    """

    def __init__(self, frame: AuditFrame) -> None:
        self.frame = frame
        types = {
            name: kind
            for name, kind in frame.types.items()
            if name in frame.policy.columns
        }
        content = Content(types, frame.public)
        table, external = frame.policy.table, frame.external
        self.copies = Copies(table, content, external, frame.opened)
        self.asked: list[tuple[str, Rows]] = []
        self.worlds: list[ReplayedWorld] = []
        self.swapped: set[ReplayedWorld] = set()
        self.views: dict[ProtectedFact, Views] = {}

    def learn(self, sql: str, answer: Rows) -> None:
        """A new answer: worlds where it differs are dropped."""
        self.asked.append((sql, answer))
        earlier = list(self.worlds)
        for world in earlier:
            # An old world stays a second world only if it gives the new answer, too.
            asked = [sql]
            (replayed,) = self.copies.execute(world.schema, asked)
            gives_it = same(replayed, answer)
            if not gives_it:
                self.drop(world)

    def adopt(self, world: World) -> ReplayedWorld:
        """Add a world after replaying every answer there.

        Raises Defect where one differs, and where a cell is outside its declared
        domain.
        """
        for column, cells in world.items():
            coding = self.frame.codings[column]
            allowed = all(map(coding.allows, set(cells)))
            if not allowed:
                raise Defect(f"a second world has a {column} outside its domain")

        # What made the world may be wrong: the database says what it answers.
        original = self.frame.original(world)
        schema = self.copies.add(original)
        statements = [sql for sql, _ in self.asked]
        replays = self.copies.execute(schema, statements)
        pairs = zip(self.asked, replays, strict=True)
        for (sql, answer), replayed in pairs:
            gives_it = same(replayed, answer)
            if not gives_it:
                here = replayed and replayed[:3]
                there = answer[:3]
                raise Defect(
                    f"a second world answers {sql!r} with {here!r} instead of {there!r}"
                )
        changes = tuple(self.changes(world))
        adopted = ReplayedWorld(world, changes, schema)
        self.worlds.append(adopted)
        self.views.clear()
        if len(self.worlds) > MOST_WORLDS:
            oldest = self.worlds[0]
            self.drop(oldest)
        return adopted

    def drop(self, world: ReplayedWorld) -> None:
        """Forget a world, and its copy in the database."""
        self.worlds.remove(world)
        self.views.clear()
        self.copies.drop(world.schema)

    def changes(self, world: World) -> Iterator[Change]:
        """Where a world is otherwise than the data."""
        keys = self.frame.keys
        for column, cells in self.frame.truth.items():
            shown = self.frame.codings[column].outward
            for key, true, other in zip(keys, cells, world[column], strict=True):
                if true != other:
                    yield Change(str(key), column, shown(true), shown(other))

    def shown(self, fact: ProtectedFact) -> Views:
        """Views of the worlds that count against a fact, no more than it takes.

        The truth is one of them where views are counted.
        """
        # Views stay as they are until a world comes or goes.
        if fact not in self.views:
            self.views[fact] = self._views(fact)
        return self.views[fact]

    def _views(self, fact: ProtectedFact) -> Views:
        """The views of a fact, those of the latest worlds first."""
        views: dict[View, ReplayedWorld | None] = {}
        if fact.counting:
            views[fact.truth] = None
        for world in reversed(self.worlds):
            if len(views) >= fact.wanted:
                break
            view = fact.view(world.world)
            if fact.refuted_by(view):
                # The latest world that shows a view stands for it.
                views.setdefault(view, world)
        return views

    def lacking(self, facts: Iterable[ProtectedFact]) -> list[ProtectedFact]:
        """The facts that the worlds do not refute."""
        unrefuted = []
        for fact in facts:
            if len(self.shown(fact)) < fact.wanted:
                unrefuted.append(fact)
        return unrefuted

    def useful(self, fact: ProtectedFact, world: World) -> bool:
        """Whether a world has a view that counts against a fact and is a new one."""
        view = fact.view(world)
        if not fact.refuted_by(view):
            return False
        return view not in self.shown(fact)


def swaps(frame: AuditFrame, classes: Sequence[Hashable]) -> Iterator[World]:
    """Worlds where rows that no query tells apart have exchanged their sensitive cells.

    For each sensitive column two of them: one moves each row by as many places as its
    most frequent value has, so that no row keeps its value where that can be; one turns
    the order round, so that large values meet small ones.
    """
    # An answer depends on how often a class has which cells, not on who has them.
    members = grouped((name, row) for row, name in enumerate(classes))
    for cells in frame.truth.values():
        for turned in (False, True):
            # Each row takes the cells of its source; a world is a permutation.
            source = list(range(frame.rows))
            for rows in members.values():
                order = _in_order(rows, cells)
                others = order[::-1]
                if not turned:
                    counts = Counter(cells[row] for row in rows)
                    shift = max(counts.values()) % len(order)
                    others = order[shift:] + order[:shift]
                for row, other in zip(order, others, strict=True):
                    source[row] = other
            world = frame.moved(source)
            if world != frame.truth:
                yield world


def _in_order(rows: Sequence[int], cells: Sequence[Value]) -> list[int]:
    """Rows by their cells, missing ones last; rows of equal cells as they stand."""
    there = [row for row in rows if cells[row] is not None]
    missing = [row for row in rows if cells[row] is None]
    # Missing cells cannot be compared with others.
    there.sort(key=lambda row: (cells[row], row))
    return there + sorted(missing)
