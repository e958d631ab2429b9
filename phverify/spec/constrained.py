"""Whether some path is short enough and loses few enough records.

Places stand in a line, and each step leads from one to a later one: it has a length and
loses records.  Of two ways to a place one may be shorter while the other loses less, so
lengths alone say too little.  A weighted sum of both bounds all paths at once (a
Lagrangian bound); what it leaves open is decided by the ways that no other one beats in
both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class LossyStep(NamedTuple):
    """A step to the place ``end``."""

    end: int
    length: int
    lost: int


class LossyWay(NamedTuple):
    """What some steps together have."""

    length: int
    lost: int

    def on(self, step: LossyStep) -> LossyWay:
        """The way with one more step."""
        length = self.length + step.length
        lost = self.lost + step.lost
        return LossyWay(length, lost)


class Weights(NamedTuple):
    """How much a unit of length and a lost record count beside each other."""

    length: int
    lost: int

    def of(self, what: LossyWay | LossyStep) -> int:
        """The weighted sum."""
        length = self.length * what.length
        lost = self.lost * what.lost
        return length + lost


Steps = Sequence[Sequence[LossyStep]]
"""For each place but the last the steps that begin there."""
START = LossyWay(0, 0)


def some_path(steps: Steps, bound: int, most: int) -> bool:
    """Whether a path from the first place to the last is shorter than ``bound`` and
    loses at most so many records.
    """
    shortest = _least(steps, Weights(1, 0))[0]
    safest = _least(steps, Weights(0, 1))[0]
    if shortest is None or safest is None:
        return False
    if shortest.length >= bound or safest.lost > most:
        return False
    # One that is short enough and loses too much, and the other way round.
    short, safe = shortest, safest
    while True:
        for way in (short, safe):
            if way.length < bound and way.lost <= most:
                return True
        # By these weights both are alike.
        by_length = short.lost - safe.lost
        by_lost = safe.length - short.length
        weights = Weights(by_length, by_lost)
        rest = _least(steps, weights)
        found = rest[0]
        assert found is not None
        # Every path that is wanted has less.
        if weights.of(found) >= weights.of(LossyWay(bound, most)):
            return False
        if weights.of(found) >= weights.of(short):
            return _listed(steps, bound, most, weights, rest)
        if found.lost <= most:
            safe = found
        else:
            short = found


def _least(steps: Steps, weights: Weights) -> list[LossyWay | None]:
    """For each place the way to the last one with the least weighted sum."""
    least: list[LossyWay | None] = [None] * len(steps)
    least.append(START)
    for place in range(len(steps) - 1, -1, -1):
        lowest = 0
        for step in steps[place]:
            rest = least[step.end]
            if rest is None:
                continue
            way = rest.on(step)
            total = weights.of(way)
            if least[place] is None or total < lowest:
                lowest = total
                least[place] = way
    return least


def _listed(
    steps: Steps,
    bound: int,
    most: int,
    weights: Weights,
    rest: Sequence[LossyWay | None],
) -> bool:
    """The same, way by way, place after place; ``rest`` is what a way has to the last
    place at least, by the weights.
    """
    limit = weights.of(LossyWay(bound, most))
    last = len(steps)
    ways: list[list[LossyWay]] = [[] for _ in range(last)]
    ways[0].append(START)
    for place, own in enumerate(steps):
        for way in undominated(ways[place]):
            for step in own:
                further = way.on(step)
                if further.lost > most or further.length >= bound:
                    continue
                ahead = rest[step.end]
                if ahead is None:
                    continue
                # However it goes on, it is too long or loses too much.
                least = weights.of(further) + weights.of(ahead)
                if least >= limit:
                    continue
                if step.end == last:
                    return True
                ways[step.end].append(further)
    return False


def undominated(ways: Iterable[LossyWay]) -> Iterator[LossyWay]:
    """The ways of which no other one is as short and loses as few records."""
    fewest: int | None = None
    for way in sorted(ways):
        if fewest is None or way.lost < fewest:
            fewest = way.lost
            yield way
