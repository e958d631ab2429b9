"""What a search for a recoding by tuples is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import InputError, Problem, Problems, nearest
from phverify.generalization.options import Number, number, weights_of, wrong_shuffle
from phverify.policy.model import Policy
from phverify.spec.recoding import PUBLISHED
from phverify.spec.sides import COUNTED, OBJECTIVES

USUAL = 60.0
"""Seconds that a search takes where neither a budget nor a gap is given."""


@dataclass(frozen=True)
class TuplesAsked:
    """``share`` of the records may be withheld, ``cells`` of the released cells be
    ``*``.

    ``gap`` ends the search, ``budget`` in seconds does; ``ranges`` are released in
    ranges though they have a hierarchy.  ``blind`` classes look at quasi-identifiers
    alone, and have at least so many records; 0 for all others.  ``publish``: what is
    shown in columns of numbers, their range or the class's median.
    """

    objective: str
    weights: Mapping[str, Fraction]
    share: Fraction
    cells: Fraction
    disjoint: bool
    gap: Fraction | None
    ranges: tuple[str, ...]
    blind: int
    seed: int
    publish: str


def tuple_options(
    policy: Policy,
    objective: str,
    weights: Mapping[str, Number] | None,
    suppress: Number,
    cells: Number,
    disjoint: bool,
    gap: Number | None,
    ranges: Sequence[str],
    blind: int,
    shuffle: int | None = None,
    seed: int = 0,
    publish: str = "range",
) -> TuplesAsked:
    """Raises InputError with everything that is wrong."""
    problems: Problems = []
    share = number("suppress", suppress, problems)
    if not 0 <= share < 1:
        what = f"is a share of the records, from 0 to below 1, not {suppress}"
        problems.append(Problem("suppress", what, "write 5% or 0.05"))
    starred = number("cells", cells, problems)
    if not 0 <= starred <= 1:
        what = f"is a share of the cells, from 0 to 1, not {cells}"
        problems.append(Problem("cells", what, "write 5% or 0.05"))
    wanted = None if gap is None else number("gap", gap, problems)
    if wanted is not None and not 0 <= wanted < 1:
        what = f"is a share of the cost, from 0 to below 1, not {gap}"
        problems.append(Problem("gap", what, "write 5% or 0.05"))
    heavy = weights_of(policy, weights or {}, problems)
    problems += _unmeasured(objective, disjoint or starred < 1, share > 0)
    for name in ranges:
        if name not in policy.quasi:
            hint = nearest(name, policy.quasi, "quasi-identifiers")
            problems.append(Problem("ranges", f"{name!r} is no quasi-identifier", hint))
    if type(blind) is not int or blind < 0:
        what = f"is a whole number of records, not {blind!r}"
        problems.append(Problem("blind", what))
    problems += _unpublished(publish, disjoint)
    problems += wrong_shuffle(policy, shuffle)
    if problems:
        raise InputError(problems)
    return TuplesAsked(
        objective,
        heavy,
        share,
        starred,
        disjoint,
        wanted,
        tuple(ranges),
        blind,
        seed,
        publish,
    )


def _unmeasured(objective: str, bounded: bool, withheld: bool) -> Problems:
    """What is wrong with what is to be least; ``bounded`` boxes are asked for, or some
    records may be ``withheld``.
    """
    if objective not in (*OBJECTIVES, *COUNTED):
        *others, last = (*OBJECTIVES, *COUNTED)
        known = f"{', '.join(others)} or {last}"
        what = f"for releases by tuples is {known}, not {objective!r}"
        return [Problem("objective", what, "all others are told of the result")]
    if objective in COUNTED and bounded:
        what = f"{objective} counts classes, whatever their boxes are"
        hint = "with --disjoint or --cells the objective is loss, precision or entropy"
        return [Problem("objective", what, hint)]
    if objective == "entropy" and withheld:
        what = "entropy is about the records of the whole table: none is withheld"
        hint = "with --suppress the objective is loss or precision"
        return [Problem("objective", what, hint)]
    return []


def _unpublished(publish: str, disjoint: bool) -> Problems:
    """What is wrong with what is to be shown of numbers."""
    if publish not in PUBLISHED:
        what = f"is {' or '.join(PUBLISHED)}, not {publish!r}"
        return [Problem("publish", what, "median shows one number in place of 20-29")]
    if publish == "median" and disjoint:
        what = "medians do not show the boxes that are disjoint"
        return [Problem("publish", what, "leave out one of the two")]
    return []
