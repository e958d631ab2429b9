"""Writes every file below encodings/ but the theorems: run ``python
encodings/generate.py``, or ``make encodings``.

``tests/test_encodings.py`` fails when a file is stale, missing or left over.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from pages import (  # noqa: E402
    audit,
    belief_compatibility,
    certificates,
    criteria,
    likelihoods,
    merge_closure,
    minimal_generalization,
    release_models,
    schemas,
)
from pages.common import File  # noqa: E402

PAGES = (
    release_models,
    schemas,
    likelihoods,
    criteria,
    merge_closure,
    minimal_generalization,
    certificates,
    belief_compatibility,
    audit,
)
INDEX = "FILES.md"


def files() -> list[File]:
    """All files, page by page.  Raises ValueError when two have one name."""
    found = [file for page in PAGES for file in page.files()]
    if len({file.path for file in found}) < len(found):
        raise ValueError("two files have one name")
    return found


def texts() -> dict[str, str]:
    """The content of every generated file by its path below encodings/."""
    found = files()
    return {
        INDEX: "\n".join(index(found)) + "\n",
        **{file.path: file.content for file in found},
    }


def index(found: list[File]) -> Iterator[str]:
    """The table of all files."""
    counts = {
        status: sum(file.status == status for file in found)
        for status in ("unsat", "sat")
    }
    yield "# All files\n"
    yield (
        f"Generated: {len(found)} files, {counts['unsat']} unsat and {counts['sat']}"
        " sat."
    )
    folder = ""
    for file in found:
        here, _, name = file.path.rpartition("/")
        if here != folder:
            folder = here
            yield (
                f"\n## {folder}\n\n[The page]({folder}.md)\n\n| file | status |"
                " question |\n|---|---|---|"
            )
        yield f"| [{name}]({file.path}) | {file.status} | {_cell(file.title)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def main() -> None:
    """Write the files, and delete those that are no longer generated."""
    found = texts()
    for path in sorted({(HERE / name).parent for name in found}):
        path.mkdir(exist_ok=True)
        for old in path.glob("*.smt2"):
            if str(old.relative_to(HERE)) not in found:
                old.unlink()
    for name, content in found.items():
        (HERE / name).write_text(content, encoding="utf-8")
    print(f"{len(found)} files below {HERE}")


if __name__ == "__main__":
    main()
