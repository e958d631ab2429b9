"""Criteria of how even the counts of a class are."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from phverify.spec.criterion.base import ClassCriterion


@dataclass(frozen=True)
class EvenCriterion(ClassCriterion):
    """A criterion of counts alone: with a histogram it holds of every more even one.

    It is not linear: symbolic classes are asked about the histograms of a size, or
    about what follows from evenness.
    """

    @property
    @abstractmethod
    def effective(self) -> Fraction:
        """It takes so many values; with just as many all must be equally frequent."""

    @abstractmethod
    def rich(self, counts: tuple[int, ...]) -> bool:
        """Whether it holds of these counts."""
