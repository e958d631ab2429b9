"""An answer as a gate of continuous integration reads it: cases that passed, that
failed or that are open.

Logs of such gates are read by many: no case has a value of the data, of a policy's
formulas, or an individual.  Names of rules and of files are told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from phverify.comparison.findings import Lint, LintFinding
from phverify.errors import printable
from phverify.verification.result import Report, RuleResult

CaseStatus = Literal["passed", "failed", "open"]
STATUS: dict[str, CaseStatus] = {
    "proved": "passed",
    "refuted": "failed",
    "undecided": "open",
}
LINT_KINDS = {
    "vacuous": "a rule that every release satisfies",
    "redundant": "a rule that follows from others",
    "contradictory": "rules that no release satisfies together",
    "out of reach": "a rule that no release of the table satisfies",
    "idle": "operators of a rule that say nothing",
    "unprotected": "a secret that no rule protects",
    "uncovered": "a sensitive column that no rule is about",
    "unused": "an agent that no rule names",
    "open": "a question that was not decided in time",
}
"""What ``lint`` complains of, by kind."""


@dataclass(frozen=True)
class GateCase:
    """One thing that was looked at.

    ``kind`` is what such cases are called wherever they occur (``verify/k_anonymity``)
    with ``about``, what it means; ``rules`` of the policy are concerned.  ``seconds``
    is the time it took.  ``fingerprint`` is the same in each run on the same file.
    """

    kind: str
    about: str
    name: str
    status: CaseStatus
    message: str
    fingerprint: str
    rules: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Gate:
    """All cases of one answer: ``verb`` and what it was about."""

    verb: str
    subject: str
    cases: tuple[GateCase, ...]

    def count(self, status: CaseStatus) -> int:
        """How many cases ended so."""
        return sum(1 for case in self.cases if case.status == status)


def gate(result: Report | Lint, named: bool = True) -> Gate:
    """The cases of an answer, in the order of the policy.

    Rules that are not ``named`` are numbered: their names are their formulas.
    """
    if isinstance(result, Lint):
        return Gate("lint", printable(result.policy), tuple(_linted(result)))
    cases = []
    for number, rule in enumerate(result.rules, 1):
        name = rule.name if named else f"rule {number}"
        cases.append(_verified(result, rule, name))
    return Gate("verify", printable(result.release), tuple(cases))


def _verified(report: Report, rule: RuleResult, name: str) -> GateCase:
    """A rule and its verdict."""
    alone = len(rule.criteria) == 1
    criterion = rule.criteria[0] if alone else "formula"
    kind = f"verify/{criterion}"
    about = "a formula of the policy holds for the release"
    if alone:
        about = f"the release satisfies {criterion}"
    said = [f"{rule.verdict.upper()}: {name}, for {report.release}"]
    if rule.public_promise:
        said.append(f"promised: {rule.public_promise}")
    return GateCase(
        kind,
        about,
        printable(name),
        STATUS[rule.verdict],
        printable("; ".join(said)),
        _fingerprint("verify", report.release, name, criterion),
        (name,),
        rule.seconds,
    )


def _linted(lint: Lint) -> Iterator[GateCase]:
    """A finding each; one case that passed where there is none."""
    if not lint.findings:
        message = f"CLEAN: {lint.rules} rules, nothing to complain about"
        yield GateCase(
            "lint/clean",
            "nothing to complain about",
            "clean",
            "passed",
            message,
            _fingerprint("lint", lint.policy, "clean"),
        )
    for finding in lint.findings:
        yield _finding(lint, finding)


def _finding(lint: Lint, finding: LintFinding) -> GateCase:
    """What was found; evidence may quote values, and is left out."""
    word = finding.kind.replace(" ", "-")
    concerned = ", ".join(finding.rules)
    what = LINT_KINDS[finding.kind]
    return GateCase(
        f"lint/{word}",
        what,
        printable(f"{finding.kind}: {concerned}"),
        "open" if finding.kind == "open" else "failed",
        printable(f"{finding.kind}: {what} ({concerned})"),
        _fingerprint("lint", lint.policy, finding.kind, *finding.rules),
        finding.rules,
    )


def _fingerprint(*parts: str) -> str:
    """What tells a case from others, and stays when the data changes."""
    text = "\0".join(parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
