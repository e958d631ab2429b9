"""What ``phverify compare`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``compare``."""
    parser.add_argument(
        "first", nargs="?", help="a criterion, a formula, or a policy file (TOML)"
    )
    parser.add_argument("second", nargs="?", help="what the first may imply")
    parser.add_argument("--equivalent", action="store_true", help="ask both directions")
    add_values(parser)
    parser.add_argument(
        "--table",
        metavar="FILE",
        help="a table: its columns have no more values than there",
    )
    parser.add_argument(
        "--budget", metavar="SECONDS", help="time for each direction (60)"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the result as JSON; - is standard output"
    )
    add_page(parser)
    parser.add_argument(
        "--matrix",
        action="store_true",
        help="all criteria against each other, as a Markdown table",
    )


def add_values(parser: argparse.ArgumentParser) -> None:
    """Add how many values are looked at."""
    parser.add_argument(
        "--values",
        metavar="M",
        help=(
            "different values that a column may have (any number, where that can be"
            " proved)"
        ),
    )
