"""A TOML text as data: numbers exactly, none of them too long to be written, nothing
nested deeper than a policy needs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from phverify.spec.source import Plain, rational, shortened, writable

DEPTH = 50
"""Lists and tables nested in one another, at most; a policy needs six."""
ENDLESS = re.compile(r"[+-]?\d(_?\d){4300,}")
"""Python reads no integer of more than 4,300 digits."""
QUOTED = r'"""[\s\S]*?"""|' r"'''[\s\S]*?'''" r'|"(\\.|[^"\\\n])*"|' r"'[^'\n]*'|#.*"
BRACKETS = re.compile(rf"{QUOTED}|[\[\]{{}}]")


class _TooLong(ValueError):
    """A number, as written, of which the digits would not fit into a message."""


def toml(text: str) -> dict[str, Any]:
    """What a TOML text holds, numbers exactly.  Raises ValueError, which says where."""
    text = text.removeprefix("\ufeff")
    try:
        data = tomllib.loads(text, parse_float=_number)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is no TOML: {error}") from None
    except RecursionError:
        raise ValueError(f"line {_deep_line(text)} {too_deep()}") from None
    except _TooLong as error:
        raise ValueError(_long(text, str(error))) from None
    except ValueError:
        endless = ENDLESS.search(text)
        assert endless is not None
        raise ValueError(_long(text, endless[0])) from None

    bounded(data)
    return data


def _number(text: str) -> Fraction | float:
    """A number of a TOML file; what is none (``nan``, ``inf``) is refused where it is
    read, with its place.
    """
    if text.lstrip("+-") in ("nan", "inf"):
        return float(text)
    try:
        number = rational(text.replace("_", ""))
    except ValueError:
        raise _TooLong(text) from None
    if not writable(number):
        raise _TooLong(text)
    return number


def bounded(data: Plain) -> None:
    """Raises ValueError for numbers that are too long and for what is nested too
    deeply: integers may be written in hexadecimal digits, and Python's own data need
    not come from a text.
    """
    # no recursion: a dictionary from Python may be nested deeper than Python's stack
    waiting = [("", 0, data)]
    while waiting:
        place, depth, value = waiting.pop()
        if depth > DEPTH:
            raise ValueError(f"{shortened(place)} {too_deep()}")
        if isinstance(value, (int, Fraction)) and not writable(Fraction(value)):
            raise ValueError(f"{shortened(place)} has more than 300 digits")
        for name, inner in _inside(value):
            waiting.append((f"{place}.{name}".strip("."), depth + 1, inner))


def _inside(value: Any) -> Iterator[tuple[object, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, (list, tuple)):
        yield from enumerate(value, start=1)


def too_deep() -> str:
    """What is said of a value that is nested too deeply."""
    return f"is nested more than {DEPTH} levels deep"


def _long(text: str, number: str) -> str:
    line = text.count("\n", 0, text.find(number)) + 1
    return f"line {line}: {shortened(number)} has more than 300 digits"


def _deep_line(text: str) -> int:
    """The line where brackets outside quotes and comments are nested too deeply."""
    depth = 0
    for bracket in BRACKETS.finditer(text):
        if bracket[0] in ("[", "{"):
            depth += 1
        elif bracket[0] in ("]", "}"):
            depth -= 1
        if depth > DEPTH:
            return text.count("\n", 0, bracket.start()) + 1
    return 1
