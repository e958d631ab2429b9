"""Cuts of a lower bound: of three tuples at most one class has two or more.

A class that has two tuples of a cut, or all three, pays the cut's multiplier, once.  So
the prices of its tuples may add up to more than it costs, and the multipliers are taken
off what the prices prove.  Which class of a box is then the worst is found by
branching, with a bound on the branches: a box that takes too many is refused.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from phverify.spec.data import Refused

Cut = Sequence[int]
"""Three tuples, ascending, and a multiplier in units."""
Item = tuple[int, int, int]
"""A tuple that a class may have: what it adds, its records, its number."""
MOST_ITEMS = 300
MOST_NODES = 20_000
"""Tuples of a box, and branches, that are looked at, at most."""


def require_cuts(cuts: Sequence[Cut], tuples: int) -> None:
    """Raises Refused unless each cut has three different tuples, and occurs once."""
    before: tuple[int, ...] = ()
    for cut in cuts:
        if len(cut) != 4:
            raise Refused("a cut has three tuples and a multiplier")
        first, second, third, multiplier = cut
        if not 0 <= first < second < third < tuples:
            raise Refused("a cut does not list three tuples once, in ascending order")
        if multiplier < 0:
            raise Refused("a multiplier is below 0")
        own = (first, second, third)
        if own <= before:
            raise Refused("the cuts are not in ascending order, each once")
        before = own


@dataclass(frozen=True, eq=False)
class CutPenalties:
    """What classes pay for cuts; ``of`` has the numbers of each tuple's cuts."""

    multipliers: Sequence[int]
    of: Mapping[int, Sequence[int]]

    def excess(self, items: Sequence[Item], least: int) -> int:
        """What some class of these items adds above 0, cuts paid; 0 if none does.

        A class has ``least`` records or more.  Raises Refused where it takes too many
        branches to know.
        """
        if len(items) > MOST_ITEMS:
            raise Refused("too many tuples of a box are paid too much without cuts")
        paying = self.paying(items)
        tied: list[Item] = []
        free: list[Item] = []
        for item in items:
            alone = paying.isdisjoint(self.of[item[2]])
            own = free if alone else tied
            own.append(item)
        # What shares no cut comes last: of it the table knows the best choice.
        ordered = [*tied, *free]
        most = _most(ordered, least)
        branches = _Branches(self, ordered, len(tied), most)
        return branches.excess(0, 0, least)

    def paying(self, items: Sequence[Item]) -> set[int]:
        """The cuts of which there are two tuples or more, and that cost something."""
        inside: Counter[int] = Counter()
        for _, _, number in items:
            inside.update(self.of[number])
        paying = set()
        for cut, count in inside.items():
            if count > 1 and self.multipliers[cut]:
                paying.add(cut)
        return paying


def penalties(cuts: Sequence[Cut]) -> CutPenalties:
    """What classes pay for cuts."""
    of: dict[int, list[int]] = defaultdict(list)
    for place, (*tuples, _) in enumerate(cuts):
        for number in tuples:
            of[number].append(place)
    return CutPenalties([cut[3] for cut in cuts], of)


def _most(items: Sequence[Item], least: int) -> list[list[int | None]]:
    """For each place and number of missing records, what the items from there on add at
    most without cuts; None where they have too few records.
    """
    table: list[list[int | None]] = [[0] + [None] * least]
    for gain, records, _ in reversed(items):
        after = table[-1]
        line: list[int | None] = []
        for missing, without in enumerate(after):
            rest = after[max(0, missing - records)]
            taken = None if rest is None else gain + rest
            line.append(_higher(without, taken))
        table.append(line)
    return table[::-1]


def _higher(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


@dataclass(eq=False)
class _Branches:
    """Items are taken or left, one after the other; ``inside`` counts each cut's."""

    penalties: CutPenalties
    items: Sequence[Item]
    tied: int
    most: Sequence[Sequence[int | None]]
    inside: Counter[int] = field(default_factory=Counter)
    nodes: int = 0

    def excess(self, place: int, value: int, missing: int) -> int:
        """What some choice from a place on adds above 0, to what was taken before."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise Refused("a box takes too many branches to know its worst class")
        rest = self.most[place][missing]
        if rest is None or value + rest <= 0:
            return 0
        if place == self.tied:
            return value + rest
        gain, records, number = self.items[place]
        left = max(0, missing - records)
        found = self.excess(place + 1, value + gain - self.take(number), left)
        self.inside.subtract(self.penalties.of[number])
        return found or self.excess(place + 1, value, missing)

    def take(self, number: int) -> int:
        """What it pays for cuts to take a tuple."""
        paid = 0
        for cut in self.penalties.of[number]:
            self.inside[cut] += 1
            if self.inside[cut] == 2:
                paid += self.penalties.multipliers[cut]
        return paid
