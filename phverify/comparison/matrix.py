"""The criteria of one column of texts against each other, at parameters on common
ground: a table for docs/reference/compare.md.

The parameters: every class has at least 3 rows (k), 3 values (l); distances, gains and
benefits are at most 1/5, and ratios at most 2 (delta = 1, beta = 1), so that no
criterion is trivial and no two say the same by accident. ``logical_safety`` and
``weighted_safety`` are about secrets: one secret for each value, ``s = v`` for
everyone.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from phverify.comparison.comparing import Progress
from phverify.comparison.result import Comparison
from phverify.comparison.run import compare
from phverify.result import reports

CRITERIA: Mapping[str, str] = {
    "k-anonymity": "k_anonymity(3)",
    "(alpha, k)-anonymity": "alpha_k_anonymity(s, 1/2, 3)",
    "distinct l-diversity": "l_diversity(s, 3)",
    "recursive (c, l)-diversity": "recursive_l_diversity(s, 2, 2)",
    "entropy l-diversity": "entropy_l_diversity(s, 3)",
    "t-closeness": "t_closeness(s, 1/5)",
    "t-closeness, ordered": "t_closeness(s, 1/5, distance=ordered)",
    "delta-disclosure": "delta_disclosure(s, 1)",
    "delta-disclosure, absent ignored": "delta_disclosure(s, 1, absent=ignored)",
    "beta-likeness": "beta_likeness(s, 1)",
    "enhanced beta-likeness": "enhanced_beta_likeness(s, 1)",
    "average benefit": "average_benefit(s, 1/5)",
    "logical safety": "forall v in s: ~[a1] s = v",
    "weighted safety": "forall v in s: l_a1(s = v) <= 1/2",
}


class ImplicationMatrix(dict[tuple[str, str], Comparison]):
    """Comparisons by the names of their two criteria."""

    verb = "matrix"

    def to_html(self, public: bool = False, evidence: Any = None) -> str:
        """The matrix as a page that stands by itself."""
        return reports().page_of(self, public, evidence)

    def _repr_html_(self) -> str:
        return reports().fragment_of(self)


def matrix(
    values: int | None = None,
    budget: float | None = 20.0,
    workers: int = 1,
    progress: Progress = lambda step: None,
) -> ImplicationMatrix:
    """Every criterion against every other one, by their names."""
    pairs = [(a, b) for a in CRITERIA for b in CRITERIA if a != b]
    jobs = [(CRITERIA[a], CRITERIA[b], values, budget) for a, b in pairs]
    if workers == 1:
        answers = ImplicationMatrix()
        for pair, job in zip(pairs, jobs, strict=True):
            progress(f"{pair[0]} => {pair[1]}")
            answers[pair] = _one(job)
        return answers
    with ProcessPoolExecutor(workers) as pool:
        return ImplicationMatrix(zip(pairs, pool.map(_one, jobs), strict=True))


def _one(job: tuple[str, str, int | None, float | None]) -> Comparison:
    first, second, values, budget = job
    return compare(first, second, values=values, budget=budget)
