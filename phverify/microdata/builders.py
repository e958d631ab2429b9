"""Hierarchies built from the values of a column, by what a policy says instead of naming a file.

What each builder makes stands in ``phverify.spec.builders``; here is which values do not fit one, and how to mend them.
Whatever the builder, two values with one label at a level have one label at the next, all paths are
equally long, and they meet at one root: ``*``, unless the last level has a single label anyway.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from itertools import islice

from phverify.errors import Defect, InputError, Problem, nearest, refusal
from phverify.exact import rational
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.builders import Builder, rooted, writable
from phverify.spec.separated import flaws

SHOWN = 5
"""Values of one kind that are listed."""


def build(builder: Builder, values: Iterable[str], where: str) -> Hierarchy:
    """The hierarchy of a column whose labels other than missing are ``values``.

    ``where`` becomes the source of the hierarchy.  Raises InputError naming values that do not fit.
    """
    distinct = tuple(dict.fromkeys(values))
    try:
        labels = builder.labels(distinct)
    except ValueError:
        raise InputError(islice(_unfit(builder, distinct, where), SHOWN)) from None
    if not labels:
        raise refusal(where, f"no cell has a value that {builder.kind} could generalize", "leave it out")
    paths = rooted(labels)
    if problems := flaws([*paths.values()], where):
        raise Defect("\n".join(problem.text() for problem in problems))
    return Hierarchy(where, paths)


def _unfit(builder: Builder, values: Iterable[str], where: str) -> Iterator[Problem]:
    """The values that do not fit."""
    if builder.kind == "masking":
        what = f"masking makes a level for each character, and the longest value has {max(map(len, values))}"
        yield Problem(where, what, "name the lengths to keep, for example {prefixes = [3, 2, 1]}")
        return
    known = dict(builder.levels[0]) if builder.kind == "groups" else {}
    for value in values:
        match builder.kind:
            case "intervals" | "ranges":
                yield from _unfit_number(value, where)
            case "dates" if not _is_date(value.strip()):
                yield Problem(where, f"the value {value!r} is no date", _no_date(value), True)
            case "groups" if value not in known:
                hint = nearest(value, known, "values in groups")
                yield Problem(where, f"the value {value!r} is in no group", hint, True)


def _unfit_number(value: str, where: str) -> Iterator[Problem]:
    try:
        if not writable(rational(value)):
            raise ValueError(f"{value!r} has more than 300 digits")
    except ValueError as error:
        yield Problem(where, f"the value {error}", _no_number(value), True)


def _no_number(text: str) -> str:
    mended = text.strip().replace(",", ".")
    try:
        rational(mended)
    except ValueError:
        return "numbers are written as 12, -0.5 or 2/3; for other values use prefixes, masking or groups"
    return f"did you mean {mended!r}?"


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _no_date(text: str) -> str:
    mended = text.strip().replace("/", "-").replace(".", "-")[:10]
    return f"did you mean {mended!r}?" if _is_date(mended) else "dates are written as 1956-03-23"
