"""How many random cases a test takes: few in ``make test``, many in ``make fuzz``."""

from __future__ import annotations

from hypothesis import settings

FUZZ = settings.get_current_profile_name() == "fuzz"


def so_many(count: int, fuzz: int | None = None) -> settings:
    """So many cases in ``make test``.

    In ``make fuzz`` it is ``fuzz``, or where that is not said the number of the profile.
    """
    if not FUZZ:
        return settings(max_examples=count, deadline=None)
    if fuzz is None:
        return settings(deadline=None)
    return settings(max_examples=fuzz, deadline=None)
