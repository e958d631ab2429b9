"""An answer as a gate of continuous integration reads it: cases that passed, that
failed or that are open.

Logs of such gates are read by many: no case has a value of the data, of a policy's
formulas, or an individual.  Names of rules, of columns and of files are told.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from phverify.comparison.findings import MEANINGS, Lint, LintFinding, redacted
from phverify.errors import printable
from phverify.verification.result import Report, RuleResult

CaseStatus = Literal["passed", "failed", "open"]
STATUS: dict[str, CaseStatus] = {
    "proved": "passed",
    "refuted": "failed",
    "undecided": "open",
}
IDENTIFIER = "the release has no identifier column"
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What stands in no XML document: noncharacters, and bytes of a file name that are no
text.
"""


@dataclass(frozen=True)
class GateCase:
    """One thing that was looked at.

    ``kind`` is what such cases are called wherever they occur (``verify/k_anonymity``)
    with ``about``, what it means; ``rules`` of the policy are concerned, by the names
    of their places there.  ``seconds`` is the time it took.  ``fingerprint`` is the
    same in each run on the same promise.
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
    """All cases of one answer: ``verb`` and what it was about, the policy and, where
    there is one, the release; ``warnings`` change no verdict.

    ``failed`` is why there is no answer, where there is none.
    """

    verb: str
    about: tuple[str, ...]
    cases: tuple[GateCase, ...]
    warnings: tuple[str, ...] = ()
    failed: str = ""

    @property
    def subject(self) -> str:
        """What it was about, the last thing first."""
        last_first = reversed(self.about)
        return ", ".join(last_first)

    def count(self, status: CaseStatus) -> int:
        """How many cases ended so."""
        statuses = [case.status for case in self.cases]
        return statuses.count(status)


def gate(result: Report | Lint, policy: str = "", release: str = "") -> Gate:
    """The cases of an answer, in the order of the policy.

    ``policy`` and ``release`` are what both are called wherever the command runs.
    Without a policy file rules are numbered: their names are their formulas.
    """
    if isinstance(result, Lint):
        told = visible(policy or result.policy)
        cases = _linted(result, (told,))
        return Gate("lint", (told,), tuple(cases))
    return _of_report(result, policy, release)


def _of_report(report: Report, policy: str, release: str) -> Gate:
    """A case for each rule, and one where everybody is named."""
    told = visible(release or report.release)
    about: tuple[str, ...] = (told,)
    if policy:
        about = (visible(policy), told)
    cases = [*_identified(report, about)]
    for number, rule in enumerate(report.rules, 1):
        name = f"rule {number}"
        if policy:
            name = rule.name
        case = _verified(rule, name, about)
        cases.append(case)
    warnings = []
    for warning in report.warnings:
        said = _warning(warning)
        warnings.append(visible(said))
    return Gate("verify", about, tuple(cases), tuple(warnings))


def no_answer(verb: str, policy: str, release: str, why: str) -> Gate:
    """The gate of a run that ended without an answer."""
    about = tuple(visible(one) for one in (policy, release) if one)
    case = GateCase(
        f"{verb}/no-answer",
        "the run ended without an answer",
        "no answer",
        "failed",
        visible(f"NO ANSWER: {why}"),
        _fingerprint(verb, *about, "no answer"),
    )
    return Gate(verb, about, (case,), failed=why)


def visible(text: str) -> str:
    """A text on one line, with nothing that a document could not hold."""
    shown = printable(text)
    return NO_XML.sub(_escape, shown)


def _escape(found: re.Match[str]) -> str:
    escaped = found[0].encode("unicode_escape")
    return escaped.decode("ascii")


def _warning(warning: str) -> str:
    """A warning without the values that it lists behind its colon."""
    said, _, more = warning.partition(": ")
    # This one begins with names of rules.
    if more.startswith("[a] and l_a speak"):
        return warning
    return said


def _identified(report: Report, about: tuple[str, ...]) -> Iterator[GateCase]:
    """An identifier column that is still there: everybody in the release is named."""
    if not report.identified:
        return
    name = visible(report.identified)
    yield GateCase(
        "verify/identifier",
        IDENTIFIER,
        IDENTIFIER,
        "failed",
        f"the release still carries the identifier column {name}: {about[-1]}",
        _fingerprint("verify", *about, "identifier"),
        (f"columns.{report.identified}",),
    )


def _verified(rule: RuleResult, name: str, about: tuple[str, ...]) -> GateCase:
    """A rule and its verdict."""
    criterion = _criterion(rule)
    meaning = "a formula of the policy holds for the release"
    if criterion:
        meaning = f"the release satisfies {criterion}"
    said = [f"{rule.verdict.upper()}: {name}, for {about[-1]}"]
    if rule.public_promise:
        said.append(f"promised: {rule.public_promise}")
    # Who knows the rest of a formula could guess a value in it from its hash.
    promise = (rule.public_promise, *rule.criteria)
    return GateCase(
        f"verify/{criterion or 'formula'}",
        meaning,
        visible(name),
        STATUS[rule.verdict],
        visible("; ".join(said)),
        _fingerprint("verify", *about, name, *promise),
        (name,),
        rule.seconds,
    )


def _criterion(rule: RuleResult) -> str:
    """The criterion that a rule is; "" where it is another formula."""
    if len(rule.criteria) != 1:
        return ""
    criterion = rule.criteria[0]
    given = rule.formula.removeprefix(f"{criterion}(")
    given = given.removesuffix(")")
    # The first parenthesis may be closed before the end: k_anonymity(2) | (..).
    further = "(" in given or ")" in given
    whole = f"{criterion}({given})"
    if further or whole != rule.formula:
        return ""
    return criterion


def _linted(lint: Lint, about: tuple[str, ...]) -> Iterator[GateCase]:
    """A finding each; one case that passed where there is none."""
    if not lint.findings:
        yield GateCase(
            "lint/clean",
            "nothing to complain about",
            "clean",
            "passed",
            f"CLEAN: {lint.rules} rules, nothing to complain about",
            _fingerprint("lint", *about, "clean"),
        )
    shown = redacted(lint)
    told: dict[tuple[str, ...], int] = {}
    for finding, place in zip(shown.findings, lint.findings, strict=True):
        one = (finding.kind, *finding.rules)
        told[one] = told.get(one, 0) + 1
        yield _finding(finding, place.rules, (*about, *one, str(told[one])))


def _finding(
    finding: LintFinding, places: tuple[str, ...], parts: tuple[str, ...]
) -> GateCase:
    """What was found; evidence may quote values, and is left out."""
    word = finding.kind.replace(" ", "-")
    concerned = ", ".join(finding.rules)
    what = MEANINGS[finding.kind]
    return GateCase(
        f"lint/{word}",
        what,
        visible(f"{finding.kind}: {concerned}"),
        "open" if finding.kind == "open" else "failed",
        visible(f"{finding.kind}: {what} ({concerned})"),
        _fingerprint("lint", *parts),
        places,
    )


def _fingerprint(*parts: str) -> str:
    """What tells a case from others, and stays when the data changes."""
    text = "\0".join(parts)
    known = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(known)
    return digest.hexdigest()[:32]
