"""The verb ``compare`` of the command line."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from phverify.cli.inputs import hierarchy_files, seconds
from phverify.cli.outputs import answer, page_file, targets, tell
from phverify.cli.terminal import Progress
from phverify.comparison.matrix import matrix
from phverify.comparison.run import BUDGET, compare
from phverify.errors import refusal
from phverify.report.matrix_text import markdown

EXIT = {"implies": 0, "separated": 1, "undecided": 3}


def run(options: argparse.Namespace) -> int:
    """Compare two formulas or policies, or all criteria; the exit code."""
    values = values_of(options.values)
    budget = budget_of(options.budget)
    if options.matrix:
        return _matrix(options, values, budget)
    if options.first is None or options.second is None:
        hint = (
            'phverify compare "l_diversity(s, 3)" "entropy_l_diversity(s, 3)", or two'
            " policy files"
        )
        raise refusal("compare", "needs two formulas or policies", hint)
    inputs = (
        options.first,
        options.second,
        options.table,
        *hierarchy_files(options.first, options.second),
    )
    files = targets(options, inputs)
    with Progress() as progress:
        comparison = compare(
            options.first,
            options.second,
            values=values,
            budget=budget,
            equivalent=options.equivalent,
            table=options.table,
            progress=progress.step,
        )
    answer(options, files, comparison)
    return EXIT[comparison.equivalent if options.equivalent else comparison.verdict]


def _matrix(
    options: argparse.Namespace, values: int | None, budget: float | None
) -> int:
    if options.first is not None or options.equivalent or options.table:
        raise refusal(
            "--matrix", "takes no formulas and no table: it compares all criteria"
        )
    files = targets(options, ())
    with Progress() as progress:
        compared = matrix(values, budget, progress=progress.step)

    def plain() -> list[Any]:
        comparisons = compared.values()
        return [comparison.to_dict() for comparison in comparisons]

    def lines() -> list[str]:
        return markdown(compared).rstrip().splitlines()

    page = page_file(options, files, partial(compared.to_html, options.public))
    tell(options, files, plain, lines, page)
    verdicts = {comparison.verdict for comparison in compared.values()}
    if "undecided" in verdicts:
        return EXIT["undecided"]
    # separated is as good an answer here as implied
    return 0


def values_of(text: str | None) -> int | None:
    """The value of ``--values``.  Raises InputError."""
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise refusal("--values", f"is a whole number above 0, not {text!r}")
    return int(text)


def budget_of(text: str | None) -> float | None:
    """The value of ``--budget``, or the usual time.  Raises InputError."""
    if text is None:
        return BUDGET
    return seconds(text)
