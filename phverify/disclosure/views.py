"""What the kept worlds show of each fact, and where they are otherwise than the data."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from phverify.disclosure.pool import Pool
from phverify.disclosure.protected import Fact, View
from phverify.disclosure.result import Change
from phverify.disclosure.worlds.cells import Frame, World


def new(fact: Fact, world: World, found: Container[View]) -> bool:
    """Whether a world has a view that counts against a fact, and that is none of those found."""
    view = fact.view(world)
    return view not in found and (fact.counting or not fact.holds(view))


class Views:
    """The views of the worlds in a pool, looked up once as long as these are the same."""

    def __init__(self, frame: Frame, pool: Pool) -> None:
        self.frame, self.pool = frame, pool
        self.known: dict[Fact, Mapping[View, World]] = {}
        self.version = -1
        self.told: dict[int, tuple[World, tuple[Change, ...]]] = {}
        self.several: dict[tuple[int, ...], tuple[tuple[Change, ...], ...]] = {}

    def shown(self, fact: Fact) -> Mapping[View, World]:
        """Views of kept worlds that count against a fact, no more than it takes; the truth is one where they count."""
        if not self.pool.worlds:
            return self.look(fact)
        if self.version != self.pool.version:
            self.version = self.pool.version
            self.known.clear()
        if fact not in self.known:
            self.known[fact] = self.look(fact)
        return self.known[fact]

    def look(self, fact: Fact) -> Mapping[View, World]:
        """As ``shown``, looked up anew."""
        found = {fact.truth: self.frame.truth} if fact.counting else {}
        for kept in reversed(self.pool.worlds):
            if len(found) >= fact.wanted:
                break
            if new(fact, kept.world, found):
                found[fact.view(kept.world)] = kept.world
        return found

    def lacking(self, facts: Iterable[Fact]) -> list[Fact]:
        """The facts that the kept worlds do not refute."""
        return [fact for fact in facts if len(self.shown(fact)) < fact.wanted]

    def useful(self, fact: Fact, world: World) -> bool:
        """Whether a world has a view that counts against a fact and that no kept world has."""
        return new(fact, world, self.shown(fact))

    def otherwise(self, fact: Fact, found: Mapping[View, World]) -> tuple[tuple[Change, ...], ...]:
        """Where the worlds that count against a fact differ from the data; one tuple for all facts of these worlds."""
        worlds = [world for view, world in found.items() if not fact.counting or view != fact.truth]
        names = tuple([id(world) for world in worlds])
        if names not in self.several:
            self.several[names] = tuple([self.changes(world) for world in worlds])
        return self.several[names]

    def changes(self, world: World) -> tuple[Change, ...]:
        """Where a world is otherwise than the data; the world is kept, so that its id stays its own."""
        if id(world) not in self.told:
            self.told[id(world)] = world, self.compared(world)
        return self.told[id(world)][1]

    def compared(self, world: World) -> tuple[Change, ...]:
        truth, keys = self.frame.truth, self.frame.keys
        return tuple(
            Change(str(key), column, true, other)
            for column, cells in truth.items()
            for key, true, other in zip(keys, cells, world[column], strict=True)
            if true != other
        )
