"""A frame's index is published as its columns are: nobody is named by it unseen."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph
from phverify.microdata.read import read

FRAME = pd.DataFrame({"zip": ["1", "1", "2", "2"], "ill": ["a", "b", "a", "b"]})
PEOPLE = ["Ann", "Bob", "Cleo", "Dan"]
POLICY: Any = {
    "columns": {"quasi": ["zip"], "sensitive": ["ill"], "identifier": "person"},
    "rules": {"pair": "k_anonymity(2)"},
}


def indexed(**levels: list[Any]) -> pd.DataFrame:
    """The frame, with these levels as its index; a name that begins with "_" is none."""
    names = [None if name.startswith("_") else name for name in levels]
    if len(names) == 1:
        (cells,) = levels.values()
        return FRAME.set_axis(pd.Index(cells, name=names[0]), axis=0)
    index = pd.MultiIndex.from_arrays([*levels.values()], names=names)
    return FRAME.set_axis(index, axis=0)


NAMING = [
    indexed(person=PEOPLE),
    indexed(person=[4, 7, 9, 12]),
    indexed(person=[0, 1, 2, 3]),
    indexed(visit=[1, 2, 3, 4], person=PEOPLE),
    indexed(_=[0, 1, 2, 3], person=PEOPLE),
]


@pytest.mark.parametrize("frame", NAMING)
def test_the_identifier_as_index_names_everybody(frame: pd.DataFrame) -> None:
    report = ph.verify(frame, POLICY)
    assert (report.verdict, report.identified) == ("proved", "person")
    assert any("'person'" in one for one in report.warnings)
    with pytest.raises(ph.NotProved, match="identifier column 'person'"):
        ph.check_frame(frame, POLICY)


@pytest.mark.parametrize("frame", NAMING)
def test_no_check_of_pandera_passes_it(frame: pd.DataFrame) -> None:
    pandera = pytest.importorskip("pandera.pandas")
    schema = pandera.DataFrameSchema(checks=ph.pandera_check(POLICY))
    with pytest.raises(pandera.errors.SchemaError, match="identifier column 'person'"):
        schema.validate(frame)


@pytest.mark.parametrize("frame", [indexed(_=PEOPLE), indexed(_=PEOPLE, visit=PEOPLE)])
def test_texts_without_a_name_may_be_the_identifiers(frame: pd.DataFrame) -> None:
    with pytest.raises(ph.InputError, match="may be the identifier 'person'"):
        ph.check_frame(frame, POLICY)
    columns = {**POLICY["columns"]}
    del columns["identifier"]
    report = ph.verify(frame, {**POLICY, "columns": columns})
    assert any("the index is published" in one for one in report.warnings)


@pytest.mark.parametrize("name", ["zip", "ill"])
def test_no_index_has_the_name_of_a_column_with_a_role(name: str) -> None:
    for frame in (FRAME, FRAME.drop(columns=name)):
        again = frame.set_axis(pd.Index(PEOPLE, name=name), axis=0)
        with pytest.raises(ph.InputError, match=f"index has the name '{name}'"):
            ph.verify(again, POLICY)


@pytest.mark.parametrize(
    "frame",
    [
        indexed(visit=[1, 2, 3, 4]),
        indexed(_=[3, 1, 0, 2]),
        indexed(_=[1, 2, 3, 4]),
        indexed(_=[0, 1, 2, 3], __=[0, 1, 2, 3]),
    ],
)
def test_any_other_index_is_told(frame: pd.DataFrame) -> None:
    report = ph.check_frame(frame, POLICY)
    (told,) = (one for one in report.warnings if "the index is published" in one)
    assert ("'visit'" in told) == (frame.index.names == ["visit"])


@pytest.mark.parametrize("frame", [FRAME, indexed(_=[0, 1, 2, 3])])
def test_numbers_of_rows_are_nothing_to_tell(frame: pd.DataFrame) -> None:
    assert not ph.check_frame(frame, POLICY).warnings


def test_a_search_releases_no_index() -> None:
    """What is searched is no release yet: its index is left behind."""
    columns = {"quasi": ["zip"], "sensitive": ["ill"]}
    for frame in (NAMING[0], indexed(_=PEOPLE)):
        found = ph.search(frame, {**POLICY, "columns": columns})
        assert found.verdict == "optimal"
        assert not [one for one in found.warnings if "index" in one]


@pytest.mark.parametrize("name", ["person", None])
def test_the_index_of_a_file_is_a_column_of_it(
    name: str | None, tmp_path: Path
) -> None:
    """Also where pandas alone knows the types in it."""
    months = pd.period_range("2026-01", periods=4, freq="M")
    frame = indexed(**{name or "_": PEOPLE}).assign(month=months)
    frame.to_parquet(tmp_path / "release.parquet")
    names = list(read(tmp_path / "release.parquet").columns)
    assert sorted(names) == sorted(["zip", "ill", "month", name or "__index_level_0__"])
    raised = pytest.raises(ph.NotProved) if name else contextlib.nullcontext()
    with raised:
        ph.check_frame(tmp_path / "release.parquet", POLICY)
