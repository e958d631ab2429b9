"""Tables as they come: through pipes, packed, in other encodings, or no tables at all."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from phverify import verify
from phverify.errors import InputError
from phverify.microdata.read import read
from phverify.policy.model import Policy

CONTENT = b"zip,illness\n10,flu\n10,cold\n20,flu\n"
COLUMNS = {"quasi": ["zip"], "sensitive": ["illness"]}
POLICY = Policy.from_dict({"columns": COLUMNS, "rules": {"k": "k_anonymity(1)"}})


def zipped(content: bytes, names: tuple[str, ...] = ("table.csv",)) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, content)
    return buffer.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "table.csv.gz": gzip.compress,
    "table.tsv.gz": lambda content: gzip.compress(content.replace(b",", b"\t")),
    "table.csv.bz2": bz2.compress,
    "table.csv.xz": lzma.compress,
    "table.csv.zip": zipped,
}


@pytest.mark.parametrize("name", PACKED)
def test_packed_tables_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(PACKED[name](CONTENT))
    table = read(tmp_path / name)
    assert table.column("illness").cells() == ["flu", "cold", "flu"]


@pytest.mark.parametrize("name", PACKED)
def test_packed_tables_that_are_cut_off(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(PACKED[name](CONTENT)[:-9])
    with pytest.raises(InputError, match=r"cannot be (unpacked|read)"):
        read(tmp_path / name)


def test_an_archive_holds_one_table(tmp_path: Path) -> None:
    (tmp_path / "two.zip").write_bytes(zipped(CONTENT, ("a.csv", "b.csv")))
    with pytest.raises(InputError, match="the archive holds 2 files"):
        read(tmp_path / "two.zip")


def test_pipes_and_standard_input(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(
        '[columns]\nquasi = ["zip"]\nsensitive = ["illness"]\n[rules]\n'
        'k = "k_anonymity(1)"\n'
    )

    def ran(*given: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "phverify", "verify", *given]
        command += ["--policy", "policy.toml"]
        done = subprocess.run(
            command, input=CONTENT, capture_output=True, cwd=tmp_path, check=False
        )
        return done.returncode, (done.stdout + done.stderr).decode()

    for source in ("-", "/dev/stdin"):
        code, said = ran(source)
        assert code == 0
        assert ": 3 rows, 2 classes" in said
    code, said = ran("-", "--original", "-")
    assert code == 2
    assert "two cannot both be -" in said
    code, said = ran("-", "--certificate", "c.json")
    assert code == 2
    assert "a certificate is about CSV files" in said


OTHERS = {
    "an Excel workbook (.xlsx)": zipped(b"a", ("[Content_Types].xml", "xl/book.xml")),
    "a spreadsheet (.ods)": zipped(b"x", ("mimetype.opendocument",)),
    "a zip archive": zipped(CONTENT),
    "an Excel workbook (.xls)": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(80),
    "a Parquet file": b"PAR1\x15\x04\x15\x00 PAR1",
    "a file packed by gzip": gzip.compress(CONTENT),
    "a picture (PNG)": b"\x89PNG\r\n\x1a\n\x00\x00",
    "an SQLite database": b"SQLite format 3\x00\x10\x00",
    "a binary file, or text in UTF-16": CONTENT.decode().encode("utf-16-le"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_csv_is_said_to_be_what_it_is(tmp_path: Path, kind: str) -> None:
    (tmp_path / "table.csv").write_bytes(OTHERS[kind])
    with pytest.raises(InputError) as caught:
        read(tmp_path / "table.csv")
    assert f"is no CSV: it seems to be {kind}" in str(caught.value)
    assert "iconv" not in str(caught.value)


def test_text_that_begins_like_another_kind(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(b"PAR1,GIF8\n1,2\n")
    assert list(read(tmp_path / "table.csv").columns) == ["PAR1", "GIF8"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_other_unicode_is_called_by_name(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "table.csv").write_bytes(CONTENT.decode().encode(encoding))
    with pytest.raises(InputError, match=f"iconv -f {encoding} -t utf-8 .*table.csv"):
        read(tmp_path / "table.csv")


def test_a_cell_that_is_too_long(tmp_path: Path) -> None:
    long_cell = b"x" * (csv.field_size_limit() + 1)
    (tmp_path / "table.csv").write_bytes(CONTENT + b"30," + long_cell + b"\n")
    with pytest.raises(InputError, match="line 5 begins a cell of more than 131,072"):
        read(tmp_path / "table.csv")


def test_integers_of_which_pandas_made_floats(tmp_path: Path) -> None:
    section = {"columns": COLUMNS, "types": {"illness": "integer"}}
    policy = Policy.from_dict({**section, "rules": {"k": "k_anonymity(1)"}})
    (tmp_path / "table.csv").write_text("zip,illness\n10,12.0\n10,\n")
    with pytest.raises(InputError, match="dtype=str"):
        verify(tmp_path / "table.csv", policy)
    # In memory they are what they were: 12.0 is read as 12.
    frame = pd.DataFrame({"zip": ["10", "10"], "illness": [12, None]})
    assert verify(frame, policy).verdict == "proved"


def test_one_identifier_that_occurs_twice_is_found_in_linear_time() -> None:
    """Ten times the rows may take no hundred times the time."""
    policy = Policy.from_dict(
        {"columns": {**COLUMNS, "identifier": "id"}, "rules": {"k": "k_anonymity(1)"}}
    )

    def seconds(rows: int) -> float:
        names = [f"p{min(row, rows - 2)}" for row in range(rows)]
        frame = pd.DataFrame({"id": names, "zip": "1", "illness": "flu"})
        started = time.process_time()
        with pytest.raises(InputError, match=f"'p{rows - 2}' occurs twice"):
            verify(frame, policy)
        return time.process_time() - started

    seconds(100)
    assert seconds(40_000) < 40 * seconds(4_000) + 1


ALIKE = ["flu", "Flu", "flu ", "fl\u200bu", "fl\u00a0u", "caf\u00e9", "cafe\u0301"]


def test_values_that_look_alike_are_warned_of() -> None:
    frame = pd.DataFrame({"zip": "1", "illness": [*ALIKE, "gout"]})
    report = verify(frame, POLICY)
    (warning,) = report.warnings
    assert "values of 'illness' look alike" in warning
    assert r"'flu', 'Flu', 'flu ', 'fl\u200bu'; 'café', 'cafe\u0301'" in warning
    assert warning in report.to_dict()["warnings"]
    assert report.verdict == "proved"
    (hidden,) = verify(frame, POLICY, redact=True).warnings
    assert hidden.endswith("count as different values (2 groups)")


def test_values_that_differ_are_not_warned_of() -> None:
    frame = pd.DataFrame({"zip": ["1", "01", "10", "1 0"], "illness": "flu"})
    assert verify(frame, POLICY).warnings == ()


def test_missing_quasi_identifiers_are_warned_of() -> None:
    frame = pd.DataFrame({"zip": ["1", None, None], "illness": "flu"})
    (warning,) = verify(frame, POLICY).warnings
    assert warning.startswith("2 cells of the quasi-identifier 'zip' are missing: a")


def test_messages_about_rows_name_the_table(tmp_path: Path) -> None:
    (tmp_path / "before.csv").write_bytes(CONTENT)
    (tmp_path / "after.csv").write_bytes(CONTENT.replace(b"20,flu", b"20,gout"))
    with pytest.raises(InputError, match=r"after\.csv, row 3: illness is 'flu' in"):
        verify(tmp_path / "after.csv", POLICY, tmp_path / "before.csv")


def test_rows_that_are_paired_have_two_numbers() -> None:
    policy = Policy.from_dict(
        {"columns": {**COLUMNS, "identifier": "id"}, "rules": {"k": "k_anonymity(1)"}}
    )
    before = pd.DataFrame({"id": ["a", "b"], "zip": "1", "illness": ["flu", "cold"]})
    after = pd.DataFrame({"id": ["b", "a"], "zip": "1", "illness": ["gout", "flu"]})
    with pytest.raises(InputError, match=r"release, row 1 \(original, row 2\): illn"):
        verify(after, policy, before)
