"""What the answers say, in parts that have no unknown in common.

The data solves every part.  So a question needs those alone that it is connected with:
a solution of them, beside the data in all others, is one of all.
"""

from __future__ import annotations

from collections.abc import Iterable

from phverify.constraints import terms as t
from phverify.disclosure.worlds.constraints import Effect

Part = tuple[list[str], dict[int, t.Term]]
"""Unknowns that are connected, and the terms over them by their number."""


class Web:
    """The terms of some queries in parts that have no unknown in common; a term that
    has none, being true of the data, is so of every world.
    """

    def __init__(self, asked: Iterable[Effect] = ()) -> None:
        self.size = 0
        self.parts: dict[str, Part] = {}
        for one in asked:
            self.add(one)

    def add(self, one: Effect) -> None:
        """Join the parts that a query's terms connect."""
        for term, names in zip(one.terms, one.names, strict=True):
            self.size += 1
            new = [name for name in names if name not in self.parts]
            connected = [*self._parts_of(names), (new, {self.size: term})]
            # The smaller parts go into the largest: each name moves log n times.
            largest, *others = sorted(connected, key=lambda part: -len(part[0]))
            for members, terms in others:
                largest[0].extend(members)
                largest[1].update(terms)
                self.parts |= dict.fromkeys(members, largest)
            self.parts |= dict.fromkeys(new, largest)

    def _parts_of(self, names: Iterable[str]) -> Iterable[Part]:
        """The parts that some unknowns lie in, each once."""
        parts = [self.parts[name] for name in names if name in self.parts]
        by_identity = {id(part): part for part in parts}
        return by_identity.values()

    def connected(self, names: Iterable[str]) -> list[t.Term]:
        """The terms that are connected with some unknowns; the others have a solution
        of their own, the data.
        """
        by_number: dict[int, t.Term] = {}
        for _, terms in self._parts_of(names):
            by_number |= terms
        # In the order of the log: a question reads the same whatever was joined first.
        return [by_number[number] for number in sorted(by_number)]
