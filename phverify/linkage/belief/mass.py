"""Basic probability assignments (Definition 2): exact masses over sets of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from phverify.errors import InputError, Problem, Problems, refusal
from phverify.exact import ZERO
from phverify.linkage.belief.mass_frame import MassFrame, Subset

Shares = Mapping[int, Fraction]
"""A probability over the records of a frame, by their numbers; a record that is left
out has 0.
"""
Masses = dict[Subset, Fraction]
"""Masses while they are collected, by their sets."""


@dataclass(frozen=True, eq=False)
class Mass:
    """m: the focal sets (sets with a mass above 0) and their masses, which sum to
    exactly 1.

    Zero masses are dropped.  Raises InputError, with all problems at once, for a
    negative mass, mass on the empty set, a set that reaches beyond the frame, a mass
    that is no exact number, and a sum that is not 1.
    """

    frame: MassFrame
    focal: Mapping[Subset, Fraction]

    def __post_init__(self) -> None:
        problems = list(_problems(self.frame, self.focal))
        if problems:
            raise InputError(problems)

        positive: Masses = {}
        for subset, mass in self.focal.items():
            if mass:
                positive[subset] = Fraction(mass)
        # a frozen dataclass sets a field of its own in no other way
        object.__setattr__(self, "focal", MappingProxyType(positive))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mass)
            and self.frame == other.frame
            and dict(self.focal) == dict(other.focal)
        )

    def __hash__(self) -> int:
        return hash((self.frame, frozenset(self.focal.items())))


def _problems(frame: MassFrame, focal: Mapping[Subset, Fraction]) -> Iterator[Problem]:
    """What keeps masses from being an assignment."""
    for subset, mass in focal.items():
        problem = _problem(frame, subset, mass)
        if problem:
            yield problem

    masses = focal.values()
    exact = [mass for mass in masses if isinstance(mass, (int, Fraction))]
    # a sum that leaves something out says nothing
    if len(exact) < len(focal):
        return
    total = sum(exact, ZERO)
    if total != 1:
        what = f"the masses sum to {total}, not 1"
        yield Problem("mass", what, _near(total))


def _problem(frame: MassFrame, subset: Subset, mass: object) -> Problem | None:
    """What is wrong with a set and its mass."""
    if not frame.holds(subset):
        what = f"the set {subset:#x} is no set of the frame's {len(frame)} records"
        hint = f"sets lie between 1 and {frame.full:#x}"
        return Problem("mass", what, hint)
    where = f"mass of {frame.shown(subset)}"
    if not isinstance(mass, (int, Fraction)):
        what = f"{mass!r} is no exact number"
        return Problem(where, what, "give a Fraction or an integer", private=True)
    if mass < 0:
        what = f"{mass} is negative"
        return Problem(where, what, private=True)
    if subset == 0 and mass:
        what = f"the empty set has mass {mass}"
        return Problem("mass", what, "only non-empty sets may have mass (Definition 2)")

    return None


def _near(total: Fraction) -> str:
    """A hint for a sum that is nearly 1."""
    if total > 0 and abs(total - 1) < Fraction(1, 1000):
        return "rounded decimals do not sum to 1: give fractions, or from_counts"
    return ""


def categorical(frame: MassFrame, subset: Subset) -> Mass:
    """All mass on one set: ``one of these, and nothing is known about which`` (Example
    11).
    """
    return Mass(frame, {subset: Fraction(1)})


def vacuous(frame: MassFrame) -> Mass:
    """Total ignorance: m(X) = 1."""
    return categorical(frame, frame.full)


def from_probability(frame: MassFrame, shares: Shares) -> Mass:
    """A probability as a mass: m({x}) = p(x), by the records' numbers."""
    singletons: Masses = {}
    for record, share in shares.items():
        singleton = 1 << record
        singletons[singleton] = share
    return Mass(frame, singletons)


def from_counts(frame: MassFrame, counts: Mapping[Subset, int]) -> Mass:
    """Masses in proportion to counts: how often each set was observed.

    Raises InputError when nothing was counted, and for what ``Mass`` refuses.
    """
    total = sum(counts.values())
    if total <= 0:
        what = f"they sum to {total}"
        raise refusal("counts", what, "count at least one set")

    masses: Masses = {}
    for subset, count in counts.items():
        masses[subset] = Fraction(count, total)
    return Mass(frame, masses)


def probability_problems(where: str, shares: Mapping[Any, Fraction]) -> Problems:
    """What keeps shares from being a probability: inexact or negative ones, a sum that
    is not 1.
    """
    problems: Problems = []
    for record, share in shares.items():
        if not isinstance(share, (int, Fraction)):
            what = f"the share of {record!r} is no exact number"
            problems.append(Problem(where, what, "give a Fraction", private=True))

    # what is inexact can be neither compared nor summed up
    if problems:
        return problems
    for record, share in shares.items():
        if share < 0:
            what = f"the share of {record!r} is negative: {share}"
            problems.append(Problem(where, what, private=True))

    total = sum(shares.values(), ZERO)
    if total != 1:
        what = f"the shares sum to {total}, not 1"
        problems.append(Problem(where, what, _near(total)))

    return problems
