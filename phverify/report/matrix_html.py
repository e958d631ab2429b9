"""All criteria against each other as a page."""

from __future__ import annotations

from collections import Counter

from phverify.comparison.domains import FEWEST_VALUES
from phverify.comparison.matrix import CRITERIA, ImplicationMatrix
from phverify.report.page import (
    Banner,
    DataTable,
    MatrixCell,
    MatrixTable,
    Page,
    PageSection,
    Points,
    TableColumn,
)
from phverify.words import cell, plural

LEGEND = (
    "yes: proved for any number of rows, and of values of s",
    "yes, up to some values: for at most so many, and of more nothing is claimed",
    "no: so many rows has a smallest table that satisfies the criterion of the row and"
    f" not that of the column, found and verified, among those with at most"
    f" {FEWEST_VALUES} values (more where it takes more)",
    "or fewer: a table with so many rows does, and perhaps a smaller one",
    "not known: neither was found in time",
    "Not here are p_sensitive_k_anonymity(p, k), which is k_anonymity(k) and"
    " l_diversity(f, p) for every sensitive column, guarded, which needs a hierarchy,"
    " and em_anonymity, which needs numbers.",
)
"""What the cells of the matrix say."""


def to_page(compared: ImplicationMatrix, public: bool = False) -> Page:
    """All criteria against each other: nobody's data and policies play a part."""
    names = tuple(CRITERIA)
    cells = []
    for side in names:
        cells.append(tuple(_sign(compared, side, top) for top in names))
    matrix = MatrixTable(
        "Does the criterion of the row imply that of the column, for every table?",
        "does .. imply ..",
        names,
        names,
        tuple(cells),
    )
    columns = (TableColumn("criterion"), TableColumn("as a formula"))
    formulas = DataTable("The criteria", columns, tuple(CRITERIA.items()))
    separated = _separated(compared)
    sections = [PageSection("All criteria", (matrix, Points(LEGEND), formulas))]
    sections.append(PageSection("The separating tables", (separated,)))
    pairs = plural(len(compared), "pair")
    return Page(
        title="Which criterion implies which?",
        subject=f"{len(names)} criteria, {pairs}",
        verdict=_counted(compared),
        sections=tuple(sections),
        public=public,
    )


def _counted(compared: ImplicationMatrix) -> Banner:
    """How many pairs came out how."""
    counts = Counter(one.verdict for one in compared.values())
    sentence = (
        f"Of {plural(len(compared), 'pair')} {counts['implies']:,} are implications,"
        f" {counts['separated']:,} are separated by a table"
    )
    if counts["undecided"]:
        sentence += f", {counts['undecided']:,} are undecided"
        return Banner("UNDECIDED", f"{sentence}.", "open")
    return Banner("DECIDED", f"{sentence}.", "good")


def _sign(compared: ImplicationMatrix, side: str, top: str) -> MatrixCell:
    """What is known of one pair, in words."""
    if side == top:
        return MatrixCell("itself")
    comparison = compared[side, top]
    if comparison.verdict == "implies":
        up_to = f", up to {comparison.bound}" if comparison.bound else ""
        return MatrixCell(f"yes{up_to}", "good")
    if comparison.verdict == "undecided":
        return MatrixCell("not known", "open")
    rows = plural(len(comparison.table), "row")
    # no smaller table separates the two: else it is an upper bound
    least = comparison.searched == len(comparison.table) - 1
    return MatrixCell(f"no: {rows}" if least else f"no: {rows} or fewer", "bad")


def _separated(compared: ImplicationMatrix) -> DataTable:
    """A table for each pair that is separated, on a line."""
    rows = []
    for (side, top), comparison in compared.items():
        if comparison.table:
            shown = [", ".join(map(cell, row.values())) for row in comparison.table]
            rows.append((side, top, "; ".join(shown)))
    titles = ["keeps", "breaks", "rows: class, value of s"]
    columns = tuple(map(TableColumn, titles))
    return DataTable("Tables that separate two criteria", columns, tuple(rows))
