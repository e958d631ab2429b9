"""A release by tuples whose rows are in another order: it is not read, and known.

Which row belongs to which decides in whose class everybody is, so it must be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from phverify.errors import Problem, Problems
from phverify.microdata.coding import PairedColumn, codes_of
from phverify.microdata.hierarchy import Hierarchies
from phverify.microdata.table import CodedTable
from phverify.microdata.tupled import meanings_of
from phverify.spec.contained import CellMeaning
from phverify.spec.source import Values
from phverify.spec.types import ValueType

PAIRS = 1_000_000
"""So many pairs of distinct rows are compared, at most."""
HINT = (
    'if row k of the release is row k of the original, say rows = "same order" in the'
    " policy; else add the identifier column to both"
)
Row = tuple[int, Values]
"""A number for what stays as it is, and the quasi-identifiers."""


def perhaps_by_tuples(
    known: Sequence[PairedColumn],
    unchanging: Sequence[PairedColumn],
    hierarchies: Hierarchies,
    types: Mapping[str, ValueType],
    release: CodedTable,
) -> Problems:
    """That it may be the original, recoded by tuples, in another order: where each row
    has one in the other table that it can belong to.
    """
    rests = codes_of(list(unchanging), release.rows)
    before = _rows(rests[0].tolist(), [_cells(c.values, c.before) for c in known])
    after = _rows(rests[1].tolist(), [_cells(c.images, c.after) for c in known])
    if len(before) * len(after) > PAIRS:
        return []
    meanings = meanings_of(known, hierarchies, types)
    partners = {row: _holding(row, after, meanings) for row in before}
    met = {place for places in partners.values() for place in places}
    if not all(partners.values()) or len(met) < len(after):
        return []
    what = (
        "each row may be one of the original's with its quasi-identifiers generalized:"
        " a release by tuples in another order, which is only read where it is known"
        " which rows belong together"
    )
    return [Problem(release.source, what, HINT)]


def _cells(labels: Values, codes: Iterable[int]) -> list[str | None]:
    return [labels[code] for code in codes]


def _rows(rests: list[int], columns: Iterable[list[str | None]]) -> list[Row]:
    """The distinct rows, in their order."""
    rows = zip(rests, zip(*columns, strict=True), strict=True)
    return list(dict.fromkeys(rows))


def _holding(
    row: Row, released: Sequence[Row], meanings: Sequence[CellMeaning]
) -> list[Row]:
    """The released rows that an original one may have become."""
    rest, values = row
    return [
        other
        for other in released
        if other[0] == rest and _contains(other[1], values, meanings)
    ]


def _contains(cells: Values, values: Values, meanings: Sequence[CellMeaning]) -> bool:
    triples = zip(meanings, cells, values, strict=True)
    return all(meaning.contains(cell, value) for meaning, cell, value in triples)
