"""What text and pages of an audit have in common: statements, facts and reasons in
words, and what the verdict means.
"""

from __future__ import annotations

from collections import Counter

from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    DETERMINED,
    DISCLOSED,
    SAFE,
    UNDECIDED,
    UNSUPPORTED,
    AuditReport,
)
from phverify.report.audit_json import hidden, unquoted
from phverify.report.audit_phrases import (
    Findings,
    answer_of,
    cell_text,
    cut_short,
    step_of,
)
from phverify.report.page import (
    Banner,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Tone,
)
from phverify.words import plural

COVERED = (
    "What this covers: the worlds with the public columns as they are, and"
    " in the unknown cells any values",
    "  of their domains. Not covered: how likely a value is; what else the"
    " adversary knows; other answers.",
)
MEANINGS = {
    DISCLOSED: (
        "  Disclosed is what no world with these answers has otherwise: two"
        " solvers said so, or a combination",
        "  of answers that was checked in fractions, or all solutions of their"
        " equations, found in integers.",
    ),
    SAFE: (
        "  Safe is what another world has otherwise, in which DuckDB gave every"
        " one of these answers again.",
    ),
    UNSUPPORTED: (
        "  A query with an answer that is not audited may say anything: after"
        " it, nothing is called safe.",
    ),
}
"""What each verdict means, in the order in which that is said."""
LATEST = ("  At the latest: it follows by then; whether it did before is not known.",)
BOUNDED = (
    "  A query that was taken for more than it says says at most that: what is safe"
    " is so all the same, and what",
    "  would follow from more than was said is undecided.",
)
VERDICT_TONES: dict[str, Tone] = {SAFE: "good", DISCLOSED: "bad"}


class AuditStory:
    """An audit in words; ``redact`` leaves out all values of sensitive cells.

    ``asked`` are the statements by number, each with its answer.
    """

    def __init__(self, report: AuditReport, redact: bool) -> None:
        self.report, self.redact = report, redact
        self.reason = unquoted if redact else str
        self.asked: dict[int, str] = {}
        for step in report.steps:
            answer = "" if redact else answer_of(step)
            self.asked[step.number] = cut_short(step.sql) + answer

    def fact(self, fact: ProtectedFact, known: bool = True) -> str:
        """A fact, with the value of one that became known."""
        if self.redact:
            return hidden(fact)
        # such a fact holds its value already, or no value becomes known by it
        if fact.protected.kind in ("fact", "formula", "person", "left") or not known:
            return fact.text()
        return f"{fact.text()} = {cell_text(fact.shown)}"

    def commonest(self, findings: Findings) -> str:
        """The commonest reason of some findings."""
        given = [finding.reason for finding in findings if finding.reason]
        # redacted first: two reasons may then be one
        reasons = map(self.reason, given)
        counts = Counter(reasons)
        if not counts:
            return ""
        [(commonest, _)] = counts.most_common(1)
        return commonest


def verdicts_given(report: AuditReport) -> set[str]:
    """The verdicts of all steps."""
    verdicts: set[str] = set()
    for step in report.steps:
        said = (finding.verdict for finding in step.findings)
        verdicts.update(said)
    return verdicts


def meanings(report: AuditReport) -> list[tuple[str, ...]]:
    """What the verdicts that were given mean, and what bounded statements do."""
    verdicts = verdicts_given(report)
    said = [lines for verdict, lines in MEANINGS.items() if verdict in verdicts]
    if any(not one.exact for one in report.steps[-1].findings):
        said.append(LATEST)
    if any(step.status == "bounded" for step in report.steps):
        said.append(BOUNDED)
    return said


def answered(report: AuditReport) -> int:
    """How many statements had an answer that was audited."""
    return sum(step.status == "answered" for step in report.steps if step.number)


def known_columns(report: AuditReport) -> str:
    """What the adversary knows beside the answers."""
    # the first public columns name the rows
    keys = report.public[: report.keyed]
    others = report.public[report.keyed :]
    tables = [f"the table {name}" for name in report.external]
    names = "names" if len(keys) == 1 else "name"
    key = f"{' and '.join(keys)} (which {names} each row)"
    return ", ".join([key, *others, *tables])


# what a page says of the verdict


def verdict_of(report: AuditReport) -> Banner:
    """The verdict with a sentence that says what it means, and how many facts."""
    last = report.steps[-1].findings
    disclosed = sum(one.verdict == DISCLOSED for one in last)
    facts = plural(len(last), "protected fact")
    counted = f" Of {facts} {disclosed:,} are known." if disclosed else ""
    return _banner(report, public_sentence(report) + counted)


def public_verdict(report: AuditReport) -> Banner:
    """The same without a number of facts: it may say how many people have a value."""
    return _banner(report, public_sentence(report))


def _banner(report: AuditReport, sentence: str) -> Banner:
    tone = VERDICT_TONES.get(report.verdict, "open")
    return Banner(report.verdict.upper(), sentence, tone)


def public_sentence(report: AuditReport) -> str:
    """What a lawyer reads first: it has no name, no value and no number of facts."""
    verdict = report.verdict
    if verdict == DISCLOSED:
        return _given_away(report)
    if verdict == UNSUPPORTED:
        return (
            "A statement of the log may have had an answer that was not audited: after"
            " it nothing can be called safe."
        )
    if verdict == UNDECIDED:
        return "It is not known whether a protected fact follows from the answers."
    if not report.steps[-1].findings:
        return "No fact is protected in this table."
    return (
        "No protected fact follows from the answers: for each of them another table,"
        " in which it is not so, has the same answers."
    )


def _given_away(report: AuditReport) -> str:
    """When the first fact became known."""
    first = report.first
    if first is None:
        # no single fact is protected, or none of them follows
        return "The answers determine the whole table, up to which row is whose."
    whole = report.reconstruction
    also = ""
    if whole is not None and whole.status == DETERMINED:
        also = " The answers determine the whole table, too."
    if not first.number:
        return f"The declared domains alone give a protected fact away.{also}"
    when = step_of(first.number, report.first_exact)
    return (
        "Whoever has these answers knows a protected fact for certain. The first was"
        f" given away by {when}.{also}"
    )


def covers_section(report: AuditReport) -> PageSection:
    """What the verdicts say and what they do not."""
    # only what was said is explained
    explained = tuple(map(_joined, meanings(report)))
    blocks: list[PageBlock] = [Paragraph(_joined(COVERED))]
    if explained:
        blocks.append(Points(explained))
    solvers = ", ".join(report.solvers)
    blocks.append(Paragraph(f"Asked were: {solvers}."))
    return PageSection("What this covers, and what it does not", tuple(blocks))


def _joined(lines: tuple[str, ...]) -> str:
    """Lines of a terminal as one text."""
    return " ".join(line.strip() for line in lines)
