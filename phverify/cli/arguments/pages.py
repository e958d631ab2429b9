"""What every verb takes whose answer can be a page."""

from __future__ import annotations

import argparse


def add_page(parser: argparse.ArgumentParser) -> None:
    """Add ``--html`` and who may read the page."""
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="write the report as a page: one file, for browser and printer",
    )
    readers = parser.add_mutually_exclusive_group()
    readers.add_argument(
        "--internal",
        dest="public",
        default=False,
        action="store_false",
        help="the page may quote values and describe leaks (the default)",
    )
    readers.add_argument(
        "--public",
        dest="public",
        default=False,
        action="store_true",
        help="the page has no value, no identity and no rare combination",
    )
