"""What is said of released cells that say nothing of the original values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from phverify.errors import HIDDEN, Problem, nearest
from phverify.linkage.candidates.released_cells import ReleasedCells
from phverify.microdata.table import Label

Nearby = tuple[Sequence[str], str]
"""Values of the data among which the nearest are named, and what they are called."""


def unread(cells: ReleasedCells, where: str, record: int, label: Label) -> Problem:
    """Why the cell of a released record says nothing; redacted, neither the cell
    nor the record is named.
    """
    place = f"{where}, record {record}, {cells.name}"
    column = f"{where}, {cells.name}"
    if label is None:
        what = "the cell is missing, and no original value is"
        hint = (
            f"where it means suppression, write [masking] {cells.name} ="
            ' {suppressed = ["*", ""]}'
        )
        redacted = Problem(column, what, hint)
        return Problem(place, what, hint, redacted=redacted)
    what, hint, nearby = _why(cells, label)
    hidden = f"{HIDDEN} {what}"
    redacted = Problem(column, hidden, hint)
    shown = f"{label!r} {what}"
    close = nearest(label, *nearby) if nearby else hint
    return Problem(place, shown, close, True, redacted)


def _why(cells: ReleasedCells, label: str) -> tuple[str, str, Nearby | None]:
    """What a cell is not, a hint, and what values are near it where that says more
    than the hint.
    """
    masking = cells.masking
    hint = "say how the column was masked under [masking]"
    least = masking.microaggregation
    if masking.table is not None:
        made = sorted(set(chain.from_iterable(masking.table.values())))
        what = "is nothing that the table of [masking] makes of a value that occurs"
        return what, hint, (made, "it makes")
    if masking.rounding is not None:
        return f"is no multiple of {masking.rounding}", hint, None
    if masking.noise is not None:
        return "is no number, and noise is added to numbers", hint, None
    if least is not None:
        what = (
            f"is the mean of no group of {least} to {2 * least - 1} neighbours in"
            f" this column of the {cells.origin}"
        )
        hint = (
            "groups over several columns are no neighbours in each; bounds hold"
            " for them: {noise = 10}"
        )
        return what, hint, None
    if masking.swapping is not None:
        kind = "value" if masking.swapping == 1 else "number or date"
        return f"is no {kind} of the {cells.origin}", hint, None
    below = " or label of its hierarchy" if cells.hierarchy else ""
    what = (
        f"is no value of the {cells.origin}{below}, no interval, no set {{a, b}} and"
        " no mark of suppression"
    )
    return what, hint, (sorted(cells.known), "values and labels")
