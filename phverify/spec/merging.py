"""What is kept when classes are merged.

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
    """Is the property of a class that all bodies hold at all its rows so far closed?

    ``exact`` classes are whole and within the table, others any numbers of rows from 0.
    """

    bodies: s.Formulas
    goal: int
    exact: bool
    data: Data


def known(formula: s.Formula, data: Data, wanted: bool = True) -> int:
    """How closed a formula about a class, or its negation, is, as far as it is known
    without asking.

    It stands for the property of a class that it is true at every row.  An inequality
    between likelihoods, multiplied by the size of the class, is one between sums of
    counts: both sides add up.
    """
    match formula:
        case s.Truth() if wanted:
            return UPWARD
        case s.Criterion() if wanted:
            lemma = data.criterion(formula).lemma()
            return lemma.closed() if lemma else OPEN
        case s.Diamond("a1", body) | s.Box("a1", body) if propositional(body):
            return (
                UPWARD if isinstance(formula, s.Diamond) == wanted else MERGE
            )  # some row stays where it is
        case s.Compare(left, op, right) if (
            wanted and op != "!=" and _linear(left) and _linear(right)
        ):
            return MERGE
        case s.Not(body):
            return known(body, data, not wanted)
    if (found := juncts(formula, wanted)) is None:
        return MERGE if propositional(formula) else OPEN
    every, parts = found
    return (
        min((known(part, data, way) for part, way in parts), default=UPWARD)
        if every
        else _either(parts, data)
    )


def together(bodies: Iterable[s.Formula], data: Data) -> int:
    """How closed it is that all these formulas hold."""
    return min((known(body, data) for body in bodies), default=UPWARD)


def _linear(side: s.Linear) -> bool:
    """A sum of likelihoods of plain formulas, without absolute values."""
    return all(
        isinstance(q, s.Likelihood)
        and q.agent in ("a0", "a1")
        and propositional(q.body)
        for _, q in side.terms
    )


def _either(parts: Iterable[Way], data: Data) -> int:
    """Upward-closed properties of whole classes, and at most one property that is
    merge-closed.

    If the one holds of both classes, it holds of the union; otherwise another one holds
    of a class, and stays.
    """
    sides = [stated(*way) for way in parts]
    sides = [
        one
        for side in sides
        for one in (side.parts if isinstance(side, s.Or) else (side,))
    ]
    found = [known(side, data) for side in sides]
    weak = [
        k for k, side in enumerate(sides) if found[k] < UPWARD or not classwise(side)
    ]
    if len(weak) > 1 or OPEN in found:
        return MERGE if all(map(propositional, sides)) else OPEN
    return MERGE if weak else UPWARD
