"""t-closeness: how far the values of a class lie from those of the table (Definition 9,
Theorem 5).

Three distances, all inclusive (distance <= t).  Every one is a sum of |l_a1 - l_a0|
over sets of values: single values (variational), initial segments of the order
(ordered), subtrees (hierarchical).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    CLAUSE,
    ClassCriterion,
    Column,
    Condition,
    Counterexample,
    Counts,
    Param,
    every_clause,
    total,
)
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma, at_most
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Values

Sets = list[tuple[Label, ...]]


@dataclass(frozen=True)
class TCloseness(ClassCriterion):
    """Every class is within distance t of the whole table (Li, Li, Venkatasubramanian
    2007).

    ordered: 1/(m - 1) * sum of |cumulative differences| over the m values in the
    attribute's order. hierarchical: the ground distance of two values is (height of
    their lowest common ancestor) / (height of the hierarchy); the distance is then the
    mean of the variational distances at the levels below the root.
    """

    f: str
    t: Fraction
    distance: str = "variational"
    values: Values = ()
    tree: tuple[tuple[Label, tuple[str, ...]], ...] = ()
    name: ClassVar[str] = "t_closeness"
    source: ClassVar[str] = "Theorem 5"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("t", "number", "largest distance", least=Fraction(0)),
        Param(
            "distance",
            "choice",
            default="variational",
            choices=("variational", "ordered", "hierarchical"),
        ),
    )

    def prepared(self, column: Column) -> TCloseness:
        if self.distance == "ordered":
            return replace(self, values=_in_order(column))
        if self.distance == "hierarchical":
            return replace(self, tree=_paths(column))
        return self

    def looks(self) -> str:
        return {"ordered": "order", "hierarchical": "tree"}.get(self.distance, "")

    def necessary(self, share: Fraction) -> TCloseness | None:
        """The distance is a metric of at most 1, and convex: withholding moves the
        table by at most the share.

        The ordered distance depends on which values are left, so that nothing is
        claimed of it.
        """
        return None if self.distance == "ordered" else replace(self, t=self.t + share)

    # distance = factor * sum over the sets S of |l_a1(S) - l_a0(S)|

    @property
    def _height(self) -> int:
        return len(self.tree[0][1]) - 1

    def _factor(self) -> Fraction:
        if self.distance == "ordered":
            return Fraction(1, max(len(self.values) - 1, 1))
        return (
            Fraction(1, 2 * self._height)
            if self.distance == "hierarchical"
            else Fraction(1, 2)
        )

    def _sets(self, domain: Values) -> Sets:
        if self.distance == "ordered":
            return [self.values[:j] for j in range(1, len(self.values))]
        if self.distance == "variational":
            return [(value,) for value in domain]
        paths, nodes = dict(self.tree), dict[tuple[int, str], list[Label]]()
        for value in domain:
            for level in range(self._height):
                nodes.setdefault((level, paths[value][level]), []).append(value)
        return list(map(tuple, nodes.values()))

    def formula(self, signature: Signature) -> s.Formula:
        domain = signature.attributes[self.f].domain
        if self.distance == "variational":
            gap = s.minus(s.likelihood("a0", CLAUSE), s.likelihood("a1", CLAUSE))
            return every_clause(
                self.f, len(domain), s.Compare(gap, "<=", s.number(self.t))
            )
        return self._bound(domain)

    def _bound(self, domain: Values) -> s.Formula:
        order = {value: k for k, value in enumerate(domain)}
        clauses = [
            s.among(self.f, tuple(sorted(chosen, key=order.__getitem__)))
            for chosen in self._sets(domain)
        ]
        gaps = [s.minus(s.likelihood("a1", c), s.likelihood("a0", c)) for c in clauses]
        return s.Compare(
            s.Linear(tuple((self._factor(), s.Abs(gap)) for gap in gaps)),
            "<=",
            s.number(self.t),
        )

    def value(self, inside: Counts, whole: Counts) -> Fraction:
        """The distance of a class from the table."""
        n, rows = total(inside), total(whole)
        gap = {
            v: inside.get(v, 0) * rows - k * n for v, k in whole.items()
        }  # times n * rows, which makes it whole
        return self._factor() * sum(map(abs, self._gaps(gap))) / (n * rows)

    def _gaps(self, gap: Mapping[Label, int]) -> list[int]:
        """The gaps of the sets from those of the values."""
        if self.distance == "ordered":
            return list(accumulate(gap[value] for value in self.values[:-1]))
        return [
            sum(gap[value] for value in chosen) for chosen in self._sets(tuple(gap))
        ]

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return self.value(inside, whole) <= self.t

    def _distances(self, h: Histogram) -> tuple[Array, int]:
        """For each class, distance * rows * size * factor; and the factor."""
        if self.distance == "ordered":
            return h.cumulative(self.values), max(len(self.values) - 1, 1)
        if self.distance == "hierarchical":
            paths = dict(self.tree)
            levels = [
                h.coarser([paths[v][k] for v in h.labels]).variational()
                for k in range(self._height)
            ]
            return sum(levels[1:], levels[0]), self._height
        return h.variational(), 1

    def columns(self, h: Histogram) -> Array:
        distances, factor = self._distances(h)
        h.memo[self] = distances
        return h.at_most(distances, self.t, h.product(h.sizes, h.rows * factor))

    def badness(self, h: Histogram) -> Array:
        distances = h.memo[self] if self in h.memo else self._distances(h)[0]
        return distances / h.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        said = (
            f"the {self.distance} distance from the whole table is"
            f" {self.value(inside, whole)} > {self.t}"
        )
        if self.distance != "variational":
            return Counterexample(self._bound(tuple(whole)), said)
        n, rows = total(inside), total(whole)
        fewer = tuple(v for v, k in whole.items() if inside.get(v, 0) * rows < k * n)
        clause = s.among(self.f, fewer)
        gap = s.minus(s.likelihood("a0", clause), s.likelihood("a1", clause))
        return Counterexample(s.Compare(gap, "<=", s.number(self.t)), said)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        yield self._bound(domain)

    def lemma(self) -> Lemma:
        why = (
            f"n times the {self.distance} distance is a sum of absolute values of"
            " linear gaps, so it shrinks in mergers"
        )
        return Lemma(f"{why}; it is at most n t", (at_most("d", 1, "u"),))

    @property
    def moves(self) -> tuple[Fraction | None, Fraction | None]:
        """The other distances are at most the variational one; a distance of 0 is that
        of equal distributions.
        """
        return self.t if self.distance == "variational" or self.t == 0 else None, self.t

    def implies(self, other: ClassCriterion) -> bool:
        alike = isinstance(other, TCloseness) and self.distance in (
            "variational",
            other.distance,
        )
        return alike and isinstance(other, TCloseness) and self.t <= other.t


def _in_order(column: Column) -> Values:
    """The values lowest first: by the column's type, else by the lines of its
    hierarchy.
    """
    texts, kind = column.texts("an order"), column.kind
    if kind.ordered:
        return tuple(sorted(texts, key=lambda text: kind.key(kind.canonical(text))))
    if column.paths is None:
        raise ValueError(
            f"the ordered distance needs an order: give {column.name!r} a type under"
            " [types], or a hierarchy"
        )
    lines = {value: line for line, value in enumerate(column.paths)}
    column.require(texts, lines)
    return tuple(sorted(texts, key=lines.__getitem__))


def _paths(column: Column) -> tuple[tuple[Label, tuple[str, ...]], ...]:
    if column.paths is None:
        raise ValueError(
            f"the hierarchical distance needs a hierarchy for {column.name!r} under"
            " [hierarchies]"
        )
    if len({path[-1] for path in column.paths.values()}) != 1:
        raise ValueError(
            f"the values of {column.source} do not meet at one root in its last column"
        )
    if {len(path) for path in column.paths.values()} == {1}:
        raise ValueError(f"{column.source} has no level above the values")
    texts = column.texts("its hierarchy")
    column.require(texts, column.paths)
    return tuple((value, column.paths[value]) for value in texts)
