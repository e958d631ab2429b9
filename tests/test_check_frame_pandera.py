"""``pandera_check``: a frame that pandera passes on is the one that was proved."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import phverify as ph

pandera = pytest.importorskip("pandera.pandas")
FRAME = pd.DataFrame({"zip": ["1", "1", "2", "2"], "ill": ["a", "b", "a", "b"]})
POLICY: Any = {
    "columns": {"quasi": ["zip"], "sensitive": ["ill"]},
    "rules": {"pair": "k_anonymity(2)"},
}
ERRORS = (pandera.errors.SchemaError, pandera.errors.SchemaErrors)


def not_a(cells: pd.Series) -> pd.Series:
    """Where a cell is not the first one: dropping the others leaves classes of one."""
    return cells != "a"


def validated(schema: Any, frame: Any = FRAME, **how: Any) -> Any:
    return schema.validate(frame, lazy=True, **how)


@pytest.mark.parametrize("place", ["schema", "column", "index"])
def test_rows_that_pandera_would_drop_refuse_the_frame(place: str) -> None:
    """What is left of a frame is another frame."""
    drops = {name: name == place for name in ("schema", "column", "index")}
    check = pandera.Check(not_a)
    column = pandera.Column(str, check, drop_invalid_rows=drops["column"])
    index = pandera.Index(int, drop_invalid_rows=drops["index"])
    schema = pandera.DataFrameSchema(
        {"ill": column},
        index=index,
        checks=ph.pandera_check(POLICY),
        drop_invalid_rows=drops["schema"],
    )
    with pytest.raises(ERRORS, match="drop_invalid_rows"):
        validated(schema)


def test_rows_dropped_further_out_refuse_the_frame() -> None:
    """A check of one schema may validate with another one."""
    inner = pandera.DataFrameSchema(checks=ph.pandera_check(POLICY))

    def passes(frame: pd.DataFrame) -> bool:
        return inner.validate(frame) is not None

    outer = pandera.DataFrameSchema(
        {"ill": pandera.Column(str, pandera.Check(not_a))},
        checks=pandera.Check(passes),
        drop_invalid_rows=True,
    )
    with pytest.raises(ERRORS, match="drop_invalid_rows"):
        validated(outer)


def test_rows_that_a_parser_changes_are_changed_before() -> None:
    def apart(cells: pd.Series) -> list[str]:
        return [f"{cell}{row}" for row, cell in enumerate(cells)]

    for where in ({"zip": pandera.Parser(apart)}, {}):
        parsers = [pandera.Parser(lambda frame: frame.assign(zip=apart(frame["zip"])))]
        columns = {
            name: pandera.Column(str, parsers=parser) for name, parser in where.items()
        }
        schema = pandera.DataFrameSchema(
            columns,
            parsers=None if where else parsers,
            checks=ph.pandera_check(POLICY),
        )
        with pytest.raises(ERRORS, match="REFUTED"):
            validated(schema)


def test_parts_of_a_frame_are_no_frame() -> None:
    """As dask does: the schema sees each partition alone, where another thread runs."""
    schema = pandera.DataFrameSchema(checks=ph.pandera_check(POLICY))
    assert validated(schema) is not None
    with pytest.raises(ERRORS, match="part of a frame"):
        schema._validate(FRAME)


def test_a_column_is_no_frame() -> None:
    schema = pandera.DataFrameSchema(
        {"zip": pandera.Column(str, ph.pandera_check(POLICY))}
    )
    with pytest.raises(ERRORS, match=r"not pandas\.Series"):
        validated(schema)


def test_frames_of_polars_are_for_check_frame() -> None:
    """pandera leaves the data of lazy ones unseen: none of polars passes here."""
    polars = pytest.importorskip("polars")
    schemas = pytest.importorskip("pandera.polars")
    frame = polars.DataFrame(FRAME.to_dict("list"))
    schema = schemas.DataFrameSchema(checks=ph.pandera_check(POLICY))
    with pytest.raises(ERRORS, match="call check_frame"):
        schema.validate(frame)
    assert ph.check_frame(frame, POLICY).verdict == "proved"


def test_a_check_that_would_only_warn_raises() -> None:
    check = ph.pandera_check({**POLICY, "rules": {"three": "k_anonymity(3)"}})
    check.raise_warning = True
    with pytest.raises(ERRORS, match="REFUTED"):
        validated(pandera.DataFrameSchema(checks=check))
