"""A report of an audit as a page: what was given away first, then how the log led
there, query by query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phverify.disclosure.grouping import grouped
from phverify.disclosure.result import (
    DETERMINED,
    DISCLOSED,
    NOTHING,
    OPEN,
    SAFE,
    UNDECIDED,
    UNSUPPORTED,
    VERDICTS,
    AuditReport,
    FactFinding,
    Reconstruction,
)
from phverify.report.audit_knowledge import (
    KnownRanges,
    counted_verdicts,
    knowledge_section,
    known_bars,
)
from phverify.report.audit_phrases import (
    FEW,
    Findings,
    and_more,
    cell_text,
    how_sure,
    origin_of,
    replaced_rows,
    step_of,
)
from phverify.report.audit_public import public_page
from phverify.report.audit_story import (
    AuditStory,
    answered,
    covers_section,
    known_columns,
    verdict_of,
)
from phverify.report.audit_system import system_section
from phverify.report.page import (
    DataTable,
    Facts,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    TableColumn,
)
from phverify.words import plural

STORIES = 12
"""So many disclosures have a section of their own."""
LISTED = 60
"""So many facts, rows of a table and statements are listed."""
AGAINST = {
    "bounded": "taken for more than it says",
    "unsupported": "not understood, and it may have had an answer",
    "contradicted": "its answer is not the table's",
    "refused": "refused: it would write",
    "failed": "failed whatever the data are: it told nothing",
}
"""What is said of statements that were not audited as they are."""
TITLE = "Do the answers to these queries give a protected fact away?"


def to_page(report: AuditReport, public: bool = False, redact: bool = False) -> Page:
    """The page of an audit; ``redact`` leaves out the values of cells, ``public`` all
    that the data and the queries say.
    """
    if public:
        return public_page(report, TITLE)
    story = AuditStory(report, redact)
    groups = _disclosed(report)
    # One walk through the steps for all sections.
    ranges = KnownRanges(report, [findings[0].fact for findings in groups[:STORIES]])
    sections = [_audited(report), *_given_away(groups, story, ranges)]
    if report.reconstruction is not None:
        sections.append(_whole(report.reconstruction, story))
    sections.append(knowledge_section(story, ranges))
    sections.append(system_section(story))
    sections += _left_out(story)
    sections += [_every_fact(story), covers_section(report)]
    rows = plural(report.rows, "row")
    return Page(
        title=TITLE,
        subject=f"{report.source}, {report.table}: {rows}; {report.counted()}",
        verdict=verdict_of(report),
        sections=tuple(sections),
    )


def _audited(report: AuditReport) -> PageSection:
    """The table, what the adversary knows, and what is unknown."""
    pairs = [("Database", report.source), ("Table", report.table)]
    pairs.append(("Rows", f"{report.rows:,}"))
    pairs.append(("Statements of the log", f"{report.asked:,}"))
    pairs.append(("Of these answered and audited", f"{answered(report):,}"))
    pairs.append(("The adversary knows", known_columns(report)))
    for name, domain in report.domains:
        pairs.append((f"Unknown: {name}", f"one of {domain}"))
    return PageSection("What was audited", (Facts(tuple(pairs)),))


# what was given away


def _disclosed(report: AuditReport) -> list[list[FactFinding]]:
    """What was given away: together what the same queries gave away at one step, in
    the order in which it happened.
    """
    last = report.steps[-1]
    disclosed = [one for one in last.findings if one.verdict == DISCLOSED]
    # What follows from the same queries has one story.
    alike = grouped(((one.since, not one.exact, one.core), one) for one in disclosed)
    return [alike[when] for when in sorted(alike)]


def _given_away(
    groups: Sequence[Findings], story: AuditStory, ranges: KnownRanges
) -> Iterator[PageSection]:
    """A story for each group of facts."""
    if not groups:
        return
    stories = [_story(findings, story, ranges) for findings in groups[:STORIES]]
    blocks: list[PageBlock] = []
    left = sum(len(findings) for findings in groups[STORIES:])
    if left:
        text = f"{plural(left, 'more fact')}, which other queries gave away"
        blocks.append(Remark("Not told here", f"{text}: see the table of all facts"))
    yield PageSection("What was given away", tuple(blocks), tuple(stories))


def _story(findings: Findings, story: AuditStory, ranges: KnownRanges) -> PageSection:
    """Who knows what, which answers they have, and what follows."""
    first = findings[0]
    core = first.core
    steps = [f"Whoever asks knows of every row: {known_columns(story.report)}."]
    for number in core:
        steps.append(f"Query {number} is asked: {story.asked[number]}")
    if core:
        # That is what the proof says: every other world has another answer.
        steps.append(f"No other possibility is left by {origin_of(core)}.")
    else:
        steps.append("The declared domains alone leave no other possibility.")
    facts = [story.fact(finding.fact) for finding in findings[:FEW]]
    what = "; ".join(facts) + and_more(findings, "more fact", ";")
    steps.append(f"So this is known: {what}")
    blocks: list[PageBlock] = [Points(tuple(steps), ordered=True)]
    blocks.append(Paragraph(f"How sure that is: {how_sure(first)}."))
    if not story.redact:
        blocks += known_bars(first.fact, story, ranges)
    when = "Before the first query"
    if first.since:
        when = step_of(first.since, first.exact).capitalize()
    title = f"{when}: {story.fact(first.fact)}"
    more = len(findings) - 1
    if more:
        title += f" and {plural(more, 'more fact')}"
    return PageSection(title, tuple(blocks))


# the table as a whole


def _whole(whole: Reconstruction, story: AuditStory) -> PageSection:
    return PageSection("The table as a whole", tuple(_of_whole(whole, story)))


def _of_whole(whole: Reconstruction, story: AuditStory) -> Iterator[PageBlock]:
    """What is said of the table as a whole."""
    if whole.status == DETERMINED:
        yield from _determined(whole, story)
    elif whole.status == OPEN:
        columns = ", ".join(whole.columns)
        yield Remark("SAFE", f"other tables of {columns} have the same answers", "good")
        if not story.redact:
            yield Paragraph(f"There may be {replaced_rows(whole)}.")
    elif whole.status == NOTHING:
        yield Remark("SAFE", "there are no rows to reconstruct", "good")
    else:
        yield Remark(whole.status.upper(), story.reason(whole.reason), "open")


def _determined(whole: Reconstruction, story: AuditStory) -> Iterator[PageBlock]:
    """A table that the answers leave no choice of."""
    origin = origin_of(whole.core)
    rows = plural(story.report.rows, "row")
    what = f"all {rows} follow from {origin}, up to which row is whose"
    yield Remark("DISCLOSED", what, "bad")
    if whole.core and whole.minimal:
        yield Paragraph("Without any one of these queries other tables are possible.")
    asked = [f"Query {number}: {story.asked[number]}" for number in whole.core]
    if asked:
        yield Points(tuple(asked))
    if story.redact:
        return
    columns = [TableColumn("row"), *map(TableColumn, whole.columns)]
    shown = []
    for number, row in enumerate(whole.rows[:LISTED], start=1):
        shown.append((str(number), *map(cell_text, row)))
    more = _more(len(whole.rows), "row")
    yield DataTable("The rows that are determined", tuple(columns), tuple(shown), more)


# what was not audited, and all facts


def _left_out(story: AuditStory) -> Iterator[PageSection]:
    """Statements that were not audited, and what they taint."""
    report = story.report
    steps = [step for step in report.steps if step.status in AGAINST]
    # The whole log was understood: there is nothing to say.
    if not steps and report.complete:
        return
    blocks: list[PageBlock] = []
    if not report.complete:
        why = report.stopped or "only the first disclosure was asked for"
        text = f"the rest of the log was not audited: {why}"
        blocks.append(Remark("Not the whole log", text, "open"))
    if steps:
        blocks.append(_unaudited(story))
    # Statements that were not understood may have told anything: SAFE is not said any
    # more.
    tainted = [one for one in report.steps[-1].findings if one.verdict == UNSUPPORTED]
    if tainted:
        facts = plural(len(tainted), "fact")
        text = (
            f"{facts} would be called safe if these statements had told nothing. They"
            f" may have told anything: {story.commonest(tainted)}"
        )
        blocks.append(Remark("What that taints", text, "open"))
    yield PageSection("What was not audited", tuple(blocks))


def _unaudited(story: AuditStory) -> DataTable:
    titles = ["statement", "line", "what became of it", "why", "text"]
    steps = [step for step in story.report.steps if step.status in AGAINST]
    rows = []
    for step in steps[:LISTED]:
        status = AGAINST[step.status]
        reason = story.reason(step.reason)
        text = story.asked[step.number]
        rows.append((str(step.number), str(step.line), status, reason, text))
    columns = tuple(map(TableColumn, titles))
    more = _more(len(steps), "statement")
    return DataTable(
        "Statements that were not audited as they are", columns, tuple(rows), more
    )


def _every_fact(story: AuditStory) -> PageSection:
    """All facts with their verdicts, the worst first."""
    last = story.report.steps[-1]
    by_verdict = grouped((one.verdict, one) for one in last.findings)
    findings: list[FactFinding] = []
    for verdict in VERDICTS:
        findings += by_verdict.get(verdict, [])
    rows = []
    for finding in findings[:LISTED]:
        name = story.fact(finding.fact, finding.verdict == DISCLOSED)
        rows.append((name, finding.verdict.upper(), _why(finding, story)))
    columns = (TableColumn("fact"), TableColumn("verdict"), TableColumn("why"))
    blocks: list[PageBlock] = [Paragraph("No fact is protected in this table.")]
    if rows:
        more = _more(len(findings), "fact")
        # what was safe by then may not be so after all queries
        when = "the last query"
        if not story.report.complete:
            when = f"query {last.number}, the last one that was audited"
        caption = f"After {when}: {counted_verdicts(last)}"
        blocks = [DataTable(caption, columns, tuple(rows), more)]
    return PageSection("Every protected fact", tuple(blocks))


def _why(finding: FactFinding, story: AuditStory) -> str:
    """Why a fact has its verdict, in a few words."""
    if finding.verdict == DISCLOSED:
        when = "from the start"
        if finding.since:
            when = f"since {step_of(finding.since, finding.exact)}"
        return f"{when}, from {origin_of(finding.core)}"
    if finding.verdict == SAFE:
        if story.report.cut:
            return "another table had the same answers by then; the rest is not known"
        return "another table has the same answers"
    reason = story.reason(finding.reason)
    if finding.verdict == UNDECIDED:
        return reason or "not decided"
    return reason


def _more(count: int, what: str) -> str:
    """How many there are beside those that are listed."""
    more = count - LISTED
    if more > 0:
        return f"and {plural(more, f'more {what}')}"
    return ""
