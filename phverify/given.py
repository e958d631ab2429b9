"""What a Python caller gives beside the data: switches, names, tables of settings,
seconds, and who is told of progress.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any

from phverify.errors import InputError, Problem

Problems = Iterator[Problem]


def refuse(*checks: Problems) -> None:
    """Raises InputError with all that these checks find, if they find anything."""
    problems = [problem for check in checks for problem in check]
    if problems:
        raise InputError(problems)


def described(given: object) -> str:
    """What was given, as it stands in a sentence."""
    if isinstance(given, str):
        return f"the text {given!r}"
    if given is None or isinstance(given, int | float):
        return repr(given)
    return type(given).__name__


def wrong_switches(**given: object) -> Problems:
    """What is wrong with switches: each is True or False."""
    for name, value in given.items():
        # NumPy's truth values are no bool.
        kind = type(value).__name__
        if value is None or isinstance(value, int) or kind in ("bool", "bool_"):
            continue
        what = f"is True or False, not {described(value)}"
        yield Problem(name, what, f"{name}=True switches it on; leave it out otherwise")


def wrong_progress(given: object) -> Problems:
    """What is wrong with who is told each step."""
    if not callable(given):
        what = f"is a function that takes one text, not {described(given)}"
        yield Problem("progress", what, "progress=print prints each step")


def wrong_watch(given: object) -> Problems:
    """What is wrong with who is told how far a search is."""
    if not callable(given):
        what = f"is a function that takes one Standing, not {described(given)}"
        hint = "watch=lambda standing: print(standing.cost, standing.bound)"
        yield Problem("watch", what, hint)


def wrong_word(name: str, given: object, example: str) -> Problems:
    """What is wrong with one word out of several."""
    if not isinstance(given, str):
        what = f"is a text, not {described(given)}"
        yield Problem(name, what, f"for example: {name}={example!r}")


def wrong_mapping(name: str, given: object, example: str) -> Problems:
    """What is wrong with settings by column; None are none."""
    form = f"for example: {name}={example}"
    if given is None:
        return
    if not isinstance(given, Mapping):
        yield Problem(name, f"is a dictionary, not {described(given)}", form)
        return
    for key in given:
        if not isinstance(key, str):
            what = f"its keys are names of columns, not {described(key)}"
            yield Problem(name, what, form)


def wrong_names(name: str, given: object, example: str) -> Problems:
    """What is wrong with a list of names."""
    form = f"for example: {name}=[{example!r}]"
    if isinstance(given, str):
        what = f"is a list of names, not {described(given)}"
        yield Problem(name, what, f"write {name}=[{given!r}]")
        return
    if not listed(given):
        yield Problem(name, f"is a list of names, not {described(given)}", form)
        return
    for item in entries(given):
        if not isinstance(item, str):
            what = f"is a list of names, and {described(item)} is none"
            yield Problem(name, what, form)


def listed(given: object) -> bool:
    """Whether something can be gone through as a list: no text, and no dictionary."""
    if isinstance(given, str | bytes | Mapping):
        return False
    return isinstance(given, Iterable)


def entries(given: object) -> Iterable[Any]:
    """What stands in a list; nothing of what can be gone through only once."""
    once = isinstance(given, Iterator)
    if once or not isinstance(given, Iterable) or not listed(given):
        return ()
    return given


def wrong_seconds(name: str, given: Any) -> Problems:
    """What is wrong with a number of seconds, which may be 0."""
    number = isinstance(given, Real) and not isinstance(given, bool)
    if number and 0 <= given < math.inf:
        return
    what = f"is a number of seconds, 0 or more, not {described(given)}"
    yield Problem(name, what, f"for example: {name}=2.5")
