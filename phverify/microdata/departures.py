"""Where a release departs from what a sanitization of its original would be.

Each departure is a problem that names the rows or the values that show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phverify.errors import InputError, Problem, Problems, nearest
from phverify.exact import Ints, IntsPair
from phverify.microdata.coding import PairedColumn
from phverify.microdata.hierarchy import Hierarchies, absent
from phverify.microdata.pairing import Pairing
from phverify.microdata.table import CodedTable, Label
from phverify.words import plural

SHOWN = 5
"""Problems of one kind that are listed."""


@dataclass(frozen=True, eq=False)
class RowPlaces:
    """What rows are called; ``rows[x]`` is the released row of original row x.

    Where records are withheld, ``kept[x]`` is the number of row x in the original.
    """

    original: str
    release: str
    rows: Ints
    kept: Ints | None = None

    @staticmethod
    def of(
        original: CodedTable, release: CodedTable, paired: Pairing | None
    ) -> RowPlaces:
        """Rows that are paired, else in their order."""
        rows = np.arange(original.rows) if paired is None else paired.rows
        return RowPlaces(original.source, release.source, rows)

    def released(self, row: int) -> str:
        """The released row of an original one."""
        number = int(self.rows[row]) + 1
        return f"row {number} of {self.release}"

    def both(self, row: int) -> str:
        """A released row, and the original one where that has another number."""
        place = f"{self.release}, row {int(self.rows[row]) + 1}"
        number = row if self.kept is None else int(self.kept[row])
        if self.rows[row] == number:
            return place
        return f"{place} ({self.original}, row {number + 1})"


def check_shape(
    original: CodedTable,
    release: CodedTable,
    names: Sequence[str],
    withheld: bool = False,
) -> None:
    """Raises InputError for columns that are not there, or another number of rows.

    It may be smaller where records may be ``withheld``.
    """
    problems: Problems = []
    for role, table in (("original", original), ("release", release)):
        for name in names:
            if name not in table.columns:
                what = f"there is no column {name!r} in the {role}"
                hint = nearest(name, table.columns, "its columns")
                problems.append(Problem(table.source, what, hint))
    if original.rows != release.rows and not withheld:
        what = (
            f"the original has {plural(original.rows, 'row')} and the release"
            f" {release.rows}: where no records are withheld, a sanitization"
            " keeps all rows"
        )
        hint = "are the two tables exchanged?" if release.rows > original.rows else ""
        problems.append(Problem(release.source, what, hint))
    if problems:
        raise InputError(problems)


def check_lines(
    original: CodedTable, quasi: Sequence[str], hierarchies: Hierarchies
) -> None:
    """Raises InputError for values without a line in the hierarchy of their column.

    What has none could become anything.
    """
    problems: Problems = []
    for name in quasi:
        if name not in hierarchies:
            continue
        # A few show what is wrong; all of them would fill pages.
        for value in absent(hierarchies[name], original.columns[name].labels)[:SHOWN]:
            what = f"the value {value!r} of the original is not in the hierarchy"
            where = f"quasi-identifier {name}"
            hint = "add a line for it"
            problems.append(Problem(where, what, hint, private=True))
    if problems:
        raise InputError(problems)


def quoted(label: Label) -> str:
    """A label in quotes, or that it is missing."""
    if label is None:
        return "(missing)"
    return repr(label)


def wrong(column: PairedColumn, what: str, hint: str = "") -> Problem:
    """A problem of a quasi-identifier that quotes its values."""
    return Problem(f"quasi-identifier {column.name}", what, hint, private=True)


def changed(unchanging: Sequence[PairedColumn], places: RowPlaces) -> Problems:
    """Row by row: cells that should be unchanged and are not."""
    problems: Problems = []
    for column in unchanging:
        differing = np.flatnonzero(column.before != column.after)
        for row in differing[:SHOWN].tolist():
            before = quoted(column.values[column.before[row]])
            after = quoted(column.values[column.after[row]])
            what = (
                f"{column.name} is {before} in the original and {after} in the release"
            )
            problems.append(Problem(places.both(row), what, private=True))
    return problems


def forks(known: Sequence[PairedColumn], places: RowPlaces) -> Problems:
    """Row by row: original values with two released values, and rows that show them."""
    problems: Problems = []
    for column in known:
        # A mapping has one image for each value.
        forked = [(value, seen) for value, seen in _images(column) if len(seen) > 1]
        for value, seen in forked[:SHOWN]:
            # By rows: the first two that contradict each other.
            first, second, *_ = sorted(seen)
            said = [
                f"{quoted(image)} ({places.released(row)})"
                for row, image in (first, second)
            ]
            what = f"the value {quoted(value)} became both {said[0]} and {said[1]}"
            problems.append(wrong(column, what))
    return problems


def _images(column: PairedColumn) -> list[tuple[Label, list[tuple[int, Label]]]]:
    """The values in order; each with its images, and the first row of each."""
    images: dict[Label, list[tuple[int, Label]]] = {}
    for value, image, row in column.pairs:
        images.setdefault(value, []).append((row, image))
    return list(images.items())


def strays(
    known: Sequence[PairedColumn], hierarchies: Hierarchies, places: RowPlaces
) -> Problems:
    """Row by row: original values whose released value is no generalization of them in
    the hierarchy.
    """
    problems: Problems = []
    for column in known:
        if column.name not in hierarchies:
            continue
        hierarchy = hierarchies[column.name]
        # Once for each value, however many rows have it.
        allowed = {value: hierarchy.generalizations(value) for value in column.values}
        strayed = []
        for value, image, row in column.pairs:
            if image not in allowed[value]:
                strayed.append((value, image, row))
        for value, image, row in strayed[:SHOWN]:
            what = (
                f"the value {quoted(value)} became {quoted(image)}"
                f" ({places.released(row)}), which is no generalization of it in the"
                " hierarchy"
            )
            listed = ", ".join(map(quoted, allowed[value]))
            problems.append(wrong(column, what, f"the hierarchy has {listed}"))
    return problems


def surplus(before: Ints, after: Ints) -> Ints:
    """By code: how many more rows the release has than the original."""
    size = int(max(before.max(), after.max())) + 1
    counts: Ints = np.bincount(after, minlength=size)
    return counts - np.bincount(before, minlength=size)


def miscounts(columns: Sequence[PairedColumn], codes: IntsPair) -> Problems:
    """The values (or tuples of values) that are more or fewer in the release."""
    problems: Problems = []
    before, after = codes
    for code in np.flatnonzero(surplus(before, after))[:SHOWN]:
        old_rows = np.flatnonzero(before == code)
        new_rows = np.flatnonzero(after == code)
        texts = []
        for column in columns:
            in_old = len(old_rows) > 0
            # A value may occur in one of the tables alone.
            cell = column.before[old_rows[0]] if in_old else column.after[new_rows[0]]
            texts.append(quoted(column.values[cell]))
        subject = f"the values ({', '.join(texts)}) occur together"
        if len(columns) == 1:
            subject = f"the value {texts[0]} occurs"
        what = (
            f"{subject} {_times(len(old_rows))} in the original and"
            f" {_times(len(new_rows))} in the release"
        )
        where = ", ".join(column.name for column in columns)
        problems.append(Problem(where, what, private=True))
    return problems


def _times(count: int) -> str:
    if count == 1:
        return "1 time"
    return f"{count} times"


def orphans(used: Sequence[PairedColumn], hierarchies: Hierarchies) -> Problems:
    """Values of which no generalization occurs in the release."""
    problems: Problems = []
    for column in used:
        hierarchy = hierarchies[column.name]
        released = {*column.images}
        values = [value for value in column.values if value is not None]
        lost = [v for v in values if released.isdisjoint(hierarchy.generalizations(v))]
        for value in lost[:SHOWN]:
            what = (
                f"neither the value {quoted(value)} nor a generalization of it in the"
                " hierarchy occurs in the release"
            )
            problems.append(wrong(column, what))
    return problems
