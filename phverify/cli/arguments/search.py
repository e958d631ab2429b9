"""What ``phverify search`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page
from phverify.cli.arguments.roles import add_policy
from phverify.cli.arguments.tables import add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``search``."""
    parser.add_argument("table", help="the table before sanitization: CSV, Parquet, ..")
    add_policy(parser)
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="FORMULA",
        help="without --policy: a rule (repeatable)",
    )
    add_table(parser)
    _add_costs(parser)
    _add_sample(parser)
    _add_tuples(parser)
    parser.add_argument(
        "--all-minimal", action="store_true", help="list every minimal level vector"
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="say which class breaks when a column is finer, and what would do",
    )
    _add_files(parser)
    parser.add_argument(
        "--tradeoff",
        metavar="k=2..100",
        help="the best release for each number of the policy's one rule with a k"
        " (or l=.., t=0.1,0.2)",
    )
    add_page(parser)
    parser.add_argument(
        "--engine",
        default="auto",
        metavar="auto|pandas|duckdb",
        help="duckdb: rows are counted where they are, however few; pandas: read",
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time for all, the certificate included; then the best so far (600;"
        " tuples 60)",
    )
    parser.add_argument(
        "--redact", action="store_true", help="say no confidential value"
    )


def _add_costs(parser: argparse.ArgumentParser) -> None:
    """Add what may be chosen, and what is least."""
    parser.add_argument(
        "--space",
        default="levels",
        metavar="levels|subtrees|intervals|partitions|tuples",
        help="what may be chosen (levels)",
    )
    parser.add_argument(
        "--objective",
        default="loss",
        metavar="height|precision|loss|entropy|discernibility|class-size|ambiguity",
        help="what is least (loss); tuples: no height, no ambiguity",
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
        "--charge-withheld",
        action="store_true",
        help="levels, loss and precision: a withheld record loses 1 in every column",
    )


def _add_sample(parser: argparse.ArgumentParser) -> None:
    """Add what draws a sample of the records."""
    parser.add_argument(
        "--sample",
        metavar="SHARE",
        help="release a random sample of the records: all is about them alone",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        help="draws the sample; without it one is chosen, and told",
    )


def _add_tuples(parser: argparse.ArgumentParser) -> None:
    """Add what only releases by tuples have."""
    parser.add_argument(
        "--gap",
        metavar="SHARE",
        help="tuples: stop when the cost is proved to be so near the least",
    )
    parser.add_argument(
        "--disjoint",
        action="store_true",
        help="tuples: no released box holds a tuple of another class",
    )
    parser.add_argument(
        "--cells",
        default="1",
        metavar="SHARE",
        help="tuples: share of the released cells that may be * (1)",
    )
    parser.add_argument(
        "--ranges",
        action="append",
        default=[],
        metavar="COL,..",
        help="tuples: columns released in ranges though they have a hierarchy",
    )
    parser.add_argument(
        "--blind",
        metavar="RECORDS",
        help="tuples: classes of so many records that look at no confidential value",
    )
    parser.add_argument(
        "--publish",
        default="range",
        metavar="WHAT",
        help="tuples: numbers show the range (default) or the median of a class",
    )


def _add_files(parser: argparse.ArgumentParser) -> None:
    """Add the files that are written."""
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
