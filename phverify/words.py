"""Numbers, cells, lines and TOML as they stand in sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

IRREGULAR = {"criterion": "criteria", "leaf": "leaves", "query": "queries"}
_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
"""A key that TOML takes without quotes."""


def plural(count: int, word: str) -> str:
    """So many of something, in English: ``1 class``, ``2 classes``."""
    if count == 1:
        return f"1 {word}"
    ending = "es" if word.endswith("s") else "s"
    regular = word + ending
    several = IRREGULAR.get(word, regular)
    return f"{count:,} {several}"


def are_missing(count: int, column: str) -> str:
    """That so many cells of a column are missing."""
    verb = "is" if count == 1 else "are"
    return f"{plural(count, 'cell')} of {column!r} {verb} missing"


def cell(label: str | None) -> str:
    """How a cell is shown."""
    if label is None:
        return "(missing)"
    return label


def grid(table: tuple[Mapping[str, str | None], ...]) -> list[str]:
    """A table with aligned columns; rows have numbers."""
    names = list(table[0]) if table else []
    lines = [["", *names]]
    for number, row in enumerate(table, start=1):
        cells = [cell(row[name]) for name in names]
        # Rows are called as formulas call them.
        lines.append([f"d{number}", *cells])

    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = []
    for line in lines:
        padded = [text.ljust(width) for text, width in zip(line, widths, strict=True)]
        texts.append("    " + "  ".join(padded).rstrip())
    return texts


def percent(share: Fraction) -> str:
    """A share as a percentage with one digit, rounded up: at most so much."""
    tenths = -((-share * 1000) // 1)
    return f"{int(tenths) // 10}.{int(tenths) % 10}%"


def toml_key(name: str) -> str:
    """A key of TOML, in quotes where it must be."""
    if _BARE.fullmatch(name):
        return name
    return toml_string(name)


def toml_string(text: str) -> str:
    """A text of TOML: JSON's, but that TOML lets no DEL stand."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_value(data: Any) -> str:
    """A value of TOML: texts, integers, lists, and tables in one line."""
    if isinstance(data, dict):
        pairs = [
            f"{toml_key(name)} = {toml_value(inner)}" for name, inner in data.items()
        ]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(toml_value, data)) + "]"
    if isinstance(data, str):
        return toml_string(data)
    return str(data)
