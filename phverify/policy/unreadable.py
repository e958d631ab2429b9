"""A policy that is no TOML: the place, and what is often forgotten there."""

from __future__ import annotations

import re

from phverify.errors import InputError, refusal
from phverify.spec import syntax as s
from phverify.spec.marks import marked

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_BARE = re.compile(r"""\s*([^=#\s][^=#]*?)\s*=\s*([^\s"'\[{#\d=][^"#]*?)\s*(?:#.*)?""")
"""A name with a value that begins like a word."""
_NAME = re.compile(r"\s*([^\"'=\[\]{}#]+?)\s*=(?!=)")
"""What stands before the equals sign of a line."""
_NO_KEY = ("Expected '=' after a key in a key/value pair", "Invalid statement")
"""What is said of a name with a sign, and of one that begins with a sign."""
_HEADER = re.compile(r"[^=\[]+[,;\t|][^=]+")
"""Names of columns."""
FORGOTTEN = {
    "Unclosed array": "a comma between two entries is missing, or the ] at the end",
    "Cannot overwrite a value": "the name stands above already, in the same section",
    "Illegal character '\\n'": "a quote is opened in this line, and not closed",
}
"""By what is wrong, what it mostly comes from."""


def unreadable(where: str, text: str, error: ValueError) -> InputError:
    """The error that a text is no TOML, with the line where reading ended."""
    said = str(error)
    place = _PLACE.search(said)
    if place is None:
        return refusal(where, said)
    number, column = int(place[1]), int(place[2])
    lines = text.split("\n")
    before = sum(len(line) + 1 for line in lines[: number - 1])
    position = before + column - 1
    what = said[: place.start()]
    line = lines[number - 1]
    hint = _hint(what, line)
    if number == 1 and _HEADER.fullmatch(line):
        hint = "this seems to be a table, where a TOML file belongs"
    elif line.lstrip().startswith("{"):
        hint = "this seems to be JSON, where a TOML file belongs"
    return InputError(marked(text, s.Span(position, position), what, where, hint))


def _hint(what: str, line: str) -> str:
    """What was forgotten in a line; nothing where that is not plain."""
    bare = _BARE.fullmatch(line)
    if what.endswith("Invalid value") and bare is not None:
        name, value = bare.groups()
        return f'a formula, or any text, stands in quotes: {name} = "{value}"'
    problem = what.removeprefix("is no TOML: ")
    named = _NAME.match(line)
    if problem in _NO_KEY and named is not None and not _is_bare(named[1]):
        return (
            "a name with spaces, signs or letters beyond a to z stands in quotes:"
            f' "{named[1]}" = ..'
        )
    return FORGOTTEN.get(problem, "")


def _is_bare(name: str) -> bool:
    """Whether TOML takes a name without quotes."""
    return re.fullmatch(r"[A-Za-z0-9_-]+", name) is not None
