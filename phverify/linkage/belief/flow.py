"""Transport: supplies handed along edges to demands, in integers.  A plan, or the supplies that stay too large."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(eq=False)
class Transport:
    """A maximum flow in the making: ``sent[i][j]`` goes from source i to sink j along ``edges[i]``, without bound."""

    supply: list[int]
    demand: list[int]
    edges: Sequence[Sequence[int]]
    sent: list[dict[int, int]] = field(default_factory=list)
    users: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    reached: dict[int, int | None] = field(default_factory=dict)

    def run(self) -> None:
        """Send as much as can be sent; then ``reached`` holds the sources from which no path to a free sink is left."""
        self.sent = [{} for _ in self.supply]
        for i, sinks in enumerate(self.edges):
            for j in sinks:
                self._move(i, j, min(self.supply[i], self.demand[j]))
        while (path := self._path()) is not None:
            self._push(path)

    def _move(self, i: int, j: int, amount: int) -> None:
        if amount:
            self.supply[i] -= amount
            self.demand[j] -= amount
            self._add(i, j, amount)

    def _add(self, i: int, j: int, amount: int) -> None:
        self.sent[i][j] = self.sent[i].get(j, 0) + amount
        self.users[j].add(i)
        if not self.sent[i][j]:
            del self.sent[i][j]
            self.users[j].discard(i)

    def _path(self) -> list[int] | None:
        """A shortest way source, sink, source, .., sink from a supply that is left to a demand that is left."""
        self.reached = {i: None for i, left in enumerate(self.supply) if left}  # source: the sink it was reached by
        came: dict[int, int] = {}  # sink: the source it was reached by
        queue = list(self.reached)
        for i in queue:
            for j in self.edges[i]:
                if j in came:
                    continue
                came[j] = i
                if self.demand[j]:
                    return self._way_back(j, came)
                for other in sorted(self.users[j] - self.reached.keys()):
                    self.reached[other] = j
                    queue.append(other)
        return None

    def _way_back(self, sink: int, came: dict[int, int]) -> list[int]:
        path = [sink]
        step: int | None = sink
        while step is not None:
            path.append(came[step])
            step = self.reached[came[step]]
            path += [] if step is None else [step]
        return path[::-1]

    def _push(self, path: list[int]) -> None:
        sources, sinks = path[::2], path[1::2]
        back = list(zip(sources[1:], sinks[:-1], strict=True))
        amount = min([self.supply[path[0]], self.demand[path[-1]], *(self.sent[i][j] for i, j in back)])
        for i, j in back:
            self._add(i, j, -amount)
        for i, j in zip(sources, sinks, strict=True):
            self._add(i, j, amount)
        self.supply[path[0]] -= amount
        self.demand[path[-1]] -= amount
