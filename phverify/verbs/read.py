"""``phverify.read``: a table read once, for many questions."""

from __future__ import annotations

import csv
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from phverify.errors import InputError
from phverify.microdata.dataframes import is_pandas
from phverify.microdata.files import TableFile, piped, text_of
from phverify.microdata.many import ManyFiles
from phverify.microdata.read import opened
from phverify.microdata.read import read as coded
from phverify.microdata.read_once import IN_MEMORY, ReadTable
from phverify.spec.separated import SEPARATORS

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource
    from phverify.microdata.table import CodedTable


def read(table: TableSource) -> ReadTable:
    """Read a table once, for many questions: every verb takes what this returns.

    ``table`` is a file or a frame as the verbs take it.  What happens to a DataFrame
    afterwards changes nothing here.  Answers are those about ``table`` itself; as of
    any table in memory, no certificate names a file.  Raises InputError.
    """
    if isinstance(table, ReadTable):
        return table
    source = opened(piped(table), IN_MEMORY)
    if is_pandas(source):
        source = source.copy()
    if isinstance(source, ManyFiles):
        source = ManyFiles(source.name, tuple(map(_kept, source.files)))
    if isinstance(source, TableFile):
        source = _kept(source)
    header = _header(source)
    return ReadTable(source, _coded(source, header), header)


def _kept(file: TableFile) -> TableFile:
    """A CSV with its text in memory, where the columns that a policy names may say that
    it has another separator: then it is read anew.
    """
    if len(_ways(file)) < 2:
        return file
    with file.load() as raw:
        return TableFile(file.name, raw.read())


def _header(source: Any) -> TableFile | None:
    """The first line of a CSV, of the first of many; None for what is no CSV."""
    file = source.files[0] if isinstance(source, ManyFiles) else source
    if not isinstance(file, TableFile):
        return None
    with file.load() as raw:
        return TableFile(file.name, raw.readline())


def _ways(file: TableFile) -> list[list[str]]:
    """The columns of a CSV by each separator by which it has several."""
    with text_of(file) as text:
        header = text.readline()
    ways = []
    for separator in SEPARATORS:
        names = next(csv.reader([header], delimiter=separator), [])
        if len(names) > 1:
            ways.append(names)
    return ways


def _coded(source: Any, header: TableFile | None) -> CodedTable:
    """The table; where no policy says which separator a CSV has, its rows do."""
    try:
        return coded(source, where=IN_MEMORY)
    except InputError:
        for names in () if header is None else _ways(header):
            with suppress(InputError):
                return coded(source, names, IN_MEMORY)
        raise
