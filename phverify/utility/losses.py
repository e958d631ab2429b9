"""What the cells of a release lose, and how large its classes are: exact figures.

Loss is that of ``search`` (Iyengar 2002): the other values that a cell stands for, as a
share of all other values of its column.  Precision is Sweeney's (2002), discernibility
that of Bayardo and Agrawal (2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from phverify.exact import Ints
from phverify.spec.contained import ALL, LEVEL
from phverify.spec.data import Label
from phverify.spec.hierarchies import path_of
from phverify.spec.source import Paths
from phverify.utility.cells import SpreadColumn
from phverify.utility.result import ClassSizes


def loss(column: SpreadColumn) -> Fraction | None:
    """The mean over the released cells of (values it stands for - 1) / (values - 1).

    0 is the column unchanged, 1 all suppressed; None where some cell stands for no
    value that is known.
    """
    if column.unread:
        return None
    others = 0
    for places, count in zip(column.sets, column.occurrences, strict=True):
        besides = len(places) - 1
        others += count * besides
    last = len(column.values) - 1
    all_others = max(last, 1)
    return Fraction(others, column.released * all_others)


def precision(column: SpreadColumn) -> Fraction | None:
    """The mean over the released cells of level / number of levels, counted as loss is:
    0 is the column unchanged.

    A label that several levels have counts as the lowest of them, and as the value of
    its name only where it stands for that alone.  None without a hierarchy, and where
    some cell is no node of it.
    """
    paths = column.meaning.paths
    if not paths:
        return None
    some_path = next(iter(paths.values()))
    depth = len(some_path) - 1
    nodes = _nodes(column, paths)
    nodes.setdefault(ALL, set()).add(depth)
    climbed = 0
    labels = zip(column.labels, column.sets, column.occurrences, strict=True)
    for label, places, count in labels:
        stands_for = [column.values[place] for place in places.tolist()]
        alone = stands_for == [label]
        reached = _level(label, alone, nodes)
        if reached is None:
            return None
        climbed += count * reached
    return Fraction(climbed, column.released * max(depth, 1))


def _nodes(column: SpreadColumn, paths: Paths) -> dict[Label, set[int]]:
    """The levels of each node above the values that occur."""
    nodes: dict[Label, set[int]] = {}
    for value in column.values:
        # A value without a line is itself alone.
        path = path_of(value, paths) or (value,)
        for level, node in enumerate(path):
            nodes.setdefault(node, set()).add(level)
    return nodes


def _level(label: Label, alone: bool, nodes: dict[Label, set[int]]) -> int | None:
    """The level of a released cell, which may stand for its own value ``alone``; None
    where it is no node.
    """
    if label in nodes:
        above = nodes[label] if alone else nodes[label] - {0}
        return min(above or nodes[label])
    # What a search writes for a node that is called as a lower one.
    leveled = LEVEL.fullmatch(label or "")
    if leveled is None:
        return None
    level = int(leveled[2])
    return level if level in nodes.get(leveled[1], ()) else None


def mean_of(figures: Sequence[Fraction | None]) -> Fraction | None:
    """The mean over columns; None where one of them is not known, or there is none."""
    total = Fraction(0)
    for figure in figures:
        if figure is None:
            return None
        total += figure
    if not figures:
        return None
    return total / len(figures)


def class_sizes(codes: Sequence[Ints], withheld: int = 0, rows: int = 0) -> ClassSizes:
    """The classes of records that are alike in all these columns, at least one.

    A withheld record counts in discernibility as the whole table of so many ``rows``.
    """
    classes = np.zeros(len(codes[0]), dtype=np.int64)
    for column in codes:
        width = int(column.max()) + 1
        # Numbered anew after each column: both factors stay below the number of rows.
        _, classes = np.unique(classes * width + column, return_inverse=True)
    sizes = sorted(np.bincount(classes).tolist())
    middle = sizes[(len(sizes) - 1) // 2] + sizes[len(sizes) // 2]
    return ClassSizes(
        number=len(sizes),
        least=sizes[0],
        median=Fraction(middle, 2),
        mean=Fraction(sum(sizes), len(sizes)),
        most=sizes[-1],
        discernibility=sum(size * size for size in sizes) + withheld * rows,
    )
