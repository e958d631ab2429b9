"""The certificate of minimality: the candidate, every clause with the violation behind
it, and the bound.

It is written with the checker's own code (``phverify.spec``), from the same texts that
it will read: what it cannot see again is in no certificate.  Solvers only find the
proofs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.budget import Deadline
from phverify.constraints.proofs import Prover
from phverify.constraints.solver import solve
from phverify.errors import BudgetExceeded
from phverify.exact import Bools
from phverify.generalization.budgeted import Budgeted
from phverify.generalization.judge import CandidateJudge, Reason
from phverify.generalization.priced import too_dear
from phverify.generalization.released import bound_again
from phverify.generalization.result import SearchResult
from phverify.microdata.table import Label
from phverify.spec import syntax as s
from phverify.spec.bound import cheaper
from phverify.spec.budgeted import shown
from phverify.spec.certificate import Claims, digest
from phverify.spec.closures import HOW, queries
from phverify.spec.data import Data, Refused
from phverify.spec.excluded import ways_of
from phverify.spec.form import FORMAT, KIND
from phverify.spec.least import none_cheaper, vectors
from phverify.spec.merging import MERGE, UPWARD
from phverify.spec.minimal import VECTORS, Judges, Minimality
from phverify.spec.models import Table as Rows
from phverify.spec.released import Given
from phverify.spec.schemes import Clause, Truth
from phverify.spec.shortest import orders
from phverify.spec.source import Plain, Values
from phverify.spec.violations import Violations
from phverify.symbolic.histograms import merging
from phverify.verification.assumptions import meet
from phverify.verification.claims import Maker, claims, witness
from phverify.verification.result import Report
from phverify.verification.run import decided

if TYPE_CHECKING:
    from phverify.generalization.fitting import Fitting
    from phverify.generalization.loop import LeastSearch
    from phverify.generalization.options import Options

Claim = dict[str, Any]

PATIENCE = 20.0
"""Seconds for finding a proof of the bound."""
MOST = 400
"""With more unknowns than this no proof of the bound is looked for: its linear programs
would take too long.
"""
ASKING = 2.0
"""Seconds for one query about closure."""
Told = tuple[Claim, Clause]
"""A violation as the certificate tells it, and its clause."""


def certificate(
    result: SearchResult,
    search: LeastSearch,
    options: Options,
    cheapest: Fitting,
    minimal: Sequence[Fitting],
    deadline: Deadline,
) -> Claim:
    """The certificate as plain data, with a digest of everything else in it.

    Raises Refused when the checker would not see a step of the search: no certificate
    shows it; and BudgetExceeded.
    """
    draft: Claim = {
        "kind": KIND,
        "format": FORMAT,
        "files": {"table": None, "policy": None, "release": None},
        "rules": dict(search.refuter.judge.policy.rules),
        "space": result.space,
        "objective": result.objective,
        "weights": {name: str(weight) for name, weight in options.weights.items()},
        "suppress": str(options.share),
        "cost": str(result.cost),
        "choice": choice(cheapest.candidate),
        "withheld_classes": _withheld(cheapest),
        "mapping": result.mapping_pairs(),
        "minimal": [_candidate(one) for one in minimal],
        "bound": None,
        "clauses": [],
        "closures": [],
        "released": {},
        "proofs": {},
        "agreed": {},
    }
    if options.charge:
        draft["charged"] = True
    sample = search.refuter.judge.table.sample
    if sample is not None:
        draft["sample"] = sample.said()
    content = _MinimalityWriter(draft, search, deadline).written(result.checks)
    return {**content, "digest": digest(content)}


def _candidate(fitting: Fitting) -> Claim:
    """A minimal candidate as the certificate lists it."""
    return {
        "choice": choice(fitting.candidate),
        "withheld_classes": _withheld(fitting),
    }


def _withheld(fitting: Fitting) -> list[list[Label]]:
    """The classes that are withheld, by what the release would have shown of them."""
    view = fitting.finding.view
    assert view is not None
    withheld = fitting.finding.withheld.tolist()
    classes = [view.quotient.class_values(index) for index in withheld]
    return [list(values.values()) for values in classes]


def choice(candidate: Bools) -> list[int]:
    """A candidate as the numbers of its true unknowns."""
    return [int(u) for u in np.flatnonzero(candidate)]


@dataclass(eq=False)
class _MinimalityWriter:
    """Fills in the draft of one certificate."""

    draft: Claim
    search: LeastSearch
    deadline: Deadline
    closures: dict[int, Claim] = field(default_factory=dict)
    shown: dict[int, int] = field(default_factory=dict)
    tried: set[tuple[int, int]] = field(default_factory=set)
    clauses: list[Clause] = field(default_factory=list)

    @property
    def judge(self) -> CandidateJudge:
        return self.search.refuter.judge

    @cached_property
    def minimality(self) -> Minimality:
        policy = self.judge.policy
        table = self.judge.table
        paths = {name: hierarchy.paths for name, hierarchy in self.judge.paths.items()}
        return Minimality(
            self.draft, Given(policy, table.plain(policy.named), paths), Judges()
        )

    @cached_property
    def violations(self) -> Violations:
        return replace(self.minimality.violations, shown=self.shown)

    def written(self, report: Report | None) -> Claim:
        draft = self.draft
        by_paths = isinstance(self.search.master, Budgeted)
        reasons = [*self.search.reasons, *too_dear(self.search)]
        if by_paths:
            # What is lost of blocks says all of it.
            reasons = []
        for number, one in enumerate((draft, *draft["minimal"])):
            self.step("what is released", number, len(draft["minimal"]) + 1)
            one["released"] = self.satisfied(one, report if one is draft else None)
        boxes = {
            k: self.box(reason)
            for k, reason in self.each(reasons)
            if reason.candidate is None
        }
        if by_paths or any(reason.kind == "cut" for reason in reasons):
            self.rising()
        pairs = [
            boxes[k] if k in boxes else self.whole(reason)
            for k, reason in self.each(reasons)
        ]
        draft["clauses"] = [said for said, _ in pairs]
        self.clauses = [
            clause for _, clause in pairs
        ]  # in the order in which the checker reads them
        if not draft["minimal"]:
            self.step("the lower bound")
            draft["bound"] = self.bound()
        draft["closures"] = [
            self.closures[k] for k in sorted(self.closures) if k in self.violations.used
        ]
        return draft

    def step(self, what: str, done: int = 0, all_of: int = 1) -> None:
        """Tell what is written next.  Raises BudgetExceeded when there is no time for
        it.
        """
        self.deadline.check()
        count = f", {done} of {all_of} done" if all_of > 1 else ""
        self.search.progress(f"certificate: {what}{count}")

    def each(self, reasons: Sequence[Reason]) -> Iterator[tuple[int, Reason]]:
        for number, reason in enumerate(reasons):
            self.step("clauses", number, len(reasons))
            yield number, reason

    # What is released

    def satisfied(self, said: Plain, report: Report | None) -> Claim:
        """Why what a candidate releases satisfies the policy, rule by rule."""
        candidate = self.minimality.space.candidate(said["choice"])
        withheld = self.violations.withheld(candidate, said["withheld_classes"])
        report = report or self.report(candidate, withheld)
        rows = Rows(self.release(candidate, withheld))
        content = claims(report, self.minimality.given.policy, rows, self.deadline)
        for rule in content["rules"]:
            if rule["verdict"] != "proved":
                self.deadline.check()
                raise Refused(
                    f"nothing shows that the released table satisfies {rule['name']}:"
                    f" {rule['reason']}"
                )
        self.shared(content)
        return {"assumptions": content["assumptions"], "rules": content["rules"]}

    def shared(self, content: Plain) -> None:
        """The proofs of all claims together."""
        for name in ("proofs", "agreed"):
            self.draft[name].update(content[name])

    def release(self, candidate: Truth, withheld: Sequence[int]) -> Data:
        return self.minimality.release(candidate, list(withheld))

    def report(self, candidate: Truth, withheld: Sequence[int]) -> Report:
        """What ``verify`` says about what a candidate releases.  Raises Refused where
        the assumptions cannot be met.
        """
        rows = (
            np.setdiff1d(np.arange(self.judge.table.rows), withheld)
            if len(withheld)
            else None
        )
        bound = bound_again(self.judge, np.array(candidate, dtype=bool), rows)
        if (
            meet(tuple(bound.assumptions.values()), bound.release, self.deadline)
            is None
        ):
            raise Refused("the assumptions cannot be met")
        return decided(
            bound, self.judge.policy.source, "the released table", self.deadline
        )

    # Clauses

    def box(self, reason: Reason) -> Told:
        """A violating box, with the part of the policy that is violated in it."""
        said = {"kind": reason.kind, "part": reason.part, "blocks": list(reason.box)}
        said |= {} if reason.person is None else {"person": reason.person}
        if reason.kind == "box":
            self.close(reason.part, MERGE if reason.person is None else UPWARD)
        try:
            return said, self.violations.box(said)
        except Refused:
            self.deadline.check()  # what cannot be proved any more is no reason
            raise

    def close(self, part: int, goal: int) -> None:
        """Look for queries that show how far merging keeps a part, where it is not
        known.
        """
        if self.violations.closed(part) >= goal or (part, goal) in self.tried:
            return
        self.tried.add((part, goal))
        for how in HOW:
            try:
                asked = queries(
                    self.violations.part(part).bodies, goal, how, self.minimality.data
                )
                texts = [merging(question) for question in asked]
            except Refused:
                continue
            if all(
                solve(text, self.deadline.within(ASKING)).status == "unsat"
                for text in texts
            ):
                self.shown[part] = goal
                self.closures[part] = {
                    "part": part,
                    "upward": goal == UPWARD,
                    "how": how,
                }
                return

    def rising(self) -> None:
        """Look for all parts that are upward-closed: cuts rest on them."""
        for k, part in enumerate(self.judge.parts.classes):
            if not part.people and part.closure.upward:
                self.close(k, UPWARD)

    def whole(self, reason: Reason) -> Told:
        """A cut, a candidate that fails as a whole, or one that is too dear."""
        assert reason.candidate is not None
        said: Claim = {"kind": reason.kind, "choice": choice(reason.candidate)}
        if reason.kind == "cut":
            return said, self.violations.cut(said)
        if reason.kind == "dear":
            return said, self.minimality.clause(said)
        candidate = self.minimality.space.candidate(said["choice"])
        # Where there are too many, none of them has to be refuted.
        every = list(ways_of(self.minimality, candidate))
        witnesses = [self.witness(candidate, way) for way in every]
        return said | {"witnesses": witnesses}, self.minimality.space.differs(candidate)

    def witness(self, candidate: Truth, way: frozenset[Values]) -> Claim:
        """Why what a candidate releases breaks the policy when these classes are
        withheld.
        """
        labels = sorted(map(list, way), key=repr)
        withheld = self.violations.withheld(candidate, labels)
        try:
            report = self.report(candidate, withheld)
        except Refused:
            self.impossible(self.release(candidate, withheld))
            return {"withheld": labels}
        for rule in report.rules:
            if (
                rule.verdict == "refuted"
                and rule.witness is not None
                and rule.witness.leak is not None
            ):
                return {"withheld": labels, "rule": rule.name, "witness": witness(rule)}
        self.deadline.check()
        raise Refused("a candidate that the search excludes has no witness against it")

    def impossible(self, data: Data) -> None:
        """Find proofs that the assumptions cannot be met."""
        table = Rows(data)
        maker = Maker(
            Claims({}, self.minimality.given.policy, table),
            table,
            self.deadline,
            lambda step: None,
        )
        try:
            maker.exclude(s.FALSE)
        except BudgetExceeded as error:
            raise Refused(
                f"no proof that the assumptions cannot be met: {error}"
            ) from None
        self.shared({"proofs": maker.proofs, "agreed": maker.agreed})

    # The bound

    def bound(self) -> Claim | None:
        """A proof that nothing which meets all clauses is cheaper; None where the
        checker sees it in another way.
        """
        minimality = self.minimality
        if minimality.priced:
            minimality.charges.none_cheaper(self.clauses)
            return None
        space, weights = minimality.space, minimality.cost.weights
        total = minimality.cost.total(
            space.solution(space.candidate(self.draft["choice"]))
        )
        # so few that the checker looks at all: it must find none cheaper either
        if 0 < vectors(space) <= VECTORS:
            none_cheaper(space, weights, self.clauses, total)
            return None
        found = orders(space, weights)
        # The checker looks at the same branches, in the same order.
        if found and found.branches(self.clauses, total, self.deadline.check):
            return None
        if isinstance(self.search.master, Budgeted):
            if not shown(self.violations, weights, total, self.deadline.check):
                raise Refused("the checker finds no paths that show the bound")
            return None
        asked = cheaper(weights, [*space.constraints, *self.clauses], total)
        # plainly impossible: an empty proof says so
        if asked is None:
            return {}
        if len(asked.names) > MOST:
            return None
        try:
            return dict(Prover(asked, self.deadline.within(PATIENCE)).proof())
        except BudgetExceeded:
            return None


__all__ = ["FORMAT", "KIND", "certificate", "choice", "digest"]
