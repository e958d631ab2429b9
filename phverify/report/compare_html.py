"""A comparison as a page: does the first imply the second, and if not, for which
table?
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from phverify.comparison.result import Comparison
from phverify.report.compare_text import (
    MARKS,
    both_line,
    bound_words,
    implied_lines,
    separating_lines,
)
from phverify.report.page import (
    Banner,
    DataTable,
    Facts,
    Page,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    Remark,
    TableColumn,
    Tone,
)
from phverify.report.verify_html import rules_section
from phverify.verification.result import Report
from phverify.words import cell, plural

VERDICTS: dict[str, tuple[str, Tone]] = {
    "implies": ("Every table that keeps the first keeps the second.", "good"),
    "separated": (
        "A table may keep the first and break the second: there is one.",
        "bad",
    ),
    "undecided": ("It is not known whether the first implies the second.", "open"),
}
"""What a lawyer reads first, and its colour."""
EQUIVALENT = "A table keeps the first if, and only if, it keeps the second."
QUESTION = "Does the one promise imply the other?"
ROWS = 60
"""So many rows of a table are shown."""


def to_page(comparison: Comparison, public: bool = False) -> Page:
    """The page of a comparison; a public one quotes no policy, no formula and no table,
    whose values may be those of a policy.
    """
    sections = [_sides(comparison, public), *_direction(comparison, False, public)]
    if comparison.converse:
        sections += _direction(comparison.converse, True, public)
    subject = "Two promises, for all tables"
    if not public:
        subject = f"{comparison.first}  =>  {comparison.second}"
    return Page(
        title=QUESTION,
        subject=subject,
        verdict=_verdict(comparison),
        sections=tuple(sections),
        public=public,
    )


def _verdict(comparison: Comparison) -> Banner:
    """The verdict on the question that was asked."""
    converse = comparison.converse
    if converse is None:
        up_to = f" (up to {comparison.bound})" if comparison.bound else ""
        sentence, tone = VERDICTS[comparison.verdict]
        return Banner(MARKS[comparison.verdict], sentence + up_to, tone)
    word, _, rest = both_line(comparison, converse).partition(" ")
    if comparison.equivalent == "implies":
        return Banner(word, f"{EQUIVALENT} {rest}".strip(), "good")
    if comparison.equivalent == "undecided":
        return Banner(word, "It is not known whether they are equivalent.", "open")
    return Banner("SEPARATED", _not_equivalent(comparison, converse), "bad")


def _not_equivalent(comparison: Comparison, converse: Comparison) -> str:
    """Which of two implies the other all the same, if one does."""
    sides = ("the first", "the second")
    for one, (stricter, laxer) in (
        (comparison, sides),
        (converse, (sides[1], sides[0])),
    ):
        if one.verdict == "implies" and not one.bound:
            return (
                f"They are not equivalent. Every table that keeps {stricter} keeps"
                f" {laxer}, but a table may keep {laxer} and break {stricter}."
            )
    return "They are not equivalent: a table keeps the one and breaks the other."


def _sides(comparison: Comparison, public: bool) -> PageSection:
    if public:
        remark = Remark("Left out", "the two sides: they may quote values", "open")
        return PageSection("What was compared", (remark,))
    pairs = [("The first", comparison.first), ("The second", comparison.second)]
    meaning = (
        "The first implies the second when every table that keeps the first keeps the"
        " second, too. One table that does not is enough to separate them."
    )
    blocks = (Facts(tuple(pairs)), Paragraph(meaning))
    return PageSection("What was compared", blocks)


# one direction


def _direction(
    comparison: Comparison, converse: bool, public: bool
) -> Iterator[PageSection]:
    """What is known of one direction, and what each side says on a separating table."""
    names = ["the first", "the second"]
    if converse:
        names.reverse()
    title = f"Does {names[0]} imply {names[1]}?"
    blocks = tuple(_known(comparison, converse, public))
    yield PageSection(title, blocks)
    if public or comparison.reports is None:
        return
    whole = zip(names, comparison.reports, ("kept", "broken"), strict=True)
    for name, report, how in whole:
        yield _side(f"On that table {name} is {how}", report)


def _side(title: str, report: Report) -> PageSection:
    """The rules of one side with what ``verify`` says of them."""
    return replace(rules_section(report, False), title=title)


def _known(comparison: Comparison, converse: bool, public: bool) -> Iterator[PageBlock]:
    """The verdict on one direction, and why it is so."""
    sentence, tone = VERDICTS[comparison.verdict]
    yield Banner(MARKS[comparison.verdict], _named(sentence, converse), tone)
    if comparison.verdict == "implies":
        yield _as_sentences(implied_lines(comparison), converse)
        return
    if comparison.verdict == "separated":
        yield _as_sentences(separating_lines(comparison), converse)
        if public:
            yield Remark("Left out", "the table: its values may be a policy's", "open")
        else:
            yield separating_table(comparison)
    else:
        yield from _open(comparison, public)
    # where not all rules of the second are implied, some may be
    if comparison.proved and not public:
        yield Paragraph("These rules are implied all the same:")
        yield Points(comparison.proved)


def _open(comparison: Comparison, public: bool) -> Iterator[PageBlock]:
    if not public:
        yield Remark("Why it is open", comparison.reason, "open")
    if comparison.searched:
        rows = plural(comparison.searched, "row")
        separates = f"separates the two, {bound_words(comparison)}."
        yield Paragraph(f"No table with at most {rows} {separates}")


def _as_sentences(lines: list[str], converse: bool) -> Paragraph:
    """Lines of a terminal as one text."""
    text = " ".join(line.strip() for line in lines)
    # what followed the colon stands beside it as a table
    if text.endswith(":"):
        text = f"{text[:-1]}."
    return Paragraph(_named(text, converse))


def _named(text: str, converse: bool) -> str:
    """A text about one direction: in the other one the sides change their names."""
    if not converse:
        return text
    parts = [
        part.replace("the second", "the first") for part in text.split("the first")
    ]
    return "the second".join(parts)


def separating_table(comparison: Comparison) -> DataTable:
    """The table that keeps the first and breaks the second."""
    names = list(comparison.table[0]) if comparison.table else []
    columns = [TableColumn("row"), *map(TableColumn, names)]
    rows = []
    for number, row in enumerate(comparison.table[:ROWS], start=1):
        cells = [cell(row[name]) for name in names]
        rows.append((f"d{number}", *cells))
    left = len(comparison.table) - ROWS
    more = f"and {plural(left, 'more row')}" if left > 0 else ""
    caption = "A table that keeps the one and breaks the other"
    return DataTable(caption, tuple(columns), tuple(rows), more)
