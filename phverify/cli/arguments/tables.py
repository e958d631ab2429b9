"""What verbs take that read tables: which one of a file is meant, and who counts it."""

from __future__ import annotations

import argparse


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add ``--table``, the name of one of the tables of a file."""
    parser.add_argument(
        "--table",
        dest="named",
        metavar="NAME",
        help="which table is meant where a file holds several",
    )


def add_original_table(parser: argparse.ArgumentParser) -> None:
    """Add ``--original-table``, the same for the table before sanitization."""
    parser.add_argument(
        "--original-table",
        metavar="NAME",
        help="the same for the original alone",
    )


def add_engines(parser: argparse.ArgumentParser) -> None:
    """Add ``--engine`` and ``--spark``: where the rows of a release are counted."""
    parser.add_argument(
        "--engine",
        choices=("auto", "pandas", "duckdb", "spark"),
        default="auto",
        help="duckdb: rows are counted where they are, however few; pandas: read;"
        " spark: counted on a cluster (Parquet)",
    )
    parser.add_argument(
        "--spark",
        metavar="MASTER",
        help="the cluster that counts, for example spark://host:7077",
    )
