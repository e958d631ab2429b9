"""What ``phverify measure`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page
from phverify.cli.arguments.roles import add_policy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``measure``."""
    parser.add_argument("release", help="the table that is measured: CSV, Parquet, ..")
    add_policy(parser, "the policy, a TOML file; it needs no rules")
    parser.add_argument(
        "--original", help="the table before sanitization, for reference=original"
    )
    parser.add_argument(
        "--table",
        dest="named",
        metavar="NAME",
        help="which table is meant where a file holds several",
    )
    parser.add_argument(
        "--original-table",
        metavar="NAME",
        help="the same for the original alone",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the answer as JSON; - is standard output"
    )
    add_page(parser)
    parser.add_argument(
        "--redact",
        action="store_true",
        help="show classes and counts, but no confidential value",
    )
    parser.add_argument(
        "--engine",
        choices=("auto", "pandas", "duckdb", "spark"),
        default="auto",
        help="where rows are counted, as for verify",
    )
    parser.add_argument(
        "--spark",
        metavar="MASTER",
        help="the cluster that counts, for example spark://host:7077",
    )
