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

from collections.abc import Iterator
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
    for found in chain(_plainly(parts, guess, truth), _proposed(parts, guess, truth)):
        if proves(found, guess, truth):
            return found
    answer = exact_answer(parts, deadline)
    found = answer if isinstance(answer, Plan) else priced(parts, answer, guess, truth)
    if not proves(found, guess, truth):
        raise Defect("Definition 14 was answered with a proof that does not hold")
    return found


def _plainly(
    parts: tuple[PlanPart, ...], guess: Guess, truth: Guess
) -> Iterator[Plan | Farkas]:
    """The cases that need no search: the truth itself, a possible record left out, one
    true record.
    """
    if all(part.truth == part.guess for part in parts):
        yield Plan(parts, tuple(part.truth for part in parts), {})
    left_out = [r for part in parts if not part.guess for r in part.records]
    if left_out:  # Proposition 16
        yield farkas({r: Fraction(-1) for r in left_out}, guess, truth)
    true, *more = (i for i, part in enumerate(parts) if part.truth)
    if (
        not more and parts[true].truth == 1
    ):  # Proposition 18: it must have the highest share, and that is enough
        best, own = max(parts, key=lambda part: part.guess), parts[true]
        cells = {(true, j): part.guess for j, part in enumerate(parts) if j != true}
        yield Plan(
            parts, tuple(part.guess if part == own else ZERO for part in parts), cells
        )
        yield farkas(
            {best.records[0]: Fraction(1), own.records[0]: Fraction(-1)}, guess, truth
        )


def _proposed(
    parts: tuple[PlanPart, ...], guess: Guess, truth: Guess
) -> Iterator[Plan | Farkas]:
    """What the float proposals come to when they are made exact; the caller stops at
    the first one that is a proof.
    """
    shares, sizes = (
        [(part.truth, part.guess) for part in parts],
        [len(part.records) for part in parts],
    )
    true, guessed = np.array(shares, dtype=float).T
    shape = PlanShape(
        true,
        guessed,
        np.array(sizes, dtype=float),
        np.flatnonzero([bool(part.truth) for part in parts]),
    )
    point = None
    for point in proposal(shape):
        if (draft := inside(shape, point)) and (
            plan := exact_plan(parts, shape, draft)
        ):
            yield plan
        for costs in integer_prices(shape, point):  # the shortest that prove it
            yield priced(parts, costs, guess, truth)
    if point and (plan := exact_plan(parts, shape, on_the_face(shape, point))):
        yield plan
