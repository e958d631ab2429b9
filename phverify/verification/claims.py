"""The certificate of a verdict: what the checker needs to see it again without the
engine and without a solver.

The systems are written out by the checker's own code, from the files themselves; Z3
only finds the proofs.  Before a certificate is handed out, the checker has read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from phverify.budget import Deadline, Tell
from phverify.constraints.agree import agreement
from phverify.constraints.proofs import Prover
from phverify.errors import BudgetExceeded
from phverify.spec import syntax as s
from phverify.spec.certificate import Claims
from phverify.spec.data import PlainPolicy, Unsettled
from phverify.spec.enumeration import models_examined
from phverify.spec.models import Table
from phverify.spec.parser import parse
from phverify.spec.proofs import UndecidedCase, examined
from phverify.spec.rules import rule
from phverify.spec.safety import asks_all_models
from phverify.verification.result import Report, RuleResult
from phverify.verification.turns import decided_by_counting, share, used_up

PATIENCE = 20.0
"""Seconds for one proof; then two solvers must agree."""


def claims(
    report: Report,
    rules: PlainPolicy,
    table: Table,
    deadline: Deadline,
    progress: Tell = lambda step: None,
) -> dict[str, Any]:
    """What a certificate claims about the rules of a report, with the proofs.  Raises
    Refused.
    """
    met = {"assumptions": _from_one(report.met)}
    maker = Maker(Claims(met, rules, table), table, deadline, progress)
    said = maker.all(report.rules)
    return {**met, "rules": said, "proofs": maker.proofs, "agreed": maker.agreed}


@dataclass(eq=False)
class Maker:
    """Says what a certificate claims about rules, and finds the proofs."""

    claims: Claims
    table: Table
    deadline: Deadline
    progress: Tell
    proofs: dict[str, Any] = field(default_factory=dict)
    agreed: dict[str, list[str]] = field(default_factory=dict)

    def all(self, results: Sequence[RuleResult]) -> list[dict[str, Any]]:
        """What the certificate says about the rules, in their order.

        What is cheap goes first, and no proof takes the time of all: each gets an equal
        share of what is left, and those that needed more a second turn.
        """
        whole = self.deadline
        said: dict[str, dict[str, Any]] = {}
        late: list[RuleResult] = []
        waiting = sorted(results, key=lambda result: not _cheap(result))
        for position, result in enumerate(waiting):
            self.deadline = share(whole, len(waiting) - position)
            said[result.name] = self.rule(result)
            claimed = said[result.name]["verdict"] == result.verdict
            if not claimed and self.deadline is not whole and used_up(self.deadline):
                late.append(result)

        self.deadline = whole
        for result in late:
            if not used_up(whole):
                said[result.name] = self.rule(result)
        return [said[result.name] for result in results]

    def rule(self, result: RuleResult) -> dict[str, Any]:
        """What the certificate says about a rule."""
        self.progress(f"certifying {result.name}")
        said: dict[str, Any] = {"name": result.name, "verdict": result.verdict}
        if result.verdict == "undecided":
            return said | {"reason": result.reason}
        if asks_all_models(parse(result.formula)):
            return said | {
                "verdict": "undecided",
                "reason": (
                    f"{result.verdict}, but certificates do not cover never_known"
                ),
            }
        if result.verdict == "refuted":
            return said | {"witness": witness(result)}
        before = dict(self.proofs), dict(self.agreed)
        try:
            self.exclude(rule(self.claims.policy, self.table.data, result.name))
            return said
        except (BudgetExceeded, Unsettled) as error:
            self.proofs, self.agreed = (
                before  # nothing is claimed that they would be needed for
            )
            return said | {
                "verdict": "undecided",
                "reason": f"proved, but no proof to check was found: {error}",
            }

    def exclude(self, formula: s.Formula) -> None:
        """Settle every way to break a formula that the checker does not see to be
        impossible.
        """
        given = self.claims.given
        # The checker goes through these models itself: there is nothing to prove.
        if models_examined(formula, given, self.table) is not None:
            return
        for case in examined(formula, given, self.table):
            self.deadline.check()
            # Where counting excludes a case, the checker counts as well.
            if case is not None:
                self.settle(case)

    def settle(self, case: UndecidedCase) -> None:
        """A proof of a system; where the tree grows too large, two solvers."""
        # Rules may share a system: it is settled once for all of them.
        if case.digest in self.proofs or case.digest in self.agreed:
            return
        try:
            self.proofs[case.digest] = Prover(
                case.system, self.deadline.within(PATIENCE)
            ).proof()
        except BudgetExceeded as error:
            self.agreed[case.digest] = agreement(
                case.system, self.deadline.within(2 * PATIENCE), str(error)
            )


def _cheap(result: RuleResult) -> bool:
    """Whether a rule needs no proof, or one that counting finds."""
    return result.verdict != "proved" or decided_by_counting(parse(result.formula))


def witness(result: RuleResult) -> dict[str, Any]:
    """The leak behind a REFUTED as plain data."""
    assert result.witness is not None and result.witness.leak is not None
    leak = result.witness.leak
    return {
        "world": leak.row + 1,
        "assignment": _from_one(leak.place),
        "path": _plain(leak.path),
    }


def _from_one(place: Mapping[int, int]) -> list[list[int]]:
    """A placement as pairs of an individual and a row, counted from 1."""
    pairs = sorted(place.items())
    return [[person + 1, row + 1] for person, row in pairs]


def _plain(item: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    if not isinstance(item, tuple):
        return item
    return [_plain(part) for part in item]
