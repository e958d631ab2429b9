"""A search for a recoding by tuples, posed: the table, its tuples, and the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from phverify.budget import Deadline
from phverify.errors import InputError, Problem, refusal
from phverify.generalization.options import nameable, unordered
from phverify.generalization.parts import parts
from phverify.microdata.counted import GroupedRows
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.table import CodedTable
from phverify.policy.bind import bind
from phverify.policy.model import Policy
from phverify.recoding.counted_space import class_rules, counted_given, counted_space
from phverify.recoding.grid import TupleGrid, grid
from phverify.recoding.options import TuplesAsked
from phverify.recoding.release import PosedRelease
from phverify.spec.class_rules import ClassRules, demands
from phverify.spec.data import Data
from phverify.spec.necessary import Necessary, necessary
from phverify.spec.recoding import (
    TupleRecoding,
    TupleSpace,
    by_median,
    sides,
    tuple_space,
)
from phverify.spec.released import Given
from phverify.spec.sides import BoxSide, RangeSide
from phverify.spec.source import Refused, Trees

NOTHING = Fraction(0)
"""The share of the records that is withheld."""


@dataclass(frozen=True, eq=False)
class PosedRecoding:
    """What is asked, of which table, with what may be chosen.

    ``budget`` records may be withheld.
    """

    asked: TuplesAsked
    posed: PosedRelease
    given: Given
    space: TupleSpace
    shuffle: int | None
    redact: bool

    @property
    def budget(self) -> int:
        """How many records may be withheld."""
        return int(self.asked.share * self.posed.table.rows)

    @cached_property
    def grid(self) -> TupleGrid:
        """The tuples as arrays."""
        return grid(self.space)

    @property
    def data(self) -> Data:
        """The table before sanitization."""
        return self.given.data

    @cached_property
    def rules(self) -> ClassRules:
        """What each class of a release needs, whatever is withheld."""
        asked = demands(self.posed.policy, self.data, self.asked.share)
        return class_rules(self.data, self.space, asked)

    @cached_property
    def steering(self) -> ClassRules:
        """What classes are steered by: the rules as if nothing were withheld.

        Blind classes are steered by their size alone.
        """
        policy = self.posed.policy
        if self.asked.blind:
            blindly = f"k_anonymity({self.asked.blind})"
            policy = replace(policy, rules={"blind": blindly}, assumptions={})
        asked = demands(policy, self.data, NOTHING)
        return class_rules(self.data, self.space, asked)

    @cached_property
    def necessary(self) -> Necessary:
        """What the bound rests on.

        The search ends when cost and bound are near: where classes are blind, it rests
        on the numbers in the rules alone, on no confidential value.
        """
        if not self.asked.blind:
            return self.rules.necessary
        of_rules = necessary(self.rules.parts, self.data.criterion, lambda column: {})
        return replace(of_rules, distinct={})

    @property
    def stars(self) -> int | None:
        """How many cells may be ``*`` whatever is withheld; None for all."""
        if self.asked.cells == 1:
            return None
        return self._stars_among(self.space.rows - self.budget)

    @property
    def most_stars(self) -> int:
        """How many cells may be ``*`` at most: where nothing is withheld."""
        return self._stars_among(self.space.rows)

    def too_many_stars(self, recoding: TupleRecoding) -> bool:
        """Whether more cells of a release are ``*`` than may be."""
        withheld = self.space.records(recoding.withheld)
        return recoding.stars() > self._stars_among(self.space.rows - withheld)

    def _stars_among(self, records: int) -> int:
        """How many cells of so many released records may be ``*``."""
        return int(self.asked.cells * records * len(self.space.sides))

    @cached_property
    def named(self) -> frozenset[int]:
        """The tuples of people whom the policy names: they are not withheld."""
        people = self.rules.demands.named
        return frozenset(self.space.row_tuple[person] for person in people)


def pose(
    policy: Policy,
    table: CodedTable,
    paths: Hierarchies,
    asked: TuplesAsked,
    shuffle: int | None,
    redact: bool,
    deadline: Deadline,
) -> PosedRecoding:
    """Raises InputError for what cannot be recoded."""
    if not policy.quasi:
        raise refusal("columns.quasi", "there is nothing to generalize")
    if asked.blind > table.rows:
        what = f"no class has {asked.blind} records: the table has {table.rows}"
        raise refusal("blind", what)
    bound = bind(policy, table, None, paths=paths, unsanitized=True)
    records = int(asked.share * table.rows)
    nameable(policy, table, bound, records, shuffle)
    unordered(bound, policy)
    posed = PosedRelease(
        policy, table, bound, parts(bound, records, paths, deadline), paths
    )
    trees = {name: hierarchy.paths for name, hierarchy in paths.items()}
    given: Given
    if isinstance(table.elsewhere, GroupedRows):
        given = counted_given(policy, table, trees)
    else:
        given = Given(policy, table.plain(policy.named), trees)
    data = given.data
    try:
        found = sides(policy, data.domains, trees, asked.ranges)
    except Refused as error:
        raise refusal("space tuples", str(error), _mend(str(error))) from None
    if asked.objective == "precision":
        problems = list(_without_levels(found, trees))
        if problems:
            raise InputError(problems)
    try:
        medians = by_median(policy, found, asked.publish)
    except Refused as error:
        hint = 'types say which are numbers: age = "integer"; and ranges = ["age"]'
        raise refusal("publish", str(error), hint) from None
    columns = {name: data.columns[name] for name in policy.quasi}
    space = tuple_space(found, columns, asked.weights, asked.objective, medians)
    if table.elsewhere is not None:
        space = counted_space(space, table.elsewhere.counts.tolist())
    return PosedRecoding(asked, posed, given, space, shuffle, redact)


def _without_levels(found: Iterable[BoxSide], trees: Trees) -> Iterator[Problem]:
    """The columns whose cells become ranges, which have no levels to count."""
    for side in found:
        if isinstance(side, RangeSide):
            what = (
                "precision counts levels of a hierarchy, and"
                f" {side.name!r} is released in ranges"
            )
            hint = (
                "give it a hierarchy under [hierarchies], or ask for loss, or entropy"
            )
            if side.name in trees:
                hint = f"leave out --ranges {side.name}, or ask for loss, or entropy"
            yield Problem("objective", what, hint)


def _mend(refused: str) -> str:
    """What to do about a column that cannot be recoded."""
    if "has a value that is no" in refused:
        return "mend the value, or say another type of the column under [types]"
    return "every value needs a path to one root, or the column an ordered type"
