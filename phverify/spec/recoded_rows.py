"""What a recoding by tuples releases of a table, and what rules ask of its classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from phverify.spec.class_rules import ClassRules, demands
from phverify.spec.data import Data, Refused, release_data
from phverify.spec.enumeration import models_examined
from phverify.spec.models import Table
from phverify.spec.recoding import TupleRecoding
from phverify.spec.released import Given
from phverify.spec.rules import assumption, rule
from phverify.spec.source import Columns
from phverify.spec.splits import Splitting, WholeJudge

ROWS = 500
"""Of a table of so many rows whole releases are judged, to see what may be split."""
DECIDED = 50
"""So many whole releases are judged, at most."""


def shown_columns(given: Given, recoding: TupleRecoding) -> Columns:
    """The released columns."""
    rows = [row for row, _ in recoding.rows()]
    columns = {}
    for name, column in given.columns.items():
        columns[name] = tuple(column[row] for row in rows)
    shown = zip(*(cells for _, cells in recoding.rows()), strict=True)
    for one, cells in zip(recoding.space.sides, shown, strict=True):
        columns[one.name] = cells
    return columns


def released_data(given: Given, recoding: TupleRecoding) -> Data:
    """What is released, with everybody's name; individuals keep theirs."""
    shown = shown_columns(given, recoding)
    named = {name: shown[name] for name in shown if name in given.policy.named}
    data = release_data(given.policy, named, given.hierarchies, given.data.columns)
    if data.names or not recoding.withheld:
        return data
    names = tuple(f"i{row + 1}" for row, _ in recoding.rows())
    return replace(data, names=names, numbered=True)


def released_rules(given: Given, recoding: TupleRecoding) -> ClassRules:
    """What the policy asks of classes of the rows that are released.

    Who is withheld is fixed, so classes are compared with the released table itself.
    """
    data = released_data(given, recoding)
    row_tuple = recoding.space.row_tuple
    own = tuple(row_tuple[row] for row, _ in recoding.rows())
    space = replace(recoding.space, row_tuple=own)
    return ClassRules(data, space, demands(given.policy, data, Fraction(0)))


@dataclass(eq=False)
class WholeReleases:
    """Judges releases by rules about the whole table, model by model.

    ``left`` releases are judged, no more.
    """

    given: Given
    names: tuple[str, ...]
    left: int = DECIDED

    def satisfied(self, recoding: TupleRecoding) -> bool | None:
        """Whether a release satisfies these rules; None where that is not decided."""
        if self.left == 0 or recoding.space.rows > ROWS:
            return None
        self.left -= 1
        policy = self.given.policy
        data = released_data(self.given, recoding)
        table = Table(data)
        assumed = tuple(assumption(policy, data, name) for name in policy.assumptions)
        decided = True
        for name in self.names:
            asked = rule(policy, data, name)
            try:
                if models_examined(asked, assumed, table) is None:
                    decided = False
            except Refused:
                return False
        return True if decided else None


def splitting(
    given: Given,
    recoding: TupleRecoding,
    rules: ClassRules | None,
    disjoint: bool,
    judge: WholeJudge | None = None,
) -> Splitting:
    """What can be said of splitting the classes of a release.

    ``rules`` are those of single classes where nothing may be withheld, else None.
    Without a ``judge``, rules about the whole table are asked model by model.
    """
    if rules is None:
        rules = released_rules(given, recoding)
    if judge is None:
        names = tuple(dict.fromkeys(whole.rule for whole in rules.open))
        judge = WholeReleases(given, names).satisfied
    return Splitting(recoding, rules, disjoint, judge)
