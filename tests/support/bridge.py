"""From the engine's objects to the checker's: a release as plain rows, criteria with
their arguments by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

import numpy as np

from phverify.budget import Deadline
from phverify.constraints.proofs import Prover
from phverify.spec import enumeration
from phverify.spec import syntax as s
from phverify.spec.criteria.guarded import Guarded
from phverify.spec.criteria.t_closeness import TCloseness
from phverify.spec.criterion.original import OfOriginal
from phverify.spec.data import Data
from phverify.spec.farkas import refute
from phverify.spec.models import Table
from phverify.spec.proofs import examined
from phverify.spec.rules import named_arguments
from phverify.spec.schemas import apart
from phverify.spec.types import ValueType
from phverify.symbolic.release import SymbolicRelease


def told(formula: s.Formula, data: Data) -> s.Formula:
    """The engine's formula in the checker's form."""

    def written(node: s.Formula) -> s.Formula:
        return (
            named_arguments(node, data)
            if isinstance(node, s.Criterion)
            else s.rebuild(node, written)
        )

    return apart(written(formula))


def plain(release: SymbolicRelease) -> Data:
    """A release as the checker has it."""
    # Where rows stay in an engine, what no formula looks at is not there.
    there = release.columns if release.places is None else release.quotient.codes
    every = np.arange(release.size)
    columns = {}
    for f in there:
        codes = release.codes(f, every).tolist()
        columns[f] = tuple(release.columns[f].labels[code] for code in codes)
    attributes, quasi = release.signature.attributes, release.quotient.quasi
    home = tuple(
        tuple(columns[q][row] for q in quasi) for row in release.homes().tolist()
    )
    called = release.signature.names
    names = tuple(called[k] for k in range(len(called)))
    return Data(
        release.quotient.rows,
        columns,
        quasi,
        release.agents,
        {f: a.domain for f, a in attributes.items()},
        {
            f: ValueType(a.kind.name, getattr(a.kind, "order", ()))
            for f, a in attributes.items()
        },
        home,
        names,
        hierarchies(release),
        before=release.signature.before,
    )


def hierarchies(release: SymbolicRelease) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for built in release.criteria.values():
        criterion = built.inner if isinstance(built, OfOriginal) else built
        if isinstance(criterion, TCloseness) and criterion.tree:
            found[criterion.f] = dict(criterion.tree)
        elif isinstance(criterion, TCloseness) and criterion.values:
            found.setdefault(criterion.f, {v: (v,) for v in criterion.values})
    for criterion in release.criteria.values():
        if isinstance(criterion, Guarded):
            domain = release.signature.attributes[criterion.f].domain
            guarding(
                criterion, found.setdefault(criterion.f, {v: (v, "*") for v in domain})
            )
    return found


def guarding(criterion: Guarded, paths: dict[Any, tuple[Any, ...]]) -> None:
    """A tree where the values of the table below the node are the same; where none is,
    some other value is.
    """
    if (
        {v for v, path in paths.items() if criterion.node in path}
        >= {*criterion.below}
        != set()
    ):
        return
    if not criterion.below:
        width = len(next(iter(paths.values())))
        paths[criterion.node] = (
            *[criterion.node] * (width - 1),
            paths[next(iter(paths))][-1],
        )
        return
    for v, path in list(paths.items()):
        paths[v] = (
            *path[:-1],
            criterion.node if v in criterion.below else f"not {criterion.node}",
            path[-1],
        )


def certified(
    formula: s.Formula, assumptions: tuple[s.Formula, ...], release: SymbolicRelease
) -> int:
    """Prove by the checker's own means that a rule is valid; returns how many proofs it
    took.
    """
    data = plain(release)
    rule, given = told(formula, data), tuple(told(a, data) for a in assumptions)
    proofs = 0
    for case in examined(rule, given, Table(data)):
        if case is not None:
            refute(case.system, Prover(case.system, Deadline(60)).proof())
            proofs += 1
    return proofs


def large() -> AbstractContextManager[Any]:
    """No table is small enough to look at all its models: what counting does not settle
    needs a proof.
    """
    return patch.object(enumeration, "ROWS", 0)
