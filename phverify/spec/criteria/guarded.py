"""Guarding nodes: what a value falls under must not become too likely.

That may happen even where no single value becomes likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from phverify.errors import nearest
from phverify.spec import syntax as s
from phverify.spec.criterion.base import (
    ATTRIBUTE,
    ClassCriterion,
    Column,
    Condition,
    Counterexample,
    Counts,
    Param,
    total,
)
from phverify.spec.criterion.formulas import at_most_share
from phverify.spec.criterion.present import present, require
from phverify.spec.signature import Signature
from phverify.spec.source import Values

if TYPE_CHECKING:
    from phverify.spec.criterion.columns import Array, Histogram
    from phverify.spec.criterion.lemma import Lemma


@dataclass(frozen=True)
class Guarded(ClassCriterion):
    """At most a share of each class has a value below a node of f's hierarchy.

    The node may be a value or stand at any level; below it are the values whose line
    has it.
    """

    f: str
    node: str
    share: Fraction
    below: Values = ()
    name: ClassVar[str] = "guarded"
    source: ClassVar[str] = "after the guarding nodes of Xiao and Tao 2006"
    params: ClassVar[tuple[Param, ...]] = (
        ATTRIBUTE,
        Param("node", "node"),
        Param(
            "share",
            "number",
            "largest share of what is below the node",
            least=Fraction(0),
            stricter="smaller",
        ),
    )
    alone: ClassVar[bool] = True

    def prepared(self, column: Column) -> Guarded:
        """The criterion with the values below its node.

        Raises ValueError without a hierarchy, or where that lacks the node or a value.
        """
        paths = column.paths
        if paths is None:
            raise ValueError(
                f"guarded needs a hierarchy for {self.f!r} under [hierarchies]"
            )
        # Nodes of all values of the hierarchy, those that do not occur too.
        nodes: set[str] = set()
        for path in paths.values():
            nodes.update(path)
        if self.node not in nodes:
            hint = nearest(self.node, nodes, "its nodes")
            raise ValueError(f"{column.source} has no node {self.node!r}; {hint}")
        values = present(column, "its hierarchy")
        require(column, values, paths)
        below = [value for value in values if self.node in paths[value]]
        return replace(self, below=tuple(below))

    def structure(self) -> str:
        """The hierarchy."""
        return "tree"

    def _guard(self) -> s.Formula:
        """``l_a1(f in below) <= share``."""
        is_below = s.among(self.f, self.below)
        return at_most_share(is_below, self.share)

    def formula(self, signature: Signature) -> s.Formula:
        """What is below the node has at most the share."""
        if self.below:
            return self._guard()
        # A node of which no value occurs guards nothing.
        return at_most_share(s.FALSE, self.share)

    def _count_below(self, inside: Counts) -> int:
        counts = [inside.get(value, 0) for value in self.below]
        return sum(counts)

    def holds(self, inside: Counts, whole: Counts) -> bool:
        """At most the share of the rows has a value below the node."""
        count = self._count_below(inside)
        rows = total(inside)
        most = self.share * rows
        return count <= most

    def columns(self, histogram: Histogram) -> Array:
        """For each class whether few enough rows are below the node."""
        below = histogram.among(self.below)
        sizes = histogram.sizes
        return histogram.at_most(below, self.share, sizes)

    def badness(self, histogram: Histogram) -> Array:
        """The share below the node."""
        below = histogram.among(self.below)
        return below / histogram.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        """The rows below the node."""
        below = self._count_below(inside)
        shown = f"{below}/{total(inside)}"
        said = f"{shown} of the class are below {self.node!r}: more than {self.share}"
        return Counterexample(self._guard(), said)

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        """The formula, or nothing where no value is below the node."""
        if self.below:
            yield self._guard()

    def lemma(self) -> Lemma:
        """Rows add up, those below the node as well."""
        from phverify.spec.criterion.lemma import Lemma, at_most

        why = f"a <= {self.share} n, where a rows of n are below {self.node!r}"
        condition = at_most("a", self.share, "n")
        return Lemma(why, (condition,))
