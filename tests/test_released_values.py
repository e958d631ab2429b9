"""Values that were told apart when a release was decided are told apart in it, as a frame
and as a file; else it is refused, and no file is there.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.errors import InputError

BIG = 2**53
DAY = datetime.date(2020, 1, 1)
MIDNIGHT = datetime.datetime(2020, 1, 1)
FIVE = datetime.datetime(2020, 1, 1, 5)
MIXED: dict[str, list[Any]] = {
    "missing": [BIG + 1, BIG, None],
    "floats": [BIG + 1, BIG, 0.5],
    "unsigned": [2**64 - 1, 2**64 - 2, -1],
    "huge": [10**30, 5, 6],
    "truth": [1.0, True, 2.5],
    "moments": [DAY, FIVE, None],
    "zones": [pd.Timestamp(MIDNIGHT, tz="UTC"), pd.Timestamp(MIDNIGHT), None],
    "zone": [pd.Timestamp(MIDNIGHT, tz="UTC"), pd.Timestamp(FIVE, tz="UTC"), None],
    "complex": [1 + 0j, 1, 2],
    "decimals": [Decimal("1.10"), 2, Decimal("1.2")],
    "texts": ["1", 1.5, "a"],
}
REFUSED = r"--output: cannot be (Parquet|Arrow): .*\n.*write CSV"


def frame_of(column: str, cells: list[Any]) -> pd.DataFrame:
    """Each cell twice in this column."""
    plain = {"q": ["x"] * 6, "f": list("ababab"), "n": range(6)}
    return pd.DataFrame({**plain, column: pd.Series(cells * 2, dtype=object)})


def policy(column: str) -> dict[str, Any]:
    columns = {"quasi": ["q"], "sensitive": ["f"], "neutral": ["n"]}
    rule = "l_diversity(f, 3)" if column == "f" else "k_anonymity(2)"
    return {"columns": columns, "rules": {"r": rule}, "rows": "same order"}


def found(how: str, frame: Any, asked: Any, **more: Any) -> Any:
    if how == "search":
        return ph.search(frame, asked, **more)
    return ph.anonymize(frame, policy=asked, budget=3)


@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("column", ["q", "f", "n"])
def test_a_release_has_the_values_that_were_decided(
    column: str, kind: str, tmp_path: Path
) -> None:
    frame = frame_of(column, MIXED[kind])
    asked = policy(column)
    result = found("search", frame, asked)
    assert result.verdict == "optimal"
    assert ph.verify(result.release, asked, original=frame).verdict == "proved"
    for ending in ("csv", "parquet", "feather"):
        path = tmp_path / f"release.{ending}"
        try:
            result.write(path)
        except InputError as error:
            assert ending != "csv"
            assert str(error).startswith("--output: cannot be ")
            assert not [*tmp_path.glob(f"*{ending}*")]
        else:
            assert ph.verify(path, asked, original=frame).verdict == "proved"


@pytest.mark.parametrize("kind", ["missing", "floats"])
def test_so_has_one_by_tuples(kind: str) -> None:
    frame = frame_of("f", MIXED[kind])
    release = found("anonymize", frame, policy("f")).release
    assert release["f"].tolist() == frame["f"].tolist()


@pytest.mark.parametrize("kind", ["huge", "unsigned", "truth", "moments", "zones"])
def test_what_a_file_would_merge_is_refused(kind: str, tmp_path: Path) -> None:
    result = found("search", frame_of("f", MIXED[kind]), policy("f"))
    for ending in ("parquet", "feather"):
        with pytest.raises(InputError, match=REFUSED):
            result.write(tmp_path / f"release.{ending}")
    assert not [*tmp_path.iterdir()]


def test_dates_that_moments_would_become_are_refused() -> None:
    """Without the record that has a time of day, moments read as dates."""
    cells = [DAY, MIDNIGHT, FIVE]
    frame = pd.DataFrame({"q": [*"xxy"], "f": pd.Series(cells, dtype=object)})
    asked = {**policy("q"), "columns": {"quasi": ["q"], "sensitive": ["f"]}}
    result = found("search", frame, asked, suppress="1/2")
    assert result.suppressed == 1
    with pytest.raises(
        InputError, match=r"'f' would not keep its values.*\n.*one type"
    ):
        _ = result.release


def test_one_value_is_released_in_one_way() -> None:
    frame = frame_of("f", [1, "1", "a"])
    cells = found("search", frame, policy("q")).release["f"]
    assert cells.tolist() == [1, 1, "a"] * 2
