"""Texts that may have meant something else to whoever answered them than they mean to
DuckDB.

What is in a comment or in quotes here may have been executed there, and what is
executed here may have been hidden there; a template was filled in before it was asked.
"""

from __future__ import annotations

import re

from phverify.disclosure.log.statements import ODD, tokens

_HOLE = re.compile(r"\{\{|\{%|\{#|[$#]\{|<%|%\(\w+\)[a-z]")
"""What templates begin a hole with: Jinja, shells, MyBatis, ERB, Python."""
_ALONE = re.compile(r"%[a-z]|\?|[:@&$]\w+|\{\w*\}")
"""What stands for a value where nothing else is in the quotes."""
_FILLED = re.compile(
    r"\$\(|\$\w|#\w+#|&\w|\{\$?\w*\}|%\w+%|%[a-z]\b|\?\d|<\w+>|\[\[|~\w+~|!\w+!|\*\*\*|\[?redacted\]?|^x{3,}$",
    re.I,
)
"""Holes of templates, and marks of what was taken out, in the midst of a text."""
_PATTERNS = ("like", "ilike", "glob", "similar", "to")
"""After these a percent sign stands for any text."""


def ambiguous(text: str) -> str:
    """Why a text may have had another meaning elsewhere; nothing where no reason is
    known.
    """
    if any(
        not char.isprintable() and char not in "\t\n\r\f\v" and char.isascii()
        for char in text
    ):
        return (
            "it has control characters, where another engine may end or go on reading"
        )
    if hole := _HOLE.search(text):
        return (
            f"{hole.group()} is of a template, which was filled in before it was asked"
        )
    before = ""
    for token in tokens(text):
        if said := _token(token) or _template(token, before.lower() in _PATTERNS):
            return said
        before = before if token.isspace() else token
    return ""


def _template(token: str, pattern: bool) -> str:
    """Why a text in quotes may have been filled in, or blotted out, before it was
    logged; ``pattern`` after LIKE.
    """
    found = _FILLED.search(token[1:-1]) if token[:1] in ("'", '"') else None
    if found is None or (pattern and found.group().startswith("%")):
        return ""
    return (
        f"{found.group()} in {token} may be of a template, or a mark for what was"
        " taken out"
    )


def _token(token: str) -> str:
    quote = token[:1]
    if token.startswith(("--", "/*")) and ODD.search(token):
        return "a comment has characters that end a line for some engines"
    if token.startswith("/*") and token[2:3] in ("!", "+", "M"):
        return (
            f"{token[:3]} .. */ is executed by some engines"
            if not token.startswith("/*M") or token[3:4] == "!"
            else ""
        )
    if token.startswith("/*") and "/*" in token[2:]:
        return "a comment within a comment ends earlier for some engines"
    if token.startswith("--") and token[2:3] in tuple("0123456789.("):
        return "-- before a number or a parenthesis is no comment for some engines"
    if quote in ("'", '"') and re.search(r"\\['\"]", token):
        return "a backslash before a quote keeps it open for some engines"
    if quote in ("'", '"') and _ALONE.fullmatch(token[1:-1]):
        return f"{token} may stand for a value that was filled in before it was asked"
    return ""
