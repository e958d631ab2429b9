"""Privacy of a mechanism with finite outputs, decided exactly (Anantharaman, Frittella,
Nguyen 2022, Definitions 2-4).

With finitely many outputs, pure eps-privacy of all output *sets* follows from single
outputs: add the inequalities. Every question is ``p <= e^(eps f) p'`` for quotients of
sums of e^q, which ``expsum.compare`` decides; UNDECIDED is left for numbers that differ
so little that the limit on digits is reached.

Slips of the paper, followed here as noted:
 * Definition 2 (ii) asks only pairs of inputs "that lead to the same output".  A pair
   without a common output is then never compared, and a mechanism that publishes its
   input passes with eps = 0.  ``local_privacy`` asks all pairs, as the literature does;
   ``literal=True`` gives the paper's wording.
 * Definition 4 with f = rho, the least distance of two tuples, asks for *equal*
   distributions on any two databases that share a tuple (rho = 0).  Two databases with
   at least two rows each are linked through a third one, so that only constant
   mechanisms satisfy it.  Use ``distances.Columns.matched`` for what Proposition 2
   intends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

from phverify.errors import BudgetExceeded, refusal
from phverify.mechanisms.epsilon import Epsilon, epsilon
from phverify.mechanisms.mechanism import Input, Mechanism, Output, Probability, exact
from phverify.result import Status

Level = Epsilon | Fraction | int | str
Distance = Fraction | int
Adjacency = Callable[[Input, Input], Distance | None]
"""f(D, D'): how far apart two inputs are, at least 0; None where the definition asks
nothing of the pair.
"""
Entry = tuple[Input, Output]
"""A place in the table of probabilities."""


@dataclass(frozen=True)
class Breach:
    """``Pr[M(first) = output] = larger > e^bound * smaller = e^bound Pr[M(second) =
    other]``.

    ``other`` is ``output`` except in Definition 3, where ``second`` is ``first``.
    """

    first: Input
    second: Input
    output: Output
    other: Output
    larger: Probability
    smaller: Probability
    bound: Epsilon

    def __str__(self) -> str:
        left = f"Pr[M({self.first}) = {self.output}] = {self.larger}"
        return (
            f"{left} > e^({self.bound}) * {self.smaller}, where {self.smaller} ="
            f" Pr[M({self.second}) = {self.other}]"
        )


@dataclass(frozen=True)
class Answer:
    """PROVED, REFUTED with the breach, or UNDECIDED with the reason."""

    verdict: Status
    breach: Breach | None = None
    reason: str = ""


def locally_indistinguishable(
    m: Mechanism, first: Input, second: Input, output: Output, eps: Level
) -> Answer:
    """Definition 2 (i): Pr[M(v) = a] <= e^eps Pr[M(v') = a], and conversely."""
    return _alike(m, (first, output), (second, output), checked(eps))


def outputs_indistinguishable(
    m: Mechanism,
    value: Input,
    first: Output,
    second: Output,
    eps: Level,
    distance: Distance = 1,
) -> Answer:
    """Definition 3: Pr[M = a] <= e^(eps * distance) Pr[M = a'] on one input, and
    conversely.

    Example 4 weighs eps with a distance of the two outputs; Definition 3 itself has
    distance 1.
    """
    return _alike(
        m,
        (value, first),
        (value, second),
        checked(eps).times(_distance(distance, first, second)),
    )


def local_privacy(m: Mechanism, eps: Level, literal: bool = False) -> Answer:
    """eps-LDP (Definition 2 (ii)): all pairs of inputs and all outputs; ``literal``:
    pairs that share an output.
    """
    level = checked(eps)
    if not literal:
        with suppress(
            BudgetExceeded
        ):  # two entries too close to order: then ask every pair
            return _decided(
                [_between(m, *_extremes(m, output), level) for output in m.outputs]
            )

    def asked(first: Input, second: Input) -> int | None:
        rows = m.entries[first].values(), m.entries[second].values()
        shared = (p.over.terms and q.over.terms for p, q in zip(*rows, strict=True))
        return 1 if not literal or any(shared) else None

    return private(m, level, asked)


def _extremes(m: Mechanism, output: Output) -> tuple[Entry, Entry]:
    """The likeliest and the least likely input for an output: no other two are further
    apart.
    """
    by_probability = cmp_to_key(
        lambda x, y: m.entries[x][output].compared(m.entries[y][output])
    )
    return (max(m.inputs, key=by_probability), output), (
        min(m.inputs, key=by_probability),
        output,
    )


def private(m: Mechanism, eps: Level, adjacency: Adjacency) -> Answer:
    """Definition 4: Pr[M(D) = a] <= e^(eps f(D, D')) Pr[M(D') = a] for all ordered
    pairs and outputs.

    ``adjacency`` is f: ``neighbours`` for the usual notion, ``hamming``, or any
    function to rationals. Raises InputError when f is negative.
    """
    level = checked(eps)
    pairs = ((x, y, level.times(distance)) for x, y, distance in adjacent(m, adjacency))
    return _decided(
        _between(m, (x, output), (y, output), bound)
        for x, y, bound in pairs
        for output in m.outputs
    )


def adjacent(
    m: Mechanism, adjacency: Adjacency
) -> Iterator[tuple[Input, Input, Fraction]]:
    """All ordered pairs of different inputs of which the definition asks something,
    with their distance.
    """
    for first in m.inputs:
        for second in m.inputs:
            distance = adjacency(first, second) if first != second else None
            if distance is not None:
                yield first, second, _distance(distance, first, second)


def _distance(value: Distance, first: object, second: object) -> Fraction:
    if value < 0:
        raise refusal(
            "adjacency",
            f"the distance of {first!r} and {second!r} is {value}",
            "at least 0",
        )
    return exact(value, "adjacency")


def hamming(first: Input, second: Input) -> int | None:
    """In how many records two databases (sequences of records) differ; None when their
    lengths do.
    """
    if not (isinstance(first, tuple) and isinstance(second, tuple)):
        raise refusal(
            "adjacency", f"{first!r} and {second!r} are not tuples of records"
        )
    if len(first) != len(second):
        return None
    return sum(1 for a, b in zip(first, second, strict=True) if a != b)


def neighbours(first: Input, second: Input) -> int | None:
    """The usual adjacency: Hamming distance, asked only where it is at most 1."""
    distance = hamming(first, second)
    return distance if distance is not None and distance <= 1 else None


def checked(eps: Level) -> Epsilon:
    """The level; InputError when it is negative."""
    level = epsilon(eps)
    if level.sign() < 0:
        raise refusal("epsilon", f"{level} is negative", "eps is at least 0")
    return level


def _between(m: Mechanism, one: Entry, other: Entry, bound: Epsilon) -> Breach:
    """What would be a breach, were the first entry larger than e^bound times the
    other.
    """
    (first, output), (second, beside) = one, other
    return Breach(
        first, second, output, beside, m.probability(*one), m.probability(*other), bound
    )


def _alike(m: Mechanism, one: Entry, other: Entry, level: Epsilon) -> Answer:
    """``p <= e^level p'``, and conversely."""
    return _decided([_between(m, one, other, level), _between(m, other, one, level)])


def _decided(several: Iterable[Breach]) -> Answer:
    """Whether none is a breach: the first that is refutes, whatever else is
    undecided.
    """
    reason = ""
    for one in several:
        try:
            if one.larger.compared(one.smaller, one.bound) > 0:
                return Answer("refuted", one)
        except BudgetExceeded as error:
            reason = (
                f"inputs {one.first!r} and {one.second!r}, output {one.output!r}:"
                f" {error}"
            )
    return Answer("undecided", reason=reason) if reason else Answer("proved")
