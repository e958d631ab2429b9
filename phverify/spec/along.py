"""Generalizations along a hierarchy: levels, and subtrees."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, chain, pairwise

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

PARTS = 2**20
"""Parts of a bit, of which entropy consists (see ``entropy``)."""
Ladders = Sequence[Sequence[int]]
"""For each value the nodes that it may become, itself first."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy over a column's values.

    Nodes are numbered value by value from below, each (level, label) once.  ``paths``
    are the nodes from each value to the root, ``places`` the level and label of each
    node, ``domain`` the number of all values of the hierarchy.
    """

    paths: tuple[Numbers, ...]
    places: tuple[tuple[int, Label], ...]
    leaves: Numbers
    """How many values lie below each node, those that do not occur too."""
    domain: int

    @property
    def depth(self) -> int:
        """The number of generalization steps."""
        # All paths are of one length.
        path = self.paths[0]
        return len(path) - 1

    @cached_property
    def levels(self) -> list[int]:
        """The level of each node."""
        return [level for level, _ in self.places]

    @cached_property
    def below(self) -> list[Numbers]:
        """The numbers of the values below each node."""
        below: list[list[int]] = [[] for _ in self.places]
        for value, path in enumerate(self.paths):
            for node in path:
                below[node].append(value)
        return [tuple(values) for values in below]


def tree(name: str, values: Sequence[Label], given: Paths | None) -> Tree:
    """The hierarchy over the values.  Raises Refused when it lacks one of them."""
    if given is None:
        raise Refused(f"{name!r} has no hierarchy")
    # A line may begin with an empty cell: the missing value.
    listed = [value or None for value in given]
    # Nearly all values are listed, too.
    distinct = dict.fromkeys((*listed, *values))
    labels = {value: path_of(value, given) for value in distinct}
    for value in values:
        if not labels[value]:
            raise Refused(f"the hierarchy of {name!r} lacks {value!r}")

    number: dict[tuple[int, Label], int] = {}
    paths = []
    for value in values:
        path = []
        for place in enumerate(labels[value]):
            path.append(number.setdefault(place, len(number)))
        paths.append(tuple(path))

    # Values that do not occur count as leaves of the nodes that do.
    places = chain.from_iterable(map(enumerate, labels.values()))
    having = Counter(places)
    leaves = tuple([having[place] for place in number])
    return Tree(tuple(paths), tuple(number), leaves, len(labels))


@dataclass(frozen=True, eq=False)
class Along(Scheme):
    """Blocks are nodes of a hierarchy.

    The unknown of a node says that the cut is at the node or above it.
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
        of_ladders = map(pairwise, self.ladders)
        steps = chain.from_iterable(of_ladders)
        return dict(steps)

    @cached_property
    def nodes(self) -> frozenset[int]:
        """All nodes that a value may become."""
        reached = chain.from_iterable(self.ladders)
        return frozenset(reached)

    @cached_property
    def decisions(self) -> int:
        """The number of unknowns."""
        # Nodes of one level may share an unknown.
        unknowns = set(self.unknown.values())
        return len(unknowns)

    def constraints(self) -> Clauses:
        """A cut above a node's next one is above the node."""
        steps: dict[tuple[int, int], None] = {}
        for lower, higher in self.above.items():
            if lower in self.unknown:
                steps[self.unknown[higher], self.unknown[lower]] = None

        # Levels give many nodes one unknown: each step is said once.
        for higher_unknown, lower_unknown in steps:
            yield -(higher_unknown + 1), lower_unknown + 1

    def blocks(self, truth: Truth) -> list[int]:
        """For each value the node where its path meets the cut."""
        blocks = []
        for ladder in self.ladders:
            # The true nodes of a ladder are its lowest ones: their number is the step.
            climbed = sum(truth[self.unknown[node]] for node in ladder[1:])
            blocks.append(ladder[climbed])
        return blocks

    def label(self, block: int) -> Label:
        """The node's label."""
        _, label = self.tree.places[block]
        return label

    def members(self, block: int) -> Numbers:
        """The numbers of the values below the node."""
        return self.tree.below[block]

    def valid(self, block: int) -> bool:
        """A node that some value may become."""
        return block in self.nodes

    def cut(self, block: int) -> Clause:
        """That the cut is above the node; never, for the highest one."""
        if block not in self.above:
            return ()
        higher = self.above[block]
        return (self.unknown[higher] + 1,)

    def inner(self, block: int) -> Clause:
        """That the cut is at the node or above it; always, for a value."""
        if block not in self.unknown:
            return ()
        return (self.unknown[block] + 1,)

    def costs(self, objective: str, records: Records) -> Costs:
        """What a record loses adds up step by step."""
        # A node costs by its level, by how many values it may stand for, or by bits.
        of_node: Sequence[int] = self.tree.levels
        if objective == "loss":
            of_node = self.tree.leaves
        elif objective == "entropy":
            # Other objectives need not load it.
            from phverify.spec.entropy import parts_below

            of_node = parts_below(self.tree.below, records)
        # Whole numbers first: fractions for each value would take long.
        lost = Counter[int]()
        for count, ladder in zip(records, self.ladders, strict=True):
            for node, higher in pairwise(ladder):
                lost[self.unknown[higher]] += count * (of_node[higher] - of_node[node])

        steps = {
            "height": 1,
            "precision": self.tree.depth,
            "loss": self.tree.domain - 1,
            "entropy": PARTS,
        }[objective]
        for unknown, whole in lost.items():
            yield unknown, Fraction(whole, max(steps, 1))


@dataclass(frozen=True, eq=False)
class Levels(Along):
    """All values at one level: all nodes of a level have the same unknown."""

    kind = "levels"

    @property
    def ladders(self) -> Ladders:
        """The paths to the root."""
        return self.tree.paths

    @cached_property
    def unknown(self) -> Mapping[int, int]:
        """For each node above a value its level, counted from 0."""
        unknown = {}
        for node, (level, _) in enumerate(self.tree.places):
            if level:
                unknown[node] = level - 1
        return unknown

    def blocks(self, truth: Truth) -> list[int]:
        """For each value the node where its path meets the cut."""
        # All paths are cut at one level: how far up is summed once.
        climbed = [*accumulate(truth, initial=0)]
        return [path[climbed[len(path) - 1]] for path in self.ladders]


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
        """The paths to the root, without nodes that differ by their names alone."""
        leaves = self.tree.leaves
        ladders = []
        for path in self.tree.paths:
            ladder = [path[0]]
            for node in path[1:]:
                # As many leaves are the same leaves: the node has another name alone.
                if self.named or leaves[node] > leaves[ladder[-1]]:
                    ladder.append(node)
            ladders.append(ladder)
        return ladders

    @cached_property
    def unknown(self) -> Mapping[int, int]:
        """Nodes above a value in the order of their numbers."""
        higher: set[int] = set()
        for ladder in self.ladders:
            higher.update(ladder[1:])
        return {node: unknown for unknown, node in enumerate(sorted(higher))}
