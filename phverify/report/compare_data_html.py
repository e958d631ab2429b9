"""What a release is still good for, as a page."""

from __future__ import annotations

from collections.abc import Iterator

from phverify.errors import refusal
from phverify.report.compare_data_text import (
    COLUMNS,
    UNDEFINED,
    WIDTH,
    class_rows,
    column_cells,
    decimal,
    error_rows,
    exactly,
    most_changed,
    origin,
    records,
    rounded,
    unknown_loss,
    unread,
)
from phverify.report.page import (
    Banner,
    Bar,
    BarChart,
    BarPair,
    DataTable,
    Page,
    PageBlock,
    PageSection,
    PairedBars,
    Paragraph,
    Points,
    Remark,
    TableColumn,
    Tone,
)
from phverify.utility.result import ColumnUtility, DataComparison
from phverify.words import cell, plural

LOST = (
    "Loss is the share of the other values of its column that a released cell may"
    " stand for, averaged over the cells; precision is its level in the hierarchy."
    " Both are 0 for the table unchanged and 1 where all is suppressed."
)
APART = (
    "Total variation distance: half the sum of the differences of all shares, before"
    " and after. A released cell counts evenly for the values that it stands for. 0:"
    " alike, 1: nothing in common."
)
CORRELATED = (
    "A released cell counts as the mean of the numbers that it stands for. Figures are"
    f" rounded; {UNDEFINED}: one of the two columns has no two"
    " numbers."
)
NONE_PUBLIC = "is no form of this page: its figures tell of the original"
PAIRS = 20
"""Pairs of columns that are listed."""
CHANGED = 6
"""Columns whose shares are drawn, those that differ most."""


def to_page(result: DataComparison, public: bool = False) -> Page:
    """The page of a comparison.

    Raises InputError for a ``public`` one: the figures tell of the original, which
    nobody but its owner has.
    """
    if public:
        raise refusal("public", NONE_PUBLIC, "leave public out, and keep the page")
    return Page(
        title="What is this release still good for?",
        subject=f"{result.release} beside {result.original}: {records(result)}",
        verdict=Banner("COMPARED", _sentence(result), _tone(result)),
        sections=tuple(sections(result)),
    )


def sections(result: DataComparison) -> Iterator[PageSection]:
    """What stands below the sentence of the page."""
    yield PageSection("What the cells lost", tuple(_losses(result)))
    yield PageSection("Classes", tuple(_classes(result)))
    yield PageSection("Distributions", tuple(_distributions(result)))
    if result.correlations:
        yield PageSection("Correlations", tuple(_correlations(result)))
    if result.learned is not None:
        yield PageSection("A classifier", tuple(_learned(result)))


def _tone(result: DataComparison) -> Tone:
    return "plain" if result.explained else "open"


def _sentence(result: DataComparison) -> str:
    said = origin(result)
    first = said[0].upper()
    sentence = f"{first}{said[1:]}."
    if result.loss is None:
        return sentence
    loss = decimal(result.loss)
    return f"{sentence} Loss is {loss}."


def _losses(result: DataComparison) -> Iterator[PageBlock]:
    yield Paragraph(LOST)
    yield from (Remark("Note", note) for note in result.notes)
    if result.departures:
        texts = [problem.text(result.redacted) for problem in result.departures]
        yield Remark("Warning", "What speaks against a sanitization:", "open")
        yield Points(tuple(texts))
    for column in result.columns:
        if column.unread:
            yield Remark("Warning", unread(column, result.redacted), "open")
    if result.loss is not None:
        yield Paragraph(f"Loss over the quasi-identifiers: {exactly(result.loss)}.")
        if not result.explained:
            yield Remark("Note", f"Loss says {WIDTH}.", "open")
    else:
        yield Remark("Note", f"Loss is not known: {unknown_loss(result)}.", "open")
    if result.withheld and result.loss_with_withheld is not None:
        charged = exactly(result.loss_with_withheld)
        yield Paragraph(f"With withheld records as suppressed: {charged}.")
    rows = tuple(map(column_cells, result.columns))
    yield DataTable("Each column", _titles(COLUMNS, 2), rows)


def _titles(titles: tuple[str, ...], texts: int = 1) -> tuple[TableColumn, ...]:
    """Titles of a table, of which so many stand above texts."""
    return tuple(
        TableColumn(title, number=place >= texts) for place, title in enumerate(titles)
    )


def _classes(result: DataComparison) -> Iterator[PageBlock]:
    titles = _titles(("figure", "before", "after"))
    yield DataTable("Classes of records", titles, tuple(class_rows(result)))


def _distributions(result: DataComparison) -> Iterator[PageBlock]:
    yield Paragraph(APART)
    bars = []
    for pair in result.pairs[:PAIRS]:
        names = f"{pair.first}, {pair.second}"
        bars.append(Bar(names, decimal(pair.distance), float(pair.distance)))
    more = ""
    left = len(result.pairs) - PAIRS
    if left > 0:
        more = f"{plural(left, 'pair')} more"
    if bars:
        title = "Two columns together"
        yield BarChart(title, "columns", "distance", tuple(bars), more=more)
    if result.redacted:
        return
    apart = sorted(result.columns, key=lambda column: -column.distance)
    for column in apart[:CHANGED]:
        if column.distance:
            yield _shares(column)


def _shares(column: ColumnUtility) -> PairedBars:
    """The values of a column whose shares differ most."""
    pairs = []
    for one in column.shares:
        pairs.append(
            BarPair(
                cell(one.value),
                decimal(one.before),
                float(one.before),
                decimal(one.after),
                float(one.after),
            )
        )
    title = f"{column.name}: the shares that differ most"
    return PairedBars(title, column.name, "before", "after", tuple(pairs))


def _correlations(result: DataComparison) -> Iterator[PageBlock]:
    yield Paragraph(CORRELATED)
    rows = []
    for one in most_changed(result)[:PAIRS]:
        figures = (
            one.pearson_before,
            one.pearson_after,
            one.spearman_before,
            one.spearman_after,
        )
        rows.append((f"{one.first}, {one.second}", *map(rounded, figures)))
    titles = ("columns", "Pearson before", "after", "Spearman before", "after")
    yield DataTable("Ordered columns", _titles(titles), tuple(rows))


def _learned(result: DataComparison) -> Iterator[PageBlock]:
    found = result.learned
    if found is None:
        return
    features = ", ".join(found.features)
    yield Paragraph(
        f"Logistic regression predicts {found.target} from {features}, in"
        f" {found.folds}-fold cross validation on {plural(found.records, 'record')} of"
        " the original."
    )
    titles = ("trained on", "error", "records")
    yield DataTable("Errors", _titles(titles), tuple(error_rows(found)))
