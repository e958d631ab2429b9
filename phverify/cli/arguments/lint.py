"""What ``phverify lint`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``lint``."""
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
        "--budget", metavar="SECONDS", help="time for all questions (60)"
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write the findings as JSON; - is standard output",
    )
    add_page(parser)
