"""Privacy of a mechanism with finite outputs, decided exactly (Anantharaman, Frittella, Nguyen 2022, Definitions 2-4).

With finitely many outputs, pure eps-privacy of all output *sets* follows from single outputs: add the inequalities.
Every question is ``p <= e^(eps f) p'`` for quotients of sums of e^q, which ``expsum.compare`` decides; UNDECIDED is
left for numbers that differ so little that the limit on digits is reached.

Slips of the paper, followed here as noted:
 * Definition 2 (ii) asks only pairs of inputs "that lead to the same output".  A pair without a common output is then
   never compared, and a mechanism that publishes its input passes with eps = 0.  ``local_privacy`` asks all pairs,
   as the literature does; ``literal=True`` gives the paper's wording.
 * Definition 4 with f = rho, the least distance of two tuples, asks for *equal* distributions on any two databases
   that share a tuple (rho = 0).  Two databases with at least two rows each are linked through a third one, so that
   only constant mechanisms satisfy it.  Use ``distances.Columns.matched`` for what Proposition 2 intends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import BudgetExceeded, refusal
from phverify.mechanisms.epsilon import Epsilon, epsilon
from phverify.mechanisms.expsum import NOTHING, ONE, ExpSum, compare
from phverify.mechanisms.mechanism import Input, Mechanism, Output, Probability
from phverify.result import Status

Level = Epsilon | Fraction | int | str
Adjacency = Callable[[Input, Input], Fraction | int | None]
"""f(D, D'): how far apart two inputs are, at least 0; None where the definition asks nothing of the pair."""


@dataclass(frozen=True)
class Breach:
    """``Pr[M(first) = output] = larger > e^bound * smaller = e^bound Pr[M(second) = other]``.

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
        return f"{left} > e^({self.bound}) * {self.smaller}, where {self.smaller} = Pr[M({self.second}) = {self.other}]"


@dataclass(frozen=True)
class Answer:
    """PROVED, REFUTED with the breach, or UNDECIDED with the reason."""

    verdict: Status
    breach: Breach | None = None
    reason: str = ""


def locally_indistinguishable(m: Mechanism, first: Input, second: Input, output: Output, eps: Level) -> Answer:
    """Definition 2 (i): Pr[M(v) = a] <= e^eps Pr[M(v') = a], and conversely."""
    i, k, j = m.row(first), m.row(second), m.column(output)
    return _all(m, [(i, j, k, j), (k, j, i, j)], checked(eps))


def outputs_indistinguishable(
    m: Mechanism, value: Input, first: Output, second: Output, eps: Level, distance: Fraction | int = 1
) -> Answer:
    """Definition 3: Pr[M = a] <= e^(eps * distance) Pr[M = a'] on one input, and conversely.

    Example 4 weighs eps with a distance of the two outputs; Definition 3 itself has distance 1.
    """
    i, j, k = m.row(value), m.column(first), m.column(second)
    return _all(m, [(i, j, i, k), (i, k, i, j)], checked(eps).times(_distance(distance, first, second)))


def local_privacy(m: Mechanism, eps: Level, literal: bool = False) -> Answer:
    """eps-LDP (Definition 2 (ii)): all pairs of inputs and all outputs; ``literal``: pairs that share an output."""
    level, rows = checked(eps), range(len(m.inputs))
    if not literal:
        try:
            return _all(m, list(_extremes(m)), level)
        except BudgetExceeded:  # two entries too close to order: then ask every pair
            pass
    pairs = [(i, k) for i in rows for k in rows if i != k and (not literal or _share(m, i, k))]
    return _all(m, ((i, j, k, j) for i, k in pairs for j in range(len(m.outputs))), level)


def _share(m: Mechanism, i: int, k: int) -> bool:
    return any(a.terms and b.terms for a, b in zip(m.weights[i], m.weights[k], strict=True))


def _extremes(m: Mechanism) -> Iterator[tuple[int, int, int, int]]:
    """For each output its likeliest and its least likely input: no other pair is further apart."""
    for j in range(len(m.outputs)):
        most = least = 0
        for i in range(1, len(m.inputs)):
            most = i if difference(m, (i, j, most, j)) > 0 else most
            least = i if difference(m, (i, j, least, j)) < 0 else least
        yield most, j, least, j


def private(m: Mechanism, eps: Level, adjacency: Adjacency) -> Answer:
    """Definition 4: Pr[M(D) = a] <= e^(eps f(D, D')) Pr[M(D') = a] for all ordered pairs and outputs.

    ``adjacency`` is f: ``neighbours`` for the usual notion, ``hamming``, or any function to rationals.
    Raises InputError when f is negative.
    """
    level, outputs = checked(eps), range(len(m.outputs))
    pairs = ((i, k, level.times(distance)) for i, k, distance in adjacent(m, adjacency))
    return _decided(m, (((i, j, k, j), bound) for i, k, bound in pairs for j in outputs))


def adjacent(m: Mechanism, adjacency: Adjacency) -> Iterator[tuple[int, int, Fraction]]:
    """All ordered pairs of different inputs of which the definition asks something, with their distance."""
    for i, first in enumerate(m.inputs):
        for k, second in enumerate(m.inputs):
            distance = adjacency(first, second) if i != k else None
            if distance is not None:
                yield i, k, _distance(distance, first, second)


def _distance(value: Fraction | int, first: object, second: object) -> Fraction:
    if value < 0:
        raise refusal("adjacency", f"the distance of {first!r} and {second!r} is {value}", "at least 0")
    return Fraction(value)


def hamming(first: Input, second: Input) -> int | None:
    """In how many records two databases (sequences of records) differ; None when their lengths do."""
    if not (isinstance(first, tuple) and isinstance(second, tuple)):
        raise refusal("adjacency", f"{first!r} and {second!r} are not tuples of records")
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
    if order(level, NOTHING) < 0:
        raise refusal("epsilon", f"{level} is negative", "eps is at least 0")
    return level


def order(first: Epsilon, second: Epsilon) -> int:
    """The sign of ``first - second``, exactly."""
    return compare(ONE, ONE, second - first)  # 1 - e^(second - first)


_Pair = tuple[int, int, int, int]  # input and output of the one entry, then of the other


def _all(m: Mechanism, pairs: Iterable[_Pair], level: Epsilon) -> Answer:
    """``p <= e^level p'`` for all pairs of entries."""
    return _decided(m, ((pair, level) for pair in pairs))


def _decided(m: Mechanism, questions: Iterable[tuple[_Pair, Epsilon]]) -> Answer:
    """The same with a level for each pair: the first that fails refutes, whatever else is undecided."""
    reason = ""
    for pair, level in questions:
        try:
            if difference(m, pair, level) > 0:
                return Answer("refuted", _breach(m, pair, level))
        except BudgetExceeded as error:
            i, j, k, _ = pair
            reason = f"inputs {m.inputs[i]!r} and {m.inputs[k]!r}, output {m.outputs[j]!r}: {error}"
    return Answer("undecided", reason=reason) if reason else Answer("proved")


def _breach(m: Mechanism, pair: _Pair, level: Epsilon) -> Breach:
    i, j, k, n = pair
    names = (m.inputs[i], m.inputs[k], m.outputs[j], m.outputs[n])
    return Breach(*names, m.entry(i, j), m.entry(k, n), level)


def difference(m: Mechanism, pair: _Pair, level: Epsilon = NOTHING) -> int:
    """The sign of ``p - e^level p'`` for two entries of the table, each given by input and output."""
    left, right = sides(m, pair)
    return compare(left, right, level)


def sides(m: Mechanism, pair: _Pair) -> tuple[ExpSum, ExpSum]:
    """Two sums in the ratio ``p : p'`` of two entries."""
    i, j, k, n = pair
    if m.totals[i] == m.totals[k]:
        return m.weights[i][j], m.weights[k][n]
    return m.weights[i][j] * m.totals[k], m.weights[k][n] * m.totals[i]
