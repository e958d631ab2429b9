"""What every verb takes that gates a change in continuous integration."""

from __future__ import annotations

import argparse


def add_gates(parser: argparse.ArgumentParser) -> None:
    """Add ``--junit`` and ``--sarif``."""
    parser.add_argument(
        "--junit",
        metavar="FILE",
        help="write the verdicts as JUnit's XML; it has no value of the data",
    )
    parser.add_argument(
        "--sarif",
        metavar="FILE",
        help="write what is not proved as SARIF, at the lines of the policy",
    )
