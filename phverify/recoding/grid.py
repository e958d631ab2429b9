"""A space of tuples as arrays, for the engines.

They propose in floats; what is claimed at the end is counted again in fractions by
``phverify.spec.recoding``, and a bound is claimed in whole units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from phverify.errors import refusal
from phverify.exact import Bools, Floats, Ints
from phverify.spec.recoding import TupleSpace
from phverify.spec.sides import BoxSide, HierarchySide, RangeSide, SideLayer

UNIT = 10**9
"""Prices of a bound are whole numbers of one part in so many."""
LARGEST = 2**62
WIDEST = 5_000
"""More different values in one column than this would need too large tables."""


@dataclass(frozen=True, eq=False)
class GridLayer:
    """A partition of an attribute's ranks into groups.

    ``group`` is the group of each rank, ``price`` that of each group in units, rounded
    down: at most what a record loses in a node that no earlier layer has a group for.
    """

    group: Ints
    price: Ints


@dataclass(frozen=True, eq=False)
class TupleGrid:
    """Distinct tuples by ranks.

    ``codes`` has a line for each tuple and a column for each attribute; ``counts`` are
    the records of each tuple; ``prices[a][first, last]`` is what a record loses in
    attribute a when its class runs from one rank to the other, weights included.
    ``unit`` parts make 1.  ``most`` is what a record costs at most, up to rounding.  By
    entropy records have a price as they are: ``own`` in units, for each tuple.
    ``stars[a][first, last]`` says where a cell is released as ``*``; where they are not
    given, what costs as much as the whole domain is.
    """

    codes: Ints
    counts: Ints
    prices: tuple[Floats, ...]
    layers: tuple[tuple[GridLayer, ...], ...]
    rows: int
    unit: int = UNIT
    most: int = 1
    own: Ints | None = None
    stars: tuple[Bools, ...] = ()

    @property
    def tuples(self) -> int:
        """How many different tuples there are."""
        return len(self.counts)

    @property
    def unchanged(self) -> Ints:
        """What the records of each tuple cost as they are, in units."""
        if self.own is None:
            return np.zeros_like(self.counts)
        paid: Ints = self.counts * self.own
        return paid


def grid(space: TupleSpace) -> TupleGrid:
    """The arrays of a space.  Raises InputError for columns with too many values."""
    for side in space.sides:
        if len(side.values) > WIDEST:
            what = (
                f"{side.name!r} has {len(side.values):,} different values, and at most"
                f" {WIDEST:,} can be recoded by tuples"
            )
            hint = "give it coarser values: numbers rounded, dates cut to the month"
            raise refusal("space", what, hint)
    codes = np.array(space.codes, dtype=np.int32)
    counts = np.array(space.counts, dtype=np.int64)
    prices = []
    layers = []
    rows = space.rows
    # A record of a column loses at most 1; by entropy at most log2 of the rows, rounded
    # up.
    most = 1 if space.priced != "entropy" else max(rows - 1, 1).bit_length()
    unit = unit_for(rows * most)
    for side, share in zip(space.sides, space.shares, strict=True):
        prices.append(_table(side, space.priced) * float(share))
        own = [
            GridLayer(
                np.array(layer.group, dtype=np.int32),
                np.array(units(layer, share, unit), dtype=np.int64),
            )
            for layer in side.layers(space.priced)
        ]
        layers.append(tuple(own))
    alone = _own(codes, layers) if space.priced == "entropy" else None
    stars = tuple(_stars(side, space.medians) for side in space.sides)
    return TupleGrid(
        codes, counts, tuple(prices), tuple(layers), rows, unit, most, alone, stars
    )


def _stars(side: BoxSide, medians: Sequence[str]) -> Bools:
    """Whether a cell is ``*``, for each pair of first and last rank.

    The only value of a column is shown as it is, and a median is a value.
    """
    count = len(side.values)
    stars: Bools = np.zeros((count, count), dtype=bool)
    if count == 1 or side.name in medians:
        return stars
    if isinstance(side, RangeSide):
        # Only the run from the first to the last rank is the whole domain.
        stars[0, -1] = stars[-1, 0] = True
        if side.values[-1] is None:
            # A missing value joins others only as ``*``; alone it is shown as it is.
            stars[-1] = stars[:, -1] = True
            stars[-1, -1] = False
        return stars
    # What is apart on the last level before all meet, meets nowhere below.
    apart = np.arange(count)
    for layer in side.layers("loss"):
        group = np.array(layer.group)
        if not group.any():
            break
        apart = group
    stars[:] = apart[:, None] != apart[None, :]
    return stars


def _own(codes: Ints, layers: Sequence[Sequence[GridLayer]]) -> Ints:
    """What a record of each tuple costs as it is, in units: by the layers of single
    values.
    """
    own = np.zeros(len(codes), dtype=np.int64)
    for attribute, (alone, *_) in enumerate(layers):
        own += alone.price[alone.group[codes[:, attribute]]]
    return own


def unit_for(rows: int) -> int:
    """So many parts make 1, that the prices of all records fit in 64 bits."""
    unit = UNIT
    # With room to spare: sums of prices stay below 2^62.
    while unit * max(rows, 1) * 4 >= LARGEST:
        unit //= 10
    return unit


def units(layer: SideLayer, share: Fraction, unit: int) -> list[int]:
    """The prices of a layer's groups in whole units, rounded down."""
    return [floor(price * share * unit) for price in layer.price]


def _table(side: BoxSide, objective: str) -> Floats:
    """What a record loses in a node, for each pair of first and last rank."""
    count = len(side.values)
    table: Floats = np.zeros((count, count))
    if isinstance(side, HierarchySide):
        # From the root down: what is shared lower replaces what is shared above.
        for layer in reversed(list(side.layers(objective))):
            group = np.array(layer.group)
            price = np.array([float(one) for one in layer.price])
            together = group[:, None] == group[None, :]
            # Neighbours of one group are together in this node, whatever was above.
            table = np.where(together, price[group][:, None], table)
        return table
    ranks = np.arange(count)
    if objective == "entropy":
        return _range_bits(side)
    table = np.abs(ranks[:, None] - ranks[None, :]) / max(count - 1, 1)
    if side.values[-1] is None and count > 1:
        # With a missing value the node is the whole domain, whose price is 1.
        table[:, -1] = 1.0
        table[-1, :] = 1.0
        table[-1, -1] = 0.0
    return table


def _range_bits(side: BoxSide) -> Floats:
    """The bits of the records in each range; both ends count."""
    up_to = np.concatenate([[0], np.cumsum(side.records)])
    ranks = np.arange(len(side.values))
    first = np.minimum(ranks[:, None], ranks[None, :])
    last = np.maximum(ranks[:, None], ranks[None, :])
    bits: Floats = np.log2(np.maximum(up_to[last + 1] - up_to[first], 1))
    if side.values[-1] is None:
        alone = bits[-1, -1]
        bits[:, -1] = bits[-1, :] = np.log2(max(up_to[-1], 1))
        bits[-1, -1] = alone
    return bits
