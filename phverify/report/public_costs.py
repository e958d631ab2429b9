"""Costs of releases on pages: as they are, or, for everybody, rounded so far that how
many records have a rare value does not follow from them.

A cost is rounded up and a bound down, so that what is said of them stays true.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from phverify.generalization.standing import Standing
from phverify.report.portraits import STEP
from phverify.report.release_blocks import bound_text, cost_text

COUNTED = ("discernibility", "class-size", "entropy", "ambiguity")
"""Objectives that count classes, or in which rare values weigh much: few records could
be told apart.
"""
PLAIN = ("height",)
"""Objectives that levels alone tell, whatever the records are."""
LEFT_OUT = "left out in the public form"


def told(objective: str, public: bool) -> bool:
    """Whether a page may have costs of this objective."""
    return not public or objective not in COUNTED


def above(value: Fraction, objective: str, public: bool) -> Fraction:
    """A cost for a page; rounded up for everybody."""
    if not public or objective in PLAIN:
        return value
    return math.ceil(value / STEP) * STEP


def beneath(value: Fraction, objective: str, public: bool) -> Fraction:
    """A lower bound for a page; rounded down for everybody."""
    if not public or objective in PLAIN:
        return value
    return math.floor(value / STEP) * STEP


def page_cost(value: Fraction | None, objective: str, public: bool) -> str:
    """A cost in a sentence or a cell."""
    if value is None:
        return cost_text(value)
    if not told(objective, public):
        return LEFT_OUT
    shown = cost_text(above(value, objective, public))
    return f"at most {shown}" if public and objective not in PLAIN else shown


def page_bound(value: Fraction | None, objective: str, public: bool) -> str:
    """A number below which no cost is."""
    if value is None:
        return bound_text(value)
    if not told(objective, public):
        return f"a number that is {LEFT_OUT}"
    return bound_text(beneath(value, objective, public))


def page_history(
    history: Sequence[Standing], objective: str, public: bool
) -> tuple[Standing, ...]:
    """Cost and bound over time, as a page may draw them."""
    shown = []
    for one in history:
        cost = one.cost
        if cost is not None:
            cost = above(cost, objective, public)
        bound = beneath(one.bound, objective, public)
        shown.append(Standing(one.seconds, cost, bound))
    return tuple(shown)


def page_gap(gap: Fraction, public: bool) -> Fraction:
    """The share of a cost that may be saved; rounded up for everybody."""
    return math.ceil(gap / STEP) * STEP if public else gap
