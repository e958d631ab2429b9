"""A query log as statements with the line where each begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike

from phverify.errors import InputError, Problem
from phverify.tables.read import existing_file

_TOKEN = re.compile(
    r"""(?<!\w)[eE]'(?:[^'\\]|''|\\.)*(?:'|\Z) | '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z)
    | --[^\r\n]* | /\*(?:/\*(?:(?!\*/).)*\*/|(?!\*/).)*(?:\*/|\Z)
    | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z) | ; | \w+ | \s+ | .""",
    re.DOTALL | re.VERBOSE,
)
_END = re.compile(r";[ \t]*(?:--[^\n]*)?(?:\n|\Z)")


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
    except UnicodeDecodeError as error:
        raise InputError(Problem(str(path), f"is no text in UTF-8: {error.reason} at byte {error.start}")) from None
    except OSError as error:
        raise InputError(Problem(str(path), f"cannot be read: {error.strerror}")) from None


def split(text: str) -> Iterator[Statement]:
    """The statements between semicolons that stand in no quotes and no comments.

    A quote or comment that is not closed takes in what follows.  Where that makes no SQL, a semicolon at the end of a
    line ends a statement all the same, so that one slip does not hide the rest of a log.  A carriage return outside of
    quotes ends a line, as it does for the database.
    """
    text = "".join(_line_ends(match.group()) for match in _TOKEN.finditer(text))
    place: int | None = 0
    while place is not None:
        begin, place = place, None
        for start, end in _between(text, begin):
            slip = _END.search(text, start, end)
            if slip and not _parses(text[start:end]):
                end, place = slip.start(), slip.end()
            yield Statement(text[start:end].strip(), 1 + text.count("\n", 0, start))
            if place is not None:
                break


def _line_ends(token: str) -> str:
    return token.replace("\r\n", "\n").replace("\r", "\n") if token.isspace() else token


def _between(text: str, place: int) -> Iterator[tuple[int, int]]:
    """Where statements begin and end."""
    start = None
    for match in _TOKEN.finditer(text, place):
        token = match.group()
        if token == ";":
            if start is not None:
                yield start, match.start()
            start = None
        elif start is None and not token.isspace() and not _comment(token):
            start = match.start()
    if start is not None:
        yield start, len(text)


def _comment(token: str) -> bool:
    """A comment that ends; one that does not is an error."""
    return token.startswith("--") or (token.startswith("/*") and token.endswith("*/") and len(token) > 3)


def _open(token: str) -> bool:
    """A quote or comment that is not closed."""
    if token.startswith("/*"):
        return not _comment(token)
    quote = token[1:2] if token[:2] in ("e'", "E'") else token[:1]
    return quote in ("'", '"') and (len(token) == token.index(quote) + 1 or not token.endswith(quote))


def _parses(text: str) -> bool:
    """Whether a text is one statement of SQL; where no parser is installed, the audit says so later."""
    try:
        import sqlglot
    except ImportError:
        return True
    if any(_open(match.group()) for match in _TOKEN.finditer(text)):
        return False
    try:
        return sqlglot.parse_one(text, read="duckdb") is not None
    except sqlglot.errors.SqlglotError:
        return False


def one_line(text: str) -> str:
    """A statement as one line, without its comments; what stands in quotes is as it was."""
    shown: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        blank = token.isspace() or _comment(token)
        if not blank:
            shown.append(token)
        elif shown and shown[-1] != " ":
            shown.append(" ")
    return "".join(shown).strip()
