"""Guarding nodes: what a value falls under must not become too likely, even where no
single value does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

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
from phverify.spec.criterion.columns import Array, Histogram
from phverify.spec.criterion.lemma import Lemma, at_most
from phverify.spec.signature import Signature
from phverify.spec.source import Values


@dataclass(frozen=True)
class Guarded(ClassCriterion):
    """In no class do more than a share of the rows have a value below a node of f's
    hierarchy.

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
        ),
    )
    alone: ClassVar[bool] = True

    def prepared(self, column: Column) -> Guarded:
        if column.paths is None:
            raise ValueError(
                f"guarded needs a hierarchy for {self.f!r} under [hierarchies]"
            )
        nodes = {node for path in column.paths.values() for node in path}
        if self.node not in nodes:
            raise ValueError(
                f"{column.source} has no node {self.node!r};"
                f" {nearest(self.node, nodes, 'its nodes')}"
            )
        texts = column.texts("its hierarchy")
        column.require(texts, column.paths)
        return replace(
            self,
            below=tuple(value for value in texts if self.node in column.paths[value]),
        )

    def looks(self) -> str:
        return "tree"

    def formula(self, signature: Signature) -> s.Formula:
        below = s.among(self.f, self.below) if self.below else s.FALSE
        return s.Compare(s.likelihood("a1", below), "<=", s.number(self.share))

    def holds(self, inside: Counts, whole: Counts) -> bool:
        return sum(inside.get(value, 0) for value in self.below) <= self.share * total(
            inside
        )

    def columns(self, h: Histogram) -> Array:
        return h.at_most(h.among(self.below), self.share, h.sizes)

    def badness(self, h: Histogram) -> Array:
        return h.among(self.below) / h.sizes

    def counterexample(self, inside: Counts, whole: Counts) -> Counterexample:
        count, n = sum(inside.get(value, 0) for value in self.below), total(inside)
        below = s.Compare(
            s.likelihood("a1", s.among(self.f, self.below)), "<=", s.number(self.share)
        )
        return Counterexample(
            below,
            f"{count}/{n} of the class are below {self.node!r}: more than {self.share}",
        )

    def conditions(
        self, domain: Values, whole: Counts | None = None
    ) -> Iterator[Condition]:
        if self.below:
            yield s.Compare(
                s.likelihood("a1", s.among(self.f, self.below)),
                "<=",
                s.number(self.share),
            )

    def lemma(self) -> Lemma:
        return Lemma(
            f"a <= {self.share} n, where a rows of n are below {self.node!r}",
            (at_most("a", self.share, "n"),),
        )
