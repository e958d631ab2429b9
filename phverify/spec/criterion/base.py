"""What a criterion is: a property of one class, given the whole table.

A new one has ``name``, ``source``, ``params``, ``formula`` (valid in a release iff the
criterion holds) and ``holds`` (its definition for one class, in plain exact
arithmetic).  Everything else falls back to these two: whole columns are decided class
by class, symbols and the closure under merging by the formula, and what is not known is
not claimed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from phverify.errors import PhverifyError
from phverify.spec import syntax as s
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Values
from phverify.spec.types import ValueType

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.lemma import Lemma
    from phverify.spec.criterion.limits import Limits

Counts = Mapping[Label, int]
"""How often each value occurs; without a column, the number of rows under the one key
"".
"""


class TooLong(PhverifyError):
    """A criterion has more instances than can be written out."""


@dataclass(frozen=True)
class Param:
    """One argument of a criterion, as a policy writes it.

    ``kind`` is attribute, node, whole, number, or choice (one of ``choices``).  Numbers
    are at least ``least``, or above it where ``strict``; ``say`` tells users what the
    number is.  Where ``stricter`` is "larger" or "smaller", what satisfies one number
    satisfies each that is less strict, all else the same.
    """

    name: str
    kind: str
    say: str = ""
    default: str | None = None
    choices: tuple[str, ...] = ()
    least: Fraction | None = None
    strict: bool = False
    stricter: str = ""


ATTRIBUTE = Param("f", "attribute")
REFERENCE = Param(
    "reference", "choice", default="release", choices=("release", "original")
)
"""With what a class is compared: the released table, or that before sanitization."""


@dataclass(frozen=True)
class Counterexample:
    """Why a class breaks a criterion.

    A false instance of its formula, where that is linear, the reason in words, and what
    stands for the formula's variables.
    """

    instance: s.Formula | None
    statement: str
    bindings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Column:
    """A column as a criterion may see it.

    The values that occur, their type, and the paths of its hierarchy, if it has one:
    for each value the line of the hierarchy, from the value to the root.
    """

    name: str
    domain: Values
    kind: ValueType
    paths: Mapping[str, tuple[str, ...]] | None = None
    source: str = "its hierarchy"


@dataclass(frozen=True)
class Rows:
    """The class has at least so many rows."""

    least: int


@dataclass(frozen=True)
class Several:
    """At least so many values of the criterion's column occur in the class."""

    least: int


Condition = Rows | Several | s.Formula
"""What can be asked of symbolic classes.

A formula is one about the rows of a class and what a0 knows.
"""


@dataclass(frozen=True)
class ClassCriterion(ABC):
    """A criterion with its arguments."""

    name: ClassVar[str]
    source: ClassVar[str]
    params: ClassVar[tuple[Param, ...]]
    alone: ClassVar[bool] = False
    """Whether it sees the class and nothing else of the table."""
    logarithmic: ClassVar[bool] = False
    """Whether its bound is a logarithm, so that symbols need finer bounds on it."""

    def __init_subclass__(cls, **more: Any) -> None:
        """A criterion with a definition of its own inherits nothing that follows from
        another criterion's.
        """
        super().__init_subclass__(**more)
        own = set(cls.__dict__)
        redefined = "formula" in own or "holds" in own
        if not redefined:
            return

        for member in FOLLOWS - own:
            owners = (base for base in cls.__mro__ if member in base.__dict__)
            owner = next(owners)
            # Only published criteria have a name: what an abstract base knows stays.
            published = "name" in owner.__dict__
            if published:
                setattr(cls, member, ClassCriterion.__dict__[member])

    @property
    def attribute(self) -> str:
        """The column that it concerns, "" where there is none."""
        return getattr(self, "f", "")

    # What it says

    @abstractmethod
    def formula(self, signature: Signature) -> s.Formula:
        """The theorem's formula: valid in a release iff the criterion holds."""

    @abstractmethod
    def holds(self, inside: Counts, whole: Counts) -> bool:
        """The definition for one class.

        ``inside`` are the counts of its values, ``whole`` those of the table.
        """

    def prepared(self, column: Column) -> ClassCriterion:
        """The criterion with what it needs of its column.

        Raises ValueError when that is missing.
        """
        return self

    def structure(self) -> str:
        """What it sees in values besides which are equal.

        "order", "tree", "numbers", or "" for nothing; "names" where its formula speaks
        of values by name or by order, so that no value may stand for another.
        """
        from phverify.spec.criterion.formulas import names_values, one_column

        # Two values show how the formula speaks of values.
        sample = self.formula(one_column(self.attribute, ("a", "b"), 2))
        return "names" if names_values(sample) else ""

    def necessary(self, share: Fraction) -> ClassCriterion | None:
        """What classes satisfy, compared with the whole table, if a share is withheld.

        None when nothing of the kind is known.
        """
        return None

    # All classes at once

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether it satisfies the criterion."""
        return histogram.by_class(self.holds)

    def badness(self, histogram: Histogram) -> Array:
        """For each class how bad it is: the worst one is shown first.

        It plays no part in a verdict, so that floats are fine here.
        """
        return -histogram.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """What breaks the criterion in a class that violates it."""
        return Counterexample(None, f"the class breaks {self.name}")

    # Symbols

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """What holds of a class, all of it, iff the criterion does.

        The values are those of ``domain``; ``whole`` are the counts of the table, where
        they are known.  Raises TooLong where that cannot be written out.
        """
        from phverify.spec.criterion.formulas import one_column

        # Where the formula depends on the number of rows this is defined anew.
        rows = sum(whole.values()) if whole else 0
        yield self.formula(one_column(self.attribute, domain, rows))

    def histograms(self, rows: int, values: int) -> int:
        """How many histograms its formula lists, for tables of such a size."""
        return 0

    def lemma(self) -> Lemma | None:
        """Why merging two classes that satisfy it makes one that does.

        None where the formula must prove that, or nothing does.
        """
        return None

    def limits(self, whole: Counts, withheld: int = 0) -> Limits | None:
        """What shares the values of a class have that satisfies it.

        ``whole`` are the counts of the table that it is compared with, or of one of
        which at most so many records are ``withheld`` first.  None where nothing of the
        kind is known.
        """
        return None

    # What follows from it, for tables with any number of values

    @property
    def frequent(self) -> int | None:
        """So many most frequent values of a class decide it.

        Its conditions over these values imply it, and over any values follow from it.
        None where no such number is known.
        """
        return None

    @property
    def least_values(self) -> int | None:
        """A class that satisfies it has at least so many different values.

        None where no class satisfies it.
        """
        return 1

    def least_records(self, whole: Counts) -> int:
        """A class that satisfies it has at least so many records.

        ``whole`` are the counts of the table that it is compared with.
        """
        return self.least_values or 1

    @property
    def distance_bound(self) -> Fraction:
        """What it compares differences of numbers with."""
        return Fraction(0)

    @property
    def reach(self) -> tuple[Fraction, ...]:
        """So many values bring its thresholds within reach."""
        return ()

    @property
    def telling(self) -> tuple[Fraction, ...]:
        """Shares of a value at which it is compared with others."""
        return ()

    @property
    def moves(self) -> tuple[Fraction | None, Fraction | None]:
        """Bounds on the variational distance of a class from the table.

        It is at most the first where the criterion holds, and above the second where it
        fails; None where nothing is known.
        """
        return None, None

    def implies(self, other: ClassCriterion) -> bool:
        """Whether it implies another of its kind, by their parameters alone."""
        return False


FOLLOWS = {
    "alone",
    "prepared",
    "structure",
    "necessary",
    "columns",
    "badness",
    "counterexample",
    "conditions",
    "histograms",
    "lemma",
    "limits",
    "frequent",
    "least_values",
    "least_records",
    "telling",
    "reach",
    "distance_bound",
    "moves",
    "implies",
}
"""What follows from a definition, and from no other."""


def total(counts: Counts) -> int:
    """The rows that counts stand for."""
    return sum(counts.values())
