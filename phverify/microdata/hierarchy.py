"""Generalization hierarchies as ARX writes them: one line per value, ``value;level1;level2;...``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from phverify.errors import InputError
from phverify.microdata.read import existing_file, legible, text_of
from phverify.microdata.table import Label
from phverify.spec.hierarchies import path_of
from phverify.spec.separated import flaws, lines
from phverify.spec.source import Values


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

    def generalizations(self, value: Label) -> Values:
        """What a value may become, itself first; nothing for a value that has no line.

        A missing cell takes the line whose value is empty; without one it stays missing below the top, and joins
        everybody there, if the hierarchy has one root.
        """
        return tuple(dict.fromkeys(path_of(value, self.paths)))


Hierarchies = Mapping[str, Hierarchy]


def read_hierarchy(source: str | Path) -> Hierarchy:
    """Read and validate a hierarchy file.

    Raises InputError when the file is unbalanced, names a value twice, or gives a node two parents.
    """
    path = existing_file(source, "hierarchy")
    with legible(path), text_of(path) as file:
        rows = lines(file)
    if problems := flaws(rows, str(path)):
        raise InputError(problems)
    return Hierarchy(str(path), {row[0]: row for row in rows})


def absent(hierarchy: Hierarchy, labels: Iterable[Label]) -> list[str]:
    """The labels of a column, other than missing, that the hierarchy lacks, each once."""
    return [label for label in dict.fromkeys(labels) if label is not None and label not in hierarchy.paths]
