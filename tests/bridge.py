"""From the engine's objects to the checker's: formulas as nested tuples, a release as plain rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phverify.budget import Deadline
from phverify.constraints.proofs import Prover
from phverify.logic.expand import apart
from phverify.logic.names import Signature
from phverify.spec import syntax as s
from phverify.spec.certificate import examined
from phverify.spec.criteria.guarded import Guarded
from phverify.spec.criteria.registry import arguments
from phverify.spec.criteria.t_closeness import TCloseness
from phverify.spec.data import Data
from phverify.spec.farkas import refute
from phverify.spec.meaning import Table
from phverify.spec.source import Kind
from phverify.symbolic.release import Release


def name(reference: Any) -> tuple[Any, ...]:
    match reference:
        case s.Person(index):
            return ("person", index)
        case s.Row(index):
            return ("row", index)
        case s.Var(text):
            return ("var", text)
    raise AssertionError(reference)


def agent(a: s.Agent) -> Any:
    return a if isinstance(a, str) else ("var", a.name)


def linear(sum_: s.Linear, signature: Signature) -> Any:
    def quantity(q: s.Likelihood | s.Abs) -> Any:
        if isinstance(q, s.Abs):
            return ("abs", linear(q.body, signature))
        return ("l", agent(q.agent), told(q.body, signature))

    return tuple((c, quantity(q)) for c, q in sum_.terms), sum_.constant


def told(node: s.Formula, signature: Signature) -> Any:
    """The engine's formula in the checker's form."""

    def inner(child: s.Formula) -> Any:
        return told(child, signature)

    match node:
        case s.Truth(value):
            return ("true",) if value else ("false",)
        case s.Descriptor(column, op, values):
            return ("is", column, op, tuple(("var", v.name) if isinstance(v, s.Var) else v.text for v in values))
        case s.Nominal(who):
            return ("who", name(who))
        case s.Chosen(var):
            return ("clause", var.name)
        case s.Not(body):
            return ("not", inner(body))
        case s.And(parts) | s.Or(parts):
            return ("and" if isinstance(node, s.And) else "or", tuple(map(inner, parts)))
        case s.Implies(left, right) | s.Iff(left, right):
            return ("implies" if isinstance(node, s.Implies) else "iff", inner(left), inner(right))
        case s.Diamond(a, body) | s.Box(a, body):
            return ("some" if isinstance(node, s.Diamond) else "every", agent(a), inner(body))
        case s.At(who, body):
            return ("at", name(who), inner(body))
        case s.Compare(left, op, right):
            return ("compare", linear(left, signature), op, linear(right, signature))
        case s.Quantified(universal, binders, body):
            bound = tuple((b.var.name, b.sort, b.attribute, b.length) for b in binders)
            return ("forall" if universal else "exists", bound, inner(body))
        case s.Criterion(title):
            return ("criterion", title, tuple(arguments(node, signature.attributes).items()))
    raise AssertionError(node)


def plain(release: Release) -> Data:
    """A release as the checker has it."""
    columns = {f: tuple(column.labels[code] for code in column.codes.tolist()) for f, column in release.columns.items()}
    attributes, quasi = release.signature.attributes, release.quotient.quasi
    home = tuple(tuple(columns[q][row] for q in quasi) for row in release.home.tolist())
    return Data(
        release.quotient.rows,
        columns,
        quasi,
        release.agents,
        {f: a.domain for f, a in attributes.items()},
        {f: Kind(a.kind.name, getattr(a.kind, "order", ())) for f, a in attributes.items()},
        home,
        tuple(release.signature.names),
        hierarchies(release),
    )


def hierarchies(release: Release) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for criterion in release.criteria.values():
        if isinstance(criterion, TCloseness) and criterion.tree:
            found[criterion.f] = dict(criterion.tree)
        elif isinstance(criterion, TCloseness) and criterion.values:
            found.setdefault(criterion.f, {v: (v,) for v in criterion.values})
    for criterion in release.criteria.values():
        if isinstance(criterion, Guarded):
            domain = release.signature.attributes[criterion.f].domain
            guarding(criterion, found.setdefault(criterion.f, {v: (v, "*") for v in domain}))
    return found


def guarding(criterion: Guarded, paths: dict[Any, tuple[Any, ...]]) -> None:
    """A tree where the values of the table below the node are the same; where none is, some other value is."""
    if {v for v, path in paths.items() if criterion.node in path} >= {*criterion.below} != set():
        return
    if not criterion.below:
        width = len(next(iter(paths.values())))
        paths[criterion.node] = (*[criterion.node] * (width - 1), paths[next(iter(paths))][-1])
        return
    for v, path in list(paths.items()):
        paths[v] = (*path[:-1], criterion.node if v in criterion.below else f"not {criterion.node}", path[-1])


def certified(formula: s.Formula, assumptions: tuple[s.Formula, ...], release: Release) -> int:
    """Prove by the checker's own means that a rule is valid; returns how many proofs it took."""
    signature = release.signature
    rule = told(apart(formula), signature)
    given = tuple(told(apart(a), signature) for a in assumptions)
    proofs = 0
    for one in examined(rule, given, Table(plain(release))):
        for case in one.left:
            refute(case.system, Prover(case.system, Deadline(60)).proof())
            proofs += 1
    return proofs
