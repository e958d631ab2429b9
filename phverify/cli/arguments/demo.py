"""What ``phverify demo`` takes."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``demo``."""
    parser.add_argument(
        "--write",
        metavar="DIR",
        help="copy the files of the examples there, to try commands on them",
    )
