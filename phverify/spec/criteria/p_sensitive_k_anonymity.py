"""p-sensitive k-anonymity: large classes, in which every sensitive column has several
values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criteria.k_anonymity import K
from phverify.spec.criterion.base import JointCriterion, Param


@dataclass(frozen=True)
class PSensitiveKAnonymity(JointCriterion):
    """Every class has at least k rows, and at least p distinct values of every
    sensitive column.
    """

    p: int
    k: int
    name: ClassVar[str] = "p_sensitive_k_anonymity"
    source: ClassVar[str] = "Truta and Vinay 2006"
    params: ClassVar[tuple[Param, ...]] = (
        Param("p", "whole", "distinct values of a sensitive column", least=Fraction(1)),
        K,
    )

    def parts(self, sensitive: Sequence[str]) -> tuple[s.Criterion, ...]:
        diverse = (
            s.Criterion("l_diversity", (column, str(self.p))) for column in sensitive
        )
        return s.Criterion("k_anonymity", (str(self.k),)), *diverse
