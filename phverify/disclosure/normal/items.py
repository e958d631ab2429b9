"""What an item of a grouped statement looks like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phverify.disclosure.log.sources import kind_of
from phverify.disclosure.normal import measures, trees


@dataclass(frozen=True)
class Measure:
    """An item: what it is of aggregates of the fragment, its place in the answer, and
    what makes it NULL.
    """

    tree: Any
    place: int
    guards: tuple[str, ...] = ()


def instead(mean: Any, kind: Any, over: Any) -> str:
    """Another aggregate in the place of a mean, with its FILTER."""
    from sqlglot import exp

    copy = over.copy()
    other = kind(this=copy)
    if not isinstance(mean, exp.Filter):
        return trees.text_of(other)
    gate = mean.expression.copy()
    both = exp.Filter(this=other, expression=gate)
    return trees.text_of(both)


def hides(node: Any) -> bool:
    """Whether a NULL within may be shown as something else."""
    from sqlglot import exp

    kinds = (exp.Coalesce, exp.Nullif, exp.Case, exp.If)
    for inner in node.find_all(*kinds):
        if inner.find_ancestor(exp.AggFunc) is None:
            return True
    return False


def one_aggregate(tree: Any) -> list[str]:
    """The one aggregate that an item is; nothing where it is more."""
    aggregates = measures.aggregates_of(tree)
    if aggregates == [trees.text_of(trees.bare(tree))]:
        return aggregates
    return []


def crowded(node: Any) -> bool:
    """Whether this is that a group has at least so many rows."""
    if kind_of(node) not in ("GT", "GTE") or kind_of(node.this) != "Count":
        return False
    if kind_of(node.this.this) != "Star":
        return False
    number = measures.integer(node.expression)
    return number is not None and number >= (1 if kind_of(node) == "GTE" else 0)
