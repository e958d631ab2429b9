"""Columns that are made when they are asked for: a table may have many that no rule
speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

Column = TypeVar("Column")


class ColumnsOnDemand(Mapping[str, Column]):
    """The columns of a table by name; ``make`` makes one of them, once."""

    def __init__(self, names: Sequence[str], make: Callable[[str], Column]) -> None:
        self._names = dict.fromkeys(names)
        self._make = make
        self._made: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        # To know that a column is there it need not be made.
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
