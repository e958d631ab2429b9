"""The shapes of tables: how many rows each class has, in which class everybody named
is, what agents tell apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from phverify.comparison.case import Anchors, Classes, ComparedCase
from phverify.comparison.sides import Names

Numbers = tuple[int, ...]
Blocks = dict[str, Numbers]
"""What agents tell apart: for each a number for each class."""
Labels = tuple[tuple[Names, Numbers], ...]
"""For groups of quasi-identifiers, the number of their value in each class."""


@dataclass(frozen=True, eq=False)
class TableShape:
    """The classes of a table: ``sizes`` (none: any), where named individuals and rows
    are, what agents tell apart.

    ``rows`` gives a named row its class and profile.
    """

    classes: int
    sizes: Numbers = ()
    homes: Mapping[int, int] = field(default_factory=dict)
    rows: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    blocks: Blocks = field(default_factory=dict)
    labels: Labels = ()


def partitions(n: int, count: int, largest: int) -> Iterator[Numbers]:
    """All ways to write n as a descending sum of so many numbers, none of them above
    the largest.
    """
    if count == 1:
        if n <= largest:
            yield (n,)
        return
    for first in range(min(n - count + 1, largest), 0, -1):
        # The others are at most ``first``: together they no longer reach n.
        if first * count < n:
            return
        for rest in partitions(n - first, count - 1, first):
            yield (first, *rest)


def exact_shapes(case: ComparedCase, n: int) -> Iterator[TableShape]:
    """The shapes of all tables with n rows and as many classes as are needed, up to the
    names of classes.
    """
    for count in range(1, min(n, case.most_classes(n)) + 1):
        for sizes in partitions(n, count, n):
            yield from _placed_shapes(case, sizes)


def _placed_shapes(case: ComparedCase, sizes: Numbers) -> Iterator[TableShape]:
    """The shapes with classes of these sizes, each once up to the names of classes."""
    anchors, keys = case.anchors, case.anchors.keys
    count = len(sizes)
    seen: set[object] = set()
    for places in itertools.product(range(count), repeat=len(keys)):
        classes = dict(zip(keys, places, strict=True))
        if not anchors.fits(classes, sizes):
            continue
        for blocks, labels in _blocks(case, count):
            key = _canonical(sizes, classes, blocks)
            if key not in seen:
                seen.add(key)
                shape = TableShape(count, sizes, blocks=blocks, labels=labels)
                yield from _with_rows(case, anchors, classes, shape)


def _canonical(sizes: Numbers, classes: Classes, blocks: Blocks) -> object:
    """The same for shapes that differ in the order of their classes only."""
    # An agent that tells some classes apart and others not: no order is exchanged.
    for numbers in blocks.values():
        if len(set(numbers)) not in (1, len(sizes)):
            return tuple(classes.items()), tuple(blocks.items())
    contents = []
    for cls, size in enumerate(sizes):
        inside = sorted(key for key, place in classes.items() if place == cls)
        contents.append((size, tuple(inside)))
    told_apart = [(agent, len(set(numbers))) for agent, numbers in blocks.items()]
    return tuple(sorted(contents)), tuple(told_apart)


def _with_rows(
    case: ComparedCase, anchors: Anchors, classes: Classes, shape: TableShape
) -> Iterator[TableShape]:
    """The shape with everybody in a class, and with every profile of the named rows."""
    homes = {k: classes[anchors.key("person", k)] for k in anchors.people}
    places = [classes[anchors.key("row", k)] for k in anchors.rows]
    every_profile = range(len(case.choice.profiles))
    for profiles in itertools.product(every_profile, repeat=len(places)):
        cells = zip(places, profiles, strict=True)
        rows = dict(zip(anchors.rows, cells, strict=True))
        yield replace(shape, homes=homes, rows=rows)


def _blocks(case: ComparedCase, classes: int) -> Iterator[tuple[Blocks, Labels]]:
    """What agents with partial knowledge see of the classes: every way that values of
    their columns can give.
    """
    quasi = case.frame.quasi
    everything = frozenset(quasi)
    known: dict[str, frozenset[str]] = {}
    for agent in sorted(case.agents - {"a0", "a1"}):
        known[agent] = frozenset(case.frame.agents[agent])
    own = tuple(range(classes))
    if all(columns in (frozenset(), everything) for columns in known.values()):
        # Everybody tells all classes apart, or none.
        blocks = {agent: own if known[agent] else (0,) * classes for agent in known}
        yield blocks, (((quasi, own),) if quasi else ())
        return
    for labels in _labels(classes, kinds_of_columns(quasi, known.values())):
        blocks = {}
        for agent, columns in known.items():
            visible = [numbers for names, numbers in labels if columns >= set(names)]
            blocks[agent] = _told_apart(visible, classes)
        yield blocks, labels


def _told_apart(visible: Sequence[Numbers], classes: int) -> Numbers:
    """The number of each class's block, for somebody who sees these values."""
    numbers: list[int] = []
    block_of: dict[Numbers, int] = {}
    for cls in range(classes):
        seen = tuple(values[cls] for values in visible)
        # blocks are numbered in the order of their first class
        unused = len(block_of)
        block = block_of.setdefault(seen, unused)
        numbers.append(block)
    return tuple(numbers)


def kinds_of_columns(quasi: Names, known: Iterable[frozenset[str]]) -> list[Names]:
    """Quasi-identifiers that the same agents know, together: they may as well be one
    column.
    """
    sets = list(known)
    groups: dict[tuple[bool, ...], list[str]] = {}
    for column in quasi:
        knowing = tuple(column in columns for columns in sets)
        groups.setdefault(knowing, []).append(column)
    return list(map(tuple, groups.values()))


def _labels(classes: int, kinds: list[Names]) -> Iterator[Labels]:
    """Values of each kind of column by class, so that all together tell the classes
    apart.
    """
    ways = list(growth(classes))
    for numbers in itertools.product(ways, repeat=len(kinds)):
        different = set(zip(*numbers, strict=True))
        if len(different) == classes:
            yield tuple(zip(kinds, numbers, strict=True))


def growth(count: int) -> Iterator[Numbers]:
    """Every partition of so many things, as the number of the part of each."""
    if count == 0:
        yield ()
        return
    # a part's number exceeds those before by at most one: each partition comes once
    for rest in growth(count - 1):
        new = max(rest, default=-1) + 1
        for part in range(new + 1):
            yield (*rest, part)


def relaxed_shapes(case: ComparedCase, more: int) -> Iterator[TableShape]:
    """The classes of all named ones, in every way, and so many further ones, which may
    be empty.

    Individual i may be elsewhere than row i, as beside an original table in another
    order.
    """
    anchors = replace(case.anchors, linked=False)
    for places in growth(len(anchors.keys)):
        classes = dict(zip(anchors.keys, places, strict=True))
        own = max(places, default=-1) + 1
        yield from _with_rows(case, anchors, classes, TableShape(own + more))
