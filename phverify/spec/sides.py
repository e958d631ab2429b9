"""What one attribute of a box may be: the nodes of a hierarchy, or ranges of an order.

A recoding by tuples maps each tuple of quasi-identifier values to a *box*, one node for
each attribute.  The values of an attribute stand in an order in which every node is a
run of neighbours: ranks ``first`` to ``last``.  The least node that holds a set of
values is then that of its lowest and its highest rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, chain, count

from phverify.spec.along import Tree, tree
from phverify.spec.data import Label, Paths, Refused
from phverify.spec.source import Values

Run = tuple[int, int]
"""The first and the last rank of a node's values."""
ALL = "*"
BITS = 2**20
"""Entropy is counted in so many parts of a bit."""
BETWEEN = ("-", "..", " to ")
"""What may stand between the ends of a range."""
OBJECTIVES = ("loss", "precision", "entropy")
"""What may be least: both are sums of what each record loses."""
COUNTED = ("class-size", "discernibility")
"""What may be least and counts classes: loss says which of equals is better."""


@dataclass(frozen=True)
class SideLayer:
    """A partition of an attribute's ranks into groups, with a price for each.

    ``group`` numbers the group of each rank.
    """

    group: tuple[int, ...]
    price: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False)
class BoxSide(ABC):
    """The nodes of one attribute; ``values`` stand in the order of their ranks.

    ``records`` are those of the table with each value: entropy counts them.
    """

    name: str
    values: Values
    records: tuple[int, ...] = field(default=(), kw_only=True)

    @abstractmethod
    def node(self, first: int, last: int) -> Run:
        """The least node that holds the values of two ranks, and all between them."""

    @abstractmethod
    def label(self, run: Run) -> Label:
        """What the release shows for a node; no two nodes have one label."""

    @abstractmethod
    def price(self, run: Run, objective: str) -> Fraction:
        """What a record loses whose cell becomes a node: 0 nothing, 1 everything.

        Raises Refused for an objective that the nodes have no measure for.
        """

    @abstractmethod
    def steps(self, objective: str) -> int:
        """Prices are whole numbers of one part in so many."""

    @abstractmethod
    def layers(self, objective: str) -> Iterator[SideLayer]:
        """Partitions such that every node lies in a group that is priced at most as
        high.

        A lower bound is asked of these groups alone: there are fewer than nodes.
        """

    def bits(self, run: Run) -> Fraction:
        """The bits of the records in a node (see ``entropy``)."""
        # Other objectives need not load it.
        from phverify.spec.entropy import bits

        first, last = run
        inside = self._up_to[last + 1] - self._up_to[first]
        return bits(inside)

    @cached_property
    def _up_to(self) -> tuple[int, ...]:
        """For each rank the records below it, and all."""
        return tuple(accumulate(self.records, initial=0))

    @cached_property
    def whole(self) -> Run:
        """The ranks of all values."""
        return 0, len(self.values) - 1

    @cached_property
    def rank(self) -> Mapping[Label, int]:
        """The rank of each value."""
        return {value: rank for rank, value in enumerate(self.values)}


@dataclass(frozen=True, eq=False)
class HierarchySide(BoxSide):
    """The nodes of a hierarchy with one root."""

    tree: Tree
    _nodes: dict[Run, Run] = field(default_factory=dict)

    def node(self, first: int, last: int) -> Run:
        """The lowest common node."""
        ends = first, last
        if ends not in self._nodes:
            # Where the ends meet, all between them have met.
            level = self._level(first, last)
            self._nodes[ends] = self._runs[self.tree.paths[first][level]]
        return self._nodes[ends]

    def label(self, run: Run) -> Label:
        """The node's label; where a lower node has it, with its level."""
        return self._labels[run]

    def price(self, run: Run, objective: str) -> Fraction:
        """Loss counts the other values below the node, precision its level, entropy the
        records.
        """
        if objective == "entropy":
            return self.bits(run)
        level = self._level(*run)
        if objective == "precision":
            return Fraction(level, self.steps(objective))
        leaves = self.tree.leaves[self.tree.paths[run[0]][level]]
        return Fraction(leaves - 1, self.steps(objective))

    def steps(self, objective: str) -> int:
        """The levels above the values, or the other values of the hierarchy."""
        if objective == "entropy":
            return BITS
        if objective == "precision":
            return max(self.tree.depth, 1)
        return max(self.tree.domain - 1, 1)

    def layers(self, objective: str) -> Iterator[SideLayer]:
        """The levels, from below; each group at the price of its least node."""
        for level in range(self.tree.depth + 1):
            nodes = [path[level] for path in self.tree.paths]
            number = {node: k for k, node in enumerate(dict.fromkeys(nodes))}
            group = tuple(number[node] for node in nodes)
            runs = [self._runs[node] for node in number]
            yield SideLayer(group, tuple(self.price(run, objective) for run in runs))

    def _level(self, first: int, last: int) -> int:
        """The lowest level at which two values have one node."""
        steps = zip(self.tree.paths[first], self.tree.paths[last], strict=True)
        for level, (one, other) in enumerate(steps):
            if one == other:
                return level
        raise Refused(f"the values of {self.name!r} do not meet at one root")

    @cached_property
    def _runs(self) -> dict[int, Run]:
        """The run of each node."""
        runs: dict[int, Run] = {}
        for rank, path in enumerate(self.tree.paths):
            for node in path:
                first, _ = runs.get(node, (rank, rank))
                # Ranks follow the tree, so that a node's values are neighbours.
                runs[node] = first, rank
        return runs

    @cached_property
    def _labels(self) -> dict[Run, Label]:
        labels: dict[Run, Label] = {}
        # Nodes are met level by level: of nodes with the same values the lowest.
        for level in range(self.tree.depth + 1):
            for path in self.tree.paths:
                run = self._runs[path[level]]
                _, text = self.tree.places[path[level]]
                if run not in labels:
                    labels[run] = _unlike(text, level, set(labels.values()))
        return labels


def _unlike(text: Label, level: int, taken: set[Label]) -> Label:
    """A label that no other node has: a reader must tell a group from its members."""
    while text in taken:
        text = f"{text} (level {level})"
    return text


@dataclass(frozen=True, eq=False)
class RangeSide(BoxSide):
    """RangeSide of an ordered attribute, ``20-29``.

    A missing cell, which comes last, joins others only where the range is everything,
    ``*``.
    """

    def node(self, first: int, last: int) -> Run:
        """The range itself; with a missing cell and another value, everything."""
        if first < last and self.values[last] is None:
            return self.whole
        return first, last

    def label(self, run: Run) -> Label:
        """The value itself, ``*`` for everything, else the lowest and the highest."""
        first, last = run
        if first == last:
            return self.values[first]
        if run == self.whole and ALL not in self.values:
            return ALL
        lowest, highest = self.values[first], self.values[last]
        return f"{lowest}{self.between}{highest}"

    @cached_property
    def between(self) -> str:
        """What stands between the ends of a range: in a label it is found once.

        So a range is no value, and can be read in one way: ``-1..3``, not ``-1-3``.
        """
        # A missing cell is never an end of a range; its text does no harm.
        texts = [str(value) for value in self.values]
        # Arrows have no end that is also their beginning: once long enough one will do.
        arrows = (f"{'=' * length}>" for length in count(1))
        signs = chain(BETWEEN, arrows)
        return next(sign for sign in signs if not _misreads(sign, texts))

    def price(self, run: Run, objective: str) -> Fraction:
        """The other values that occur in the range, as a share of all others; entropy
        counts records.
        """
        if objective == "entropy":
            return self.bits(run)
        if objective != "loss":
            raise Refused(
                f"{objective} counts levels of a hierarchy, and {self.name!r} is"
                " released in ranges"
            )
        first, last = run
        return Fraction(last - first, self.steps(objective))

    def steps(self, objective: str) -> int:
        """The other values."""
        if objective == "entropy":
            return BITS
        return max(len(self.values) - 1, 1)

    def layers(self, objective: str) -> Iterator[SideLayer]:
        """Single values; windows of growing width; everything.

        A range no wider than ``width`` lies in a window of one of the layers of that
        width: windows begin at every multiple of a step, and are longer by a step.  A
        range in none of the narrower windows has more than ``narrower`` values.
        """
        size = len(self.values)
        present = size - (None in self.values)
        alone = tuple(range(size))
        yield self._priced(alone, 0, objective)
        narrower = 1
        for width in _widths(present):
            step = max(1, width // 4)
            longer = width + step - 1
            length = longer + -longer % step
            for offset in range(0, length, step):
                windows = self._windows(length, offset, present)
                yield self._priced(windows, narrower, objective)
            narrower = width
        yield self._priced((0,) * size, min(narrower, size - 1), objective)

    def _priced(self, group: tuple[int, ...], others: int, objective: str) -> SideLayer:
        """Groups at the price of their least range with so many other values."""
        if objective == "entropy":
            from phverify.spec.entropy import group_prices

            return SideLayer(group, group_prices(group, self.records, others + 1))
        price = self.price((0, others), objective)
        return SideLayer(group, (price,) * (max(group) + 1))

    def _windows(self, length: int, offset: int, present: int) -> tuple[int, ...]:
        """Windows that begin at ``offset`` and every ``length`` ranks from there."""
        places = [(rank - offset) // length for rank in range(present)]
        # A missing cell is in no range but everything.
        places += [present] * (len(self.values) - present)
        number = {place: k for k, place in enumerate(dict.fromkeys(places))}
        return tuple(number[place] for place in places)


def _misreads(sign: str, texts: Iterable[str]) -> bool:
    """Whether a sign is misread beside one of these texts."""
    return any(_misread(sign, text) for text in texts)


def _misread(sign: str, end: str) -> bool:
    """Whether a sign may be found elsewhere than between two ends.

    That is within an end, or half in it: ``..`` in ``0....5``.
    """
    before = end + sign[:-1]
    after = sign[1:] + end
    return sign in before or sign in after


def _widths(present: int) -> Iterator[int]:
    """Widths of windows, from 2: each by a third more than the one before."""
    width = 2
    while width < present:
        yield width
        width = max(width + 1, width * 4 // 3)


def side(name: str, values: Values, paths: Paths | None) -> BoxSide:
    """The nodes of an attribute: along a hierarchy, or ranges of values in their order.

    Raises Refused for a hierarchy that lacks a value, or has no single root.
    """
    if paths is None:
        return RangeSide(name, values)
    grown = tree(name, values, paths)
    # From the root down, the numbers of the nodes: neighbours share a node.
    order = sorted(range(len(values)), key=lambda k: grown.paths[k][::-1])
    ordered = tuple(values[k] for k in order)
    sided = HierarchySide(name, ordered, tree(name, ordered, paths))
    sided.node(*sided.whole)  # the values meet somewhere
    return sided
