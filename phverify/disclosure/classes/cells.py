"""Which column of a log is the place of crossings, and where the classes are in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import prod

import numpy as np

from phverify.disclosure.classes.rotations import Attributes, numbered
from phverify.disclosure.classes.selected import Ints

Group = tuple[int, ...]
"""Parts that are taken together."""


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
    """Classes by place and by the values in groups of parts, as numbers.

    ``base`` is what the place of a class adds to the number of its cell, ``shares``
    what its values in a group add.  ``ways`` are divisions of the parts into groups:
    each alone, or one against all others.
    """

    def __init__(
        self, name: str, parts: Sequence[Sequence[str]], attributes: Attributes
    ) -> None:
        width = len(attributes[name])
        every = range(len(parts))
        self.whole: Group = tuple(every)
        self.ways: list[list[Group]] = [[(part,) for part in every]]
        if len(parts) > 2:
            for part in every:
                rest = tuple(other for other in every if other != part)
                self.ways.append([(part,), rest])
        alone = []
        unit = 1
        for names in parts:
            values = numbered(names, attributes, width)
            alone.append(values * unit)
            unit *= int(values.max(initial=0)) + 1
        place = numbered([name], attributes, width)
        self.base = place * unit
        self.shares: dict[Group, Ints] = {}
        for group in chain([self.whole], *self.ways):
            self.shares[group] = np.sum([alone[part] for part in group], axis=0)

    def index(self, members: Ints, group: Group) -> dict[int, list[int]]:
        """Some classes by their place and their values in a group."""
        found: dict[int, list[int]] = {}
        numbers = self.base[members] + self.shares[group][members]
        for number, place in zip(numbers.tolist(), members.tolist(), strict=True):
            found.setdefault(number, []).append(place)
        return found
