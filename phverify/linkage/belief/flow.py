"""Transport: supplies handed along edges to demands, in integers.  A plan, or the
supplies that stay too large.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

Sent = list[dict[int, int]]
"""How much goes from each source to each sink."""


def transport(
    supply: Sequence[int], demand: Sequence[int], edges: Sequence[Sequence[int]]
) -> tuple[Sent, set[int]]:
    """A maximum flow along ``edges`` from sources to sinks, without bounds but those of
    both sides.

    Beside it the sources from which no way leads to a sink that has room, and what is
    left of some of them: none where everything is sent.
    """
    flow = _Flow(supply, demand, edges)
    # most goes straight; what is left needs ways on which others make room
    for i, sinks in enumerate(edges):
        for j in sinks:
            flow.send(j, {j: i}, {})

    while True:
        stuck = flow.augment()
        if stuck is not None:
            return flow.sent, stuck


class _Flow:
    """A flow that grows along shortest ways (Edmonds and Karp)."""

    def __init__(
        self,
        supply: Sequence[int],
        demand: Sequence[int],
        edges: Sequence[Sequence[int]],
    ) -> None:
        self.edges = edges
        self.left = list(supply)
        self.room = list(demand)
        self.sent: Sent = [defaultdict(int) for _ in supply]
        # the sources that send something to a sink: who can take it back
        self.users: dict[int, set[int]] = defaultdict(set)

    def augment(self) -> set[int] | None:
        """Send something along a shortest way source, sink, source, .., sink from a
        supply to a demand that are left; all sources that were reached where there is
        no such way.
        """
        queue = [i for i, amount in enumerate(self.left) if amount]
        seen = set(queue)
        came: dict[int, int] = {}  # from which source a sink was reached
        reached: dict[int, int] = {}  # by way of which sink a source was
        for i in queue:  # which grows
            new = [j for j in self.edges[i] if j not in came]
            for j in new:
                came[j] = i
            for j in new:
                if self.room[j]:
                    self.send(j, came, reached)
                    return None
            for j in new:
                # who sends to a full sink could send elsewhere
                others = sorted(self.users[j] - seen)
                for source in others:
                    reached[source] = j
                seen.update(others)
                queue += others

        return seen

    def send(self, sink: int, came: dict[int, int], reached: dict[int, int]) -> None:
        """What is possible along the way back from a sink; sources on it take back from
        the sinks before them.
        """
        source = came[sink]
        more = [(source, sink)]
        less: list[tuple[int, int]] = []
        while source in reached:
            before = reached[source]
            less.append((source, before))
            source = came[before]
            more.append((source, before))

        taken_back = [self.sent[i][j] for i, j in less]
        # no more than is left, fits, and was sent by those who take it back
        amount = min(self.left[source], self.room[sink], *taken_back)
        for i, j in more:
            self.change(i, j, amount)

        for i, j in less:
            self.change(i, j, -amount)

        self.left[source] -= amount
        self.room[sink] -= amount

    def change(self, source: int, sink: int, amount: int) -> None:
        """Send more, or less, along an edge."""
        sent = self.sent[source]
        sent[sink] += amount
        if sent[sink]:
            self.users[sink].add(source)
        else:
            self.users[sink].discard(source)
