"""Mechanisms with finitely many inputs and outputs: a table of exact probabilities.

An entry is a weight divided by the sum of its row, and weights are sums of c e^q
(``expsum``): that covers every table of rationals, and the Laplace, Gauss and
exponential mechanisms on a grid.  These are *truncated and renormalised*: the density
at the points of the grid, divided by its sum over the grid (Holohan et al., The Bounded
Laplace Mechanism in Differential Privacy).  Renormalising costs privacy: bounded
Laplace with scale b and inputs D apart is in general not (D/b)-private, which
``privacy.least`` shows.  Paper: Anantharaman, Frittella, Nguyen, 2022, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.exact import ZERO
from phverify.mechanisms.enclosure import Ball, bounds, to_digits
from phverify.mechanisms.epsilon import Epsilon, epsilon
from phverify.mechanisms.expsum import (
    NOTHING,
    ONE,
    ExpSum,
    compare,
    constant,
    exponential,
    plain,
    power_form,
    sign,
)
from phverify.mechanisms.written import as_decimals, quoted

Input = Hashable
Output = Hashable
Exact = Fraction | int
T = TypeVar("T")


@dataclass(frozen=True)
class Probability:
    """The exact quotient ``over / under`` of two sums, under > 0."""

    over: ExpSum
    under: ExpSum

    @property
    def zero(self) -> bool:
        """Whether it is 0: a sum in normal form is 0 iff it has no terms."""
        return not self.over.terms

    def rational(self) -> Fraction | None:
        """The value where it is rational, else None."""
        if self.zero:
            return ZERO
        logarithm = power_form(self.over, self.under)
        # e^q is irrational for every rational q but 0 (Lindemann).
        if logarithm is None or logarithm.plain:
            return None
        if logarithm.logs:
            return logarithm.logs[0][1]
        return Fraction(1)

    def enclosure(self, digits: int) -> tuple[Fraction, Fraction]:
        """Rational bounds, for display; about ``digits`` digits."""
        # A few digits more, so that the last one shown is right.
        work = digits + 5

        def quotient() -> Ball:
            over = plain(self.over)
            under = plain(self.under)
            return over / under

        enclosed = to_digits(work, quotient)
        return bounds(enclosed, work)

    def compared(self, other: Probability, level: Epsilon = NOTHING) -> int:
        """The sign of ``self - e^level * other``, exactly.

        Raises BudgetExceeded when the limit on digits does not separate the two.
        """
        return compare(*self.ratio(other), level)

    def ratio(self, other: Probability) -> tuple[ExpSum, ExpSum]:
        """Two sums in the ratio ``self : other``."""
        # One row: the same denominator cancels.
        if self.under == other.under:
            return self.over, other.over
        return self.over * other.under, other.over * self.under

    def __str__(self) -> str:
        value = self.rational()
        if value is None:
            return f"({self.over}) / ({self.under})"
        return str(value)


@dataclass(frozen=True)
class Mechanism:
    """``entries[x][y]`` is the probability of output y on input x; all inputs have the
    same outputs.

    Make one with ``table``, ``randomized_response``, ``laplace``, ``gauss`` or
    ``exponential_mechanism``.
    """

    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    entries: Mapping[Input, Mapping[Output, Probability]]

    def probability(self, value: Input, output: Output) -> Probability:
        """Pr[M(value) = output], exactly.

        Raises InputError when the mechanism has no such input or output.
        """
        row = _entry(self.entries, value, "input")
        return _entry(row, output, "output")


def _entry(entries: Mapping[Hashable, T], name: Hashable, kind: str) -> T:
    """The entry of that name.  Raises InputError when there is none."""
    if name not in entries:
        what = f"{quoted(name)} is no {kind}"
        kinds = f"{kind}s of the mechanism"
        hint = nearest(str(name), entries, kinds)
        raise refusal("mechanism", what, hint)
    return entries[name]


def weighted(
    inputs: Sequence[Input],
    outputs: Sequence[Output],
    weight: Callable[[Input, Output], ExpSum],
) -> Mechanism:
    """Every row in proportion to its weights.

    Raises InputError when an input or output occurs twice, a weight is negative or a
    row has only zeros.
    """
    _distinct(inputs, "input")
    _distinct(outputs, "output")
    entries: dict[Input, Mapping[Output, Probability]] = {}
    problems: Problems = []
    for value in inputs:
        weights = {output: weight(value, output) for output in outputs}
        problems += _negative(value, weights)
        total = _total(weights.values())
        if not total.terms:
            problems.append(
                Problem(
                    f"mechanism, input {quoted(value)}",
                    "no output has a positive probability",
                )
            )
        entries[value] = {
            output: Probability(share, total) for output, share in weights.items()
        }
    if problems:
        raise InputError(problems)
    return Mechanism(tuple(inputs), tuple(outputs), entries)


def _negative(value: Input, weights: Mapping[Output, ExpSum]) -> Problems:
    """What is wrong with the weights of one row."""
    return [
        Problem(
            f"mechanism, input {quoted(value)}, output {quoted(output)}",
            f"the weight {weight} is negative",
        )
        for output, weight in weights.items()
        if sign(weight) < 0
    ]


def _total(weights: Iterable[ExpSum]) -> ExpSum:
    """The sum of many sums, brought to its normal form once."""
    terms: list[tuple[Fraction, Fraction]] = []
    for weight in weights:
        terms += weight.terms
    return ExpSum.of(terms)


def _distinct(names: Sequence[Hashable], kind: str) -> None:
    """Raises InputError for a name that occurs twice, and where there is none."""
    if not names:
        raise refusal("mechanism", f"no {kind}s")
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            raise refusal("mechanism", f"the {kind} {quoted(name)} occurs twice")
        seen.add(name)


def table(rows: Mapping[Input, Mapping[Output, Exact]]) -> Mechanism:
    """A mechanism from its probabilities; an output that a row does not name has
    probability 0 there.

    Raises InputError when a probability is negative or a row does not sum to 1.
    """
    problems: Problems = []
    # A dictionary as a set that keeps the order of first appearance.
    outputs: dict[Output, None] = {}
    for value, row in rows.items():
        outputs |= dict.fromkeys(row)
        total = sum(map(exact, row.values()), ZERO)
        # Exact sums: no tolerance hides a probability that is missing.
        if total != 1:
            problems.append(
                Problem(
                    f"mechanism, input {quoted(value)}",
                    f"the sum is {as_decimals(str(total))}, not 1",
                    "name every output; what happens otherwise is an output too",
                )
            )
    if problems:
        raise InputError(problems)

    def probability(value: Input, output: Output) -> ExpSum:
        row = rows[value]
        share = row.get(output, 0)
        return constant(exact(share))

    return weighted(list(rows), list(outputs), probability)


def randomized_response(values: Sequence[Input], truth: Fraction) -> Mechanism:
    """Reports the true one of k values with probability ``truth``, each other with (1 -
    truth) / (k - 1).

    Two values and truth 3/4 are the paper's RR, which is exactly ln(3)-locally private.
    Raises InputError when there are fewer than two values or ``truth`` is no
    probability.
    """
    truth = exact(truth)
    if len(values) < 2 or not 0 <= truth <= 1:
        what = f"randomized response over {len(values)} values with probability {truth}"
        raise refusal(
            "mechanism", what, "at least two values, and a probability from 0 to 1"
        )
    honest = constant(truth)
    other = constant((1 - truth) / (len(values) - 1))

    def probability(value: Input, output: Output) -> ExpSum:
        if value == output:
            return honest
        return other

    return weighted(values, values, probability)


def laplace(inputs: Sequence[Exact], grid: Sequence[Exact], scale: Exact) -> Mechanism:
    """Bounded Laplace on a grid: weights e^(-|x - y| / scale), renormalised.

    Raises InputError for a scale that is not positive and for numbers that are not
    exact.
    """
    _positive(scale, "scale")
    width = exact(scale)

    def density(value: Input, output: Output) -> ExpSum:
        distance = abs(exact(value) - exact(output))
        exponent = -distance / width
        return exponential(exponent)

    return weighted(inputs, grid, density)


def gauss(inputs: Sequence[Exact], grid: Sequence[Exact], variance: Exact) -> Mechanism:
    """Bounded Gauss on a grid: weights e^(-(x - y)^2 / (2 variance)), renormalised.

    Raises InputError for a variance that is not positive and for numbers that are not
    exact.
    """
    _positive(variance, "variance")
    twice = 2 * exact(variance)

    def density(value: Input, output: Output) -> ExpSum:
        distance = exact(value) - exact(output)
        exponent = -(distance**2) / twice
        return exponential(exponent)

    return weighted(inputs, grid, density)


def exponential_mechanism(
    inputs: Sequence[Input],
    outputs: Sequence[Output],
    utility: Callable[[Input, Output], Exact],
    rate: Epsilon | Exact | str,
) -> Mechanism:
    """Outputs with weights e^(rate * utility), renormalised; the textbook's rate is eps
    / (2 * sensitivity).

    A rate with logarithms (``1/2 ln(4)``) is welcome where every r^(b utility) is
    rational; InputError otherwise.
    """
    level = epsilon(rate)

    def weight(value: Input, output: Output) -> ExpSum:
        score = exact(utility(value, output))
        exponent = level.times(score)
        return _power(exponent)

    return weighted(inputs, outputs, weight)


def _power(level: Epsilon) -> ExpSum:
    """e^level; its logarithms must have whole factors."""
    value = ONE
    for b, r in level.logs:
        if b.denominator != 1:
            hint = (
                "choose a rate without logarithms, or one whose multiples ln(r) have"
                " whole factors"
            )
            weight = as_decimals(f"({r})^({b})")
            raise refusal("mechanism", f"the weight {weight} is not rational", hint)
        value = value * constant(r**b.numerator)
    # what has no logarithm stays an exponent
    return value.shifted(level.plain)


def exact(value: object, where: str = "mechanism") -> Fraction:
    """An exact number.

    Raises InputError for a float: it is not the decimal that it is written as.
    """
    if isinstance(value, int | Fraction):
        return Fraction(value)
    what = f"{value!r} is no exact number"
    hint = "use int or Fraction; 0.1 is a float"
    if isinstance(value, str):
        hint = f"use Fraction({value!r})"
    elif isinstance(value, float) and math.isfinite(value):
        hint = f"a float is not the decimal it shows: use Fraction({str(value)!r})"
    raise refusal(where, what, hint)


def _positive(value: Exact, name: str) -> None:
    if exact(value) <= 0:
        what = f"the {name} is {value}"
        raise refusal("mechanism", what, "it must be positive")
