"""Generalizations without a hierarchy: intervals, and partitions of any kind."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

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
    """The unknown of a pair says that the two values share a block; a block is a set of
    values as bits.
    """

    @property
    @abstractmethod
    def pairs(self) -> Mapping[Pair, int]:
        """The unknown of each pair of values that has one, lower value first."""

    @cached_property
    def deciding(self) -> list[Pair]:
        """The pairs whose unknowns determine the partition."""
        return [pair for pair, k in self.pairs.items() if k < self.decisions]

    @property
    def size(self) -> int:
        return len(self.pairs)

    @property
    def everything(self) -> int:
        """The block of all values."""
        return (1 << len(self.values)) - 1

    def blocks(self, truth: Truth) -> list[int]:
        found = [1 << v for v in range(len(self.values))]
        for (v, w), together in zip(self.deciding, truth, strict=True):
            if together and found[v] != found[w]:
                both = found[v] | found[w]
                for u in self.members(both):
                    found[u] = both
        return found

    def solution(self, truth: Truth) -> list[bool]:
        block = self.blocks(truth)
        return [block[v] == block[w] for v, w in self.pairs]

    def label(self, block: int) -> Label:
        inside = [self.values[v] for v in self.members(block)]
        if len(inside) == 1:
            return inside[0]
        return "*" if block == self.everything else self.listed(inside)

    @abstractmethod
    def listed(self, inside: Labels) -> str:
        """What the release shows for some of the values, at least two."""

    def members(self, block: int) -> Numbers:
        return tuple(v for v in range(len(self.values)) if block >> v & 1)

    def valid(self, block: int) -> bool:
        return 0 < block <= self.everything

    def cut(self, block: int) -> Clause:
        return tuple(
            k
            for k, (v, w) in enumerate(self.deciding, start=1)
            if (block >> v & 1) != (block >> w & 1)
        )

    def inner(self, block: int) -> Clause:
        return tuple(
            k
            for k, (v, w) in enumerate(self.deciding, start=1)
            if block >> v & block >> w & 1
        )

    def costs(self, objective: str, records: Records) -> Costs:
        """(size - 1) of a block is the number of other values in it: a pair costs what
        the records of both lose.
        """
        if objective != "loss":
            raise Refused(
                f"{objective} counts levels of a hierarchy, and {self.name} is"
                " generalized without one"
            )
        last = len(self.values) - 1
        for v, w in combinations(range(last + 1), 2):
            together = self.pairs.get(
                (v, w), last - 1
            )  # a missing cell shares a block iff all values do
            yield together, Fraction(records[v] + records[w], last)


@dataclass(frozen=True, eq=False)
class Intervals(Together):
    """Runs of neighbours, the lowest value first: neighbours decide, the other pairs
    serve the cost.

    A missing cell, which comes last, joins only when everything is one block.
    """

    kind = "intervals"

    @property
    def decisions(self) -> int:
        return len(self.values) - 1

    @property
    def lonely(self) -> bool:
        """Whether the last value is the missing one, beside others."""
        return None in self.values and len(self.values) > 1

    @cached_property
    def pairs(self) -> Mapping[Pair, int]:
        near = [(v, v + 1) for v in range(self.decisions)]
        far = [
            (v, w) for w in range(len(self.values) - self.lonely) for v in range(w - 1)
        ]
        return {pair: k for k, pair in enumerate([*near, *far])}

    def constraints(self) -> Clauses:
        for (v, w), k in self.pairs.items():
            if w > v + 1:
                shorter, last = self.pairs[v, w - 1] + 1, self.pairs[w - 1, w] + 1
                yield from (
                    (-shorter, -last, k + 1),
                    (-(k + 1), shorter),
                    (-(k + 1), last),
                )
        if self.lonely:
            yield from ((-self.decisions, j) for j in range(1, self.decisions))

    def valid(self, block: int) -> bool:
        if not super().valid(block):
            return False
        inside = self.members(block)
        joined = self.lonely and len(inside) > 1 and self.values[inside[-1]] is None
        return len(inside) == inside[-1] - inside[0] + 1 and (
            not joined or block == self.everything
        )

    def listed(self, inside: Labels) -> str:
        return f"{inside[0]}..{inside[-1]}"


@dataclass(frozen=True, eq=False)
class Partitions(Together):
    """Any partition."""

    kind = "partitions"

    @property
    def decisions(self) -> int:
        return len(self.pairs)

    @cached_property
    def pairs(self) -> Mapping[Pair, int]:
        return {
            pair: k for k, pair in enumerate(combinations(range(len(self.values)), 2))
        }

    def constraints(self) -> Clauses:
        for u, v, w in combinations(range(len(self.values)), 3):
            a, b, c = self.pairs[u, v] + 1, self.pairs[v, w] + 1, self.pairs[u, w] + 1
            yield from ((-a, -b, c), (-a, b, -c), (a, -b, -c))

    def listed(self, inside: Labels) -> str:
        return " or ".join("(missing)" if value is None else value for value in inside)
