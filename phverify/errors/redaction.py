"""Sentences without what they quote."""

from __future__ import annotations

import re

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
