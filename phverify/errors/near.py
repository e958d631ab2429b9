"""The known names that are written almost like one that is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from phverify.errors import Problem


def close(name: str, known: Iterable[str]) -> list[str]:
    """The one or two known names that are written almost like this one, the closest
    first; case does not matter.
    """
    spelled: dict[str, list[str]] = {}
    for one in known:
        spelled.setdefault(one.casefold(), []).append(one)
    # A key of a dictionary may be a number, where a name belongs.
    alike = difflib.get_close_matches(str(name).casefold(), spelled, n=2, cutoff=0.6)
    return [one for key in alike for one in spelled[key]][:2]


def nearest(name: str, known: Iterable[object], say: str = "known") -> str:
    """A hint that names the closest known names, or lists some of them."""
    names = [str(k) for k in known]
    alike = close(name, names)
    if alike:
        any_of_them = " or ".join(map(repr, alike))
        return f"did you mean {any_of_them}?"
    if not names:
        # "its columns" and "columns of the policy" are many, too
        things = say.removeprefix("its ").removeprefix("the ")
        if things.split()[0].endswith("s"):
            return f"there are no {things}"
        return f"nothing is {say}"
    listed = ", ".join(map(repr, names[:8]))
    more = len(names) - 8
    if more > 0:
        listed = f"{listed} and {more} more"
    return f"{say}: {listed}"


def no_column(where: str, name: str, columns: Iterable[object]) -> Problem:
    """A table without a column that is asked for."""
    return Problem(
        where, f"there is no column {name!r}", nearest(name, columns, "its columns")
    )
