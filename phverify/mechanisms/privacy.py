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
from phverify.mechanisms.mechanism import (
    Input,
    Mechanism,
    Output,
    Probability,
    exact,
)
from phverify.mechanisms.written import quoted
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

    @property
    def holds(self) -> bool:
        """Whether the inequality is true.

        Raises BudgetExceeded when the two sides are too close to be told apart.
        """
        return self.larger.compared(self.smaller, self.bound) > 0

    def __str__(self) -> str:
        there = f"Pr[M({self.first}) = {self.output}]"
        here = f"Pr[M({self.second}) = {self.other}]"
        inequality = f"{self.larger} > e^({self.bound}) * {self.smaller}"
        return f"{there} = {inequality}, where {self.smaller} = {here}"


@dataclass(frozen=True)
class PrivacyAnswer:
    """PROVED, REFUTED with the breach, or UNDECIDED with the reason."""

    verdict: Status
    breach: Breach | None = None
    reason: str = ""


def locally_indistinguishable(
    m: Mechanism, first: Input, second: Input, output: Output, eps: Level
) -> PrivacyAnswer:
    """Definition 2 (i): Pr[M(v) = a] <= e^eps Pr[M(v') = a], and conversely.

    Raises InputError for a negative level and for names that the mechanism has not.
    """
    level = checked(eps)
    one = first, output
    other = second, output
    return _alike(m, one, other, level)


def outputs_indistinguishable(
    m: Mechanism,
    value: Input,
    first: Output,
    second: Output,
    eps: Level,
    distance: Distance = 1,
) -> PrivacyAnswer:
    """Definition 3: Pr[M = a] <= e^(eps * distance) Pr[M = a'] on one input, and
    conversely.

    Example 4 weighs eps with a distance of the two outputs; Definition 3 itself has
    distance 1.  Raises InputError for a negative level or distance.
    """
    level = checked(eps)
    factor = _distance(distance, first, second)
    bound = level.times(factor)
    one = value, first
    other = value, second
    return _alike(m, one, other, bound)


def local_privacy(m: Mechanism, eps: Level, literal: bool = False) -> PrivacyAnswer:
    """eps-LDP (Definition 2 (ii)): all pairs of inputs and all outputs.

    ``literal`` asks only pairs that share an output.  Raises InputError for a negative
    level.
    """
    level = checked(eps)
    if not literal:
        # Two entries may be too close to order: then every pair is asked below.
        with suppress(BudgetExceeded):
            suspects = []
            for output in m.outputs:
                # If these two satisfy the definition, all others between them do.
                largest, smallest = extremes(m, output)
                suspects.append(_suspect(m, largest, smallest, level))
            return _decided(suspects)

    def asked(first: Input, second: Input) -> int | None:
        if not literal:
            return 1
        shared = (
            not m.entries[first][output].zero and not m.entries[second][output].zero
            for output in m.outputs
        )
        if any(shared):
            return 1
        return None

    return private(m, level, asked)


def extremes(m: Mechanism, output: Output) -> tuple[Entry, Entry]:
    """The likeliest and the least likely input for an output, each with the output.

    No other two are further apart.  Raises BudgetExceeded when two entries are too
    close to be ordered.
    """

    def order(one: Input, other: Input) -> int:
        mine = m.entries[one][output]
        theirs = m.entries[other][output]
        return mine.compared(theirs)

    by_probability = cmp_to_key(order)
    largest = max(m.inputs, key=by_probability)
    smallest = min(m.inputs, key=by_probability)
    return (largest, output), (smallest, output)


def private(m: Mechanism, eps: Level, adjacency: Adjacency) -> PrivacyAnswer:
    """Definition 4: Pr[M(D) = a] <= e^(eps f(D, D')) Pr[M(D') = a] for all ordered
    pairs and outputs.

    ``adjacency`` is f: ``neighbours`` for the usual notion, ``hamming``, or any
    function to rationals. Raises InputError when f or the level is negative.
    """
    level = checked(eps)

    def suspects() -> Iterator[Breach]:
        pairs = adjacent(m, adjacency)
        for first, second, distance in pairs:
            bound = level.times(distance)
            for output in m.outputs:
                one = first, output
                other = second, output
                yield _suspect(m, one, other, bound)

    return _decided(suspects())


def adjacent(
    m: Mechanism, adjacency: Adjacency
) -> Iterator[tuple[Input, Input, Fraction]]:
    """All ordered pairs of different inputs of which the definition asks something,
    with their distance.
    """
    for first in m.inputs:
        for second in m.inputs:
            if first == second:
                continue
            distance = adjacency(first, second)
            if distance is not None:
                yield first, second, _distance(distance, first, second)


def _distance(value: Distance, first: object, second: object) -> Fraction:
    """The distance as a fraction.  Raises InputError when it is negative."""
    if value < 0:
        raise refusal(
            "adjacency",
            f"the distance of {quoted(first)} and {quoted(second)} is {value}",
            "at least 0",
        )
    return exact(value, "adjacency")


def hamming(first: Input, second: Input) -> int | None:
    """In how many records two databases (sequences of records) differ; None when their
    lengths do.

    Raises InputError for what is no tuple of records.
    """
    # A text is a sequence, too, and its letters are no records.
    if not (isinstance(first, tuple) and isinstance(second, tuple)):
        what = f"{first!r} and {second!r} are not tuples of records"
        raise refusal("adjacency", what)
    if len(first) != len(second):
        return None
    pairs = zip(first, second, strict=True)
    different = [one for one, other in pairs if one != other]
    return len(different)


def neighbours(first: Input, second: Input) -> int | None:
    """The usual adjacency: Hamming distance, asked only where it is at most 1."""
    distance = hamming(first, second)
    if distance is None or distance > 1:
        return None
    return distance


def checked(eps: Level) -> Epsilon:
    """The level; InputError when it is negative."""
    level = epsilon(eps)
    if level.sign() < 0:
        raise refusal("epsilon", f"{level} is negative", "eps is at least 0")
    return level


def _suspect(m: Mechanism, one: Entry, other: Entry, bound: Epsilon) -> Breach:
    """What would be a breach, were the first entry larger than e^bound times the
    other.
    """
    first, output = one
    second, beside = other
    return Breach(
        first, second, output, beside, m.probability(*one), m.probability(*other), bound
    )


def _alike(m: Mechanism, one: Entry, other: Entry, level: Epsilon) -> PrivacyAnswer:
    """``p <= e^level p'``, and conversely."""
    there = _suspect(m, one, other, level)
    back = _suspect(m, other, one, level)
    return _decided([there, back])


def _decided(suspects: Iterable[Breach]) -> PrivacyAnswer:
    """Whether none of them is a breach.

    The first that is refutes, whatever else is undecided.
    """
    # an undecided pair does not end the search: a later one may refute
    reason = ""
    for suspect in suspects:
        try:
            if suspect.holds:
                return PrivacyAnswer("refuted", suspect)
        except BudgetExceeded as error:
            inputs = f"inputs {quoted(suspect.first)} and {quoted(suspect.second)}"
            reason = f"{inputs}, output {quoted(suspect.output)}: {error}"
    if reason:
        return PrivacyAnswer("undecided", reason=reason)
    return PrivacyAnswer("proved")
