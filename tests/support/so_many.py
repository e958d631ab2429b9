"""How many random cases a test takes: few in ``make test``, many in ``make fuzz``.

``tests/test_so_many.py`` holds that ``make fuzz`` runs every file that asks here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

PROFILE = settings.get_current_profile_name()
FUZZ = PROFILE == "fuzz"
SHARE = 3
"""``make test`` has time for a third of the cases."""
FEW = 8
"""So many cases, where a test has them, are always taken."""
MORE = 10
"""So many times the cases of a test, where one of them takes long."""
Case = TypeVar("Case")


def of_the_suite(count: int) -> int:
    """How many of the cases ``make test`` has time for."""
    return max(count // SHARE, min(count, FEW))


def so_many(count: int, fuzz: int | None = None, more: int | None = None) -> settings:
    """A third as many cases in ``make test``, and in the profile ``more`` ten times as
    many, or ``more`` where that is said.

    In the profile ``fuzz`` it is ``fuzz``, or where that is not said the number of the
    profile.
    """
    if PROFILE == "more":
        return settings(max_examples=more or MORE * count, deadline=None)
    if not FUZZ:
        return settings(max_examples=of_the_suite(count), deadline=None)
    if fuzz is None:
        return settings(deadline=None)
    return settings(max_examples=fuzz, deadline=None)


def sampled(cases: Sequence[Case], every: int, start: int = 0) -> Sequence[Case]:
    """Cases that go one way: in ``make test`` each ``every``-th of them, the same ones
    each time; all of them in ``make fuzz``.
    """
    return cases if PROFILE in ("fuzz", "more") else cases[start::every]
