"""What ``phverify mechanism`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page

EXAMPLE = """\
example: randomized.csv, with a row for each input and a column for each output,

  input,yes,no
  yes,3/4,1/4
  no,1/4,3/4

has the least epsilon ln(3):  phverify mechanism randomized.csv --epsilon "ln(3)"

exit codes: 0 the epsilon is enough (without --epsilon: some epsilon is),
1 it is not (no epsilon is), 2 bad input, 3 undecided
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``mechanism``."""
    parser.epilog = f"{EXAMPLE}\n{parser.epilog}"
    parser.add_argument(
        "file",
        nargs="?",
        help="probabilities (CSV: a row an input, a column an output), or TOML",
    )
    parser.add_argument(
        "--epsilon",
        metavar="E",
        help="is this one enough? such as 1.1, 'ln(3)' or '1/2 + ln(2)'",
    )
    parser.add_argument(
        "--digits",
        metavar="N",
        default="10",
        help="decimals of the enclosure (10)",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the result as JSON; - is standard output"
    )
    add_page(parser)
    parser.add_argument(
        "--demo", action="store_true", help="the package's survey, a table with TOML"
    )
