"""Answers that leave some of their mass on the whole frame ("none of them"): are they
sound?

Such an answer is a belief function: masses of single records, and a mass ``rest`` of
the set of all records.  It does not say one probability.  Those that it leaves open are
the P' with P'(y) >= mass of y for every record y (Definition 7 for this belief
function: only sets without all records have a belief, the sum of their members'
masses).  The answer is sound when one of them is sound (Definition 14), so an answer is
called unsound only when it is so whatever "none of them" stands for.  Without a rest
this is Definition 14; an answer that says nothing is sound, as Definition 7 has it.

**Where the truth is one record x**, giving it the whole rest is the best that can be
done: the answer is sound iff no other record has more than mass(x) + rest.

**Otherwise** it is the linear program of Definition 14 with column sums P'(y) >=
mass(y).  Its prices are not negative: what is held for certain is then worth more than
every sound probability, and so is all that it leaves open.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from phverify.budget import Deadline
from phverify.errors import Defect
from phverify.exact import ZERO
from phverify.linkage.belief.linear_program import exact_answer
from phverify.linkage.belief.pignistic_compatible import sound
from phverify.linkage.belief.plans import (
    Farkas,
    Guess,
    Plan,
    priced,
    proves,
    same_parts,
)


def sound_with_rest(
    masses: Guess, truth: Guess, deadline: Deadline | None = None
) -> Plan | Farkas:
    """Whether masses of single records that sum to less than 1 can be completed to a
    sound probability.

    The plan is one for the completed probability, the prices are those of the masses
    alone.  Raises BudgetExceeded.
    """
    first = sound(_completed(masses, truth), truth, deadline)
    if isinstance(first, Plan):
        return first
    parts = same_parts(masses, truth)
    answer = exact_answer(parts, deadline, at_least=True)
    proof: Plan | Farkas
    guess: dict[Any, Fraction]
    if isinstance(answer, Plan):
        proof = answer
        guess = {}
        for part in answer.parts:
            guess |= dict.fromkeys(part.records, part.guess)
        holds = all(guess.get(x, 0) >= mass for x, mass in masses.items())
    else:
        proof = priced(parts, answer, masses, truth)
        guess = dict(masses)
        # a negative price would make the rest worth less where it may lie
        holds = min(answer) >= 0
    if not (holds and proves(proof, guess, truth)):
        raise Defect(
            "an answer with a rest was decided with a proof that does not hold"
        )

    return proof


def _completed(masses: Guess, truth: Guess) -> dict[Any, Fraction]:
    """A first guess: the rest is handed to those that have less than their true share,
    in proportion to what they lack.
    """
    rest = 1 - sum(masses.values(), ZERO)
    lacks: dict[Any, Fraction] = {}
    for x, share in truth.items():
        lack = share - masses.get(x, ZERO)
        if lack > 0:
            lacks[x] = lack

    factor = rest / sum(lacks.values())  # they lack the rest at least
    completed: dict[Any, Fraction] = {}
    for x in {*masses, *truth}:
        completed[x] = masses.get(x, ZERO) + lacks.get(x, ZERO) * factor

    return completed
