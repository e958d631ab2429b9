"""Two linkage methods of the literature that no library has: what a naive attacker, and
a well-informed one, would do.

Their outputs are links like anybody's: whether a method is sound is decided from them
in fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from phverify.errors import refusal
from phverify.spec.decimals import fraction

if TYPE_CHECKING:
    import pandas as pd


def distance_linkage(
    original: pd.DataFrame, release: pd.DataFrame, columns: Sequence[str]
) -> pd.DataFrame:
    """Every released record linked to the original one at the least Euclidean distance,
    ties evenly.

    The columns are numbers, each divided by its standard deviation in the original (the
    usual standardization of distance-based record linkage).  Needs scipy.  Raises
    InputError for columns that are no numbers.
    """
    try:
        from scipy.spatial import cKDTree  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise refusal(
            "distance_linkage", "needs scipy", "pip install 'phverify[linkage]'"
        ) from None

    before, after = (
        _numbers(frame, columns, name)
        for frame, name in ((original, "original"), (release, "release"))
    )
    scale = np.where(before.std(axis=0) > 0, before.std(axis=0), 1)
    tree = cKDTree(before / scale)
    nearest, _ = tree.query(after / scale)
    # as near up to rounding is a tie
    near = tree.query_ball_point(after / scale, nearest * (1 + 1e-9) + 1e-12)
    return _even(sorted(ties) for ties in near)


def rank_swapping_candidates(
    original: pd.DataFrame,
    release: pd.DataFrame,
    columns: Sequence[str],
    p: str | float | Fraction,
) -> pd.DataFrame:
    """The candidate sets of an attack on rank swapping (Nin, Herranz and Torra, 2008).

    Rank swapping with parameter p exchanges the values of each column among records
    whose ranks differ by at most p percent of the records.  So a released value comes
    from a record near it in rank, and a released record from one that is near in every
    column: the intersection.  A record with an empty intersection was masked in another
    way, and has no line.
    """
    before = _numbers(original, columns, "original")
    after = _numbers(release, columns, "release")
    percentage = _percent(p)
    records = len(before)
    reach = int(percentage * records / 100)
    ranked = np.sort(before, axis=0)
    everyone = set(range(records))
    candidates: list[list[int]] = []
    for values in after:
        near = _near(before, ranked, values, reach)
        in_all_columns = everyone.intersection(*near)
        rows = sorted(in_all_columns)
        candidates.append(rows)

    return _even(candidates, as_sets=True)


def _percent(p: str | float | Fraction) -> Fraction:
    """A percentage, exactly.  Raises InputError."""
    percentage = fraction(p)
    if percentage is None or not 0 <= percentage <= 100:
        raise refusal("p", f"is a percentage of the records from 0 to 100, not {p}")
    return percentage


def _near(before: Any, ranked: Any, values: Any, reach: int) -> Iterator[list[int]]:
    """For each column the records whose rank may be within reach of a value's; equal
    values share their ranks.
    """
    for value, column, rising in zip(values, before.T, ranked.T, strict=True):
        low = np.searchsorted(rising, value, "left")
        high = np.searchsorted(rising, value, "right")
        first = max(low - reach, 0)
        window = rising[first : high + reach]
        if not len(window):
            yield []
            continue
        lowest = window[0]
        highest = window[-1]
        inside = (lowest <= column) & (column <= highest)
        yield np.flatnonzero(inside).tolist()


def _numbers(frame: pd.DataFrame, columns: Sequence[str], where: str) -> Any:
    """The columns as floats.  Raises InputError for what has no distance."""
    try:
        numbers = frame[list(columns)].to_numpy(dtype=float)
    except (KeyError, ValueError) as error:
        names = ", ".join(columns)
        what = f"not every one of {names} is a column of numbers: {error}"
        raise refusal(where, what) from None

    if not np.isfinite(numbers).all():
        what = "missing and infinite numbers have no distance"
        raise refusal(where, what, "leave the records out")

    return numbers


def _even(candidates: Iterable[list[int]], as_sets: bool = False) -> pd.DataFrame:
    """One line for each candidate with an equal share, or one for each set."""
    import pandas

    lines: list[tuple[int, Any, str]] = []
    for record, members in enumerate(candidates, 1):
        rows = [k + 1 for k in members]
        if not as_sets:
            lines += [(record, row, str(Fraction(1, len(rows)))) for row in rows]
        elif rows:
            lines.append((record, "{" + " ".join(map(str, rows)) + "}", "1"))

    original = "original_rows" if as_sets else "original_row"
    names = ["released_row", original, "probability"]
    return pandas.DataFrame(lines, columns=names)
