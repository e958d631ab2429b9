"""Generalization hierarchies as ARX writes them: one line per value, ``value;level1;level2;...``."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from phverify.errors import InputError, Problem
from phverify.microdata.read import Opened, existing_file, find_separator
from phverify.microdata.table import Label
from phverify.spec.hierarchies import path_of


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """``paths[value]`` is the value followed by its generalizations, all paths equally long.

    The order of ``paths`` is the order of the file: it orders a text attribute.
    """

    source: str
    paths: Mapping[str, tuple[str, ...]]

    @property
    def levels(self) -> int:
        """How many generalization steps there are; level 0 is the value itself."""
        return len(next(iter(self.paths.values()))) - 1

    def rooted(self) -> bool:
        """Whether all values meet at the top level."""
        return len({path[-1] for path in self.paths.values()}) == 1

    def generalizations(self, value: Label) -> tuple[Label, ...]:
        """What a value may become, itself first; nothing for a value that has no line.

        A missing cell takes the line whose value is empty; without one it stays missing below the top, and joins
        everybody there, if the hierarchy has one root.
        """
        return tuple(dict.fromkeys(path_of(value, self.paths)))


def read_hierarchy(source: str | Path) -> Hierarchy:
    """Read and validate a hierarchy file.

    Raises InputError when the file is unbalanced, names a value twice, or gives a node two parents.
    """
    path = existing_file(source, "hierarchy")
    with Opened(path) as file:
        head = file.readline()
        if not head.strip():
            raise InputError(Problem(str(path), "the hierarchy is empty"))
        separator = ";" if ";" in head else find_separator(head)
        file.seek(0)
        rows = [row for row in csv.reader(file, delimiter=separator, strict=True) if row]
    if problems := flaws(rows, str(path)):
        raise InputError(problems)
    return Hierarchy(str(path), {row[0]: tuple(row) for row in rows})


def absent(hierarchy: Hierarchy, labels: Iterable[Label]) -> list[str]:
    """The labels of a column, other than missing, that the hierarchy lacks, each once."""
    return [label for label in dict.fromkeys(labels) if label is not None and label not in hierarchy.paths]


def flaws(rows: Sequence[Sequence[str]], where: str) -> list[Problem]:
    """Why paths are no hierarchy: of unequal length, two for one value, a node with two parents."""
    return [*_unbalanced(rows, where), *_repeated(rows, where), *_two_parents(rows, where)]


def _unbalanced(rows: Sequence[Sequence[str]], where: str) -> list[Problem]:
    width = len(rows[0])
    odd = [row for row in rows if len(row) != width]
    return [
        Problem(where, f"the path of {row[0]!r} has {len(row)} entries, that of {rows[0][0]!r} has {width}", "", True)
        for row in odd[:5]
    ]


def _repeated(rows: Sequence[Sequence[str]], where: str) -> list[Problem]:
    seen: set[str] = set()
    twice = [row[0] for row in rows if row[0] in seen or seen.add(row[0])]  # type: ignore[func-returns-value]
    return [Problem(where, f"the value {value!r} occurs on two lines", "", True) for value in twice[:5]]


def _two_parents(rows: Sequence[Sequence[str]], where: str) -> list[Problem]:
    problems = []
    for level in range(1, max(map(len, rows)) - 1):
        parents: dict[str, str] = {}
        for row in rows:
            if len(row) > level + 1 and parents.setdefault(row[level], row[level + 1]) != row[level + 1]:
                what = f"{row[level]!r} at level {level} lies under {parents[row[level]]!r} and {row[level + 1]!r}"
                problems.append(Problem(where, what, "", True))
    return problems[:5]
