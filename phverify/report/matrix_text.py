"""All criteria against each other as a table of Markdown, as
docs/reference/compare.md has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from phverify.comparison.domains import FEWEST_VALUES
from phverify.comparison.matrix import CRITERIA
from phverify.comparison.result import Comparison


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
