"""What ``phverify measure`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page
from phverify.cli.arguments.roles import add_policy
from phverify.cli.arguments.tables import add_engines, add_original_table, add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``measure``."""
    parser.add_argument("release", help="the table that is measured: CSV, Parquet, ..")
    add_policy(parser, "the policy, a TOML file; it needs no rules")
    parser.add_argument(
        "--original", help="the table before sanitization, for reference=original"
    )
    add_table(parser)
    add_original_table(parser)
    parser.add_argument(
        "--json", metavar="FILE", help="write the answer as JSON; - is standard output"
    )
    add_page(parser)
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time for everything; what is not measured by then is said",
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="show classes and counts, but no confidential value",
    )
    add_engines(parser)
