"""In which line of a TOML text a number is too long, or something nested too deeply."""

from __future__ import annotations

import re

from phverify.spec.source import shortened

ENDLESS = re.compile(r"[+-]?\d(_?\d){4300,}")
"""Python reads no integer of more than 4,300 digits."""
QUOTED = r'"""[\s\S]*?"""|' r"'''[\s\S]*?'''" r'|"(\\.|[^"\\\n])*"|' r"'[^'\n]*'|#.*"
BRACKETS = re.compile(rf"{QUOTED}|[\[\]{{}}]")


def long_number(text: str, number: str) -> str:
    """What is said of a number as it is written, "" for the first that Python does not
    read.
    """
    if not number:
        endless = ENDLESS.search(text)
        assert endless is not None
        number = endless[0]
    place = text.find(number)
    line = text.count("\n", 0, place) + 1
    return f"line {line}: {shortened(number)} has more than 300 digits"


def deep_line(text: str, most: int) -> int:
    """The line where brackets outside quotes and comments are nested too deeply."""
    depth = 0
    for bracket in BRACKETS.finditer(text):
        if bracket[0] in ("[", "{"):
            depth += 1
        elif bracket[0] in ("]", "}"):
            depth -= 1
        if depth > most:
            return text.count("\n", 0, bracket.start()) + 1
    return 1
