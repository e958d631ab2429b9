"""A table that is read once, and asked about as often as one likes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from phverify.microdata.files import TableFile, text_of
from phverify.microdata.table import CodedTable
from phverify.spec.separated import find_separator
from phverify.spec.source import Names
from phverify.words import plural

IN_MEMORY = "table"
"""What a frame is called until a verb says whether it is a release or an original."""


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table in memory that every verb takes in place of a file or a DataFrame.

    Its cells are coded when a question first looks at their column, and never again.
    ``source`` is what releases take their types from, and ``header`` the first line of
    the CSV that it was, whose form they have.
    """

    source: Any
    coded: CodedTable
    header: TableFile | None = None

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.coded.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, in their order."""
        return tuple(self.coded.columns)

    def called(self, where: str) -> CodedTable:
        """The table, by the name that a verb has for it where it is no file."""
        if self.coded.source != IN_MEMORY:
            return self.coded
        return replace(self.coded, source=where)

    def split_otherwise(self, wanted: Names) -> bool:
        """Whether the names of these columns make another separator that of the CSV
        than the one it was read with.
        """
        if self.header is None:
            return False
        with text_of(self.header) as text:
            names = text.readline()
        return find_separator(names, wanted) != find_separator(names, self.columns)

    def __repr__(self) -> str:
        size = f"{plural(self.rows, 'row')}, {plural(len(self.columns), 'column')}"
        return f"ReadTable({self.coded.source!r}: {size})"


def source_of(given: Any) -> Any:
    """What a table was read from, where it has been; else what was given."""
    return given.source if isinstance(given, ReadTable) else given
