"""The certificate of a verdict: what the checker needs to see it again without the engine and without a solver.

The systems are written out by the checker's own code, from the files themselves; Z3 only finds the proofs.  Before a
certificate is handed out, the checker has read it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.api import __version__, verify
from phverify.certificate.check import FORMAT, KIND, Case, Claims, check, digest, examined, opened
from phverify.certificate.data import Policy, Refused, Unsettled, policy, sha256
from phverify.certificate.facts import facts
from phverify.certificate.formula import rule
from phverify.certificate.hierarchies import texts
from phverify.certificate.meaning import Table
from phverify.certificate.source import policy_text
from phverify.certificate.system import smtlib
from phverify.criteria.safety import asks_all_models
from phverify.errors import BudgetExceeded, Defect, InputError, Problem
from phverify.logic.parser import parse
from phverify.proofs.agree import agreement
from phverify.proofs.prove import Prover
from phverify.smt.solver import Deadline, deadline_of
from phverify.verdict import Report, RuleResult

PATIENCE = 20.0
"""Seconds for one proof; then two solvers must agree."""
File = str | PathLike[str]


def certify(
    report: Report,
    release: File,
    policy_file: File,
    original: File | None = None,
    *,
    budget: float | Deadline | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """The certificate of a report of ``verify``, as plain data for JSON.

    The three files are those that ``verify`` was given; tables must be CSV files, which the checker reads itself.
    A rule whose proof is not found in ``budget`` seconds is listed as undecided, with the reason.  A ``Deadline`` is
    shared with what has been done before.
    Raises InputError for other files than those, and Defect when the checker refuses what phverify found.
    """
    time_left = deadline_of(budget)
    if not isinstance(policy_file, (str, PathLike)):
        raise InputError(Problem("policy", "a certificate quotes a policy's text", "give the TOML file"))
    for path in (release, *([original] if original is not None else [])):
        _readable(path)
    try:
        rules = policy(policy_text(policy_file))
        content = _frame(report, rules, release, policy_file, original)
        table = Table(opened(content, rules, release, original).data)
        content |= claims(report, rules, table, time_left, progress)
        whole = {**content, "digest": digest(content)}
        progress("checking the certificate")
        if any(said["verdict"] != "undecided" for said in content["rules"]):
            judge = content["agreed"].__contains__
            list(check(whole, release, original, lambda question: bool(judge(question.digest)), policy_file))
    except Unsettled as error:
        raise InputError(Problem("certificate", f"there can be none: {error}")) from None
    except (Refused, Defect) as error:
        _same_files(report, release, policy_file, original, time_left.seconds)
        raise Defect(f"the checker refuses the certificate: {error}") from None
    return whole


def _same_files(report: Report, release: File, policy_file: File, original: File | None, budget: float | None) -> None:
    """Raises InputError when ``verify`` says something else of these files than the report does."""
    again = verify(release, policy_file, original, budget, rules=[result.name for result in report.rules])
    if _told(again) != _told(report):
        what = "these are other files than verify was given: the report says something else than they do"
        raise InputError(
            Problem("certify", what, "certify(verify(release, policy), release, policy), the same files twice")
        )


def _told(report: Report) -> list[Any]:
    """What a report says that a certificate would hold."""
    leaks = [witness(result) if result.verdict == "refuted" else None for result in report.rules]
    mapping = None if report.sanitized is None else _mapping(report)
    return [report.rows, sorted(report.met.items()), mapping, [(r.name, r.verdict) for r in report.rules], leaks]


def claims(
    report: Report, rules: Policy, table: Table, deadline: Deadline, progress: Callable[[str], None] = lambda step: None
) -> dict[str, Any]:
    """What a certificate claims about the rules of a report, with the proofs.  Raises Refused."""
    met = {"assumptions": [[person + 1, row + 1] for person, row in sorted(report.met.items())]}
    found = Maker(Claims(met, rules, table), table, deadline, progress)
    said = [found.rule(result) for result in report.rules]
    queries = {name: found.queries[name] for name in (*found.proofs, *found.agreed)}
    return {**met, "rules": said, "queries": queries, "proofs": found.proofs, "agreed": found.agreed}


def _readable(path: File) -> None:
    if hasattr(path, "columns") or Path(path).suffix.lower() in (".parquet", ".pq"):
        what = "a certificate is about CSV files, which its checker reads by itself"
        raise InputError(
            Problem(str(path) if not hasattr(path, "columns") else "release", what, "write it as CSV first")
        )


def _frame(report: Report, rules: Policy, release: File, policy_file: File, original: File | None) -> dict[str, Any]:
    """Everything but the rules and their proofs."""
    order = {"rows": rules.rows} if rules.rows == "same order" else {}
    return {
        "kind": KIND,
        "format": FORMAT,
        "version": __version__,
        "solvers": [report.solver],
        "policy": policy_text(policy_file),
        **order,
        "release": {"sha256": sha256(release)},
        "original": None if original is None else {"sha256": sha256(original), "mapping": _mapping(report)},
        "hierarchies": texts(rules, Path(policy_file).parent),
    }


def _mapping(report: Report) -> dict[str, Any]:
    assert report.sanitized is not None
    return {name: [list(pair) for pair in images.items()] for name, images in report.sanitized.mappings.items()}


@dataclass(eq=False)
class Maker:
    """Says what a certificate claims about rules, and finds the proofs."""

    claims: Claims
    table: Table
    deadline: Deadline
    progress: Callable[[str], None]
    queries: dict[str, list[str]] = field(default_factory=dict)
    proofs: dict[str, Any] = field(default_factory=dict)
    agreed: dict[str, list[str]] = field(default_factory=dict)

    def rule(self, result: RuleResult) -> dict[str, Any]:
        """What the certificate says about a rule."""
        self.progress(f"certifying {result.name}")
        said: dict[str, Any] = {"name": result.name, "verdict": result.verdict}
        if result.verdict == "undecided":
            return said | {"reason": result.reason}
        if asks_all_models(parse(result.formula)):
            return said | {
                "verdict": "undecided",
                "reason": f"{result.verdict}, but certificates do not cover never_known",
            }
        if result.verdict == "refuted":
            return said | {"witness": witness(result)}
        before = dict(self.proofs), dict(self.agreed)
        try:
            return said | {"facts": self.proved(self.claims.policy, result.name)}
        except (BudgetExceeded, Unsettled) as error:
            self.proofs, self.agreed = before  # nothing is claimed that they would be needed for
            return said | {"verdict": "undecided", "reason": f"proved, but no proof to check was found: {error}"}

    def proved(self, rules: Policy, name: str) -> dict[str, Any]:
        looked: list[Any] = []
        excluded = 0
        for one in examined(rule(rules, self.table.data, name), self.claims.given, self.table):
            looked += facts(one.meaning)
            excluded += one.excluded
            for case in one.left:
                self.deadline.check()
                self.settle(case)
        return {"excluded": excluded, "looked": looked}

    def settle(self, case: Case) -> None:
        """A proof of a system; where the tree grows too large, two solvers."""
        if case.digest in self.proofs or case.digest in self.agreed:
            return
        self.queries[case.digest] = smtlib(case.system).splitlines()
        try:
            self.proofs[case.digest] = Prover(case.system, self.deadline.within(PATIENCE)).proof()
        except BudgetExceeded as error:
            self.agreed[case.digest] = agreement(case.system, self.deadline.within(2 * PATIENCE), str(error))


def witness(result: RuleResult) -> dict[str, Any]:
    """The leak behind a REFUTED as plain data."""
    assert result.witness is not None and result.witness.leak is not None
    leak = result.witness.leak
    place = [[person + 1, row + 1] for person, row in sorted(leak.place.items())]
    return {"world": leak.row + 1, "assignment": place, "path": _plain(leak.path)}


def _plain(item: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    return [_plain(one) for one in item] if isinstance(item, tuple) else item
