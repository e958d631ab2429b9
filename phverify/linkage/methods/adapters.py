"""The outputs of recordlinkage and splink as links.  Neither package is imported: their
DataFrames say enough.

Both name records by labels of their own.  The release and the original that were linked
tell which rows these are, so that the links name rows by their numbers from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from phverify.errors import InputError, nearest, refusal
from phverify.errors.near import no_column

if TYPE_CHECKING:
    import pandas as pd

SOURCES = ("source_dataset_l", "source_dataset_r")
"""Where splink says which data set each side of a link is of."""


def from_recordlinkage(
    found: Any,
    release: pd.DataFrame,
    original: pd.DataFrame,
    *,
    reverse: bool | None = None,
) -> pd.DataFrame:
    """Links from what recordlinkage returns for ``index(release, original)``.

    ``found`` is the Series of ``classifier.prob(..)`` or ``predict(..)``, the DataFrame
    of ``compare.compute(..)`` (the score of a pair is the sum of its features, as that
    package's guide has it), or the MultiIndex of the pairs that were classified as
    matches.  With ``reverse`` the pairs were made by ``index(original, release)``; it
    must be said where the labels of the two DataFrames do not tell which of the two it
    was. Raises InputError for pairs whose labels are not those of the two DataFrames.
    """
    import pandas

    # Pairs that a classifier took for matches have no number: each counts alike.
    if isinstance(found, pandas.MultiIndex):
        found = pandas.Series(1, index=found)
    if (
        not isinstance(getattr(found, "index", None), pandas.MultiIndex)
        or found.index.nlevels != 2
    ):
        hint = (
            "the Series of prob(..), the DataFrame of compute(..), or a MultiIndex of"
            " pairs"
        )
        raise refusal(
            "recordlinkage", "the result is not indexed by pairs of records", hint
        )
    scores = found.sum(axis=1) if isinstance(found, pandas.DataFrame) else found
    first = found.index.get_level_values(0)
    second = found.index.get_level_values(1)
    ways = {False: (first, second), True: (second, first)}
    ways = ways if reverse is None else {reverse: ways[reverse]}
    hint = (
        "reverse=False where the pairs were made by index(release, original),"
        " reverse=True where the other way round"
    )
    record, source = _only(ways, release.index, original.index, "recordlinkage", hint)
    return _links(
        _rows(record, release.index, "the release"),
        _rows(source, original.index, "the original"),
        scores,
    )


def from_splink(
    found: pd.DataFrame,
    release: pd.DataFrame,
    original: pd.DataFrame,
    *,
    unique_id: str = "unique_id",
    released: str | None = None,
) -> pd.DataFrame:
    """Links from splink's ``predict().as_pandas_dataframe()`` with ``link_type =
    "link_only"``.

    It has the columns ``unique_id_l``, ``unique_id_r`` and ``match_probability``.
    Which side is the release was splink's choice, line by line: it is the side whose
    ``source_dataset`` is ``released``.  Without ``released`` the identifiers must tell:
    taken one way round they are those of the two tables, taken the other way they are
    not. Raises InputError where that is open, and for columns and identifiers that are
    not there.
    """
    import pandas

    known = _datasets(found, unique_id, released)
    for frame, name in ((release, "the release"), (original, "the original")):
        if unique_id not in frame.columns:
            raise refusal(
                name,
                f"there is no column {unique_id!r}",
                nearest(unique_id, frame.columns),
            )

    one, other = found[f"{unique_id}_l"], found[f"{unique_id}_r"]
    ways = {"left": (one, other), "right": (other, one)}
    hint = (
        f"keep splink's columns {' and '.join(SOURCES)}, and name the release's data"
        " set: released=.."
    )
    if known:
        # Splink puts a data set left or right line by line: sides are swapped per line.
        left = {
            str(name): found[SOURCES[0]] == name
            for name in (known if released is None else [released])
        }
        ways = {
            name: (one.where(here, other), other.where(here, one))
            for name, here in left.items()
        }
        hint = (
            "name the release's data set:"
            f" released={' or released='.join(map(repr, ways))}"
        )
    after = pandas.Index(release[unique_id])
    before = pandas.Index(original[unique_id])
    one, other = _only(ways, after, before, "splink", hint)
    return _links(
        _rows(one, after, "the release"),
        _rows(other, before, "the original"),
        found["match_probability"],
    )


def _datasets(links: pd.DataFrame, unique_id: str, released: str | None) -> list[Any]:
    """The data sets of splink's links; none where it does not name them.

    Raises InputError unless the columns are there and one side of every link is the
    release.
    """
    needed = [
        f"{unique_id}_l",
        f"{unique_id}_r",
        "match_probability",
        *(SOURCES if released is not None else ()),
    ]
    absent = [
        no_column("splink", name, links.columns)
        for name in needed
        if name not in links.columns
    ]
    if absent:
        raise InputError(absent)
    # Users often drop these columns; then the identifiers must tell the sides.
    if not set(SOURCES) <= set(links.columns):
        return []
    known = sorted({*links[SOURCES[0]], *links[SOURCES[1]]})
    # a link within one data set is none of a release with its original
    within = int((links[SOURCES[0]] == links[SOURCES[1]]).sum())
    if len(known) > 2 or within:
        what = f"{within} links lie within one of {', '.join(map(repr, known))}"
        hint = (
            "link the release with its original and nothing else: link_type ="
            ' "link_only"'
        )
        raise refusal("splink", what, hint)
    if released is not None and released not in known:
        what = f"no side of a link is of the data set {released!r}"
        raise refusal("splink", what, nearest(released, known, "its datasets"))

    return known


def _only(
    ways: Mapping[Any, tuple[Any, Any]], after: Any, before: Any, where: str, hint: str
) -> tuple[Any, Any]:
    """The one way to take the two sides of the links as released and original records,
    or the nearest to one.

    Raises InputError where the labels fit in several ways.
    """
    # how many labels are those of no record
    strange = {
        name: (~one.isin(after)).sum() + (~other.isin(before)).sum()
        for name, (one, other) in ways.items()
    }
    if list(strange.values()).count(0) > 1:
        what = (
            "which side of the links is the release is open: their labels are records"
            " of both tables either way"
        )
        raise refusal(where, what, hint)

    return ways[min(ways, key=strange.__getitem__)]


def _rows(labels: Any, index: pd.Index[Any], where: str) -> Any:
    """The row numbers, from 1, that labels stand for.  Raises InputError."""
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise refusal(
            where, f"the label {str(twice)!r} is that of two records", "", True
        )
    rows = index.get_indexer(labels)
    # pandas says -1 for a label that is not there.
    if (rows < 0).any():
        unknown = sorted({str(label) for label in labels[rows < 0]})
        hint = nearest(unknown[0], index[:1000], "its labels")
        raise refusal(
            where, f"there is no record {unknown[0]!r}, and links name it", hint, True
        )

    return rows + 1


def _links(record: Any, original: Any, numbers: Any) -> pd.DataFrame:
    import pandas

    return pandas.DataFrame(
        {
            "released_row": record,
            "original_row": original,
            "probability": numbers.to_numpy(),
        }
    )
