"""Definition 14: is a guess P' the pignistic distribution of a belief function that is compatible with the truth P?

``sound`` answers with a plan F (``plans``: the theorem, and why records are merged) or with prices that show that no
plan exists; both are checked in fractions by functions that share nothing with the search.  An interior point method
in floats proposes (``interior``), ``rounding`` makes the proposal exact, and where that does not settle the question,
on the edge of what is sound, Z3 decides the linear program exactly (``linear``).  No float reaches a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from phverify.budget import Deadline
from phverify.errors import Defect
from phverify.exact import ZERO
from phverify.linkage.belief.interior import Shape, proposal
from phverify.linkage.belief.linear import exact_answer
from phverify.linkage.belief.plans import Farkas, Guess, Part, Plan, check_farkas, check_plan, farkas, parts_of, priced
from phverify.linkage.belief.rounding import Draft, exact_plan, inside, integer_prices, on_the_face

__all__ = ["Farkas", "Guess", "Part", "Plan", "check_farkas", "check_plan", "sound"]


@dataclass(frozen=True)
class _Checked:
    """A plan that ``check_plan`` has accepted."""

    plan: Plan


def sound(guess: Guess, truth: Guess, deadline: Deadline | None = None) -> Plan | Farkas:
    """Whether the guess is compatible with the truth (Definition 14), with its proof or its witness, re-checked.

    Both are exact probabilities by record (any keys that hash; a record that is left out has 0).  Raises InputError
    where they are none, and BudgetExceeded when the deadline passes before either answer is proved.
    """
    parts = parts_of(guess, truth)
    found = _plainly(parts, guess, truth) or _proposed(parts, guess, truth)
    if found is None:
        answer = exact_answer(parts, deadline)
        found = answer if isinstance(answer, Plan) else priced(parts, answer, guess, truth)
    if isinstance(found, _Checked):
        return found.plan
    if not (check_plan(found, guess, truth) if isinstance(found, Plan) else check_farkas(found, guess, truth)):
        raise Defect("Definition 14 was answered with a proof that does not hold")
    return found


def _plainly(parts: tuple[Part, ...], guess: Guess, truth: Guess) -> Plan | Farkas | None:
    """The cases that need no search: the truth itself, a possible record left out, one true record."""
    if all(part.truth == part.guess for part in parts):
        return Plan(parts, tuple(part.truth for part in parts), {})
    left_out = [r for part in parts if not part.guess for r in part.records]
    if left_out:  # Proposition 16
        return farkas({r: Fraction(-1) for r in left_out}, guess, truth)
    true = [i for i, part in enumerate(parts) if part.truth]
    if len(true) > 1 or parts[true[0]].truth < 1:
        return None
    return _one_true_record(parts, true[0], guess, truth)


def _one_true_record(parts: tuple[Part, ...], true: int, guess: Guess, truth: Guess) -> Plan | Farkas:
    """Proposition 18: a record that is surely the true one must have the highest share, and that is enough."""
    best = max(parts, key=lambda part: part.guess)
    own = parts[true].guess
    if best.guess > own:
        return farkas({best.records[0]: Fraction(1), parts[true].records[0]: Fraction(-1)}, guess, truth)
    cells = {(true, j): part.guess for j, part in enumerate(parts) if j != true}
    return Plan(parts, tuple(own if i == true else ZERO for i in range(len(parts))), cells)


def _proposed(parts: tuple[Part, ...], guess: Guess, truth: Guess) -> _Checked | Farkas | None:
    """What the float proposals come to when they are made exact."""
    shape = _shape(parts)
    point = None
    for point in proposal(shape):
        draft = inside(shape, point)
        plan = _planned(parts, shape, draft, guess, truth) if draft else None
        found = plan or _best_priced(parts, integer_prices(shape, point), guess, truth)
        if found:
            return found
    return _planned(parts, shape, on_the_face(shape, point), guess, truth) if point else None


def _shape(parts: Sequence[Part]) -> Shape:
    truth, guess = (
        np.array([float(s) for s in side]) for side in zip(*((p.truth, p.guess) for p in parts), strict=True)
    )
    sizes = np.array([float(len(part.records)) for part in parts])
    return Shape(truth, guess, sizes, np.array([i for i, part in enumerate(parts) if part.truth]))


def _planned(parts: tuple[Part, ...], shape: Shape, draft: Draft, guess: Guess, truth: Guess) -> _Checked | None:
    plan = exact_plan(parts, shape, draft)
    return _Checked(plan) if plan and check_plan(plan, guess, truth) else None


def _best_priced(parts: Sequence[Part], prices: Iterable[Sequence[int]], guess: Guess, truth: Guess) -> Farkas | None:
    """The shortest prices that prove it."""
    for costs in prices:
        found = priced(parts, costs, guess, truth)
        if found.claimed > found.most:
            return found
    return None
