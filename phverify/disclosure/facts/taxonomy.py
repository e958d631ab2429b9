"""Taxonomies that are trees, and the Wu-Palmer distance on their nodes.

Wu-Palmer: ``1 - 2 c_xy / (c_x + c_y)``, where c is the depth of a node counted in nodes
from the root (which has depth 1) and c_xy that of the deepest common ancestor.  It is a
metric on trees (Anantharaman, Frittella, Nguyen 2022, Lemma 1; the proof there expands
the case where y and z part last, the other case, x and z, is alike: both expansions
have positive coefficients only).  With two parents for one node the triangle inequality
fails, so anything that is no tree is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.microdata.hierarchy import read_hierarchy
from phverify.spec.source import Plain


@dataclass(frozen=True)
class Taxonomy:
    """A tree: each node but the root has one parent.  Make one with ``from_edges`` or
    ``from_paths``.
    """

    root: str
    parents: Mapping[str, str]

    def path(self, node: str) -> tuple[str, ...]:
        """The nodes from ``node`` up to the root, both included.

        Raises InputError when the tree lacks the node.
        """
        if node not in self:
            hint = nearest(node, self.nodes(), "nodes")
            raise refusal("taxonomy", f"{node!r} is no node", hint)
        nodes = [node]
        while node != self.root:
            node = self.parents[node]
            nodes.append(node)
        return tuple(nodes)

    def depth(self, node: str) -> int:
        """How many nodes lie between the root and ``node``, both included."""
        return len(self.path(node))

    def meet(self, first: str, second: str) -> str:
        """The deepest common ancestor (a node is an ancestor of itself)."""
        above = set(self.path(first))
        upwards = self.path(second)
        return next(node for node in upwards if node in above)

    def distance(self, first: str, second: str) -> Fraction:
        """Wu-Palmer distance, from 0 (equal) to below 1."""
        meet = self.meet(first, second)
        shared = self.depth(meet)
        one = self.depth(first)
        other = self.depth(second)
        similarity = Fraction(2 * shared, one + other)
        return 1 - similarity

    def nodes(self) -> tuple[str, ...]:
        """All nodes, the root first."""
        return (self.root, *self.parents)

    def __contains__(self, node: object) -> bool:
        # The root has no parent.
        return node == self.root or node in self.parents


def from_edges(edges: Iterable[tuple[str, str]], where: str = "taxonomy") -> Taxonomy:
    """The tree with the given edges (parent, child); an edge may be repeated.

    Raises InputError that names the nodes: two parents, a cycle, two roots, nothing at
    all.
    """
    # The parents of each node: one for all but the root, if this is a tree.
    above: dict[str, list[str]] = {}
    for parent, child in edges:
        above.setdefault(parent, [])
        if parent not in above.setdefault(child, []):
            above[child].append(parent)

    problems: Problems = []
    single: dict[str, str] = {}
    for node, parents in above.items():
        if len(parents) > 1:
            problems.append(_shared(where, node, parents))
        elif parents:
            single[node] = parents[0]
    problems += _circles(where, single)
    roots = [node for node, parents in above.items() if not parents]
    # A node with two parents, or a circle, makes the number of roots meaningless.
    if not problems and len(roots) != 1:
        problems = [_roots(where, roots)]
    if problems:
        raise InputError(problems)
    return Taxonomy(roots[0], single)


def from_paths(paths: Iterable[Sequence[str]], where: str = "taxonomy") -> Taxonomy:
    """The tree of paths from a leaf to the root, as hierarchy files have them.

    A repeated neighbour counts once.  Raises InputError when they form no tree.
    """
    edges = []
    for path in paths:
        for child, parent in pairwise(path):
            if child != parent:
                edges.append((parent, child))
    return from_edges(edges, where)


def from_file(path: str | Path) -> Taxonomy:
    """The tree of a hierarchy file (``value;level1;level2;..``).

    Raises InputError when it is none.
    """
    hierarchy = read_hierarchy(path)
    paths = hierarchy.paths.values()
    return from_paths(paths, str(path))


def from_table(table: Plain, where: str = "taxonomy") -> Taxonomy:
    """The tree of nested tables.

    A node's children are the names of a table, or a list of texts: ``{"ailment":
    {"viral": ["flu", "CoVid"], "cancer": []}}``.  Raises InputError when they form no
    tree.
    """
    problems: Problems = []
    edges: list[tuple[str, str]] = []
    for root, children in table.items():
        edges += _nested(root, children, where, problems)
    roots = list(table)
    if len(roots) != 1:
        problem = _roots(where, roots)
        problems.append(problem)
    if problems:
        raise InputError(problems)
    return from_edges(edges, where)


def _nested(
    node: str, children: Any, where: str, problems: Problems
) -> list[tuple[str, str]]:
    """The edges (parent, child) at and under a node."""
    if isinstance(children, Mapping):
        edges = [(node, child) for child in children]
        for child, more in children.items():
            edges += _nested(child, more, where, problems)
        return edges
    if _listed(children):
        return [(node, child) for child in children]
    what = f"the children of {node!r} are a table or a list of texts, not {children!r}"
    problem = Problem(where, what)
    problems.append(problem)
    return []


def _listed(children: Any) -> bool:
    """Whether this is a list of texts."""
    if not isinstance(children, (list, tuple)):
        return False
    are_texts = (isinstance(child, str) for child in children)
    return all(are_texts)


def _shared(where: str, node: str, parents: Sequence[str]) -> Problem:
    """The problem with a node that has several parents."""
    named = ", ".join(map(repr, parents))
    return Problem(
        where,
        f"the node {node!r} has {len(parents)} parents: {named}",
        "a taxonomy is a tree; on other graphs Wu-Palmer breaks the triangle"
        " inequality",
    )


def _circles(where: str, parents: Mapping[str, str]) -> Problems:
    """One problem for each circle of nodes that are above themselves."""
    problems: Problems = []
    done: set[str] = set()
    for node in parents:
        walk: list[str] = []
        while node in parents and node not in done:
            # Each node is walked over once, whichever walk comes first.
            done.add(node)
            walk.append(node)
            node = parents[node]
        # A walk that ends in an earlier one has met its circle already.
        if node in walk:
            start = walk.index(node)
            circle = [*walk[start:], node]
            shown = " < ".join(circle)
            what = f"the node {node!r} is above itself: {shown}"
            problems.append(Problem(where, what))
    return problems


def _roots(where: str, roots: Sequence[str]) -> Problem:
    """The problem with a graph that has no root, or several."""
    if not roots:
        hint = "give at least one edge (parent, child)"
        return Problem(where, "there are no nodes", hint)
    listed = ", ".join(map(repr, roots))
    what = f"there are {len(roots)} roots: {listed}"
    return Problem(where, what, "put a common parent above them")
