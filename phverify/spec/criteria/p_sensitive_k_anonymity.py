"""p-sensitive k-anonymity: large classes with several values in sensitive columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.k_anonymity import K
from phverify.spec.criterion.base import Param
from phverify.spec.criterion.joint import JointCriterion


@dataclass(frozen=True)
class PSensitiveKAnonymity(JointCriterion):
    """At least k rows, and at least p distinct values of every sensitive column."""

    p: int
    k: int
    name: ClassVar[str] = "p_sensitive_k_anonymity"
    source: ClassVar[str] = "Truta and Vinay 2006"
    params: ClassVar[tuple[Param, ...]] = (
        Param(
            "p",
            "whole",
            "distinct values of a sensitive column",
            least=Fraction(1),
            stricter="larger",
        ),
        K,
    )

    def parts(self, sensitive: Sequence[str]) -> tuple[s.Criterion, ...]:
        """k-anonymity, and p-diversity of each sensitive column."""
        large = s.Criterion("k_anonymity", (str(self.k),))
        diverse = [
            s.Criterion("l_diversity", (column, str(self.p))) for column in sensitive
        ]
        return large, *diverse
