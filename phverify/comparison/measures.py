"""When does a class satisfy a criterion?  Terms over the counts of a class and of the
table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from phverify.comparison.domains import Open
from phverify.constraints import terms as t
from phverify.spec.criteria.entropy_l_diversity import compositions
from phverify.spec.criterion.base import EvenCriterion
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
    return t.count((1, t.compare(x, ">", 0)) for x in counts)


# With the number of rows of the class and of the table known


def value_by_value(
    criterion: ValueCriterion, x: t.LinearSum, whole: t.LinearSum, size: int, rows: int
) -> t.Term:
    """A value of which ``x`` rows of the class and ``whole`` rows of the table have
    some, by the plain definition.
    """
    cases = _allowed(criterion, size, rows)
    atom = cache(lambda op, k: t.compare(x, op, k))  # the same ones occur in many cases
    return t.conj(
        t.implies(t.compare(whole, "=", total), within(atom, allowed))
        for total, allowed in cases
    )


@lru_cache(maxsize=4096)
def _allowed(
    criterion: ValueCriterion, size: int, rows: int
) -> tuple[tuple[int, Runs], ...]:
    """For each number of rows of a value in the table, the ranges of rows in the class
    that are fine.
    """
    found = []
    for total in range(1, rows + 1):
        counts = range(max(0, total - (rows - size)), min(size, total) + 1)
        fine = [
            k
            for k in counts
            if criterion.fine(Fraction(total, rows), Fraction(k, size))
        ]
        found.append((total, ranges(fine)))
    return tuple(found)


def ranges(numbers: Iterable[int]) -> Runs:
    """Ascending numbers as (first, last) of their runs."""
    found: list[tuple[int, int]] = []
    for k in numbers:
        if found and found[-1][1] == k - 1:
            found[-1] = (found[-1][0], k)
        else:
            found.append((k, k))
    return tuple(found)


def within(
    atom: Callable[[str, int], t.Term], allowed: Sequence[tuple[int, int]]
) -> t.Term:
    """A number in one of the ranges; ``atom`` compares it."""
    return t.disj(
        atom("=", a) if a == b else t.conj((atom(">=", a), atom("<=", b)))
        for a, b in allowed
    )


def entropy(
    criterion: EvenCriterion, counts: Sequence[t.LinearSum], size: int
) -> t.Term:
    """One of the histograms of high entropy; or none of those of low entropy, where
    they are fewer.
    """
    rich, poor = _histograms(criterion, size, len(counts))
    chosen = rich if len(rich) < len(poor) else poor
    exactly = [[t.compare(x, "=", k) for k in range(size + 1)] for x in counts]
    found = t.disj(
        t.conj(table[k] for table, k in zip(exactly, numbers, strict=True))
        for numbers in chosen
    )
    return found if chosen is rich else t.neg(found)


@lru_cache(maxsize=1024)
def _histograms(
    criterion: EvenCriterion, size: int, values: int
) -> tuple[list[Histogram], ...]:
    if math.comb(size + values - 1, values - 1) > MOST_HISTOGRAMS:
        raise Open(
            f"a class of {size} rows has more than {MOST_HISTOGRAMS} histograms over"
            f" {values} values"
        )
    rich: list[Histogram] = []
    poor: list[Histogram] = []
    for counts in compositions(size, values):
        (rich if criterion.rich(counts) else poor).append(counts)
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
    yield t.implies(
        holds, t.compare(present(counts), ">=", math.ceil(criterion.effective))
    )
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
    return t.disj(share(x, ">", alpha, rows) for x in counts)


def steepest(alpha: Fraction) -> Histogram:
    """The least even distribution with no share above alpha, in whole numbers."""
    full = alpha.denominator // alpha.numerator
    rest = alpha.denominator - full * alpha.numerator
    return (*([alpha.numerator] * full), *([rest] if rest else []))


def _flattest(alpha: Fraction, values: int) -> Histogram:
    """The most even distribution over so many values with a share alpha, in whole
    numbers.
    """
    if values == 1 or alpha == 1:
        return (1,)
    return (
        alpha.numerator * (values - 1),
        *([alpha.denominator - alpha.numerator] * (values - 1)),
    )


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
        low, high = (
            Fraction(math.floor(x * FINE), FINE) for x in log_enclosure(grid, k, 20)
        )
        high += Fraction(1, FINE)
        small = share(u, "<=", a, rows)
        large = t.conj((share(bound, "<=", high, u), share(bound, ">=", a, others)))
        yield t.disj(
            (t.conj((small, share(bound, ">=", low, u))), t.conj((t.neg(small), large)))
        )


@lru_cache(maxsize=256)
def power_enclosure(delta: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above 2^delta, less than 2 / FINE apart.  Raises Open for a
    large delta.
    """
    if delta > 40:
        raise Open(f"2^{delta} is too large")
    top = 2 ** math.ceil(delta)
    low = largest_at_most(lambda x: x == 0 or compare_power2(x, delta) < 0, FINE, top)
    return low, low + Fraction(1, FINE)
