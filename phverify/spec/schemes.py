"""How one column may be generalized, as 0/1 unknowns: levels, subtrees, intervals, partitions.

Every unknown is true for more general.  A *block* is a set of values that the release shows as one; blocks have
numbers.  Clauses are written as in DIMACS: ``v + 1`` says that unknown v is true, ``-(v + 1)`` that it is false.  Each
clause of a scheme says that some unknowns together imply another one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from typing import ClassVar

from phverify.spec.data import Label, Paths, Refused
from phverify.spec.hierarchies import path_of

Numbers = tuple[int, ...]
Ladders = Sequence[Sequence[int]]
"""For each value the nodes that it may become, itself first."""
Records = Sequence[int]
"""How many records have each value."""
Labels = Sequence[Label]
Pair = tuple[int, int]
Costs = Iterator[tuple[int, Fraction]]
"""Unknowns, and what making them true costs."""

Clause = Numbers
Clauses = Iterator[Clause]
Truth = Sequence[bool]


@dataclass(frozen=True, eq=False)
class Scheme(ABC):
    """The partitions of a column's values that may be chosen from; the first ``decisions`` unknowns determine one."""

    name: str
    values: tuple[Label, ...]
    kind: ClassVar[str]

    @property
    @abstractmethod
    def decisions(self) -> int:
        """How many unknowns determine a partition."""

    @property
    def size(self) -> int:
        """All unknowns, those that serve the cost alone too."""
        return self.decisions

    @abstractmethod
    def constraints(self) -> Clauses:
        """Clauses that hold for exactly the partitions."""

    @abstractmethod
    def blocks(self, truth: Truth) -> list[int]:
        """The block of each value."""

    @abstractmethod
    def label(self, block: int) -> Label:
        """What the release shows for a block."""

    @abstractmethod
    def members(self, block: int) -> Numbers:
        """The numbers of a block's values."""

    @abstractmethod
    def valid(self, block: int) -> bool:
        """Whether this number is a block of some partition."""

    @abstractmethod
    def cut(self, block: int) -> Clause:
        """Unknowns of which one is true iff the partition does not keep the block apart from the other values."""

    @abstractmethod
    def inner(self, block: int) -> Clause:
        """Unknowns all of which are true, and none of ``cut``, iff the block is one of the partition."""

    @abstractmethod
    def costs(self, objective: str, records: Records) -> Costs:
        """Unknowns, and what making them true costs; ``records`` have each value.

        Raises Refused when the objective counts levels and there are none.
        """

    def solution(self, truth: Truth) -> list[bool]:
        """The truth of all unknowns."""
        return list(truth)

    def beyond(self, truth: Truth) -> Clause:
        """Unknowns of which one is true iff a partition is not at least as fine as this one: the lowest false ones."""
        decided = (clause for clause in self.constraints() if len(clause) == 2 and -clause[0] <= self.decisions)
        higher = {-above for above, below in decided if not truth[below - 1]}
        return tuple(u for u, true in enumerate(truth, start=1) if not true and u not in higher)

    def images(self, truth: Truth) -> list[Label]:
        """What the release shows for each value."""
        blocks = self.blocks(truth)
        shown = self.shown(blocks)
        return [shown[block] for block in blocks]

    def shown(self, blocks: Sequence[int]) -> dict[int, Label]:
        """What the release shows for the blocks of a partition; blocks of one name are told apart."""
        numbers = sorted(set(blocks))
        labels = [self.label(block) for block in numbers]
        while len(set(labels)) < len(labels):
            labels = [f"{one} (group {k + 1})" if labels.count(one) > 1 else one for k, one in enumerate(labels)]
        return dict(zip(numbers, labels, strict=True))


# Along a hierarchy


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy over a column's values; nodes are numbered value by value from below, each (level, label) once."""

    paths: tuple[Numbers, ...]
    places: tuple[tuple[int, Label], ...]
    leaves: Numbers
    """How many values of the hierarchy lie below each node, those that do not occur too."""
    domain: int

    @property
    def depth(self) -> int:
        """The number of generalization steps."""
        return len(self.paths[0]) - 1

    @cached_property
    def below(self) -> list[Numbers]:
        """The numbers of the values below each node."""
        found: list[list[int]] = [[] for _ in self.places]
        for value, path in enumerate(self.paths):
            for node in path:
                found[node].append(value)
        return list(map(tuple, found))


def tree(name: str, values: Labels, given: Paths | None) -> Tree:
    """The hierarchy over the values.  Raises Refused when it lacks one of them."""
    if given is None:
        raise Refused(f"{name!r} has no hierarchy")
    paths = {value: path_of(value, given) for value in (*(line or None for line in given), *values)}
    if lacking := [value for value in values if not paths[value]]:
        raise Refused(f"the hierarchy of {name!r} lacks {lacking[0]!r}")
    number: dict[tuple[int, Label], int] = {}
    rows = [tuple(number.setdefault(place, len(number)) for place in enumerate(paths[value])) for value in values]
    leaves = [0] * len(number)
    for path in paths.values():
        for place in enumerate(path):
            if place in number:
                leaves[number[place]] += 1
    return Tree(tuple(rows), tuple(number), tuple(leaves), len(paths))


@dataclass(frozen=True, eq=False)
class Along(Scheme):
    """Blocks are nodes of a hierarchy.  The unknown of a node says that the cut is at the node or above it."""

    tree: Tree

    @property
    @abstractmethod
    def ladders(self) -> Ladders:
        """For each value the nodes that it may become, itself first."""

    @property
    @abstractmethod
    def unknown(self) -> Mapping[int, int]:
        """The unknown of each node above a value."""

    @cached_property
    def above(self) -> dict[int, int]:
        """The next node above each node that has one."""
        return {low: high for ladder in self.ladders for low, high in pairwise(ladder)}

    @cached_property
    def nodes(self) -> frozenset[int]:
        return frozenset(node for ladder in self.ladders for node in ladder)

    @cached_property
    def decisions(self) -> int:
        return len(set(self.unknown.values()))

    def constraints(self) -> Clauses:
        steps = ((self.unknown[high], self.unknown[low]) for low, high in self.above.items() if low in self.unknown)
        yield from ((-(high + 1), low + 1) for high, low in dict.fromkeys(steps))

    def blocks(self, truth: Truth) -> list[int]:
        return [ladder[sum(truth[self.unknown[node]] for node in ladder[1:])] for ladder in self.ladders]

    def label(self, block: int) -> Label:
        return self.tree.places[block][1]

    def members(self, block: int) -> Numbers:
        return self.tree.below[block]

    def valid(self, block: int) -> bool:
        return block in self.nodes

    def cut(self, block: int) -> Clause:
        return (self.unknown[self.above[block]] + 1,) if block in self.above else ()

    def inner(self, block: int) -> Clause:
        return (self.unknown[block] + 1,) if block in self.unknown else ()

    def costs(self, objective: str, records: Records) -> Costs:
        """What a record loses adds up step by step."""
        for many, ladder in zip(records, self.ladders, strict=True):
            prices = [self.price(node, objective) for node in ladder]
            for node, (low, high) in zip(ladder[1:], pairwise(prices), strict=True):
                yield self.unknown[node], many * (high - low)

    def price(self, node: int, objective: str) -> Fraction:
        """What a record costs at a node."""
        level = self.tree.places[node][0]
        match objective:
            case "height":
                return Fraction(level)
            case "precision":
                return Fraction(level, max(self.tree.depth, 1))
        return Fraction(self.tree.leaves[node] - 1, max(self.tree.domain - 1, 1))


@dataclass(frozen=True, eq=False)
class Levels(Along):
    """All values at one level: all nodes of a level have the same unknown."""

    kind = "levels"

    @property
    def ladders(self) -> Ladders:
        return self.tree.paths

    @cached_property
    def unknown(self) -> Mapping[int, int]:
        return {node: level - 1 for node, (level, _) in enumerate(self.tree.places) if level}


@dataclass(frozen=True, eq=False)
class Subtrees(Along):
    """A cut through the hierarchy: every node has its unknown.

    A node with the leaves of the one below differs from it by its name alone: it is left out unless ``named``, that is
    unless the policy speaks of the column.
    """

    named: bool = False
    kind = "subtrees"

    @cached_property
    def ladders(self) -> Ladders:
        found = []
        for path in self.tree.paths:
            kept = [path[0]]
            for node in path[1:]:
                if self.named or self.tree.leaves[node] > self.tree.leaves[kept[-1]]:
                    kept.append(node)
            found.append(kept)
        return found

    @cached_property
    def unknown(self) -> Mapping[int, int]:
        higher = {node for ladder in self.ladders for node in ladder[1:]}
        return {node: k for k, node in enumerate(sorted(higher))}


# Without a hierarchy


@dataclass(frozen=True, eq=False)
class Together(Scheme):
    """The unknown of a pair says that the two values share a block; a block is a set of values as bits."""

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
        return tuple(k for k, (v, w) in enumerate(self.deciding, start=1) if (block >> v & 1) != (block >> w & 1))

    def inner(self, block: int) -> Clause:
        return tuple(k for k, (v, w) in enumerate(self.deciding, start=1) if block >> v & block >> w & 1)

    def costs(self, objective: str, records: Records) -> Costs:
        """(size - 1) of a block is the number of other values in it: a pair costs what the records of both lose."""
        if objective != "loss":
            raise Refused(f"{objective} counts levels of a hierarchy, and {self.name} is generalized without one")
        last = len(self.values) - 1
        for v, w in combinations(range(last + 1), 2):
            together = self.pairs.get((v, w), last - 1)  # a missing cell shares a block iff all values do
            yield together, Fraction(records[v] + records[w], last)


@dataclass(frozen=True, eq=False)
class Intervals(Together):
    """Runs of neighbours, the lowest value first: neighbours decide, the other pairs serve the cost.

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
        far = [(v, w) for w in range(len(self.values) - self.lonely) for v in range(w - 1)]
        return {pair: k for k, pair in enumerate([*near, *far])}

    def constraints(self) -> Clauses:
        for (v, w), k in self.pairs.items():
            if w > v + 1:
                shorter, last = self.pairs[v, w - 1] + 1, self.pairs[w - 1, w] + 1
                yield from ((-shorter, -last, k + 1), (-(k + 1), shorter), (-(k + 1), last))
        if self.lonely:
            yield from ((-self.decisions, j) for j in range(1, self.decisions))

    def valid(self, block: int) -> bool:
        if not super().valid(block):
            return False
        inside = self.members(block)
        joined = self.lonely and len(inside) > 1 and self.values[inside[-1]] is None
        return len(inside) == inside[-1] - inside[0] + 1 and (not joined or block == self.everything)

    def listed(self, inside: Labels) -> str:
        return f"{inside[0]}..{inside[-1]}"


@dataclass(frozen=True, eq=False)
class Partitions(Together):
    """Any partition."""

    kind = "partitions"
    largest: ClassVar[int] = 8
    """Of more values not all partitions are tried."""

    @property
    def decisions(self) -> int:
        return len(self.pairs)

    @cached_property
    def pairs(self) -> Mapping[Pair, int]:
        return {pair: k for k, pair in enumerate(combinations(range(len(self.values)), 2))}

    def constraints(self) -> Clauses:
        for u, v, w in combinations(range(len(self.values)), 3):
            a, b, c = self.pairs[u, v] + 1, self.pairs[v, w] + 1, self.pairs[u, w] + 1
            yield from ((-a, -b, c), (-a, b, -c), (a, -b, -c))

    def listed(self, inside: Labels) -> str:
        return " or ".join("(missing)" if value is None else value for value in inside)
