"""t-closeness: how far a class lies from the table (Definition 9, Theorem 5).

Three distances, all inclusive (distance <= t).  Every one is a sum of |l_a1 - l_a0|
over sets of values: single values (variational), initial segments of the order
(ordered), subtrees (hierarchical).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    REFERENCE,
    ClassCriterion,
    Column,
    Condition,
    Counterexample,
    Counts,
    Param,
    total,
)
from phverify.spec.criterion.formulas import CLAUSE, every_clause, in_class, in_table
from phverify.spec.criterion.present import present, require
from phverify.spec.signature import Signature
from phverify.spec.source import Label, Values

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.lemma import Lemma
    from phverify.spec.criterion.limits import Limits

Sets = list[tuple[Label, ...]]
INSTEAD = "ask for distance=variational, where missing is a value like any other"


@dataclass(frozen=True)
class TCloseness(ClassCriterion):
    """Every class is within distance t of the table (Li, Li, Venkatasubramanian 2007).

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
        Param("t", "number", "largest distance", least=Fraction(0), stricter="smaller"),
        Param(
            "distance",
            "choice",
            default="variational",
            choices=("variational", "ordered", "hierarchical"),
        ),
        REFERENCE,
    )

    def prepared(self, column: Column) -> TCloseness:
        """The criterion with the order or the hierarchy of its column.

        Raises ValueError where its distance needs one that is missing or unfit.
        """
        if self.distance == "ordered":
            return replace(self, values=_in_order(column))
        if self.distance == "hierarchical":
            return replace(self, tree=_paths(column))
        return self

    def structure(self) -> str:
        """What its distance is about."""
        structures = {"ordered": "order", "hierarchical": "tree"}
        return structures.get(self.distance, "")

    def necessary(self, share: Fraction) -> TCloseness | None:
        """The same with t + share.

        The distance is a metric of at most 1, and convex: withholding moves the table
        by at most the share.  The ordered distance depends on which values are left, so
        that nothing is claimed of it.
        """
        if self.distance == "ordered":
            return None
        return replace(self, t=self.t + share)

    # distance = factor * sum over the sets S of |l_a1(S) - l_a0(S)|

    @property
    def _height(self) -> int:
        """The levels of the hierarchy below the root."""
        _, path = self.tree[0]
        return len(path) - 1

    def _factor(self) -> Fraction:
        if self.distance == "ordered":
            # As many steps as gaps between values; one value has none.
            steps = max(len(self.values) - 1, 1)
            return Fraction(1, steps)
        if self.distance == "hierarchical":
            # The mean over the levels of half the sums.
            return Fraction(1, 2 * self._height)
        # What some values gain others lose: half of all gaps is the distance.
        return Fraction(1, 2)

    def _sets(self, domain: Values) -> Sets:
        if self.distance == "ordered":
            # The segment of all values has no gap.
            return [self.values[:end] for end in range(1, len(self.values))]
        if self.distance == "hierarchical":
            return self._subtrees(domain)
        return [(value,) for value in domain]

    def _subtrees(self, domain: Values) -> Sets:
        """For each node below the root the values below it."""
        paths = dict(self.tree)
        below: dict[tuple[int, str], list[Label]] = {}
        for value in domain:
            for level in range(self._height):
                node = (level, paths[value][level])
                below.setdefault(node, []).append(value)
        return [tuple(values) for values in below.values()]

    def formula(self, signature: Signature) -> s.Formula:
        """The distance is at most t.

        The variational one is the largest gap of a clause, since the gaps of all values
        add up to 0.
        """
        attribute = signature.attributes[self.f]
        domain = attribute.domain
        if self.distance != "variational":
            return self._bound(domain)
        longest = len(domain)
        loses_little = self._loses_little(CLAUSE)
        return every_clause(self.f, longest, loses_little)

    def _loses_little(self, clause: s.Formula) -> s.Formula:
        """``l_a0(clause) - l_a1(clause) <= t``."""
        loss = s.minus(in_table(clause), in_class(clause))
        bound = s.number(self.t)
        return s.Compare(loss, "<=", bound)

    def _bound(self, domain: Values) -> s.Formula:
        """``factor * sum over the sets S of abs(l_a1(S) - l_a0(S)) <= t``."""
        order = {value: position for position, value in enumerate(domain)}
        terms = []
        for chosen in self._sets(domain):
            # The same set gives the same formula, in whatever order it came.
            in_domain_order = sorted(chosen, key=order.__getitem__)
            clause = s.among(self.f, tuple(in_domain_order))
            gap = s.minus(in_class(clause), in_table(clause))
            terms.append((self._factor(), s.Abs(gap)))
        distance = s.Linear(tuple(terms))
        return s.Compare(distance, "<=", s.number(self.t))

    def value(self, inside: Counts, whole: Counts) -> Fraction:
        """The distance of a class from the table."""
        n, rows = total(inside), total(whole)
        # Gaps of shares times n * rows, which makes them whole.
        gaps = {}
        for value, count in whole.items():
            gaps[value] = inside.get(value, 0) * rows - count * n
        summed = sum(map(abs, self._gaps(gaps)))
        return self._factor() * summed / (n * rows)

    def _gaps(self, gaps: Mapping[Label, int]) -> list[int]:
        """The gaps of the sets from those of the values."""
        if self.distance == "ordered":
            # Segments add up value by value: linear where sets would be quadratic.
            # The segment of all values has no gap.
            ends = self.values[:-1]
            in_order = [gaps[value] for value in ends]
            return list(accumulate(in_order))
        if self.distance == "variational":
            # Each value is a set of its own.
            return [*gaps.values()]
        domain = tuple(gaps)
        of_sets = []
        for chosen in self._sets(domain):
            gap = sum(gaps[value] for value in chosen)
            of_sets.append(gap)
        return of_sets

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """A distance of at most t."""
        distance = self.value(inside, whole)
        return distance <= self.t

    def _distances(self, histogram: Histogram) -> tuple[Array, int]:
        """For each class, distance * rows * size * factor; and the factor."""
        factor = 1
        if self.distance == "ordered":
            factor = max(len(self.values) - 1, 1)
        if self.distance == "hierarchical":
            factor = self._height
        # The same for every t; and the worst class is wanted next.
        measure = self.f, self.distance, self.values, self.tree
        if measure not in histogram.memo:
            histogram.memo[measure] = self._summed(histogram)
        return histogram.memo[measure], factor

    def _summed(self, histogram: Histogram) -> Array:
        """For each class, distance * rows * size * factor."""
        if self.distance == "ordered":
            return histogram.cumulative(self.values)
        if self.distance == "hierarchical":
            return self._summed_levels(histogram)
        return histogram.variational()

    def _summed_levels(self, histogram: Histogram) -> Array:
        """The variational distances at the levels of the hierarchy below the root."""
        paths = dict(self.tree)
        levels = []
        for level in range(self._height):
            nodes = [paths[value][level] for value in histogram.labels]
            levels.append(histogram.coarser(nodes).variational())
        return sum(levels[1:], levels[0])

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether its distance is at most t."""
        distances, factor = self._distances(histogram)
        # The distance 1, in the units of the distances.
        one = histogram.product(histogram.sizes, histogram.rows * factor)
        return histogram.at_most(distances, self.t, one)

    def badness(self, histogram: Histogram) -> Array:
        """The distance."""
        distances, _ = self._distances(histogram)
        return distances / histogram.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The distance; if variational, with the clause of the values that lose."""
        distance = self.value(inside, whole)
        subject = f"the {self.distance} distance from the whole table"
        said = f"{subject} is {distance} > {self.t}"
        if self.distance != "variational":
            return Counterexample(self._bound(tuple(whole)), said)
        # Of all clauses the values that lose have the largest gap.
        losers = _losers(inside, whole)
        return Counterexample(self._loses_little(s.among(self.f, losers)), said)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """The bound on the sum of absolute gaps."""
        yield self._bound(domain)

    def lemma(self) -> Lemma:
        """Absolute values of sums are at most the sums of absolute values."""
        from phverify.spec.criterion.lemma import Lemma, at_most

        times_n = f"n times the {self.distance} distance"
        why = (
            f"{times_n} is a sum of absolute values of linear gaps, so it shrinks in"
            " mergers; it is at most n t"
        )
        return Lemma(why, (at_most("d", 1, "u"),))

    def limits(self, whole: Counts, withheld: int = 0) -> Limits | None:
        """The variational distance is all that exceeds the shares of the table.

        It is that of the lowest level, and the hierarchical one the mean of all levels:
        so it is at most their number times as much.
        """
        if self.distance == "ordered":
            return None
        from phverify.spec.criterion.limits import Limits, share_ranges

        ranges = share_ranges(whole, withheld)
        most = {value: high for value, (_, high) in ranges.items()}
        levels = self._height if self.distance == "hierarchical" else 1
        return Limits(most, levels * self.t, {})

    def least_records(self, whole: Counts) -> int:
        """One record for each value that a class cannot do without.

        The variational distance is at least the share of the values that a class lacks:
        those that it has make up 1 - t of the table.
        """
        if self.distance != "variational":
            return 1
        rows = total(whole)
        needed = (1 - self.t) * rows
        covered = 0
        for values, count in enumerate(sorted(whole.values(), reverse=True), start=1):
            covered += count
            if covered >= needed:
                return values
        return 1

    @property
    def moves(self) -> tuple[Fraction | None, Fraction | None]:
        """t bounds the variational distance where this one is at most t.

        The other distances are at most the variational one; a distance of 0 is that of
        equal distributions.
        """
        # Else this distance may be small where the variational one is not.
        if self.distance == "variational" or self.t == 0:
            return self.t, self.t
        return None, self.t

    def implies(self, other: ClassCriterion) -> bool:
        """Whether a smaller t implies a larger one.

        The variational distance is at least each other one.
        """
        if not isinstance(other, TCloseness):
            return False
        if self.distance not in ("variational", other.distance):
            return False
        return self.t <= other.t


def _losers(inside: Counts, whole: Counts) -> Values:
    """The values that are less frequent in a class than in the table."""
    n = total(inside)
    rows = total(whole)
    losers = []
    for value, count in whole.items():
        here = inside.get(value, 0)
        # here / n < count / rows, in whole numbers.
        if here * rows < count * n:
            losers.append(value)
    return tuple(losers)


def _in_order(column: Column) -> Values:
    """The values lowest first: by the column's type, else by its hierarchy's lines.

    Raises ValueError where there is no order.
    """
    texts = present(column, "an order", INSTEAD)
    kind = column.kind
    if kind.ordered:
        return tuple(sorted(texts, key=lambda text: kind.key(kind.canonical(text))))
    if column.paths is None:
        raise ValueError(
            f"the ordered distance needs an order: give {column.name!r} a type under"
            " [types], or a hierarchy"
        )
    # Whoever wrote the hierarchy listed the values in some order.
    lines = {value: line for line, value in enumerate(column.paths)}
    require(column, texts, lines)
    return tuple(sorted(texts, key=lines.__getitem__))


def _paths(column: Column) -> tuple[tuple[Label, tuple[str, ...]], ...]:
    """The values with their paths to the root.

    Raises ValueError where there is no hierarchy with one root above all values.
    """
    if column.paths is None:
        raise ValueError(
            f"the hierarchical distance needs a hierarchy for {column.name!r} under"
            " [hierarchies]"
        )
    # Without one root some values have no common ancestor.
    roots = {path[-1] for path in column.paths.values()}
    if len(roots) != 1:
        raise ValueError(
            f"the values of {column.source} do not meet at one root in its last column"
        )
    lengths = {len(path) for path in column.paths.values()}
    if lengths == {1}:
        raise ValueError(f"{column.source} has no level above the values")
    texts = present(column, "its hierarchy", INSTEAD)
    require(column, texts, column.paths)
    return tuple((value, column.paths[value]) for value in texts)
