"""Which queries are enough for what follows from a log: as few as can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phverify.disclosure.worlds.constraints import Effect

Asked = Sequence[Effect]
"""What some queries say."""


def smallest(
    enough: Asked, status: Callable[[Asked], str]
) -> tuple[list[Effect], bool]:
    """Queries that are enough and, when the second is true, none of which can be left
    out.

    ``status`` of queries is unsat where they are enough, too; the first ones are left
    out first.
    """
    core = list(enough)
    minimal = True
    for one in enough:
        rest = [other for other in core if other is not one]
        answer = status(rest)
        if answer == "unsat":
            core = rest
        # Unknown is not enough: the query stays, and it may be superfluous.
        elif answer == "unknown":
            minimal = False
    return core, minimal
