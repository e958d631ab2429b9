"""The pages of the documentation, README among them, and what their blocks show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*|\{[\w-]+\})\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""Of directives of the site the language stands in braces."""
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


@dataclass(frozen=True)
class Command:
    """A command of a page, and the lines that are shown below it."""

    words: tuple[str, ...]
    lines: tuple[str, ...]


def pages() -> list[Path]:
    """Every page; nothing where phverify is installed without them."""
    docs = [
        path for path in (ROOT / "docs").rglob("*.md") if "pictures" not in str(path)
    ]
    alone = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    encodings = (ROOT / "encodings").glob("*.md")
    every = [*alone, *docs, *encodings]
    return sorted(path for path in every if path.exists())


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The language and the text of each block of a page."""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield block[1], block[2]


def commands(text: str) -> list[Command]:
    """The commands of a block, each with the lines shown; comments are left out."""
    shown: list[Command] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            words = shlex.split(line[2:], comments=True)
            shown.append(Command(tuple(words), ()))
        elif line.strip() and shown:
            last = shown.pop()
            shown.append(Command(last.words, (*last.lines, line.strip())))
    return shown
