"""How many records of each block of a line are withheld, whatever its other blocks are:
counted for all blocks at once, from the finest quotient.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from phverify.exact import Ints, IntsPair
from phverify.generalization.counted_candidate import CountedCandidate
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.refute import Refuter, together
from phverify.microdata.keys import packed, ranked, starts_of
from phverify.spec.bitset import Bits, members
from phverify.spec.budgeted import Lost, ValueLine

ROOM = 2_000_000
"""So many counts are looked at together."""
KEPT = 10_000_000
"""Blocks of which losses are remembered, all tables together."""


@dataclass(frozen=True, eq=False)
class LossTable:
    """By the places where a block begins and ends.

    ``certain``: withheld in everything that is as fine beside the line, and finer;
    ``exact``: in what is just so.
    """

    certain: Ints
    exact: Ints


@dataclass(frozen=True, eq=False)
class _Counts:
    """Records by what they have beside the line and of the columns that matter.

    Equal ones stand together, in the order of their groups.  ``before`` counts for each
    place those before it.
    """

    groups: Ints
    profiles: Ints
    before: Ints


@dataclass(frozen=True, eq=False)
class BlockLosses:
    """Counts for a search; ``line`` is a column of its space."""

    refuter: Refuter
    line: ValueLine
    tables: dict[Bits, LossTable | None] = field(default_factory=dict)

    @property
    def judge(self) -> CandidateJudge:
        """Who decides classes."""
        return self.refuter.judge

    @property
    def places(self) -> int:
        """How many places there are."""
        return self.line.length + 1

    def of(self, beside: Bits, settled: bool) -> Lost:
        """How many records of each block are withheld at least."""
        table = self.table(beside)
        if table is None:
            # Of all together more than may be.
            return lambda start, end: self.refuter.budget + 1
        losses = table.exact if settled else table.certain
        listed = losses.tolist()

        def lost(start: int, end: int) -> int:
            own: int = listed[start][end]
            return own

        return lost

    def table(self, beside: Bits) -> LossTable | None:
        """The losses of all blocks with these decisions beside the line; None where too
        many records are lost whatever the blocks are.
        """
        tables = self.tables
        if beside not in tables:
            blocks = self.places**2
            if blocks * len(tables) >= KEPT:
                tables.clear()
            tables[beside] = self._table(beside)
        return tables[beside]

    def _table(self, beside: Bits) -> LossTable | None:
        counts = self._counts(beside)
        whole = counts.before[-1]
        starts = starts_of(counts.groups)
        certain, _ = self._lost(starts, counts.profiles, whole)
        if certain.sum() > self.refuter.budget:
            return None
        # Of what is lost as one block nothing is left in a part of it.
        sizes = np.add.reduceat(whole, starts[:-1])
        all_lost = certain == sizes
        gone = all_lost[counts.groups]
        before = counts.before[:, gone].sum(axis=1)
        surely = np.maximum(before[None, :] - before[:, None], 0)
        table = LossTable(surely, surely.copy())
        left = ~gone
        if left.any():
            self._add(table, counts, np.flatnonzero(left))
        return table

    def _counts(self, beside: Bits) -> _Counts:
        """The records where everything beside the line is as these decisions say."""
        judge = self.judge
        finest, space = judge.finest, judge.space
        candidate = space.bottom()
        candidate[list(members(beside))] = True
        images = space.columns(candidate)
        columns, sizes = [], []
        for number, scheme in enumerate(space.schemes):
            if number != self.line.number:
                image = images[scheme.name]
                columns.append(image.codes[finest.codes[scheme.name]])
                sizes.append(len(image.labels))
        _, keys, possible = packed(columns, sizes, finest.cells)
        _, groups = ranked(keys, possible)
        profiles, many = finest.profiles
        distinct, rows = ranked(groups * many + profiles, finest.cells * many)

        before: Ints = np.zeros((self.places, len(distinct)), dtype=np.int64)
        np.add.at(before, (self._place_of_cell + 1, rows), finest.counts)
        return _Counts(distinct // many, distinct % many, before.cumsum(axis=0))

    @cached_property
    def _place_of_cell(self) -> Ints:
        """For each cell the place before its value of the line."""
        finest = self.judge.finest
        name = self.judge.space.schemes[self.line.number].name
        places = np.zeros(self.line.length, dtype=np.int64)
        places[list(self.line.values)] = np.arange(self.line.length)
        return places[finest.codes[name]]

    @cached_property
    def _blocks(self) -> IntsPair:
        """Where the blocks begin and end."""
        pairs = []
        for start, blocks in enumerate(self.line.blocks):
            for block in blocks:
                pair = start, block.end
                pairs.append(pair)
        starts, ends = np.array(pairs, dtype=np.int64).T
        return starts, ends

    def _add(self, table: LossTable, counts: _Counts, left: Ints) -> None:
        """Add to a table what is lost of each block, class by class, of some counts."""
        starts, ends = self._blocks
        groups = counts.groups[left]
        for part in self._parts(groups, len(starts)):
            self.refuter.deadline.check()
            before = counts.before[:, left[part]]
            inside = before[ends] - before[starts]
            block, column = np.nonzero(inside)
            # A class is a block and a group: these are in order.
            classes = block * self.judge.finest.cells + groups[part][column]
            first = starts_of(classes)
            profiles = counts.profiles[left[part]][column]
            certain, exact = self._lost(first, profiles, inside[block, column])
            of_class = block[first[:-1]]
            some = starts_of(of_class)[:-1]
            place = starts[of_class[some]], ends[of_class[some]]
            table.certain[place] += np.add.reduceat(certain, some)
            table.exact[place] += np.add.reduceat(exact, some)

    def _parts(self, groups: Ints, blocks: int) -> Iterator[slice]:
        """Rows in parts that hold whole groups, none of them too large if possible."""
        many = max(1, ROOM // blocks)
        first = 0
        while first < len(groups):
            last = first + many
            if last < len(groups):
                # The group that does not fit is left to the next part.
                next_group = groups[last]
                last = int(np.searchsorted(groups, next_group))
            if last <= first:
                own = groups[first]
                last = int(np.searchsorted(groups, own, side="right"))
            yield slice(first, last)
            first = last

    def _lost(self, starts: Ints, profiles: Ints, counts: Ints) -> IntsPair:
        """For each class how many records of it are lost for certain, and just so.

        Classes begin at ``starts`` among the profiles of their records, beside which
        there is how many have each.
        """
        judge, finest = self.judge, self.judge.finest
        codes = {name: own[profiles] for name, own in self._codes.items()}
        quotient = replace(finest, starts=starts, counts=counts, codes=codes)
        nothing = judge.space.bottom()
        view = CountedCandidate(nothing, quotient, judge.ground, finest, {})
        failing = together(judge.failing(view, part) for part in judge.parts.classes)
        exact: Ints = np.zeros(quotient.classes, dtype=np.int64)
        exact[failing] = quotient.sizes[failing]
        return self.refuter.lost_of_classes(view), exact

    @cached_property
    def _codes(self) -> dict[str, Ints]:
        """For each profile what it holds of the columns that matter."""
        finest = self.judge.finest
        profiles, many = finest.profiles
        some = np.zeros(many, dtype=np.int64)
        some[profiles] = np.arange(finest.cells)
        return {name: finest.codes[name][some] for name in finest.others}
