"""Generalizations without a hierarchy: intervals, and partitions of any kind."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from phverify.spec.bitset import below, members
from phverify.spec.data import Label, Refused
from phverify.spec.schemes import (
    Clause,
    Clauses,
    Costs,
    Numbers,
    Records,
    Scheme,
    Truth,
)

Labels = Sequence[Label]
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Together(Scheme):
    """The unknown of a pair says that the two values share a block.

    A block is a set of values as bits.
    """

    @property
    @abstractmethod
    def pairs(self) -> Mapping[Pair, int]:
        """The unknown of each pair of values that has one, lower value first."""

    @cached_property
    def deciding(self) -> list[Pair]:
        """The pairs whose unknowns determine the partition, in their order."""
        return [
            pair for pair, unknown in self.pairs.items() if unknown < self.decisions
        ]

    @property
    def size(self) -> int:
        """One unknown for each pair."""
        return len(self.pairs)

    @property
    def everything(self) -> int:
        """The block of all values."""
        return below(len(self.values))

    def blocks(self, truth: Truth) -> list[int]:
        """The block of each value: what true pairs connect."""
        blocks = [1 << value for value in range(len(self.values))]
        for (v, w), joined in zip(self.deciding, truth, strict=True):
            if joined and blocks[v] != blocks[w]:
                # Sharing a block is transitive: a true pair joins all of both blocks.
                union = blocks[v] | blocks[w]
                for value in self.members(union):
                    blocks[value] = union
        return blocks

    def solution(self, truth: Truth) -> list[bool]:
        """For each pair whether the two values share a block."""
        blocks = self.blocks(truth)
        pairs = self.pairs
        return [blocks[v] == blocks[w] for v, w in pairs]

    def label(self, block: int) -> Label:
        """The value itself, ``*`` for all of them, else what ``listed`` says."""
        inside = [self.values[value] for value in self.members(block)]
        if len(inside) == 1:
            return inside[0]
        if block == self.everything:
            return "*"
        return self.listed(inside)

    @abstractmethod
    def listed(self, inside: Labels) -> str:
        """What the release shows for some of the values, at least two."""

    def members(self, block: int) -> Numbers:
        """The numbers of a block's values."""
        return tuple(members(block))

    def valid(self, block: int) -> bool:
        """A set of some of the values."""
        return 0 < block <= self.everything

    def cut(self, block: int) -> Clause:
        """The pairs of a value in the block and one outside."""
        clause = []
        for literal, (v, w) in enumerate(self.deciding, start=1):
            # Whatever releases more than the block together joins a pair across it.
            if (block >> v & 1) != (block >> w & 1):
                clause.append(literal)
        return tuple(clause)

    def inner(self, block: int) -> Clause:
        """The pairs of two values in the block."""
        clause = []
        for literal, (v, w) in enumerate(self.deciding, start=1):
            if block >> v & block >> w & 1:
                clause.append(literal)
        return tuple(clause)

    def costs(self, objective: str, records: Records) -> Costs:
        """What each pair costs: what the records of both lose.

        (size - 1) of a block is the number of other values in it.  Raises Refused for
        an objective that counts levels.
        """
        if objective != "loss":
            raise Refused(
                f"{objective} looks at a hierarchy, and {self.name} is generalized"
                " without one"
            )
        last = len(self.values) - 1
        numbers = range(last + 1)
        lost: dict[int, Fraction] = {}
        for v, w in combinations(numbers, 2):
            # A missing cell shares a block iff all values do: the last decision.
            unknown = self.pairs.get((v, w), last - 1)
            # Each pair that shares a block costs every record of both one other value.
            of_both = records[v] + records[w]
            if of_both not in lost:
                lost[of_both] = Fraction(of_both, last)
            yield unknown, lost[of_both]


@dataclass(frozen=True, eq=False)
class Intervals(Together):
    """Runs of neighbours, the lowest value first.

    Neighbours decide, the other pairs serve the cost.  A missing cell, which comes
    last, joins only when everything is one block.
    """

    kind = "intervals"

    @property
    def decisions(self) -> int:
        """One for each pair of neighbours."""
        return len(self.values) - 1

    @property
    def lonely(self) -> bool:
        """Whether the last value is the missing one, beside others."""
        if None not in self.values:
            return False
        return len(self.values) > 1

    @cached_property
    def pairs(self) -> Mapping[Pair, int]:
        """Neighbours first, then the other pairs of values that are not missing."""
        pairs = [(value, value + 1) for value in range(self.decisions)]
        # The missing cell has no pair but that with the last value.
        present = len(self.values) - self.lonely
        for upper in range(present):
            pairs += [(lower, upper) for lower in range(upper - 1)]

        # A pair's unknown is its place in this order.
        return {pair: unknown for unknown, pair in enumerate(pairs)}

    def constraints(self) -> Clauses:
        """A pair shares a block iff a shorter one and the last step do.

        If the missing cell joins, all neighbours do.
        """
        for (lower, upper), unknown in self.pairs.items():
            if upper > lower + 1:
                # Clauses count unknowns from 1.
                whole = unknown + 1
                shorter = self.pairs[lower, upper - 1] + 1
                last = self.pairs[upper - 1, upper] + 1
                yield -shorter, -last, whole
                yield -whole, shorter
                yield -whole, last
        if self.lonely:
            missing = self.decisions
            yield from ((-missing, literal) for literal in range(1, missing))

    def blocks(self, truth: Truth) -> list[int]:
        """The block of each value: a run of neighbours that are joined."""
        blocks: list[int] = []
        # Nobody comes after the last value.
        for value, joined in enumerate((*truth, False)):
            if not joined:
                start = len(blocks)
                block = below(value + 1) & ~below(start)
                blocks += [block] * (value + 1 - start)
        return blocks

    def valid(self, block: int) -> bool:
        """A run of neighbours; with the missing cell, all values or that cell alone."""
        if not super().valid(block):
            return False
        lowest = block & -block
        # Neighbours: the lowest one, added to a run, carries through all of it.
        if block & (block + lowest):
            return False
        highest = block.bit_length() - 1
        # Where the missing value stands between others no interval says.
        joined = self.lonely and block != lowest and self.values[highest] is None
        return not joined or block == self.everything

    def runs(self, weights: Sequence[int]) -> Iterator[list[int]]:
        """For each value what the runs that end with it cost, by where they begin.

        ``weights`` are what the pairs cost.
        """
        costs = []
        for last in range(len(self.values)):
            costs.append(0)
            # What a run costs without its last value, and what that adds.
            added = 0
            for start in range(last - 1, -1, -1):
                pair = self.pairs.get((start, last))
                if pair is not None:
                    added += weights[pair]
                costs[start] += added
            yield costs.copy()

    def listed(self, inside: Labels) -> str:
        """The lowest and the highest value."""
        lowest = inside[0]
        highest = inside[-1]
        return f"{lowest}..{highest}"


@dataclass(frozen=True, eq=False)
class Partitions(Together):
    """Any partition."""

    kind = "partitions"

    @property
    def decisions(self) -> int:
        """One for each pair."""
        return len(self.pairs)

    @cached_property
    def pairs(self) -> Mapping[Pair, int]:
        """All pairs."""
        numbers = range(len(self.values))
        pairs = combinations(numbers, 2)
        return {pair: unknown for unknown, pair in enumerate(pairs)}

    def constraints(self) -> Clauses:
        """Of three values, two pairs that share a block make the third one share it."""
        pairs = self.pairs
        numbers = range(len(self.values))
        for u, v, w in combinations(numbers, 3):
            lower = pairs[u, v] + 1
            upper = pairs[v, w] + 1
            outer = pairs[u, w] + 1
            yield -lower, -upper, outer
            yield -lower, upper, -outer
            yield lower, -upper, -outer

    def listed(self, inside: Labels) -> str:
        """All values."""
        shown = ["(missing)" if value is None else value for value in inside]
        return " or ".join(shown)
