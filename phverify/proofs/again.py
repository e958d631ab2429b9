"""A verdict on a table in memory, seen again by the checker: what ``check`` does for the release of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from phverify.certificate.check import Claims
from phverify.certificate.data import Data, Policy, Refused, release_data
from phverify.certificate.meaning import Table as Rows
from phverify.certificate.source import Kind
from phverify.policy.model import Policy as Asked
from phverify.proofs.agree import agree
from phverify.proofs.make import claims
from phverify.smt.solver import Deadline
from phverify.tables.hierarchy import Hierarchy
from phverify.tables.table import Label, Table
from phverify.verdict import Report


def seen_again(
    report: Report, policy: Asked, table: Table, names: tuple[str, ...] | None, paths: Mapping[str, Hierarchy]
) -> list[str]:
    """What the checker says about each rule of a report, from the rows, in its own words.

    Proofs are found anew, and checked by adding fractions.  A rule for which none is found is left to the engine, and
    the line says so.  Raises Refused when the checker does not agree.
    """
    rules, rows = plain(policy), Rows(_data(policy, table, names, paths))
    content = claims(report, rules, rows, Deadline())
    judged = Claims(content, rules, rows, agree)
    list(judged.assumptions())
    return [
        f"{said['name']}: by the engine alone, {said['reason']}"
        if said["verdict"] == "undecided"
        else judged.rule(said)
        for said in content["rules"]
    ]


def plain(policy: Asked) -> Policy:
    """A policy as the checker has it."""
    return Policy(
        policy.quasi,
        policy.sensitive,
        policy.neutral,
        policy.identifier,
        policy.missing,
        {name: Kind(kind.name, kind.order) for name, kind in policy.types.items()},
        {},
        policy.agents,
        {who: tuple((secret.text, secret.weight) for secret in own) for who, own in policy.secrets.items()},
        policy.assumptions,
        policy.rules,
    )


def _data(policy: Asked, table: Table, names: tuple[str, ...] | None, paths: Mapping[str, Hierarchy]) -> Data:
    columns: dict[str, tuple[Label, ...]] = {}
    for name, column in table.columns.items():
        if name in (*policy.columns, policy.identifier):
            columns[name] = tuple(column.labels[code] for code in column.codes.tolist())
    data = release_data(plain(policy), columns, {name: paths[name].paths for name in paths})
    return data if names is None else replace(data, names=names)


__all__ = ["Refused", "plain", "seen_again"]
