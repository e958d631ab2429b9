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
_MOMENT = re.compile(r"(?:%[YymdHMSjbBeIpTF]|[-/:., T]|\d)+", re.ASCII)
"""The form of a date, as STRFTIME and DATE_FORMAT take it; with the year in it, as no
template has a hole ``%Y``.
"""
_PATTERNS = ("like", "ilike", "glob", "similar", "to")
"""After these a percent sign stands for any text."""


def ambiguous(text: str) -> str:
    """Why a text may have had another meaning elsewhere.

    Nothing where no reason is known.
    """
    if any(map(_control, text)):
        return (
            "it has control characters, where another engine may end or go on reading"
        )
    hole = _HOLE.search(text)
    if hole:
        return (
            f"{hole.group()} is of a template, which was filled in before it was asked:"
            " log the statement as it was sent"
        )
    before = ""
    # Token by token: quotes may hold comment signs, and comments quotes.
    for token in tokens(text):
        pattern = before.lower() in _PATTERNS
        reason = _token(token) or _template(token, pattern)
        if reason:
            return reason
        if not token.isspace():
            before = token
    return ""


def _control(char: str) -> bool:
    """Whether a character is one of control, and no white space."""
    if char in "\t\n\r\f\v":
        return False
    return char.isascii() and not char.isprintable()


def _template(token: str, pattern: bool) -> str:
    """Why a text in quotes may have been filled in, or blotted out, before the log.

    ``pattern`` after LIKE.
    """
    if token[:1] not in ("'", '"'):
        return ""
    if _MOMENT.fullmatch(token[1:-1]) and "%y" in token.lower():
        return ""
    hole = _FILLED.search(token[1:-1])
    # ``LIKE '%north%'`` is no template.
    if hole is None or (pattern and hole.group().startswith("%")):
        return ""
    return (
        f"{hole.group()} in {token} may be of a template, or a mark for what was"
        " taken out"
    )


def _token(token: str) -> str:
    """Why a comment or a text in quotes may have another meaning elsewhere."""
    if token.startswith(("--", "/*")):
        return _comment(token)
    if token[:1] not in ("'", '"'):
        return ""
    if re.search(r"\\['\"]", token):
        return "a backslash before a quote keeps it open for some engines"
    if _ALONE.fullmatch(token[1:-1]):
        return f"{token} may stand for a value that was filled in before it was asked"
    return ""


def _comment(token: str) -> str:
    """Why a comment may be none elsewhere, or end earlier."""
    if ODD.search(token):
        return "a comment has characters that end a line for some engines"
    if token.startswith("--"):
        # MySQL reads 5--1 as 5 - (-1).
        if token[2:3] in tuple("0123456789.("):
            return "-- before a number or a parenthesis is no comment for some engines"
        return ""
    sign = token[2:3]
    if sign in ("!", "+") or token.startswith("/*M!"):
        return f"{token[:3]} .. */ is executed by some engines"
    # Comments nest for some engines, as for PostgreSQL, and not for others.
    if "/*" in token[2:]:
        return "a comment within a comment ends earlier for some engines"
    return ""
