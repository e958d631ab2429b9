"""What ``phverify verify`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.gates import add_gates
from phverify.cli.arguments.pages import add_page
from phverify.cli.arguments.roles import add_policy
from phverify.cli.arguments.tables import add_engines, add_original_table, add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``verify``."""
    parser.add_argument("release", help="the table to be published: CSV, Parquet, ..")
    add_policy(parser)
    parser.add_argument(
        "--original", help="the table before sanitization; individuals are its rows"
    )
    add_table(parser)
    add_original_table(parser)
    parser.add_argument(
        "--json", metavar="FILE", help="write the report as JSON; - is standard output"
    )
    add_page(parser)
    add_gates(parser)
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME",
        help="decide this rule only (repeatable); without --policy: the rule itself",
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time for all, certificate too; what is left is undecided",
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="show classes and counts, but no confidential value",
    )
    parser.add_argument(
        "--utility",
        action="store_true",
        help="beside --original: what the release is still good for (see compare-data)",
    )
    parser.add_argument(
        "--encoding",
        choices=("quotient", "full"),
        default="quotient",
        help="full: for small tables",
    )
    add_engines(parser)
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="write why, for phverify check to verify again",
    )
    parser.add_argument(
        "--failing",
        metavar="FILE",
        help="write the rows that break a rule, with their class, as CSV",
    )
    parser.add_argument(
        "--smtlib",
        metavar="DIR",
        help="write the questions behind the verdicts as SMT-LIB files",
    )
