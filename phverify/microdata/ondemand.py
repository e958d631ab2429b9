"""Columns that are made when they are asked for: a table may have many that no rule
speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from phverify.errors import InputError

Column = TypeVar("Column")


class ColumnsOnDemand(Mapping[str, Column]):
    """The columns of a table by name; ``make`` makes one of them, once.

    Those of ``arrow`` are made by Arrow, which lets go of the interpreter.
    """

    def __init__(
        self,
        names: Sequence[str],
        make: Callable[[str], Column],
        arrow: Iterable[str] = (),
    ) -> None:
        self._names = dict.fromkeys(names)
        self._make = make
        self._arrow = frozenset(arrow)
        self._made: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def make_ahead(self, names: Iterable[str]) -> None:
        """Make those of these columns that are Arrow's, half of them in another thread.

        What fails is made again when it is asked for, and tells then.
        """
        later = self._arrow - self._made.keys()
        wanted = [name for name in names if name in later]
        if len(wanted) < 2:
            return
        # Small tables load no threads.
        from concurrent.futures import ThreadPoolExecutor

        beside = ThreadPoolExecutor(max_workers=1)
        try:
            making = {name: beside.submit(self._make, name) for name in wanted[1::2]}
            for name in wanted[::2]:
                with suppress(InputError):
                    self._made[name] = self._make(name)
            for name, column in making.items():
                with suppress(InputError):
                    self._made[name] = column.result()
        finally:
            # Whoever interrupts waits for one column, and no more.
            beside.shutdown(cancel_futures=True)

    def __contains__(self, name: object) -> bool:
        # To know that a column is there it need not be made.
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
