"""Lower bounds on recodings by tuples: against all partitions, all boxes, all sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify.budget import Deadline
from phverify.recoding.counting import counted, proven
from phverify.recoding.grid import TupleGrid, grid
from phverify.recoding.penalties import Cuts, cuts_of
from phverify.recoding.prices import Distinct, PriceSearch, bounds
from phverify.recoding.restricted import RestrictedColumns
from phverify.recoding.walker import NO_END, Walker, walker
from phverify.spec.data import Refused
from phverify.spec.prices import require_feasible
from phverify.spec.recoding import TupleSpace, tuple_space
from phverify.spec.sides import side

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """Some tuples, with the confidential values of each."""

    space: TupleSpace
    held: list[set[int]]
    least: int
    values: int
    budget: int

    @property
    def grid(self) -> TupleGrid:
        return grid(self.space)

    @property
    def distinct(self) -> list[Distinct]:
        if self.values == 1:
            return []
        histogram = np.zeros((len(self.held), 3), np.int64)
        for line, held in enumerate(self.held):
            histogram[line, sorted(held)] = 1
        return [Distinct(self.values, histogram)]

    @property
    def walker(self) -> Walker:
        return walker(self.grid, self.least, self.distinct)

    def paying(self, cuts: Sequence[Sequence[int]]) -> Cuts | None:
        """What the walk is told of cuts."""
        lines = np.array(cuts, np.int64).reshape(-1, 4)
        paid = cuts_of(lines[:, :3], lines[:, 3], len(self.held))
        return paid if len(lines) else None

    def sets(self, numbers: Sequence[int]) -> Iterator[Numbers]:
        """All sets with records enough."""
        for size in range(1, len(numbers) + 1):
            for one in combinations(numbers, size):
                if self.space.records(one) >= self.least:
                    yield one

    def various(self, numbers: Sequence[int]) -> bool:
        return len(set().union(*(self.held[t] for t in numbers))) >= self.values

    def plain(
        self,
        prices: list[int],
        relief: int | None = None,
        cuts: Sequence[Sequence[int]] = (),
    ) -> None:
        """The plain checker."""
        layers = [
            [(a.group.tolist(), a.price.tolist()) for a in own]
            for own in self.grid.layers
        ]
        distinct = [(self.held, self.values)] if self.values > 1 else []
        counts, codes = self.space.counts, self.space.codes
        least = self.least
        own = self.grid.unchanged.tolist()
        require_feasible(
            prices, counts, codes, layers, least, relief, distinct, cuts, own
        )

    def boxes(self) -> Iterator[tuple[list[int], int]]:
        """The tuples of each box, and what a record costs there."""
        for layers in product(*self.grid.layers):
            boxes: dict[Numbers, list[int]] = {}
            for t, code in enumerate(self.space.codes):
                key = tuple(int(a.group[c]) for a, c in zip(layers, code, strict=True))
                boxes.setdefault(key, []).append(t)
            for key, members in boxes.items():
                yield (
                    members,
                    sum(int(a.price[g]) for a, g in zip(layers, key, strict=True)),
                )

    def broken(self, prices: list[int], cuts: Sequence[Sequence[int]] = ()) -> bool:
        """Whether a set in some box is paid too much, by trying all."""
        for members, cost in self.boxes():
            if self.various(members):
                for one in self.sets(members):
                    paid = sum(prices[t] for t in one)
                    for *triple, multiplier in cuts:
                        if len(set(one).intersection(triple)) >= 2:
                            paid -= multiplier
                    if paid > cost * self.space.records(one):
                        return True
        return False

    def optimum(self) -> Fraction | None:
        """The least cost of a recoding, by all partitions; None where there is none."""
        known: dict[Numbers, Fraction] = {}
        for one in self.sets(range(len(self.held))):
            if self.various(one):
                price = self.space.price(self.space.box(one))
                known[one] = price * self.space.records(one)
        costs = list(self.costs(tuple(range(len(self.held))), known, self.budget))
        return min(costs) / len(self.space.row_tuple) if costs else None

    def costs(
        self, left: Numbers, known: dict[Numbers, Fraction], budget: int
    ) -> Iterator[Fraction]:
        if not left:
            yield Fraction(0)
            return
        first, rest = left[0], left[1:]
        if self.space.counts[first] <= budget:
            # A loss is counted from what records cost as they are: so is none.
            same = self.space.unchanged([first])
            for cost in self.costs(rest, known, budget - self.space.counts[first]):
                yield cost + same
        for size in range(len(rest) + 1):
            for others in combinations(rest, size):
                one = (first, *others)
                if one in known:
                    remaining = tuple(t for t in rest if t not in others)
                    for cost in self.costs(remaining, known, budget):
                        yield cost + known[one]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    width = draw(st.integers(1, 3))
    sides = []
    for a in range(width):
        values = tuple("abcdef"[: draw(st.integers(1, 6))])
        paths = None
        if draw(st.booleans()):
            two = [draw(st.sampled_from("XYZ")) for _ in values]
            three = {x: draw(st.sampled_from("PQ")) for x in "XYZ"}
            paths = {v: (v, x, three[x], "*") for v, x in zip(values, two, strict=True)}
        sides.append(side(f"q{a}", values, paths))
    tuples = st.tuples(*(st.sampled_from(one.values) for one in sides))
    distinct = draw(st.lists(tuples, min_size=1, max_size=6, unique=True))
    counts = [draw(st.integers(1, 4)) for _ in distinct]
    rows = [
        one for one, count in zip(distinct, counts, strict=True) for _ in range(count)
    ]
    columns = {one.name: [row[a] for row in rows] for a, one in enumerate(sides)}
    weights = {one.name: Fraction(draw(st.integers(1, 3))) for one in sides}
    objective = draw(st.sampled_from(("loss", "entropy")))
    space = tuple_space(tuple(sides), columns, weights, objective)
    held = [
        set(draw(st.lists(st.integers(0, 2), min_size=1, max_size=c)))
        for c in space.counts
    ]
    least = draw(st.integers(1, 7))
    return Case(space, held, least, draw(st.integers(1, 2)), draw(st.integers(0, 3)))


def ints(prices: list[int]) -> np.ndarray:
    return np.array(prices, np.int64)


@so_many(40, fuzz=1000, more=750)
@given(cases())
def test_no_bound_is_above_the_optimum(case: Case) -> None:
    best = case.optimum()
    values = [Fraction(0)]
    for bound in bounds(case.grid, case.least, Deadline(), case.distinct, case.budget):
        prices = bound.prices.tolist()
        assert bound.value > values[-1] or bound.value == 0
        cuts = bound.cuts.tolist()
        assert bound.value * bound.unit * case.grid.rows == sum(
            prices
        ) - bound.relief * case.budget - sum(cut[3] for cut in cuts)
        assert not case.broken(prices, cuts)
        case.plain(prices, bound.relief, cuts)
        values.append(bound.value)
    if best is not None:
        assert values[-1] <= best


@so_many(75, fuzz=1000)
@given(cases(), st.data())
def test_the_walk_and_its_twin_find_what_all_sets_find(
    case: Case, data: st.DataObject
) -> None:
    high = data.draw(st.sampled_from([10, case.grid.unit // 10, case.grid.unit]))
    prices = [data.draw(st.integers(0, high)) * count for count in case.space.counts]
    held = case.walker
    lowered, found = held.lowered(ints(prices), NO_END, 100)
    assert lowered is not None
    assert (lowered <= prices).all()
    assert not case.broken(lowered.tolist())
    assert held.feasible(lowered)
    broken = case.broken(prices)
    assert held.feasible(ints(prices)) is not broken
    assert bool(found.sets) is broken
    if broken:
        with pytest.raises(Refused, match="more than they cost"):
            case.plain(prices)
    else:
        case.plain(prices)
        assert lowered.tolist() == prices


@so_many(50, fuzz=1000)
@given(cases(), st.data())
def test_a_price_raised_until_a_box_breaks_is_refused(
    case: Case, data: st.DataObject
) -> None:
    *_, bound = bounds(case.grid, case.least, Deadline(), case.distinct)
    prices = bound.prices.tolist()
    cuts = bound.cuts.tolist()
    chosen = data.draw(st.integers(0, len(prices) - 1))
    step = 1
    while not case.broken(prices, cuts):
        prices[chosen] += step
        step *= 2
        if step > 2**50:  # no class holds it
            return
    assert not case.walker.feasible(ints(prices), case.paying(cuts))
    with pytest.raises(Refused, match="more than they cost"):
        case.plain(prices, None, cuts)


@so_many(50, fuzz=1000)
@given(cases())
def test_counting_takes_the_cheapest_box_that_is_large_enough(case: Case) -> None:
    prices = counted(case.walker, NO_END)
    assert prices is not None
    highest = case.grid.unit * case.grid.most
    cheapest = dict.fromkeys(range(len(prices)), highest)
    for members, cost in case.boxes():
        if case.various(members) and case.space.records(members) >= case.least:
            for t in members:
                cheapest[t] = min(cheapest[t], cost)
    costs = [cheapest[t] * count for t, count in enumerate(case.space.counts)]
    assert prices.tolist() == costs


@so_many(50, fuzz=1000)
@given(cases())
def test_the_relief_is_the_best_one(case: Case) -> None:
    prices = counted(case.walker, NO_END)
    assert prices is not None
    bound = proven(case.grid, prices, case.budget)
    counts, own = case.grid.counts, case.grid.unchanged
    rates = -(-np.maximum(prices - own, 0) // counts)
    for relief in [0, *rates.tolist()]:
        paid = np.minimum(prices, own + relief * counts)
        units = int(paid.sum()) - relief * case.budget
        assert units <= bound.value * bound.unit * case.grid.rows


def flat(counts: list[int], least: int, budget: int = 0) -> Case:
    """One attribute, every value kept or ``*``."""
    values = tuple(f"v{k}" for k in range(len(counts)))
    one = side("q", values, {v: (v, "*") for v in values})
    rows = [v for v, count in zip(values, counts, strict=True) for _ in range(count)]
    space = tuple_space((one,), {"q": rows}, {"q": Fraction(1)}, "loss")
    return Case(space, [{0}] * len(counts), least, 1, budget)


def test_prices_reach_the_optimum_where_the_relaxation_does() -> None:
    case = flat([1, 1, 3, 3], 3)
    *_, last = bounds(case.grid, 3, Deadline())
    # Two single records and one of the others become "*": 5 of 8.
    assert case.optimum() == Fraction(5, 8)
    assert Fraction(5, 8) - last.value < Fraction(1, 10_000)


def test_a_withheld_record_costs_nothing() -> None:
    case = flat([1, 1, 3, 3], 3, budget=2)
    *_, last = bounds(case.grid, 3, Deadline(), budget=2)
    assert case.optimum() == 0 == last.value


def test_the_relief_pays_for_withheld_tuples() -> None:
    case = flat([3, 3], 3)
    with pytest.raises(Refused, match="tuple 1 has a price above the relief"):
        case.plain([0, 7], relief=2)
    with pytest.raises(Refused, match="the relief is below 0"):
        case.plain([0, 0], relief=-1)


def test_prices_are_one_for_each_tuple_and_not_below_0() -> None:
    case = flat([3, 3], 3)
    with pytest.raises(Refused, match="3 prices are not one for each of 2"):
        case.plain([0, 0, 0])
    with pytest.raises(Refused, match="a price is below 0"):
        case.plain([0, -1])


def test_a_walk_without_patience_ends_without_prices() -> None:
    case = flat([1, 1, 3, 3], 3)
    lowered, _ = case.walker.lowered(ints([10**9] * 4), 0)
    assert lowered is None
    *_, bound = bounds(case.grid, 3, Deadline(0))
    assert bound.value == 0
    assert bound.note


def test_a_class_that_is_met_again_in_a_cheaper_box_costs_less() -> None:
    case = flat([1, 1, 3, 3], 3)
    columns = RestrictedColumns(case.grid, np.array([0, 1]), 0)
    sets = [np.array([0, 1, 2]), np.array([0, 1, 2])]
    assert columns.add(sets, np.array([7, 5])) == 1
    assert columns.costs == [25]
    columns.keep_best(np.array([1.0]), 1)
    assert columns.add(sets, np.array([4, 5])) == 0
    assert columns.costs == [20]


def test_where_there_are_too_many_tuples_prices_are_only_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("phverify.recoding.prices.LARGEST", 1)
    case = flat([1, 1, 3, 3], 3)
    *_, last = bounds(case.grid, 3, Deadline())
    assert "too many for the covering relaxation" in last.note
    assert not case.broken(last.prices.tolist())
    assert Fraction(1, 4) < last.value <= Fraction(5, 8)


def test_classes_met_elsewhere_are_taken_in() -> None:
    case = flat([1, 1, 3, 3], 3)
    asked = []

    def met() -> list[np.ndarray]:
        asked.append(1)
        return [np.array([0, 1, 2]), np.array([2, 1, 0])]

    search = PriceSearch(case.grid, case.walker, Deadline(), 0, met)
    assert list(search.run(False))
    assert asked
    columns = RestrictedColumns(case.grid, np.array([0, 1]), 0)
    assert columns.add(met()) == 1
    assert columns.costs == [5 * 10**9]


@pytest.mark.parametrize(
    ("counts", "prices"),
    [
        # The second one fills the set up and loses nothing.
        ([1, 3, 3], [10**9 + 5, 3 * 10**9, 0]),
        # It takes two of two records to fill up three.
        ([1, 2, 2], [6 * 10**9, 0, 0]),
    ],
)
def test_a_set_is_filled_up_at_least_loss(counts: list[int], prices: list[int]) -> None:
    case = flat(counts, 4)
    assert case.broken(prices)
    assert not case.walker.feasible(ints(prices))
    with pytest.raises(Refused, match="more than they cost"):
        case.plain(prices)
    lowered, _ = case.walker.lowered(ints(prices), NO_END)
    assert lowered is not None
    assert not case.broken(lowered.tolist())
