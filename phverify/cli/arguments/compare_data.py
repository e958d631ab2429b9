"""What ``phverify compare-data`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.roles import add_policy
from phverify.cli.arguments.tables import add_original_table, add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``compare-data``."""
    parser.add_argument("original", help="the table before sanitization")
    parser.add_argument("release", help="what was made of it: CSV, Parquet, ..")
    add_policy(parser, "roles, types and hierarchies, a TOML file; needs no rules")
    add_table(parser)
    add_original_table(parser)
    parser.add_argument(
        "--classifier",
        action="store_true",
        help="measure what a classifier learns from the release (scikit-learn)",
    )
    parser.add_argument(
        "--target",
        metavar="COL",
        help="what the classifier predicts; else the first sensitive column",
    )
    parser.add_argument(
        "--seed", metavar="N", help="how records are split into folds (0)"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the answer as JSON; - is standard output"
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="write the report as a page, which tells of the original",
    )
    # Known to be refused with its reason.
    parser.add_argument("--public", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--redact", action="store_true", help="show figures, but no value of the tables"
    )
