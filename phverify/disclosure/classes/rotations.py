"""Worlds along closed walks, without a solver.

Take two groups of public columns that no selection reads together, and call what rows
have in all other columns their *place*.  In one place a class is an edge, from what it
has in the one group to what it has in the other.  Along a closed walk, with one more
and one less in turns, each end is met once with each: no sum that reads one group only
can change.  Two rows that exchange their cells are the shortest walk but one.

A world from which one walks on is a world, too: with other cells there are other walks.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from phverify.disclosure.classes.selected import Ints, refined
from phverify.disclosure.classes.system import ClassSystem

Attributes = Mapping[str, Ints]
"""Public columns and conditions, as numbers of each class."""
Walk = list[tuple[int, int]]
"""Classes, each with what it has more."""
LITTLE = 30
"""Less than this part of what is left is little for a world."""
CHECKED = 256
"""So many walks are sought between two looks at the clock."""


def separations(read: Sequence[frozenset[str]]) -> dict[str, frozenset[str]]:
    """Columns, each with those that some selection reads with it, where that is not all
    of them: it and the rest are the two groups, what is between them is the place.
    """
    names = frozenset().union(*read)
    found: dict[str, frozenset[str]] = {}
    for name in sorted(names):
        beside = [one for one in read if name in one]
        between = frozenset().union(*beside) - {name}
        rest = names - between - {name}
        # Of two columns alone the one with the smaller place says it all.
        if len(rest) > 1 or (rest and not rest & found.keys()):
            found[name] = between
    return {name: found[name] for name in found if not _said(name, names, found)}


def _said(
    name: str, names: frozenset[str], found: Mapping[str, frozenset[str]]
) -> bool:
    """Whether the rest is one column that has a smaller place of its own."""
    rest = names - found[name] - {name}
    return any(found.get(one, names) < found[name] for one in rest if len(rest) == 1)


class WalkGraph:
    """The classes as edges, for one column and what is between it and the rest."""

    def __init__(
        self,
        name: str,
        between: frozenset[str],
        attributes: Attributes,
        open_: Ints,
    ) -> None:
        width = len(attributes[name])
        one = numbered([name, *sorted(between)], attributes, width)
        rest = sorted(attributes.keys() - {name})
        other = numbered(rest, attributes, width)
        self.ends = one.tolist(), other.tolist()
        self.edges: tuple[list[list[int]], list[list[int]]] = ([], [])
        for ends, edges in zip((one, other), self.edges, strict=True):
            count = int(ends.max(initial=-1)) + 1
            for _ in range(count):
                edges.append([])
            for place in open_.tolist():
                edges[ends[place]].append(place)

    def mixed(self, pick: random.Random) -> None:
        """Puts the edges of each end in another order."""
        for edges in self.edges:
            for several in edges:
                pick.shuffle(several)

    def walk(self, start: int, step: int, state: WalkState) -> Walk:
        """A closed walk where one class has so much more; nothing if there is none.

        It is a shortest one, found from the far end of the class back to the near one.
        """
        near, far = self.ends[::step], self.edges[::step]
        goal = near[0][start]
        # By which edge each end was reached.
        back: list[dict[int, int]] = [{}, {near[1][start]: start}]
        layer, side = [near[1][start]], 1
        while layer:
            step = -step
            reached = []
            for end in layer:
                for edge in far[side][end]:
                    there = near[1 - side][edge]
                    if there in back[1 - side] or edge == start:
                        continue
                    if not state.may(edge, step):
                        continue
                    back[1 - side][there] = edge
                    if side == 1 and there == goal:
                        return _traced(start, goal, back, near, step)
                    reached.append(there)
            layer, side = reached, 1 - side
        return []


def _traced(
    start: int,
    goal: int,
    back: Sequence[Mapping[int, int]],
    near: Sequence[Sequence[int]],
    step: int,
) -> Walk:
    """The walk that came to the goal by this step, from there to its start."""
    found = []
    end, side = goal, 0
    while True:
        edge = back[side][end]
        found.append((edge, step))
        if edge == start:
            return found
        side = 1 - side
        end, step = near[side][edge], -step


class WalkState:
    """A world as the moves of all classes, and how much each may have."""

    def __init__(self, system: ClassSystem, left: Ints, moves: Ints) -> None:
        near = np.where(system.tight, 1, 3)
        self.low = np.maximum(system.low, -near).tolist()
        self.high = np.minimum(system.high, near).tolist()
        self.moves = moves.tolist()
        self.left = set(left.tolist())

    def may(self, place: int, step: int) -> bool:
        """Whether a class may have so much more here, and is not needed as it is."""
        moved = self.moves[place] + step
        if not self.low[place] <= moved <= self.high[place]:
            return False
        return moved != 0 or place not in self.left

    def step(self, place: int, pick: random.Random) -> int:
        """One more, or one less; where both may be, one of them is drawn."""
        if self.low[place] == 0 or self.high[place] == 0:
            return 1 if self.high[place] else -1
        return pick.choice((-1, 1))

    def go(self, walk: Walk) -> None:
        """The world after a walk."""
        moves = self.moves
        for place, step in walk:
            moves[place] += step


class Rotations:
    """The search for worlds along closed walks in one system.

    ``read`` are the columns and conditions that each selection reads.
    """

    def __init__(
        self,
        system: ClassSystem,
        open_: Ints,
        attributes: Attributes,
        read: Sequence[frozenset[str]],
        check: Callable[[], None],
    ) -> None:
        self.system = system
        self.check = check
        self.pick = random.Random(system.width)
        self.graphs = []
        for name, between in separations(read).items():
            graph = WalkGraph(name, between, attributes, open_)
            self.graphs.append(graph)

    def worlds(self, wanted: Ints) -> Iterator[Ints]:
        """Worlds, each as the moves of all classes; together they move as many of
        ``wanted`` as were found.  The one that serves little of what is left is the
        last one.
        """
        world = np.zeros(self.system.width, dtype=np.int64)
        while self.graphs and len(wanted):
            world = self.further(world, wanted)
            still = world[wanted] == 0
            left = wanted[still]
            served = len(wanted) - len(left)
            if served:
                yield world
            if served * LITTLE <= len(wanted):
                return
            wanted = left

    def further(self, world: Ints, wanted: Ints) -> Ints:
        """A world that is some walks away from another, and moves more of ``wanted``;
        none of those is moved back.
        """
        if not self.graphs:
            return world
        state = WalkState(self.system, wanted, world)
        self._walk(state)
        found = np.array(state.moves, dtype=np.int64)
        # A wrong world is none: the sums are looked at as a whole.
        assert not self.system.entries.times(found).any()
        return found

    def _walk(self, state: WalkState) -> None:
        """Walks through as many classes that are left as possible."""
        for graph in self.graphs:
            graph.mixed(self.pick)
        graphs = list(self.graphs)
        order = [one for one in sorted(state.left) if not state.moves[one]]
        self.pick.shuffle(order)
        for count, place in enumerate(order):
            if count % CHECKED == 0:
                self.check()
            # An earlier walk may have come here.
            if state.moves[place]:
                continue
            step = state.step(place, self.pick)
            self.pick.shuffle(graphs)
            for graph in graphs:
                walk = graph.walk(place, step, state)
                if walk:
                    state.go(walk)
                    break


def numbered(names: Sequence[str], attributes: Attributes, width: int) -> Ints:
    """A number for what each class has in some columns."""
    numbers = np.zeros(width, dtype=np.int64)
    for name in names:
        numbers = refined(numbers, attributes[name])
    return numbers
