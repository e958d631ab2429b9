"""The released file beside what a candidate makes of the table, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from phverify.spec.data import Refused, height, tuples
from phverify.spec.released import Given, sanitized
from phverify.spec.separated import table
from phverify.spec.source import Columns, Mappings


def same_rows(
    given: Given, mapping: Mappings, withheld: Sequence[int]
) -> Iterator[str]:
    """That the released file holds what the candidate releases.

    In whatever order, unless the policy says in the same.  Raises Refused.
    """
    rows = range(height(given.columns))
    retained = sorted(set(rows) - set(withheld))
    shown = sanitized(given.columns, mapping, retained)
    yield from same_released(given, shown, retained)


def same_released(
    given: Given, shown: Columns, retained: Sequence[int]
) -> Iterator[str]:
    """That the released file holds the columns ``shown``.

    ``retained`` are the rows of the table in it.  Raises Refused.
    """
    # Identifiers are not released.
    columns = [name for name in given.columns if name != given.policy.identifier]
    there = table(given.files["release"], columns)
    _require_columns(columns, there, given.whole)

    names = tuple(columns)
    expected = tuples(names, shown, len(retained))
    released = tuples(names, there, height(there))
    # As often each: equal rows are several records.
    if Counter(expected) != Counter(released):
        raise Refused(
            "the rows of the released file are not what the candidate makes of the"
            " table"
        )
    order = "in whatever order"
    if given.policy.rows == "same order":
        if expected != released:
            raise Refused(
                "the released file is in another order than the table, and the policy"
                ' says rows = "same order"'
            )
        order = "in the order of the table, as the policy says"

    loose = "" if given.whole else f"; compared were {', '.join(map(repr, names))}"
    yield f"the released file holds these {len(retained)} records, {order}{loose}"


def _require_columns(columns: Collection[str], there: Columns, whole: bool) -> None:
    """Raises Refused unless the released file has the columns.

    It has no others, if the ``whole`` table is at hand.
    """
    odd = set(columns) - set(there)
    # Of a part of the table it is not known which other columns there are.
    if whole:
        odd |= set(there) - set(columns)
    if odd:
        raise Refused(
            f"the released file has not the columns that the table has: {min(odd)!r} is"
            " in one of them alone"
        )
