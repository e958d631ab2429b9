"""Files of gates that an earlier run has left: however this one ends, nobody takes the
old answer for a new one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

OURS = (
    ("<?xml ", '<testsuite name="phverify '),
    ('{\n  "$schema": "https://docs.oasis-open.org/sarif/', '"name": "phverify"'),
)
"""How a file of JUnit or SARIF begins that phverify wrote, and what follows soon: no
input and no other answer looks so.
"""
BEGINNING = 2000


def forget(words: Sequence[str]) -> None:
    """Remove what an earlier run wrote to a file that the command line names.

    All words are looked at, since some may be misspelt, or name a file twice.  What
    phverify did not write is left as it is.
    """
    for word in words:
        # An option and its value may be one word.
        for name in (word, word.partition("=")[2]):
            if name and _ours(name):
                # Behind a link stands what others read.
                os.unlink(os.path.realpath(name))


def _ours(name: str) -> bool:
    try:
        if not os.path.isfile(name):
            return False
        with open(name, "rb") as file:
            read = file.read(BEGINNING)
    except (OSError, ValueError):
        # Words that are no name of a file, for example too long ones.
        return False
    begins = read.decode("utf-8", "replace")
    return any(begins.startswith(first) and then in begins for first, then in OURS)
