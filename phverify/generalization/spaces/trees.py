"""Schemes along a hierarchy: full-domain levels, and subtree cuts."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from phverify.errors import InputError, Problem
from phverify.exact import Bools, Ints
from phverify.generalization.spaces.scheme import Clause, Measure, Scheme
from phverify.generalization.spaces.tree import Tree
from phverify.microdata.table import Label


@dataclass(frozen=True, eq=False)
class TreeScheme(Scheme):
    """Blocks are nodes of a hierarchy."""

    tree: Tree

    def label(self, block: int) -> Label:
        return self.tree.labels[block]

    def members(self, block: int) -> tuple[int, ...]:
        return self.tree.below[block]


@dataclass(frozen=True, eq=False)
class Levels(TreeScheme):
    """Full-domain generalization: every value at the same level.  Unknown l says that the level is above l."""

    kind: ClassVar[str] = "levels"

    @property
    def decisions(self) -> int:
        return self.tree.depth

    def constraints(self) -> list[Clause]:
        return [(-(level + 2), level + 1) for level in range(self.tree.depth - 1)]

    def level(self, truth: Bools) -> int:
        return int(truth.sum())

    def at(self, level: int) -> Bools:
        """The partition of a level."""
        truth: Bools = np.arange(self.tree.depth) < level
        return truth

    def blocks(self, truth: Bools) -> Ints:
        nodes: Ints = self.tree.paths[:, self.level(truth)]
        return nodes

    def valid(self, block: int) -> bool:
        return 0 <= block < len(self.tree.labels)

    def wider(self, block: int, truth: Bools) -> tuple[int, ...]:
        above = self.tree.parents[block]
        return () if above is None else (above,)

    def cut(self, block: int) -> Clause:
        level = self.tree.levels[block]
        return () if level == self.tree.depth else (level + 1,)

    def avoided(self, block: int) -> Clause:
        level = self.tree.levels[block]
        return (*self.cut(block), *((-level,) if level else ()))

    def raised(self, truth: Bools, unknown: int) -> Bools:
        return truth | self.at(unknown + 1)

    def beyond(self, truth: Bools) -> list[int]:
        level = self.level(truth)
        return [level] if level < self.tree.depth else []

    def costs(self, measure: Measure, counts: Ints) -> list[Fraction]:
        totals = []
        for column in self.tree.paths.T:
            records = np.zeros(len(self.tree.labels), dtype=np.int64)
            np.add.at(records, column, counts)
            priced = [node for node in np.unique(column).tolist() if measure[node]]
            totals.append(sum((int(records[node]) * measure[node] for node in priced), Fraction(0)))
        return [above - below for below, above in itertools.pairwise(totals)]


@dataclass(frozen=True, eq=False)
class Subtrees(TreeScheme):
    """Cuts through a hierarchy.  The unknown of a node says that the cut is at the node or above it.

    A node above a single node with the same values makes no difference but for its name: it has no unknown,
    unless ``named`` says that the policy speaks of this column.
    """

    named: bool = False
    kind: ClassVar[str] = "subtrees"

    def __post_init__(self) -> None:
        seen: dict[Label, int] = {}
        for node in sorted({n for path in self._paths for n in path}):
            other = seen.setdefault(self.tree.labels[node], node)
            if other != node and not self._nested(other, node):
                what = f"{self.tree.labels[node]!r} stands for two groups of values in the hierarchy of {self.name!r}"
                hint = "a cut may release both: give every node its own name"
                raise InputError(Problem(self.name, what, hint, True))

    def _nested(self, a: int, b: int) -> bool:
        one, two = set(self.tree.below[a]), set(self.tree.below[b])
        return one <= two or two <= one

    @cached_property
    def _paths(self) -> list[list[int]]:
        """For each value, the nodes above it that differ from the one below (by their leaves), itself first."""
        found = []
        for path in self.tree.paths.tolist():
            kept = path[:1]
            for node in path[1:]:
                if self.named or self.tree.leaves[node] > self.tree.leaves[kept[-1]]:
                    kept.append(node)
            found.append(kept)
        return found

    @cached_property
    def _above(self) -> dict[int, int]:
        """The next larger node of each node that has one."""
        return {a: b for path in self._paths for a, b in itertools.pairwise(path)}

    @cached_property
    def nodes(self) -> list[int]:
        """The node of each unknown: every node with something below it."""
        return sorted({node for path in self._paths for node in path[1:]})

    @cached_property
    def unknown(self) -> dict[int, int]:
        return {node: k for k, node in enumerate(self.nodes)}

    @cached_property
    def _below(self) -> list[list[int]]:
        """For each unknown, the unknowns of the nodes right below."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for node, above in self._above.items():
            if node in self.unknown:
                found[self.unknown[above]].append(self.unknown[node])
        return found

    @property
    def decisions(self) -> int:
        return len(self.nodes)

    def constraints(self) -> list[Clause]:
        return [(-(k + 1), child + 1) for k, below in enumerate(self._below) for child in below]

    @cached_property
    def _ladder(self) -> tuple[Ints, Ints]:
        """For each value its nodes from below, the last one repeated, and their unknowns (-1 for none)."""
        width = max(map(len, self._paths))
        nodes = np.array([path + path[-1:] * (width - len(path)) for path in self._paths], dtype=np.int64)
        unknowns = [[self.unknown[n] for n in p[1:]] + [-1] * (width - len(p)) for p in self._paths]
        return nodes, np.array(unknowns, dtype=np.int64).reshape(len(self._paths), width - 1)

    def blocks(self, truth: Bools) -> Ints:
        nodes, unknowns = self._ladder
        steps = np.append(truth, False)[unknowns].sum(axis=1)
        result: Ints = nodes[np.arange(len(nodes)), steps]
        return result

    def valid(self, block: int) -> bool:
        return any(block in path for path in self._paths)

    def wider(self, block: int, truth: Bools) -> tuple[int, ...]:
        return (self._above[block],) if block in self._above else ()

    def cut(self, block: int) -> Clause:
        return (self.unknown[self._above[block]] + 1,) if block in self._above else ()

    def avoided(self, block: int) -> Clause:
        return (*self.cut(block), *((-(self.unknown[block] + 1),) if block in self.unknown else ()))

    @cached_property
    def _all_below(self) -> list[Bools]:
        """For each unknown, itself and everything that follows from it."""
        found: dict[int, Bools] = {}

        def visit(k: int) -> Bools:
            if k not in found:
                found[k] = np.arange(len(self.nodes)) == k
                for child in self._below[k]:
                    found[k] = found[k] | visit(child)
            return found[k]

        return [visit(k) for k in range(len(self.nodes))]

    def raised(self, truth: Bools, unknown: int) -> Bools:
        return truth | self._all_below[unknown]

    def beyond(self, truth: Bools) -> list[int]:
        false = np.flatnonzero(~truth).tolist()
        return [k for k in false if all(truth[child] for child in self._below[k])]

    def costs(self, measure: Measure, counts: Ints) -> list[Fraction]:
        found = [Fraction(0)] * self.decisions
        for count, path in zip(counts.tolist(), self._paths, strict=True):
            for node, above in itertools.pairwise(path):
                found[self.unknown[above]] += count * (measure[above] - measure[node])
        return found
