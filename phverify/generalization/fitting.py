"""What a search has found."""

from __future__ import annotations

from dataclasses import dataclass

from phverify.exact import Bools
from phverify.generalization.judge import Examination


@dataclass(frozen=True, eq=False)
class Fitting:
    """A candidate that satisfies the policy; its cost in units of 1 / denominator."""

    candidate: Bools
    finding: Examination
    total: int

    @property
    def withheld_rows(self) -> int:
        """How many records it withholds."""
        finding = self.finding
        if finding.view is None:
            return 0
        return finding.view.rows(finding.withheld)

    @property
    def rank(self) -> tuple[int, int]:
        """What it costs, then how many records it withholds: the less, the better."""
        return self.total, self.withheld_rows
