"""What ``phverify lint`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.compare import add_values
from phverify.cli.arguments.gates import add_gates
from phverify.cli.arguments.pages import add_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``lint``."""
    parser.add_argument("policy", help="the policy, a TOML file")
    parser.add_argument(
        "--table",
        help=(
            "a table before sanitization: no column has more values than there, and"
            " rules that no release of it satisfies are told"
        ),
    )
    add_values(parser)
    parser.add_argument(
        "--budget", metavar="SECONDS", help="time for all questions (60)"
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write the findings as JSON; - is standard output",
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="name rules and columns, but no person, secret or value",
    )
    add_page(parser)
    add_gates(parser)
