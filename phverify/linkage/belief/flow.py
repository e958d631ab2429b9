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
    left, room = list(supply), list(demand)
    sent: Sent = [defaultdict(int) for _ in supply]
    users: dict[int, set[int]] = defaultdict(set)

    def send(sink: int, came: dict[int, int], reached: dict[int, int]) -> None:
        """What is possible along the way back from a sink; sources on it take back from
        the sinks before them.
        """
        source, ways = came[sink], [(came[sink], sink, 1)]
        while source in reached:
            taken = reached[source]
            ways += [(source, taken, -1), (came[taken], taken, 1)]
            source = came[taken]
        amount = min(
            left[source], room[sink], *(sent[i][j] for i, j, sign in ways if sign < 0)
        )
        for i, j, sign in ways:
            sent[i][j] += sign * amount
            if sent[i][j]:
                users[j].add(i)
            else:
                users[j].discard(i)
        left[source] -= amount
        room[sink] -= amount

    for i, sinks in enumerate(edges):
        for j in sinks:
            send(j, {j: i}, {})
    # Along a shortest way source, sink, source, .., sink from a supply to a demand
    # that are left.
    while True:
        queue = [i for i, amount in enumerate(left) if amount]
        seen, came, reached = set(queue), {}, {}
        free = None
        for i in queue:
            new = [j for j in edges[i] if j not in came]
            came.update(dict.fromkeys(new, i))
            free = next((j for j in new if room[j]), None)
            if free is not None:
                break
            for j in new:
                others = sorted(users[j] - seen)
                seen.update(others)
                reached.update(dict.fromkeys(others, j))
                queue += others
        if free is None:
            return sent, seen
        send(free, came, reached)
