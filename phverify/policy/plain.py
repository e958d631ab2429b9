"""What the engine has read, as the checker of certificates has it: policies, and tables in memory."""

from __future__ import annotations

from collections.abc import Mapping

from phverify.microdata.hierarchy import Hierarchy
from phverify.microdata.table import Table
from phverify.policy.model import Policy as Asked
from phverify.spec.data import Policy
from phverify.spec.released import Given
from phverify.spec.source import Columns, Label


def plain(policy: Asked) -> Policy:
    """A policy as the checker has it."""
    return Policy(
        policy.quasi,
        policy.sensitive,
        policy.neutral,
        policy.identifier,
        policy.missing,
        policy.types,
        {},
        policy.agents,
        {who: tuple((secret.text, secret.weight) for secret in own) for who, own in policy.secrets.items()},
        policy.assumptions,
        policy.rules,
        policy.rows,
    )


def columns(table: Table, wanted: tuple[str, ...]) -> Columns:
    """Columns of a table, as texts by row; an empty text is a missing cell."""
    found: dict[str, tuple[Label, ...]] = {}
    for name, column in table.columns.items():
        if name in wanted:
            labels = [label or None for label in column.labels]
            found[name] = tuple(labels[code] for code in column.codes.tolist())
    return found


def given(policy: Asked, table: Table, paths: Mapping[str, Hierarchy]) -> Given:
    """What a search starts from, as the checker has it."""
    wanted = (*policy.columns, *([policy.identifier] if policy.identifier else []))
    return Given(plain(policy), columns(table, wanted), {name: paths[name].paths for name in paths})
