"""Which column of a log is the place of crossings, and where the classes are in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

from phverify.disclosure.classes.rotations import Attributes, numbered
from phverify.disclosure.classes.selected import LARGEST, Ints


def place_and_parts(
    read: Sequence[frozenset[str]], values: Mapping[str, int]
) -> tuple[str, list[list[str]]] | None:
    """The column such that as few sums as possible do not read it, of those with
    several parts, and its parts; ``values`` are how many values each column has.
    """
    several = set(read)
    finest = [one for one in several if not _finer(one, several)]
    found = []
    for name in sorted(values):
        parts = _parts(name, finest)
        sums = 0
        for one in finest:
            sizes = [values[column] for column in one]
            sums += 0 if name in one else prod(sizes)
        if len(parts) > 1:
            found.append((sums, name, parts))
    if not found:
        return None
    _, name, parts = min(found)
    return name, parts


def _finer(one: frozenset[str], several: Iterable[frozenset[str]]) -> bool:
    """Whether others of several have all columns of one, and more."""
    return any(one < other for other in several)


def _parts(name: str, finest: Sequence[frozenset[str]]) -> list[list[str]]:
    """Columns that are read together with one, together where a selection reads them
    together with it.
    """
    parts: list[frozenset[str]] = []
    for one in finest:
        if name not in one:
            continue
        part = one - {name}
        joined = [other for other in parts if other & part]
        parts = [other for other in parts if not other & part]
        parts.append(part.union(*joined))
    return sorted(sorted(part) for part in parts if part)


class CellNumbers:
    """Classes by place and by their values in each part, as numbers.

    ``base`` is what the place of a class adds to the number of its cell, ``shares``
    what its values in each part add; ``fit`` says whether all numbers have 62 bits.
    """

    def __init__(
        self, name: str, parts: Sequence[Sequence[str]], attributes: Attributes
    ) -> None:
        width = len(attributes[name])
        shares = []
        unit = 1
        for names in parts:
            values = numbered(names, attributes, width)
            shares.append(values * min(unit, LARGEST))
            unit *= int(values.max(initial=0)) + 1
        self.places = numbered([name], attributes, width)
        self.fit = unit * (int(self.places.max(initial=0)) + 1) < LARGEST
        self.shares = np.array(shares)
        self.base = self.places * min(unit, LARGEST)

    @property
    def numbers(self) -> Ints:
        """The number of the cell of each class."""
        found: Ints = self.base + self.shares.sum(axis=0)
        return found
