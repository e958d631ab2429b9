"""Releases by tuples: every class satisfies the demands, and small ones are the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many

from phverify.recoding.closing import closed_release
from phverify.recoding.cutting import cut_release
from phverify.recoding.demands import (
    ClassDemands,
    DistinctValues,
    LeastEntropy,
    SharedValues,
    ordered,
    variational,
)
from phverify.recoding.first import first_release
from phverify.recoding.grid import TupleGrid
from phverify.recoding.merging import merged_release, repaired
from phverify.recoding.neighbourhoods import (
    SearchState,
    cost_of,
    improve,
    restarted,
    started,
)
from phverify.recoding.partition import classes_of
from phverify.recoding.pool import met
from phverify.recoding.program import ClassColumns, solved, solved_by_regions
from phverify.recoding.splitting import split_release
from phverify.recoding.task import ReleaseTask

STEPS = 300


@dataclass(frozen=True)
class Plain:
    """The same task in plain Python."""

    codes: list[tuple[int, ...]]
    counts: list[int]
    prices: list[list[list[float]]]
    histograms: list[tuple[int, ...]]
    least: int
    distinct: int
    close: float | None
    upper: float | None
    withheld: int

    def cost(self, members: tuple[int, ...]) -> float:
        total = 0.0
        for a, table in enumerate(self.prices):
            ranks = [self.codes[t][a] for t in members]
            total += table[min(ranks)][max(ranks)]
        return total * sum(self.counts[t] for t in members)

    def allowed(self, members: tuple[int, ...]) -> bool:
        records = sum(self.counts[t] for t in members)
        sums = [sum(self.histograms[t][v] for t in members) for v in range(3)]
        whole = [sum(line[v] for line in self.histograms) for v in range(3)]
        every = sum(whole)
        distance = (
            sum(abs(n / records - m / every) for n, m in zip(sums, whole, strict=True))
            / 2
        )
        if self.close is not None and distance > self.close - 1e-9:
            return False
        if self.upper is not None and max(sums) / records > self.upper - 1e-9:
            return False
        return records >= self.least and sum(n > 0 for n in sums) >= self.distinct

    def partitions(self, tuples: list[int]) -> Iterator[list[tuple[int, ...]]]:
        if not tuples:
            yield []
            return
        first, *rest = tuples
        for mask in range(2 ** len(rest)):
            inside = [t for place, t in enumerate(rest) if mask >> place & 1]
            outside = [t for place, t in enumerate(rest) if not mask >> place & 1]
            if self.allowed((first, *inside)):
                for others in self.partitions(outside):
                    yield [(first, *inside), *others]

    def optimum(self) -> float | None:
        best = None
        tuples = list(range(len(self.codes)))
        for mask in range(2 ** len(tuples)):
            out = [t for t in tuples if mask >> t & 1]
            if sum(self.counts[t] for t in out) > self.withheld:
                continue
            kept = [t for t in tuples if not mask >> t & 1]
            for classes in self.partitions(kept):
                cost = sum(self.cost(one) for one in classes)
                if best is None or cost < best:
                    best = cost
        return best

    def task(self, **options: object) -> ReleaseTask:
        rows = sum(self.counts)
        grid = TupleGrid(
            np.array(self.codes, dtype=np.int32),
            np.array(self.counts, dtype=np.int64),
            tuple(np.array(table) for table in self.prices),
            (),
            rows,
        )
        close = [] if self.close is None else [variational(0, 3, self.close)]
        shares = None
        if self.upper is not None:
            shares = SharedValues(np.zeros(3), np.full(3, self.upper))
        distinct = [DistinctValues(0, 3, self.distinct)] if self.distinct > 1 else []
        tested = bool(close or distinct or shares)
        histograms = np.array(self.histograms, dtype=np.int64)
        demands = ClassDemands(
            self.least,
            histograms if tested else histograms[:, :0],
            distinct,
            shares,
            close,
        )
        return replace(ReleaseTask(grid, demands, withheld=self.withheld), **options)


def range_prices(size: int) -> list[list[float]]:
    return [[abs(i - j) / max(size - 1, 1) for j in range(size)] for i in range(size)]


def node_prices(size: int, parts: int) -> list[list[float]]:
    # ranks in groups of `parts`: 0 within a value, else the group's or the whole's loss
    def price(i: int, j: int) -> float:
        if i == j:
            return 0.0
        if i // parts == j // parts:
            members = sum(1 for other in range(size) if other // parts == i // parts)
            return (members - 1) / (size - 1)
        return 1.0

    return [[price(i, j) for j in range(size)] for i in range(size)]


@st.composite
def plains(draw: st.DrawFn, most: int = 7, tested: bool = True) -> Plain:
    attributes = draw(st.integers(1, 3))
    sizes = [draw(st.integers(2, 4)) for _ in range(attributes)]
    ranks = st.tuples(*[st.integers(0, size - 1) for size in sizes])
    codes = draw(st.lists(ranks, min_size=1, max_size=most, unique=True))
    prices = [
        draw(st.sampled_from([range_prices(size), node_prices(size, 2)]))
        for size in sizes
    ]
    values = st.lists(st.integers(0, 2), min_size=1, max_size=3)
    histograms = []
    for _ in codes:
        counter = Counter(draw(values))
        histograms.append(tuple(counter[v] for v in range(3)))
    counts = [sum(line) for line in histograms]
    return Plain(
        codes,
        counts,
        prices,
        histograms,
        least=draw(st.integers(1, 5)),
        distinct=draw(st.sampled_from([1, 1, 2])) if tested else 1,
        close=draw(st.sampled_from([None, None, 0.35])) if tested else None,
        upper=draw(st.sampled_from([None, None, 0.7])) if tested else None,
        withheld=draw(st.sampled_from([0, 0, 2])),
    )


def check(plain: Plain, release: np.ndarray) -> float:
    """The release is a partition into allowed classes; its cost by the definition."""
    assert release.shape == (len(plain.codes),)
    out = np.flatnonzero(release < 0).tolist()
    assert sum(plain.counts[t] for t in out) <= plain.withheld
    classes = [tuple(members.tolist()) for members in classes_of(release)]
    assert sorted([t for one in classes for t in one] + out) == list(
        range(len(plain.codes))
    )
    for members in classes:
        assert plain.allowed(members)
    return sum(plain.cost(members) for members in classes)


def searched(task: ReleaseTask, steps: int = STEPS) -> SearchState | None:
    release = first_release(task)
    if release is None:
        return None
    return improve(task, started(task, release), count=steps)


@so_many(30, fuzz=1000)
@given(plains())
def test_releases_satisfy_the_demands_and_are_never_below_the_optimum(
    plain: Plain,
) -> None:
    task = plain.task()
    optimum = plain.optimum()
    for construct in (merged_release, split_release, first_release):
        release = construct(task)
        if release is not None:
            assert optimum is not None
            assert check(plain, release) >= optimum - 1e-9
    state = searched(task)
    if state is None:
        return
    rows = sum(plain.counts)
    assert check(plain, state.assignment) == pytest.approx(state.cost * rows)
    assert optimum is not None
    assert state.cost * rows >= optimum - 1e-9
    columns = ClassColumns.of(task, met(state.pool))
    for members in columns.classes:
        assert plain.allowed(tuple(members.tolist()))
    best = solved(task, columns, state.assignment, 5.0)
    assert optimum - 1e-9 <= check(plain, best) <= state.cost * rows + 1e-9


def test_the_search_mostly_finds_the_optimum() -> None:
    generator = np.random.default_rng(5)
    best = 0
    for _ in range(30):
        codes = sorted(
            {tuple(line) for line in generator.integers(0, 4, (7, 2)).tolist()}
        )
        counts = generator.integers(1, 4, len(codes)).tolist()
        histograms = [(n, 0, 0) for n in counts]
        prices = [range_prices(4), node_prices(4, 2)]
        plain = Plain(codes, counts, prices, histograms, 4, 1, None, None, 0)
        state = searched(plain.task(), 3000)
        assert state is not None
        optimum = plain.optimum()
        assert optimum is not None
        best += state.cost * sum(counts) <= optimum + 1e-9
    assert best >= 28


def boxes_are_apart(plain: Plain, release: np.ndarray) -> bool:
    released = np.flatnonzero(release >= 0).tolist()
    for members in classes_of(release):
        for t in released:
            if t not in members and in_box(plain, members.tolist(), t):
                return False
    return True


def in_box(plain: Plain, members: list[int], t: int) -> bool:
    # a box holds what does not make it dearer, in each attribute
    for a, table in enumerate(plain.prices):
        ranks = [plain.codes[m][a] for m in members]
        own = plain.codes[t][a]
        wider = table[min(*ranks, own)][max(*ranks, own)]
        if wider > table[min(ranks)][max(ranks)] + 1e-12:
            return False
    return True


@so_many(30, fuzz=1000)
@given(plains())
def test_disjoint_boxes_hold_no_tuple_of_another_class(plain: Plain) -> None:
    task = plain.task(disjoint=True)
    release = first_release(task)
    if release is None:
        return
    assert boxes_are_apart(plain, release)
    state = improve(task, started(task, release), count=STEPS)
    check(plain, state.assignment)
    assert boxes_are_apart(plain, state.assignment)
    assert state.cost <= cost_of(task, release)
    free = merged_release(plain.task())
    if free is not None:
        closed = closed_release(task, free)
        assert closed is None or boxes_are_apart(plain, closed)
    for tried in (1, 3):
        cut = cut_release(task, tried)
        assert cut is None or boxes_are_apart(plain, cut)


@so_many(30, fuzz=1000)
@given(plains(tested=False), st.integers(0, 6))
def test_cells_of_the_whole_domain_keep_their_budget(plain: Plain, stars: int) -> None:
    task = plain.task(stars=stars)
    state = searched(task)
    if state is None or np.isinf(state.cost):
        return
    check(plain, state.assignment)
    assert stars_of(plain, state.assignment) <= stars
    columns = ClassColumns.of(task, met(state.pool))
    best = solved_by_regions(task, columns, state.assignment, 0.2, 4)
    assert stars_of(plain, best) <= stars


def test_a_search_that_starts_with_too_many_whole_cells_ends_with_few() -> None:
    plain = census()
    free = searched(plain.task(), 4000)
    assert free is not None
    stars = stars_of(plain, free.assignment)
    task = plain.task(stars=stars // 2)
    state = improve(task, started(task, free.assignment), count=60_000)
    assert np.isfinite(state.cost)
    assert stars_of(plain, state.assignment) <= stars // 2
    assert check(plain, state.assignment) == pytest.approx(
        state.cost * sum(plain.counts)
    )


def test_cuts_find_the_best_that_cuts_can_reach() -> None:
    # The middle is cut first: at the children of the other attribute both are too few.
    codes = [(a, b) for a in range(4) for b in range(4)]
    prices = [node_prices(4, 2), node_prices(4, 2)]
    plain = Plain(
        codes, [1] * 16, prices, [(1, 0, 0)] * 16, 4, 1, None, None, withheld=0
    )
    task = plain.task(disjoint=True)
    release = cut_release(task, 2)
    assert release is not None
    assert check(plain, release) == pytest.approx(16 * (1 / 3 + 1 / 3))
    withheld = replace(plain, counts=[1] * 15 + [3], withheld=3)
    left_out = first_release(withheld.task(disjoint=True))
    assert left_out is not None
    check(withheld, left_out)


def stars_of(plain: Plain, release: np.ndarray) -> int:
    cells = 0
    for members in classes_of(release):
        records = sum(plain.counts[t] for t in members)
        for a, table in enumerate(plain.prices):
            ranks = [plain.codes[t][a] for t in members]
            cells += records * (table[min(ranks)][max(ranks)] >= table[0][-1])
    return cells


@so_many(20, fuzz=1000)
@given(plains(tested=False))
def test_the_exact_judge_sees_every_class(plain: Plain) -> None:
    def odd(classes: list[np.ndarray]) -> list[bool]:
        return [judged(members.tolist()) for members in classes]

    def judged(members: list[int]) -> bool:
        return len(members) != 2 and members == sorted(members)

    task = plain.task()
    demands = replace(task.demands, exact=odd)
    task = replace(task, demands=demands)
    state = searched(task)
    if state is None:
        return
    check(plain, state.assignment)
    assert all(judged(members.tolist()) for members in classes_of(state.assignment))
    best = solved(task, ClassColumns.of(task, met(state.pool)), state.assignment, 2.0)
    assert all(judged(members.tolist()) for members in classes_of(best))


def census(tuples: int = 400, seed: int = 1) -> Plain:
    generator = np.random.default_rng(seed)
    lines = generator.integers(0, [12, 6, 3], (tuples, 3)).tolist()
    codes = sorted({tuple(line) for line in lines})
    histograms = [
        tuple(generator.multinomial(2, [0.5, 0.3, 0.2]).tolist()) for _ in codes
    ]
    prices = [range_prices(12), node_prices(6, 3), node_prices(3, 3)]
    return Plain(codes, [2] * len(codes), prices, histograms, 6, 1, None, None, 0)


def test_steps_are_deterministic_and_never_lose_the_best() -> None:
    plain = census()
    task = plain.task()
    one = searched(task, 4000)
    other = searched(plain.task(), 4000)
    assert one is not None and other is not None
    assert (one.assignment == other.assignment).all()
    first = first_release(task)
    assert first is not None
    assert one.cost < cost_of(task, first)
    later = improve(task, one, count=2000)
    assert later.cost <= one.cost
    assert later.done == 6000
    assert restarted(task, later, first).cost == later.cost
    timed = improve(task, later, seconds=0.05)
    assert timed.cost <= later.cost
    check(plain, timed.assignment)


def test_regions_only_make_a_release_cheaper() -> None:
    plain = census()
    task = plain.task()
    state = searched(task, 4000)
    assert state is not None
    columns = ClassColumns.of(task, met(state.pool))
    best = solved_by_regions(task, columns, state.assignment, 1.0, 60)
    assert check(plain, best) <= state.cost * task.grid.rows + 1e-9


def test_withheld_records_save_something_and_keep_their_budget() -> None:
    plain = replace(census(), withheld=20)
    state = searched(plain.task(), 20_000)
    whole = searched(replace(plain, withheld=0).task(), 20_000)
    assert state is not None and whole is not None
    cost = check(plain, state.assignment)
    assert 0 < sum(2 for number in state.assignment if number < 0) <= 20
    assert cost < whole.cost * sum(plain.counts)


def test_a_release_of_others_is_mended() -> None:
    plain = replace(census(), distinct=2)
    task = plain.task()
    release = repaired(task, np.arange(len(plain.codes)) // 2)
    assert release is not None
    check(plain, release)


def test_tests_of_confidential_values_by_their_definitions() -> None:
    histograms = np.array([[2, 1, 1], [4, 0, 0], [0, 0, 4], [1, 2, 1]])
    grid = TupleGrid(
        np.arange(4, dtype=np.int32)[:, None],
        histograms.sum(axis=1),
        (np.array(range_prices(4)),),
        (),
        16,
    )
    entropy = LeastEntropy(0, 3, 1.0)
    demands = ClassDemands(1, histograms, entropies=[entropy])
    release = merged_release(ReleaseTask(grid, demands))
    assert release is not None
    for members in classes_of(release):
        shares = histograms[members].sum(axis=0) / histograms[members].sum()
        shares = shares[shares > 0]
        assert -(shares * np.log(shares)).sum() >= 1.0
    near = ClassDemands(1, histograms, close=[ordered(0, 3, 0.1)])
    release = merged_release(ReleaseTask(grid, near))
    assert release is not None
    whole = np.cumsum(histograms.sum(axis=0) / 16)
    for members in classes_of(release):
        shares = np.cumsum(histograms[members].sum(axis=0) / histograms[members].sum())
        assert abs(shares - whole).sum() / 2 <= 0.1
