"""One attribute in both tables: which original values each released value can come
from.

The values are those that occur; everything is decided once for each distinct released
value, never row by row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from phverify.errors import InputError, Problem, Problems, refusal
from phverify.exact import ZERO, Bools, Ints, common_denominator
from phverify.linkage.candidates.notation import number
from phverify.linkage.candidates.released_cells import ReleasedCells
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import Column, Label
from phverify.policy.masking import Masking
from phverify.spec.types import TEXT, ValueType

SHOWN = 5
"""Problems of one kind that are listed."""
PAIRS = 200_000_000
"""Pairs of an original and a released value at most."""


@dataclass(frozen=True, eq=False)
class MaskingRelation:
    """The released value with code u can come from the original values
    ``codes[starts[u]:starts[u + 1]]``, rising.

    ``weights`` are set for a random masking: for each pair, its probability times one
    number.
    """

    name: str
    before: Column
    after: Column
    starts: Ints
    codes: Ints
    weights: tuple[int, ...] | None = None
    inferred: bool = False
    """Whether nothing is declared, and a mapping that explains the release is taken to
    be how it was masked.
    """

    @property
    def random(self) -> bool:
        return self.weights is not None

    @cached_property
    def images(self) -> Ints:
        """For each pair, the code of its released value."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def functional(self) -> bool:
        """Whether each original value can become one of the released values at most:
        these then part the originals.
        """
        return len(np.unique(self.codes)) == len(self.codes)

    @cached_property
    def parting(self) -> bool:
        """Whether the released values part the originals: functional, and nothing is
        left to chance.
        """
        return self.functional and not self.random

    @cached_property
    def image_of(self) -> Ints:
        """Where it is functional: the released code of each original value, one more
        than the last for none.
        """
        found = np.full(len(self.before.labels), len(self.after.labels), dtype=np.int64)
        found[self.codes] = self.images
        return found

    def sources(self, image: int) -> Ints:
        """The original values that a released value can come from."""
        return self.codes[self.starts[image] : self.starts[image + 1]]

    @cached_property
    def anything(self) -> frozenset[int]:
        """The released values that every original value could have become."""
        return frozenset(
            np.flatnonzero(np.diff(self.starts) == len(self.before.labels)).tolist()
        )

    def among(self, image: int) -> Bools:
        """The same as a mask over all original values."""
        mask = np.zeros(len(self.before.labels), dtype=bool)
        mask[self.sources(image)] = True
        return mask

    def weight(self, image: int) -> Ints:
        """For each original value, the scaled probability that it becomes the released
        value.
        """
        found = np.zeros(len(self.before.labels), dtype=object)
        if self.weights is None:
            found[self.sources(image)] = 1
        else:
            found[self.sources(image)] = self.weights[
                self.starts[image] : self.starts[image + 1]
            ]
        return found

    def holds(self, values: Ints, images: Ints) -> Bools:
        """For each pair of codes, whether the released value can come from the original
        one.
        """
        if self.functional:
            return np.asarray(self.image_of[values] == images)
        width = len(self.before.labels)
        return np.isin(images * width + values, self.images * width + self.codes)


def mapped(
    name: str, before: Column, after: Column, mapping: Mapping[Label, Label]
) -> MaskingRelation:
    """The relation of a function that nobody declared; a value that it leaves out stays
    as it is.
    """
    images = Column.coded(
        (mapping.get(label, label) for label in before.labels), after.labels
    )
    sizes = np.bincount(images, minlength=len(after.labels))
    return MaskingRelation(
        name,
        before,
        after,
        starts_of(sizes),
        np.argsort(images, kind="stable"),
        inferred=True,
    )


def relation(
    name: str,
    before: Column,
    after: Column,
    masking: Masking,
    kind: ValueType = TEXT,
    hierarchy: Hierarchy | None = None,
    where: str = "release",
    origin: str = "original",
) -> MaskingRelation:
    """Which original values each released value of a column can come from; ``origin``
    says what errors call them.

    Raises InputError for released values that cannot be read, naming the first record
    that has each.
    """
    ranked = masking.microaggregation is not None or masking.swapping not in (None, 1)
    if ranked and len(before.codes) != len(after.codes):
        what = (
            f"neighbours in {name!r} were formed among {len(after.codes)} released"
            f" records, not {len(before.codes)}"
        )
        raise refusal(
            where, what, "declare bounds of what it changed: {noise = 10}, for example"
        )
    reading = ReleasedCells(name, before, after, masking, kind, hierarchy, origin)
    lists: list[list[int]] = []
    problems: Problems = []
    for image, label in enumerate(after.labels):
        sources = reading.sources(label)
        if (
            sources is None and len(problems) < SHOWN
        ):  # it says nothing: the first record with it
            place = (
                f"{where}, record {int(np.argmax(after.codes == image)) + 1}, {name}"
            )
            problems.append(Problem(place, *reading.unread(label)))
        lists.append(sources or [])
    if problems:
        raise InputError(problems)
    sizes = list(map(len, lists))
    if sum(sizes) > PAIRS:
        what = (
            f"the released values of {name!r} can come from too many values,"
            f" {sum(sizes):,} pairs"
        )
        raise refusal(where, what, "generalize it to fewer values, or leave it out")
    codes = np.fromiter(chain.from_iterable(lists), np.int64)
    weights = (
        _weights(before.labels, after.labels, lists, masking)
        if masking.random
        else None
    )
    return MaskingRelation(name, before, after, starts_of(sizes), codes, weights)


def _weights(
    values: Sequence[Label],
    images: Sequence[Label],
    sources: Sequence[Sequence[int]],
    masking: Masking,
) -> tuple[int, ...]:
    """The probabilities of the pairs as integers over one denominator; a mark of
    suppression counts alike for all.
    """
    chances: list[Fraction] = []
    for image, codes in zip(images, sources, strict=True):
        found = [chance(masking, values[code], image) for code in codes]
        chances += (
            found if any(found) else [Fraction(1)] * len(found)
        )  # a mark of suppression
    scale = common_denominator(chances)
    return tuple(int(chance * scale) for chance in chances)


def chance(masking: Masking, value: Label, image: Label) -> Fraction:
    """The probability that a random masking makes a released value of an original
    one.
    """
    if masking.noise is None or masking.noise.chances is None:
        return masking.chance(value, image)
    before, after = number(value or ""), number(image or "")
    if before is None or after is None:
        return ZERO
    return masking.noise.chances.get(after - before, ZERO)


def starts_of(sizes: Sequence[int] | Ints) -> Ints:
    """Where lists of these sizes start, one after the other, and where the last one
    ends.
    """
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def misfits(
    relations: Mapping[str, MaskingRelation], truth: Ints, release: str
) -> Problems:
    """Released records whose original value cannot have become what was released: a few
    of each attribute.
    """
    problems = []
    for name, found in relations.items():
        before, after = found.before.codes[truth], found.after.codes
        for row in np.flatnonzero(~found.holds(before, after))[:SHOWN].tolist():
            value = int(before[row])
            what = (
                f"{_quoted(found.after.labels[after[row]])} cannot come from"
                f" {_quoted(found.before.labels[value])}, "
            )
            what += f"the value of original record {int(truth[row]) + 1}"
            fitting = np.unique(found.images[found.codes == value])[:SHOWN].tolist()
            others = ", ".join(_quoted(found.after.labels[k]) for k in fitting)
            hint = (
                f"of what is released, it could have become {others}"
                if others
                else "nothing that is released fits it"
            )
            problems.append(
                Problem(f"{release}, record {row + 1}, {name}", what, hint, True)
            )
    return problems


def _quoted(label: Label) -> str:
    return "(missing)" if label is None else repr(label)
