"""What ``phverify audit`` takes."""

from __future__ import annotations

import argparse

from phverify.cli.arguments.pages import add_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``audit``."""
    parser.add_argument(
        "--database",
        metavar="FILE",
        help="DuckDB, SQLite, Parquet, CSV, or postgresql://user@host/database; opened"
        " read-only",
    )
    parser.add_argument(
        "--log",
        metavar="FILE",
        help="the queries: SQL, or a history as CSV, TSV, JSON, JSON Lines or Parquet"
        " (PostgreSQL's csvlog and jsonlog, BigQuery's JOBS, Snowflake's"
        " QUERY_HISTORY, or --log-columns)",
    )
    parser.add_argument(
        "--log-columns",
        metavar="ROLE=NAME,..",
        help="which columns of the log have what: text=..,time=..,user=..,status=..,"
        "error=..,code=..,answer=..,parameters=..,ok=.. (a status)",
    )
    parser.add_argument(
        "--user",
        metavar="NAME,..",
        action="append",
        help="whose statements: those who could pool their answers (default: all)",
    )
    parser.add_argument(
        "--answers",
        metavar="DIR|FILE",
        help="answers that were kept: 3.csv or 3.json for the third statement, or JSON"
        " Lines with query and rows",
    )
    parser.add_argument(
        "--policy",
        metavar="FILE",
        help="what is public and what is protected, a TOML file",
    )
    parser.add_argument(
        "--demo",
        metavar="bank|census",
        help="audit a packaged example instead of files",
    )
    parser.add_argument(
        "--dialect",
        metavar="NAME",
        help="the dialect of the log, as postgres or tsql (DuckDB's)",
    )
    parser.add_argument(
        "--first", action="store_true", help="stop at the first disclosure"
    )
    parser.add_argument(
        "--reconstruct",
        action="store_true",
        help="do the answers determine the table, up to which row is whose?",
    )
    parser.add_argument(
        "--dltts",
        metavar="FILE",
        help="write the log as a transition system with tags: .svg, .dot or .json",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the report as JSON; - is standard output"
    )
    add_page(parser)
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        help="time for all steps; what is left is undecided",
    )
    parser.add_argument(
        "--ranges",
        metavar="SECONDS",
        help="time after a query for what cells may be (0.5)",
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="show verdicts and queries, but no value of a cell",
    )
