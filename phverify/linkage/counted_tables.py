"""The tables of a risk report, counted where their rows are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phverify.errors import InputError
from phverify.linkage.candidates.attackers import attackers_of
from phverify.microdata.engines import AskedCount
from phverify.microdata.pair_counts import (
    both_counted,
    counted_anyway,
    require_unchanged,
)
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy


@dataclass(frozen=True, eq=False)
class RiskTables:
    """The original, its release, and the population where one was counted."""

    before: CodedTable
    after: CodedTable
    people: CodedTable | None = None

    def require_unchanged(self) -> None:
        """Raises InputError where a file was written since it was counted."""
        for table in (self.before, self.after, self.people):
            if table is not None:
                require_unchanged(table)


def counted_tables(
    sources: tuple[Any, Any, Any],
    policy: Policy,
    attackers: str | Sequence[str | Sequence[str]],
    engine: str,
) -> RiskTables | None:
    """An original, its release and a population (or None), each grouped by what the
    attackers know.

    None where rows are to be read.
    """
    if engine == "pandas":
        return None
    try:
        agents = attackers_of(policy, attackers)
    except InputError:
        return None
    known = {*policy.quasi}.union(*(agent.knows for agent in agents))
    grouping = tuple(name for name in policy.columns if name in known)
    alone = tuple(name for name in policy.columns if name not in known)
    asked = AskedCount(grouping, alone, policy.named)
    original, release, population = sources
    tables = both_counted((original, release), (asked, asked), engine)
    if tables is None:
        return None
    people = None
    if population is not None:
        in_classes = AskedCount(grouping, (), policy.named)
        people = counted_anyway(population, in_classes)
    return RiskTables(*tables, people)
