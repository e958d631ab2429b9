"""A release is a frame of the library that the table's was of, of its columns and
types.
"""

from __future__ import annotations

import datetime
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import phverify as ph
from phverify.cli.main import main
from phverify.errors import InputError

ROWS = {
    "age": [31, 32, 33, 41, 42, None],
    "born": [datetime.date(1990, 1, day) for day in (1, 2, 3, 4, 5, 6)],
    "sex": ["m", "m", "m", "f", "f", "x"],
    "ill": ["flu", "cold", "flu", "cold", "flu", "none"],
    "score": [2**53 + 1, None, 3, 4, 5, 6],
    "part": [0.5, None, 2.0, 1.0, 1.0, 1.0],
}
TABLE = pl.DataFrame(
    ROWS, schema_overrides={"ill": pl.Enum(["flu", "cold", "none", "plague"])}
)
POLICY = {
    "columns": {"quasi": ["age", "sex"], "sensitive": ["ill"], "neutral": ["born", "score", "part"]},
    "rules": {"k": "k_anonymity(2)"},
}  # fmt: skip


def pandas_table() -> pd.DataFrame:
    """The same, whose integers are no floats."""
    frame = TABLE.to_pandas()
    for name in ("age", "score"):
        frame[name] = pd.array(ROWS[name], dtype="Int64")
    return frame


def anonymized(table: Any) -> Any:
    return ph.anonymize(
        table,
        ["age", "sex"],
        ["ill"],
        k=2,
        neutral=["born", "score", "part"],
        suppress="1/5",
        gap="1/2",
        budget=4,
    )


def texts(frame: Any) -> dict[str, list[str | None]]:
    from phverify.microdata.read import read

    return {name: column.cells() for name, column in read(frame).columns.items()}


def test_polars_in_polars_out() -> None:
    result = anonymized(TABLE)
    release = result.release
    assert isinstance(release, pl.DataFrame)
    assert release.columns == TABLE.columns
    assert len(release) in (5, 6)
    assert release.schema["born"] == pl.Date
    assert release.schema["score"] == pl.Int64
    assert release.schema["age"] == pl.String
    # the values of an enumeration are no one's to know
    assert release.schema["ill"] == pl.String
    assert release["score"][0] == 2**53 + 1
    assert result.report.verdict == "proved"
    assert isinstance(anonymized(TABLE.lazy()).release, pl.DataFrame)


def test_the_library_plays_no_part_in_the_answer() -> None:
    policy = ph.Policy.from_dict(POLICY)
    expected = ph.search(pandas_table(), policy, suppress="1/5")
    assert isinstance(expected.release, pd.DataFrame)
    tables = [TABLE, TABLE.to_arrow(), TABLE.to_arrow().to_reader(), duckdb.connect().from_arrow(TABLE.to_arrow())]  # fmt: skip
    for table in tables:
        found = ph.search(table, policy, suppress="1/5")
        assert found.cost == expected.cost
        assert texts(found.release) == texts(expected.release)


def test_a_new_order_plays_no_part() -> None:
    policy = ph.Policy.from_dict(POLICY)
    expected = ph.search(pandas_table(), policy, suppress="1/5", shuffle=3).release
    found = ph.search(TABLE, policy, suppress="1/5", shuffle=3).release
    assert texts(found) == texts(expected)
    assert texts(found) != texts(ph.search(TABLE, policy, suppress="1/5").release)


def test_medians_keep_their_type() -> None:
    release = ph.anonymize(
        TABLE.drop_nulls("age"), ["age"], neutral=["sex", "ill", "born", "score", "part"],
        k=2, publish="median", gap="1/2", budget=4,
    ).release  # fmt: skip
    assert release.schema["age"] == pl.Int64
    assert len(set(release["age"])) < 5


def test_types_are_found_by_those_of_the_frame() -> None:
    for table in (TABLE, TABLE.to_arrow(), pandas_table()):
        release = anonymized(table).release
        ranges = [text for text in texts(release)["age"] if text != "*"]
        assert any("-" in str(text) for text in ranges)


def test_arrow_in_arrow_out() -> None:
    codes = pa.array([0, 1, 0, 1, 0, 2])
    # an entry that no row has is no one's to know
    dictionary = pa.DictionaryArray.from_arrays(
        codes, ["flu", "cold", "none", "plague"]
    )
    table = TABLE.to_arrow().set_column(3, "ill", dictionary)
    policy = {**POLICY, "rules": {"k": "k_anonymity(3)"}}
    result = ph.search(table, ph.Policy.from_dict(policy), suppress="1/6")
    release = result.release
    assert isinstance(release, pa.Table)
    assert release.column_names == table.column_names
    assert release.schema.field("born").type == pa.date32()
    kept = release.column("ill").combine_chunks()
    assert pa.types.is_dictionary(kept.type)
    assert set(kept.dictionary.to_pylist()) == set(release.column("ill").to_pylist())


def test_what_duckdb_gives_comes_back_as_arrow() -> None:
    relation = duckdb.connect().from_arrow(TABLE.to_arrow())
    result = ph.search(relation, ph.Policy.from_dict(POLICY), suppress="1/5")
    assert isinstance(result.release, pa.Table)


def test_verify_and_reidentify_take_frames() -> None:
    policy = ph.Policy.from_dict(POLICY)
    for frame in (TABLE, TABLE.lazy(), TABLE.to_arrow().to_reader()):
        report = ph.verify(frame, policy)
        assert report.verdict == "refuted"
    risk = ph.reidentify(TABLE, TABLE.to_arrow(), policy)
    assert risk.to_dict() == ph.reidentify(pandas_table(), TABLE, policy).to_dict()


def test_dates_with_times_are_told() -> None:
    table = TABLE.with_columns(
        born=pl.col("born").cast(pl.Datetime) + pl.duration(hours=3)
    )
    with pytest.raises(InputError, match="'born' has times of day"):
        ph.anonymize(table, ["born"], k=2)


def test_parquet_keeps_its_integers(tmp_path: Path) -> None:
    pa.parquet.write_table(TABLE.to_arrow(), tmp_path / "t.parquet")
    policy = ph.Policy.from_dict(POLICY)
    release = ph.search(tmp_path / "t.parquet", policy, suppress="1/5").release
    assert isinstance(release, pd.DataFrame)
    assert release["score"].tolist()[0] == 2**53 + 1
    assert str(release["score"].dtype) == "Int64"


def test_a_released_csv_has_the_texts_that_were_decided(tmp_path: Path) -> None:
    pa.parquet.write_table(TABLE.to_arrow(), tmp_path / "t.parquet")
    (tmp_path / "p.toml").write_text(
        '[columns]\nquasi = ["age", "sex"]\nsensitive = ["ill"]\n'
        'neutral = ["born", "score", "part"]\n[rules]\nk = "k_anonymity(2)"\n'
    )
    code = main(
        [
            *("search", str(tmp_path / "t.parquet"), "--policy", str(tmp_path / "p.toml")),
            *("--output", str(tmp_path / "out.csv")),
        ]
    )  # fmt: skip
    assert code == 0
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert (
        lines[1].endswith(",1990-01-01,*,flu,9007199254740993,0.5")
        or "1990-01-01" in lines[1]
    )
    assert lines[2].endswith(",cold,,")
    assert lines[3].endswith(",flu,3,2")
    written = main(
        [
            *("search", str(tmp_path / "t.parquet"), "--policy", str(tmp_path / "p.toml")),
            *("--output", str(tmp_path / "out.parquet")),
        ]
    )  # fmt: skip
    assert written == 0
    schema = pa.parquet.read_schema(tmp_path / "out.parquet")
    assert schema.field("score").type == pa.int64()
    assert schema.field("born").type == pa.date32()


EXAMPLES = Path(ph.__file__).parent / "examples" / "bank"


@pytest.mark.parametrize("kind", ["polars", "lazy", "Arrow", "pandas", "DuckDB"])
def test_a_frame_is_audited_like_its_file(kind: str) -> None:
    table = pl.read_csv(EXAMPLES / "accounts.csv")
    frames = {
        "polars": lambda: table,
        "lazy": lambda: table.lazy(),
        "Arrow": lambda: table.to_arrow().to_reader(),
        "pandas": lambda: table.to_pandas().set_index(
            pd.Index([*range(len(table))]) * 3
        ),
        "DuckDB": lambda: duckdb.connect().from_arrow(table.to_arrow()),
    }
    asked = (EXAMPLES / "queries.sql", EXAMPLES / "audit.toml")
    expected = ph.audit(EXAMPLES / "accounts.csv", *asked, first=True)
    found = ph.audit(frames[kind](), *asked, first=True)
    assert found.source == "the frame"
    told = replace(found, source=expected.source)
    assert strip(told.to_dict()) == strip(expected.to_dict())


def strip(found: dict[str, Any]) -> dict[str, Any]:
    """All but how long it took."""
    return {
        key: value
        for key, value in found.items()
        if key not in ("seconds", "steps", "stages")
    }


def test_a_frame_that_cannot_be_audited() -> None:
    mixed = pd.DataFrame({"name": ["a", 1]})
    with pytest.raises(InputError, match="cells of several types"):
        ph.audit(mixed, [], EXAMPLES / "audit.toml")
    with pytest.raises(InputError, match="twice: 'name'"):
        ph.audit(pa.table({"name": [1], "Name": [2]}), [], EXAMPLES / "audit.toml")
    wide = pa.table({"name": pa.array([Decimal(1)], pa.decimal256(60, 0))})
    with pytest.raises(InputError, match="DuckDB does not take this frame"):
        ph.audit(wide, [], EXAMPLES / "audit.toml")


def test_links_and_certificates_take_frames() -> None:
    policy = ph.Policy.from_dict(POLICY)
    result = ph.search(TABLE, policy, suppress="1/5")
    checked = ph.check(result.make_certificate(), table=TABLE.lazy(), policy=policy)
    assert checked.accepted
    lint = ph.lint(policy, TABLE)
    assert lint.to_dict() == ph.lint(policy, TABLE.to_arrow()).to_dict()
