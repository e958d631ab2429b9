"""What ``phverify reidentify`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page
from phverify.cli.arguments.tables import add_original_table, add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``reidentify``."""
    parser.add_argument(
        "original", nargs="?", help="the table before it was masked: CSV, Parquet, .."
    )
    parser.add_argument("release", nargs="?", help="the released table")
    parser.add_argument(
        "--policy", help="the policy, a TOML file: quasi-identifiers, agents, masking"
    )
    add_table(parser)
    add_original_table(parser)
    parser.add_argument(
        "--attacker",
        action="append",
        default=[],
        metavar="COL,..",
        help="what one knows, or an agent (repeatable)",
    )
    parser.add_argument(
        "--threshold",
        action="append",
        default=[],
        metavar="P",
        help="count records at or above it (repeatable)",
    )
    parser.add_argument(
        "--population",
        metavar="FILE",
        help="the table that the released people are a sample of",
    )
    _add_method(parser)
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time for the answers; what is left is undecided",
    )
    parser.add_argument(
        "--engine",
        choices=("auto", "pandas", "duckdb"),
        default="auto",
        help="duckdb: rows are counted where they are, however few; pandas: read",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the result as JSON; - is standard output"
    )
    add_page(parser)
    parser.add_argument("--redact", action="store_true", help="name no record")
    parser.add_argument(
        "--demo",
        action="store_true",
        help="the hospital release of the package, and some links to it",
    )


def _add_method(parser: argparse.ArgumentParser) -> None:
    """Add what is asked of a linkage method."""
    parser.add_argument(
        "--method",
        metavar="LINKS",
        help="links of a linkage method: is each answer sound?",
    )
    parser.add_argument(
        "--columns",
        metavar="A,B,C",
        help="what record, original and probability are called there",
    )
    parser.add_argument(
        "--normalize",
        action="store_true",
        help="divide each record's numbers by their sum",
    )
    parser.add_argument(
        "--pairwise",
        action="store_true",
        help="the numbers are match probabilities of pairs",
    )
    parser.add_argument(
        "--match-threshold",
        metavar="P",
        help="links below it are none; a record may have no match",
    )
    parser.add_argument(
        "--truth",
        metavar="record|possible",
        help="what the true probability knows (see the manual)",
    )
