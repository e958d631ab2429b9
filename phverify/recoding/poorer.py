"""Releases that a search by tuples starts from, and falls back on.

Each column mapped by a function of its own is a function on tuples, too, and each class
in the least box that holds it loses no more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from phverify.recoding.posed import PosedRecoding
from phverify.spec import syntax as s
from phverify.spec.classes import PolicyPart
from phverify.spec.recoding import TupleRecoding
from phverify.spec.spaces import WHOLE


@dataclass(frozen=True)
class PoorerFound:
    """Releases that cost little by tuples, and were not searched for there.

    Nobody has verified them.  Whether looking for them was interrupted.
    """

    releases: tuple[TupleRecoding, ...] = ()
    interrupted: bool = False


PoorerSearch = Callable[[], PoorerFound]


def nothing_poorer() -> PoorerFound:
    """Where none are looked for."""
    return PoorerFound()


def falls_back(problem: PosedRecoding) -> bool:
    """Whether classes found by tuples may break a rule, come late, or lose more than
    levels.

    Where each class is judged by itself, and joining classes keeps what it satisfies,
    there is a release at once.  Of what is no criterion by itself (one or another
    would do) the search knows no numbers to go by, nor of costs that are no sum.
    """
    # Of blind classes nothing is chosen by what their values say.
    if problem.asked.blind:
        return False
    if problem.asked.objective in WHOLE:
        return True
    parts = problem.posed.parts
    if parts.open or parts.people or parts.assumptions:
        return True
    for part in parts.classes:
        if not part.kept_by_merging or not _alone(problem, part):
            return True
    return False


def _alone(problem: PosedRecoding, part: PolicyPart) -> bool:
    """Whether a part is made of criteria that see a class and nothing else of the
    table.
    """
    criteria = problem.posed.bound.release.criteria
    for body in part.bodies:
        if not isinstance(body, s.Criterion) or not criteria[body].alone:
            return False
    return True
