"""``verify --smtlib DIR``: a folder for the questions behind a report, never one with
other people's files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from phverify.cli.terminal import write
from phverify.errors import refusal
from phverify.report.verify_smtlib import INDEX, MARK

FLAG = "--smtlib"


def smtlib_folder(name: str) -> Path:
    """The folder, checked before any work is done: new, empty, or with files of an
    earlier run only.

    Raises InputError.
    """
    if not name:
        raise refusal(FLAG, "is the name of a folder, and it is empty")
    folder = Path(name)
    if folder.exists() and not folder.is_dir():
        raise refusal(FLAG, f"{folder} is no folder")
    parent = folder if folder.exists() else folder.absolute().parent
    if not parent.is_dir():
        raise refusal(FLAG, f"the folder {parent} does not exist")
    if folder.exists() and (
        foreign := sorted(path.name for path in folder.iterdir() if not _ours(path))
    ):
        hint = (
            "name a new or an empty folder; files that phverify did not write are never"
            " overwritten"
        )
        raise refusal(FLAG, f"{folder} holds {foreign[0]!r}", hint)
    if not os.access(parent, os.W_OK):
        raise refusal(FLAG, f"the folder {parent} cannot be written to")
    return folder


def _ours(path: Path) -> bool:
    """Whether an earlier run wrote a file: its first line says so."""
    if (
        path.is_symlink()
        or not path.is_file()
        or not (path.name == INDEX or path.suffix == ".smt2")
    ):
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        # the beginning only: somebody else's file may be one long line
        return MARK.lower() in file.readline(500).lower()


def save(folder: Path, files: Mapping[str, str]) -> str:
    """Write the files of a report in place of an earlier run's, and say so.  Raises
    InputError.
    """
    try:
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            # a question of an earlier run would pass for one of this
            if _ours(path) and path.name not in files:
                path.unlink()
    except OSError as error:
        raise refusal(
            FLAG, f"{folder} cannot be written to: {error.strerror}"
        ) from None
    for name, content in files.items():
        write(folder / name, content)
    # all but the index
    queries = len(files) - 1
    return (
        f"  {queries} {'query' if queries == 1 else 'queries'} in {folder};"
        f" {folder / INDEX} says which is which"
    )
