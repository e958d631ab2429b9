"""An SMT-LIB text as a file that stands by itself: a header in words, the standard's
version, the stated status.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_STATED = re.compile(r"\(set-info :status \w+\)\n?")
_LOGIC = re.compile(r"^\(set-logic \w+\)\n", re.MULTILINE)


def document(text: str, header: Iterable[str], status: str) -> str:
    """The text as a file of SMT-LIB 2.6.  ``status`` is sat, unsat or unknown; QF_LIA,
    unless it names its logic.
    """
    text = _STATED.sub("", text)
    # Words about the script stand first: its logic comes below them.
    logic = _LOGIC.search(text)
    lines = [f"; {_one_line(line)}".rstrip() for line in header]
    lines += ["(set-info :smt-lib-version 2.6)", f"(set-info :status {status})"]
    lines.append(logic[0].rstrip() if logic else "(set-logic QF_LIA)")
    return "\n".join([*lines, _LOGIC.sub("", text)])


def _one_line(text: str) -> str:
    """A comment ends with its line, whatever a value of the data contains."""
    indent = len(text) - len(text.lstrip(" "))
    words = text.split()
    return " " * indent + " ".join(words)
