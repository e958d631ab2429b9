"""Worlds of many rows, executed again: the statements of the log over a table where one
sensitive column is otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import Any

import numpy as np

from phverify.disclosure.classes.fragment import OutsideClasses
from phverify.disclosure.classes.selected import Ints
from phverify.disclosure.log.query import quoted
from phverify.disclosure.pool import same
from phverify.disclosure.worlds.database import (
    INTEGERS,
    SEALED,
    Database,
    Rows,
    load_duckdb,
)
from phverify.disclosure.worlds.unknowns import AuditFrame
from phverify.errors import Defect
from phverify.microdata.interruptible import GIVEN, Interruptible

COPIED = INTEGERS - {"HUGEINT", "UHUGEINT"} | {"VARCHAR", "BOOLEAN", "DATE"}
"""Types that Arrow has as they are; of others the road of single cells makes copies."""


class ClassReplays:
    """The table in memory, as often as a column is otherwise in it."""

    def __init__(self, frame: AuditFrame, source: Database) -> None:
        self.frame = frame
        names = frame.policy.columns
        for name in names:
            kind = frame.types.get(name, "")
            decimal = kind.startswith("DECIMAL(")
            if kind not in COPIED and not decimal:
                raise OutsideClasses(f"a column of {kind}")
        several = map(quoted, names)
        shown = ", ".join(several)
        policy = frame.policy
        order = quoted(policy.key)
        table = quoted(policy.table)
        asked = f"SELECT {shown} FROM {table} ORDER BY {order}"

        def copy(plain: Any) -> Any:
            answer = plain.sql(asked)
            return answer.to_arrow_table()

        copied = source.connection.ask(copy)
        duckdb = load_duckdb()
        memory = duckdb.connect(":memory:", config=SEALED)
        connection = closing(Interruptible(memory))
        self.connection = source.opened.enter_context(connection)
        self.connection.run("CREATE SCHEMA data")
        made = f"CREATE TABLE data.rows AS SELECT * FROM {GIVEN}"
        self.connection.taken(copied, made)
        self.replayed: dict[str, tuple[Rows, Rows]] = {}

    def replay(
        self, column: str, codes: Ints, asked: Iterable[tuple[str, Rows]]
    ) -> None:
        """Executes statements where a column has these codes.

        Raises Defect where an answer differs, or a cell is outside its domain.
        """
        coding = self.frame.codings[column]
        above = codes >= coding.low
        below = codes <= coding.high
        inside = above & below
        if coding.gaps:
            possible = np.array(coding.gaps)
            inside &= np.isin(codes, possible)
        if not inside.all():
            raise Defect(f"a second world has a {column} outside its domain")
        self._make(column, codes)
        for sql, answer in asked:
            replayed = self.connection.rows(sql)
            # Mostly the rows are those of the last world, in the same order.
            before = self.replayed.get(sql)
            again = before is not None and before == (answer, replayed)
            if not again and not same(replayed, answer):
                raise Defect(f"a second world answers {sql!r} otherwise")
            self.replayed[sql] = answer, replayed

    def _make(self, column: str, codes: Ints) -> None:
        """The table with another column."""
        import pyarrow

        coding = self.frame.codings[column]
        cells: Any = codes
        if not coding.integral:
            values = np.array(coding.domain.values, dtype=object)
            cells = values[codes]
        array = pyarrow.array(cells)
        world = pyarrow.table({"cell": array})
        name = quoted(column)
        table = quoted(self.frame.policy.table)
        kind = self.frame.types[column]
        otherwise = (
            f"CREATE OR REPLACE TABLE main.{table} AS SELECT b.* REPLACE"
            f" (w.cell::{kind} AS {name}) FROM data.rows b POSITIONAL JOIN {GIVEN} w"
        )
        self.connection.taken(world, otherwise)
