"""Which stage of the cascade decided what, and how long each took."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

DOMAINS, KNOWN, SWAPPED = "declared domains", "known world", "swapped world"
ROW_SPACE, BOUNDS = "row space", "LP bounds"
SECOND = "second solver"
ENUMERATION = "lattice enumeration"
STAGES = (
    KNOWN,
    SWAPPED,
    DOMAINS,
    ROW_SPACE,
    BOUNDS,
    ENUMERATION,
    "CP-SAT",
    "HiGHS",
    "Z3",
    SECOND,
)
"""In the order of the cascade; the last one decides nothing, it confirms."""


@dataclass(frozen=True)
class StageShare:
    """One stage: how many verdicts it gave, and its time.  A verdict is counted at the
    step where it was found.
    """

    stage: str
    verdicts: int
    seconds: float


@dataclass
class Ledger:
    """Counts and times while an audit runs."""

    verdicts: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Adds the time that passes inside to a stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.spend(stage, time.perf_counter() - began)

    def spend(self, stage: str, seconds: float) -> None:
        """Adds seconds to a stage."""
        before = self.seconds.get(stage, 0.0)
        self.seconds[stage] = before + seconds

    def shares(self) -> tuple[StageShare, ...]:
        """All stages that did something, in the order of the cascade."""
        shares = []
        for name in STAGES:
            verdicts = self.verdicts[name]
            # A stage may have taken time and decided nothing.
            if verdicts or name in self.seconds:
                seconds = self.seconds.get(name, 0.0)
                shares.append(StageShare(name, verdicts, seconds))
        return tuple(shares)
