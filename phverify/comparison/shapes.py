"""The shapes of tables: how many rows each class has, in which class everybody named is, what agents tell apart."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from phverify.comparison.encode import Labels, Shape
from phverify.comparison.frame import Frame


@dataclass(frozen=True)
class Anchors:
    """Who and what formulas name.  ``linked``: individual k is the person behind row k."""

    people: tuple[int, ...]
    rows: tuple[int, ...]
    linked: bool

    @property
    def least(self) -> int:
        """A table that has all of them has so many rows."""
        own = [max(self.people, default=-1) + 1] if self.linked else [len(self.people)]
        return max(1, *own, max(self.rows, default=-1) + 1)

    @property
    def keys(self) -> tuple[tuple[str, int], ...]:
        """What is put into classes: an individual and the row of the same number together, where they are linked."""
        if self.linked:
            return tuple(("both", k) for k in sorted({*self.people, *self.rows}))
        return (*(("person", k) for k in self.people), *(("row", k) for k in self.rows))

    def split(self, classes: Mapping[tuple[str, int], int]) -> tuple[dict[int, int], dict[int, int]]:
        """The classes of the individuals and of the rows."""
        found = [{k: c for (kind, k), c in classes.items() if kind in (own, "both")} for own in ("person", "row")]
        return {k: found[0][k] for k in self.people}, {k: found[1][k] for k in self.rows}

    def fits(self, classes: Mapping[tuple[str, int], int], sizes: Sequence[int]) -> bool:
        """Whether every class has the rows that it needs."""
        needs = Counter((kind, c) for (kind, _), c in classes.items())
        return all(many <= sizes[c] for (_, c), many in needs.items())


def partitions(n: int, most: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """All ways to write n as a descending sum of at most ``most`` numbers, fewer numbers first."""
    for count in range(1, min(n, most) + 1):
        yield from _exactly(n, count, largest or n)


def _exactly(n: int, count: int, largest: int) -> Iterator[tuple[int, ...]]:
    if count == 1:
        if n <= largest:
            yield (n,)
        return
    for first in range(min(n - count + 1, largest), 0, -1):
        if first * count < n:
            return
        for rest in _exactly(n - first, count - 1, first):
            yield (first, *rest)


def exact_shapes(n: int, most: int, anchors: Anchors, profiles: int, frame: Frame, agents: set[str]) -> Iterator[Shape]:
    """The shapes of all tables with n rows and at most so many classes, up to the names of classes."""
    for sizes in partitions(n, most):
        seen: set[object] = set()
        for places in itertools.product(range(len(sizes)), repeat=len(anchors.keys)):
            classes = dict(zip(anchors.keys, places, strict=True))
            if not anchors.fits(classes, sizes):
                continue
            for blocks, labels in _blocks(len(sizes), frame, agents):
                key = _canonical(sizes, classes, blocks)
                if key not in seen:
                    seen.add(key)
                    yield from _with_rows(sizes, anchors, classes, profiles, blocks, labels)


def _canonical(
    sizes: Sequence[int], classes: Mapping[tuple[str, int], int], blocks: dict[str, tuple[int, ...]]
) -> object:
    """The same for shapes that differ in the order of their classes only."""
    if any(len(set(b)) not in (1, len(sizes)) for b in blocks.values()):
        return tuple(classes.items()), tuple(blocks.items())
    inside = [tuple(sorted(key for key, c in classes.items() if c == k)) for k in range(len(sizes))]
    return (tuple(sorted(zip(sizes, inside, strict=True))), tuple((a, len(set(b))) for a, b in blocks.items()))


def _with_rows(
    sizes: tuple[int, ...] | None,
    anchors: Anchors,
    classes: Mapping[tuple[str, int], int],
    profiles: int,
    blocks: Mapping[str, tuple[int, ...]],
    labels: Labels,
    count: int = 0,
) -> Iterator[Shape]:
    people, rows = anchors.split(classes)
    for found in itertools.product(range(profiles), repeat=len(rows)):
        placed = tuple((row, c, p) for (row, c), p in zip(rows.items(), found, strict=True))
        many = len(sizes) if sizes else count
        yield Shape(many, sizes, tuple(people.items()), placed, tuple(blocks.items()), labels)


def _blocks(classes: int, frame: Frame, agents: set[str]) -> Iterator[tuple[dict[str, tuple[int, ...]], Labels]]:
    """What agents with partial knowledge see of the classes: every way that values of their columns can give."""
    known = {a: frozenset(frame.agents[a]) for a in sorted(agents) if a not in ("a0", "a1")}
    quasi = frozenset(frame.quasi)
    own = tuple(range(classes))
    if all(columns in (frozenset(), quasi) for columns in known.values()):
        blocks = {a: own if columns else (0,) * classes for a, columns in known.items()}
        yield blocks, ((tuple(frame.quasi), own),) if frame.quasi else ()
        return
    for labels in _labels(classes, kinds_of_columns(frame.quasi, known.values())):
        seen = {
            a: [tuple(v[k] for c, v in labels if columns.issuperset(c)) for k in own] for a, columns in known.items()
        }
        yield {a: _ranked(items) for a, items in seen.items()}, labels


def kinds_of_columns(quasi: Iterable[str], known: Iterable[frozenset[str]]) -> list[tuple[str, ...]]:
    """Quasi-identifiers that the same agents know, together: they may as well be one column."""
    sets = list(known)
    groups: dict[tuple[bool, ...], list[str]] = {}
    for column in quasi:
        groups.setdefault(tuple(column in s for s in sets), []).append(column)
    return [tuple(columns) for columns in groups.values()]


def _labels(classes: int, kinds: list[tuple[str, ...]]) -> Iterator[Labels]:
    """Values of each kind of column by class, so that all together tell the classes apart."""
    for found in itertools.product(list(growth(classes)), repeat=len(kinds)):
        if len(set(zip(*found, strict=True))) == classes:
            yield tuple(zip(kinds, found, strict=True))


def _ranked(items: list[tuple[int, ...]]) -> tuple[int, ...]:
    known: dict[tuple[int, ...], int] = {}
    return tuple(known.setdefault(item, len(known)) for item in items)


def growth(count: int) -> Iterator[tuple[int, ...]]:
    """Every partition of so many things, as the number of the part of each."""
    if count == 0:
        yield ()
        return
    for rest in growth(count - 1):
        for k in range(max(rest, default=-1) + 2):
            yield (*rest, k)


def relaxed_shapes(anchors: Anchors, more: int, profiles: int) -> Iterator[Shape]:
    """The classes of all named ones, in every way, and so many further ones, which may be empty."""
    for places in growth(len(anchors.keys)):
        classes = dict(zip(anchors.keys, places, strict=True))
        yield from _with_rows(None, anchors, classes, profiles, {}, (), max(places, default=-1) + 1 + more)
