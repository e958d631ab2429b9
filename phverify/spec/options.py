"""What a check of a certificate takes: ``phverify check``, and the checker alone."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that both commands have."""
    parser.add_argument(
        "certificate",
        help="what phverify verify --certificate, or search --certificate, wrote",
    )
    parser.add_argument(
        "--release",
        help="the released table, a CSV file; a verdict's certificate needs it",
    )
    parser.add_argument(
        "--original", help="for a verdict with an original table: that table"
    )
    parser.add_argument("--table", help="for a search: the table before sanitization")
    parser.add_argument(
        "--policy",
        help=(
            "the policy, a TOML file; for a verdict: what the certificate must be about"
        ),
    )
    parser.add_argument(
        "--require",
        choices=("proved",),
        help="every rule of --policy must be proved, else exit 1",
    )
