"""What a number that was rounded by a declared masking can come from."""

from __future__ import annotations

from phverify.policy.masking import Masking
from phverify.spec.notation import Interval, is_date, number


def rounded(text: str, masking: Masking) -> Interval | None:
    """The numbers that are rounded to this cell; None where it is no multiple of the
    step.
    """
    value = number(text)
    step = masking.rounding
    if value is None or step is None or value % step:
        return None
    dates = is_date(text)
    if masking.direction == "down":
        above = value + step
        return Interval(value, above, high_closed=False, dates=dates)
    if masking.direction == "up":
        below = value - step
        return Interval(below, value, low_closed=False, dates=dates)

    # halves may have been rounded either way: both ends belong to it
    half = step / 2
    below = value - half
    above = value + half
    return Interval(below, above, dates=dates)
