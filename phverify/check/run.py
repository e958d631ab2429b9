"""A certificate of minimality verified again, without the search.

Every violation is counted again, the released table is decided again by ``verify``'s steps, closures are proved
again, and that nothing which meets all clauses is cheaper is asked of two different judges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.api import decided
from phverify.certificate.data import Refused
from phverify.check.bound import least
from phverify.check.evidence import Evidence
from phverify.check.result import CheckResult, gathered
from phverify.check.schema import shaped
from phverify.errors import InputError
from phverify.exact import Bools, rational
from phverify.logic.printer import to_text
from phverify.policy.load import look, sound
from phverify.policy.model import Policy
from phverify.proofs.again import seen_again
from phverify.report.text import plural
from phverify.search.certificate import digest
from phverify.search.options import Options
from phverify.search.options import options as checked_options
from phverify.search.released import bound_to, names, released
from phverify.search.run import prepared
from phverify.smt import second
from phverify.smt.hitting import HittingSet
from phverify.smt.solver import Deadline
from phverify.spaces.scheme import Clause
from phverify.spaces.space import Cost
from phverify.spaces.trees import Levels
from phverify.tables.hierarchy import Hierarchy
from phverify.tables.read import read
from phverify.tables.table import Label

if TYPE_CHECKING:
    import pandas as pd

CONFIRMING = 5.0
"""Seconds that the second solver has for one query."""
VECTORS = 100_000
"""Level vectors that are all looked at: no solver is asked."""


def check_minimal(
    claimed: Mapping[str, Any],
    table: str | PathLike[str] | pd.DataFrame,
    policy: Policy | str | PathLike[str],
    hierarchies: Mapping[str, str | PathLike[str] | Hierarchy],
    progress: Callable[[str], None],
) -> CheckResult:
    """Verify a certificate of minimality against the table and the policy.

    Raises InputError when an input cannot be read, or when only one judge of the bound is at hand.
    """
    policy = policy if isinstance(policy, Policy) else sound(*look(policy))
    unfit = "the certificate does not fit this table and policy: "
    return gathered(_claims(claimed, table, policy, hierarchies, progress), progress, unfit)


def _claims(
    claimed: Mapping[str, Any],
    table: Any,
    policy: Policy,
    hierarchies: Mapping[str, str | PathLike[str] | Hierarchy],
    progress: Callable[[str], None],
) -> Iterator[str]:
    """Verify claim after claim; yields what was verified.  Raises Refused."""
    content = {name: value for name, value in claimed.items() if name != "digest"}
    shaped(dict(claimed))
    if digest(content) != claimed.get("digest"):
        raise Refused("the certificate was changed after it was written (its digest does not fit)")
    yield "the digest fits"
    asked = _asked(claimed, policy)
    wanted = (*policy.columns, *([policy.identifier] if policy.identifier else []))
    hunt = prepared(policy, read(table, wanted, "table"), hierarchies, asked, Deadline(), progress)
    judge, budget = hunt.critic.judge, hunt.critic.budget
    if judge.table.rows != claimed["rows"] or {s.name: s.kind for s in hunt.space.schemes} != claimed["schemes"]:
        raise Refused("the certificate is about another table, or other columns")
    evidence = Evidence(judge, budget, hunt.cost.weights)
    candidate = evidence.candidate(claimed["choice"])
    yield from _release(claimed, evidence, candidate)
    minimal = [evidence.candidate(one["choice"]) for one in claimed["minimal"]]
    cost = _cost(claimed, evidence, hunt.cost, candidate, minimal, asked)
    yield f"{asked.objective} is {cost}"
    clauses = [evidence.clause(claim) for claim in claimed["clauses"]]
    yield f"{plural(len(clauses), 'clause')} from violations, all counted again"
    yield from _closures(claimed, evidence)
    if asked.lists:
        for one, said in zip(minimal, claimed["minimal"], strict=True):
            _satisfies(evidence, one, _withheld(evidence, one, said["withheld_classes"]))
        yield _all_covered(evidence, clauses, minimal)
    else:
        question = HittingSet(hunt.cost.weights, [*hunt.space.constraints(), *clauses])
        yield from _least(evidence, question, int(cost * hunt.cost.denominator), progress)


def _asked(claimed: Mapping[str, Any], policy: Policy) -> Options:
    minimal = bool(claimed["minimal"]) and claimed["objective"] != "discernibility"
    weights = {name: rational(text) for name, text in claimed["weights"].items()}
    if set(weights) != set(policy.quasi):
        raise Refused("the weights are not those of the policy's quasi-identifiers")
    if claimed["objective"] == "discernibility":
        if set(weights.values()) != {Fraction(1)}:
            raise Refused("discernibility has no weights")
        weights = {}
    try:
        return checked_options(
            policy, claimed["space"], claimed["objective"], claimed["suppress"], weights, minimal, None
        )
    except InputError as error:
        raise Refused("; ".join(f"{p.where} {p.what}" for p in error.problems)) from None


# The candidate


def _release(claimed: Mapping[str, Any], evidence: Evidence, candidate: Bools) -> Iterator[str]:
    """The released table is what the certificate says, withholds what it may, and satisfies the policy."""
    space = evidence.judge.space
    mapping = {name: [list(pair) for pair in images.items()] for name, images in space.mapping(candidate).items()}
    if mapping != claimed["mapping"]:
        raise Refused("the mapping is not that of the candidate")
    rows = _withheld(evidence, candidate, claimed["withheld_classes"])
    withheld = rows.bit_count()
    if withheld != claimed["withheld"]:
        raise Refused(f"{withheld} records are withheld, where {claimed['withheld']} are claimed")
    again = _satisfies(evidence, candidate, rows)
    left = evidence.judge.table.rows - withheld
    yield f"the released table satisfies the policy ({left} records, {withheld} withheld)"
    yield from (f"  {line}" for line in again)


def _withheld(evidence: Evidence, candidate: Bools, classes: list[list[Label]]) -> int:
    """The records of the classes that are said to be withheld, as bits.  Raises Refused if they may not be."""
    left = {tuple(labels) for labels in classes}
    found = [(labels, members) for labels, members in (evidence.classes(candidate) if left else ()) if labels in left]
    if len(found) != len(classes):
        raise Refused("a class that is said to be withheld does not exist")
    rows = 0
    for _, members in found:
        rows |= members
    if rows.bit_count() > evidence.budget:
        raise Refused(f"{rows.bit_count()} records are withheld, and {evidence.budget} may be")
    if any(rows >> person & 1 for person in evidence.judge.parts.people):
        raise Refused("somebody who is named is withheld")
    return rows


def _satisfies(evidence: Evidence, candidate: Bools, withheld: int) -> list[str]:
    """What the checker of verdicts says about the released table.  Raises Refused unless every rule is proved."""
    judge = evidence.judge
    kept = None if not withheld else np.array([k for k in range(judge.table.rows) if not withheld >> k & 1])
    after = released(judge.table, judge.space, candidate, kept, judge.policy.identifier)
    report = decided(bound_to(judge, after, kept), judge.policy.source, "the released table", Deadline())
    if report.verdict != "proved":
        wrong = next(rule.name for rule in report.rules if rule.verdict != "proved")
        raise Refused(f"the released table does not satisfy {wrong}: {report.verdict}")
    called = names(judge.policy, judge.table, kept) if judge.parts.people else None
    return seen_again(report, judge.policy, after, called, judge.paths)


def _cost(
    claimed: Mapping[str, Any],
    evidence: Evidence,
    cost: Cost,
    candidate: Bools,
    minimal: list[Bools],
    asked: Options,
) -> Fraction:
    space = evidence.judge.space

    def price(one: Bools) -> Fraction:
        if asked.objective == "discernibility":
            return Fraction(sum(rows.bit_count() ** 2 for _, rows in evidence.classes(one)))
        return cost.fraction(space.total(one, cost))

    found = price(candidate)
    if str(found) != claimed["cost"]:
        raise Refused(f"the cost is {found}, not {claimed['cost']}")
    if any(price(one) < found for one in minimal):
        raise Refused("a minimal candidate is cheaper than the one that is called the least")
    return found


def _closures(claimed: Mapping[str, Any], evidence: Evidence) -> Iterator[str]:
    """The prover is asked again: what the certificate says must be what is proved now."""
    proved = [(p.rule, to_text(p.source), p.closure.merge, p.closure.upward) for p in evidence.judge.parts.classes]
    said = [(c["rule"], c["formula"], c["merge_closed"], c["upward_closed"]) for c in claimed["closures"]]
    queries = [
        (set(p.closure.queries), set(c["queries"]))
        for p, c in zip(evidence.judge.parts.classes, claimed["closures"], strict=False)
    ]
    if proved != said or any(mine != theirs for mine, theirs in queries):
        raise Refused("what the certificate says about closure under merging is not what is proved")
    texts = list(dict.fromkeys(text for mine, _ in queries for text in sorted(mine)))
    yield (
        f"what is kept when classes are merged is proved again for {plural(len(proved), 'part')} of the rules"
        f"{_confirmed(texts)}"
    )


def _confirmed(texts: list[str]) -> str:
    """What the second solver finds of the queries that Z3 has found unsatisfiable.  Raises Refused if it disagrees."""
    if not texts or not second.available():
        return ""
    answers = [answer.status for answer in second.second_all(texts, CONFIRMING)]
    if "sat" in answers:
        raise Refused("the two solvers disagree about what is kept when classes are merged")
    agreed = answers.count("unsat")
    return f", {agreed} of {plural(len(texts), 'query')} by a second solver as well"


# Nothing is cheaper


def _least(evidence: Evidence, question: HittingSet, total: int, progress: Callable[[str], None]) -> Iterator[str]:
    if all(isinstance(s, Levels) for s in evidence.judge.space.schemes) and _vectors(evidence) <= VECTORS:
        yield f"nothing that meets all clauses is cheaper, by {_every_vector(evidence, question, total)}"
    else:
        yield f"nothing that meets all clauses is cheaper, by {least(question, total, progress)}"


def _vectors(evidence: Evidence) -> int:
    return prod(scheme.decisions + 1 for scheme in evidence.judge.space.schemes)


def _each_vector(evidence: Evidence) -> Iterator[list[bool]]:
    """The truth of all unknowns for every level vector."""
    ladders = [
        [[k < level for k in range(s.decisions)] for level in range(s.decisions + 1)] for s in _schemes(evidence)
    ]
    for parts in product(*ladders):
        yield [true for part in parts for true in part]


def _schemes(evidence: Evidence) -> tuple[Any, ...]:
    return evidence.judge.space.schemes


def _every_vector(evidence: Evidence, question: HittingSet, total: int) -> str:
    cheaper = (truth for truth in _each_vector(evidence) if question.total(truth) < total)
    if any(question.met(truth) for truth in cheaper):
        raise Refused("a cheaper candidate meets all clauses: they do not prove the bound")
    return f"looking at all {_vectors(evidence)} level vectors"


def _all_covered(evidence: Evidence, clauses: list[Clause], minimal: list[Bools]) -> str:
    """Every level vector breaks a clause or is at least as general as a minimal one, which satisfies the policy."""
    for one in minimal:
        others = (other for other in minimal if other is not one)
        if any(not (other & ~one).any() for other in others):
            raise Refused("a minimal level vector lies above another one")
    question = HittingSet([0] * evidence.judge.space.decisions, clauses)
    floors = [one.tolist() for one in minimal]
    for truth in _each_vector(evidence):
        if question.met(truth) and not any(
            all(t or not f for t, f in zip(truth, floor, strict=True)) for floor in floors
        ):
            raise Refused("a level vector neither breaks a clause nor lies above a minimal one")
    return f"every level vector breaks a clause or lies above one of {len(minimal)} minimal ones, each satisfying"
