"""What ``phverify search`` takes."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``search``."""
    parser.add_argument("table", help="the table before sanitization: CSV, or Parquet")
    parser.add_argument("--policy", required=True, help="the policy, a TOML file")
    parser.add_argument(
        "--space",
        default="levels",
        metavar="levels|subtrees|intervals|partitions",
        help="what may be chosen (levels)",
    )
    parser.add_argument(
        "--objective",
        default="loss",
        metavar="height|precision|loss|discernibility",
        help="what is least (loss)",
    )
    parser.add_argument(
        "--weights",
        action="append",
        default=[],
        metavar="COL=W,..",
        help="how much columns count",
    )
    parser.add_argument(
        "--suppress",
        default="0",
        metavar="SHARE",
        help="share of records that may be withheld (0)",
    )
    parser.add_argument(
        "--all-minimal", action="store_true", help="list every minimal level vector"
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="write the released table: CSV like the input, or .parquet",
    )
    parser.add_argument(
        "--shuffle", metavar="SEED", help="write the released rows in a new order"
    )
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="write the certificate of minimality, for phverify check",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the result as JSON; - is standard output"
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time for all, the certificate included; then the best so far",
    )
    parser.add_argument(
        "--redact", action="store_true", help="say no confidential value"
    )
