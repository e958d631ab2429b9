"""How many random cases a test takes: few in ``make test``, many in ``make fuzz``."""

from __future__ import annotations

from hypothesis import settings

PROFILE = settings.get_current_profile_name()
FUZZ = PROFILE == "fuzz"
MORE = 10
"""So many times the cases of ``make test``, where one of them takes long."""


def so_many(count: int, fuzz: int | None = None, more: int | None = None) -> settings:
    """So many cases in ``make test``, and in the profile ``more`` ten times as many, or
    ``more`` where that is said.

    In the profile ``fuzz`` it is ``fuzz``, or where that is not said the number of the
    profile.
    """
    if PROFILE == "more":
        return settings(max_examples=more or MORE * count, deadline=None)
    if not FUZZ:
        return settings(max_examples=count, deadline=None)
    if fuzz is None:
        return settings(deadline=None)
    return settings(max_examples=fuzz, deadline=None)
