"""Files that are damaged, cut off, or written to while they are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import phverify as ph

POLICY: dict[str, Any] = {
    "columns": {"quasi": ["q"], "sensitive": ["f"]},
    "rules": {"k": "k_anonymity(3)", "l": "l_diversity(f, 2)"},
}
ROWS = 20_000
TABLE = pd.DataFrame(
    {
        # All classes but one have many rows.
        "q": [f"v{i % 1000:05}x{i % 7}" for i in range(ROWS - 1)] + ["alone"],
        "f": [f"f{i % 977}" for i in range(ROWS)],
    }
)
FEW = TABLE.iloc[:10]


def written(folder: Path, table: pd.DataFrame, ending: str) -> Path:
    """A release of this ending: a file, or a folder of two."""
    if ending == "folder":
        path = folder / "release"
        path.mkdir(exist_ok=True)
        for name in ("1.parquet", "2.parquet"):
            table.to_parquet(path / name)
        return path
    path = folder / f"t.{ending}"
    if ending == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)
    return path


def last_file(path: Path) -> Path:
    """The file of a release, or the last of them."""
    return path / "2.parquet" if path.is_dir() else path


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
@pytest.mark.parametrize("ending", ["parquet", "folder"])
def test_a_damaged_page(tmp_path: Path, ending: str, engine: str) -> None:
    """The end of the file, which says what is in it, is as it was."""
    path = written(tmp_path, TABLE, ending)
    file = last_file(path)
    content = file.read_bytes()
    third = len(content) // 3
    file.write_bytes(content[:third] + bytes(200) + content[third + 200 :])
    with pytest.raises(ph.InputError, match=rf"{file.name}.*[Ss]nappy"):
        ph.verify(path, POLICY, engine=engine)


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("parquet", r"t.parquet: is no readable Parquet file"),
        ("folder", r"2.parquet: is no readable Parquet file"),
        ("csv", r"t.csv: line \d+ has 1 field where the header has 2"),
    ],
)
def test_half_a_file(tmp_path: Path, ending: str, said: str, engine: str) -> None:
    path = written(tmp_path, TABLE, ending)
    file = last_file(path)
    content = file.read_bytes()
    half = content[: len(content) // 2]
    # Within the first field of a row.
    file.write_bytes(half[: half.rfind(b"\n") + 3] if ending == "csv" else half)
    with pytest.raises(ph.InputError, match=said):
        ph.verify(path, POLICY, engine=engine)


def removed(file: Path) -> None:
    file.unlink()


def replaced(file: Path) -> None:
    """Another table, of fewer rows."""
    ending = file.suffix[1:]
    if ending == "csv":
        FEW.to_csv(file, index=False)
    else:
        FEW.to_parquet(file)


def extended(file: Path) -> None:
    """A row more, as a program does that still writes."""
    with file.open("ab") as end:
        end.write(b"z,z\n")


CHANGES = [
    ("csv", replaced, "was changed while it was read"),
    ("csv", extended, "was changed while it was read"),
    ("parquet", replaced, "was changed while it was read"),
    ("folder", replaced, "was changed while it was read"),
    ("folder", removed, "cannot be read: No such file"),
]


@pytest.mark.parametrize(("ending", "change", "said"), CHANGES)
def test_a_release_that_is_written_to_before_its_witness_is_known(
    tmp_path: Path, ending: str, change: Callable[[Path], None], said: str
) -> None:
    """What was counted is no longer there: no row of another table is shown."""
    path = written(tmp_path, TABLE, ending)

    def meanwhile(step: str) -> None:
        if step == "counting classes":
            change(last_file(path))

    with pytest.raises(ph.InputError, match=rf"{last_file(path).name}: {said}"):
        ph.verify(path, POLICY, engine="duckdb", progress=meanwhile)


@pytest.mark.parametrize("ending", ["csv", "parquet", "folder"])
def test_rows_in_memory_are_read_once(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path, TABLE, ending)
    before = ph.verify(path, POLICY, engine="pandas")

    def meanwhile(step: str) -> None:
        if step == "counting classes":
            replaced(last_file(path))

    after = ph.verify(path, POLICY, engine="pandas", progress=meanwhile)
    told = [(rule.verdict, rule.witness) for rule in after.rules]
    assert told == [(rule.verdict, rule.witness) for rule in before.rules]
