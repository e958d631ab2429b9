"""Both sides of a comparison for one choice of values: what is asked about the tables
that have these values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from phverify.comparison.choice import Undecided, ValueChoice
from phverify.comparison.endless import frequent, together
from phverify.comparison.naming import values
from phverify.comparison.parts import (
    OWN,
    TOTALS,
    Criteria,
    RulePart,
    criteria,
    mergeable,
    parts,
    reach,
)
from phverify.comparison.sides import ComparisonFrame, Names, Side
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
        people = len(self.people)
        if self.linked:
            # individual k is behind row k: there are as many rows
            last_person = max(self.people, default=-1)
            people = last_person + 1
        last_row = max(self.rows, default=-1)
        rows = last_row + 1
        return max(1, people, rows)

    def key(self, kind: str, k: int) -> Key:
        """What is put into a class: an individual and the row of the same number
        together, where they are linked.
        """
        # Linked, person and row are one thing, and are put into one class.
        linked_kind = "both" if self.linked else kind
        return linked_kind, k

    @cached_property
    def keys(self) -> list[Key]:
        """All that is put into a class, in a fixed order."""
        people = {self.key("person", k) for k in self.people}
        rows = {self.key("row", k) for k in self.rows}
        return sorted(people | rows)

    def fits(self, classes: Classes, sizes: Sequence[int]) -> bool:
        """Whether every class has the rows that it needs."""
        # People may share no row, and rows are different: each kind is counted apart.
        needs: Counter[tuple[str, int]] = Counter()
        for (kind, _), cls in classes.items():
            needs[kind, cls] += 1
        return all(many <= sizes[cls] for (_, cls), many in needs.items())


@dataclass(frozen=True, eq=False)
class ComparedCase:
    """Both sides for one choice of values."""

    choice: ValueChoice
    first: tuple[RulePart, ...]
    second: tuple[RulePart, ...]
    given: tuple[tuple[s.Formula, ...], tuple[s.Formula, ...]]
    criteria: Criteria
    frame: ComparisonFrame

    @property
    def parts(self) -> tuple[RulePart, ...]:
        """The conjuncts of both sides."""
        return (*self.first, *self.second)

    @property
    def assumptions(self) -> tuple[s.Formula, ...]:
        """What both sides assume."""
        first, second = self.given
        return (*first, *second)

    @cached_property
    def formulas(self) -> list[s.Formula]:
        """All that names values and individuals."""
        bodies = [part.body for part in self.parts]
        secrets = (*self.frame.first.secrets, *self.frame.second.secrets)
        return [*bodies, *self.assumptions, *secrets]

    @cached_property
    def anchors(self) -> Anchors:
        """Who and what is named, also by rules that are settled already."""
        everything = [*self.formulas, *self.frame.formulas()]
        people, rows = numbered(everything)
        ascending = tuple(sorted(rows))
        # a position names a row as well, an identifier does not
        linked = not self.frame.names
        return Anchors(tuple(people), ascending, linked)

    @cached_property
    def agents(self) -> set[str]:
        """The agents that formulas mention."""
        mentioned: set[str] = set()
        for formula in self.formulas:
            for node in s.subformulas(formula):
                mentioned.update(map(str, agents(node)))
        return mentioned

    @cached_property
    def frequent(self) -> dict[str, int]:
        """How many of the most frequent values of a class are looked at one by one,
        where there are bundles.
        """
        bodies = [part.body for part in self.parts]
        return {column: frequent(bodies, column) for column in self.choice.bundles}

    def most_classes(self, n: int) -> int:
        """A smallest separating table with n rows needs no more classes.

        Kept are the classes of named individuals, and those of the world and of the
        individuals that show that the second fails.  When nothing looks at other
        classes, these are a table; when what the first says survives merging and the
        second looks at totals only, the other classes can be merged into one.
        """
        if not self.frame.quasi:
            return 1
        # An assumption about single rows may need a class of its own for each.
        if not all(map(is_global, self.assumptions)):
            return n
        # Whoever shows that the second side fails, beside those whom formulas name.
        witnesses = max((len(part.people) for part in self.second), default=0)
        own = len(self.anchors.keys) + 1 + witnesses
        reaches = [part.reach for part in self.parts]
        reaches += map(reach, self.assumptions)
        furthest = max(reaches, default=OWN)
        if furthest == OWN and not self._fills:
            return min(n, own)
        merges = all(mergeable(part, self.criteria) for part in self.first)
        if furthest <= TOTALS and merges:
            return min(n, own + 1)
        return n

    @property
    def _fills(self) -> bool:
        """Whether rows may be there only so that a named value occurs, or a named row
        has its number.
        """
        if self.anchors.least > max(1, len(self.anchors.keys)):
            return True
        for column, active in self.choice.active.items():
            for formula in self.formulas:
                if not set(active).isdisjoint(values(formula, column)):
                    return True
        return False


def case(
    choice: ValueChoice, frame: ComparisonFrame, only: Names = ()
) -> ComparedCase | str:
    """Both sides for a choice of values; why, when some criterion is not defined for
    these values.

    ``only`` restricts the rules of the second side.  Raises Undecided where a schema
    has too many instances.
    """
    first = list(frame.first.rules.values())
    for formula in tuple(first):
        # What several criteria say at once: it follows, and prunes choices early.
        first += together(formula, choice)
    names = only or tuple(frame.second.rules)
    second = [formula for name, formula in frame.second.rules.items() if name in names]
    try:
        first_parts, first_given = _written(first, frame.first, choice)
        second_parts, second_given = _written(second, frame.second, choice)
        bodies = [part.body for part in (*first_parts, *second_parts)]
        built = criteria(
            [*bodies, *first_given, *second_given], choice, frame.hierarchies
        )
    except TooLarge as error:
        raise Undecided(str(error)) from None
    except Unfit as error:
        return str(error)
    given = first_given, second_given
    return ComparedCase(choice, first_parts, second_parts, given, built, frame)


def _written(
    rules: Sequence[s.Formula], side: Side, choice: ValueChoice
) -> tuple[tuple[RulePart, ...], tuple[s.Formula, ...]]:
    """The conjuncts of some rules, each once, and the assumptions of their side.

    Raises TooLarge and Unfit.
    """
    language = choice.signature(("a0", "a1", *side.policy.agents))
    conjuncts: dict[RulePart, None] = {}
    for rule in rules:
        conjuncts |= dict.fromkeys(parts(rule, language))
    assumed = [write_inner(apart(formula), language) for formula in side.assumptions]
    return tuple(conjuncts), tuple(assumed)
