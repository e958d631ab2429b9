"""Counts, names and formulas as they stand in what the checker says."""

from __future__ import annotations

import re

QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\s+""")


def many(count: int, one: str, several: str = "") -> str:
    """So many of something: ``1 row``, ``2 rows``."""
    if count == 1:
        return f"1 {one}"
    return f"{count} {several or one + 's'}"


def called(*names: str) -> str:
    """Names as they are shown: one that could pass for more than a name is quoted."""
    shown = [name if re.fullmatch(r"[\w.-]+", name) else repr(name) for name in names]
    return ", ".join(shown)


def written(text: str) -> str:
    """A formula on one line, nothing inside quotes rewritten; what would not be seen,
    or moves what is, as its code.
    """
    line = QUOTED.sub(_one_space, text.strip())
    return "".join(map(_visible, line))


def _one_space(piece: re.Match[str]) -> str:
    if piece[0].isspace():
        return " "
    return piece[0]


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode()
