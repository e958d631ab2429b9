"""What is preserved when classes are merged.

A formula is *merge-closed* if the union of two classes that satisfy it satisfies it,
and *upward-closed* if the union of one that does with any other does.  ``known`` knows
it of the criteria that have a lemma (``criterion/lemma.py``), of simple formulas about
likelihoods, and of conjunctions and disjunctions of such; the proofs are in
encodings/merge-closure.md.  Of any other formula solvers are asked (``Merging``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from phverify.spec import syntax as s
from phverify.spec.criterion.lemma import MERGE as MERGE
from phverify.spec.criterion.lemma import OPEN as OPEN
from phverify.spec.criterion.lemma import UPWARD as UPWARD
from phverify.spec.data import Data
from phverify.spec.walk import Way, classwise, juncts, propositional, stated


class Merging(NamedTuple):
    """Is it so far closed that all bodies hold at all rows of a class?

    ``exact`` classes are whole and within the table, others any numbers of rows from 0.
    """

    bodies: s.Formulas
    goal: int
    exact: bool
    data: Data


def known(formula: s.Formula, data: Data, wanted: bool = True) -> int:
    """How closed a formula about a class, or its negation, is known to be.

    It stands for the property of a class that it is true at every row.
    """
    match formula:
        case s.Truth() if wanted:
            return UPWARD
        case s.Criterion() if wanted:
            lemma = data.criterion(formula).lemma()
            if lemma:
                return lemma.closed()
            return OPEN
        case s.Diamond("a1", body) | s.Box("a1", body) if propositional(body):
            # Some row stays where it is; what is true of all rows of both stays true.
            some = isinstance(formula, s.Diamond) == wanted
            return UPWARD if some else MERGE
        case s.Compare(left, op, right) if wanted and op != "!=":
            # Multiplied by the size of the class it is an inequality between sums of
            # counts: both sides add up.  Of != nothing is known: two differences that
            # are not 0 may add up to 0.
            if _linear(left) and _linear(right):
                return MERGE
            return OPEN
        case s.Not(body):
            return known(body, data, not wanted)
    return _by_parts(formula, data, wanted)


def _by_parts(formula: s.Formula, data: Data, wanted: bool) -> int:
    """How closed a formula is, or its negation, by what is known of its parts."""
    ways = juncts(formula, wanted)
    if ways is None:
        if propositional(formula):
            return MERGE
        return OPEN
    every, parts = ways
    if not every:
        return _either(parts, data)
    # All hold of the union as far as the least closed of them does.
    closures = [known(part, data, way) for part, way in parts]
    return min(closures, default=UPWARD)


def together(bodies: Iterable[s.Formula], data: Data) -> int:
    """How closed it is that all these formulas hold."""
    closures = [known(body, data) for body in bodies]
    return min(closures, default=UPWARD)


def _linear(side: s.Linear) -> bool:
    """A sum of likelihoods of plain formulas, without absolute values."""
    for _, quantity in side.terms:
        if not isinstance(quantity, s.Likelihood):
            return False
        # What a0 knows is the same in all classes, and times their sizes it adds up,
        # too; another agent's cells are other sets of rows.
        if quantity.agent not in ("a0", "a1") or not propositional(quantity.body):
            return False
    return True


def _either(parts: Iterable[Way], data: Data) -> int:
    """Upward-closed properties of whole classes, and at most one merge-closed property.

    If the one holds of both classes, it holds of the union; otherwise another one holds
    of a class, and stays.
    """
    sides: list[s.Formula] = []
    for formula, truth in parts:
        side = stated(formula, truth)
        sides += side.parts if isinstance(side, s.Or) else (side,)

    closures = [known(side, data) for side in sides]
    weak = 0
    for side, closure in zip(sides, closures, strict=True):
        # What differs between the rows of a class need not hold at all of them.
        if closure < UPWARD or not classwise(side):
            weak += 1
    if weak > 1 or OPEN in closures:
        # What is true of each row alone stays true of it in any class.
        if all(map(propositional, sides)):
            return MERGE
        return OPEN
    if weak:
        return MERGE
    return UPWARD
