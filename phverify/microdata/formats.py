"""By the ending of a file's name, how it is read; which of its tables is meant; what
stands for many files.
"""

from __future__ import annotations

import fnmatch
import glob
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.spec.source import File

PARQUET = (".parquet", ".pq")
FEATHER = (".feather", ".arrow", ".ipc")
DATABASES = (".sqlite", ".sqlite3", ".db", ".duckdb")
WORKBOOKS = (".xlsx", ".xlsm")
TEXTS = ("", ".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
"""How the names of files end that are written as CSV; any other one is read as it."""
SURVEYS = (".sav", ".zsav", ".por", ".sas7bdat", ".xpt", ".dta")
"""The files of SPSS, SAS and Stata."""
SEVERAL = (*DATABASES, *WORKBOOKS)
"""Files that hold several tables."""
NO_CSV = (*PARQUET, *FEATHER, *SEVERAL, *SURVEYS)


@dataclass(frozen=True)
class NamedTable:
    """One table of a file that holds several: a table of a database, or a sheet of a
    workbook.
    """

    file: File
    table: str

    def __str__(self) -> str:
        return f"{self.file}, {self.table}"


def is_pattern(source: object) -> bool:
    """Whether a source stands for many files: a folder, or a name with * or ? where
    there is no file that is called so.
    """
    # To Path "" would be the current folder.
    if not isinstance(source, str | PathLike) or source == "":
        return False
    path = Path(source)
    try:
        if path.is_dir():
            return True
        return glob.has_magic(str(path)) and not path.exists()
    except OSError:
        return False


def would_join(source: Any, path: Path) -> bool:
    """Whether a file written to ``path`` is one of those that a pattern stands for."""
    # of a relative ** the folder itself is no match
    pattern = Path(source).absolute()
    if path.name.startswith((".", "_")):
        return False
    if pattern.is_dir():
        return path.suffix.lower() in PARQUET and path.parent.samefile(pattern)
    folders = glob.glob(str(pattern.parent), recursive=True)
    here = any(path.parent.samefile(folder) for folder in folders)
    return here and fnmatch.fnmatch(path.name, pattern.name)


def matching(source: Any) -> list[Path]:
    """The files that a pattern stands for, in the order of their names.

    In a folder those of Parquet are meant; names that begin with . or _ are no data.
    """
    path = Path(source)
    if path.is_dir():
        found = [file for file in path.iterdir() if file.suffix.lower() in PARQUET]
    else:
        found = [Path(name) for name in glob.glob(str(path), recursive=True)]
    hidden = (".", "_")
    data = [file for file in found if not file.name.startswith(hidden)]
    return sorted((file for file in data if file.is_file()), key=str)
