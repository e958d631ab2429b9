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
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from phverify.errors import InputError, Problem, nearest, refusal
from phverify.exact import ZERO
from phverify.mechanisms.enclosure import bounds, to_digits
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

Input = Hashable
Output = Hashable
Exact = Fraction | int
T = TypeVar("T")


@dataclass(frozen=True)
class Probability:
    """The exact quotient ``over / under`` of two sums, under > 0."""

    over: ExpSum
    under: ExpSum

    def rational(self) -> Fraction | None:
        """The value where it is rational, else None."""
        if not self.over.terms:
            return ZERO
        form = power_form(self.over, self.under)
        if form is None or form.plain:
            return None
        return form.logs[0][1] if form.logs else Fraction(1)

    def enclosure(self, digits: int) -> tuple[Fraction, Fraction]:
        """Rational bounds, for display; about ``digits`` digits."""
        return bounds(
            to_digits(digits + 5, lambda: plain(self.over) / plain(self.under)),
            digits + 5,
        )

    def compared(self, other: Probability, level: Epsilon = NOTHING) -> int:
        """The sign of ``self - e^level * other``."""
        return compare(*self.ratio(other), level)

    def ratio(self, other: Probability) -> tuple[ExpSum, ExpSum]:
        """Two sums in the ratio ``self : other``."""
        if self.under == other.under:
            return self.over, other.over
        return self.over * other.under, other.over * self.under

    def __str__(self) -> str:
        value = self.rational()
        return str(value) if value is not None else f"({self.over}) / ({self.under})"


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
        """Pr[M(value) = output], exactly.  InputError when the mechanism does not have
        them.
        """
        return _found(_found(self.entries, value, "input"), output, "output")


def _found(several: Mapping[Hashable, T], name: Hashable, kind: str) -> T:
    if name not in several:
        raise refusal(
            "mechanism",
            f"{name!r} is no {kind}",
            nearest(str(name), several, f"{kind}s of the mechanism"),
        )
    return several[name]


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
    entries, problems = {}, []
    for x in inputs:
        weights = {y: weight(x, y) for y in outputs}
        negative = [(y, w) for y, w in weights.items() if sign(w) < 0]
        problems += [
            Problem(
                f"mechanism, input {x!r}, output {y!r}", f"the weight {w} is negative"
            )
            for y, w in negative
        ]
        total = ExpSum.of(term for w in weights.values() for term in w.terms)
        if not total.terms:
            problems.append(
                Problem(
                    f"mechanism, input {x!r}", "no output has a positive probability"
                )
            )
        entries[x] = {y: Probability(w, total) for y, w in weights.items()}
    if problems:
        raise InputError(problems)
    return Mechanism(tuple(inputs), tuple(outputs), entries)


def _distinct(names: Sequence[Hashable], kind: str) -> None:
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice or not names:
        raise refusal(
            "mechanism",
            f"the {kind} {twice[0]!r} occurs twice" if twice else f"no {kind}s",
        )


def table(rows: Mapping[Input, Mapping[Output, Exact]]) -> Mechanism:
    """A mechanism from its probabilities; an output that a row does not name has
    probability 0 there.

    Raises InputError when a probability is negative or a row does not sum to 1.
    """
    outputs = list(dict.fromkeys(output for row in rows.values() for output in row))
    wrong = {x: sum(map(exact, row.values()), ZERO) for x, row in rows.items()}
    hint = "name every output; what happens otherwise is an output too"
    problems = [
        Problem(f"mechanism, input {x!r}", f"the sum is {s}, not 1", hint)
        for x, s in wrong.items()
        if s != 1
    ]
    if problems:
        raise InputError(problems)
    return weighted(
        list(rows), outputs, lambda x, y: constant(exact(rows[x].get(y, 0)))
    )


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
    other = constant((1 - truth) / (len(values) - 1))
    return weighted(values, values, lambda x, y: constant(truth) if x == y else other)


def laplace(inputs: Sequence[Exact], grid: Sequence[Exact], scale: Exact) -> Mechanism:
    """Bounded Laplace on a grid: weights e^(-|x - y| / scale), renormalised."""
    _positive(scale, "scale")
    return weighted(
        inputs,
        grid,
        lambda x, y: exponential(-abs(exact(x) - exact(y)) / exact(scale)),
    )


def gauss(inputs: Sequence[Exact], grid: Sequence[Exact], variance: Exact) -> Mechanism:
    """Bounded Gauss on a grid: weights e^(-(x - y)^2 / (2 variance)), renormalised."""
    _positive(variance, "variance")
    return weighted(
        inputs,
        grid,
        lambda x, y: exponential(-((exact(x) - exact(y)) ** 2) / (2 * exact(variance))),
    )


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
    return weighted(
        inputs, outputs, lambda x, y: _power(level.times(exact(utility(x, y))))
    )


def _power(level: Epsilon) -> ExpSum:
    """e^level; its logarithms must have whole factors."""
    value = ONE
    for b, r in level.logs:
        if b.denominator != 1:
            hint = (
                "choose a rate without logarithms, or one whose multiples ln(r) have"
                " whole factors"
            )
            raise refusal("mechanism", f"the weight ({r})^({b}) is not rational", hint)
        value = value * constant(r**b.numerator)
    return value.shifted(level.plain)


def exact(value: object, where: str = "mechanism") -> Fraction:
    """An exact number.  Raises InputError for a float: it is not the decimal that it
    is written as.
    """
    if isinstance(value, int | Fraction):
        return Fraction(value)
    hint = "use int or Fraction; 0.1 is a float"
    if isinstance(value, float) and math.isfinite(value):
        hint = f"a float is not the decimal it shows: use Fraction({str(value)!r})"
    raise refusal(where, f"{value!r} is no exact number", hint)


def _positive(value: Exact, name: str) -> None:
    if exact(value) <= 0:
        raise refusal("mechanism", f"the {name} is {value}", "it must be positive")
