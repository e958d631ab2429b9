"""Which pairs of inputs a definition of privacy is about, as a file declares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.errors import InputError, Problem, Problems, nearest
from phverify.mechanisms.mechanism import Input
from phverify.spec.decimals import fraction

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
        # a pair is declared once, and holds both ways
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
    is_list = isinstance(declared, Sequence) and not isinstance(declared, str)
    if not is_list:
        what = f"expected a list of pairs, not {declared!r}"
        problem = Problem(where, what, FORM)
        raise InputError(problem)
    for number, pair in enumerate(declared, start=1):
        place = f"{where}, pair {number}"
        checked = _checked(pair, named, place)
        if isinstance(checked, Problem):
            problems.append(checked)
            continue
        (first, second), distance = checked
        # a pair is declared in both directions at once
        twice = (first, second) in distances or (second, first) in distances
        if twice:
            problem = Problem(place, "is declared twice")
            problems.append(problem)
        distances[first, second] = distance
    if not distances and not problems:
        # No question at all would be PROVED for every epsilon.
        problem = Problem(where, "names no pair", FORM)
        problems.append(problem)
    if problems:
        raise InputError(problems)
    return DeclaredPairs(distances)


def _checked(
    pair: Any, named: Mapping[str, Input], place: str
) -> tuple[Pair, Fraction] | Problem:
    """One declared pair with its distance, or what is wrong with it."""
    if not isinstance(pair, list | tuple) or len(pair) not in (2, 3):
        return Problem(place, f"{pair!r} is no pair of inputs", FORM)
    names = [str(name) for name in pair[:2]]
    for name in names:
        if name not in named:
            what = f"there is no input {name!r}"
            hint = nearest(name, named, "the inputs")
            return Problem(place, what, hint)
    first, second = (named[name] for name in names)
    if first == second:
        return Problem(place, f"{first!s} is paired with itself")
    # a pair without a number is one step apart
    distance: Fraction | None = Fraction(1)
    if len(pair) == 3:
        distance = fraction(pair[2])
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
