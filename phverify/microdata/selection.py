"""A release beside its original, of which some records are withheld (Definition 6 over
those that are released).

It is read by tuples: every cell contains the original one.  Who is released, the
identifiers say; or the order of the rows; or there is one function on tuples that makes
the release, which withholds whole tuples (see ``spec.withheld``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from phverify.errors import InputError, Problem, Problems
from phverify.microdata.coding import PairedColumn, paired_column
from phverify.microdata.departures import RowPlaces, changed, check_lines, check_shape
from phverify.microdata.explained import KNOWN, Sanitization
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.pairing import by_identifier
from phverify.microdata.table import CodedTable
from phverify.microdata.tupled import (
    LooseCells,
    TupledRelease,
    loose_cells,
    meaning_of,
)
from phverify.spec.contained import CellMeaning
from phverify.spec.data import Refused
from phverify.spec.types import ValueType
from phverify.spec.withheld import Kept, TwoTables, kept_rows
from phverify.words import plural, toml_key


def selected(
    original: CodedTable,
    release: CodedTable,
    quasi: Sequence[str],
    others: Sequence[str],
    hierarchies: Hierarchies,
    told: tuple[str | None, str],
    types: Mapping[str, ValueType],
) -> Sanitization:
    """How the release, which has fewer rows, comes from the original by tuples.

    ``told`` are the identifier column and what the policy says of the order.  Raises
    InputError with what stands against it.
    """
    check_shape(original, release, (*quasi, *others), withheld=True)
    check_lines(original, quasi, hierarchies)
    identifier, order = told
    # Before anything is compared: identifiers that are wrong explain all else.
    sources = by_identifier(original, release, identifier)
    meanings = []
    for name in quasi:
        values = frozenset(original.columns[name].labels)
        meanings.append(meaning_of(name, values, hierarchies, types))
    tables = TwoTables(
        rows_of(original, quasi),
        rows_of(original, others),
        rows_of(release, quasi),
        rows_of(release, others),
        meanings,
    )
    paired = None if sources is None else sources.tolist()
    try:
        kept = kept_rows(tables, paired, order == "same order")
    except Refused as error:
        foreign: Problems = []
        if paired is None:
            foreign = _foreign_cells(release, quasi, meanings)
        why = str(error)
        if foreign:
            # Then nothing can explain the release, whoever is withheld.
            why = "some cells contain none of its values, whoever is left out"
        stated = Problem(release.source, _fewer(original, release, why))
        raise InputError([stated, *foreign]) from None

    rows = np.array(kept.rows, dtype=np.int64)
    partners = np.array(kept.partners, dtype=np.int64)
    both = original.taken(rows), release.taken(partners)
    known = _paired(both, quasi, False)
    unchanging = _paired(both, others, True)
    places = RowPlaces(original.source, release.source, partners, rows)
    values_of = {m: meaning.values for m, meaning in zip(quasi, meanings, strict=True)}
    loose = loose_cells(known, hierarchies, types, values_of)
    problems = [*changed(unchanging, places), *_against(loose, places)]
    if problems:
        what = _fewer(
            original, release, f"and is none of its records, {KNOWN[kept.by]}"
        )
        raise InputError([Problem(release.source, what), *problems])

    tupled = _tupled(TupledRelease.of(known), kept)
    proper = tupled.function and tupled.boxes < tupled.tuples
    trivial = tupled.boxes == 1
    return Sanitization({}, kept.by, proper, trivial, partners, None, tupled, kept)


def _paired(
    both: tuple[CodedTable, CodedTable], names: Sequence[str], unchanging: bool
) -> list[PairedColumn]:
    """Columns of an original and its release, whose rows stand beside each other."""
    before, after = both
    return [
        paired_column(name, before.columns[name], after.columns[name], unchanging)
        for name in names
    ]


def rows_of(table: CodedTable, names: Sequence[str]) -> list[tuple[str | None, ...]]:
    """The rows over some columns, perhaps none."""
    if not names:
        return [()] * table.rows
    cells = [table.columns[name].cells() for name in names]
    return list(zip(*cells, strict=True))


def _fewer(original: CodedTable, release: CodedTable, why: str) -> str:
    return f"has {release.rows} of the original's {original.rows} rows: {why}"


def _foreign_cells(
    release: CodedTable, quasi: Sequence[str], meanings: Sequence[CellMeaning]
) -> Problems:
    """The quasi-identifiers with cells that contain no value of the original."""
    problems: Problems = []
    for name, meaning in zip(quasi, meanings, strict=True):
        labels = sorted(set(filter(None, release.columns[name].cells())))
        foreign = [label for label in labels if not _means_some(meaning, label)]
        if foreign:
            problem = _foreign(name, foreign, meaning)
            problems.append(problem)
    return problems


def _means_some(meaning: CellMeaning, label: str) -> bool:
    """Whether a cell surely contains some value of the original."""
    return any(meaning.contains(label, value) for value in meaning.values)


def _foreign(name: str, labels: Sequence[str], meaning: CellMeaning) -> Problem:
    """What is said of them: where there is no hierarchy, it is what may be lacking."""
    what = f"{labels[0]!r} in the release contains no value of the original"
    more = len(labels) - 1
    if more:
        what = (
            f"{what}, nor {'does' if more == 1 else 'do'} {plural(more, 'other label')}"
        )
    hint = f"is the hierarchy of {name!r} the one that made the release?"
    if meaning.paths is None:
        hint = (
            f"the policy has no hierarchy of {name!r}: if one made the release, write"
            f' {toml_key(name)} = "HIERARCHY.csv" under [hierarchies]'
        )
    return Problem(f"quasi-identifier {name}", what, hint, private=True)


def _against(loose: Sequence[LooseCells], places: RowPlaces) -> Problems:
    problems: Problems = []
    for cells in loose:
        problems += cells.problems(places)
    return problems[:5]


def _tupled(tupled: TupledRelease, kept: Kept) -> TupledRelease:
    """Also those are torn of whom some are released and others withheld."""
    values = kept.tables.values
    # Of rows with one tuple the first is shown.
    gone = {values[row]: row for row in reversed(kept.withheld)}
    torn = [values[row] in gone for row in kept.rows]
    example = None
    if tupled.example is not None:
        first, second = tupled.example
        example = kept.rows[first], kept.rows[second]
    if any(torn):
        shown = kept.rows[torn.index(True)]
        example = example or (shown, gone[values[shown]])
    return replace(
        tupled,
        torn=tupled.torn | np.array(torn, dtype=bool),
        example=example,
        withheld=len(kept.withheld),
    )
