"""What every criterion offers, and the histograms it is decided on.

A criterion is a property of one class, given the whole table.  It has its theorem's formula
(``formula``), its own definition twice (``holds``: plain, for one class, from two dictionaries of counts;
``safe``: for all classes at once, on integer arrays), and what breaks it (``counterexample``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from phverify.exact import Bools, Ints, ints
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.quotient import Quotient
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.names import Signature

Counts = Mapping[Label, int]


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each value of one attribute occurs in each class, and in the whole table.

    Cells are (class, value) pairs that occur, sorted by class; those of class c are
    ``starts[c]:starts[c + 1]``.  ``whole[value]`` counts the value in all rows.
    """

    rows: int
    starts: Ints
    counts: Ints
    values: Ints
    sizes: Ints
    whole: Ints
    labels: tuple[Label, ...]
    memo: dict[ClassCriterion, Ints] = field(default_factory=dict)
    """What a criterion worked out for this histogram and needs again."""

    @property
    def classes(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def cell_sizes(self) -> Ints:
        """For each cell, the rows of its class."""
        return np.repeat(self.sizes, np.diff(self.starts))

    @cached_property
    def cell_classes(self) -> Ints:
        return np.repeat(np.arange(self.classes), np.diff(self.starts))

    @cached_property
    def cell_whole(self) -> Ints:
        """For each cell, how often its value occurs in the table."""
        return self.whole[self.values]

    def all_cells(self, good: Bools) -> Bools:
        """The classes all of whose cells are good."""
        result: Bools = np.logical_and.reduceat(good, self.starts[:-1])
        return result

    def inside(self, index: int) -> Counts:
        """The counts of one class by value."""
        cells = slice(int(self.starts[index]), int(self.starts[index + 1]))
        pairs = zip(self.values[cells].tolist(), self.counts[cells].tolist(), strict=True)
        return {self.labels[v]: k for v, k in pairs}

    def outside(self) -> Counts:
        """The counts of the whole table by value."""
        return dict(zip(self.labels, self.whole.tolist(), strict=True))


def histogram(quotient: Quotient, attribute: str) -> Histogram:
    """The histogram of an attribute; without one (""), each class is a single cell."""
    if not attribute:
        zeros = np.zeros(quotient.classes, dtype=np.int64)
        starts = np.arange(quotient.classes + 1)
        whole = np.array([quotient.rows])
        return Histogram(quotient.rows, starts, quotient.sizes, zeros, quotient.sizes, whole, ("",))
    labels, codes = quotient.labels[attribute], quotient.codes[attribute]
    classes, values, counts = quotient.class_of_cell, codes, quotient.counts
    if quotient.others != (attribute,):  # several cells of a class may share the value
        classes, values, counts = merged(classes, codes, quotient.counts, len(labels))
    starts = np.append(np.flatnonzero(np.diff(classes, prepend=-1)), len(classes))
    whole = np.zeros(len(labels), dtype=np.int64)
    np.add.at(whole, codes, quotient.counts)
    return Histogram(quotient.rows, starts, counts, values, quotient.sizes, whole, labels)


def merged(classes: Ints, values: Ints, counts: Ints, width: int) -> tuple[Ints, Ints, Ints]:
    """Cells with equal class and value made one: (classes, values, counts), sorted."""
    keys = classes * width + values
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    total: Ints = np.add.reduceat(counts[order], first)
    return keys[first] // width, keys[first] % width, total


@dataclass(frozen=True)
class Param:
    """One argument of a criterion.  ``kind`` is attribute, whole, number or one of ``choices``."""

    name: str
    kind: str
    say: str = ""
    default: str | None = None
    choices: tuple[str, ...] = ()
    least: Fraction | None = None
    strict: bool = False


@dataclass(frozen=True)
class Counterexample:
    """Why a class breaks a criterion: a false instance of its formula, where that is linear, and why in words."""

    instance: s.Formula | None
    statement: str
    bindings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClassCriterion(ABC):
    """A criterion with its arguments; ``attribute`` is "" where it concerns none."""

    name: ClassVar[str]
    source: ClassVar[str]
    params: ClassVar[tuple[Param, ...]]

    @property
    def attribute(self) -> str:
        return getattr(self, "f", "")

    @abstractmethod
    def formula(self, signature: Signature) -> s.Formula:
        """The theorem's formula: valid in a release iff the criterion holds."""

    @abstractmethod
    def holds(self, inside: Counts, whole: Counts) -> bool:
        """The criterion's own definition for one class, in plain exact arithmetic."""

    @abstractmethod
    def safe(self, h: Histogram) -> Bools:
        """The classes that satisfy the criterion, by its own definition, on integer arrays."""

    @abstractmethod
    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """What breaks the criterion in a class that violates it."""

    def badness(self, h: Histogram) -> Ints:
        """How bad each class is, to show the worst one first; plays no part in a verdict."""
        return -h.sizes

    def necessary(self, share: Fraction) -> ClassCriterion | None:
        """What each released class satisfies, compared with the whole table, if a share of it may be withheld.

        None when nothing of the kind is known.
        """
        return None

    def prepared(self, signature: Signature, hierarchies: Mapping[str, Hierarchy]) -> ClassCriterion:
        """The criterion with what it needs from the policy.  Raises ValueError when that is missing."""
        return self


def at_most(left: Ints, factor: Fraction, right: Ints, strict: bool = False) -> Bools:
    """``left <= factor * right`` (or ``<``) for arrays of integers >= 0, exactly."""
    bound = max(max(_top(left), 1) * factor.denominator, max(_top(right), 1) * abs(factor.numerator))
    a, b = ints(left, bound) * factor.denominator, ints(right, bound) * factor.numerator
    return np.asarray(a < b if strict else a <= b, dtype=bool)


def product(*arrays: Ints) -> Ints:
    """The product of integer arrays, without overflow."""
    bound = 1
    for array in arrays:
        bound *= _top(array) + 1
    result = ints(np.asarray(arrays[0]), bound)
    for array in arrays[1:]:
        result = result * ints(np.asarray(array), bound)
    return result


def _top(array: Ints) -> int:
    return max((abs(int(array.max())), abs(int(array.min())))) if array.size else 0


def total(counts: Counts) -> int:
    return sum(counts.values())


def atom(f: str, value: Label) -> s.Formula:
    return s.equals(f, value)


def every_value(f: str, body: s.Formula) -> s.Formula:
    """``forall v in f: body``."""
    return s.Quantified(True, (s.Binder(s.Var("v"), "values", f),), body)


def is_v(f: str) -> s.Formula:
    return s.Descriptor(f, "=", (s.Var("v"),))
