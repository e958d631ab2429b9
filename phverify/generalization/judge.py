"""Does a candidate satisfy the policy?  Counts come from the finest quotient, never
from the rows again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints
from phverify.generalization.coarser_columns import CoarserColumns
from phverify.generalization.compared import ComparedCriteria
from phverify.generalization.counted_before import CountedBefore
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.parts import ClassPart, Parts
from phverify.generalization.remaining import left
from phverify.generalization.space import CodedSpace, wider
from phverify.microdata.coarser import counted_again, joined
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import Coded, CodedTable
from phverify.policy.bind import BoundPolicy
from phverify.policy.model import Policy
from phverify.spec import syntax as s
from phverify.spec.along import Along
from phverify.spec.criterion.base import Counts
from phverify.spec.criterion.limits import Limits
from phverify.spec.schemes import Clause
from phverify.symbolic.ground import GroundColumns
from phverify.symbolic.models import bits, mask

NOBODY: Ints = np.zeros(0, dtype=np.int64)
Box = tuple[int, ...]
"""A block for each attribute: the records whose values all lie in their blocks."""


@dataclass(frozen=True, eq=False)
class Reason:
    """A clause that every candidate that satisfies the policy meets, and why.

    box: the box violates the part ``part``, and whatever keeps it apart has a class in
    it that violates. class: the box violates as a class.  cut: the candidate would have
    ``rows`` records withheld, and so would everything finer.  candidate: this one
    candidate fails, or costs too much.  dear: so does everything as general.
    """

    kind: str
    clause: Clause
    rule: str
    part: int = -1
    box: Box = ()
    candidate: Bools | None = None
    rows: int = 0
    person: int | None = None


@dataclass(frozen=True, eq=False)
class Examination:
    """``status`` is fits, fails (by ``rule``), or open (undecided, for the reason in
    ``note``).

    ``withheld`` are classes that are not released.
    """

    status: str
    withheld: Ints
    rule: str = ""
    note: str = ""
    reasons: tuple[Reason, ...] = ()
    view: CountedCandidate | None = None


@dataclass(frozen=True, eq=False)
class CandidateJudge:
    """The table at its finest and the parts of the policy; asks them of candidates and
    of single boxes.
    """

    policy: Policy
    table: CodedTable
    bound: BoundPolicy
    space: CodedSpace
    parts: Parts
    paths: Hierarchies
    compared: ComparedCriteria
    counted: CountedBefore = field(default_factory=CountedBefore)
    _members: dict[tuple[int, int], int] = field(default_factory=dict)
    _wholes: dict[str, Counts] = field(default_factory=dict)
    _homes: dict[tuple[int, ...], Ints] = field(default_factory=dict)
    _limits: dict[int, list[tuple[str, Limits]]] = field(default_factory=dict)
    _coarser: CoarserColumns = field(default_factory=CoarserColumns)

    @property
    def finest(self) -> Quotient:
        """The quotient of the table as it is."""
        return self.bound.release.quotient

    @property
    def compares_alone(self) -> bool:
        """Whether nothing but criteria is asked of whole candidates."""
        if self.parts.assumptions:
            return False
        criteria = len(self.compared.asked)
        return criteria == len(self.parts.open)

    @property
    def chooses(self) -> bool:
        """Whether which classes are withheld is a choice, and criteria alone tell."""
        return bool(self.compared.asked) and self.compares_alone

    def view(
        self, candidate: Bools, finer: CountedCandidate | None = None
    ) -> CountedCandidate:
        """A candidate counted, from a finer one where that has been counted already."""
        return self.view_of(candidate, self.space.columns(candidate), finer)

    def view_of(
        self, candidate: Bools, images: Coded, finer: CountedCandidate | None
    ) -> CountedCandidate:
        """A candidate counted, with the image that it gives each value."""
        quotient = self.counted.known(candidate)
        if quotient is None:
            quotient = self._counted(images, finer)
            self.counted.keep(candidate, quotient)
        return CountedCandidate(candidate, quotient, self.ground, self.finest, images)

    def _counted(self, images: Coded, finer: CountedCandidate | None) -> Quotient:
        """The quotient of the images of all values."""
        if finer is None:
            return counted_again(self.finest, images)
        # a finer candidate has fewer cells to count than the table
        steps = {}
        for name, image in images.items():
            before = finer.images[name]
            if before is not image:
                steps[name] = self._coarser.between(before, image)
        return counted_again(finer.quotient, steps)

    def ground(self, quotient: Quotient) -> GroundColumns:
        """Truth of formulas without names over a quotient of the table."""
        release = self.bound.release
        criterion = release.criteria.__getitem__
        return GroundColumns(quotient, release.signature, release.agents, criterion)

    def homes(self, people: tuple[int, ...]) -> Ints:
        """The finest class of each person: without an original table, person k is
        behind row k.
        """
        if people not in self._homes:
            columns = self.bound.release.columns
            rows = self.bound.release.home[np.array(people, dtype=np.int64)]
            codes = [columns[name].codes[rows] for name in self.finest.quasi]
            self._homes[people] = self.finest.class_of(codes)
        return self._homes[people]

    def failing(self, view: CountedCandidate, part: ClassPart) -> Ints:
        """The classes that break a part."""
        if id(part) not in view.failing:
            view.failing[id(part)] = self._failing(view, part)
        return view.failing[id(part)]

    def _failing(self, view: CountedCandidate, part: ClassPart) -> Ints:
        bad = np.zeros(view.quotient.classes, dtype=bool)
        for formula in part.bodies:
            bad |= view.broken(formula)
        failing = np.flatnonzero(bad)
        if not part.people:
            return failing
        # what is said of people can be false in their classes alone
        theirs = view.into[self.homes(part.people)]
        return np.intersect1d(failing, theirs)

    def limits(self, part: ClassPart) -> list[tuple[str, Limits]]:
        """What a part leaves of the classes that break it, by column."""
        if id(part) not in self._limits:
            self._limits[id(part)] = list(self._limits_of(part))
        return self._limits[id(part)]

    def _limits_of(self, part: ClassPart) -> Iterator[tuple[str, Limits]]:
        for body in part.bodies:
            if not isinstance(body, s.Criterion):
                continue
            criterion = self.bound.release.criteria[body]
            limits = criterion.limits(self.whole(criterion.attribute))
            if limits is not None:
                yield criterion.attribute, limits

    def lasting(self, part: ClassPart) -> bool:
        """Whether everything finer has records withheld where a class breaks a part."""
        if part.people:
            return False
        return part.closure.upward or bool(self.limits(part))

    def lost(self, view: CountedCandidate, part: ClassPart, failing: Ints) -> Ints:
        """So many records of classes that break a lasting part are withheld in
        everything finer.
        """
        every = view.quotient.sizes[failing]
        if part.closure.upward:
            return every
        kept = every
        for f, limits in self.limits(part):
            counted = view.ground.histogram(f)
            most = left(counted, limits, failing)
            kept = np.minimum(kept, most)
        return every - kept

    def whole(self, f: str) -> Counts:
        """How often each value of an attribute occurs in the table."""
        if f not in self._wholes:
            self._wholes[f] = self.counts(f, self.everybody)
        return self._wholes[f]

    def box(self, view: CountedCandidate, index: int) -> Box:
        """The blocks that make up a class of a candidate."""
        codes = view.quotient.codes_of_class(index)
        recoded = self.space.recoding(view.candidate)
        pairs = zip(codes.values(), recoded, strict=True)
        return tuple(recoding.blocks[code] for code, recoding in pairs)

    # Sets of finest cells, as bits of one integer

    def inside(self, box: Box) -> int:
        """The finest cells in a box."""
        chosen = self.everybody
        for k, block in enumerate(box):
            chosen &= self.member(k, block)
        return chosen

    def member(self, k: int, block: int) -> int:
        """The finest cells whose value of attribute k lies in a block."""
        if (k, block) not in self._members:
            scheme = self.space.schemes[k]
            inside = np.zeros(len(scheme.values), dtype=bool)
            inside[list(scheme.members(block))] = True
            cells = inside.take(self.finest.codes[scheme.name])
            self._members[k, block] = bits(cells)
        return self._members[k, block]

    def rows(self, cells: int) -> int:
        """How many records lie in these cells."""
        total = 0
        for place, digit in enumerate(self._digits):
            # binary digits of all cells at once: no loop over cells
            total += (cells & digit).bit_count() << place
        return total

    def counts(self, f: str, cells: int) -> Counts:
        """How often each value of an attribute occurs in these cells; without one, how
        many rows there are.
        """
        if not f:
            return {"": self.rows(cells)}
        inside = np.flatnonzero(mask(cells, self.finest.cells))
        labels = self.finest.labels[f]
        totals = np.zeros(len(labels), dtype=np.int64)
        codes = self.finest.codes[f].take(inside)
        # values repeat among the cells: ``+=`` would count each once
        np.add.at(totals, codes, self.finest.counts.take(inside))
        by_label = zip(labels, totals.tolist(), strict=True)
        return {label: count for label, count in by_label if count}

    @cached_property
    def everybody(self) -> int:
        """All finest cells."""
        return (1 << self.finest.cells) - 1

    @cached_property
    def _digits(self) -> list[int]:
        """The cells' counts in binary: for each place, the cells with a 1 there."""
        counts = self.finest.counts
        places = range(int(counts.max()).bit_length())
        return [bits((counts >> place & 1).astype(bool)) for place in places]

    # Single boxes

    def breaks(self, part: ClassPart, cells: int) -> bool:
        """Whether these finest cells, taken as one class, break a part."""
        for body in part.bodies:
            if not self._holds(body, cells, part.closure.upward):
                return True
        return False

    def _holds(self, formula: s.Formula, cells: int, upward: bool) -> bool:
        """Whether a formula is true at all rows of these cells, taken as one class."""
        if not isinstance(formula, s.Criterion):
            quotient = self._apart(cells)
            truth = self.ground(quotient).truth(formula)
            # class 0 are these cells, class 1 is everybody else
            return bool(truth[: quotient.starts[1]].all())
        criterion = self.bound.release.criteria[formula]
        f = criterion.attribute
        # some criteria compare a class with the whole table
        whole = self.whole(f)
        # no cell is without a record: often so many are enough
        if upward and not f and criterion.holds({"": cells.bit_count()}, whole):
            return True
        return criterion.holds(self.counts(f, cells), whole)

    def _apart(self, cells: int) -> Quotient:
        """The table as two classes: these cells, then everybody else (if anybody)."""
        q = self.finest
        outside = ~mask(cells, q.cells)[q.starts[:-1]]
        into = outside.astype(np.int64)
        _, starts, counts, codes = joined(q, into, 2)
        return Quotient(
            q.rows,
            q.quasi,
            q.others,
            starts,
            counts,
            codes,
            q.labels,
            q.packing,
            q.class_keys,
        )


def lift(
    judge: CandidateJudge,
    part: ClassPart,
    box: Box,
    candidate: Bools,
    order: Sequence[int],
) -> Box:
    """A maximal box around a violating one that violates, too.

    It is a union of classes of the candidate; attributes are widened in the given
    order, and those that are not in it keep their blocks.
    """
    blocks = list(box)
    partitions = judge.space.each(candidate)
    members = [judge.member(k, block) for k, block in enumerate(box)]
    kept = judge.everybody
    for k in set(range(len(box))).difference(order):
        kept &= members[k]
    # The cells that fit the attributes still to come, last attribute first.
    later = [kept]
    for k in reversed(order):
        later.append(later[-1] & members[k])
    fitting = judge.everybody
    for k, rest in zip(order, reversed(later[:-1]), strict=True):
        widest = _widest(judge, part, k, blocks[k], partitions[k], fitting & rest)
        if widest != blocks[k]:
            blocks[k] = widest
            members[k] = judge.member(k, widest)
        fitting &= members[k]
    return tuple(blocks)


def _widest(
    judge: CandidateJudge,
    part: ClassPart,
    k: int,
    block: int,
    partition: Bools,
    around: int,
) -> int:
    """The block of attribute k widened while what it holds of these cells violates."""
    scheme = judge.space.schemes[k]
    if isinstance(scheme, Along):
        # In a tree there is one way up.
        above = scheme.above
        while block in above:
            if not judge.breaks(part, around & judge.member(k, above[block])):
                break
            block = above[block]
        return block
    waiting = list(wider(scheme, block, partition))
    while waiting:
        tried = waiting.pop(0)
        if judge.breaks(part, around & judge.member(k, tried)):
            # on from the larger block: whether it fails is what later steps ask
            block = tried
            waiting = list(wider(scheme, block, partition))
    return block
