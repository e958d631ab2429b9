"""What a class must satisfy: tests in floats that propose, and an exact judge.

A test reads how often each confidential value occurs in a class.  The values of all
columns stand side by side as columns of one histogram.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from phverify.exact import Floats, Ints
from phverify.machine.machine_code import compiled, inlined

MARGIN = 1e-9
Judge = Callable[[list[Ints]], list[bool]]
"""Says exactly of classes, as sorted arrays of tuples, whether they are allowed."""


@dataclass(frozen=True)
class DistinctValues:
    """At least ``least`` values of the columns ``start`` to ``stop`` occur."""

    start: int
    stop: int
    least: int


@dataclass(frozen=True)
class LeastEntropy:
    """The shares of the columns ``start`` to ``stop`` have at least so much entropy.

    Entropy is in nats."""

    start: int
    stop: int
    least: float


@dataclass(frozen=True, eq=False)
class SharedValues:
    """Every value's share lies between its bounds; both are [V] of the histogram."""

    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class CloseShares:
    """A weighted sum of differences between shares of class and table is at most t.

    ``values`` are columns in an order in which each set is a run: set s holds
    ``values[first[s]:last[s]]``.  Single values with weight 1/2 give the variational
    distance, prefixes the ordered one, subtrees in depth-first order the hierarchical.
    """

    values: Ints
    first: Ints
    last: Ints
    weights: Floats
    most: float


def variational(start: int, stop: int, most: float) -> CloseShares:
    """Half the sum of the differences of single values' shares is at most ``most``."""
    size = stop - start
    single = np.arange(size)
    weights = np.full(size, 0.5)
    return CloseShares(np.arange(start, stop), single, single + 1, weights, most)


def ordered(start: int, stop: int, most: float) -> CloseShares:
    """The earth mover's distance between values in this order, from 0 to 1."""
    size = stop - start
    last = np.arange(1, size)
    weights = np.full(size - 1, 1 / max(size - 1, 1))
    values = np.arange(start, stop)
    return CloseShares(values, np.zeros(size - 1, dtype=np.int64), last, weights, most)


class CompiledTests(NamedTuple):
    """The tests as arrays; ``sums`` is where the runs of one class are added up."""

    least: int
    margin: float
    distinct: Ints
    lower: Floats
    upper: Floats
    entropy_spans: Ints
    entropies: Floats
    close_values: Ints
    close_sets: Ints
    close_weights: Floats
    close_shares: Floats
    close_spans: Ints
    most: Floats
    sums: Floats


@dataclass(frozen=True, eq=False)
class ClassDemands:
    """The demands: records at least ``least``, the tests, and what ``exact`` says.

    ``histograms`` is [T, V]; ``reference`` [V] is the distribution that closeness looks
    at, that of all records where it is not given.  Where there is an exact judge, the
    tests are a little loose, since it sees all that pass; else a little strict.
    """

    least: int
    histograms: Ints
    distinct: Sequence[DistinctValues] = ()
    shares: SharedValues | None = None
    close: Sequence[CloseShares] = ()
    entropies: Sequence[LeastEntropy] = ()
    exact: Judge | None = None
    reference: Ints | None = None
    _memo: dict[bytes, bool] = field(default_factory=dict, repr=False)

    @cached_property
    def counted(self) -> Ints:
        """The histograms as compiled functions want them."""
        return np.ascontiguousarray(self.histograms, dtype=np.int64)

    @cached_property
    def tests(self) -> CompiledTests:
        """The tests for compiled functions."""
        values = self.histograms.shape[1]
        shares = self.shares
        if shares is None:
            shares = SharedValues(np.zeros(values), np.ones(values))
        entropy_spans = [(test.start, test.stop) for test in self.entropies]
        distinct = [(test.start, test.stop, test.least) for test in self.distinct]
        runs = [_absolute_runs(self.close, place) for place in range(len(self.close))]
        return CompiledTests(
            least=self.least,
            # Loose where a judge sees what passes, strict where nobody looks again.
            margin=-MARGIN if self.exact is None else MARGIN,
            distinct=np.array(distinct, dtype=np.int64).reshape(-1, 3),
            lower=shares.lower.astype(np.float64),
            upper=shares.upper.astype(np.float64),
            entropy_spans=np.array(entropy_spans, dtype=np.int64).reshape(-1, 2),
            entropies=np.array([test.least for test in self.entropies], dtype=float),
            close_values=_joined([test.values for test in self.close], np.int64),
            close_sets=np.concatenate([np.zeros((0, 2), dtype=np.int64), *runs]),
            close_weights=_joined([test.weights for test in self.close], np.float64),
            close_shares=self._table_shares(),
            close_spans=_spans(self.close),
            most=np.array([test.most for test in self.close], dtype=float),
            sums=np.zeros(
                1 + max([len(test.values) for test in self.close], default=0)
            ),
        )

    def _table_shares(self) -> Floats:
        whole = self.reference
        if whole is None:
            whole = self.histograms.sum(axis=0)
        shares = [np.zeros(0)]
        for test in self.close:
            counts = np.concatenate([[0], np.cumsum(whole[test.values])])
            inside = counts[test.last] - counts[test.first]
            # Of an empty table no class is asked, and nothing is divided by 0.
            shares.append(inside / max(counts[-1], 1))
        return np.concatenate(shares)

    def allow(self, classes: list[Ints]) -> list[bool]:
        """What the exact judge says of classes that pass the tests; asked once each."""
        if self.exact is None:
            return [True] * len(classes)
        # The judge works in fractions: each class is asked about once.
        keys = [members.astype(np.int32).tobytes() for members in classes]
        unknown = {}
        for key, members in zip(keys, classes, strict=True):
            if key not in self._memo:
                unknown[key] = members
        if unknown:
            answers = self.exact(list(unknown.values()))
            self._memo.update(zip(unknown, answers, strict=True))
        return [self._memo[key] for key in keys]


def _joined(arrays: Iterable[Ints], kind: type) -> Ints:
    nothing: Ints = np.zeros(0, dtype=kind)
    joined = np.concatenate([nothing, *arrays])
    return joined.astype(kind)


def _absolute_runs(tests: Sequence[CloseShares], place: int) -> Ints:
    test = tests[place]
    runs = np.stack([test.first, test.last], axis=1)
    return runs.astype(np.int64)


def _spans(tests: Sequence[CloseShares]) -> Ints:
    # for each test: its first and last value, its first and last set
    value_counts = [len(test.values) for test in tests]
    set_counts = [len(test.weights) for test in tests]
    values = np.cumsum([0, *value_counts])
    sets = np.cumsum([0, *set_counts])
    columns = (values[:-1], values[1:], sets[:-1], sets[1:])
    spans = np.stack(columns, axis=1)
    return spans.astype(np.int64)


@inlined
def satisfied(tests: CompiledTests, records: int, counts: Ints) -> bool:
    """Does a class of so many records with these counts of values pass all tests?"""
    if records < tests.least:
        return False
    return counts.size == 0 or shortfall(tests, records, counts) == 0.0


@compiled
def shortfall(tests: CompiledTests, records: int, counts: Ints) -> float:
    """How far confidential values are from what is asked; 0 when they satisfy it."""
    missing = _missing_values(tests, counts)
    missing += _outside_bounds(tests, records, counts)
    missing += _missing_entropy(tests, records, counts)
    missing += _too_far(tests, records, counts)
    return missing


@compiled
def _missing_values(tests: CompiledTests, counts: Ints) -> float:
    missing = 0.0
    for row in range(tests.distinct.shape[0]):
        least = tests.distinct[row, 2]
        for value in range(tests.distinct[row, 0], tests.distinct[row, 1]):
            if counts[value] > 0:
                least -= 1
        # As a share of what is asked, so that columns count alike in a guide.
        missing += max(least, 0) / tests.distinct[row, 2]
    return missing


@compiled
def _outside_bounds(tests: CompiledTests, records: int, counts: Ints) -> float:
    outside = 0.0
    for value in range(counts.size):
        share = counts[value] / records
        above = share - tests.upper[value] - tests.margin
        below = tests.lower[value] - tests.margin - share
        # bounds that nothing can break stay free of the margin
        if above > 0.0 and tests.upper[value] < 1.0:
            outside += above
        if below > 0.0 and tests.lower[value] > 0.0:
            outside += below
    return outside


@compiled
def _missing_entropy(tests: CompiledTests, records: int, counts: Ints) -> float:
    missing = 0.0
    for row in range(tests.entropies.size):
        entropy = 0.0
        for value in range(tests.entropy_spans[row, 0], tests.entropy_spans[row, 1]):
            if counts[value] > 0:
                share = counts[value] / records
                entropy -= share * np.log(share)
        missing += max(tests.entropies[row] - tests.margin - entropy, 0.0)
    return missing


@compiled
def _too_far(tests: CompiledTests, records: int, counts: Ints) -> float:
    excess = 0.0
    sums = tests.sums
    for row in range(tests.most.size):
        first = tests.close_spans[row, 0]
        size = tests.close_spans[row, 1] - first
        for place in range(size):
            value = tests.close_values[first + place]
            # Prefix sums: the share of each run is a difference of two of them.
            sums[place + 1] = sums[place] + counts[value] / records
        distance = 0.0
        for run in range(tests.close_spans[row, 2], tests.close_spans[row, 3]):
            inside = sums[tests.close_sets[run, 1]] - sums[tests.close_sets[run, 0]]
            gap = abs(inside - tests.close_shares[run])
            distance += tests.close_weights[run] * gap
        excess += max(distance - tests.most[row] - tests.margin, 0.0)
    return excess
