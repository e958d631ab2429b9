"""What a number that was rounded by a declared masking can come from."""

from __future__ import annotations

from phverify.policy.masking import Masking
from phverify.spec.notation import Interval, is_date, number


def rounded(text: str, masking: Masking) -> Interval | None:
    """The numbers that are rounded to this cell; None where it is no multiple of the
    step.
    """
    value, step = number(text), masking.rounding
    if value is None or step is None or value % step:
        return None
    dates = is_date(text)
    if masking.direction == "down":
        return Interval(value, value + step, high_closed=False, dates=dates)
    if masking.direction == "up":
        return Interval(value - step, value, low_closed=False, dates=dates)

    return Interval(value - step / 2, value + step / 2, dates=dates)
