"""Rows as equations over integers, each with an unknown of its own for its room."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from phverify.disclosure.solving.linear_rows import Atom, LinearRow, Range, Ranges

Ints = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]
COLUMNS = 128
"""So many unknowns equations may have: the time of a reduction grows with the fifth
power of them.
"""
ENTRY = 2**20
"""No coefficient, bound or entry of a basis may be larger."""
WIDTH = 2**12
"""Nor the range of an unknown: one node of a tree may have as many branches."""


@dataclass(frozen=True, eq=False)
class Equations:
    """``matrix x = right`` for integers ``low <= x <= high``, all low < high; ``fixed``
    are atoms of one value.
    """

    columns: tuple[Hashable, ...]
    matrix: Ints
    right: Ints
    low: Ints
    high: Ints
    fixed: Mapping[Atom, int]


def equations(rows: Sequence[LinearRow], ranges: Ranges) -> Equations | None:
    """Rows as equations, with an unknown of its own for each that has room; None where
    they are too large.
    """
    fixed: dict[Atom, int] = {}
    box: dict[Hashable, Range] = {}
    rooms: dict[Hashable, Range] = {}
    left: list[dict[Hashable, int]] = []
    right: list[int] = []
    distinct = {content(row): row for row in rows}
    for room, row in distinct.items():
        parts: dict[Hashable, int] = {}
        known = 0
        for atom, factor in row.parts.items():
            low, high = ranges[atom]
            if low == high:
                fixed[atom] = low
                known += factor * low
            else:
                parts[atom] = factor
                box[atom] = low, high
        least = row.low - known
        if row.exact:
            right.append(least)
        else:
            # sum - room = 0: the room is the sum itself, within the row's bounds.
            parts[room] = -1
            rooms[room] = least, row.high - known
            right.append(0)
        left.append(parts)
    if not box:
        return None
    box |= rooms
    return _as_arrays(left, right, box, fixed)


def _as_arrays(
    left: Sequence[Mapping[Hashable, int]],
    right: Sequence[int],
    box: Mapping[Hashable, Range],
    fixed: Mapping[Atom, int],
) -> Equations | None:
    """Equations, where there are few enough unknowns and no number is too large."""
    ends = list(box.values())
    factors = chain.from_iterable(parts.values() for parts in left)
    numbers = [*right, *chain(*ends), *factors]
    if len(box) > COLUMNS or max(map(abs, numbers)) > ENTRY:
        return None
    # An atom of one value is fixed, and an empty range needs no search.
    if any(not 0 < high - low <= WIDTH for low, high in ends):
        return None
    matrix = np.zeros((len(left), len(box)), dtype=np.int64)
    column = {name: k for k, name in enumerate(box)}
    for row, parts in enumerate(left):
        for name, factor in parts.items():
            matrix[row, column[name]] = factor
    low, high = np.array(ends, dtype=np.int64).T
    bound = np.array(right, dtype=np.int64)
    return Equations(tuple(box), matrix, bound, low, high, fixed)


def content(row: LinearRow) -> Hashable:
    """What a row says, whoever says it; also the name of the unknown that takes up its
    room.
    """
    return "room", frozenset(row.parts.items()), row.low, row.high
