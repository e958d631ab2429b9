"""Columns that are coded when they are asked for: a table may have many that no rule
speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from phverify.microdata.table import CodedColumn


class ColumnsOnDemand(Mapping[str, CodedColumn]):
    """The columns of a table by name; ``code`` codes one of them, once."""

    def __init__(
        self, names: Sequence[str], code: Callable[[str], CodedColumn]
    ) -> None:
        self._names = dict.fromkeys(names)
        self._code = code
        self._coded: dict[str, CodedColumn] = {}

    def __getitem__(self, name: str) -> CodedColumn:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._coded:
            self._coded[name] = self._code(name)
        return self._coded[name]

    def __contains__(self, name: object) -> bool:
        # To know that a column is there it need not be coded.
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
