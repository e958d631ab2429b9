"""The judge of recodings by tuples: every function on tuples, by the definitions.

Shares nothing with the search: all partitions of the tuples, all sets of tuples that may
be withheld, the least node by looking at every one, the policy by ``search_oracle``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from support.oracle import Row
from support.search_oracle import Domain, Judge, Label

Node = tuple[str, frozenset[Label], Fraction]
"""What distinguishes it, the values in it, what a record loses."""
Tuple = tuple[Label, ...]


@dataclass(frozen=True)
class TupleQuestion:
    """A table to be recoded by tuples."""

    judge: Judge
    domains: Mapping[str, Domain]
    suppress: Fraction
    weights: Mapping[str, Fraction]

    @property
    def budget(self) -> int:
        return int(self.suppress * len(self.judge.rows))

    def nodes(self, name: str) -> list[Node]:
        """All nodes of an attribute."""
        domain = self.domains[name]
        if domain.paths is None and domain.key is not None:
            return ranges(domain)
        paths = domain.paths
        if paths is None:
            paths = {value or "": (value or "", "*") for value in domain.values}
        domain = Domain(domain.values, paths)
        nodes = []
        for value in domain.values:
            for level, place in enumerate(domain.path(value)):
                inside = frozenset(
                    v for v in domain.values if domain.path(v)[level] == place
                )
                loss = domain.node(level, inside)[value].loss
                nodes.append((f"{level} {place}", inside, loss))
        return nodes

    def rows_of(self) -> dict[Tuple, list[int]]:
        rows: dict[Tuple, list[int]] = {}
        for number, row in enumerate(self.judge.rows):
            rows.setdefault(tuple(row[q] for q in self.judge.quasi), []).append(number)
        return rows

    def recodings(
        self,
    ) -> Iterator[tuple[Fraction, list[dict[str, Label]], tuple[int, ...]]]:
        """Cost, rows as they are released, and which are; cheapest boxes alone."""
        known = {q: self.nodes(q) for q in self.judge.quasi}
        rows = self.rows_of()
        loose = [t for t, own in rows.items() if not self.judge.named & set(own)]
        for count in range(len(loose) + 1):
            for gone in itertools.combinations(loose, count):
                records = sum(len(rows[t]) for t in gone)
                left = [t for t in rows if t not in gone]
                if records > self.budget or not left:
                    continue
                kept = tuple(sorted(n for t in left for n in rows[t]))
                for classes in partitions(left):
                    yield self.released(classes, known, rows, kept)

    def released(
        self,
        classes: list[list[Tuple]],
        known: Mapping[str, list[Node]],
        rows: Mapping[Tuple, list[int]],
        kept: tuple[int, ...],
    ) -> tuple[Fraction, list[dict[str, Label]], tuple[int, ...]]:
        whole = sum(self.weights.get(q, Fraction(1)) for q in self.judge.quasi)
        shown: list[dict[str, Label]] = [dict(row) for row in self.judge.rows]
        total = Fraction(0)
        for one in classes:
            for k, q in enumerate(self.judge.quasi):
                held = {t[k] for t in one}
                holding = [node for node in known[q] if held <= node[1]]
                _, inside, loss = min(holding, key=lambda node: (len(node[1]), node[2]))
                for t in one:
                    for number in rows[t]:
                        shown[number][q] = repr(sorted(map(repr, inside)))
                        total += self.weights.get(q, Fraction(1)) * loss / whole
        return total / len(self.judge.rows), shown, kept

    def least(self) -> Fraction | None:
        """The least cost of a recoding that satisfies the policy, None for none."""
        best: Fraction | None = None
        for cost, shown, kept in self.recodings():
            if (best is None or cost < best) and self.judge.proved(shown, kept):
                best = cost
        return best


def ranges(domain: Domain) -> list[Node]:
    assert domain.key is not None
    line = sorted((v for v in domain.values if v is not None), key=domain.key)
    others = max(len(domain.values) - 1, 1)
    nodes = []
    for a, b in itertools.combinations(range(len(line) + 1), 2):
        nodes.append((f"{a}-{b}", frozenset(line[a:b]), Fraction(b - a - 1, others)))
    if None in domain.values:
        nodes.append(("missing", frozenset([None]), Fraction(0)))
        nodes.append(("*", frozenset(domain.values), Fraction(len(line), others)))
    return nodes


def partitions(items: Sequence[Tuple]) -> Iterator[list[list[Tuple]]]:
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for k in range(len(smaller)):
            yield [*smaller[:k], [first, *smaller[k]], *smaller[k + 1 :]]


def as_released(
    rows: Sequence[Row], quasi: Sequence[str], release: Sequence[Mapping[str, Label]]
) -> list[dict[str, Label]]:
    """The rows with the cells of a release in place of their quasi-identifiers."""
    return [
        {**row, **{q: shown[q] for q in quasi}}
        for row, shown in zip(rows, release, strict=True)
    ]
