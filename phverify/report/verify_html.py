"""A report on a release as a page: the verdict first, then each rule with its leak."""

from __future__ import annotations

from collections.abc import Iterator

from phverify.report.leak_story import leak_blocks, shortened_text
from phverify.report.page import (
    TONES,
    Banner,
    CodeText,
    DataTable,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    TableColumn,
)
from phverify.report.portraits import (
    asked_table,
    classes_section,
    measured_table,
    public_classes,
    public_measured,
    worded_criteria,
)
from phverify.report.stated_secrets import assumption_texts, secret_blocks
from phverify.report.verify_text import (
    MARKS,
    failing_counts,
)
from phverify.verification.result import Report, RuleResult
from phverify.words import plural

SENTENCES = {
    "proved": "The release keeps every rule of the policy.",
    "refuted": "The release breaks the policy: at least one rule is not kept.",
    "undecided": "It is not known whether the release keeps the policy.",
}
"""What a lawyer reads first."""
IF_ASSUMED = (
    "The release keeps every rule of the policy, as long as the policy's assumptions"
    " are true."
)
MEANINGS = {
    "proved": "The promise is kept, whoever is behind the rows.",
    "refuted": "The promise is broken.",
    "undecided": "It is not known whether the promise is kept.",
}
NUMBERED = (
    "Below, d3 is the third row of the release, and i3 the third individual: whoever is"
    " behind row 3 of the original table, or of the release where none was given. Some"
    " people may be called by their identifiers instead."
)
"""How people and rows are named."""
KEPT_IF = "The promise is kept in every case that the assumptions allow."
UNCOVERED = (
    "what other rules would promise: only the rules of the policy were examined",
    "knowledge of an attacker that the policy does not assume",
    "other releases of the same or of overlapping data, together with this one",
)
"""What no verdict speaks of."""


def to_page(report: Report, public: bool = False) -> Page:
    """The page of a report; a public one leaves out all that the data say."""
    sections = [_scope(report, public), rules_section(report, public)]
    sections += _classes(report, public)
    # Its figures tell of the original, which nobody but its owner has.
    if report.utility is not None and not public:
        from phverify.report.compare_data_html import sections as compared

        title = "What is the release still good for?"
        sections.append(PageSection(title, (), tuple(compared(report.utility))))
    return Page(
        title="Does the release keep its privacy promises?",
        subject=_subject(report, public),
        verdict=_verdict(report),
        sections=tuple(sections),
        public=public,
    )


def _subject(report: Report, public: bool) -> str:
    rows = plural(report.rows, "row")
    # a path may name people, too, and few classes are as rare
    if public:
        return f"The release: {rows}"
    return f"{report.release}: {rows} in {plural(report.classes, 'class')}"


def _verdict(report: Report) -> Banner:
    said = SENTENCES[report.verdict]
    if report.assumptions and report.verdict == "proved":
        said = IF_ASSUMED
    sentence = f"{said} ({report.counted()})"
    return Banner(MARKS[report.verdict], sentence, TONES[report.verdict])


def _scope(report: Report, public: bool) -> PageSection:
    """What the verdict covers, and what it does not."""
    return PageSection("What this verdict covers", tuple(_covered(report, public)))


def _covered(report: Report, public: bool) -> Iterator[PageBlock]:
    rows = plural(report.rows, "row")
    counted = f", and there are {plural(report.classes, 'class')}"
    people = plural(report.individuals, "individual")
    # people beyond the rows are those few whose records are withheld
    if public:
        counted, people = "", "All individuals"
    yield Paragraph(
        f"The rules were decided for all {rows} of the release. Rows with the same"
        f" quasi-identifiers form a class{counted}."
        f" {people} may be behind any row of their"
        " own class: a rule is PROVED when it holds however they are placed there, and"
        " REFUTED when there is a placement in which it fails."
    )
    if not public:
        yield Paragraph(NUMBERED)
    yield from secret_blocks(report.secrets, public)
    yield from _terms(report, public)
    yield Paragraph("The verdict says nothing about:")
    yield Points(UNCOVERED)


def _terms(report: Report, public: bool) -> Iterator[PageBlock]:
    """On what terms it was decided; they may quote values."""
    told = [("Note", report.notes), ("Warning", report.warnings)]
    told.append(("Assumed, and possible", assumption_texts(report)))
    for label, texts in told:
        if public and texts:
            yield Remark(label, f"{len(texts)} left out in the public form", "open")
            continue
        for text in texts:
            tone = "open" if label == "Warning" else "plain"
            yield Remark(label, text, tone)  # type: ignore[arg-type]


def _classes(report: Report, public: bool) -> Iterator[PageSection]:
    """The classes, where they were looked at."""
    portrait = report.portrait
    if portrait is None:
        return
    if public:
        yield public_classes(portrait)
        table = public_measured(portrait.measured)
    else:
        yield classes_section(portrait, report.suppressed)
        table = measured_table(portrait.measured, report.suppressed)
    words = worded_criteria(portrait.measured, public)
    yield PageSection("How strict the rules could be", (table, *words))


def rules_section(report: Report, public: bool) -> PageSection:
    """All rules: a table first where there are several."""
    blocks: list[PageBlock] = []
    if len(report.rules) > 1:
        blocks.append(_summary(report, public))
    each = enumerate(report.rules, start=1)
    sections = [_rule(report, rule, number, public) for number, rule in each]
    return PageSection("The rules", tuple(blocks), tuple(sections))


def _called(rule: RuleResult, number: int, public: bool) -> str:
    """A rule's name; a public page does not repeat what somebody called it."""
    if public:
        return f"Rule {number}"
    return rule.name


def _summary(report: Report, public: bool) -> DataTable:
    columns = [TableColumn("rule"), TableColumn("verdict")]
    if not public:
        columns.append(TableColumn("classes that fail", number=True))
        columns.append(TableColumn("rows in them", number=True))
    rows = []
    for number, rule in enumerate(report.rules, start=1):
        cells = [_called(rule, number, public), MARKS[rule.verdict]]
        if not public:
            cells += failing_counts(report, rule)
        rows.append(tuple(cells))
    return DataTable("Rules and verdicts", tuple(columns), tuple(rows))


def _rule(report: Report, rule: RuleResult, number: int, public: bool) -> PageSection:
    """What a rule promises, whether that is kept, and why."""
    blocks: list[PageBlock] = []
    promise = rule.public_promise if public else rule.promise
    blocks.append(Paragraph(shortened_text(promise)))
    if not public:
        blocks.append(CodeText((shortened_text(rule.formula),)))
    tone = TONES[rule.verdict]
    meaning = MEANINGS[rule.verdict]
    if report.assumptions and rule.verdict == "proved":
        meaning = KEPT_IF
    blocks.append(Banner(MARKS[rule.verdict], meaning, tone))
    sections: list[PageSection] = []
    if not public:
        if report.portrait is not None:
            blocks += asked_table(report.portrait.measured, rule.name)
        if rule.witness:
            leak = tuple(leak_blocks(rule.witness, report))
            sections.append(PageSection("The leak", leak))
        if rule.verdict == "undecided":
            blocks.append(Remark("Why it is open", rule.reason, "open"))
    title = _called(rule, number, public)
    return PageSection(title, tuple(blocks), tuple(sections))
