"""When does a class satisfy a criterion?  Terms over the counts of a class and of the
table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from phverify.comparison.domains import Undecided
from phverify.constraints import terms as t
from phverify.spec.criteria.entropy_l_diversity import compositions
from phverify.spec.criterion.even import EvenCriterion
from phverify.spec.criterion.value import ValueCriterion
from phverify.spec.logarithms import compare_power2, largest_at_most, log_enclosure
from phverify.symbolic.sums import share

Histogram = tuple[int, ...]
Runs = tuple[tuple[int, int], ...]
"""Numbers as (first, last) of their runs."""
Facts = Iterator[t.Term]

MOST_HISTOGRAMS = 3000
FINE = 10**6
GRID = 32


def present(counts: Iterable[t.LinearSum]) -> t.LinearSum:
    """How many values some row has."""
    occurring = [t.compare(count, ">", 0) for count in counts]
    return t.count((1, some) for some in occurring)


# With the number of rows of the class and of the table known


def value_by_value(
    criterion: ValueCriterion, x: t.LinearSum, whole: t.LinearSum, size: int, rows: int
) -> t.Term:
    """A value of which ``x`` rows of the class and ``whole`` rows of the table have
    some, by the plain definition.
    """

    @cache  # the same atoms occur in many cases
    def atom(op: str, k: int) -> t.Term:
        return t.compare(x, op, k)

    cases: list[t.Term] = []
    for total, allowed in _allowed(criterion, size, rows):
        so_many = t.compare(whole, "=", total)
        cases.append(t.implies(so_many, within(atom, allowed)))
    return t.conj(cases)


@lru_cache(maxsize=4096)
def _allowed(
    criterion: ValueCriterion, size: int, rows: int
) -> tuple[tuple[int, Runs], ...]:
    """For each number of rows of a value in the table, the ranges of rows in the class
    that are fine.
    """
    allowed = []
    other_rows = rows - size
    for total in range(1, rows + 1):
        # what the class has not is among the other rows
        fewest = max(0, total - other_rows)
        most = min(size, total)
        share_of_table = Fraction(total, rows)
        fine: list[int] = []
        for count in range(fewest, most + 1):
            share_of_class = Fraction(count, size)
            if criterion.fine(share_of_table, share_of_class):
                fine.append(count)
        runs = ranges(fine)
        allowed.append((total, runs))
    return tuple(allowed)


def ranges(numbers: Iterable[int]) -> Runs:
    """Ascending numbers as (first, last) of their runs."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        first = number
        if runs and runs[-1][1] == number - 1:
            first, _ = runs.pop()
        runs.append((first, number))
    return tuple(runs)


def within(
    atom: Callable[[str, int], t.Term], allowed: Sequence[tuple[int, int]]
) -> t.Term:
    """A number in one of the ranges; ``atom`` compares it."""
    in_a_range: list[t.Term] = []
    for first, last in allowed:
        if first == last:
            in_a_range.append(atom("=", first))
        else:
            not_below = atom(">=", first)
            not_above = atom("<=", last)
            in_a_range.append(t.conj((not_below, not_above)))
    return t.disj(in_a_range)


def entropy(
    criterion: EvenCriterion, counts: Sequence[t.LinearSum], size: int
) -> t.Term:
    """One of the histograms of high entropy; or none of those of low entropy, where
    they are fewer.
    """
    rich, poor = _histograms(criterion, size, len(counts))
    fewer = rich if len(rich) < len(poor) else poor
    # each "x = k" is built once: it occurs in many histograms
    exactly: list[list[t.Term]] = []
    for x in counts:
        exactly.append([t.compare(x, "=", k) for k in range(size + 1)])
    histograms: list[t.Term] = []
    for numbers in fewer:
        equalities = zip(exactly, numbers, strict=True)
        histograms.append(t.conj(table[k] for table, k in equalities))
    one_of_them = t.disj(histograms)
    if fewer is rich:
        return one_of_them
    return t.neg(one_of_them)


@lru_cache(maxsize=1024)
def _histograms(
    criterion: EvenCriterion, size: int, values: int
) -> tuple[list[Histogram], ...]:
    """The histograms of a class of high entropy, and those of low entropy.

    Raises Undecided when there are too many.
    """
    if math.comb(size + values - 1, values - 1) > MOST_HISTOGRAMS:
        raise Undecided(
            f"a class of {size} rows has more than {MOST_HISTOGRAMS} histograms over"
            f" {values} values"
        )
    rich: list[Histogram] = []
    poor: list[Histogram] = []
    for counts in compositions(size, values):
        kind = rich if criterion.rich(counts) else poor
        kind.append(counts)
    return rich, poor


# With any number of rows


def entropy_facts(
    criterion: EvenCriterion,
    holds: t.Term,
    counts: Sequence[t.LinearSum],
    rows: t.LinearSum,
    alphas: Iterable[Fraction],
) -> Facts:
    """What follows from high entropy (``holds``), and from low entropy.

    - Entropy at least log l takes at least l values, since it is at most the log of
      their number.
    - Where it equals the log of their number, all shares are equal.
    - A largest share of at most a makes the shares majorized by (a, .., a, rest), and
      entropy is Schur-concave: if that vector has high entropy, so has the class.
    - Some share of a or more makes entropy at most that of (a, (1 - a)/(m - 1), ..) for
      a >= 1/m (Fano), which falls with a: if that vector has low entropy, so has the
      class.
    """
    values = len(counts)
    fewest = math.ceil(criterion.effective)
    yield t.implies(holds, t.compare(present(counts), ">=", fewest))
    if criterion.effective == values:
        yield t.implies(holds, t.conj(t.compare(values * x, "=", rows) for x in counts))
    for alpha in alphas:
        if not 0 < alpha <= 1:
            continue
        if criterion.rich(steepest(alpha)):
            yield t.disj((holds, above(alpha, counts, rows)))
        if alpha * values >= 1 and not criterion.rich(_flattest(alpha, values)):
            yield t.implies(holds, t.conj(share(x, "<", alpha, rows) for x in counts))


def above(alpha: Fraction, counts: Iterable[t.LinearSum], rows: t.LinearSum) -> t.Term:
    """Some value has a share of more than alpha."""
    larger = [share(count, ">", alpha, rows) for count in counts]
    return t.disj(larger)


def steepest(alpha: Fraction) -> Histogram:
    """The least even distribution with no share above alpha, in whole numbers."""
    full, rest = divmod(alpha.denominator, alpha.numerator)
    counts = [alpha.numerator] * full
    if rest:
        counts.append(rest)
    return tuple(counts)


def _flattest(alpha: Fraction, values: int) -> Histogram:
    """The most even distribution over so many values with a share alpha, in whole
    numbers.
    """
    if values == 1 or alpha == 1:
        return (1,)
    others = values - 1
    frequent = alpha.numerator * others
    rest = alpha.denominator - alpha.numerator
    all_others = [rest] * others
    return (frequent, *all_others)


def minus_log_facts(
    bound: t.LinearSum, u: t.LinearSum, rows: t.LinearSum, grid: int
) -> Facts:
    """What is known of ``bound`` = u (-ln p), where p = u / rows: bounds on -ln p
    between points.

    -ln p falls with p, and 1 - p <= -ln p <= 1/p - 1.
    """
    others = rows - u
    yield t.compare(bound, ">=", 0)
    yield t.compare(bound, "<=", others)
    yield t.implies(t.compare(u, "=", rows), t.compare(bound, "=", 0))
    for k in range(1, grid):
        a = Fraction(k, grid)
        # -ln a is between these two, rounded outwards
        below, above_it = log_enclosure(grid, k, 20)
        low = Fraction(math.floor(below * FINE), FINE)
        high = Fraction(math.floor(above_it * FINE) + 1, FINE)
        small = share(u, "<=", a, rows)
        where_small = t.conj((small, share(bound, ">=", low, u)))
        large = t.conj((share(bound, "<=", high, u), share(bound, ">=", a, others)))
        yield t.disj((where_small, t.conj((t.neg(small), large))))


@lru_cache(maxsize=256)
def power_enclosure(delta: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above 2^delta, less than 2 / FINE apart.

    Raises Undecided for a large delta.
    """
    if delta > 40:
        raise Undecided(f"2^{delta} is too large")
    exponent = math.ceil(delta)
    top = 2**exponent

    def below(x: Fraction) -> bool:
        return x == 0 or compare_power2(x, delta) < 0

    low = largest_at_most(below, FINE, top)
    step = Fraction(1, FINE)
    high = low + step
    return low, high
