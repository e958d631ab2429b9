"""Which rows break which rules, as far as that is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from phverify.exact import Ints
from phverify.microdata.table import Coded
from phverify.symbolic.release import SymbolicRelease
from phverify.verification.result import Extent, FailingRow, FailingRows, RuleResult


def failing_rows(
    rules: Iterable[RuleResult], release: SymbolicRelease, columns: Coded
) -> FailingRows:
    """The failing rows of a release, with the cells of these columns."""
    class_of_row = _class_of_row(release)
    broken: dict[int, list[str]] = {}
    extents: dict[str, Extent] = {}
    for rule in rules:
        if rule.witness is None:
            continue
        extents[rule.name], rows = _rows_of(rule, class_of_row)
        for row in rows:
            broken.setdefault(row, []).append(rule.name)

    ordered = sorted(broken)
    cells = {}
    for name, column in columns.items():
        codes = column.codes[ordered].tolist()
        cells[name] = [column.labels[code] for code in codes]
    listed = []
    for number, row in enumerate(ordered):
        here = {name: column[number] for name, column in cells.items()}
        cls = int(class_of_row[row])
        listed.append(FailingRow(row, cls, tuple(broken[row]), here))
    return FailingRows(tuple(columns), tuple(listed), extents)


def _class_of_row(release: SymbolicRelease) -> Ints:
    quotient = release.quotient
    if not quotient.quasi:  # all rows are one class
        return np.zeros(quotient.rows, dtype=np.int64)
    every_row = range(quotient.rows)
    return release.class_of_rows(every_row)


def _rows_of(rule: RuleResult, class_of_row: Ints) -> tuple[Extent, list[int]]:
    extent, classes, row = broken_by(rule)
    if row is not None:
        return extent, [row]
    concerned = np.isin(class_of_row, classes)
    rows = np.flatnonzero(concerned)
    return extent, rows.tolist()


def broken_by(rule: RuleResult) -> tuple[Extent, Sequence[int], int | None]:
    """What is listed of a refuted rule: all rows of some classes, or a single row."""
    witness = rule.witness
    assert witness is not None
    if witness.instance.startswith("never_known("):
        # What follows from the release as a whole is false at no row in particular.
        return "none", (), None
    failing = witness.failing
    if failing is None or not failing.where:
        # worlds are counted from 1, as a reader does, and rows from 0
        number = witness.world.removeprefix("d")
        return "witness", (), int(number) - 1
    # What counting did not settle may hold further rows.
    return "all" if failing.exact else "some", failing.where, None
