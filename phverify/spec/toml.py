"""A TOML text as data: numbers exactly, none of them too long to be written, nothing
nested deeper than a policy needs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from phverify.spec.source import Plain, rational, shortened, writable

DEPTH = 50
"""Lists and tables nested in one another, at most; a policy needs six."""


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
        from phverify.spec.toml_lines import deep_line

        raise ValueError(f"line {deep_line(text, DEPTH)} {too_deep()}") from None
    except ValueError as error:
        from phverify.spec.toml_lines import long_number

        # Else Python has refused an integer of very many digits, and not said which.
        number = str(error) if isinstance(error, _TooLong) else ""
        raise ValueError(long_number(text, number)) from None

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
