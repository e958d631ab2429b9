"""The verb ``lint`` of the command line."""

from __future__ import annotations

import argparse

from phverify.cli.compare import budget_of, values_of
from phverify.cli.inputs import hierarchy_files
from phverify.cli.outputs import answer, gates, targets
from phverify.cli.terminal import Progress
from phverify.comparison.findings import redacted
from phverify.comparison.lint import lint

EXIT = {"clean": 0, "findings": 1, "undecided": 3}


def run(options: argparse.Namespace) -> int:
    """Look for rules that cannot mean what they should; the exit code."""
    values = values_of(options.values)
    budget = budget_of(options.budget)
    inputs = (options.policy, options.table, *hierarchy_files(options.policy))
    files = targets(options, inputs)
    with Progress() as progress:
        result = lint(
            options.policy,
            options.table,
            values=values,
            budget=budget,
            progress=progress.step,
        )
    shown = redacted(result) if options.redact else result
    answer(options, files, shown, gates(options, files, result))
    return EXIT[result.verdict]
