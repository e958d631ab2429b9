"""A release as a sanitization of its original: what explains it, and how surely."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from phverify.exact import Ints
from phverify.microdata.matching import MappingSearch
from phverify.microdata.narrowing import TooHard
from phverify.microdata.tupled import TupledRelease
from phverify.spec.source import Mappings
from phverify.spec.withheld import Kept

if TYPE_CHECKING:
    from phverify.microdata.pair_counts import PeopleElsewhere


KNOWN = {
    "matching": "in whatever order",
    "identifier": "the rows paired by the identifier column",
    "policy": 'the rows in the same order, as the policy says (rows = "same order")',
}
TELLING = 'keep the rows in their order and say rows = "same order" in the policy'
"""How a user can tell which rows belong together."""
TORN = (
    "records with the same quasi-identifiers became different ones, and nobody who"
    " knows these alone can tell which of them is this individual's"
)
"""Why nobody knows the class of a person whose tuple became several."""
UNTOLD = (
    "records are withheld, and several ways to withhold them explain the release: they"
    " differ in what became of this individual's quasi-identifiers"
)
"""Why nobody knows the class of a person who may be withheld, or another one."""
Known = Literal["identifier", "policy", "order", "matching"]
"""How it is known which rows belong together: by the identifier column, because the
policy says that the rows are in the same order, because the given order fits (another
may fit, too), or by a search for mappings.
"""


@dataclass(frozen=True, eq=False)
class Sanitization:
    """Mappings that explain a release, and what Definition 6 calls them."""

    mappings: Mappings
    """For each quasi-identifier, the released value of each original value."""
    by: Known
    """How it is known which rows belong together."""
    proper: bool
    """Whether original indiscernibility is a proper subset of the released one."""
    trivial: bool
    """Whether every released quasi-identifier has a single value."""
    home: Ints
    """For each original row, a release row in the class of that person."""
    others: MappingSearch | None
    """Where other mappings may explain the release as well; None where it is known that
    none does.
    """
    tupled: TupledRelease | None = None
    """How tuples were recoded, where no function for each column explains the release;
    there are no ``mappings`` then.
    """
    kept: Kept | None = None
    """Who is released, where records are withheld."""
    in_order: bool | None = None
    """Where the rows stay in an engine, ``home`` is empty, and this says whether they
    stand in one order.
    """
    people: PeopleElsewhere | None = None
    """Who asks that engine for the rows of people, where they do not."""

    @property
    def same_order(self) -> bool:
        """Whether the rows correspond one to one in the given order, as far as is
        known.
        """
        if self.in_order is not None:
            return self.in_order
        if self.by in ("policy", "order"):
            return True
        if self.kept is not None:
            return False
        # Pairs by identifier may stand in any order, that of the original among them.
        return bool(np.array_equal(self.home, np.arange(len(self.home))))

    @cached_property
    def unique(self) -> bool:
        """Whether no other mappings explain the release.

        False when the search for others was cut short.
        """
        if self.tupled is not None:
            return self.tupled.function and self._only
        if self.others is None:
            return True
        try:
            return len(self.others.again().first_two()) < 2
        except TooHard:
            return False

    @property
    def certain(self) -> bool:
        """Whether it is known, without a further search, that no other mappings explain
        the release.
        """
        if self.tupled is not None:
            return self.tupled.function and self._only
        # The search behind ``unique`` may have been made already: nobody makes it here.
        looked_for = self.__dict__.get("unique", False)
        return self.others is None or bool(looked_for)

    @property
    def _only(self) -> bool:
        """Whether others cannot have been withheld instead, as far as is known."""
        return self.kept is None or self.kept.only

    def why_open(self, column: str) -> tuple[str, str]:
        """Why the class of somebody is open who differs in a column, and a hint."""
        if self.kept is not None and self.kept.only:
            torn = TORN.replace(
                "different ones", "different ones, or some are withheld"
            )
            return torn, "withhold, and release alike, whoever is alike"
        if self.kept is not None:
            hint = "add the identifier column to both tables"
            if self.kept.by != "policy":
                hint += f", or {TELLING}"
            return UNTOLD, hint
        if self.tupled is not None:
            return TORN, "release alike records alike (strict Mondrian does)"
        why = (
            "several mappings explain the release, and their values of"
            f" {column!r} for this individual differ, or could not be compared within"
            " bounds"
        )
        return why, f"give [hierarchies] for the quasi-identifiers, or {TELLING}"

    def open_classes(self, people: Iterable[int]) -> dict[int, str]:
        """Those of the people who are in another class when other mappings are true.

        By individual (a row of the original), the quasi-identifier that is open; none
        where tuples were recoded.  A question that is not settled within bounds counts
        as open.
        """
        if self.kept is not None:
            kept = self.kept
            values = kept.tables.values
            # People are numbered among those released: their tuples stand in the
            # original.
            return {one: "" for one in people if kept.is_open(values[kept.rows[one]])}
        if self.tupled is not None:
            torn = self.tupled.torn
            return {person: "" for person in people if torn[person]}
        # Without other mappings everybody's class is certain.
        if self.unique or self.others is None:
            return {}
        search = self.others.again()
        start = search.start()

        # Many people share a value: each is asked about once.
        @cache
        def elsewhere(f: int, value: int) -> bool:
            column = search.known[f]
            released = self.mappings[column.name][column.values[value]]
            # The question is about numbers; the mapping has labels.
            image = column.images.index(released)
            try:
                return search.elsewhere(start, f, value, image)
            except TooHard:
                return True

        undecided: dict[int, str] = {}
        for person in people:
            for f, column in enumerate(search.known):
                if elsewhere(f, int(column.before[person])):
                    undecided.setdefault(person, column.name)
        return undecided
