"""What ``mechanism`` answers: the least epsilon, what forces it, and whether a given
epsilon is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.mechanisms.epsilon import Epsilon
from phverify.mechanisms.least import Least
from phverify.mechanisms.loading import LoadedMechanism
from phverify.mechanisms.mechanism import Probability
from phverify.mechanisms.privacy import Breach
from phverify.result import Result, Status


@dataclass(frozen=True)
class MechanismReport(Result):
    """The privacy loss of one mechanism.

    ``least`` is None where its digits could not be settled.  ``verdict`` is about
    ``bound``, a given epsilon; both are None where none was given.  ``breach`` is what
    refutes it, ``reason`` says why something is undecided.
    """

    verb: ClassVar[str] = "mechanism"
    drawn = True

    loaded: LoadedMechanism
    least: Least | None
    bound: Epsilon | None = None
    verdict: Status | None = None
    breach: Breach | None = None
    reason: str = ""

    @property
    def forced_by(self) -> tuple[Probability, Probability] | None:
        """The two probabilities that force the least epsilon, the larger one first.

        None where nothing does: the least epsilon is 0, or not known.
        """
        if self.least is None or self.least.first is None:
            return None
        entries = self.loaded.mechanism.entries
        larger = entries[self.least.first][self.least.output]
        smaller = entries[self.least.second][self.least.output]
        return larger, smaller

    @property
    def distance(self) -> Fraction:
        """How far apart the two inputs are that force the least epsilon."""
        if self.least is None or self.loaded.adjacency is None:
            return Fraction(1)
        distance = self.loaded.adjacency(self.least.first, self.least.second)
        return Fraction(1 if distance is None else distance)

    def counted(self) -> str:
        """The least epsilon."""
        if self.least is None:
            return "the least epsilon is not known"
        return f"least epsilon {self.least}"
