"""The statements of a query log, with the line where each begins.

In SQL nothing says that a statement failed: its comments are the words of the client
who sent it.  ``histories`` reads what databases keep of the queries that they answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True)
class KeptAnswer:
    """An answer as it was kept: its rows, and the names of its columns, if they have
    some.
    """

    rows: tuple[tuple[Any, ...], ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statement:
    """One statement of a log: its text without the semicolon, and its first line, from
    1.

    ``error`` is what the log says of its failure, nothing where it was answered, and
    ``code`` the kind of that: an SQLSTATE, or the word of another system.  ``user`` is
    who sent it, None where the log does not say, and ``time`` when, as the log has it.
    ``parameters`` are values by name, those of ``$1`` and ``?`` by number (``typed``,
    or texts whatever they were), ``kept`` is its answer.  ``unread`` is why the entry
    is not understood as a whole, ``open`` why it is not known whether it was answered.
    """

    text: str
    line: int
    error: str = ""
    code: str = ""
    user: str | None = None
    time: Any = None
    parameters: Mapping[str, Any] | None = None
    typed: bool = True
    kept: KeptAnswer | None = None
    unread: str = ""
    open: str = ""


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


_NO_OPERAND = re.compile(r"Required keyword: '\w+' missing for <class '[\w.]*\.(\w+)'>")
_SIGNS = {"Mod": "%", "Is": "IS", "EQ": "=", "LT": "<", "GT": ">"}


def not_read(error: Exception) -> str:
    """What a syntax error says, without the words of the parser's own program."""
    said = str(error).splitlines()[0]

    def operand(found: re.Match[str]) -> str:
        name = found[1]
        return f"a part of {_SIGNS.get(name, name.upper())} is missing"

    return _NO_OPERAND.sub(operand, said)


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
