"""Transport: supplies handed along edges to demands, in integers.  A plan, or the supplies that stay too large."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
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
    """The sources that a supply which is left can be moved to, each with the sink that it was reached by."""

    def run(self) -> None:
        """Send as much as can be sent; then ``reached`` holds the sources from which no path to a free sink is left."""
        self.sent = [{} for _ in self.supply]
        self.reached = dict.fromkeys(range(len(self.supply)))
        for i, sinks in enumerate(self.edges):
            for j in sinks:
                self._augment(j, {j: i})
        while self._improved():
            pass

    def _improved(self) -> bool:
        """Send along a shortest way source, sink, source, .., sink from a supply to a demand that are left."""
        self.reached = {i: None for i, left in enumerate(self.supply) if left}
        came: dict[int, int] = {}  # sink: the source it was reached by
        queue = list(self.reached)
        for i in queue:
            for j in self.edges[i]:
                if j in came:
                    continue
                came[j] = i
                if self.demand[j]:
                    self._augment(j, came)
                    return True
                for other in sorted(self.users[j] - self.reached.keys()):
                    self.reached[other] = j
                    queue.append(other)
        return False

    def _augment(self, sink: int, came: Mapping[int, int]) -> None:
        """Send what is possible along the way back from a sink; sources on it take back from the sinks before them."""
        source = came[sink]
        forward, back = [(source, sink)], []
        while (taken := self.reached[source]) is not None:
            back.append((source, taken))
            source = came[taken]
            forward.append((source, taken))
        amount = min(self.supply[source], self.demand[sink], *(self.sent[i][j] for i, j in back))
        for i, j in forward:
            self._add(i, j, amount)
        for i, j in back:
            self._add(i, j, -amount)
        self.supply[source] -= amount
        self.demand[sink] -= amount

    def _add(self, i: int, j: int, amount: int) -> None:
        self.sent[i][j] = self.sent[i].get(j, 0) + amount
        self.users[j].add(i)
        if not self.sent[i][j]:
            del self.sent[i][j]
            self.users[j].discard(i)
