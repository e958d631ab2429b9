"""The judge of certificates of recodings by tuples, from the definitions.

Shares nothing with the checker: nodes are sets of values, all partitions of the tuples
are looked at, the policy is decided by ``search_oracle``.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from support.search_oracle import Judge

Label = str | None
Row = dict[str, Label]
Tuple = tuple[Label, ...]
REASONS = {
    "one tuple",
    "too few records",
    "every split breaks a rule",
    "not decided",
}
Classes = tuple[tuple[int, ...], ...]
"""Of a recoding: the numbers of the tuples of each class."""


@dataclass(frozen=True)
class Node:
    """What a cell may become: the values that occur below it, and what it costs."""

    inside: frozenset[Label]
    loss: Fraction
    precision: Fraction | None


@dataclass(frozen=True, eq=False)
class Column:
    """A quasi-identifier: with the lines of a hierarchy, or an order, or neither."""

    name: str
    values: tuple[Label, ...]
    lines: Mapping[str, Sequence[str]] | None = None
    key: Callable[[str], Any] | None = None

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes, none twice."""
        if self.lines is not None:
            return list(self._of_lines(self.lines))
        if self.key is not None:
            return list(self._ranges(self.key))
        found = [Node(frozenset([v]), Fraction(0), Fraction(0)) for v in self.values]
        if len(self.values) > 1:
            found.append(Node(frozenset(self.values), Fraction(1), Fraction(1)))
        return found

    def _of_lines(self, lines: Mapping[str, Sequence[str]]) -> Iterator[Node]:
        height = len(next(iter(lines.values()))) - 1
        paths: dict[Label, tuple[Hashable, ...]] = {}
        for value, line in lines.items():
            paths[value or None] = tuple(line)
        if None in self.values and None not in paths:
            tops = {line[-1] for line in lines.values()}
            top = tops.pop() if len(tops) == 1 and height else "(nowhere else)"
            paths[None] = (*[("(missing)",)] * height, top)
        leaves = len(paths)
        for level in range(height + 1):
            for value in self.values:
                own = paths[value][level] if level else value
                below = [
                    v
                    for v, path in paths.items()
                    if (path[level] if level else v) == own
                ]
                loss = Fraction(len(below) - 1, max(leaves - 1, 1))
                inside = frozenset(below) & frozenset(self.values)
                yield Node(inside, loss, Fraction(level, max(height, 1)))

    def _ranges(self, key: Callable[[str], Any]) -> Iterator[Node]:
        line = sorted((v for v in self.values if v is not None), key=key)
        others = max(len(self.values) - 1, 1)
        for first in range(len(line)):
            for last in range(first, len(line)):
                run = frozenset(line[first : last + 1])
                yield Node(run, Fraction(last - first, others), None)
        if None in self.values:
            yield Node(frozenset([None]), Fraction(0), None)
            yield Node(frozenset(self.values), Fraction(len(line), others), None)

    def least(self, held: frozenset[Label]) -> Node:
        """The least node that holds some values: of those with as many the cheapest."""
        holding = [node for node in self.nodes if held <= node.inside]
        return min(holding, key=lambda n: (len(n.inside), n.loss, n.precision or 0))


@dataclass(frozen=True, eq=False)
class TupleTruth:
    """What is true of recodings of one table under one policy."""

    judge: Judge
    columns: tuple[Column, ...]
    same_order: bool = False

    @cached_property
    def tuples(self) -> list[Tuple]:
        """The different tuples in the order of their first rows."""
        return list(dict.fromkeys(self.row_tuples))

    @cached_property
    def row_tuples(self) -> list[Tuple]:
        names = [column.name for column in self.columns]
        return [tuple(row[name] for name in names) for row in self.judge.rows]

    @cached_property
    def rows_of(self) -> list[list[int]]:
        """The rows of each tuple."""
        return [
            [row for row, own in enumerate(self.row_tuples) if own == one]
            for one in self.tuples
        ]

    @cached_property
    def named(self) -> set[int]:
        """The tuples of people whom the policy names."""
        return {self.tuples.index(self.row_tuples[row]) for row in self.judge.named}

    def with_ranges(self, names: Sequence[str]) -> TupleTruth:
        """The same with some columns released in ranges though they have a
        hierarchy.
        """
        columns = tuple(
            replace(column, lines=None) if column.name in names else column
            for column in self.columns
        )
        return replace(self, columns=columns)

    def records(self, numbers: Sequence[int]) -> int:
        return sum(len(self.rows_of[number]) for number in numbers)

    def box(self, numbers: Sequence[int]) -> tuple[Node, ...]:
        """The least box of some tuples."""
        columns = enumerate(self.columns)
        return tuple(
            column.least(frozenset(self.tuples[number][k] for number in numbers))
            for k, column in columns
        )

    def cost(
        self, classes: Classes, weights: Mapping[str, Fraction], objective: str
    ) -> Fraction:
        whole = sum(weights[column.name] for column in self.columns)
        total = Fraction(0)
        for one in classes:
            for column, node in zip(self.columns, self.box(one), strict=True):
                share = weights[column.name] / whole
                if objective == "entropy":
                    total += share * self.bits(column, node, one)
                    continue
                price = node.loss if objective == "loss" else node.precision
                assert price is not None
                total += self.records(one) * share * price
        return total / len(self.judge.rows)

    def bits(self, column: Column, node: Node, numbers: Sequence[int]) -> Fraction:
        """The bits that the records of some tuples lose in one column."""
        having = Counter(row[column.name] for row in self.judge.rows)
        inside = sum(having[value] for value in node.inside)
        total = Fraction(0)
        for number in numbers:
            value = self.tuples[number][self.columns.index(column)]
            own = log2_parts(having[value])
            total += len(self.rows_of[number]) * (log2_parts(inside) - own)
        return total

    def satisfied(self, classes: Classes) -> bool:
        """Whether a release with these classes satisfies the policy."""
        shown: list[dict[str, Label]] = [dict(row) for row in self.judge.rows]
        kept = []
        for place, one in enumerate(classes):
            for row in (row for number in one for row in self.rows_of[number]):
                kept.append(row)
                for column in self.columns:
                    shown[row][column.name] = f"class {place}"
        return bool(kept) and self.judge.proved(shown, tuple(sorted(kept)))

    def releases(self, budget: int) -> Iterator[Classes]:
        """All partitions of the tuples, without some of them, that satisfy the policy.

        Classes with one least box count too: they have other boxes, which cost more.
        """
        numbers = range(len(self.tuples))
        for count in range(len(self.tuples)):
            for gone in itertools.combinations(numbers, count):
                if self.records(gone) > budget or self.named & set(gone):
                    continue
                for classes in partitions([n for n in numbers if n not in gone]):
                    if self.satisfied(classes):
                        yield classes

    def possible(self, classes: Classes) -> bool:
        """Whether the classes can have different boxes."""
        nodes = [{node.inside for node in column.nodes} for column in self.columns]
        boxes = []
        for one in classes:
            holding = []
            for k, insides in enumerate(nodes):
                held = {self.tuples[number][k] for number in one}
                holding.append([inside for inside in insides if held <= inside])
            boxes.append(list(itertools.product(*holding)))
        return _different(boxes, [])

    def false(
        self, claimed: Mapping[str, Any], release: Sequence[Row] | None
    ) -> Iterator[str]:
        """The claims of a well-formed certificate that are not true."""
        if claimed["ranges"]:
            asked = self.with_ranges(claimed["ranges"])
            yield from asked.false({**claimed, "ranges": []}, release)
            return
        classes: Classes = tuple(map(tuple, claimed["classes"]))
        listed = [number for one in classes for number in one]
        known = set(range(len(self.tuples)))
        if (
            len(set(listed)) < len(listed)
            or not set(listed) <= known
            or not all(classes)
        ):
            yield "the classes are no partition"
            return
        boxes = [tuple(node.inside for node in self.box(one)) for one in classes]
        if len(set(boxes)) < len(boxes):
            yield "two classes have one box"
        gone = known - set(listed)
        budget = int(Fraction(claimed["suppress"]) * len(self.judge.rows))
        if self.records(sorted(gone)) > budget or gone & self.named:
            yield "what is withheld may not be"
        weights = {name: Fraction(text) for name, text in claimed["weights"].items()}
        objective = claimed["objective"]
        cost = str(self.cost(classes, weights, objective))
        if cost != claimed["cost"]:
            yield f"the cost is {cost}"
        if self.stars(classes) > Fraction(claimed["cells"]) * len(self.columns) * (
            self.records(listed)
        ):
            yield "too many cells are *"
        if claimed["disjoint"] and not self.disjoint(classes):
            yield "a box holds a tuple of another class"
        if not self.satisfied(classes):
            yield "the policy is not satisfied"
        bound = Fraction(claimed["bound"]["value"])
        for other in self.releases(budget):
            if self.cost(other, weights, objective) < bound:
                yield f"the bound is above {self.cost(other, weights, objective)}"
                break
        yield from self._of_splits(claimed, classes)
        if release is not None and not self.releases_it(classes, release):
            yield "the released file is another one"

    def _of_splits(self, claimed: Mapping[str, Any], classes: Classes) -> Iterator[str]:
        said = claimed["splits"]
        if said is None:
            return
        if len(said) != len(classes) or not set(said) <= REASONS:
            yield "the splits are others"
            return
        for place, one in enumerate(classes):
            if said[place] == "one tuple" and len(one) > 1:
                yield "a class has several tuples"
            if said[place] == "not decided":
                continue
            for split in self.splits(classes, place, one):
                if claimed["disjoint"] and not self.disjoint(split):
                    continue
                if self.satisfied(split):
                    yield f"a class can be split: {split}"
                    return

    def splits(
        self, classes: Classes, place: int, one: tuple[int, ...]
    ) -> Iterator[Classes]:
        """The releases with a class in two, those with one box joined."""
        others = classes[:place] + classes[place + 1 :]
        for halves in partitions(one):
            if len(halves) != 2 or len({self.insides(half) for half in halves}) < 2:
                continue
            if not self.satisfied((*others, *halves)):
                continue  # The halves are no classes of their own.
            by_box: dict[Hashable, list[int]] = {}
            for part in (*others, *halves):
                by_box.setdefault(self.insides(part), []).extend(part)
            yield tuple(tuple(sorted(part)) for part in by_box.values())

    def insides(self, numbers: Sequence[int]) -> tuple[frozenset[Label], ...]:
        return tuple(node.inside for node in self.box(numbers))

    def stars(self, classes: Classes) -> int:
        """Cells that hold all values of their column, of which there are several."""
        count = 0
        for one in classes:
            for column, node in zip(self.columns, self.box(one), strict=True):
                whole = node.inside == frozenset(column.values)
                count += (whole and len(column.values) > 1) * self.records(one)
        return count

    def disjoint(self, classes: Classes) -> bool:
        """Whether no box holds a released tuple of another class."""
        for one in classes:
            box = self.box(one)
            for number in (n for other in classes if other != one for n in other):
                cells = zip(self.tuples[number], box, strict=True)
                if all(value in node.inside for value, node in cells):
                    return False
        return True

    def releases_it(self, classes: Classes, release: Sequence[Row]) -> bool:
        """Whether a file is the released table, however nodes are called in it."""
        place_of = {n: place for place, one in enumerate(classes) for n in one}
        rows = []
        names = [column.name for column in self.columns]
        for row, own in zip(self.judge.rows, self.row_tuples, strict=True):
            place = place_of.get(self.tuples.index(own))
            if place is not None:
                box = self.insides(classes[place])
                rest = tuple(row[name] for name in row if name not in names)
                rows.append((box, rest))
        shown = [
            (
                tuple(row[name] for name in names),
                tuple(row[n] for n in row if n not in names),
            )
            for row in release
        ]
        if len(rows) != len(shown):
            return False
        if self.same_order:
            return _renamed(rows, shown)
        key = _pattern_key
        return sorted(map(key, _classed(rows))) == sorted(map(key, _classed(shown)))


@lru_cache
def log2_parts(count: int) -> Fraction:
    """log2 in whole parts of 1 / 2^20, rounded up: by the length of a power."""
    length = (count ** (2**20) - 1).bit_length()
    return Fraction(length, 2**20)


def _classed(rows: Sequence[tuple[Hashable, Hashable]]) -> list[tuple[Any, ...]]:
    classes: dict[Hashable, Counter[Hashable]] = {}
    for own, rest in rows:
        classes.setdefault(own, Counter())[rest] += 1
    return [tuple(sorted(map(repr, c.items()))) for c in classes.values()]


def _pattern_key(item: Any) -> str:
    return repr(item)


def _renamed(one: Sequence[tuple[Any, Any]], other: Sequence[tuple[Any, Any]]) -> bool:
    """Whether two tables are the same but for the names of nodes."""
    names: dict[Any, Any] = {}
    back: dict[Any, Any] = {}
    for (box, rest), (cells, there) in zip(one, other, strict=True):
        if rest != there:
            return False
        for k, (inside, cell) in enumerate(zip(box, cells, strict=True)):
            if names.setdefault((k, inside), cell) != cell:
                return False
            if back.setdefault((k, cell), inside) != inside:
                return False
    return True


def _different(boxes: list[list[Any]], taken: list[Any]) -> bool:
    if not boxes:
        return True
    first, *rest = boxes
    return any(_different(rest, [*taken, box]) for box in first if box not in taken)


def partitions(items: Sequence[int]) -> Iterator[Classes]:
    """All partitions of some numbers."""
    if not items:
        yield ()
        return
    first, *rest = items
    for smaller in partitions(rest):
        yield ((first,), *smaller)
        for k, one in enumerate(smaller):
            yield (*smaller[:k], (first, *one), *smaller[k + 1 :])
