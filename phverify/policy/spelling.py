"""Column names of a policy that are no columns of its table: which ones they must mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from phverify.errors import Problem, close, nearest
from phverify.microdata.table import Table
from phverify.policy.model import Policy


def misspelt(policy: Policy, table: Table) -> Iterator[Problem]:
    """A problem for each column with a role that the table does not have."""
    right = meant(policy, table.columns)
    for role, names in (("quasi", policy.quasi), ("sensitive", policy.sensitive), ("neutral", policy.neutral)):
        for name in names:
            if name not in table.columns:
                what = f"there is no column {name!r}, which {policy.source} names in columns.{role}"
                hint = nearest(name, table.columns, "its columns")
                hint = f"did you mean {right[name]!r}?" if name in right else hint
                yield Problem(table.source, what, hint)


def meant(policy: Policy, columns: Collection[str]) -> dict[str, str]:
    """The columns without a role that names which are no columns must mean.

    That is the column whose name is close; else, for a single name, the only one that another section names.
    """
    absent = [name for name in policy.columns if name not in columns]
    free = [name for name in columns if name not in (*policy.columns, policy.identifier)]
    found = {}
    for name in absent:
        for other in close(name, free)[:1]:
            found[name] = other
            free.remove(other)
    knows = [name for names in policy.agents.values() for name in names]
    elsewhere = {*policy.types, *policy.hierarchies, *policy.masking, *knows}
    left = [name for name in absent if name not in found]
    named = [name for name in free if name in elsewhere]
    return {**found, left[0]: named[0]} if len(left) == len(named) == 1 else found
