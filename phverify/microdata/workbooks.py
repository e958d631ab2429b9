"""A sheet of an Excel workbook as a table: its first row names the columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from phverify.errors import refusal
from phverify.microdata.databases import chosen
from phverify.microdata.dataframes import from_frame
from phverify.microdata.headers import unique_names
from phverify.microdata.table import CodedTable

Grid = list[list[Any]]
INSTALL = "pip install 'phverify[formats]'"


def workbook_table(path: Path, wanted: str | None) -> CodedTable:
    """A sheet of a workbook: the one of this name, or the only one there is.

    Raises InputError for merged cells, errors and formulas without a value, too.
    """
    where = str(path)
    book = _loaded(path, values=True)
    sheets = [sheet.title for sheet in book.worksheets]
    title = chosen(where, sheets, wanted, "sheet")
    here = f"{where}, {title}"
    sheet = book[title]
    for merged in sheet.merged_cells.ranges:
        what = f"the cells {merged} are one, and each row has its own"
        raise refusal(here, what, "unmerge them, and write the value into each cell")
    formulas = _formulas(path, title, sheet)
    grid: Grid = []
    for cells in sheet.iter_rows():
        for cell in cells:
            _refuse_error(cell, here)
        grid.append([cell.value for cell in cells])
    if formulas:
        what = f"the formula in {formulas[0]} has no value in the file"
        raise refusal(here, what, "open the workbook, let it calculate, and save it")
    return _table(_trimmed(grid), here)


def _loaded(path: Path, values: bool) -> Any:
    """The workbook, with the values that formulas had, or the formulas."""
    try:
        import openpyxl
    except ImportError:
        what = "reading Excel workbooks needs openpyxl"
        raise refusal(str(path), what, INSTALL) from None
    try:
        return openpyxl.load_workbook(path, data_only=values)
    except Exception as error:  # what is in the archive decides what is raised
        raise refusal(str(path), f"is no readable workbook: {error}") from None


def _formulas(path: Path, title: str, sheet: Any) -> list[str]:
    """The cells whose formulas have no value: they would look like missing cells."""
    empty: set[str] = set()
    for cells in sheet.iter_rows():
        empty.update(cell.coordinate for cell in cells if cell.value is None)
    if not empty:
        return []
    written = _loaded(path, values=False)[title]
    found = []
    for cells in written.iter_rows():
        found += [cell.coordinate for cell in cells if cell.data_type == "f"]
    return [place for place in found if place in empty]


def _refuse_error(cell: Any, where: str) -> None:
    """Raises InputError for a cell that says #N/A, for example."""
    if cell.data_type == "e":
        what = f"the cell {cell.coordinate} is an error: {cell.value}"
        raise refusal(where, what, "mend it, or empty it: an empty cell is missing")


def _trimmed(grid: Grid) -> Grid:
    """The rows and columns up to the last that holds something."""
    rows = list(grid)
    while rows and not any(map(_filled, rows[-1])):
        rows.pop()
    width = max((max(_places(row), default=0) for row in rows), default=0)
    return [row[:width] for row in rows]


def _filled(cell: Any) -> bool:
    return cell is not None and cell != ""


def _places(row: list[Any]) -> Iterator[int]:
    for place, cell in enumerate(row, start=1):
        if _filled(cell):
            yield place


def _table(grid: Grid, where: str) -> CodedTable:
    """The table of a grid.  Raises InputError where a column has no name."""
    import pandas

    if not grid:
        raise refusal(where, "the sheet is empty")
    header, *rows = grid
    for number, name in enumerate(header, start=1):
        if not _filled(name):
            what = f"column {number} has cells and no name in the first row"
            raise refusal(where, what, "name it there, or delete it")
    for number, row in enumerate(rows, start=2):
        if not any(map(_filled, row)):
            # A record without any value, or nobody's: a sheet does not tell.
            what = f"row {number} is empty, and has others below it"
            raise refusal(where, what, "delete it")
    names = unique_names([str(name) for name in header], where)
    if not rows:
        raise refusal(where, "the sheet has a header and no rows")
    columns = {}
    for place, name in enumerate(names):
        cells = [row[place] for row in rows]
        columns[name] = pandas.Series(cells, dtype=object)
    frame = pandas.DataFrame(columns)
    return from_frame(frame, where)
