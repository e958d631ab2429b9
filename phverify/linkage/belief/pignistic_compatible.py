"""Definition 14: is a guess P' the pignistic distribution of a belief function that is
compatible with the truth P?

``sound`` answers with a plan F (``plans``: the theorem, and why records are merged) or
with prices that show that no plan exists; both are checked in fractions by functions
that share nothing with the search.  An interior point method in floats proposes
(``interior``), ``rounding`` makes the proposal exact, and where that does not settle
the question, on the edge of what is sound, Z3 decides the linear program exactly
(``linear``).  No float reaches a verdict.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import chain

import numpy as np

from phverify.budget import Deadline
from phverify.errors import Defect
from phverify.exact import ZERO
from phverify.linkage.belief.interior import PlanShape, proposal
from phverify.linkage.belief.linear_program import exact_answer
from phverify.linkage.belief.plans import (
    Farkas,
    Guess,
    Plan,
    PlanPart,
    check_farkas,
    check_plan,
    farkas,
    parts_of,
    priced,
    proves,
)
from phverify.linkage.belief.rounding import (
    exact_plan,
    inside,
    integer_prices,
    on_the_face,
)

__all__ = ["Farkas", "Guess", "Plan", "PlanPart", "check_farkas", "check_plan", "sound"]


def sound(
    guess: Guess, truth: Guess, deadline: Deadline | None = None
) -> Plan | Farkas:
    """Whether the guess is compatible with the truth (Definition 14), with its proof or
    its witness, checked.

    Both are exact probabilities by record (any keys that hash; a record that is left
    out has 0).  Raises InputError where they are none, and BudgetExceeded when the
    deadline passes before either answer is proved.
    """
    parts = parts_of(guess, truth)
    plain_cases = _plainly(parts, guess, truth)
    searched = _proposed(parts, guess, truth)
    # both are generators: nothing is searched for where a plain case answers
    proposals = chain(plain_cases, searched)
    for proposed in proposals:
        if proves(proposed, guess, truth):
            return proposed

    proof: Plan | Farkas | list[Fraction] = exact_answer(parts, deadline)
    if isinstance(proof, list):
        proof = priced(parts, proof, guess, truth)
    if not proves(proof, guess, truth):
        raise Defect("Definition 14 was answered with a proof that does not hold")

    return proof


def _plainly(
    parts: tuple[PlanPart, ...], guess: Guess, truth: Guess
) -> Iterator[Plan | Farkas]:
    """The cases that need no search: the truth itself, a possible record left out, one
    true record.
    """
    if all(part.truth == part.guess for part in parts):
        yield Plan(parts, tuple(part.truth for part in parts), {})
    left_out: list[Hashable] = []
    for part in parts:
        if not part.guess:
            left_out += part.records

    if left_out:  # Proposition 16
        yield farkas(dict.fromkeys(left_out, Fraction(-1)), guess, truth)
    true, *more = (i for i, part in enumerate(parts) if part.truth)
    own = parts[true]
    # Proposition 18: one true record must have the highest share, and that is enough
    if not more and own.truth == 1:
        best = max(parts, key=lambda part: part.guess)
        diagonal = tuple(part.guess if part == own else ZERO for part in parts)
        cells = {(true, j): part.guess for j, part in enumerate(parts) if j != true}
        yield Plan(parts, diagonal, cells)
        prices = {best.records[0]: Fraction(1), own.records[0]: Fraction(-1)}
        yield farkas(prices, guess, truth)


def _proposed(
    parts: tuple[PlanPart, ...], guess: Guess, truth: Guess
) -> Iterator[Plan | Farkas]:
    """What the float proposals come to when they are made exact; the caller stops at
    the first one that is a proof.
    """
    shape = _shape(parts)
    point = None
    for point in proposal(shape):
        draft = inside(shape, point)
        plan = exact_plan(parts, shape, draft) if draft else None
        if plan:
            yield plan
        # the shortest prices that prove it come first
        for costs in integer_prices(shape, point):
            yield priced(parts, costs, guess, truth)

    if point:
        plan = exact_plan(parts, shape, on_the_face(shape, point))
        if plan:
            yield plan


def _shape(parts: tuple[PlanPart, ...]) -> PlanShape:
    """The question in floats."""
    truth = np.array([part.truth for part in parts], dtype=float)
    guess = np.array([part.guess for part in parts], dtype=float)
    sizes = np.array([len(part.records) for part in parts], dtype=float)
    possible = np.flatnonzero([bool(part.truth) for part in parts])
    return PlanShape(truth, guess, sizes, possible)
