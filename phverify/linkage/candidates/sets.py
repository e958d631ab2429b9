"""Candidate sets: for each released record, the originals that it can come from as far
as some attributes tell.

Attributes whose released values part the originals (generalization, where each original
value can have become one released value at most) make blocks: one grouped count of both
tables gives every candidate set's size.  The others (cells suppressed here and there,
overlapping intervals, random tables) are intersected within a block, once for each
distinct released tuple; released tuples with a common prefix share its intersection.
Never all pairs of records.

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
from phverify.linkage.candidates.masking import MaskingRelation
from phverify.linkage.candidates.truth import TrueRecords
from phverify.microdata.quotient import packed, ranked


@dataclass(frozen=True, eq=False)
class Linkage:
    """Two tables ready to be linked: a relation for each attribute, and the true
    records.
    """

    relations: Mapping[str, MaskingRelation]
    originals: int
    released: int
    truth: TrueRecords
    sources: tuple[str, str] = ("original", "release")

    @property
    def inferred(self) -> tuple[str, ...]:
        """The attributes that are read by a mapping that nobody declared."""
        return tuple(name for name, found in self.relations.items() if found.inferred)

    @property
    def random(self) -> list[str]:
        """The attributes in whose masking chance plays a part."""
        return [name for name, found in self.relations.items() if found.random]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate sets of one attacker, who knows ``attributes``."""

    linkage: Linkage
    attributes: tuple[str, ...]

    @cached_property
    def relations(self) -> list[MaskingRelation]:
        return [self.linkage.relations[name] for name in self.attributes]

    @cached_property
    def parting(self) -> list[MaskingRelation]:
        """The attributes that part the originals into blocks."""
        return [found for found in self.relations if found.parting]

    @cached_property
    def others(self) -> list[MaskingRelation]:
        """The other attributes: those that are masked at random last, before them those
        with most released values.
        """
        rest = [found for found in self.relations if not found.parting]
        return sorted(rest, key=lambda found: (found.random, -len(found.after.labels)))

    @cached_property
    def random(self) -> list[MaskingRelation]:
        return [found for found in self.others if found.random]

    @cached_property
    def keys(self) -> tuple[Ints, Ints, int]:
        """The block of each original and of each released record, by comparable
        numbers, and how many there could be.

        An original that could have become nothing that is released is in a block with
        no released record.
        """
        n, released = self.linkage.originals, self.linkage.released
        sizes = [len(found.after.labels) + 1 for found in self.parting]
        before = [found.image_of[found.before.codes] for found in self.parting]
        after = [found.after.codes for found in self.parting]
        if math.prod(sizes) < LIMIT:
            return (
                packed(before, sizes, n)[1],
                packed(after, sizes, released)[1],
                math.prod(sizes),
            )
        columns = [np.concatenate(pair) for pair in zip(before, after, strict=True)]
        _, keys, space = packed(columns, sizes, n + released)
        return keys[:n], keys[n:], space

    @cached_property
    def sizes(self) -> Ints:
        """For each released record, how many originals it can come from."""
        if self.others:
            return self.view_sizes[self.tuples[1]]
        return _occurrences(*self.keys)

    @cached_property
    def classes(self) -> Ints:
        """For each released record, how many released records agree with it in the
        attributes.
        """
        if not self.others:
            return _occurrences(self.keys[1], *self.keys[1:])
        first, numbers = self.tuples
        return _occurrences(numbers, numbers, len(first))

    @cached_property
    def tuples(self) -> tuple[Ints, Ints]:
        """A record of each distinct released tuple, and the tuple's number for each
        record.
        """
        columns = [found.after.codes for found in self.relations]
        widths = [len(found.after.labels) for found in self.relations]
        return grouped(columns, widths, self.linkage.released)

    @cached_property
    def view_sizes(self) -> Ints:
        """For each distinct released tuple, how many originals it can come from,
        whatever the attributes are.
        """
        sizes = np.zeros(len(self.tuples[0]), dtype=np.int64)
        for view, _, found in self.members():
            sizes[view] = len(found)
        return sizes

    @cached_property
    def blocks(self) -> tuple[Ints, Ints]:
        """The originals sorted by block, and the sorted blocks themselves."""
        order = np.argsort(self.keys[0], kind="stable")
        return order, self.keys[0][order]

    def block(self, key: int) -> Ints:
        """The originals in a block, rising."""
        order, keys = self.blocks
        found: Ints = order[
            np.searchsorted(keys, key) : np.searchsorted(keys, key, "right")
        ]
        return found

    def members(self) -> Iterator[tuple[int, Ints, Ints]]:
        """Each distinct released tuple with the originals of its block, and the places
        there of its candidates.

        Tuples come in lexicographic order, and the originals that fit a prefix are
        looked for once.
        """
        first = self.tuples[0]
        keys = self.keys[1][first].tolist()
        columns = [found.after.codes[first] for found in self.others]
        key = -1
        for view in np.lexsort((*columns[::-1], keys)).tolist():
            if keys[view] != key:
                key = keys[view]
                rows = self.block(key)
                codes = [found.before.codes[rows] for found in self.others]
                # by their values of the first attribute; where each value starts
                order = np.argsort(codes[0], kind="stable") if codes else rows
                starts = (
                    np.searchsorted(
                        codes[0][order],
                        np.arange(len(self.others[0].before.labels) + 1),
                    )
                    if codes
                    else rows
                )
                path: list[
                    tuple[int, Ints]
                ] = []  # the released value of each attribute, and what is left then
            images = [int(column[view]) for column in columns]
            same = 0
            while same < len(path) and path[same][0] == images[same]:
                same += 1
            del path[same:]
            left = path[-1][1] if path else np.arange(len(rows))
            for k, image in enumerate(images[same:], same):
                found = self.others[k]
                if k == 0 and image not in found.anything:
                    sources = found.sources(image).tolist()
                    left = np.concatenate(
                        [
                            order[:0],
                            *(
                                order[starts[code] : starts[code + 1]]
                                for code in sources
                            ),
                        ]
                    )
                elif image not in found.anything:
                    left = left[found.among(image)[codes[k][left]]]
                path.append((image, left))
            yield view, rows, left

    def rows(self, record: int) -> Ints:
        """The originals that a released record can come from, rising."""
        found = self.block(int(self.keys[1][record]))
        for other in self.others:
            found = found[
                other.among(int(other.after.codes[record]))[other.before.codes[found]]
            ]
        return found

    def belief(self, record: int) -> dict[int, Fraction]:
        """The pignistic probability of each candidate of a released record (Example
        15).

        Uniform for a deterministic masking.  With a random one, proportional to the
        originals' probabilities of becoming the record, every original being equally
        probable beforehand.
        """
        rows = self.rows(record).tolist()
        if not self.random:
            return {row: Fraction(1, len(rows)) for row in rows}
        weights = self.weights(record)[self.profiles[1][rows]].tolist()
        total = sum(weights)
        return {
            row: Fraction(weight, total)
            for row, weight in zip(rows, weights, strict=True)
        }

    @cached_property
    def profiles(self) -> tuple[Ints, Ints]:
        """An original for each combination of values in the randomly masked attributes,
        and each one's number.
        """
        widths = [len(found.before.labels) for found in self.random]
        return grouped(
            [found.before.codes for found in self.random],
            widths,
            self.linkage.originals,
        )

    def weights(self, record: int) -> Ints:
        """For each profile, its scaled probability of becoming what is released of a
        record.
        """
        shown = tuple(int(found.after.codes[record]) for found in self.random)
        if shown not in self.weighed:
            values = [found.before.codes[self.profiles[0]] for found in self.random]
            each = [
                f.weight(image)[codes]
                for f, image, codes in zip(self.random, shown, values, strict=True)
            ]
            self.weighed[shown] = np.multiply.reduce(each)
        return self.weighed[shown]

    @cached_property
    def weighed(self) -> dict[tuple[int, ...], Ints]:
        """What ``weights`` has found, by the released values of the randomly masked
        attributes.
        """
        return {}

    def chances(self) -> tuple[Ints, Ints, Ints]:
        """For each view: the sum of its candidates' weights, the largest, and for each
        record that of the true one.
        """
        first, numbers = self.tuples
        total, top = (
            np.zeros(len(first), dtype=object),
            np.zeros(len(first), dtype=object),
        )
        own = np.zeros(self.linkage.released, dtype=object)
        records = np.split(
            np.argsort(numbers, kind="stable"), np.cumsum(np.bincount(numbers))[:-1]
        )
        profile = self.profiles[1]
        for view, block, places in self.members():
            weights = self.weights(int(first[view]))
            held = np.bincount(profile[block[places]], minlength=len(weights))
            total[view] = int(np.dot(held.astype(object), weights))
            top[view] = max(weights[held > 0].tolist(), default=0)
            own[records[view]] = weights[
                profile[self.linkage.truth.rows[records[view]]]
            ]
        return total, top, own


def grouped(
    columns: Sequence[Ints], widths: Sequence[int], rows: int
) -> tuple[Ints, Ints]:
    """The first row with each combination of codes, and the number of each row's
    combination.
    """
    _, keys, space = packed(columns, widths, rows)
    distinct, numbers = ranked(keys, space)
    first = np.empty(len(distinct), dtype=np.int64)
    first[numbers[::-1]] = np.arange(rows)[::-1]
    return first, numbers


def _occurrences(keys: Ints, asked: Ints, space: int) -> Ints:
    """How often each key that is asked for occurs; keys are below ``space``."""
    if space <= 8 * len(keys):
        found: Ints = np.bincount(keys, minlength=space)[asked]
        return found
    distinct, counts = np.unique(keys, return_counts=True)
    place = np.minimum(np.searchsorted(distinct, asked), len(distinct) - 1)
    return np.where(distinct[place] == asked, counts[place], 0)
