"""The rows that break a rule, as CSV: what a data steward opens to see what to mend."""

from __future__ import annotations

from collections.abc import Iterator

from phverify.microdata.csv_rows import csv_text
from phverify.verification.failing_elsewhere import FailingElsewhere
from phverify.verification.result import FailingRows, Report
from phverify.words import plural

OWN = ("row", "class", "breaks")
"""The first columns: the record as witnesses name it, its class by number, rules."""
IN_FILE = ("file", "row_in_file")
"""Those that follow where the release is several files."""
EXTENTS = {
    "all": "all rows of the classes that break it",
    "some": "rows of classes that break it; there may be more",
    "witness": "the row of the witness alone; there may be more",
    "none": "no row: it is about the release as a whole",
}


def to_csv(report: Report) -> str:
    """One line for each failing row: its number, its class, the rules that it breaks,
    and its cells; missing cells are empty.
    """
    return "".join(part.decode() for part in to_csv_parts(report))


def to_csv_parts(report: Report) -> Iterator[bytes]:
    """The same, one part after the other: the rows may be many."""
    failing = listed(report)
    yield csv_text([[*_own_names(report, failing), *failing.columns]]).encode()
    if isinstance(failing, FailingElsewhere):
        yield from failing.lines()
    else:
        yield csv_text(_lines(report, failing)).encode()


def _lines(report: Report, failing: FailingRows) -> Iterator[list[str | int | None]]:
    """The cells of each line, the record's own before those of the release."""
    for one in failing.rows:
        rules = "; ".join(one.rules)
        record = f"d{one.row + 1}"
        own: list[str | int | None] = [record, one.cls + 1, rules]
        place = report.in_file(record)
        if place is not None:
            own += [place.file, place.row]
        cells = [one.cells[name] for name in failing.columns]
        yield [*own, *cells]


def covered(report: Report) -> Iterator[str]:
    """What the file holds of each refuted rule."""
    failing = listed(report)
    rows = plural(failing.count, "row")
    yield f"{rows} in all"
    for rule, extent in failing.extents.items():
        meaning = EXTENTS[extent]
        yield f"{rule}: {meaning}"


def listed(report: Report) -> FailingRows | FailingElsewhere:
    """The failing rows of a report that was asked for them."""
    assert report.failing_rows is not None, "verify(.., failing=True) lists them"
    return report.failing_rows


def _own_names(report: Report, failing: FailingRows | FailingElsewhere) -> list[str]:
    """What our columns are called beside those of the release."""
    names = []
    own = (*OWN, *IN_FILE) if report.files else OWN
    for name in own:
        # a column of the release keeps its name, ours gives way
        while name in failing.columns:
            name += "_"
        names.append(name)
    return names
