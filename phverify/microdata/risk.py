"""Prosecutor risk, the one definition: how likely it is to guess a released record of
somebody who is known to be in the release, by the own class (ARX, after El Emam).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from phverify.exact import ZERO


@dataclass(frozen=True)
class ProsecutorRisk:
    """``highest`` is 1 / records of the smallest class, ``average`` (the success rate)
    classes / records.
    """

    highest: Fraction
    average: Fraction


def prosecutor_risk(
    smallest: int, classes: int | Fraction, records: int
) -> ProsecutorRisk:
    """The risk from the records of the smallest class, and how many there are of both.

    0 where nothing is released.
    """
    if not records:
        return ProsecutorRisk(ZERO, ZERO)
    highest = Fraction(1, smallest)
    average = Fraction(classes, records)
    return ProsecutorRisk(highest, average)
