"""A query log as statements with the line where each begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike

from phverify.errors import InputError, Problem
from phverify.tables.read import existing_file

_TOKEN = re.compile(
    r"""'(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z) | --[^\n]* | /\*.*?(?:\*/|\Z) | \$\$.*?(?:\$\$|\Z) | ; | .""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True)
class Statement:
    """One statement of a log: its text without the semicolon, and its first line, from 1."""

    text: str
    line: int


def read_log(source: str | PathLike[str] | Iterable[str]) -> list[Statement]:
    """The statements of a file, or of a list of SQL texts.  Raises InputError for a file that cannot be read."""
    if not isinstance(source, (str, PathLike)):
        return [Statement(s.text, k) for k, text in enumerate(source, 1) for s in split(text)]
    path = existing_file(source, "queries")
    try:
        return list(split(path.read_text(encoding="utf-8-sig")))
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(Problem(str(path), f"cannot be read: {error}")) from None


def split(text: str) -> Iterator[Statement]:
    """The statements between semicolons that stand in no quotes and no comments."""
    start = 0
    blank = True
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == ";":
            if not blank:
                yield Statement(text[start : match.start()].strip(), 1 + text.count("\n", 0, start))
            blank = True
        elif blank and not token.isspace() and not token.startswith(("--", "/*")):
            start, blank = match.start(), False
    if not blank:
        yield Statement(text[start:].strip(), 1 + text.count("\n", 0, start))
