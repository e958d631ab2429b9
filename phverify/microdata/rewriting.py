"""A released table that is written from the files that it comes from.

Arrow reads the rows in batches, in their order, says of each what the release shows of
its class, and writes it: no row becomes a Python object, and no more than a batch is in
memory.  A join in an engine would have to be put into order again, and would have
another engine's types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import refusal
from phverify.exact import Bools, Ints
from phverify.microdata.arrow import plain_column
from phverify.microdata.arrow_tables import HeldTable
from phverify.microdata.attached import AttachedTable
from phverify.microdata.counted import Engine, GroupedRows
from phverify.microdata.csv_batches import NUMBER
from phverify.microdata.duckdb_tables import DuckTable
from phverify.microdata.one_way import (
    released_column,
    released_type,
    usual_floats,
    with_rows_to_take,
)
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import Coded, CodedColumn

if TYPE_CHECKING:
    import pyarrow as pa

AT_ONCE = 1 << 17
"""So many rows are in memory at a time."""


@dataclass(frozen=True, eq=False)
class ShownClasses:
    """What a release shows of each class of the table before sanitization.

    ``texts`` are the released columns that hold other cells than the table, by class;
    ``values`` are columns whose cells are others' of the table: for each class the code
    of one.  Classes that are not ``kept`` are withheld.
    """

    finest: Quotient
    kept: Bools
    texts: Coded
    values: Mapping[str, Ints] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class CodedValues:
    """The different values of a column, with the code of each."""

    values: pa.Array
    codes: Ints
    missing: int
    """The code of a missing cell, -1 where there is none."""

    def codes_of(self, column: pa.ChunkedArray, where: str) -> Ints:
        """The code of each cell.  Raises InputError for a value that is not known."""
        import pyarrow.compute as pc

        places = pc.index_in(column, value_set=self.values)
        lacking = np.asarray(places.is_null())
        # No cell was missing when the table was counted.
        if self.missing < 0 and lacking.any():
            raise changed_since(where)
        # A value that was not there when it was counted.
        if np.asarray(column.is_valid())[lacking].any():
            raise changed_since(where)
        numbers = np.asarray(places.fill_null(0), dtype=np.int64)
        # All cells are missing: there is no value to look up.
        if not len(self.codes):
            return np.full(len(numbers), self.missing)
        return np.where(lacking, self.missing, self.codes[numbers])

    def of_codes(self, codes: Ints) -> pa.Array:
        """A value that has each of these codes; null for a missing cell."""
        import pyarrow

        most = int(self.codes.max(initial=-1)) + 2
        first = np.full(max(most, self.missing + 1), -1)
        # The first one of those that are read alike: later ones are put in before it.
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]
        places = first[codes]
        chosen = pyarrow.array(places, mask=places < 0)
        return self.values.take(chosen)


def changed_since(where: str) -> Exception:
    """The error that a table is another one than what was counted."""
    hint = "give a copy that nobody writes to"
    return refusal(where, "was changed after it was counted", hint)


@dataclass(frozen=True, eq=False)
class Rewriting:
    """A release, to be written from the files of the table: see ``batches``.

    ``columns`` are coded as in ``shown.finest``, one code for each group of ``rows``.
    """

    rows: GroupedRows
    columns: Coded
    shown: ShownClasses
    identifier: str | None

    @property
    def engine(self) -> Engine:
        """Where the rows are."""
        return self.rows.engine

    @property
    def source(self) -> str:
        """What the table is called."""
        return self.engine.source

    @cached_property
    def given(self) -> pa.Schema:
        """The columns of the files with their types; in memory types of one kind.

        Raises InputError.
        """
        return _schema(self.engine)

    @cached_property
    def schema(self) -> pa.Schema:
        """The released columns with their types."""
        import pyarrow

        fields = []
        for given in self.given:
            if given.name == self.identifier:
                continue
            kind = released_type(given.type)
            if given.name in self.shown.texts:
                kind = pyarrow.string()
            fields.append(pyarrow.field(given.name, kind))
        return pyarrow.schema(fields)

    @cached_property
    def known(self) -> Mapping[str, CodedValues]:
        """The values of each quasi-identifier.

        Raises ArrowException where the engine has others than the files.
        """
        known = {}
        for name in self.shown.finest.quasi:
            kind = plain_column(_empty(self.given.field(name).type)).type
            values = plain_column(self.rows.groups.column(name)).cast(kind)
            if _is_csv(self.engine):
                values = _emptied(values)
            known[name] = _coded_values(usual_floats(values), self.columns[name])
        return known

    def batches(self) -> Iterator[pa.Table]:
        """The released rows in the order of the table, as many at a time as are read.

        Raises InputError where the table is another one than what was counted.
        """
        finest = self.shown.finest
        counted = np.zeros(finest.classes, dtype=np.int64)
        for part in _parts(self.engine, self.given):
            classes = self._classes(part)
            # The classes are counted again on the way: the same rows have to come out.
            counted += np.bincount(classes, minlength=finest.classes)
            yield self._released(part, classes)
        if not np.array_equal(counted, finest.sizes):
            raise changed_since(self.source)
        if isinstance(self.engine, DuckTable):
            self.engine.require_unchanged()

    def _classes(self, part: pa.Table) -> Ints:
        """The class of the finest quotient that each row is of."""
        finest = self.shown.finest
        if not finest.quasi:
            return np.zeros(part.num_rows, dtype=np.int64)
        codes = []
        for name in finest.quasi:
            column = usual_floats(plain_column(part.column(name)))
            codes.append(self.known[name].codes_of(column, self.source))
        keys = finest.packing.pack(codes)
        classes = np.searchsorted(finest.class_keys, keys)
        last = finest.classes - 1
        # ``searchsorted`` gives a place for any key: it may be that of another one.
        if not np.array_equal(finest.class_keys[np.minimum(classes, last)], keys):
            raise changed_since(self.source)
        return classes

    def _released(self, part: pa.Table, classes: Ints) -> pa.Table:
        """What is released of some rows."""
        import pyarrow

        kept = self.shown.kept[classes]
        chosen = pyarrow.array(kept)
        # From here on only the rows that are released.
        classes = classes[kept]
        columns = []
        for field_ in self.schema:
            name = field_.name
            if name in self.shown.texts:
                text = self.shown.texts[name]
                codes = pyarrow.array(text.codes[classes])
                column = _texts(text).take(codes)
            elif name in self.shown.values:
                column = self._value(name, classes)
            else:
                column = part.column(name)
                if not kept.all():
                    column = with_rows_to_take(column).filter(chosen)
            columns.append(released_column(column, field_.type))
        return pyarrow.table(columns, schema=self.schema)

    def _value(self, name: str, classes: Ints) -> pa.Array:
        """A column of values of the table: one for each code."""
        codes = self.shown.values.get(name)
        if codes is None:
            codes = self.shown.finest.class_codes[name]
        return self.known[name].of_codes(codes[classes])


def _texts(column: CodedColumn) -> pa.Array:
    import pyarrow

    return pyarrow.array(column.labels, pyarrow.string())


def _coded_values(values: pa.ChunkedArray, coded: CodedColumn) -> CodedValues:
    """The different values of a column whose codes are known, line by line."""
    encoded = values.combine_chunks().dictionary_encode()
    places = np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
    there = places >= 0
    codes = np.zeros(len(encoded.dictionary), dtype=np.int64)
    codes[places[there]] = coded.codes[there]
    lacking = coded.codes[~there]
    missing = int(lacking[0]) if len(lacking) else -1
    return CodedValues(encoded.dictionary, codes, missing)


def _empty(kind: Any) -> pa.ChunkedArray:
    import pyarrow

    return pyarrow.chunked_array([], kind)


def _schema(engine: Engine) -> pa.Schema:
    """The columns of the files behind an engine, in the types that their rows have."""
    import pyarrow
    from pyarrow import parquet

    assert isinstance(engine, DuckTable)
    if isinstance(engine, HeldTable | AttachedTable):
        return engine.schema
    if engine.batches is not None:
        # A CSV file has texts alone.
        fields = [pyarrow.field(name, pyarrow.string()) for name in engine.columns]
        return pyarrow.schema(fields)
    schemas = [parquet.read_schema(file) for file in engine.files]
    fields = []
    for name in engine.columns:
        kinds = [schema.field(name).type for schema in schemas]
        # A column without a value has the type of the others.
        valued = [kind for kind in kinds if not pyarrow.types.is_null(kind)]
        fields.append(pyarrow.field(name, [*valued, *kinds][0]))
    return pyarrow.schema(fields)


def _parts(engine: Engine, schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of the files behind an engine, in their order, some at a time."""
    import pyarrow

    assert isinstance(engine, DuckTable)
    if isinstance(engine, HeldTable | AttachedTable):
        yield from engine.in_order(AT_ONCE)
        return
    if engine.batches is not None:
        for batch in engine.batches():
            # The engine numbers rows in a column of its own, which is not released.
            table = pyarrow.Table.from_batches([batch]).drop_columns([NUMBER])
            columns = [_emptied(column) for column in table.columns]
            yield pyarrow.table(columns, names=table.column_names)
        return
    for file in engine.files:
        yield from _parquet_parts(file, schema)


def _is_csv(engine: Engine) -> bool:
    if isinstance(engine, HeldTable):
        return False
    return isinstance(engine, DuckTable) and engine.batches is not None


def _emptied(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of a CSV file, in which an empty cell is a missing one."""
    import pyarrow
    import pyarrow.compute as pc

    nothing = pyarrow.scalar(None, column.type)
    return pc.if_else(pc.equal(column, ""), nothing, column)


def _parquet_parts(file: str, schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of a Parquet file, their columns as another one has them."""
    import pyarrow
    from pyarrow import parquet

    with parquet.ParquetFile(file) as opened:
        for batch in opened.iter_batches(AT_ONCE):
            table = pyarrow.Table.from_batches([batch])
            columns = []
            for field_ in schema:
                column = table.column(field_.name)
                if column.type != field_.type:
                    column = column.cast(field_.type)
                columns.append(column)
            yield pyarrow.table(columns, names=schema.names)
