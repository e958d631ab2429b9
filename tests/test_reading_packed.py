"""What is said of texts in other encodings and of other files, packed or piped: the
commands that are named work as they are typed.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from phverify.errors import InputError
from phverify.microdata.files import TableFile
from phverify.microdata.read import read

TEXT = "zip,s\n1,é\n1,b\n"
PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def hint(source: object) -> str:
    with pytest.raises(InputError) as error:
        read(source)
    return error.value.problems[0].hint


def packed(path: Path, content: bytes) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("table.csv", content)
    else:
        pack = PACK.get(path.suffix, bytes)
        path.write_bytes(pack(content))
    return path


def typed(command: str, folder: Path) -> None:
    subprocess.run(command, shell=True, check=True, cwd=folder)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.bz2", ".csv.xz"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin1"])
def test_texts_are_converted_by_the_command(
    ending: str, encoding: str, tmp_path: Path
) -> None:
    path = packed(tmp_path / f"my table{ending}", TEXT.encode(encoding))
    command = hint(path).removeprefix("convert it, for example: ")
    typed(command, tmp_path)
    assert read(tmp_path / "utf8.csv").columns["s"].cells() == ["é", "b"]


def test_an_archive_names_unzip(tmp_path: Path) -> None:
    path = packed(tmp_path / "table.zip", TEXT.encode("utf-16"))
    said = f"unzip -p {path} | iconv -f utf-16 -t utf-8 > utf8.csv"
    assert hint(path) == f"convert it, for example: {said}"


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.bz2", ".csv.xz"])
def test_packed_parquet_is_unpacked_by_the_command(ending: str, tmp_path: Path) -> None:
    plain = tmp_path / "plain.parquet"
    pd.DataFrame({"zip": ["1", "1"]}).to_parquet(plain)
    path = packed(tmp_path / f"table{ending}", plain.read_bytes())
    command = hint(path).removeprefix("unpack it: ")
    typed(command, tmp_path)
    assert read(tmp_path / "table.parquet").rows == 2


def test_what_is_piped(tmp_path: Path) -> None:
    def piped(content: bytes) -> str:
        return hint(TableFile("standard input", content))

    start = "convert it on its way here, for example: .. | iconv -f"
    assert piped(TEXT.encode("utf-16")) == f"{start} utf-16 -t utf-8 | phverify .."
    assert piped(TEXT.encode("latin1")) == f"{start} latin1 -t utf-8 | phverify .."
    unpacked = "unpack it on its way here: .. | gzip -dc | phverify .."
    assert piped(gzip.compress(b"zip\n1\n")) == unpacked
    saved = "save it as a file whose name ends in {}, by which it is read"
    assert piped(b"PAR1\x15\x00\x00") == saved.format(".parquet")
    archive = packed(tmp_path / "t.zip", b"zip\n1\n").read_bytes()
    assert piped(archive) == saved.format(".csv.zip")


def test_other_names_of_plain_files(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(gzip.compress(b"zip\n1\n"))
    assert hint(path) == "give its name the ending .csv.gz, by which it is read"
