"""Tables that Spark counts: Parquet files where its workers see them, and DataFrames.

Only groups leave Spark, as Arrow tables; rows stay where they are.  The rows of files
are numbered in the order of the files' names.  Those of a DataFrame have no order: they
are numbered by their values, the first column first, which is the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

import numpy as np

from phverify.errors import InputError, Problem, refusal
from phverify.exact import Ints
from phverify.microdata.counted import COUNT, FIRST, GROUP, ROW, integers
from phverify.microdata.csv_batches import NUMBER
from phverify.microdata.headers import unique_names
from phverify.microdata.many import rows_of_files
from phverify.microdata.spark_session import reason, require_classic
from phverify.microdata.spark_types import require_counted
from phverify.microdata.sql_tables import SqlTable
from phverify.microdata.table import Parts
from phverify.spec.source import Names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

QUOTE = "`"
PART = "phverify_part"
BEFORE = "phverify_before"
"""Columns with the part of a table that a row is in, and how many rows are in the parts
before it.
"""
PLACES = 2**33 - 1
"""The bits of an increasing id that count within a part."""


@dataclass(frozen=True, eq=False)
class SparkWork:
    """What is done in a session, and undone at its end."""

    source: str
    session: SparkSession
    ending: ExitStack
    _names: dict[str, str] = field(default_factory=dict)

    def view(self, what: str, frame: DataFrame) -> str:
        """The name of a DataFrame in queries; one that was called so before is not."""
        if what not in self._names:
            name = f"phverify_{what}_{uuid4().hex}"
            self._names[what] = name
            self.ending.callback(self._forget, name)
        frame.createOrReplaceTempView(self._names[what])
        return self._names[what]

    def _forget(self, name: str) -> None:
        # A session that was lost has nothing to forget.
        with suppress(Exception):
            self.session.catalog.dropTempView(name)

    def asked(self, query: str, given: Sequence[str] = ()) -> pa.Table:
        """The answer to a query.  Raises InputError."""
        ask = partial(self.session.sql, query, args=list(given))
        return self.answer(ask)

    def answer(self, frame: Callable[[], DataFrame], hint: str = "") -> pa.Table:
        """What is in a DataFrame.  Raises InputError where Spark fails."""
        import pyarrow
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            return frame().toArrow()
        except (PySparkException, Py4JError, pyarrow.ArrowException, OSError) as error:
            what = f"cannot be read by Spark: {reason(error)}"
            # It may quote a cell.
            raise refusal(self.source, what, hint, True) from None

    def numbered(self, frame: DataFrame, before: Mapping[Any, int]) -> DataFrame:
        """A DataFrame whose ``NUMBER`` counts the rows of the parts before, too."""
        import pyarrow
        from pyspark.sql import functions

        columns = {PART: list(before), BEFORE: list(before.values())}
        parts = self.session.createDataFrame(pyarrow.table(columns))
        joined = frame.join(functions.broadcast(parts), PART)
        number = functions.col(NUMBER) + functions.col(BEFORE)
        return joined.withColumn(NUMBER, number)


@dataclass(frozen=True, eq=False)
class SparkTable(SqlTable):
    """One table in a session of Spark.

    ``unread`` are the columns that Spark does not count as they are, with the reasons.
    """

    work: SparkWork
    unread: Mapping[str, str]
    quote: ClassVar[str] = QUOTE

    @property
    def notes(self) -> Names:
        """What reading it decided."""
        return rows_of_files(self.parts)

    @property
    def parts(self) -> Parts:
        """Its files, where there are several."""
        return ()

    def _asked(self, query: str, given: Sequence[str] = ()) -> pa.Table:
        """The answer to a query.  Raises InputError where there is none."""
        return self.work.asked(query, given)

    def _beside(self, groups: pa.Table) -> str:
        frame = self.work.session.createDataFrame(groups)
        return self.work.view("groups", frame)

    def grouped(self, names: Names) -> pa.Table:
        """Each combination of values of some columns, with ``COUNT`` and ``FIRST``.

        Raises InputError for a column that Spark does not count as it is.
        """
        self._require_read(names)
        return super().grouped(names)

    def _require_read(self, names: Names) -> None:
        problems = []
        for name in names:
            if name in self.unread:
                what = f"Spark does not count the column {name!r}: {self.unread[name]}"
                hint = "write it as text, or use another engine"
                problems.append(Problem(self.source, what, hint))
        if problems:
            raise InputError(problems)


@dataclass(frozen=True, eq=False)
class SparkFrame(SparkTable):
    """A DataFrame of Spark, whose rows are numbered when somebody asks for one."""

    frame: DataFrame

    def grouped(self, names: Names) -> pa.Table:
        """Each combination of values of some columns, with ``COUNT`` and ``FIRST``.

        Groups come in the order of their values, as rows do: ``FIRST`` numbers them.
        """
        self._require_read(names)
        shown = ", ".join(map(self._name, names))
        listed = ", ".join([*map(self._name, names), f"count(*) AS {COUNT}"])
        query = f"SELECT {listed} FROM {self.relation}"
        if names:
            query = f"{query} GROUP BY {shown} ORDER BY {shown}"
        groups = self._asked(query)
        first = [np.arange(groups.num_rows)]
        return groups.append_column(FIRST, first)

    def first_rows(self, groups: pa.Table, names: Names) -> Ints:
        """The first row of each of these groups: rows are numbered for it."""
        import pyarrow

        # What numbers the groups is no number of a row.
        numbers = pyarrow.array(np.arange(groups.num_rows))
        numbered = groups.select(list(names)).append_column(GROUP, numbers)
        first = f"SELECT {GROUP}, min({ROW}) AS {FIRST}"
        paired = self._paired(numbered, names)
        query = f"{first} FROM ({paired}) AS p GROUP BY {GROUP} ORDER BY {GROUP}"
        return integers(self._asked(query), FIRST)

    def _numbered(self) -> str:
        return self._in_order

    @cached_property
    def _in_order(self) -> str:
        """The rows in the order of their values, with their numbers.

        They are sorted once, on the disks of the workers.
        """
        from pyspark import StorageLevel
        from pyspark.sql import functions

        names = [self._name(name) for name in self.columns if name not in self.unread]
        part = functions.spark_partition_id().alias(PART)
        # Its upper bits are the part, its lower ones the place there.
        place = functions.monotonically_increasing_id().bitwiseAND(PLACES).alias(NUMBER)
        ordered = self.frame.select(*names).sort(*names).select("*", part, place)
        stored = ordered.persist(StorageLevel.DISK_ONLY)
        self.work.ending.callback(_unstore, stored)

        sizes = self.work.answer(lambda: stored.groupBy(PART).count().sort(PART))
        before = {}
        rows = 0
        for part_number, size in zip(*sizes.to_pydict().values(), strict=True):
            before[part_number] = rows
            rows += size
        return self.work.view("numbered", self.work.numbered(stored, before))


def _unstore(frame: DataFrame) -> None:
    # A session that was lost stores nothing.
    with suppress(Exception):
        frame.unpersist()


def frame_in_spark(frame: DataFrame, work: SparkWork) -> SparkFrame:
    """A DataFrame in its own session.  Raises InputError for one that has no end, or
    whose columns its session does not tell apart.
    """
    require_classic(frame, work.source)
    if frame.isStreaming:
        what = "is a stream, and a release has an end"
        raise refusal(work.source, what, "write it as Parquet, and give that")
    columns = tuple(unique_names(frame.columns, work.source))
    _require_told_apart(columns, work)
    unread = {}
    for column in frame.schema.fields:
        try:
            require_counted(column.dataType)
        except ValueError as error:
            unread[column.name] = str(error)
    view = work.view("rows", frame)
    return SparkFrame(work.source, columns, view, NUMBER, work, unread, frame)


def _require_told_apart(columns: Names, work: SparkWork) -> None:
    """Raises InputError where names differ in capital letters alone, which sessions of
    Spark ignore unless they are told not to.
    """
    if work.session.conf.get("spark.sql.caseSensitive") == "true":
        return
    if len({name.casefold() for name in columns}) < len(columns):
        what = "has columns whose names differ in capital letters alone"
        hint = "set spark.sql.caseSensitive to true in its session"
        raise refusal(work.source, what, hint)
