"""Which pairs of inputs a definition of privacy is about, as a file declares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.errors import InputError, Problem, Problems, nearest
from phverify.mechanisms.mechanism import Input
from phverify.spec.source import fraction

DIFFERENCE = "difference"
"""The adjacency of metric privacy: two numbers are as far apart as they differ."""
FORM = 'write pairs, such as [["none", "flu"], ["flu", "cold", 2]]'


Pair = tuple[Input, Input]


@dataclass(frozen=True)
class DeclaredPairs:
    """An adjacency: the distance of each declared pair, asked in both directions."""

    distances: Mapping[Pair, Fraction]

    def __call__(self, first: Input, second: Input) -> Fraction | None:
        """The distance of two inputs; None where nothing is asked of them."""
        there = self.distances.get((first, second))
        if there is not None:
            return there
        return self.distances.get((second, first))


def adjacency_of(declared: Any, inputs: Sequence[Input], where: str) -> DeclaredPairs:
    """The adjacency that a file or a caller declares among these inputs.

    Raises InputError with all that is wrong.
    """
    if isinstance(declared, str) and declared == DIFFERENCE:
        return _differences(inputs, where)
    problems: Problems = []
    distances: dict[Pair, Fraction] = {}
    # Inputs may be numbers: a declaration names them by their text.
    named = {str(value): value for value in inputs}
    if not isinstance(declared, Sequence) or isinstance(declared, str):
        what = f"expected a list of pairs, not {declared!r}"
        raise InputError(Problem(where, what, FORM))
    for number, pair in enumerate(declared, start=1):
        place = f"{where}, pair {number}"
        checked = _checked(pair, named, place)
        if isinstance(checked, Problem):
            problems.append(checked)
            continue
        (first, second), distance = checked
        if (first, second) in distances or (second, first) in distances:
            problems.append(Problem(place, "is declared twice"))
        distances[first, second] = distance
    if not distances and not problems:
        # No question at all would be PROVED for every epsilon.
        problems.append(Problem(where, "names no pair", FORM))
    if problems:
        raise InputError(problems)
    return DeclaredPairs(distances)


def _checked(
    pair: Any, named: Mapping[str, Input], place: str
) -> tuple[Pair, Fraction] | Problem:
    """One declared pair with its distance, or what is wrong with it."""
    if not isinstance(pair, list | tuple) or len(pair) not in (2, 3):
        return Problem(place, f"{pair!r} is no pair of inputs", FORM)
    for name in pair[:2]:
        if str(name) not in named:
            hint = nearest(str(name), named, "the inputs")
            return Problem(place, f"there is no input {str(name)!r}", hint)
    first = named[str(pair[0])]
    second = named[str(pair[1])]
    if first == second:
        return Problem(place, f"{first!s} is paired with itself")
    distance = fraction(pair[2]) if len(pair) == 3 else Fraction(1)
    if distance is None or distance < 0:
        return Problem(place, f"the distance {pair[2]!r} is no number of at least 0")
    return (first, second), distance


def _differences(inputs: Sequence[Input], where: str) -> DeclaredPairs:
    """Every pair of inputs, which are numbers, at the distance of their difference."""
    values = {name: fraction(name) for name in inputs}
    distances: dict[Pair, Fraction] = {}
    for place, first in enumerate(inputs):
        for second in inputs[place + 1 :]:
            mine, theirs = values[first], values[second]
            if mine is None or theirs is None:
                word = first if mine is None else second
                what = f"the input {word!s} is no number, and has no difference"
                raise InputError(Problem(where, what, FORM))
            distances[first, second] = abs(mine - theirs)
    return DeclaredPairs(distances)
