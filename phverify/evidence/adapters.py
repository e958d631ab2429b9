"""The outputs of recordlinkage and splink as links.  Neither package is imported: their DataFrames say enough.

Both name records by labels of their own.  The release and the original that were linked tell which rows these are,
so that the links name rows by their numbers from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phverify.errors import InputError, Problem, nearest

if TYPE_CHECKING:
    import pandas as pd


def from_recordlinkage(
    found: Any, release: pd.DataFrame, original: pd.DataFrame, *, reverse: bool = False
) -> pd.DataFrame:
    """Links from what recordlinkage returns for ``index(release, original)``.

    ``found`` is the Series of ``classifier.prob(..)`` or ``predict(..)``, the DataFrame of ``compare.compute(..)``
    (the score of a pair is the sum of its features, as that package's guide has it), or the MultiIndex of the pairs
    that were classified as matches.  With ``reverse`` the pairs were made by ``index(original, release)``.
    Raises InputError for pairs whose labels are not those of the two DataFrames.
    """
    import pandas

    if isinstance(found, pandas.MultiIndex):
        found = pandas.Series(1, index=found)
    if not isinstance(getattr(found, "index", None), pandas.MultiIndex) or found.index.nlevels != 2:
        hint = "the Series of prob(..), the DataFrame of compute(..), or a MultiIndex of pairs"
        raise InputError(Problem("recordlinkage", "the result is not indexed by pairs of records", hint))
    scores = found.sum(axis=1) if isinstance(found, pandas.DataFrame) else found
    record, source = (found.index.get_level_values(k) for k in ((1, 0) if reverse else (0, 1)))
    return _links(_rows(record, release.index, "the release"), _rows(source, original.index, "the original"), scores)


def from_splink(
    found: pd.DataFrame,
    release: pd.DataFrame,
    original: pd.DataFrame,
    *,
    unique_id: str = "unique_id",
    released: str | None = None,
) -> pd.DataFrame:
    """Links from splink's ``predict().as_pandas_dataframe()`` with ``link_type = "link_only"``.

    It has the columns ``unique_id_l``, ``unique_id_r`` and ``match_probability``; which side is the release may differ
    from line to line, so that ``released`` names its ``source_dataset``.  Without it the left side is the release.
    Raises InputError for columns and identifiers that are not there.
    """
    _check(found, unique_id, released)
    one, other = found[f"{unique_id}_l"], found[f"{unique_id}_r"]
    if released is not None:
        left = found["source_dataset_l"] == released
        one, other = one.where(left, other), other.where(left, one)
    for frame, name in ((release, "the release"), (original, "the original")):
        if unique_id not in frame.columns:
            raise InputError(Problem(name, f"there is no column {unique_id!r}", nearest(unique_id, frame.columns)))
    import pandas

    return _links(
        _rows(one, pandas.Index(release[unique_id]), "the release"),
        _rows(other, pandas.Index(original[unique_id]), "the original"),
        found["match_probability"],
    )


def _check(found: pd.DataFrame, unique_id: str, released: str | None) -> None:
    """Raises InputError unless the columns are there and one side of every link is the release."""
    needed = [f"{unique_id}_l", f"{unique_id}_r", "match_probability"]
    needed += ["source_dataset_l", "source_dataset_r"] if released is not None else []
    absent = [name for name in needed if name not in found.columns]
    if absent:
        raise InputError(
            Problem("splink", f"there is no column {name!r}", nearest(name, found.columns, "its columns"))
            for name in absent
        )
    if released is not None:
        sides = (found["source_dataset_l"] == released) ^ (found["source_dataset_r"] == released)
        if not sides.all():
            known = sorted({*found["source_dataset_l"], *found["source_dataset_r"]})
            what = f"{int((~sides).sum())} links have {released!r} on no side, or on both"
            raise InputError(Problem("splink", what, nearest(released, known, "its datasets")))


def _rows(labels: Any, index: pd.Index[Any], where: str) -> Any:
    """The row numbers, from 1, that labels stand for.  Raises InputError."""
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise InputError(Problem(where, f"the label {str(twice)!r} is that of two records", "", True))
    rows = index.get_indexer(labels)
    if (rows < 0).any():
        unknown = sorted({str(label) for label in labels[rows < 0]})
        hint = nearest(unknown[0], index[:1000], "its labels")
        raise InputError(Problem(where, f"there is no record {unknown[0]!r}, and links name it", hint, True))
    return rows + 1


def _links(record: Any, original: Any, numbers: Any) -> pd.DataFrame:
    import pandas

    return pandas.DataFrame({"released_row": record, "original_row": original, "probability": numbers.to_numpy()})
