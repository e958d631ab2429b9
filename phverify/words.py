"""Numbers, cells and lines as they stand in sentences."""

from __future__ import annotations

from collections.abc import Mapping

IRREGULAR = {"leaf": "leaves", "query": "queries"}


def plural(count: int, word: str) -> str:
    """So many of something, in English: ``1 class``, ``2 classes``."""
    several = IRREGULAR.get(word, word + ("es" if word.endswith("s") else "s"))
    return f"{count:,} {word if count == 1 else several}"


def are_missing(count: int, column: str) -> str:
    """That so many cells of a column are missing."""
    verb = "is" if count == 1 else "are"
    return f"{plural(count, 'cell')} of {column!r} {verb} missing"


def cell(label: str | None) -> str:
    """How a cell is shown."""
    return "(missing)" if label is None else label


def grid(table: tuple[Mapping[str, str | None], ...]) -> list[str]:
    """A table with aligned columns; rows have numbers."""
    names = list(table[0]) if table else []
    texts = [
        ["", *names],
        *(
            [f"d{k}", *(cell(row[n]) for n in names)]
            for k, row in enumerate(table, start=1)
        ),
    ]
    widths = [max(len(row[k]) for row in texts) for k in range(len(texts[0]))]
    return [
        "    "
        + "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]
