"""Both sides of a comparison for one choice of values: what is asked about the tables
that have these values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from phverify.comparison.domains import Choice, Open
from phverify.comparison.endless import frequent, together
from phverify.comparison.frame import Frame, Names, values
from phverify.comparison.parts import (
    OWN,
    TOTALS,
    Criteria,
    Part,
    criteria,
    mergeable,
    parts,
    reach,
)
from phverify.spec import syntax as s
from phverify.spec.criterion.registry import Unfit
from phverify.spec.instances import TooLarge
from phverify.spec.nominals import numbered
from phverify.spec.schemas import apart
from phverify.spec.walk import agents, is_global
from phverify.symbolic.instances import write_inner

Key = tuple[str, int]
Classes = Mapping[Key, int]
"""The class of everybody who is named."""


@dataclass(frozen=True)
class Anchors:
    """Who and what formulas name.  ``linked``: individual k is the person behind row
    k.
    """

    people: tuple[int, ...]
    rows: tuple[int, ...]
    linked: bool

    @property
    def least(self) -> int:
        """A table that has all of them has so many rows."""
        people = max(self.people, default=-1) + 1 if self.linked else len(self.people)
        return max(1, people, max(self.rows, default=-1) + 1)

    def key(self, kind: str, k: int) -> Key:
        """What is put into a class: an individual and the row of the same number
        together, where they are linked.
        """
        return "both" if self.linked else kind, k

    @cached_property
    def keys(self) -> list[Key]:
        people = {self.key("person", k) for k in self.people}
        return sorted(people.union(self.key("row", k) for k in self.rows))

    def fits(self, classes: Classes, sizes: Sequence[int]) -> bool:
        """Whether every class has the rows that it needs."""
        needs = Counter((kind, c) for (kind, _), c in classes.items())
        return all(many <= sizes[c] for (_, c), many in needs.items())


@dataclass(frozen=True, eq=False)
class Case:
    """Both sides for one choice of values."""

    choice: Choice
    first: tuple[Part, ...]
    second: tuple[Part, ...]
    given: tuple[tuple[s.Formula, ...], tuple[s.Formula, ...]]
    criteria: Criteria
    frame: Frame

    @cached_property
    def formulas(self) -> list[s.Formula]:
        """All that names values and individuals."""
        bodies = [part.body for part in (*self.first, *self.second)]
        return [
            *bodies,
            *self.given[0],
            *self.given[1],
            *self.frame.first.secrets,
            *self.frame.second.secrets,
        ]

    @cached_property
    def anchors(self) -> Anchors:
        people, rows = numbered(
            [*self.formulas, *self.frame.formulas()]
        )  # whom settled rules name is there, too
        return Anchors(tuple(people), tuple(sorted(rows)), not self.frame.names)

    @cached_property
    def agents(self) -> set[str]:
        return {
            str(agent)
            for f in self.formulas
            for node in s.subformulas(f)
            for agent in agents(node)
        }

    @cached_property
    def frequent(self) -> dict[str, int]:
        """How many of the most frequent values of a class are looked at one by one,
        where there are bundles.
        """
        bodies = [part.body for part in (*self.first, *self.second)]
        return {f: frequent(bodies, f) for f in self.choice.bundles}

    def most_classes(self, n: int) -> int:
        """A smallest separating table with n rows needs no more classes.

        Kept are the classes of named individuals, and those of the world and of the
        individuals that show that the second fails.  When nothing looks at other
        classes, these are a table; when what the first says survives merging and the
        second looks at totals only, the other classes can be merged into one.
        """
        if not self.frame.quasi:
            return 1
        own = (
            len(self.anchors.keys)
            + 1
            + max((len(part.people) for part in self.second), default=0)
        )
        given = [*self.given[0], *self.given[1]]
        if not all(map(is_global, given)):
            return n
        looks = max(
            [part.reach for part in (*self.first, *self.second)]
            + [reach(f) for f in given],
            default=OWN,
        )
        if looks == OWN and not self._fills:
            return min(n, own)
        if looks <= TOTALS and all(
            mergeable(part, self.criteria) for part in self.first
        ):
            return min(n, own + 1)
        return n

    @property
    def _fills(self) -> bool:
        """Whether rows may be there only so that a named value occurs, or a named row
        has its number.
        """
        named = any(
            set(found) & set(values(g, f))
            for f, found in self.choice.active.items()
            for g in self.formulas
        )
        return named or self.anchors.least > max(1, len(self.anchors.keys))


def case(choice: Choice, frame: Frame, only: Names = ()) -> Case | str:
    """Both sides for a choice of values; why, when some criterion is not defined for
    these values.

    ``only`` restricts the rules of the second side.
    """
    first = list(frame.first.rules.values())
    first += [more for formula in first for more in together(formula, choice)]
    second = [
        formula
        for name, formula in frame.second.rules.items()
        if not only or name in only
    ]
    found: list[tuple[Part, ...]] = []
    given: list[tuple[s.Formula, ...]] = []
    try:
        for side, rules in ((frame.first, first), (frame.second, second)):
            language = choice.signature(("a0", "a1", *side.policy.agents))
            found.append(
                tuple(dict.fromkeys(part for f in rules for part in parts(f, language)))
            )
            given.append(
                tuple(write_inner(apart(f), language) for f in side.assumptions)
            )
        bodies = [part.body for part in (*found[0], *found[1])]
        built = criteria([*bodies, *given[0], *given[1]], choice, frame.hierarchies)
    except TooLarge as error:
        raise Open(str(error)) from None
    except Unfit as error:
        return str(error)
    return Case(choice, found[0], found[1], (given[0], given[1]), built, frame)
