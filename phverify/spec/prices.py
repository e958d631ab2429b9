"""That prices prove a lower bound: no box is paid more than it costs.

Each tuple t has a price, what some release pays for its records at least.  A class
costs its records times what one loses in its box.  If in every box every possible class
has prices that add up to no more than that, then the prices of all tuples together are
at most the cost of every release.  With cuts (``phverify.spec.cuts``) a class may have
prices that add up to more, by what it pays for cuts.

A box here is a group of some layer for each attribute (``phverify.spec.sides``): every
node lies in one that is priced at most as high.  A possible class is any set of tuples
of the box with at least ``least`` records, whatever the rules ask beside.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from phverify.spec.cuts import Cut, CutPenalties, Item, penalties, require_cuts
from phverify.spec.data import Label, Refused

Layers = Sequence[tuple[Sequence[int], Sequence[int]]]
"""Of an attribute: the group of each rank, the price of each group."""
Various = Sequence[tuple[Sequence[Collection[Label]], int]]
"""Of confidential columns: the values of each tuple, and how many a class has at
least."""
Part = list[int]
"""Tuples by falling rates."""


def require_feasible(
    prices: Sequence[int],
    counts: Sequence[int],
    codes: Sequence[Sequence[int]],
    layers: Sequence[Layers],
    least: int,
    relief: int | None,
    distinct: Various = (),
    cuts: Sequence[Cut] = (),
    own: Sequence[int] = (),
) -> None:
    """Raises Refused unless the prices, with the cuts, prove a lower bound.

    ``counts`` and ``codes`` are the records and the ranks of each tuple.  ``relief`` is
    the price of withholding a record, None where none is withheld; ``own`` is what the
    records of each tuple cost as they are, all together, where that is more than 0.
    """
    if len(prices) != len(counts):
        raise Refused(f"{len(prices)} prices are not one for each of {len(counts)}")
    if any(price < 0 for price in prices):
        raise Refused("a price is below 0")
    if relief is not None:
        require_relief(prices, counts, relief, own)
    require_cuts(cuts, len(counts))
    # Any order of the attributes will do; few values first is quickest.
    order = sorted(range(len(layers)), key=lambda a: len(layers[a][0][0]))
    by_attribute = list(zip(*codes, strict=True))
    columns = [by_attribute[a] for a in order]
    in_order = [layers[a] for a in order]
    paid = penalties(cuts)
    _Walk(prices, counts, columns, in_order, least, distinct, paid).require()


def require_relief(
    prices: Sequence[int], counts: Sequence[int], relief: int, own: Sequence[int] = ()
) -> None:
    """Raises Refused unless the relief pays for every tuple that is withheld.

    What its records cost as they are, ``own``, is not paid: it is no loss.
    """
    if relief < 0:
        raise Refused("the relief is below 0")
    for number, (price, count) in enumerate(zip(prices, counts, strict=True)):
        unchanged = own[number] if own else 0
        if price - unchanged > relief * count:
            raise Refused(f"tuple {number} has a price above the relief of its records")


@dataclass(frozen=True, eq=False)
class _Walk:
    """A walk over all boxes; ``columns`` has the ranks of each attribute."""

    prices: Sequence[int]
    counts: Sequence[int]
    columns: Sequence[Sequence[int]]
    layers: Sequence[Layers]
    least: int
    distinct: Various
    penalties: CutPenalties

    def require(self) -> None:
        """Raises Refused at the first box that is paid too much."""
        # Sorted once: every part keeps the order, on which ``harmless`` rests.
        everything = sorted(range(len(self.prices)), key=lambda t: -self.rates[t])
        for part, cost in self.boxes(everything, 0, 0):
            excess = self.excess(part, cost)
            if excess > 0:
                raise Refused(
                    f"some of the tuples {sorted(part)[:10]} are paid {excess} units"
                    " more than they cost as a class"
                )

    @cached_property
    def rates(self) -> list[int]:
        """The price of a record of each tuple, rounded up."""
        pairs = zip(self.prices, self.counts, strict=True)
        # Rounded up, a rate leaves out fewer boxes, and none that matters.
        return [-(-price // count) for price, count in pairs]

    @cached_property
    def groups(self) -> list[list[list[int]]]:
        """For each attribute and layer, the group of each tuple."""
        found = []
        for column, layers in zip(self.columns, self.layers, strict=True):
            found.append([_of_ranks(group, column) for group, _ in layers])
        return found

    def boxes(self, part: Part, depth: int, cost: int) -> Iterator[tuple[Part, int]]:
        """The boxes inside a part, each with its tuples and what a record costs.

        Boxes are left out where nothing can be paid too much.
        """
        if depth == len(self.layers):
            yield part, cost
            return
        for layer, (_, price) in enumerate(self.layers[depth]):
            groups = self.groups[depth][layer]
            parts: dict[int, Part] = defaultdict(list)
            for number in part:
                parts[groups[number]].append(number)
            for group, inner in parts.items():
                within = cost + price[group]
                # Further attributes only cost more: what is harmless here stays so.
                if not self.harmless(inner, within) and not self.dominated(
                    inner, depth, layer
                ):
                    yield from self.boxes(inner, depth + 1, within)

    def harmless(self, part: Part, cost: int) -> bool:
        """Whether no class is in the part, or none is paid more than ``cost`` a record.

        A smaller part has no more classes, and dearer records come first in it, too: so
        what is harmless stays so in every box inside.
        """
        missing = self.least
        paid = 0
        for number in part:
            taken = min(missing, self.counts[number])
            paid += taken * self.rates[number]
            missing -= taken
            if missing == 0:
                return paid <= self.least * cost or not self.various(part)
        # Fewer records than a class has: there is no class.
        return True

    def various(self, part: Part) -> bool:
        """Whether a part has as many different values as a class has."""
        for values, least in self.distinct:
            held: set[Label] = set()
            for number in part:
                held.update(values[number])
                if len(held) >= least:
                    break
            if len(held) < least:
                return False
        return True

    def dominated(self, part: Part, depth: int, layer: int) -> bool:
        """Whether a cheaper group of another layer holds the part: it is looked at
        there.  Of groups with one price the first counts as cheaper.
        """
        first = part[0]
        price = self.layers[depth][layer][1][self.groups[depth][layer][first]]
        for other, groups in enumerate(self.groups[depth]):
            group = groups[first]
            cheaper = (self.layers[depth][other][1][group], other) < (price, layer)
            if cheaper and all(groups[number] == group for number in part):
                return True
        return False

    def excess(self, part: Part, cost: int) -> int:
        """By how much a class of the part is paid more than it costs, at most.

        The worst class has every tuple that is paid more than its records cost.  If
        these have too few records, others fill it up that are paid less: as few as can
        be, by a knapsack.
        """
        gain = 0
        missing = self.least
        losses = []
        for number in part:
            surplus = self.surplus(number, cost)
            if surplus > 0:
                gain += surplus
                missing -= self.counts[number]
            else:
                losses.append((-surplus, self.counts[number]))
        least_losses = _least_losses(losses, max(missing, 0), gain)
        # Who loses as much as is gained is paid no more than the class costs.
        excess = gain - least_losses[-1]
        if excess <= 0 or not self.penalties.multipliers:
            return excess
        return self.penalized(part, cost, gain, missing, least_losses)

    def surplus(self, number: int, cost: int) -> int:
        """What a tuple is paid above its records' cost."""
        owed = self.counts[number] * cost
        return self.prices[number] - owed

    def penalized(
        self, part: Part, cost: int, gain: int, missing: int, losses: Sequence[int]
    ) -> int:
        """By how much some class is paid more than it costs, cuts paid; 0 for none.

        Of tuples that are paid less those are left out that no such class has: with one
        of them, the others at least loss, and no cut paid, the sum is not above 0.
        """
        items: list[Item] = []
        for number in part:
            surplus, records = self.surplus(number, cost), self.counts[number]
            others = losses[max(0, missing - records)]
            if surplus > 0 or gain + surplus > others:
                items.append((surplus, records, number))
        return self.penalties.excess(items, self.least)


def _of_ranks(group: Sequence[int], column: Sequence[int]) -> list[int]:
    return [group[rank] for rank in column]


def _least_losses(losses: list[tuple[int, int]], missing: int, most: int) -> list[int]:
    """For each number of records up to ``missing``, the least loss of items that have
    them together, or ``most``.

    An item is a loss and a number of records.
    """
    # best[n]: least loss of n records or more from the items so far.
    # Capped at ``most``: a greater loss settles it as well.
    best = [0] + [most] * missing
    if not missing:
        return best
    taken: Counter[int] = Counter()
    for loss, count in sorted(losses):
        size = min(count, missing)
        # Cheaper items of the same size were enough to fill it up.
        if taken[size] * size >= missing:
            continue
        taken[size] += 1
        for records in range(missing, 0, -1):
            filled = best[max(0, records - size)] + loss
            best[records] = min(best[records], filled)
    return best
