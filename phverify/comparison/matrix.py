"""The criteria of one column of texts against each other, at parameters on common
ground: a table for docs/reference/compare.md.

The parameters: every class has at least 3 rows (k), 3 values (l); distances, gains and
benefits are at most 1/5, and ratios at most 2 (delta = 1, beta = 1), so that no
criterion is trivial and no two say the same by accident. ``logical_safety`` and
``weighted_safety`` are about secrets: one secret for each value, ``s = v`` for
everyone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from typing import Any

from phverify.comparison.domains import FEWEST_VALUES
from phverify.comparison.result import Comparison
from phverify.comparison.run import Progress, compare

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

    verb = "compare"

    def to_html(self, public: bool = False, evidence: Any = None) -> str:
        """The matrix as a page that stands by itself."""
        html = import_module("phverify.report.html")
        page = html.with_evidence(self._page(public), self, evidence)
        return str(html.page_file(page))

    def _repr_html_(self) -> str:
        html = import_module("phverify.report.html")
        return str(html.page_fragment(self._page(False)))

    def _page(self, public: bool) -> Any:
        # loaded when a page is asked for, as those of all answers
        return import_module("phverify.report.compare_html").matrix_page(self, public)


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


def markdown(comparisons: Mapping[tuple[str, str], Comparison]) -> str:
    """The matrix as a Markdown table: a row implies a column (yes), or the rows of a
    smallest separating table.
    """
    names = list(CRITERIA)
    numbers = " | ".join(map(str, range(1, len(names) + 1)))
    head = f"| does .. imply .. | {numbers} |"
    rule = "|---" * (len(names) + 1) + "|"
    lines = [head, rule, *_rows(names, comparisons)]
    return "\n".join([*lines, "", LEGEND, ""])


def _rows(
    names: list[str], comparisons: Mapping[tuple[str, str], Comparison]
) -> Iterator[str]:
    """The lines of the matrix, one for each criterion."""
    for number, first in enumerate(names, start=1):
        cells = []
        for second in names:
            # every criterion implies itself
            cell = "." if first == second else sign(comparisons[first, second])
            cells.append(cell)
        yield f"| {number} `{CRITERIA[first]}` | {' | '.join(cells)} |"


def sign(comparison: Comparison) -> str:
    """``yes``, up to how many values where that is bounded, the rows of a separating
    table, or ``?``.
    """
    if comparison.verdict == "implies":
        if not comparison.values:
            return "**yes**"
        return f"yes up to {max(comparison.values.values())}"
    if comparison.verdict == "undecided":
        return "?"
    rows = len(comparison.table)
    # no smaller table separates the two: else it is an upper bound
    if comparison.searched == rows - 1:
        return str(rows)
    return f"<= {rows}"


LEGEND = f"""\
**yes**: proved for any number of rows and of values of `s`; `yes up to m`: for at most
m values, and of more nothing is claimed. A number: the rows of a smallest table that
satisfies the row's criterion and not the column's, found and verified, among those with
at most {FEWEST_VALUES} values (more where it takes more); `<= n`: one with n rows,
perhaps not the smallest; `?`: undecided. Not here: `p_sensitive_k_anonymity(p, k)`,
which is `k_anonymity(k)` and `l_diversity(f, p)` for every sensitive column; `guarded`,
which needs a hierarchy, and `em_anonymity`, which needs numbers (`phverify compare`
takes policies that have these)."""
