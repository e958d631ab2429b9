"""Which rows of a release belong to which rows of its original, where something says
so.

The identifier column does, where both tables have it, and so does a policy's line
``rows = "same order"``.  Nothing else does: rows that happen to fit in their order may
fit in another one as well (see sanitization).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.exact import Ints
from phverify.microdata.table import CodedTable

SHOWN = 5


@dataclass(frozen=True, eq=False)
class Pairing:
    """``rows[x]`` is the released row of original row x; ``by`` says how that is
    known.
    """

    rows: Ints
    by: Literal["identifier", "policy"]


def pairing(
    original: CodedTable, release: CodedTable, identifier: str | None, rows: str
) -> Pairing | None:
    """Which rows belong together; None where nothing says so.

    ``rows`` is what the policy says of their order.  Raises InputError when the
    identifiers are not the same people's, or speak against the policy.
    """
    if original.rows != release.rows:
        return None
    in_order = np.arange(original.rows)
    sources = by_identifier(original, release, identifier)
    if sources is None:
        if rows == "same order":
            return Pairing(in_order, "policy")
        return None
    if rows == "same order" and not np.array_equal(sources, in_order):
        row = int(np.flatnonzero(sources != in_order)[0])
        what = (
            f'the policy says rows = "same order", and record {row + 1} has the'
            " identifier of record "
        )
        what += f"{sources[row] + 1} of the original"
        raise refusal(f"{release.source}, {identifier}", what)
    # The inverse: from original rows to released ones.
    return Pairing(np.argsort(sources), "identifier")


def by_identifier(
    original: CodedTable, release: CodedTable, name: str | None
) -> Ints | None:
    """The original record of each released record, by the identifier column of both;
    None where there is none.

    Raises InputError for identifiers that are not those of the same people.
    """
    if name is None or name not in original.columns or name not in release.columns:
        return None
    before, problems = _places(original, name)
    after, more = _places(release, name)
    problems += more
    for label in [label for label in after if label not in before][:SHOWN]:
        what = f"the identifier {label!r} is none of the original"
        place = f"{release.source}, record {after[label] + 1}, {name}"
        problems.append(
            Problem(
                place, what, nearest(label, list(before)[:10_000], "identifiers"), True
            )
        )
    if problems:
        raise InputError(problems)
    return np.array([before[label] for label in after], dtype=np.int64)


def _places(table: CodedTable, name: str) -> tuple[dict[str, int], Problems]:
    """The row of each identifier, in the order of the rows; each must stand in one
    row.
    """
    column = table.columns[name]
    places: dict[str, int] = {}
    problems = []
    for row, code in enumerate(column.codes.tolist()):
        label = column.labels[code]
        where = f"{table.source}, record {row + 1}, {name}"
        if not label:
            problems.append(Problem(where, "the identifier is missing"))
        elif label in places:
            problems.append(
                Problem(
                    where,
                    f"the identifier {label!r} occurs twice",
                    "one record each",
                    True,
                )
            )
        places[label or ""] = row
    return places, problems[:SHOWN]
