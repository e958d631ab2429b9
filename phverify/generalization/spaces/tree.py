"""A generalization hierarchy over the values of one column, as numbered nodes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phverify.errors import InputError, Problem
from phverify.exact import Ints
from phverify.microdata.hierarchy import Hierarchy, absent
from phverify.microdata.table import Label


@dataclass(frozen=True, eq=False)
class Tree:
    """``paths[value, level]`` is the node of a value at a level; ``levels[node]`` and ``leaves[node]`` say where.

    ``leaves`` counts the hierarchy's values below a node, those that do not occur in the table too; ``domain``
    is how many there are in all.  Nodes are numbered from 0, each (level, label) once.
    """

    name: str
    values: tuple[Label, ...]
    paths: Ints
    labels: tuple[Label, ...]
    levels: tuple[int, ...]
    leaves: tuple[int, ...]
    domain: int

    @property
    def depth(self) -> int:
        """The number of generalization steps."""
        return int(self.paths.shape[1]) - 1

    @cached_property
    def parents(self) -> tuple[int | None, ...]:
        """The node one level up; None at the top level."""
        up: list[int | None] = [None] * len(self.labels)
        for path in self.paths.tolist():
            for node, above in itertools.pairwise(path):
                up[node] = above
        return tuple(up)

    @cached_property
    def below(self) -> tuple[tuple[int, ...], ...]:
        """The codes of the values below each node."""
        found: list[list[int]] = [[] for _ in self.labels]
        for value, path in enumerate(self.paths.tolist()):
            for node in path:
                found[node].append(value)
        return tuple(map(tuple, found))


def tree(name: str, labels: Sequence[Label], hierarchy: Hierarchy) -> Tree:
    """The hierarchy over a column's values.  Raises InputError naming values that it lacks.

    A missing cell takes the path of the line whose value is empty; without one it stays missing below the top
    level and joins everybody there, if the hierarchy has one root.
    """
    problems = [*_lacking(name, labels, hierarchy), *_empty(name, hierarchy)]
    if problems:
        raise InputError(problems)
    paths: dict[Label, tuple[Label, ...]] = {value or None: path for value, path in hierarchy.paths.items()}
    if None in labels and None not in paths:
        paths[None] = (*[None] * hierarchy.levels, hierarchy.generalizations(None)[-1])
    return _numbered(name, tuple(labels), paths)


def _lacking(name: str, labels: Sequence[Label], hierarchy: Hierarchy) -> Iterator[Problem]:
    for value in absent(hierarchy, labels)[:5]:
        what = f"the value {value!r} of the column {name!r} is not in the hierarchy"
        yield Problem(hierarchy.source, what, "add a line for it", True)


def _empty(name: str, hierarchy: Hierarchy) -> Iterator[Problem]:
    for value, path in hierarchy.paths.items():
        if "" in path[1:]:
            what = f"the path of {value!r} has an empty generalization, which would read as a missing cell"
            yield Problem(hierarchy.source, what, "write * or a word", True)
            return


def _numbered(name: str, values: tuple[Label, ...], paths: dict[Label, tuple[Label, ...]]) -> Tree:
    number: dict[tuple[int, Label], int] = {}
    for value in values:
        for level, label in enumerate((value, *paths[value][1:])):
            number.setdefault((level, label), len(number))
    leaves = [0] * len(number)
    for value, path in paths.items():
        for place in enumerate((value, *path[1:])):
            if place in number:
                leaves[number[place]] += 1
    rows = [[number[place] for place in enumerate((value, *paths[value][1:]))] for value in values]
    labels, levels = tuple(label for _, label in number), tuple(level for level, _ in number)
    return Tree(name, values, np.array(rows, dtype=np.int64), labels, levels, tuple(leaves), len(paths))
