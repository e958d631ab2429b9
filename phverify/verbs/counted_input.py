"""The table of a search: its rows counted where they are, or read into memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from phverify.errors import refusal
from phverify.generalization.rows_later import RowsLater, SampledRows
from phverify.microdata.at_hand import at_hand
from phverify.microdata.counted import GroupedRows
from phverify.microdata.engines import AskedCount, counted, named_engine
from phverify.microdata.files import TableFile
from phverify.microdata.kept_groups import of_one_value
from phverify.microdata.table import CodedTable
from phverify.policy.formulas import columns_used
from phverify.policy.model import Policy
from phverify.spec.released import by_number
from phverify.spec.sampling import RecordSample


def search_engine(engine: object) -> str:
    """The engine of a search.  Raises InputError for what there is not."""
    named = named_engine(engine)
    if named == "spark":
        what = "searches count rows in DuckDB or in memory, and this asks for Spark"
        raise refusal("engine", what, "write the table as Parquet, and use duckdb")
    return named


def started(
    source: Any, policy: Policy, engine: str, sample: RecordSample | None = None
) -> tuple[CodedTable, RowsLater]:
    """The table of a search, counted in an engine or read, and how its rows are read.

    A ``sample`` is drawn from all rows, which are read for it.  Searches of one table
    that follow one another share both: ``source`` is then what the first one had as the
    second.  Raises InputError.
    """
    if isinstance(source, RowsLater):
        return source.counted or source.table, source
    held = at_hand(source, engine, "table")
    if sample is not None:
        named_by_record(policy)
        rows = SampledRows(held, policy.named, sample=sample)
        return rows.table, rows
    table = counted_input(held, policy, engine)
    later = RowsLater(held, policy.named, table)
    return table or later.table, later


def named_by_record(policy: Policy) -> None:
    """Raises InputError where a policy names individuals by the number of their record:
    whether that is one of the table or of the sample, nobody could tell.
    """
    if by_number(policy):
        what = "names individuals by number (i1, i2, ..) while a sample is drawn"
        raise refusal(policy.source, what, "name them by an identifier, in quotes")


def counted_input(source: Any, policy: Policy, engine: str) -> CodedTable | None:
    """The table of a search, counted in an engine; None where rows are to be read.

    Raises InputError.
    """
    if isinstance(source, TableFile):
        if engine == "duckdb":
            what = "DuckDB counts files, and this comes through a pipe"
            raise refusal(source.name, what, "save it as a file first")
        return None
    used = columns_used(policy)
    grouping = tuple(dict.fromkeys((*policy.quasi, *used)))
    read = {*policy.sensitive, *policy.types}
    others = [name for name in policy.columns if name not in grouping]
    alone = tuple(name for name in others if name in read)
    unread = tuple(name for name in others if name not in read)
    asked = AskedCount(grouping, alone, policy.named, unread)
    table = counted(source, engine, asked)
    if table is None or not isinstance(table.elsewhere, GroupedRows):
        return table
    engine_of_rows = table.elsewhere.engine
    there = tuple(name for name in unread if name in table.columns)
    if not there:
        return table
    columns = dict(table.columns)
    # Of a column that nothing asks about only missing cells are said.
    for name, missing in zip(there, engine_of_rows.missing(there), strict=True):
        columns[name] = of_one_value(["some"], table.rows, missing)
    return replace(table, columns=columns)


def in_order(table: CodedTable) -> CodedTable:
    """A counted table with its groups in the order of their first rows.

    Tuples are numbered in that order, whatever order an engine counts in.
    """
    rows = table.elsewhere
    if not isinstance(rows, GroupedRows):
        return table
    order = np.argsort(rows.ranks, kind="stable")
    groups = rows.groups.take(order)
    ordered = GroupedRows(rows.engine, rows.grouped, groups, rows.counts[order])
    columns = dict(table.columns)
    for name in rows.grouped:
        codes = columns[name].codes[order]
        columns[name] = replace(columns[name], codes=codes, counts=ordered.counts)
    return replace(table, columns=columns, elsewhere=ordered)
