"""The verdict on a linkage method as sections of a page: pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from phverify.linkage.methods.matches import Matches
from phverify.linkage.methods.soundness import Judgement
from phverify.linkage.result import Reidentification
from phverify.report.matches_text import bin_cells, level_cells, telling_levels
from phverify.report.method_text import (
    BY,
    REASONS,
    TRUTHS,
    expected_links,
    reading_lines,
    said,
    verdict_line,
    why_lines,
)
from phverify.report.page import (
    Banner,
    DataTable,
    Facts,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    TableColumn,
    Tone,
)
from phverify.report.risk_text import undeclared
from phverify.words import plural

LISTED = 40
"""So many unsound answers are listed."""
SENTENCES: dict[str, tuple[str, Tone]] = {
    "sound": ("No answer of the linkage method contradicts what is known.", "good"),
    "unsound": (
        "The linkage method cannot be relied on: some of its answers contradict what"
        " is known of the records.",
        "bad",
    ),
    "undecided": ("It is not known whether the linkage method is sound.", "open"),
}
"""What a lawyer reads first."""


def method_banner(judged: Judgement, public: bool) -> Banner:
    """The verdict on the method; a public one has no number that may be small."""
    sentence, tone = SENTENCES[judged.verdict]
    # The banner has the word by itself.
    word, _, counted = verdict_line(judged).partition(": ")
    if not public:
        sentence += f" ({counted})"
    return Banner(word, sentence, tone)


def method_sections(result: Reidentification, public: bool) -> Iterator[PageSection]:
    """The sections of a page about a linkage method."""
    judged = result.method
    assert judged is not None
    truth = Facts(tuple(_truth(judged, result)))
    if public:
        yield PageSection("What was judged", (truth, *_inferred(result)))
        if judged.unsound:
            blocks = (Points(tuple(_reasons(judged))), _meaning(judged))
            yield PageSection("Why answers are unsound", blocks)
        return
    about = (truth, *_judged(judged), *_inferred(result))
    yield PageSection("What was judged", about)
    if judged.unsound:
        # Redacted, nobody is named.
        shown = _counted(judged) if result.redact else _named(judged, result)
        yield PageSection("Unsound answers", (shown, _meaning(judged)))
    if judged.matches and judged.matches.calibration:
        yield PageSection("How good the links are", tuple(_links(judged.matches)))


def _truth(judged: Judgement, result: Reidentification) -> Iterator[tuple[str, str]]:
    """What kind of answers were judged, by which truth."""
    yield "Answers", "belief functions" if judged.sets else "probabilities"
    # How records were paired matters only where the truth is a single record.
    how = BY.get(result.by, "") if result.truth == "record" else ""
    yield "Truth", f"{TRUTHS[result.truth]}{how}"


def _judged(judged: Judgement) -> Iterator[PageBlock]:
    """The links, and how the numbers were read."""
    pairs = [("Links", judged.source)]
    pairs.append(("Judged", plural(judged.judged, "released record")))
    if judged.silent:
        pairs.append(("Without an answer", plural(judged.silent, "released record")))
    drawn = expected_links(judged.correct, judged.judged)
    pairs.append(("Correct links, drawn by the answers", drawn))
    first = expected_links(judged.first, judged.judged)
    pairs.append(("Correct links, the likeliest taken", first))
    yield Facts(tuple(pairs))
    lines = tuple(line.strip() for line in reading_lines(judged))
    if lines:
        yield Points(lines)


def _inferred(result: Reidentification) -> Iterator[PageBlock]:
    """What is said of columns whose masking nobody declared."""
    # only there the truth is computed from such mappings
    if result.truth == "possible" and result.inferred:
        text = " ".join(undeclared(result.inferred))
        yield Remark("Warning", text.replace("WARNING: ", ""), "open")


def _meaning(judged: Judgement) -> Paragraph:
    """What a sound answer is."""
    why = " ".join(line.strip() for line in why_lines(judged))
    return Paragraph(why.strip())


def _reasons(judged: Judgement) -> Iterator[str]:
    """Why answers are unsound, without a number."""
    kinds = {type(item.witness) for item in judged.unsound}
    for kind, reason in REASONS.items():
        if kind in kinds:
            yield reason


def _named(judged: Judgement, result: Reidentification) -> DataTable:
    """The unsound answers by the names of their records."""
    rows = []
    for item in judged.unsound[:LISTED]:
        name = result.released.say(item.record)
        rows.append((name, said(item.witness, result.original)))
    left = len(judged.unsound) - LISTED
    more = f"and {plural(left, 'more answer')}" if left > 0 else ""
    columns = (TableColumn("released record"), TableColumn("the answer"))
    return DataTable("Answers that are unsound, and why", columns, tuple(rows), more)


def _counted(judged: Judgement) -> DataTable:
    """How many answers are unsound for which reason, without a name."""
    kinds = Counter(type(item.witness) for item in judged.unsound)
    rows = []
    for kind, reason in REASONS.items():
        if kinds[kind]:
            rows.append((reason, f"{kinds[kind]:,}"))
    columns = (TableColumn("reason"), TableColumn("answers", number=True))
    return DataTable("Answers that are unsound, by the reason", columns, tuple(rows))


def _links(matches: Matches) -> Iterator[PageBlock]:
    """The threshold curve and the calibration."""
    figures = ["correct", "precision", "recall"]
    single = [f"{figure}, one to one" for figure in figures]
    titles = ["links", *figures, "links, one to one", *single]
    columns = [TableColumn("number"), *_numbers(titles)]
    rows = [tuple(level_cells(level)) for level in telling_levels(matches)]
    caption = (
        "Links by their numbers, all of them, and one to one (every record once at"
        " most)"
    )
    yield DataTable(caption, tuple(columns), tuple(rows))
    columns = [TableColumn("number"), *_numbers(["links", "given", "correct"])]
    rows = [tuple(bin_cells(part)) for part in matches.calibration]
    caption = (
        "Calibration: what the links with such numbers are given on average, and the"
        " share of them that is correct"
    )
    yield DataTable(caption, tuple(columns), tuple(rows))


def _numbers(titles: list[str]) -> list[TableColumn]:
    return [TableColumn(title, number=True) for title in titles]
