"""What a comparison of a release with its original says."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from phverify.errors import Problem
from phverify.result import Result
from phverify.rounded import figure, significant
from phverify.spec.source import Label, Names
from phverify.words import plural


@dataclass(frozen=True)
class ClassSizes:
    """How many classes there are, and their records; ``median`` is the mean of the two
    in the middle.

    ``discernibility`` adds up the squares of the sizes, a withheld record counting as
    the whole table.
    """

    number: int
    least: int
    median: Fraction
    mean: Fraction
    most: int
    discernibility: int


@dataclass(frozen=True)
class ValueShare:
    """The share of the records that have a value, before and after."""

    value: Label
    before: Fraction
    after: Fraction


@dataclass(frozen=True)
class ColumnUtility:
    """What became of a column.

    ``loss`` and ``precision`` are 0 for the column unchanged and 1 for all suppressed;
    None where they are not defined.  ``distance`` is the total variation distance of
    its values before and after.  ``unread`` are released cells that stand for no value
    that is known, and ``example`` is one of them.
    """

    name: str
    role: str
    changed: bool
    loss: Fraction | None
    precision: Fraction | None
    distance: Fraction
    shares: tuple[ValueShare, ...]
    """Those that differ most, first."""
    unread: int = 0
    example: Label = None


@dataclass(frozen=True)
class PairDistance:
    """The total variation distance of two columns' values together, before and
    after.
    """

    first: str
    second: str
    distance: Fraction


@dataclass(frozen=True)
class Correlations:
    """Pearson's and Spearman's correlation of two ordered columns, rounded to
    ``DIGITS`` digits; None where one of them is constant.
    """

    first: str
    second: str
    pearson_before: float | None
    pearson_after: float | None
    spearman_before: float | None
    spearman_after: float | None


@dataclass(frozen=True)
class Learned:
    """How many of the original's ``records`` a classifier gets wrong in cross
    validation, by what it was trained on.

    ``majority`` are those that are wrong where the most frequent value is said of all.
    """

    target: str
    features: Names
    folds: int
    records: int
    original: int
    release: int
    majority: int


@dataclass(frozen=True)
class DataComparison(Result):
    """The answer to one ``compare-data``: what a release is still good for.

    ``explained`` says how the release comes from the original, and is "" where it is no
    sanitization of it that is understood: ``departures`` say why.  ``loss`` is the mean
    over the quasi-identifiers' released cells, ``loss_with_withheld`` counts withheld
    records as suppressed.  Fractions are exact.
    """

    verb = "compare_data"
    drawn = True

    original: str
    release: str
    rows: int
    released: int
    quasi: Names
    explained: str
    departures: tuple[Problem, ...]
    columns: tuple[ColumnUtility, ...]
    loss: Fraction | None
    loss_with_withheld: Fraction | None
    precision: Fraction | None
    before: ClassSizes | None
    after: ClassSizes | None
    pairs: tuple[PairDistance, ...]
    """All pairs of columns, those that differ most first."""
    correlations: tuple[Correlations, ...]
    learned: Learned | None
    notes: Names
    version: str
    redacted: bool = False

    @property
    def withheld(self) -> int:
        """How many records the release has less than the original."""
        return max(self.rows - self.released, 0)

    def counted(self) -> str:
        """How many columns were compared, and what they lost."""
        columns = plural(len(self.columns), "column")
        if self.loss is None:
            return columns
        decimal = significant(self.loss)
        shown = figure(self.loss, decimal)
        return f"{columns}, loss {shown}"
