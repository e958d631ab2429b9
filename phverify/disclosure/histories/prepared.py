"""Prepared statements: EXECUTE is the statement that it names, with its values, where
the log has its PREPARE.

Names are those of a session, and a log may not say whose: where the log prepares two
texts by one name, or one that is not read, it is not known which is meant.  After as
many DEALLOCATE as PREPARE of a name its next EXECUTE was of one that the log does not
have.  Values are literals, and put where the parameters stand as those of a history are
(``parameters``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
_DEALLOCATE = re.compile(
    rf"(?:DEALLOCATE|DROP\s+PREPARE)(?:\s+PREPARE)?\s+{_NAME}|DISCARD\s+ALL",
    re.IGNORECASE,
)
_FIRST = re.compile(r"PREPARE\b", re.IGNORECASE)
_WHOLE = re.compile(r"-?\d+")
_TEXT = re.compile(r"'(?:[^'\\]|'')*'")
_FRACTION = re.compile(r"'\s*[-+]?\d*\.\d*\s*'")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIMES = ("date", "timestamp")
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
    """What a PREPARE says: a text, and the types of its parameters."""

    text: str
    types: tuple[str, ...]

    def takes(self, values: Sequence[str | int | None]) -> bool:
        """Whether values are to the types what they are to what stands beside them."""
        if not values:
            return True
        for type_ in self.types:
            if not _TYPED.fullmatch(type_):
                return False
        # Beside a date a time of day is lost, or kept, as the type is.
        for type_, value in zip(self.types, values, strict=False):
            day = value is None or _DAY.fullmatch(str(value))
            if type_ in _TIMES and not day:
                return False
        return True


class _Names:
    """What is prepared by which name, wherever it stands; ``several`` are the names of
    which it is not known which text is meant, or ``unread`` says so of all.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.known: dict[_Name, _Prepared] = {}
        self.several: set[_Name] = set()
        self.unread = False
        for one in statements:
            self._learn(one)
        # What nobody is known to have prepared may be of any user.
        for name in [*self.known]:
            anybody = self.known.get((None, name[1]))
            if anybody not in (None, self.known[name]):
                self.several |= {name, (None, name[1])}

    def _learn(self, one: Statement) -> None:
        if not _FIRST.match(one_line(one.text)):
            return
        found = _prepared(one)
        if found is None or one.unread:
            self.unread = True
            return
        name, prepared = found
        if self.known.setdefault(name, prepared) != prepared:
            self.several.add(name)

    def sure(self, name: _Name) -> bool:
        return not self.unread and name not in self.several


def executed(statements: Sequence[Statement]) -> list[Statement]:
    """The statements of a log in their order, EXECUTE as what it executes."""
    names = _Names(statements)
    seen: dict[_Name, _Prepared] = {}
    open_: Counter[_Name] = Counter()
    found = []
    for one in statements:
        prepared = _prepared(one)
        # What failed has prepared nothing, and deallocated nothing.
        if prepared is not None and not one.error and names.sure(prepared[0]):
            seen.update([prepared])
            open_[prepared[0]] += 1
        if not one.error:
            open_.subtract(_deallocated(one, seen))
        for name in [name for name in seen if open_[name] <= 0]:
            del seen[name], open_[name]
        found.append(_executed(one, seen))
    return found


def _deallocated(one: Statement, seen: Iterable[_Name]) -> list[_Name]:
    """The names of which a statement may deallocate what one session has prepared."""
    match = _DEALLOCATE.fullmatch(one_line(one.text))
    if match is None:
        return []
    gone = (match["name"] or "all").strip('"`').lower()
    found = []
    for user, name in seen:
        # What nobody is known to have deallocated may have been of any user.
        whose = one.user is None or user in (None, one.user)
        if whose and gone in (name, "all"):
            found.append((user, name))
    return found


def _prepared(one: Statement) -> tuple[_Name, _Prepared] | None:
    """The name and the text of a PREPARE; None of any other statement, and of one that
    is not read.
    """
    match = _PREPARE.fullmatch(one.text.strip())
    if match is None:
        return None
    name = match["name"].strip('"`')
    # Some engines tell "Q" from q, and others do not.
    if name != match["name"] and name != name.lower():
        return None
    inner = match["text"]
    if inner is None:
        inner = match["quoted"][1:-1].replace("''", "'")
    types = match["types"].lower().split(",") if match["types"] else []
    stripped = [type_.strip() for type_ in types]
    prepared = _Prepared(inner.strip(), tuple(stripped))
    return (one.user, name.lower()), prepared


def _executed(one: Statement, seen: Mapping[_Name, _Prepared]) -> Statement:
    """A statement, or what it executes where that is known."""
    match = _EXECUTE.fullmatch(one.text.strip())
    # What failed is looked at as it was sent.
    if match is None or one.error or one.parameters or one.unread:
        return one
    prepared = seen.get((one.user, match["name"].lower()))
    values = _values(match["values"] or "")
    if prepared is None or values is None or not prepared.takes(values):
        return one
    numbered = {str(number): value for number, value in enumerate(values, 1)}
    return replace(one, text=prepared.text, parameters=numbered, typed=False)


def _values(text: str) -> list[str | int | None] | None:
    """Literals between commas, as numbers and texts; None where something else stands
    there.

    A fraction in quotes is none: engines round it as the column is, or refuse it.
    """
    values: list[str | int | None] = []
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
            values.append(int(literal))
        elif _TEXT.fullmatch(literal) and not _FRACTION.fullmatch(literal):
            values.append(literal[1:-1].replace("''", "'"))
        else:
            return None
    return values
