"""Candidate sets: for each released record, the originals that it can come from as far as some attributes tell.

Attributes whose released values part the originals (generalization, where each original value can have become one
released value at most) make blocks: one grouped count of both tables gives every candidate set's size.  The others
(cells suppressed here and there, overlapping intervals, random tables) are intersected within a block, once for each
distinct released tuple, as bit masks while sets are large and as lists when they are small; released tuples with a
common prefix share its intersection.  Never all pairs of records.

A random masking makes the belief a probability: see ``chances``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from phverify.exact import LIMIT, Ints
from phverify.linkage.candidates.masking import Relation
from phverify.linkage.candidates.truth import Truth
from phverify.microdata.quotient import packed, ranked
from phverify.symbolic.models import bits, mask

CACHE = 2**28
"""Bytes of bit masks that are kept at a time."""
SPARSE = 32
"""Sets with at most one in so many originals of a block are kept as lists."""

Members = int | Ints
"""Some originals of a block: bits over its originals, or their places, rising."""


@dataclass(frozen=True, eq=False)
class Linkage:
    """Two tables ready to be linked: a relation for each attribute, and the true records."""

    relations: Mapping[str, Relation]
    originals: int
    released: int
    truth: Truth
    sources: tuple[str, str] = ("original", "release")

    @property
    def inferred(self) -> tuple[str, ...]:
        """The attributes that are read by a mapping that nobody declared."""
        return tuple(name for name, found in self.relations.items() if found.inferred)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate sets of one attacker, who knows ``attributes``."""

    linkage: Linkage
    attributes: tuple[str, ...]

    @cached_property
    def relations(self) -> list[Relation]:
        return [self.linkage.relations[name] for name in self.attributes]

    @cached_property
    def parting(self) -> list[Relation]:
        """The attributes that part the originals into blocks."""
        return [found for found in self.relations if found.functional and not found.random]

    @cached_property
    def loose(self) -> list[Relation]:
        """The other attributes, those with most released values first."""
        rest = [found for found in self.relations if not found.functional and not found.random]
        return sorted(rest, key=lambda found: -len(found.after.labels))

    @cached_property
    def random(self) -> list[Relation]:
        return [found for found in self.relations if found.random]

    @cached_property
    def keys(self) -> tuple[Ints, Ints, int]:
        """The block of each original and of each released record, by comparable numbers, and how many there could be.

        An original that could have become nothing that is released is in a block with no released record.
        """
        sizes = [len(found.after.labels) + 1 for found in self.parting]
        before = [found.image_of[found.before.codes] for found in self.parting]
        after = [found.after.codes for found in self.parting]
        n, released = self.linkage.originals, self.linkage.released
        if math.prod(sizes) < LIMIT:
            return packed(before, sizes, n)[1], packed(after, sizes, released)[1], math.prod(sizes)
        columns = [np.concatenate(pair) for pair in zip(before, after, strict=True)]
        distinct, keys = np.unique(packed(columns, sizes, n + released)[1], return_inverse=True)
        return keys[:n], keys[n:], len(distinct)

    @cached_property
    def sizes(self) -> Ints:
        """For each released record, how many originals it can come from."""
        if self.loose or self.random:
            return self.view_sizes[self.tuples[1]]
        return self.block_sizes

    @cached_property
    def block_sizes(self) -> Ints:
        """For each released record, how many originals are in its block."""
        return _occurrences(*self.keys)

    @cached_property
    def classes(self) -> Ints:
        """For each released record, how many released records agree with it in the attributes."""
        if not self.loose and not self.random:
            return _occurrences(self.keys[1], self.keys[1], self.keys[2])
        _, number, count = self.tuples
        return _occurrences(number, number, count)

    @cached_property
    def tuples(self) -> tuple[Ints, Ints, int]:
        """A record of each distinct released tuple, the tuple's number for each record, and how many there are."""
        columns = [found.after.codes for found in self.relations]
        widths = [len(found.after.labels) for found in self.relations]
        _, keys, space = packed(columns, widths, self.linkage.released)
        distinct, numbers = ranked(keys, space)
        first = np.empty(len(distinct), dtype=np.int64)
        first[numbers[::-1]] = np.arange(self.linkage.released)[::-1]
        return first, numbers, len(distinct)

    @cached_property
    def view_sizes(self) -> Ints:
        """For each distinct released tuple, how many originals it can come from, whatever the attributes are."""
        sizes = np.zeros(self.tuples[2], dtype=np.int64)
        for view, found in self.members():
            sizes[view] = found.bit_count() if isinstance(found, int) else len(found)
        return sizes

    @cached_property
    def blocks(self) -> tuple[Ints, Ints]:
        """The originals sorted by block, and the sorted blocks themselves."""
        order = np.argsort(self.keys[0], kind="stable")
        return order, self.keys[0][order]

    def block(self, row: int) -> Ints:
        """The originals in the block of a released record, rising."""
        order, keys = self.blocks
        key = self.keys[1][row]
        found: Ints = order[np.searchsorted(keys, key) : np.searchsorted(keys, key, "right")]
        return found

    def members(self) -> Iterator[tuple[int, Members]]:
        """Each distinct released tuple with its candidate set, as members of its block."""
        first = self.tuples[0]
        some = [*self.loose, *self.random]
        columns = [found.after.codes[first] for found in reversed(some)]
        order = np.lexsort((*columns, self.keys[1][first]))
        inside: _Inside | None = None
        for view in order.tolist():
            key = int(self.keys[1][first[view]])
            if inside is None or inside.key != key:
                inside = _Inside(key, self.block(int(first[view])), some)
            yield view, inside.among([int(found.after.codes[first[view]]) for found in some])

    def rows(self, record: int) -> Ints:
        """The originals that a released record can come from, rising."""
        found = self.block(record)
        for other in (*self.loose, *self.random):
            found = found[other.among(int(other.after.codes[record]))[other.before.codes[found]]]
        return found

    def belief(self, record: int) -> dict[int, Fraction]:
        """The pignistic probability of each candidate of a released record (Example 15).

        Uniform for a deterministic masking.  With a random one, proportional to the originals' probabilities of
        becoming the record, every original being equally probable beforehand.
        """
        rows = self.rows(record).tolist()
        if not self.random:
            return {row: Fraction(1, len(rows)) for row in rows}
        weights = self.weights(record)
        total = sum(weights[self.profiles[0][rows]].tolist())
        return {row: Fraction(int(weights[self.profiles[0][row]]), total) for row in rows}

    @cached_property
    def profiles(self) -> tuple[Ints, list[Ints]]:
        """The number of each original's values of the randomly masked attributes, and these values."""
        widths = [len(found.before.labels) for found in self.random]
        packing, keys, space = packed([f.before.codes for f in self.random], widths, self.linkage.originals)
        distinct, numbers = ranked(keys, space)
        return numbers, packing.unpack(distinct)

    def weights(self, record: int) -> Ints:
        """For each profile, its scaled probability of becoming what is released of a record."""
        shown = tuple(int(found.after.codes[record]) for found in self.random)
        if shown not in self.weighed:
            result = np.full(len(self.profiles[1][0]), 1, dtype=object)
            for found, image, values in zip(self.random, shown, self.profiles[1], strict=True):
                result *= found.weight(image)[values]
            self.weighed[shown] = result
        return self.weighed[shown]

    @cached_property
    def weighed(self) -> dict[tuple[int, ...], Ints]:
        """What ``weights`` has found, by the released values of the randomly masked attributes."""
        return {}

    def chances(self) -> tuple[Ints, Ints, Ints]:
        """For each view: the sum of its candidates' weights, the largest, and for each record that of the true one."""
        first, numbers, count = self.tuples
        total, top = np.zeros(count, dtype=object), np.zeros(count, dtype=object)
        own = np.zeros(self.linkage.released, dtype=object)
        records = np.split(np.argsort(numbers, kind="stable"), np.cumsum(np.bincount(numbers))[:-1])
        for view, found in self.members():
            row = int(first[view])
            weights = self.weights(row)
            block = self.block(row)
            rows = block[mask(found, len(block)) if isinstance(found, int) else found]
            held = np.bincount(self.profiles[0][rows], minlength=len(weights))
            total[view] = int(np.dot(held.astype(object), weights))
            top[view] = max(weights[held > 0].tolist(), default=0)
            own[records[view]] = weights[self.profiles[0][self.linkage.truth.rows[records[view]]]]
        return total, top, own


def _occurrences(keys: Ints, asked: Ints, space: int) -> Ints:
    """How often each key that is asked for occurs; keys are below ``space``."""
    if space <= 8 * len(keys):
        found: Ints = np.bincount(keys, minlength=space)[asked]
        return found
    distinct, counts = np.unique(keys, return_counts=True)
    place = np.minimum(np.searchsorted(distinct, asked), len(distinct) - 1)
    return np.where(distinct[place] == asked, counts[place], 0)


class _Inside:
    """The candidate sets within one block; tuples come in lexicographic order, and a prefix is intersected once."""

    def __init__(self, key: int, rows: Ints, some: Sequence[Relation]) -> None:
        self.key, self.rows, self.some = key, rows, some
        self.full = (1 << len(rows)) - 1
        self.kept: dict[tuple[int, int], int] = {}
        self.path: list[tuple[int, Members]] = []
        """What has been intersected so far: the released value of each attribute, and the set."""

    def among(self, images: Sequence[int]) -> Members:
        """The originals that fit these released values, one for each attribute."""
        same = 0
        while same < len(self.path) and self.path[same][0] == images[same]:
            same += 1
        del self.path[same:]
        for k in range(same, len(images)):
            before = self.path[-1][1] if self.path else self.full
            self.path.append((images[k], self.narrowed(before, k, images[k])))
        return self.path[-1][1] if self.path else self.full

    def narrowed(self, before: Members, k: int, image: int) -> Members:
        """The members that fit one more released value."""
        found = self.some[k]
        if not isinstance(before, int):
            kept: Ints = before[found.among(image)[self.codes[k][before]]]
            return kept
        if len(found.sources(image)) == len(found.before.labels):
            return before
        if k == 0 and (few := self.listed(image)) is not None:
            return few
        both = before & self.fitting(k, image)
        if k + 1 < len(self.some) and both.bit_count() * SPARSE <= len(self.rows):
            return np.flatnonzero(mask(both, len(self.rows)))
        return both

    @cached_property
    def codes(self) -> list[Ints]:
        """The original values of each attribute in the block."""
        return [found.before.codes[self.rows] for found in self.some]

    @cached_property
    def sorted(self) -> tuple[Ints, Ints]:
        """The originals by their value of the first attribute, and where each value starts."""
        order = np.argsort(self.codes[0], kind="stable")
        return order, np.searchsorted(self.codes[0][order], np.arange(len(self.some[0].before.labels) + 1))

    def listed(self, image: int) -> Ints | None:
        """The originals that fit a released value of the first attribute, where they are few."""
        order, starts = self.sorted
        sources = self.some[0].sources(image)
        if int((starts[sources + 1] - starts[sources]).sum()) * SPARSE > len(self.rows):
            return None
        parts = [order[starts[code] : starts[code + 1]] for code in sources.tolist()]
        return np.sort(np.concatenate(parts)) if parts else order[:0]

    def fitting(self, k: int, image: int) -> int:
        """The originals of the block that fit one released value."""
        if (k, image) in self.kept:
            return self.kept[k, image]
        fits = bits(self.some[k].among(image)[self.codes[k]])
        if k > 0 and len(self.kept) * len(self.rows) < 8 * CACHE:  # of the first attribute, each comes once
            self.kept[k, image] = fits
        return fits
