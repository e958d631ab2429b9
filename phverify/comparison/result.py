"""The answer to one comparison, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from phverify.microdata.table import Label
from phverify.result import Result
from phverify.verification.result import Report
from phverify.words import plural

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal["implies", "separated", "undecided"]


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Whether every table that satisfies the first satisfies the second.

    ``verdict`` is implies, separated or undecided.  ``values`` bounds how many values
    the columns have that an implication was proved for, and is empty where it was
    proved for any number of values (nothing bounds the rows and the classes); ``tried``
    are the numbers of values for which, beyond that bound, neither a proof nor a
    separating table was found.  ``table`` is a separating table with as few rows as
    possible, a dictionary for each row, and ``reports`` are what ``verify`` says of
    both sides on it. ``searched``: no table with so many rows, or fewer, separates the
    two within these values.  ``proved`` and ``open`` are names of rules of the second.
    ``vacuous``: no table satisfies the first.  ``converse`` is the other direction,
    where it was asked for.
    """

    verb = "compare"
    drawn = True

    verdict: Verdict
    first: str
    second: str
    values: Mapping[str, int] = field(default_factory=dict)
    table: tuple[Mapping[str, Label], ...] = ()
    reports: tuple[Report, Report] | None = None
    reason: str = ""
    searched: int = 0
    proved: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    vacuous: bool = False
    seconds: float = 0.0
    converse: Comparison | None = None
    tried: Mapping[str, int] = field(default_factory=dict)

    @property
    def bound(self) -> str:
        """What an implication was proved up to: ``4 values of s``; empty where there is
        no bound.
        """
        if self.verdict == "implies":
            return bound(self.values)
        return ""

    @property
    def equivalent(self) -> Verdict:
        """Both directions in one word: implies when they are equivalent."""
        verdicts = {self.verdict}
        if self.converse:
            verdicts.add(self.converse.verdict)
        if "separated" in verdicts:
            return "separated"
        if "undecided" in verdicts:
            return "undecided"
        return "implies"

    def frame(self) -> pd.DataFrame:
        """The separating table."""
        import pandas

        return pandas.DataFrame([dict(row) for row in self.table], dtype=object)


def bound(values: Mapping[str, int]) -> str:
    """``4 values of s and 3 values of t``."""
    parts = [f"{plural(many, 'value')} of {name}" for name, many in values.items()]
    return " and ".join(parts)
