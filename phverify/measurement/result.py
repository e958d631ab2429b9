"""What is measured of a release: thresholds, forcing classes, a portrait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from phverify.measurement.threshold import Threshold
from phverify.result import Result
from phverify.rounded import LONG
from phverify.spec.decimals import decimal
from phverify.spec.source import Label
from phverify.words import plural


@dataclass(frozen=True)
class AskedThreshold:
    """What a rule asks of a criterion, as an exact number, and whether all classes
    satisfy that.  ``beside`` is what the rule asks of them besides: ``k = 5``.
    """

    rule: str
    asked: str
    kept: bool
    beside: str = ""

    def wanted(self, parameter: str) -> str:
        """All that is asked: ``alpha = 1/2 with k = 5``."""
        number = self.asked
        if len(number) > LONG:
            # It was given as a decimal, where it has one.
            number = decimal(Fraction(number))
        return f"{parameter} = {number}{self.beside and f' with {self.beside}'}"


@dataclass(frozen=True)
class MeasuredClass:
    """A class by its number from 0, its quasi-identifier values and its rows."""

    number: int
    values: Mapping[str, Label]
    rows: int


@dataclass(frozen=True)
class MeasuredCriterion:
    """How strict a criterion could be, and the class that forces it.

    ``criterion`` is written with the measured parameter by its name; ``column`` is ""
    where it concerns none.  Without a ``threshold`` nothing of it can be measured, or
    ``unmeasured`` says why it was not.
    """

    criterion: str
    name: str
    column: str
    threshold: Threshold | None
    cls: MeasuredClass | None
    asked: tuple[AskedThreshold, ...] = ()
    unmeasured: str = ""


@dataclass(frozen=True)
class Measurement(Result):
    """The answer to one ``measure``."""

    verb = "measure"
    drawn = True

    release: str
    rows: int
    classes: int
    measured: tuple[MeasuredCriterion, ...]
    version: str
    suppressed: tuple[str, ...] = ()
    """Quasi-identifiers that are ``*`` in every row."""
    warnings: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether time sufficed for all criteria."""
        return not any(one.unmeasured for one in self.measured)

    def counted(self) -> str:
        """How many criteria were measured."""
        criteria = plural(len(self.measured), "criterion")
        left = sum(1 for one in self.measured if one.unmeasured)
        if not left:
            return criteria
        return f"{criteria}, {left:,} of them not measured in time"


@dataclass(frozen=True)
class SizeBin:
    """How many classes have from ``least`` to ``most`` rows, and their rows."""

    least: int
    most: int
    classes: int
    rows: int


@dataclass(frozen=True)
class ValueCount:
    """How often a value occurs in a class and in the whole table."""

    value: Label
    inside: int
    whole: int


@dataclass(frozen=True)
class ColumnCounts:
    """The values of a confidential column in a class beside the whole table; the last
    ``others`` are not listed.
    """

    column: str
    values: tuple[ValueCount, ...]
    others: int
    rows: int
    """Those of the whole table."""


@dataclass(frozen=True)
class ClassView:
    """A class that is looked at, and why."""

    cls: MeasuredClass
    why: str
    columns: tuple[ColumnCounts, ...]


@dataclass(frozen=True)
class Portrait:
    """The classes of a release: their sizes, the worst of them, and how strict criteria
    could be.
    """

    sizes: tuple[SizeBin, ...]
    worst: tuple[ClassView, ...]
    measured: tuple[MeasuredCriterion, ...]
