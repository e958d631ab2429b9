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
