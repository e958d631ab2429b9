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
from phverify.linkage.candidates.fitting import FittingBlock
from phverify.linkage.candidates.masking import MaskingRelation
from phverify.linkage.candidates.records import Records
from phverify.linkage.candidates.truth import TrueRecords
from phverify.microdata.keys import packed, ranked


@dataclass(frozen=True, eq=False)
class Linkage:
    """Two tables ready to be linked: a relation for each attribute, and the true
    records.

    The columns of the relations have a place for each record, or for equal ones
    together, as ``before`` and ``after`` say.
    """

    relations: Mapping[str, MaskingRelation]
    before: Records
    after: Records
    truth: TrueRecords
    sources: tuple[str, str] = ("original", "release")

    @property
    def originals(self) -> int:
        """How many original records there are."""
        return self.before.total

    @property
    def released(self) -> int:
        """How many released records there are."""
        return self.after.total

    @property
    def inferred(self) -> tuple[str, ...]:
        """The attributes that are read by a mapping that nobody declared."""
        names: list[str] = []
        for name, relation in self.relations.items():
            if relation.inferred:
                names.append(name)
        return tuple(names)

    @property
    def kept(self) -> list[str]:
        """The attributes with cells that are values of the original, though their texts
        name others, too.
        """
        names: list[str] = []
        for name, relation in self.relations.items():
            if relation.kept:
                names.append(name)
        return names

    @property
    def random(self) -> list[str]:
        """The attributes in whose masking chance plays a part."""
        names: list[str] = []
        for name, relation in self.relations.items():
            if relation.random:
                names.append(name)
        return names


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate sets of one attacker, who knows ``attributes``."""

    linkage: Linkage
    attributes: tuple[str, ...]

    @cached_property
    def relations(self) -> list[MaskingRelation]:
        """The relations of the attributes, in their order."""
        relations = self.linkage.relations
        return [relations[name] for name in self.attributes]

    @cached_property
    def parting(self) -> list[MaskingRelation]:
        """The attributes that part the originals into blocks."""
        return [relation for relation in self.relations if relation.parting]

    @cached_property
    def others(self) -> list[MaskingRelation]:
        """The other attributes: those that are masked at random last, before them those
        with most released values.
        """

        def order(relation: MaskingRelation) -> tuple[bool, int]:
            return relation.random, -len(relation.after.labels)

        rest = [relation for relation in self.relations if not relation.parting]
        return sorted(rest, key=order)

    @cached_property
    def random(self) -> list[MaskingRelation]:
        """The attributes that are masked at random."""
        return [relation for relation in self.others if relation.random]

    @cached_property
    def keys(self) -> tuple[Ints, Ints, int]:
        """The block of each original and of each released record, by comparable
        numbers, and how many there could be.

        An original that could have become nothing that is released is in a block with
        no released record.
        """
        n = self.linkage.before.size
        released = self.linkage.after.size
        # one code more than there are labels: what could have become nothing
        sizes = [len(relation.after.labels) + 1 for relation in self.parting]
        before = [relation.image_of[relation.before.codes] for relation in self.parting]
        after = [relation.after.codes for relation in self.parting]
        space = math.prod(sizes)
        if space < LIMIT:
            originals = packed(before, sizes, n)[1]
            return originals, packed(after, sizes, released)[1], space
        # too many combinations for one number: both tables are packed together
        columns = [np.concatenate(pair) for pair in zip(before, after, strict=True)]
        _, keys, space = packed(columns, sizes, n + released)
        return keys[:n], keys[n:], space

    @cached_property
    def sizes(self) -> Ints:
        """For each released record, how many originals it can come from."""
        if self.others:
            return self.view_sizes[self.tuples[1]]
        return self.linkage.before.occurrences(*self.keys)

    @cached_property
    def classes(self) -> Ints:
        """For each released record, how many released records agree with it in the
        attributes.
        """
        if self.others:
            first, numbers = self.tuples
            tuples = len(first)
            return self.linkage.after.occurrences(numbers, numbers, tuples)
        # without other attributes a tuple is a block
        _, released, space = self.keys
        return self.linkage.after.occurrences(released, released, space)

    @cached_property
    def tuples(self) -> tuple[Ints, Ints]:
        """A record of each distinct released tuple, and the tuple's number for each
        record.
        """
        columns: list[Ints] = []
        widths: list[int] = []
        for relation in self.relations:
            after = relation.after
            columns.append(after.codes)
            widths.append(len(after.labels))
        records = self.linkage.after.size
        return grouped(columns, widths, records)

    @cached_property
    def view_sizes(self) -> Ints:
        """For each distinct released tuple, how many originals it can come from,
        whatever the attributes are.
        """
        first, _ = self.tuples
        sizes = np.zeros_like(first)
        for view, block, places in self.members():
            sizes[view] = self.linkage.before.how_many(block[places])
        return sizes

    @cached_property
    def blocks(self) -> tuple[Ints, Ints]:
        """The originals sorted by block, and the sorted blocks themselves."""
        keys = self.keys
        originals = keys[0]
        order = np.argsort(originals, kind="stable")
        rising = originals[order]
        return order, rising

    def block(self, key: int) -> Ints:
        """The originals in a block, rising."""
        order, keys = self.blocks
        first = np.searchsorted(keys, key)
        # one past the last
        after = np.searchsorted(keys, key, "right")
        rows: Ints = order[first:after]
        return rows

    def members(self) -> Iterator[tuple[int, Ints, Ints]]:
        """Each distinct released tuple with the originals of its block, and the places
        there of its candidates.

        Tuples come in lexicographic order, and the originals that fit a prefix are
        looked for once.
        """
        first = self.tuples[0]
        keys = self.keys[1][first].tolist()
        columns = [relation.after.codes[first] for relation in self.others]
        block: FittingBlock | None = None
        key = -1
        for view in np.lexsort((*columns[::-1], keys)).tolist():
            # the tuples are sorted by block: each block is made once
            if block is None or keys[view] != key:
                key = keys[view]
                block = FittingBlock(self.block(key), self.others)
            images = [int(column[view]) for column in columns]
            yield view, block.rows, block.fitting(images)

    def rows(self, record: int) -> Ints:
        """The originals that a released record can come from, rising."""
        _, keys, _ = self.keys
        block = int(keys[record])
        rows = self.block(block)
        for relation in self.others:
            released = relation.after.codes
            image = int(released[record])
            allowed = relation.among(image)
            values = relation.before.codes[rows]
            fits = allowed[values]
            rows = rows[fits]
        return rows

    def belief(self, record: int) -> dict[int, Fraction]:
        """The pignistic probability of each candidate of a released record (Example
        15).

        Uniform for a deterministic masking.  With a random one, proportional to the
        originals' probabilities of becoming the record, every original being equally
        probable beforehand.
        """
        rows = self.rows(record).tolist()
        if not rows:
            return {}
        if not self.random:
            share = Fraction(1, len(rows))
            return dict.fromkeys(rows, share)

        _, profiles = self.profiles
        of_rows = profiles[rows]
        of_profile = self.weights(record)
        weights = of_profile[of_rows].tolist()
        total = sum(weights)
        belief: dict[int, Fraction] = {}
        for row, weight in zip(rows, weights, strict=True):
            belief[row] = Fraction(weight, total)
        return belief

    @cached_property
    def profiles(self) -> tuple[Ints, Ints]:
        """An original for each combination of values in the randomly masked attributes,
        and each one's number.
        """
        columns: list[Ints] = []
        widths: list[int] = []
        for relation in self.random:
            before = relation.before
            columns.append(before.codes)
            widths.append(len(before.labels))
        records = self.linkage.before.size
        return grouped(columns, widths, records)

    def weights(self, record: int) -> Ints:
        """For each profile, its scaled probability of becoming what is released of a
        record.
        """
        images = tuple(int(relation.after.codes[record]) for relation in self.random)
        if images not in self.weighed:
            first, _ = self.profiles
            each: list[Ints] = []
            for relation, image in zip(self.random, images, strict=True):
                weights = relation.weight(image)
                values = relation.before.codes[first]
                each.append(weights[values])
            # what chance does to one attribute tells nothing of another
            self.weighed[images] = np.multiply.reduce(each)

        return self.weighed[images]

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
        # Python integers: products of weights outgrow 64 bits
        total = np.zeros(len(first), dtype=object)
        top = np.zeros(len(first), dtype=object)
        own = np.zeros(self.linkage.after.size, dtype=object)
        by_view = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers))
        records = np.split(by_view, ends[:-1])
        # originals of one profile have one weight: they are counted, not listed
        profile = self.profiles[1]
        true = self.linkage.truth.rows
        for view, block, places in self.members():
            weights = self.weights(int(first[view]))
            rows = block[places]
            candidates = self.linkage.before.part(rows)
            held = candidates.tally(profile[rows], len(weights))
            total[view] = int(np.dot(held.astype(object), weights))
            top[view] = max(weights[held > 0].tolist(), default=0)
            own[records[view]] = weights[profile[true[records[view]]]]

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
    # of several rows with one number the last that is written stays
    first[numbers[::-1]] = np.arange(rows)[::-1]
    return first, numbers
