"""The page of an audit that everybody may read: columns, the numbers of queries and
verdicts alone.

No statement is on it (they quote values and people), no fact, no answer, and no number
of facts: a fact that is protected where it is true would say how often it is.
"""

from __future__ import annotations

from phverify.disclosure.result import DETERMINED, DISCLOSED, OPEN, AuditReport, Step
from phverify.report.audit_knowledge import (
    GuiltyQueries,
    guilty_queries,
    mark_of,
    marked_steps,
)
from phverify.report.audit_phrases import origin_of
from phverify.report.audit_story import answered, covers_section, public_verdict
from phverify.report.audit_system import public_system
from phverify.report.page import (
    Facts,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Remark,
    Timeline,
    TimelineEvent,
)
from phverify.words import plural

STATES = {
    "answered": "answered, and audited",
    "bounded": "not modelled: taken for more than it says",
    "unsupported": "not audited: it was not understood, and may have had an answer",
    "contradicted": "its answer is not the table's",
    "refused": "refused: it would write",
    "failed": "failed whatever the data are: it told nothing",
    "silent": "has no answer, or one from public data alone",
}


def public_page(report: AuditReport, title: str) -> Page:
    """The page of an audit for everybody."""
    rows = plural(report.rows, "row")
    sections = [_audited(report), _log(report), public_system()]
    if report.reconstruction is not None:
        sections.append(_whole(report))
    sections.append(covers_section(report))
    return Page(
        title=title,
        subject=f"A table with {rows}; {report.counted()}",
        verdict=public_verdict(report),
        sections=tuple(sections),
        public=True,
    )


def _audited(report: AuditReport) -> PageSection:
    pairs = [("Statements of the log", f"{report.asked:,}")]
    pairs.append(("Of these answered and audited", f"{answered(report):,}"))
    pairs.append(("Columns that the adversary knows", ", ".join(report.public)))
    if report.external:
        others = plural(len(report.external), "table")
        pairs.append(("Beside them the adversary knows", others))
    # Their names alone: a domain says what somebody may have.
    unknown = [name for name, _ in report.domains]
    pairs.append(("Unknown columns", ", ".join(unknown)))
    return PageSection("What was audited", (Facts(tuple(pairs)),))


def _log(report: AuditReport) -> PageSection:
    """The log by the numbers of its statements."""
    steps = report.steps
    guilty = guilty_queries(report)
    shown = marked_steps(steps, guilty.all)
    events = []
    for step in shown:
        word, tone = mark_of(step, guilty)
        name = f"Query {step.number}" if step.number else "Before the first query"
        # By number: the text of a query may quote values.
        events.append(TimelineEvent(name, tuple(_said(step, guilty)), word, tone))
    blocks: list[PageBlock] = [Timeline("The statements in their order", tuple(events))]
    left = len(steps) - len(shown)
    if left:
        blocks.append(Paragraph(f"{plural(left, 'other step')} left out."))
    if not report.complete:
        blocks.append(Remark("Not the whole log", "the rest was not audited", "open"))
    return PageSection("The log, query by query", tuple(blocks))


def _said(step: Step, guilty: GuiltyQueries) -> list[str]:
    """What may be told of a step."""
    lines = []
    if step.number:
        lines.append(STATES[step.status])
    if step.number in guilty.gave:
        lines.append("from here on something protected follows")
    elif step.number in guilty.late:
        lines.append("by now something protected follows, perhaps from before")
    elif step.number in guilty.needed:
        lines.append("something protected follows from it and others")
    # After a disclosure each step would say so again.
    elif step.worst() != DISCLOSED:
        lines.append(f"verdict after it: {step.worst().upper()}")
    return lines


def _whole(report: AuditReport) -> PageSection:
    """What is said of the table as a whole."""
    whole = report.reconstruction
    assert whole is not None
    if whole.status == DETERMINED:
        origin = origin_of(whole.core)
        remark = Remark("DISCLOSED", f"every row follows from {origin}", "bad")
    elif whole.status == OPEN:
        remark = Remark("SAFE", "other tables have the same answers", "good")
    else:
        remark = Remark("Verdict", whole.status.upper(), "open")
    return PageSection("The table as a whole", (remark,))
