"""What ``phverify check`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page
from phverify.spec import options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``check``: those of the checker alone, and a budget."""
    options.add_arguments(parser)
    parser.add_argument(
        "--json", metavar="FILE", help="write the answer as JSON; - is standard output"
    )
    add_page(parser)
    parser.add_argument(
        "--budget", metavar="SECONDS", help="time for everything; then it is undecided"
    )
