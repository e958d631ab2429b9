"""Writes every claim as SMT-LIB files, and the page that lists them.

Run ``python encodings/theorems/generate.py``; ``tests/test_theorems.py`` fails when a
file is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from theorems import (  # noqa: E402
    belief,
    entropy,
    hybrid,
    merging,
    reduction,
    taxonomy,
    transport,
)
from theorems.claim import Claim  # noqa: E402
from theorems.records import recorded  # noqa: E402
from theorems.table import page  # noqa: E402


def claims() -> tuple[Claim, ...]:
    """All claims, in the order of the page."""
    modules = (hybrid, merging, entropy, reduction, belief, transport, taxonomy)
    return tuple(recorded(claim) for module in modules for claim in module.all_claims())


def texts(found: tuple[Claim, ...]) -> dict[str, str]:
    """Files below this folder and their contents."""
    files = {file: content for claim in found for file, content in claim.texts()}
    if len(files) != sum(len(claim.queries) for claim in found):
        raise ValueError("two questions share a file")
    return {"README.md": page(found), **files}


def written() -> set[str]:
    """The files that are there."""
    return {
        str(path.relative_to(HERE))
        for ending in ("*.smt2", "*.md")
        for path in HERE.rglob(ending)
    }


if __name__ == "__main__":
    wanted = texts(claims())
    for old in written() - set(wanted):
        (HERE / old).unlink()
    for file, content in wanted.items():
        (HERE / file).parent.mkdir(exist_ok=True)
        (HERE / file).write_text(content, encoding="utf-8")
    print(f"{len(wanted)} files in {HERE}")
