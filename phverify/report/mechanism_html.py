"""The privacy loss of a mechanism as a page."""

from __future__ import annotations

from phverify.mechanisms.result import MechanismReport
from phverify.mechanisms.written import named
from phverify.report.mechanism_text import (
    compared_scope,
    forced_lines,
    head_lines,
    least_line,
    level_text,
    probability_text,
    verdict_lines,
)
from phverify.report.page import (
    TONES,
    Banner,
    DataTable,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    TableColumn,
)
from phverify.words import plural

MOST = 40
"""So many inputs and outputs are shown."""
SENTENCES = {
    "proved": "The mechanism keeps the loss that was promised.",
    "refuted": "The mechanism may lose more than was promised.",
    "undecided": "It is not known whether the mechanism keeps what was promised.",
}
"""What a lawyer reads first."""
MEANING = (
    "Epsilon bounds what one output can tell: for any two inputs that are compared, no"
    " output is likelier by more than the factor e to the power of epsilon."
)


def to_page(report: MechanismReport, public: bool = False) -> Page:
    """The page of a mechanism; a public one names no input and no output."""
    least = _least(report, public)
    blocks: list[PageBlock] = [Paragraph(least), Paragraph(MEANING)]
    sections = []
    if public:
        # Inputs and outputs may be what people have.
        pairs = Paragraph(f"Compared was {compared_scope(report)}.")
        what = "inputs, outputs and probabilities"
        sections = [PageSection("What was compared", (pairs, Remark("Left out", what)))]
    else:
        head = tuple(line.strip() for line in head_lines(report))
        sections = [PageSection("What was compared", (Points(head),))]
        lines = [*forced_lines(report), *verdict_lines(report)]
        why = tuple(line.strip() for line in lines if line.strip())
        if why:
            blocks.append(Points(why))
    sections.append(PageSection("The least epsilon", tuple(blocks)))
    if not public:
        sections.append(PageSection("The mechanism", (_probabilities(report),)))
    inputs = plural(len(report.loaded.mechanism.inputs), "input")
    return Page(
        title="How much privacy does this mechanism lose?",
        subject=f"A mechanism of {inputs}",
        verdict=_verdict(report, least),
        sections=tuple(sections),
        public=public,
    )


def _least(report: MechanismReport, public: bool) -> str:
    """The least epsilon as a sentence; why it is not known may name an output."""
    line = least_line(report)
    if public and report.least is None:
        line = "least epsilon: not settled"
    # the reasons of others keep their capitals
    return f"L{line[1:]}."


def _verdict(report: MechanismReport, least: str) -> Banner:
    """The verdict on an epsilon that was given, else the least one."""
    if report.verdict is None:
        return Banner("ASSESSED", least, "plain")
    sentence = f"{SENTENCES[report.verdict]} (epsilon {level_text(report.bound)})"
    return Banner(report.verdict.upper(), sentence, TONES[report.verdict])


def _probabilities(report: MechanismReport) -> DataTable:
    """Which output each input gives, with which probability."""
    mechanism = report.loaded.mechanism
    outputs = mechanism.outputs[:MOST]
    columns = [TableColumn("input")]
    columns += [TableColumn(named(output), number=True) for output in outputs]
    rows = []
    for one in mechanism.inputs[:MOST]:
        entries = mechanism.entries[one]
        cells = [probability_text(entries[output]) for output in outputs]
        rows.append((named(one), *cells))
    more = ""
    if len(mechanism.inputs) > MOST or len(mechanism.outputs) > MOST:
        more = f"The first {MOST} inputs and outputs."
    caption = "The probability of each output"
    return DataTable(caption, tuple(columns), tuple(rows), more)
