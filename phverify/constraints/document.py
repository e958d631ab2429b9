"""An SMT-LIB text as a file that stands by itself: a header in words, the standard's version, the stated status."""

from __future__ import annotations

import re
from collections.abc import Iterable

ABS = "(define-fun magnitude ((x Int)) Int (ite (>= x 0) x (- x)))"
_SINGLE = re.compile(r"\(or ([^\s()]+|\(not [^\s()]+\))\)")
_STATED = re.compile(r"\(set-info :status \w+\)\n?")


def document(text: str, header: Iterable[str], status: str) -> str:
    """The text as a file of SMT-LIB 2.6.  ``status`` is sat, unsat or unknown.

    The text keeps its meaning: it names its logic (QF_LIA, unless it says otherwise) and uses only what the standard
    gives that logic, which has no ``abs`` and no disjunction of one part.
    """
    text = _STATED.sub("", text)
    logic = re.search(r"^\(set-logic (\w+)\)\n", text, re.MULTILINE)
    before, after = (text[: logic.start()], text[logic.end() :]) if logic else ("", text)
    body = _SINGLE.sub(r"\1", after)
    if "(abs " in body:
        body = f"{ABS}\n{body.replace('(abs ', '(magnitude ')}"
    lines = [f"; {_one_line(line)}".rstrip() for line in header]
    lines += ["(set-info :smt-lib-version 2.6)", f"(set-info :status {status})"]
    return "\n".join([*lines, f"(set-logic {logic[1] if logic else 'QF_LIA'})", before + body])


def _one_line(text: str) -> str:
    """A comment ends with its line, whatever a value of the data contains."""
    return text[: len(text) - len(text.lstrip(" "))] + " ".join(text.split())
