"""How one column may be generalized, as 0/1 unknowns: levels, subtrees, intervals, partitions.

Every unknown is true for more general.  A block is a set of values that the release shows as one; blocks have
numbers.  Clauses are as in DIMACS: ``v + 1`` says that unknown v is true, ``-(v + 1)`` that it is false.
``values`` are the values of the column, in the order of the certificate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise

from phverify.spec.data import Label, Paths, Refused

Clause = tuple[int, ...]
Truth = Sequence[bool]
Path = tuple[Label, ...]


@dataclass(frozen=True, eq=False)
class Scheme(ABC):
    """The partitions of a column's values that may be chosen from; the first ``decisions`` unknowns determine one."""

    name: str
    values: tuple[Label, ...]
    kind = ""

    @property
    @abstractmethod
    def decisions(self) -> int:
        """How many unknowns determine a partition."""

    @property
    def size(self) -> int:
        """All unknowns, those that serve the cost alone too."""
        return self.decisions

    @abstractmethod
    def constraints(self) -> Iterator[Clause]:
        """Clauses that hold for exactly the partitions."""

    @abstractmethod
    def blocks(self, truth: Truth) -> list[int]:
        """The block of each value."""

    @abstractmethod
    def label(self, block: int) -> Label:
        """What the release shows for a block."""

    @abstractmethod
    def members(self, block: int) -> tuple[int, ...]:
        """The numbers of a block's values."""

    @abstractmethod
    def valid(self, block: int) -> bool:
        """Whether this number is a block."""

    @abstractmethod
    def cut(self, block: int) -> Clause:
        """Unknowns of which one is true iff the partition does not keep the block apart from the other values."""

    @abstractmethod
    def inner(self, block: int) -> Clause:
        """Unknowns all of which are true, and none of ``cut``, iff the block is one of the partition."""

    def beyond(self, truth: Truth) -> Clause:
        """Unknowns of which one is true iff a partition is not at least as fine as this one."""
        return tuple(u + 1 for u, true in enumerate(truth) if not true)

    def solution(self, truth: Truth) -> list[bool]:
        """The truth of all unknowns."""
        return list(truth)

    def price(self, objective: str) -> Callable[[int], Fraction]:
        """What one record costs in a block.  Raises Refused when the objective counts levels and there are none."""
        if objective != "loss":
            raise Refused(f"{objective} counts levels of a hierarchy, and {self.name!r} is generalized without one")
        most = max(len(self.values) - 1, 1)
        return lambda block: Fraction(len(self.members(block)) - 1, most)

    def images(self, truth: Truth) -> list[Label]:
        """What the release shows for each value; blocks of one name are told apart."""
        found = self.blocks(truth)
        blocks = sorted(set(found))
        labels = [self.label(block) for block in blocks]
        while len(set(labels)) < len(labels):
            labels = [f"{one} (group {k + 1})" if labels.count(one) > 1 else one for k, one in enumerate(labels)]
        shown = dict(zip(blocks, labels, strict=True))
        return [shown[block] for block in found]


# Along a hierarchy


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy over a column's values; nodes are numbered value by value from below, each (level, label) once."""

    paths: tuple[tuple[int, ...], ...]
    places: tuple[tuple[int, Label], ...]
    leaves: tuple[int, ...]
    """How many values of the hierarchy lie below each node, those that do not occur too."""
    domain: int

    @property
    def depth(self) -> int:
        return len(self.paths[0]) - 1

    @cached_property
    def below(self) -> list[tuple[int, ...]]:
        """The numbers of the values below each node."""
        return [tuple(v for v, path in enumerate(self.paths) if node in path) for node in range(len(self.places))]


def tree(name: str, values: Sequence[Label], given: Paths | None) -> Tree:
    """The hierarchy over the values.  Raises Refused when it lacks one of them.

    A missing cell without a line of its own stays missing below the top, and joins everybody there.
    """
    if given is None:
        raise Refused(f"{name!r} has no hierarchy")
    paths: dict[Label, Path] = {value or None: (value or None, *path[1:]) for value, path in given.items()}
    tops = {path[-1] for path in given.values()}
    levels = len(next(iter(given.values()))) - 1
    if None in values and None not in paths:
        paths[None] = (*[None] * levels, next(iter(tops)) if len(tops) == 1 and levels else None)
    if lacking := [value for value in values if value not in paths]:
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
    """Blocks are nodes of a hierarchy."""

    tree: Tree

    def label(self, block: int) -> Label:
        return self.tree.places[block][1]

    def members(self, block: int) -> tuple[int, ...]:
        return self.tree.below[block]

    def price(self, objective: str) -> Callable[[int], Fraction]:
        tree = self.tree
        if objective == "loss":
            return lambda block: Fraction(tree.leaves[block] - 1, max(tree.domain - 1, 1))
        scale = 1 if objective == "height" else max(tree.depth, 1)
        return lambda block: Fraction(tree.places[block][0], scale)


@dataclass(frozen=True, eq=False)
class Levels(Along):
    """All values at one level.  Unknown j says that the level is above j."""

    kind = "levels"

    @property
    def decisions(self) -> int:
        return self.tree.depth

    def constraints(self) -> Iterator[Clause]:
        yield from ((-(level + 2), level + 1) for level in range(self.tree.depth - 1))

    def blocks(self, truth: Truth) -> list[int]:
        return [path[sum(truth)] for path in self.tree.paths]

    def valid(self, block: int) -> bool:
        return 0 <= block < len(self.tree.places)

    def cut(self, block: int) -> Clause:
        level = self.tree.places[block][0]
        return () if level == self.tree.depth else (level + 1,)

    def inner(self, block: int) -> Clause:
        level = self.tree.places[block][0]
        return (level,) if level else ()

    def beyond(self, truth: Truth) -> Clause:
        return (sum(truth) + 1,) if sum(truth) < self.tree.depth else ()


@dataclass(frozen=True, eq=False)
class Subtrees(Along):
    """A cut through the hierarchy.  A node's unknown says that the cut is at the node or above it.

    A node with the leaves of the one below differs from it by its name alone: it is left out unless ``named``, that is
    unless the policy speaks of the column.
    """

    named: bool = False
    kind = "subtrees"

    @cached_property
    def ladders(self) -> list[list[int]]:
        """For each value the nodes above it, itself first."""
        found = []
        for path in self.tree.paths:
            kept = [path[0]]
            for node in path[1:]:
                if self.named or self.tree.leaves[node] > self.tree.leaves[kept[-1]]:
                    kept.append(node)
            found.append(kept)
        return found

    @cached_property
    def above(self) -> dict[int, int]:
        return {low: high for ladder in self.ladders for low, high in pairwise(ladder)}

    @cached_property
    def unknown(self) -> dict[int, int]:
        """The unknown of each node with something below it."""
        return {node: k for k, node in enumerate(sorted({n for ladder in self.ladders for n in ladder[1:]}))}

    @property
    def decisions(self) -> int:
        return len(self.unknown)

    def constraints(self) -> Iterator[Clause]:
        for low, high in self.above.items():
            if low in self.unknown:
                yield -(self.unknown[high] + 1), self.unknown[low] + 1

    def blocks(self, truth: Truth) -> list[int]:
        return [ladder[sum(truth[self.unknown[node]] for node in ladder[1:])] for ladder in self.ladders]

    def valid(self, block: int) -> bool:
        return any(block in ladder for ladder in self.ladders)

    def cut(self, block: int) -> Clause:
        return (self.unknown[self.above[block]] + 1,) if block in self.above else ()

    def inner(self, block: int) -> Clause:
        return (self.unknown[block] + 1,) if block in self.unknown else ()


# Without a hierarchy


@dataclass(frozen=True, eq=False)
class Intervals(Scheme):
    """Runs of neighbours.  Unknown j says that values j and j + 1 share a block; the others serve the cost.

    Block a * m + b holds the values a to b.  A missing cell, which comes last, joins only when everything is one block.
    """

    kind = "intervals"

    @property
    def m(self) -> int:
        return len(self.values)

    @property
    def decisions(self) -> int:
        return self.m - 1

    @property
    def lonely(self) -> bool:
        """Whether the last value is the missing one, beside others."""
        return None in self.values and self.m > 1

    @cached_property
    def pairs(self) -> dict[tuple[int, int], int]:
        """The unknown that says that two values share a block: neighbours first."""
        near = {(j, j + 1): j for j in range(self.m - 1)}
        far = [(v, w) for w in range(self.m) for v in range(w - 1) if w < self.m - 1 or not self.lonely]
        return near | {pair: self.m - 1 + k for k, pair in enumerate(far)}

    @property
    def size(self) -> int:
        return len(self.pairs)

    def constraints(self) -> Iterator[Clause]:
        for (v, w), k in self.pairs.items():
            if w > v + 1:
                shorter, last = self.pairs[v, w - 1] + 1, self.pairs[w - 1, w] + 1
                yield from ((-shorter, -last, k + 1), (-(k + 1), shorter), (-(k + 1), last))
        if self.lonely:
            yield from ((-(self.m - 1), j + 1) for j in range(self.m - 2))

    def blocks(self, truth: Truth) -> list[int]:
        starts = [v for v in range(self.m) if v == 0 or not truth[v - 1]]
        ends = [*(start - 1 for start in starts[1:]), self.m - 1]
        return [a * self.m + b for a, b in zip(starts, ends, strict=True) for _ in range(a, b + 1)]

    def solution(self, truth: Truth) -> list[bool]:
        block = self.blocks(truth)
        return [block[v] == block[w] for v, w in self.pairs]

    def label(self, block: int) -> Label:
        a, b = divmod(block, self.m)
        if a == b:
            return self.values[a]
        return "*" if (a, b) == (0, self.m - 1) else f"{self.values[a]}..{self.values[b]}"

    def members(self, block: int) -> tuple[int, ...]:
        a, b = divmod(block, self.m)
        return tuple(range(a, b + 1))

    def valid(self, block: int) -> bool:
        a, b = divmod(block, self.m)
        return 0 <= a <= b < self.m and not (self.lonely and b == self.m - 1 and 0 < a < b)

    def cut(self, block: int) -> Clause:
        a, b = divmod(block, self.m)
        return (*((a,) if a else ()), *((b + 1,) if b < self.m - 1 else ()))

    def inner(self, block: int) -> Clause:
        a, b = divmod(block, self.m)
        return tuple(range(a + 1, b + 1))


@dataclass(frozen=True, eq=False)
class Partitions(Scheme):
    """Any partition.  The unknown of a pair says that the two values share a block; a block is a set as bits."""

    kind = "partitions"
    largest = 8
    """Of more values not all partitions are tried."""
    pairs: dict[tuple[int, int], int] = field(init=False)

    def __post_init__(self) -> None:
        pairs = combinations(range(len(self.values)), 2)
        object.__setattr__(self, "pairs", {pair: k for k, pair in enumerate(pairs)})

    @property
    def decisions(self) -> int:
        return len(self.pairs)

    def constraints(self) -> Iterator[Clause]:
        for u, v, w in combinations(range(len(self.values)), 3):
            a, b, c = self.pairs[u, v] + 1, self.pairs[v, w] + 1, self.pairs[u, w] + 1
            yield from ((-a, -b, c), (-a, b, -c), (a, -b, -c))

    def blocks(self, truth: Truth) -> list[int]:
        found = [1 << v for v in range(len(self.values))]
        for (v, w), k in self.pairs.items():
            if truth[k]:
                found[v] |= 1 << w
                found[w] |= 1 << v
        return found

    def label(self, block: int) -> Label:
        inside = [self.values[v] for v in self.members(block)]
        if len(inside) == 1:
            return inside[0]
        return "*" if len(inside) == len(self.values) else " or ".join("(missing)" if v is None else v for v in inside)

    def members(self, block: int) -> tuple[int, ...]:
        return tuple(v for v in range(len(self.values)) if block >> v & 1)

    def valid(self, block: int) -> bool:
        return 0 < block < 1 << len(self.values)

    def cut(self, block: int) -> Clause:
        return tuple(k + 1 for (v, w), k in self.pairs.items() if (block >> v & 1) != (block >> w & 1))

    def inner(self, block: int) -> Clause:
        return tuple(k + 1 for (v, w), k in self.pairs.items() if block >> v & block >> w & 1)
