"""The shapes of tables: how many rows each class has, in which class everybody named
is, what agents tell apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from phverify.comparison.case import Anchors, Case, Classes
from phverify.comparison.frame import Names

Numbers = tuple[int, ...]
Blocks = dict[str, Numbers]
"""What agents tell apart: for each a number for each class."""
Labels = tuple[tuple[Names, Numbers], ...]
"""For groups of quasi-identifiers, the number of their value in each class."""


@dataclass(frozen=True, eq=False)
class Shape:
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
        if first * count < n:
            return
        for rest in partitions(n - first, count - 1, first):
            yield (first, *rest)


def exact_shapes(case: Case, n: int) -> Iterator[Shape]:
    """The shapes of all tables with n rows and as many classes as are needed, up to the
    names of classes.
    """
    anchors, keys = case.anchors, case.anchors.keys
    counts = range(1, min(n, case.most_classes(n)) + 1)
    for sizes in itertools.chain.from_iterable(
        partitions(n, count, n) for count in counts
    ):
        seen: set[object] = set()
        for places in itertools.product(range(len(sizes)), repeat=len(keys)):
            classes = dict(zip(keys, places, strict=True))
            if not anchors.fits(classes, sizes):
                continue
            for blocks, labels in _blocks(case, len(sizes)):
                key = _canonical(sizes, classes, blocks)
                if key not in seen:
                    seen.add(key)
                    shape = Shape(len(sizes), sizes, blocks=blocks, labels=labels)
                    yield from _with_rows(case, anchors, classes, shape)


def _canonical(sizes: Numbers, classes: Classes, blocks: Blocks) -> object:
    """The same for shapes that differ in the order of their classes only."""
    if any(len(set(b)) not in (1, len(sizes)) for b in blocks.values()):
        return tuple(classes.items()), tuple(blocks.items())
    inside = [
        tuple(sorted(key for key, c in classes.items() if c == k))
        for k in range(len(sizes))
    ]
    return tuple(sorted(zip(sizes, inside, strict=True))), tuple(
        (agent, len(set(b))) for agent, b in blocks.items()
    )


def _with_rows(
    case: Case, anchors: Anchors, classes: Classes, shape: Shape
) -> Iterator[Shape]:
    """The shape with everybody in a class, and with every profile of the named rows."""
    homes = {k: classes[anchors.key("person", k)] for k in anchors.people}
    places = [classes[anchors.key("row", k)] for k in anchors.rows]
    for profiles in itertools.product(
        range(len(case.choice.profiles)), repeat=len(places)
    ):
        rows = dict(zip(anchors.rows, zip(places, profiles, strict=True), strict=True))
        yield replace(shape, homes=homes, rows=rows)


def _blocks(case: Case, classes: int) -> Iterator[tuple[Blocks, Labels]]:
    """What agents with partial knowledge see of the classes: every way that values of
    their columns can give.
    """
    quasi = case.frame.quasi
    known = {
        a: frozenset(case.frame.agents[a])
        for a in sorted(case.agents)
        if a not in ("a0", "a1")
    }
    own = tuple(range(classes))
    if all(columns in (frozenset(), frozenset(quasi)) for columns in known.values()):
        yield (
            {a: own if columns else (0,) * classes for a, columns in known.items()},
            (((quasi, own),) if quasi else ()),
        )
        return
    for labels in _labels(classes, kinds_of_columns(quasi, known.values())):
        blocks = {}
        for agent, columns in known.items():
            looks = [numbers for names, numbers in labels if columns.issuperset(names)]
            known_as: dict[Numbers, int] = {}
            seen = [tuple(numbers[k] for numbers in looks) for k in own]
            blocks[agent] = tuple(
                known_as.setdefault(look, len(known_as)) for look in seen
            )
        yield blocks, labels


def kinds_of_columns(quasi: Names, known: Iterable[frozenset[str]]) -> list[Names]:
    """Quasi-identifiers that the same agents know, together: they may as well be one
    column.
    """
    sets = list(known)
    groups: dict[tuple[bool, ...], list[str]] = {}
    for column in quasi:
        groups.setdefault(tuple(column in one for one in sets), []).append(column)
    return list(map(tuple, groups.values()))


def _labels(classes: int, kinds: list[Names]) -> Iterator[Labels]:
    """Values of each kind of column by class, so that all together tell the classes
    apart.
    """
    for found in itertools.product(list(growth(classes)), repeat=len(kinds)):
        if len(set(zip(*found, strict=True))) == classes:
            yield tuple(zip(kinds, found, strict=True))


def growth(count: int) -> Iterator[Numbers]:
    """Every partition of so many things, as the number of the part of each."""
    if count == 0:
        yield ()
        return
    for rest in growth(count - 1):
        for k in range(max(rest, default=-1) + 2):
            yield (*rest, k)


def relaxed_shapes(case: Case, more: int) -> Iterator[Shape]:
    """The classes of all named ones, in every way, and so many further ones, which may
    be empty.

    Individual i may be elsewhere than row i, as beside an original table in another
    order.
    """
    anchors = replace(case.anchors, linked=False)
    for places in growth(len(anchors.keys)):
        classes = dict(zip(anchors.keys, places, strict=True))
        yield from _with_rows(
            case, anchors, classes, Shape(max(places, default=-1) + 1 + more)
        )
