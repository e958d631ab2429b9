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
        positive = {b: Fraction(m) for b, m in self.focal.items() if m}
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

    exact = [m for m in focal.values() if isinstance(m, (int, Fraction))]
    # a sum that leaves something out says nothing
    if len(exact) == len(focal):
        total = sum(exact, ZERO)
        if total != 1:
            yield Problem("mass", f"the masses sum to {total}, not 1", _near(total))


def _problem(frame: MassFrame, subset: Subset, mass: object) -> Problem | None:
    """What is wrong with a set and its mass."""
    if not frame.holds(subset):
        what = f"the set {subset:#x} is no set of the frame's {len(frame)} records"
        return Problem("mass", what, f"sets lie between 1 and {frame.full:#x}")
    where = f"mass of {frame.shown(subset)}"
    if not isinstance(mass, (int, Fraction)):
        what = f"{mass!r} is no exact number"
        return Problem(where, what, "give a Fraction or an integer", private=True)
    if mass < 0:
        return Problem(where, f"{mass} is negative", private=True)
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
    singletons = {1 << k: p for k, p in shares.items()}
    return Mass(frame, singletons)


def from_counts(frame: MassFrame, counts: Mapping[Subset, int]) -> Mass:
    """Masses in proportion to counts: how often each set was observed.

    Raises InputError when nothing was counted, and for what ``Mass`` refuses.
    """
    total = sum(counts.values())
    if total <= 0:
        raise refusal("counts", f"they sum to {total}", "count at least one set")
    return Mass(frame, {b: Fraction(c, total) for b, c in counts.items()})


def probability_problems(where: str, shares: Mapping[Any, Fraction]) -> Problems:
    """What keeps shares from being a probability: inexact or negative ones, a sum that
    is not 1.
    """
    inexact = [r for r, p in shares.items() if not isinstance(p, (int, Fraction))]
    if inexact:
        whats = [f"the share of {r!r} is no exact number" for r in inexact]
        return [Problem(where, what, "give a Fraction", True) for what in whats]
    problems: Problems = []
    for record, share in shares.items():
        if share < 0:
            what = f"the share of {record!r} is negative: {share}"
            problems.append(Problem(where, what, private=True))

    total = sum(shares.values(), ZERO)
    if total != 1:
        what = f"the shares sum to {total}, not 1"
        problems.append(Problem(where, what, _near(total)))

    return problems
