"""Column names of a policy that are no columns of its table: which ones they must
mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from phverify.errors import Problem, nearest
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy


def misspelt(policy: Policy, table: CodedTable) -> Iterator[Problem]:
    """A problem for each column with a role that the table does not have."""
    right = policy.meant(table.columns)
    # One that is no file is called as what it is.
    source = "the policy" if policy.source == "policy" else policy.source
    for role, names in (
        ("quasi", policy.quasi),
        ("sensitive", policy.sensitive),
        ("neutral", policy.neutral),
    ):
        for name in names:
            if name not in table.columns:
                what = (
                    f"there is no column {name!r}, which {source} names in"
                    f" columns.{role}"
                )
                hint = nearest(name, table.columns, "its columns")
                # what all names together mean is surer than the nearest name
                hint = f"did you mean {right[name]!r}?" if name in right else hint
                yield Problem(table.source, what, hint)
