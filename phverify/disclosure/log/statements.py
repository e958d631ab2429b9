"""A query log as statements with the line where each begins.

A log is SQL, or JSON Lines (``.jsonl``): an object for each entry, ``sql`` and, where
it failed, the ``error``.  In SQL nothing says that a statement failed: its comments are
the words of the client who sent it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from phverify.errors import refusal
from phverify.given import described
from phverify.microdata.files import existing_file
from phverify.spec.source import File, Plain

_TOKEN = re.compile(
    r"""(?<!\w)[eE]'(?:[^'\\]|''|\\.)*(?:'|\Z)
    | '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z)
    | --[^\r\n]* | /\*(?:/\*(?:(?!\*/).)*\*/|(?!\*/).)*(?:\*/|\Z)
    | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z) | ; | \w+ | \s+ | .""",
    re.DOTALL | re.VERBOSE,
)
_PASSED = re.compile(r"/\*(?![!+]|M!)(?:(?!/\*).)*\*/", re.DOTALL)
_END = re.compile(r";[ \t]*(?:--[^\n]*)?(?:\n|\Z)")


ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters, and what some engines take for the end of a line."""
Entry = str | Mapping[str, Any]
"""SQL, or an object with the keys of an entry."""
_KEYS = ("sql", "error")
_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Statement:
    """One statement of a log: its text without the semicolon, and its first line, from
    1.

    ``error`` is what the log says of its failure, nothing where it was answered.
    """

    text: str
    line: int
    error: str = ""


def read_log(source: File | Iterable[Entry]) -> list[Statement]:
    """The statements of a file, or of a list of entries.

    Raises InputError where there are none.
    """
    where = "queries"
    statements: list[Statement] = []
    if isinstance(source, (str, PathLike)):
        path = existing_file(source, "queries")
        where = str(path)
        statements = _of_file(path)
    else:
        if not isinstance(source, Iterable) or isinstance(source, bytes | Mapping):
            what = f"expected a path or a list of statements, not {described(source)}"
            raise refusal(where, what, 'for example: ["SELECT COUNT(*) FROM t"]')
        for number, entry in enumerate(source, 1):
            statements += _of_entry(entry, number, "entry")
    if not statements:
        what = "holds no statement: nothing was audited"
        raise refusal(where, what, "is this the log that was meant?")
    return statements


def _of_file(path: Path) -> list[Statement]:
    """The statements of a file of SQL or JSON Lines.  Raises InputError."""
    try:
        # A byte order mark is no part of the first statement.
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"is no text in UTF-8: {error.reason} at byte {error.start}"
        raise refusal(str(path), what) from None
    except OSError as error:
        raise refusal(str(path), f"cannot be read: {error.strerror}") from None
    if path.suffix.lower() in _LINES:
        return _of_lines(path, text)
    if path.suffix.lower() == ".toml" or _is_toml(text):
        what = "is a TOML file, and no log of queries"
        raise refusal(str(path), what, "the policy is given by --policy")
    return list(split(text))


def _of_lines(path: Path, text: str) -> list[Statement]:
    """The statements of JSON Lines; every line is read before the first entry is."""
    entries = []
    # Not splitlines: a text in JSON may hold other ends of lines.
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            place = f"{path}, line {number}"
            entry = _object(line, place)
            entries.append((number, entry))
    statements: list[Statement] = []
    for number, entry in entries:
        statements += _of_entry(entry, number, f"{path}, line")
    return statements


def _is_toml(text: str) -> bool:
    """Whether a text is TOML that says something."""
    try:
        return bool(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return False


def _object(line: str, where: str) -> Plain:
    """One line of JSON Lines.  Raises InputError."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            # Readers of JSON differ in which of two they take.
            if names.count(name) > 1:
                raise refusal(where, f"has {name!r} twice")
        return dict(pairs)

    try:
        entry = json.loads(line, object_pairs_hook=once)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        hint = (
            'each line is an object: {"sql": "SELECT ..",'
            ' "error": "what was said where it failed"}'
        )
        raise refusal(where, "is no JSON object", hint)
    return entry


def _of_entry(entry: Entry, number: int, where: str) -> list[Statement]:
    """The statements of one entry.

    Raises InputError for one that is not understood as a whole.
    """
    place = f"{where} {number}"
    if isinstance(entry, str):
        parts = split(entry)
        return [Statement(one.text, number) for one in parts]
    if not isinstance(entry, Mapping):
        raise refusal(place, "is neither SQL nor an object with 'sql'")
    sql, error = _fields(entry, place)
    parts = split(sql)
    texts = [one.text for one in parts]
    if not texts:
        raise refusal(place, "'sql' holds no statement")
    several = len(texts) > 1
    if error and several:
        # Which of several statements failed is not known: all are one that is not
        # understood.
        texts = [sql]
    return [Statement(text, number, error) for text in texts]


def _fields(entry: Plain, place: str) -> tuple[str, str]:
    """What an entry asked, and the error, "" where there was none."""
    for name in entry:
        if name not in _KEYS:
            hint = "an entry has 'sql' and, if it failed, 'error'"
            raise refusal(place, f"{name!r} is not read", hint)
    if "sql" not in entry:
        raise refusal(place, "has no 'sql'")
    sql = entry["sql"]
    if not isinstance(sql, str):
        raise refusal(place, "'sql' is a text")
    error = entry.get("error")
    if error is not None and not isinstance(error, str):
        raise refusal(place, "'error' is a text")
    return sql, error or ""


def split(text: str) -> Iterator[Statement]:
    """The statements between semicolons that stand in no quotes and no comments.

    A quote or comment that is not closed takes in what follows.  Where that makes no
    SQL, a semicolon at the end of a line ends a statement all the same, so that one
    slip does not hide the rest of a log.  A carriage return outside of quotes ends a
    line, as it does for the database.
    """
    # Lines are counted as the database counts them.
    text = "".join(map(_plain_ends, tokens(text)))
    place: int | None = 0
    while place is not None:
        begin, place = place, None
        for start, end in _between(text, begin):
            # A quote that is not closed has swallowed what comes after this semicolon.
            slip = _END.search(text, start, end)
            if slip and not _parses(text[start:end]):
                end, place = slip.start(), slip.end()
            yield Statement(text[start:end].strip(), 1 + text.count("\n", 0, start))
            if place is not None:
                break


def _plain_ends(token: str) -> str:
    """White space with line feeds alone; any other token as it is."""
    if not token.isspace():
        return token
    return re.sub("\r\n?", "\n", token)


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
    """A comment that every engine passes over.

    What some engines execute, or end earlier, is none: ``/*! SELECT ..*/``, hints,
    comments within comments, and those with characters that may end a line or a text.
    """
    to_line_end = token.startswith("--")
    if not to_line_end and not _PASSED.fullmatch(token):
        return False
    return not ODD.search(token)


def tokens(text: str) -> Iterator[str]:
    """The words, quotes, comments and signs of a text, as DuckDB reads them."""
    return (match.group() for match in _TOKEN.finditer(text))


def _open(token: str) -> bool:
    """A quote or comment that is not closed."""
    if token.startswith("/*"):
        return len(token) < 4 or not token.endswith("*/")
    quote = token[1:2] if token[:2] in ("e'", "E'") else token[:1]
    if quote not in ("'", '"'):
        return False
    only_opened = len(token) == token.index(quote) + 1
    return only_opened or not token.endswith(quote)


def _parses(text: str) -> bool:
    """Whether a text is one statement of SQL; where no parser is installed, the audit
    says so later.
    """
    try:
        import sqlglot
    except ImportError:
        return True
    if any(map(_open, tokens(text))):
        return False
    try:
        return sqlglot.parse_one(text, read="duckdb") is not None
    except sqlglot.errors.SqlglotError:
        return False


def one_line(text: str) -> str:
    """A statement as one line, without its comments.

    What stands in quotes is as it was.
    """
    shown: list[str] = []
    for token in tokens(text):
        blank = token.isspace() or _comment(token)
        if not blank:
            shown.append(token)
        elif shown and shown[-1] != " ":
            shown.append(" ")
    return "".join(shown).strip()


def shortened(text: str, width: int) -> str:
    """A text of at most so many characters."""
    if len(text) <= width:
        return text
    return text[: width - 3] + "..."
