"""Sentences without what they quote."""

from __future__ import annotations

import re
from urllib.parse import unquote

_QUOTED = re.compile(
    r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""", re.DOTALL
)
"""A text as ``repr`` writes it."""
_MARK = re.compile(r"""(?<!\w)['"]|['"](?!\w)""")
_ANYTHING = re.compile(r"""['"].*['"]""", re.DOTALL)
"""From the first quote to the last."""


def hidden(text: str) -> str:
    """A sentence without what it quotes."""
    shown = _QUOTED.sub("(hidden)", text)
    if _MARK.search(shown):  # quotes stand in values, and where one ends is open
        return _ANYTHING.sub("(hidden)", text)
    return shown


def without_password(text: str, url: str = "") -> str:
    """A text without the passwords of the URLs in it, and without that of ``url``."""
    written = re.findall(r"://[^:/@?\s]*:(.*)@", url)
    written += re.findall(r"password=([^&\s]*)", url)
    # As it is written in the URL, and as it is meant.
    meant = map(unquote, written)
    for secret in (*written, *meant):
        if secret:
            text = text.replace(secret, "..")
    text = re.sub(r"(://[^:/@?\s]*):.*@", r"\1@", text)
    return re.sub(r"(password=)[^&\s]*", r"\1..", text)
