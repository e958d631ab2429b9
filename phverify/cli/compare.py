"""The verbs ``compare`` and ``lint`` of the command line."""

from __future__ import annotations

import argparse
from typing import Any

from phverify.cli.outputs import answer, targets, tell
from phverify.cli.search import hierarchy_files, seconds
from phverify.cli.terminal import Progress
from phverify.comparison.lint import lint
from phverify.comparison.matrix import markdown, matrix
from phverify.comparison.run import BUDGET, compare
from phverify.errors import refusal

EXIT = {"implies": 0, "separated": 1, "undecided": 3}
LINT_EXIT = {"clean": 0, "findings": 1, "undecided": 3}


def compare_parser(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``phverify compare``."""
    parser.add_argument(
        "first", nargs="?", help="a criterion, a formula, or a policy file (TOML)"
    )
    parser.add_argument("second", nargs="?", help="what the first may imply")
    parser.add_argument("--equivalent", action="store_true", help="ask both directions")
    parser.add_argument(
        "--values",
        metavar="M",
        help=(
            "different values that a column may have (any number, where that can be"
            " proved)"
        ),
    )
    parser.add_argument(
        "--table",
        metavar="FILE",
        help="a table: its columns have no more values than there",
    )
    parser.add_argument(
        "--budget", metavar="SECONDS", help=f"time for each direction ({BUDGET:g})"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the result as JSON; - is standard output"
    )
    parser.add_argument(
        "--matrix",
        action="store_true",
        help="all criteria against each other, as a Markdown table",
    )
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> int:
    values, budget = _values(options.values), _budget(options.budget)
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
        found = compare(
            options.first,
            options.second,
            values=values,
            budget=budget,
            equivalent=options.equivalent,
            table=options.table,
            progress=progress.step,
        )
    answer(options, files, found)
    return EXIT[found.equivalent if options.equivalent else found.verdict]


def _matrix(
    options: argparse.Namespace, values: int | None, budget: float | None
) -> int:
    if options.first is not None or options.equivalent or options.table:
        raise refusal(
            "--matrix", "takes no formulas and no table: it compares all criteria"
        )
    files = targets(options, ())
    with Progress() as progress:
        found = matrix(values, budget, progress=progress.step)

    def plain() -> list[Any]:
        return [comparison.to_dict() for comparison in found.values()]

    lines = markdown(found).rstrip().splitlines()
    tell(options, files, plain, lines)
    verdicts = {comparison.verdict for comparison in found.values()}
    return EXIT["undecided"] if "undecided" in verdicts else 0


def _values(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise refusal("--values", f"is a whole number above 0, not {text!r}")
    return int(text)


def _budget(text: str | None) -> float | None:
    """The seconds of ``--budget``.  Raises InputError."""
    if text is None:
        return BUDGET
    return seconds(text)


def lint_parser(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``phverify lint``."""
    parser.add_argument("policy", help="the policy, a TOML file")
    parser.add_argument(
        "--table",
        help=(
            "a table before sanitization: its values, and is every rule within reach"
            " there?"
        ),
    )
    parser.add_argument(
        "--values",
        metavar="M",
        help=(
            "different values that a column may have (any number, where that can be"
            " proved)"
        ),
    )
    parser.add_argument(
        "--budget", metavar="SECONDS", help=f"time for all questions ({BUDGET:g})"
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write the findings as JSON; - is standard output",
    )
    parser.set_defaults(run=_lint)


def _lint(options: argparse.Namespace) -> int:
    values, budget = _values(options.values), _budget(options.budget)
    inputs = (options.policy, options.table, *hierarchy_files(options.policy))
    files = targets(options, inputs)
    with Progress() as progress:
        found = lint(
            options.policy,
            options.table,
            values=values,
            budget=budget,
            progress=progress.step,
        )
    answer(options, files, found)
    return LINT_EXIT[found.verdict]
