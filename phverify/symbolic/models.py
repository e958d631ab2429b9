"""The models of a release (Definition 7): one world for each row, individuals placed within their classes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints
from phverify.microdata.table import Column, Label
from phverify.spec import syntax as s
from phverify.spec.names import Signature
from phverify.spec.semantics import Point, Worlds

Counts = Mapping[Label, int]
Judge = Callable[[s.Criterion, Counts, Counts], bool]
"""Decides a criterion by its own definition from the values inside a class and in the whole table."""


def no_judge(node: s.Criterion, inside: Counts, whole: Counts) -> bool:
    raise TypeError(f"no definition for {node.name}")


@dataclass(frozen=True, eq=False)
class World:
    """Everything about a release that its models share.

    ``agents`` maps each agent to the quasi-identifiers it knows (a0 none, a1 all); ``home[i]`` is a row
    of the class of individual i.
    """

    columns: Mapping[str, Column]
    rows: int
    signature: Signature
    agents: Mapping[str, tuple[str, ...]]
    home: Ints
    judge: Judge = no_judge
    subject: Callable[[s.Criterion], str] = lambda node: ""
    """The attribute that a criterion is about, "" for none."""
    _cells: dict[tuple[str, int], Worlds] = field(default_factory=dict)
    _facts: dict[tuple[str, frozenset[Label]], Worlds] = field(default_factory=dict)

    def cell(self, agent: str, row: int) -> Worlds:
        """The rows that the agent cannot tell from this one: indiscernible in what it knows."""
        codes = [self.columns[name].codes for name in self.agents[agent]]
        key = agent, hash(tuple(int(c[row]) for c in codes)) if codes else 0
        if key not in self._cells or not self._cells[key] >> row & 1:
            same = np.ones(self.rows, dtype=bool)
            for c in codes:
                same &= c == c[row]
            self._cells[key] = bits(same)
        return self._cells[key]

    def rows_with(self, attribute: str, labels: frozenset[Label]) -> Worlds:
        """The rows whose value of the attribute is among the labels."""
        key = attribute, labels
        if key not in self._facts:
            column = self.columns[attribute]
            wanted = np.array([label in labels for label in column.labels], dtype=bool)
            self._facts[key] = bits(wanted[column.codes])
        return self._facts[key]

    def counts(self, attribute: str, among: Worlds) -> Counts:
        """How often each value of an attribute occurs in some rows."""
        column = self.columns[attribute]
        codes = column.codes if among == self.all_rows else column.codes[mask(among, self.rows)]
        found = np.bincount(codes, minlength=len(column.labels))
        return {v: k for v, k in zip(column.labels, found.tolist(), strict=True) if k}

    @cached_property
    def all_rows(self) -> Worlds:
        return (1 << self.rows) - 1


@dataclass(frozen=True, eq=False)
class ReleaseModel:
    """One model of a release: ``place[i]`` is the row where individual i is."""

    base: World
    place: Mapping[int, int]

    @property
    def size(self) -> int:
        return self.base.rows

    def world(self, name: s.Reference) -> int:
        match name:
            case s.Person(index):
                return self.place[index]
            case s.Row(index):
                return index
        raise TypeError(f"{name} has not been looked up")

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        attribute = self.base.signature.attributes[descriptor.attribute]
        return self.base.rows_with(descriptor.attribute, attribute.matches(descriptor.op, s.texts(descriptor)))

    def points(self, agent: str, among: Worlds) -> Iterator[Point]:
        while among:
            cell = self.base.cell(agent, (among & -among).bit_length() - 1)
            yield Point(among & cell, cell, cell, lambda worlds, cell=cell: _share(worlds, cell))  # type: ignore[misc]
            among &= ~cell

    def criterion(self, node: s.Criterion, among: Worlds) -> Worlds:
        points = self.points("a1", among)
        return sum(point.worlds for point in points if self._judged(node, point.space))

    def _judged(self, node: s.Criterion, cell: Worlds) -> bool:
        attribute = self.base.subject(node)
        if not attribute:
            return self.base.judge(node, {"": cell.bit_count()}, {"": self.base.rows})
        inside = self.base.counts(attribute, cell)
        return self.base.judge(node, inside, self.base.counts(attribute, self.base.all_rows))


def _share(worlds: Worlds, cell: Worlds) -> Fraction:
    return Fraction((worlds & cell).bit_count(), cell.bit_count())


def bits(mask: Bools) -> Worlds:
    """A mask over rows as a set of worlds."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def mask(worlds: Worlds, rows: int) -> Bools:
    """A set of worlds as a mask over rows."""
    data = np.frombuffer(worlds.to_bytes((rows + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(data, count=rows, bitorder="little").astype(bool)


def lawful(base: World, place: Mapping[int, int]) -> bool:
    """Whether a placement obeys Definition 7: one row each, inside the own class."""
    distinct = len(set(place.values())) == len(place)
    return distinct and all(base.cell("a1", int(base.home[i])) >> row & 1 for i, row in place.items())


def all_models(base: World) -> Iterator[ReleaseModel]:
    """Every model of the release: each class permuted in all ways.  For small tables only."""
    members: dict[Worlds, list[int]] = {}
    for person in range(base.signature.individuals):
        members.setdefault(base.cell("a1", int(base.home[person])), []).append(person)
    classes = [(people, [w for w in range(base.rows) if cell >> w & 1]) for cell, people in members.items()]
    choices = [[list(zip(p, rows, strict=True)) for rows in itertools.permutations(r, len(p))] for p, r in classes]
    for combination in itertools.product(*choices):
        yield ReleaseModel(base, dict(itertools.chain.from_iterable(combination)))
