"""t-closeness: how far the values of a class lie from those of the table (Definition 9, Theorem 5).

Three distances, all inclusive (distance <= t).  Every one is a sum of |l_a1 - l_a0| over sets of values:
single values (variational), initial segments of the order (ordered), subtrees (hierarchical).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from phverify.criteria.base import ClassCriterion, Counterexample, Counts, Histogram, Param, at_most, merged, product
from phverify.criteria.diversity import ATTRIBUTE, D, every_clause
from phverify.exact import Bools, Ints, ints
from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.names import Signature

CHUNK = 2_000_000
Sets = tuple[frozenset[Label], ...]


@dataclass(frozen=True)
class TCloseness(ClassCriterion):
    """Every class is within distance t of the whole table (Li, Li, Venkatasubramanian 2007).

    ordered: 1/(m - 1) * sum of |cumulative differences| over the m values in the attribute's order.
    hierarchical: the ground distance of two values is (height of their lowest common ancestor) / (height of
    the hierarchy); the distance is then the mean of the variational distances at the levels below the root.
    """

    f: str
    t: Fraction
    distance: str = "variational"
    values: tuple[Label, ...] = ()
    tree: tuple[tuple[Label, tuple[str, ...]], ...] = ()
    name: ClassVar[str] = "t_closeness"
    source: ClassVar[str] = "Theorem 5"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("t", "number", "largest distance", least=Fraction(0)),
        Param("distance", "choice", default="variational", choices=("variational", "ordered", "hierarchical")),
    )

    def prepared(self, signature: Signature, hierarchies: Mapping[str, Hierarchy]) -> TCloseness:
        attribute, hierarchy = signature.attributes[self.f], hierarchies.get(self.f)
        if self.distance == "ordered":
            return replace(self, values=_in_order(attribute.domain, attribute.kind, hierarchy, self.f))
        if self.distance == "hierarchical":
            return replace(self, tree=_paths(attribute.domain, hierarchy, self.f))
        return self

    def necessary(self, share: Fraction) -> TCloseness | None:
        """The distance is a metric of at most 1, and convex: withholding moves the table by at most the share.

        The ordered distance depends on which values are left, so that nothing is claimed of it.
        """
        return None if self.distance == "ordered" else replace(self, t=self.t + share)

    def _sets(self, domain: tuple[Label, ...]) -> tuple[Fraction, Sets]:
        """The factor and the sets S such that distance = factor * sum over S of |l_a1(S) - l_a0(S)|."""
        if self.distance == "ordered":
            m = len(self.values)
            return Fraction(1, max(m - 1, 1)), tuple(frozenset(self.values[:j]) for j in range(1, m))
        if self.distance == "hierarchical":
            paths = dict(self.tree)
            height = len(self.tree[0][1]) - 1
            nodes: dict[tuple[int, str], set[Label]] = {}
            for value in domain:
                for level in range(height):
                    nodes.setdefault((level, paths[value][level]), set()).add(value)
            return Fraction(1, 2 * height), tuple(map(frozenset, nodes.values()))
        return Fraction(1, 2), tuple(frozenset([value]) for value in domain)

    def formula(self, signature: Signature) -> s.Formula:
        domain = signature.attributes[self.f].domain
        if self.distance == "variational":
            gap = s.minus(s.likelihood("a0", D), s.likelihood("a1", D))
            return every_clause(self.f, len(domain), s.Compare(gap, "<=", s.number(self.t)))
        return self._bound(domain)

    def _bound(self, domain: tuple[Label, ...]) -> s.Formula:
        factor, sets = self._sets(domain)
        clauses = [s.among(self.f, tuple(v for v in domain if v in chosen)) for chosen in sets]
        gaps = [s.minus(s.likelihood("a1", c), s.likelihood("a0", c)) for c in clauses]
        return s.Compare(s.Linear(tuple((factor, s.Abs(gap)) for gap in gaps)), "<=", s.number(self.t))

    def value(self, inside: Counts, whole: Counts) -> Fraction:
        """The distance of a class from the table."""
        n, rows = sum(inside.values()), sum(whole.values())
        gap = {v: Fraction(inside.get(v, 0), n) - Fraction(k, rows) for v, k in whole.items()}
        factor, sets = self._sets(tuple(whole))
        return factor * sum((abs(sum((gap[v] for v in chosen), Fraction(0))) for chosen in sets), Fraction(0))

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return self.value(inside, whole) <= self.t

    def _distances(self, h: Histogram) -> tuple[Ints, int]:
        """For each class, distance * rows * size * factor; and the factor."""
        if self.distance == "ordered":
            return _cumulative(h, [h.labels.index(v) for v in self.values]), max(len(self.values) - 1, 1)
        if self.distance == "hierarchical":
            paths = dict(self.tree)
            height = len(self.tree[0][1]) - 1
            levels = [_variational(_coarser(h, [paths[v][k] for v in h.labels])) for k in range(height)]
            return sum(levels[1:], levels[0]), height
        return _variational(h), 1

    def safe(self, h: Histogram) -> Bools:
        distances, factor = self._distances(h)
        h.memo[self] = distances
        return at_most(distances, self.t, product(h.sizes, np.array([h.rows * factor])))

    def badness(self, h: Histogram) -> Ints:
        distances = h.memo[self] if self in h.memo else self._distances(h)[0]
        result: Ints = distances / h.sizes
        return result

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        said = f"the {self.distance} distance from the whole table is {self.value(inside, whole)} > {self.t}"
        if self.distance != "variational":
            return Counterexample(self._bound(tuple(whole)), said)
        n, rows = sum(inside.values()), sum(whole.values())
        fewer = tuple(v for v, k in whole.items() if Fraction(inside.get(v, 0), n) < Fraction(k, rows))
        clause = s.among(self.f, fewer)
        gap = s.minus(s.likelihood("a0", clause), s.likelihood("a1", clause))
        return Counterexample(s.Compare(gap, "<=", s.number(self.t)), said)


def _variational(h: Histogram) -> Ints:
    """rows * size * variational distance: the sum of what occurs too often."""
    left, right = product(h.counts, np.array([h.rows])), product(h.cell_sizes, h.cell_whole)
    result: Ints = np.add.reduceat(np.maximum(left - right, 0), h.starts[:-1])
    return result


def _coarser(h: Histogram, nodes: list[str]) -> Histogram:
    """The histogram after each value is replaced by its node in a hierarchy."""
    names = tuple(dict.fromkeys(nodes))
    node_of = np.array([names.index(node) for node in nodes])
    classes, values, counts = merged(h.cell_classes, node_of[h.values], h.counts, len(names))
    whole = np.zeros(len(names), dtype=np.int64)
    np.add.at(whole, node_of, h.whole)
    starts = np.append(np.flatnonzero(np.diff(classes, prepend=-1)), len(classes))
    return Histogram(h.rows, starts, counts, values, h.sizes, whole, names)


def _cumulative(h: Histogram, order: list[int]) -> Ints:
    """rows * size * sum over j < m of |cumulative difference at j|, in blocks of classes."""
    m = len(order)
    rank = np.empty(m, dtype=np.int64)
    rank[order] = np.arange(m)
    below = np.cumsum(h.whole[order])
    parts, step = [], max(1, CHUNK // m)
    for first in range(0, h.classes, step):
        last = min(first + step, h.classes)
        cells = slice(int(h.starts[first]), int(h.starts[last]))
        table = np.zeros((last - first, m), dtype=np.int64)
        table[h.cell_classes[cells] - first, rank[h.values[cells]]] = h.counts[cells]
        bound = h.rows * h.rows * m
        inside = ints(np.cumsum(table, axis=1), bound) * h.rows
        gaps = np.abs(inside - ints(h.sizes[first:last], bound)[:, None] * below[None, :])
        parts.append(gaps[:, : m - 1].sum(axis=1))
    return np.concatenate(parts)


def _in_order(domain: tuple[Label, ...], kind: object, hierarchy: Hierarchy | None, f: str) -> tuple[Label, ...]:
    """The values lowest first: by the column's type, else by the lines of its hierarchy."""
    if None in domain:
        raise ValueError(f"{f!r} has missing values, which have no place in an order")
    texts = [v for v in domain if v is not None]
    if getattr(kind, "ordered", False):
        return tuple(sorted(texts, key=lambda text: kind.key(kind.canonical(text))))  # type: ignore[attr-defined]
    if hierarchy is None:
        raise ValueError(f"the ordered distance needs an order: give {f!r} a type under [types], or a hierarchy")
    lines = {value: line for line, value in enumerate(hierarchy.paths)}
    _require(texts, lines, hierarchy)
    return tuple(sorted(texts, key=lines.__getitem__))


def _paths(domain: tuple[Label, ...], hierarchy: Hierarchy | None, f: str) -> tuple[tuple[Label, tuple[str, ...]], ...]:
    if hierarchy is None:
        raise ValueError(f"the hierarchical distance needs a hierarchy for {f!r} under [hierarchies]")
    if not hierarchy.rooted():
        raise ValueError(f"the values of {hierarchy.source} do not meet at one root in its last column")
    if hierarchy.levels < 1:
        raise ValueError(f"{hierarchy.source} has no level above the values")
    if None in domain:
        raise ValueError(f"{f!r} has missing values, which have no place in its hierarchy")
    texts = [v for v in domain if v is not None]
    _require(texts, hierarchy.paths, hierarchy)
    return tuple((v, hierarchy.paths[v]) for v in texts)


def _require(texts: list[str], known: Mapping[str, object], hierarchy: Hierarchy) -> None:
    absent = [v for v in texts if v not in known]
    if absent:
        raise ValueError(f"{hierarchy.source} lacks the value {absent[0]!r}")
