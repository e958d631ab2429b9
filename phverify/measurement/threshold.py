"""A measured threshold: at it a criterion holds, or beyond it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Threshold:
    """The strictest threshold of one parameter, and the class that forces it.

    ``most`` says that larger is stricter.  The criterion holds at ``value`` where it is
    ``attained``, else just beyond it; with ``logarithm`` the number meant is log2 of
    the value.  Where only an enclosure is known, ``low`` and ``high`` are its ends: it
    holds at the one that is less strict, and fails at the other.  Without a value no
    threshold is loose enough, and ``why`` says so.
    """

    parameter: str
    value: Fraction | None
    cls: int
    most: bool = False
    attained: bool = True
    logarithm: bool = False
    low: Fraction | None = None
    high: Fraction | None = None
    why: str = ""


def attained(
    parameter: str, value: Fraction, cls: int, most: bool = False
) -> Threshold:
    """A threshold at which the criterion holds."""
    return Threshold(parameter, value, cls, most)


def beyond(
    parameter: str, value: Fraction, cls: int, logarithm: bool = False
) -> Threshold:
    """A threshold at which it fails, while it holds at every larger one."""
    return Threshold(parameter, value, cls, attained=False, logarithm=logarithm)


def unbounded(parameter: str, cls: int, why: str) -> Threshold:
    """No threshold is enough."""
    return Threshold(parameter, None, cls, attained=False, why=why)
