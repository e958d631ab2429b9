"""What ``phverify init`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.roles import add_roles
from phverify.cli.arguments.tables import add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``init``."""
    parser.add_argument("table", help="the table before sanitization: CSV, Parquet, ..")
    add_table(parser)
    parser.add_argument(
        "--template",
        default="k5",
        metavar="k5|hipaa-safe-harbor|hipaa-expert|ema-0070|cms-11|statistics-office",
        help="the rules to begin with (k5)",
    )
    parser.add_argument(
        "--output",
        default="policy.toml",
        metavar="FILE",
        help="where the policy is written (policy.toml); never over another file",
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="take what is proposed; without it each column is asked about",
    )
    add_roles(parser)
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write the proposal as JSON; - is standard output",
    )
