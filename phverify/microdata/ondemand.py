"""Columns that are made when they are asked for: a table may have many that no rule
speaks of.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import TypeVar

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
        """Make those of these columns that are Arrow's, in two threads.

        What fails is made again when it is asked for, and tells then.
        """
        later = self._arrow - self._made.keys()
        left = deque(name for name in names if name in later)
        if len(left) < 2:
            return

        def make() -> None:
            # Each takes the next column, until there is none.
            with suppress(IndexError):
                while True:
                    self._make_or_leave(left.popleft())

        beside = Thread(target=make)
        try:
            beside.start()
            make()
            beside.join()
        finally:
            # Whoever interrupts waits for no more than the columns that were begun.
            left.clear()

    def _make_or_leave(self, name: str) -> None:
        with suppress(Exception):
            self._made[name] = self._make(name)

    def __contains__(self, name: object) -> bool:
        # To know that a column is there it need not be made.
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
