"""Why a release is not finer, its rivals, and how far rules have to give way: on a
page.  Classes are few people: none of it is on a public one.
"""

from __future__ import annotations

from collections.abc import Iterator

from phverify.generalization.result import SearchResult
from phverify.report.page import (
    DataTable,
    PageBlock,
    PageSection,
    Paragraph,
    Points,
    TableColumn,
)
from phverify.report.release_blocks import cost_text
from phverify.report.search_reasons import (
    column_reasons,
    reasons_title,
    relaxed_reason,
    risk_text,
)

LISTED = 100
"""So many minimal candidates are shown."""


def reason_sections(result: SearchResult, public: bool) -> Iterator[PageSection]:
    """What was asked for with ``--explain`` and ``--all-minimal``."""
    if public:
        return
    if result.explanation is not None:
        block = _columns(result)
        yield PageSection(reasons_title(result.explanation), (block,))
    if result.relaxed:
        items = Points(tuple(map(relaxed_reason, result.relaxed)))
        told = Paragraph("One number is changed at a time, and all else is as it is.")
        yield PageSection("What would do", (told, items))
    if result.candidates:
        yield PageSection("All minimal releases", tuple(_minimal(result)))


def _columns(result: SearchResult) -> DataTable:
    assert result.explanation is not None
    rows = []
    for name, steps in result.explanation.steps.items():
        for sentence in column_reasons(result, name):
            row = name, sentence
            rows.append(row)
        if not steps:
            rows.append((name, "it is as fine as in the table"))
    titles = (TableColumn("column"), TableColumn("one step finer"))
    return DataTable("What breaks when a column is finer", titles, tuple(rows))


def _minimal(result: SearchResult) -> Iterator[PageBlock]:
    yield Paragraph(
        "Each keeps every rule, and nothing strictly finer does. The prosecutor risk is"
        " how likely a guess is right that a person who is known to be in the release"
        " has one of the records of the own class: at most 1 / the smallest class, on"
        " average classes / records."
    )
    rows = []
    for one in result.candidates[:LISTED]:
        levels = ", ".join(map(str, one.levels.values()))
        cost = cost_text(one.cost)
        counts = f"{one.withheld:,}", f"{one.classes:,}"
        rows.append((levels, cost, *counts, *risk_text(one)))
    more = ""
    if len(result.candidates) > LISTED:
        more = f"{len(result.candidates) - LISTED} more are left out: --json has all."
    titles = (
        TableColumn(f"levels of {', '.join(result.schemes)}"),
        TableColumn(result.objective, number=True),
        TableColumn("records withheld", number=True),
        TableColumn("classes", number=True),
        TableColumn("highest risk", number=True),
        TableColumn("average risk", number=True),
    )
    yield DataTable("Minimal level vectors", titles, tuple(rows), more)
