"""The rows of a release as columns of codes, for its models (Definition 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from phverify.exact import Bools, Ints
from phverify.microdata.table import Column, Label
from phverify.spec import syntax as s
from phverify.spec.semantics import Worlds
from phverify.spec.signature import Signature

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
    size: int
    signature: Signature
    agents: Mapping[str, tuple[str, ...]]
    home: Ints
    judge: Judge = no_judge
    subject: Callable[[s.Criterion], str] = lambda node: ""
    """The attribute that a criterion is about, "" for none."""
    _cells: dict[tuple[str, int], Worlds] = field(default_factory=dict)
    _facts: dict[s.Descriptor, Worlds] = field(default_factory=dict)

    def cell(self, agent: str, row: int) -> Worlds:
        """The rows that the agent cannot tell from this one: indiscernible in what it knows."""
        codes = [self.columns[name].codes for name in self.agents[agent]]
        key = agent, hash(tuple(int(c[row]) for c in codes)) if codes else 0
        if key not in self._cells or not self._cells[key] >> row & 1:
            same = np.ones(self.size, dtype=bool)
            for c in codes:
                same &= c == c[row]
            self._cells[key] = bits(same)
        return self._cells[key]

    def extension(self, descriptor: s.Descriptor) -> Worlds:
        """The rows where a descriptor is true."""
        if descriptor not in self._facts:
            attribute = self.signature.attributes[descriptor.attribute]
            labels = attribute.matches(descriptor.op, s.texts(descriptor))
            column = self.columns[descriptor.attribute]
            wanted = np.array([label in labels for label in column.labels], dtype=bool)
            self._facts[descriptor] = bits(wanted[column.codes])
        return self._facts[descriptor]

    def satisfies(self, node: s.Criterion, rows: Worlds) -> bool:
        """Whether rows, as a class, satisfy a criterion by its own definition."""
        attribute = self.subject(node)
        if not attribute:
            return self.judge(node, {"": rows.bit_count()}, {"": self.size})
        return self.judge(node, self.counts(attribute, rows), self.counts(attribute, self.all_rows))

    def counts(self, attribute: str, among: Worlds) -> Counts:
        """How often each value of an attribute occurs in some rows."""
        column = self.columns[attribute]
        codes = column.codes if among == self.all_rows else column.codes[mask(among, self.size)]
        found = np.bincount(codes, minlength=len(column.labels))
        return {v: k for v, k in zip(column.labels, found.tolist(), strict=True) if k}

    @cached_property
    def all_rows(self) -> Worlds:
        return (1 << self.size) - 1


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
