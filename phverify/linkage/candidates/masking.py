"""One attribute in both tables: which original values each released value can come
from.

The values are those that occur; everything is decided once for each distinct released
value, never row by row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from phverify.errors import HIDDEN, InputError, Problem, Problems, refusal
from phverify.exact import ZERO, Bools, Ints, common_denominator
from phverify.linkage.candidates.own_values import OwnValues
from phverify.linkage.candidates.released_cells import ReleasedCells
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import CodedColumn, Label
from phverify.policy.masking import Masking
from phverify.spec.notation import number
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
    before: CodedColumn
    after: CodedColumn
    starts: Ints
    codes: Ints
    weights: tuple[int, ...] | None = None
    inferred: bool = False
    """Whether nothing is declared, and a mapping that explains the release is taken to
    be how it was masked.
    """
    own: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The released values that are also values of the original, with these: fewer than
    those that they can come from (see ``kept_values``).
    """
    kept: frozenset[int] = frozenset()
    """Those of them that are taken to be these values."""

    @property
    def random(self) -> bool:
        """Whether chance plays a part in the masking."""
        return self.weights is not None

    @cached_property
    def images(self) -> Ints:
        """For each pair, the code of its released value."""
        sizes = np.diff(self.starts)
        images = np.arange(len(sizes))
        return np.repeat(images, sizes)

    @cached_property
    def functional(self) -> bool:
        """Whether each original value can become one of the released values at most:
        these then part the originals.
        """
        # a value with two images stands there twice
        codes = self.codes
        distinct = np.unique(codes)
        values = len(distinct)
        return values == len(codes)

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
        nothing = len(self.after.labels)
        values = len(self.before.labels)
        images = np.full(values, nothing, dtype=np.int64)
        images[self.codes] = self.images
        return images

    def pairs(self, image: int) -> slice:
        """Where the pairs of a released value stand."""
        starts = self.starts
        first = starts[image]
        after = starts[image + 1]
        return slice(first, after)

    def sources(self, image: int) -> Ints:
        """The original values that a released value can come from."""
        pairs = self.pairs(image)
        return self.codes[pairs]

    @cached_property
    def anything(self) -> frozenset[int]:
        """The released values that every original value could have become."""
        values = len(self.before.labels)
        sizes = np.diff(self.starts)
        everything = sizes == values
        images = np.flatnonzero(everything)
        codes = images.tolist()
        return frozenset(codes)

    def among(self, image: int) -> Bools:
        """The same as a mask over all original values."""
        values = len(self.before.labels)
        mask = np.zeros(values, dtype=bool)
        sources = self.sources(image)
        mask[sources] = True
        return mask

    def weight(self, image: int) -> Ints:
        """For each original value, the scaled probability that it becomes the released
        value.
        """
        values = len(self.before.labels)
        weights = np.zeros(values, dtype=object)
        pairs = self.pairs(image)
        sources = self.codes[pairs]
        if self.weights is None:
            weights[sources] = 1
        else:
            weights[sources] = self.weights[pairs]

        return weights

    def holds(self, values: Ints, images: Ints) -> Bools:
        """For each pair of codes, whether the released value can come from the original
        one.
        """
        if self.functional:
            expected = self.image_of[values]
            return np.asarray(expected == images)

        # one number for each pair
        width = len(self.before.labels)
        asked = images * width + values
        possible = self.images * width + self.codes
        return np.isin(asked, possible)


def mapped(
    name: str, before: CodedColumn, after: CodedColumn, mapping: Mapping[Label, Label]
) -> MaskingRelation:
    """The relation of a function that nobody declared; a value that it leaves out stays
    as it is.
    """
    images = CodedColumn.coded(
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
    before: CodedColumn,
    after: CodedColumn,
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
    # ranks say nothing where the tables have different numbers of records
    partial_swap = masking.swapping not in (None, 1)
    by_rank = masking.microaggregation is not None or partial_swap
    if by_rank and before.rows != after.rows:
        what = (
            f"neighbours in {name!r} were formed among {after.rows} released"
            f" records, not {before.rows}"
        )
        hint = "declare bounds of what it changed: {noise = 10}, for example"
        raise refusal(where, what, hint)

    cells = ReleasedCells(name, before, after, masking, kind, hierarchy, origin)
    lists = _sources(cells, where)
    sizes = list(map(len, lists))
    pairs = sum(sizes)
    if pairs > PAIRS:
        what = (
            f"the released values of {name!r} can come from too many values,"
            f" {pairs:,} pairs"
        )
        raise refusal(where, what, "generalize it to fewer values, or leave it out")

    codes = np.fromiter(chain.from_iterable(lists), np.int64)
    starts = starts_of(sizes)
    weights = None
    if masking.random:
        weights = _weights(before.labels, after.labels, lists, masking)
    own = OwnValues(cells).narrower(lists)
    return MaskingRelation(name, before, after, starts, codes, weights, own=own)


def _sources(cells: ReleasedCells, where: str) -> list[list[int]]:
    """The original values of each released value.

    Raises InputError for released values that say nothing.
    """
    lists: list[list[int]] = []
    problems: Problems = []
    after = cells.after
    for image, label in enumerate(after.labels):
        sources = cells.sources(label)
        if sources is None and len(problems) < SHOWN:
            has_label = after.codes == image
            first = np.argmax(has_label)
            record = int(first) + 1
            problem = cells.unread(where, record, label)
            problems.append(problem)
        lists.append(sources or [])

    if problems:
        raise InputError(problems)

    return lists


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
        declared = [chance(masking, values[code], image) for code in codes]
        # all 0 for a mark of suppression, of which the table says nothing
        if not any(declared):
            declared = [Fraction(1)] * len(codes)
        chances += declared

    scale = common_denominator(chances)
    weights: list[int] = []
    for probability in chances:
        weights.append(int(probability * scale))
    return tuple(weights)


def chance(masking: Masking, value: Label, image: Label) -> Fraction:
    """The probability that a random masking makes a released value of an original
    one.
    """
    noise = masking.noise
    chances = noise.chances if noise else None
    if chances is None:
        return masking.chance(value, image)
    before = number(value or "")
    after = number(image or "")
    # Noise is added to numbers alone.
    if before is None or after is None:
        return ZERO

    added = after - before
    return chances.get(added, ZERO)


def starts_of(sizes: Sequence[int] | Ints) -> Ints:
    """Where lists of these sizes start, one after the other, and where the last one
    ends.
    """
    ends = np.cumsum(sizes)
    starts = np.concatenate(([0], ends))
    return starts.astype(np.int64)


def misfits(
    relations: Mapping[str, MaskingRelation], truth: Ints, release: str
) -> Problems:
    """Released records whose original value cannot have become what was released: a few
    of each attribute.
    """
    problems: Problems = []
    for relation_ in relations.values():
        values = relation_.before.codes[truth]
        images = relation_.after.codes
        fits = relation_.holds(values, images)
        wrong = np.flatnonzero(~fits)
        shown = wrong[:SHOWN].tolist()
        for row in shown:
            original = int(truth[row])
            problem = _misfit(relation_, row, original, release)
            problems.append(problem)

    return problems


def _misfit(
    relation_: MaskingRelation, row: int, original: int, release: str
) -> Problem:
    """What is said of a released record whose value cannot come from that of its
    original; redacted, only the column is named.
    """
    before, after = relation_.before, relation_.after
    value = int(before.codes[original])
    image = _quoted(after.labels[after.codes[row]])
    what = (
        f"{image} cannot come from {_quoted(before.labels[value])},"
        f" the value of original record {original + 1}"
    )
    # what the original value could have become instead
    images = np.unique(relation_.images[relation_.codes == value])[:SHOWN].tolist()
    others = ", ".join(_quoted(after.labels[k]) for k in images)
    hint = "nothing that is released fits it"
    if others:
        hint = f"of what is released, it could have become {others}"
    hidden = f"{HIDDEN} cannot come from {HIDDEN}, the value of its original record"
    redacted = Problem(f"{release}, {relation_.name}", hidden)
    place = f"{release}, record {row + 1}, {relation_.name}"
    return Problem(place, what, hint, True, redacted)


def _quoted(label: Label) -> str:
    if label is None:
        return "(missing)"
    return repr(label)
