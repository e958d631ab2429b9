"""What every class of a release needs by its rules: records, and different values.

A lower bound on the cost of a release by tuples rests on this alone: supersets keep it,
whatever the rules are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from phverify.spec import syntax as s
from phverify.spec.classes import PolicyPart
from phverify.spec.criterion.base import ClassCriterion, Counts


@dataclass(frozen=True)
class Necessary:
    """What every class has, at least: records, and in some columns different values.

    ``by`` names the rules that say so.
    """

    records: int
    distinct: Mapping[str, int]
    by: tuple[str, ...]

    def said(self) -> str:
        """The condition in words."""
        needs = [f"at least {self.records} records"]
        for column, count in self.distinct.items():
            needs.append(f"at least {count} values of {column!r}")
        if not self.by:
            return "no rule says how large a class must be"
        return f"every class has {' and '.join(needs)} (by {', '.join(self.by)})"


def necessary(
    parts: Iterable[PolicyPart],
    criterion: Callable[[s.Criterion], ClassCriterion],
    whole: Callable[[str], Counts],
) -> Necessary:
    """What the parts of a policy that are about every class ask of each.

    ``whole`` gives the counts of a column in the table before sanitization.
    """
    records = 1
    distinct: dict[str, int] = {}
    by: dict[str, None] = {}
    for part in parts:
        # What is asked of somebody's class is not asked of every class.
        if part.people:
            continue
        for body in part.bodies:
            # A rule that is left out makes the bound lower, and never wrong.
            if not isinstance(body, s.Criterion):
                continue
            asked = criterion(body)
            column = asked.attribute
            least = asked.least_records(whole(column))
            values = asked.least_values or 1
            if max(least, values) > 1:
                by[part.rule] = None
            # Different values are on different records.
            records = max(records, least, values)
            if values > 1:
                distinct[column] = max(values, distinct.get(column, 1))
    return Necessary(records, distinct, tuple(by))
