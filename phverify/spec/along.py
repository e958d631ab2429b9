"""Generalizations along a hierarchy: levels, and subtrees."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from phverify.spec.data import Label, Paths, Refused
from phverify.spec.hierarchies import path_of
from phverify.spec.schemes import (
    Clause,
    Clauses,
    Costs,
    Numbers,
    Records,
    Scheme,
    Truth,
)

Ladders = Sequence[Sequence[int]]
"""For each value the nodes that it may become, itself first."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy over a column's values; nodes are numbered value by value from below,
    each (level, label) once.
    """

    paths: tuple[Numbers, ...]
    places: tuple[tuple[int, Label], ...]
    leaves: Numbers
    """How many values of the hierarchy lie below each node, those that do not occur
    too.
    """
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


def tree(name: str, values: Sequence[Label], given: Paths | None) -> Tree:
    """The hierarchy over the values.  Raises Refused when it lacks one of them."""
    if given is None:
        raise Refused(f"{name!r} has no hierarchy")
    paths = {
        value: path_of(value, given)
        for value in (*(line or None for line in given), *values)
    }
    if lacking := [value for value in values if not paths[value]]:
        raise Refused(f"the hierarchy of {name!r} lacks {lacking[0]!r}")
    number: dict[tuple[int, Label], int] = {}
    rows = [
        tuple(
            number.setdefault(place, len(number)) for place in enumerate(paths[value])
        )
        for value in values
    ]
    leaves = [0] * len(number)
    for path in paths.values():
        for place in enumerate(path):
            if place in number:
                leaves[number[place]] += 1
    return Tree(tuple(rows), tuple(number), tuple(leaves), len(paths))


@dataclass(frozen=True, eq=False)
class Along(Scheme):
    """Blocks are nodes of a hierarchy.  The unknown of a node says that the cut is at
    the node or above it.
    """

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
        steps = (
            (self.unknown[high], self.unknown[low])
            for low, high in self.above.items()
            if low in self.unknown
        )
        yield from ((-(high + 1), low + 1) for high, low in dict.fromkeys(steps))

    def blocks(self, truth: Truth) -> list[int]:
        return [
            ladder[sum(truth[self.unknown[node]] for node in ladder[1:])]
            for ladder in self.ladders
        ]

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
        return {
            node: level - 1 for node, (level, _) in enumerate(self.tree.places) if level
        }


@dataclass(frozen=True, eq=False)
class Subtrees(Along):
    """A cut through the hierarchy: every node has its unknown.

    A node with the leaves of the one below differs from it by its name alone: it is
    left out unless ``named``, that is unless the policy speaks of the column.
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
