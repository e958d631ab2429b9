"""``phverify.read``: a table read once, for many questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phverify.microdata.dataframes import is_pandas
from phverify.microdata.files import piped
from phverify.microdata.read import opened
from phverify.microdata.read import read as coded
from phverify.microdata.read_once import IN_MEMORY, ReadTable

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


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
    return ReadTable(source, coded(source, where=IN_MEMORY))
