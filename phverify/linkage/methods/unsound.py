"""Why a linkage method is not sound: what stands against one of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from phverify.exact import ZERO


@dataclass(frozen=True)
class Outweighed:
    """The released record comes from ``true`` for certain, and another record is given
    more (Proposition 18), even if the true one had all that is given to none of them.
    """

    true: int
    given: Fraction
    other: int
    given_other: Fraction
    given_none: Fraction = ZERO


@dataclass(frozen=True)
class Excluded:
    """A record of the true probability's support is given nothing (Proposition 16)."""

    original: int
    probability: Fraction


@dataclass(frozen=True)
class Overpriced:
    """Prices of records at which the answer is worth more (``claimed``) than any sound
    one (``most``): a Farkas certificate of the linear program of Definition 14.
    """

    prices: Mapping[int, Fraction]
    claimed: Fraction
    most: Fraction


@dataclass(frozen=True)
class Overbelieved:
    """A set C of records that is believed more than it is probable: P(C) < Bel(C)."""

    set: tuple[int, ...]
    probability: Fraction
    belief: Fraction


Witness = Outweighed | Excluded | Overpriced | Overbelieved


@dataclass(frozen=True)
class Unsound:
    """A released record (from 0) whose answer is unsound, and why."""

    record: int
    witness: Witness
