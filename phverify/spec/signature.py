"""What a formula can speak of: the columns with their values, the agents, the
individuals and the records.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from phverify.spec import syntax as s
from phverify.spec.tokens import plain
from phverify.spec.types import ValueType

POSITION = re.compile(r"([id])([1-9]\d{0,17})", re.ASCII)
"""``i3``, individual number 3, and ``d4``, record number 4."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """An attribute and its active domain: the values that occur in the release, in
    order, each spelled in one way.

    ``known`` are values that may be named although they do not occur (from a hierarchy
    or the original).
    """

    name: str
    kind: ValueType
    domain: tuple[str | None, ...]
    known: Container[str | None] = frozenset()
    any_value: bool = False
    """Set while the data are not known yet: every value may be named."""

    def matches(self, op: str, operands: Sequence[str | None]) -> frozenset[str | None]:
        """The values of the domain for which the descriptor ``name op operands`` is
        true.
        """
        # A missing cell is a value like others, except where there is an order.
        if op in ("=", "in"):
            return self._occurring.intersection(operands)
        if op == "!=":
            return self._occurring.difference(operands)
        operand = operands[0]
        # Nothing is less or more than a missing cell.
        if operand is None:
            return frozenset()
        bound = self._key(operand)
        return frozenset(
            value
            for value in self.domain
            if value is not None and s.RELATIONS[op](self._key(value), bound)
        )

    def may_be(self, text: str) -> bool:
        """Whether a value may be named: it occurs, or is known from elsewhere."""
        if self.any_value or text in self._occurring:
            return True
        return text in self.known

    @cached_property
    def _occurring(self) -> frozenset[str | None]:
        return frozenset(self.domain)

    def _key(self, text: str) -> Any:
        return self.kind.key(self.kind.canonical(text))

    def spelled(self, text: str) -> str:
        """The label of the domain that stands for a value: a released text may be
        spelled in another way.

        Raises ValueError when the text is no value of the type.
        """
        canonical = self.kind.canonical(text)
        return self._spellings.get(canonical, canonical)

    @cached_property
    def _spellings(self) -> Mapping[str, str]:
        labels = [label for label in self.domain if label is not None]
        return {self.kind.canonical(label): label for label in labels}


@dataclass(frozen=True, eq=False)
class Signature:
    """The language of a release (Section 3.2): attributes, agents, individuals and
    pseudonyms.

    ``names`` are the individuals' identifiers where an identifier column gives them,
    else empty: then individual k is called ``i{k+1}``.  Pseudonyms are ``d1`` to
    ``d{rows}``.
    """

    attributes: Mapping[str, Attribute]
    agents: tuple[str, ...]
    rows: int
    names: Sequence[str] = ()
    persons: int | None = None
    numbered: bool = False
    """Set when ``names`` are themselves numbers of individuals in another table: then
    no other number is read.
    """
    sensitive: tuple[str, ...] = ()
    """The columns that criteria over all sensitive columns are about."""
    anyone: bool = False
    """Set while the data are not known yet: every individual may be named."""
    quasi: Sequence[str] = ()
    """The columns of which other values are released than there were."""
    before: Mapping[str, Iterable[str | None]] | None = None
    """The columns of the table before sanitization, where it is at hand: cells, or by
    cell how many there are.
    """

    @property
    def individuals(self) -> int:
        """How many there are: as many as records, unless an original has more."""
        if self.persons is None:
            return self.rows
        return self.persons

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The number of each individual that has a name of its own, from 0."""
        return {name: k for k, name in enumerate(self.names)}

    def person(self, index: int) -> s.Person:
        """Individual number ``index``, from 0, with its name."""
        name = f"i{index + 1}"
        if self.names:
            name = self.names[index]
        return s.Person(index, name)

    def find(self, name: s.Name) -> s.Person | s.Row | None:
        """What a nominal refers to: an identifier's value, or ``i3`` and ``d4`` by
        position.

        None for nobody, and for a name without quotes that could be both, and means
        two.
        """
        text = name.text
        identified = None
        if text in self.index:
            number = self.index[text]
            identified = self.person(number)
        counted = None if name.quoted else self._counted(text)
        # Whom the user means is not guessed.
        if identified is not None and counted is not None and identified != counted:
            return None
        return identified or counted

    def _counted(self, text: str) -> s.Person | s.Row | None:
        """The individual or record that is meant by a position."""
        position = POSITION.fullmatch(plain(text))
        if not position:
            return None
        letter = position[1]
        k = int(position[2]) - 1
        if letter == "d":
            if k < self.rows:
                return s.Row(k)
            return None
        if k < self.individuals and not self.numbered:
            return self.person(k)
        return None

    def unknown(self, name: s.Name) -> tuple[str, str]:
        """What is wrong with a nominal that refers to nobody, or to two, and a hint."""
        from phverify.spec.marks import nobody

        return nobody(self, name)
