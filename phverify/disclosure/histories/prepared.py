"""Prepared statements: EXECUTE is the statement that it names, with its values, where
the log has its PREPARE.

Names are those of a session, and a log may not say whose: where the log prepares two
texts by one name, it is not known which is meant.  Values are literals, and put where
the parameters stand as those of a history are (``parameters``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from phverify.disclosure.log.statements import Statement, one_line, tokens

_NAME = r"(?P<name>\w+|\"[^\"]+\"|`[^`]+`)"
_TYPES = r"(?:\s*\((?P<types>(?:[^()]|\([^()]*\))*)\))?"
_PREPARE = re.compile(
    rf"PREPARE\s+{_NAME}(?:{_TYPES}\s*\bAS\s+(?P<text>.+)"
    r"|\s+FROM\s+(?P<quoted>'(?:[^'\\]|'')*'))",
    re.IGNORECASE | re.DOTALL,
)
_EXECUTE = re.compile(
    rf"EXECUTE\s+{_NAME}(?:\s*\((?P<values>.*)\))?", re.IGNORECASE | re.DOTALL
)
_WHOLE = re.compile(r"-?\d+")
_TYPED = re.compile(
    r"(?:small|big)?int|int[248]|integer|numeric|decimal|text|varchar|boolean|date"
    r"|timestamp",
    re.IGNORECASE,
)
"""Types that change no literal that stands beside what it is compared with."""


_Name = tuple[str | None, str]
"""Who prepared it, where the log says so, and how it is called."""


@dataclass(frozen=True)
class _Prepared:
    """What a PREPARE says; ``plain``: of parameters whose types change no value."""

    text: str
    plain: bool


def executed(statements: Sequence[Statement]) -> list[Statement]:
    """The statements of a log in their order, EXECUTE as what it executes."""
    known: dict[_Name, _Prepared] = {}
    # Two texts by one name, wherever they stand.
    several: set[_Name] = set()
    for one in statements:
        for name, prepared in _prepared(one):
            if known.setdefault(name, prepared) != prepared:
                several.add(name)
    seen: set[_Name] = set()
    found = []
    for one in statements:
        for name, _ in _prepared(one):
            seen.add(name)
        found.append(_executed(one, known, seen - several))
    return found


def _prepared(one: Statement) -> Iterator[tuple[_Name, _Prepared]]:
    """The name and the text of a PREPARE; nothing of any other statement."""
    match = _PREPARE.fullmatch(one.text.strip())
    if match is None:
        return
    name = one.user, match["name"].strip('"`').lower()
    inner = match["text"]
    if inner is None:
        inner = match["quoted"][1:-1].replace("''", "'")
    types = (match["types"] or "").split(",") if match["types"] else []
    plain = all(_TYPED.fullmatch(one.strip()) for one in types)
    yield name, _Prepared(inner.strip(), plain)


def _executed(
    one: Statement, known: Mapping[_Name, _Prepared], sure: Set[_Name]
) -> Statement:
    """A statement, or what it executes where that is known."""
    match = _EXECUTE.fullmatch(one.text.strip())
    # What failed is looked at as it was sent.
    if match is None or one.error or one.parameters or one.unread:
        return one
    name = one.user, match["name"].lower()
    values = _values(match["values"] or "")
    if name not in sure or values is None:
        return one
    prepared = known[name]
    if values and not prepared.plain:
        return one
    numbered = {str(number): value for number, value in enumerate(values, 1)}
    return replace(one, text=prepared.text, parameters=numbered, typed=False)


def _values(text: str) -> list[str | None] | None:
    """Literals between commas, as texts; None where something else stands there."""
    values: list[str | None] = []
    line = one_line(text)
    if not line:
        return values
    part = ""
    for token in [*tokens(line), ","]:
        if token != ",":
            part += token
            continue
        literal = part.strip()
        part = ""
        if literal.upper() == "NULL":
            values.append(None)
        elif _WHOLE.fullmatch(literal):
            values.append(literal)
        elif re.fullmatch(r"'(?:[^'\\]|'')*'", literal):
            values.append(literal[1:-1].replace("''", "'"))
        else:
            return None
    return values
