"""How many random cases a test takes: few in ``make test``, many in ``make fuzz``."""

from __future__ import annotations

from hypothesis import settings

PROFILE = settings.get_current_profile_name()
FUZZ = PROFILE == "fuzz"
FEW = 10
"""So many cases, where a test has them, are always taken."""
MORE = 10
"""So many times the cases of ``make test``, where one of them takes long."""


def of_the_suite(count: int) -> int:
    """How many of the cases ``make test`` has time for."""
    return max(2 * count // 3, min(count, FEW))


def so_many(count: int, fuzz: int | None = None, more: int | None = None) -> settings:
    """Two thirds as many cases in ``make test``, and in the profile ``more`` ten times
    as many, or ``more`` where that is said.

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
