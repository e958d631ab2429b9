"""Which column of a links table holds the released record, the original record or a set
of them, and the number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from phverify.errors import InputError, Problem, nearest, refusal
from phverify.microdata.table import Table

Find = Callable[[str], int | None]
"""The record of a name, if there is one."""

ALIASES = {
    "record": ("record", "released", "released_record", "released_row", "unique_id_l"),
    "original": ("original", "original_record", "original_row", "unique_id_r"),
    "set": ("set", "candidates", "original_rows"),
    "probability": ("probability", "match_probability", "mass", "score"),
}
"""What the columns may be called; ``unique_id_l``, ``unique_id_r`` and
``match_probability`` are splink's.
"""
SIDES = ("unique_id_l", "unique_id_r")
"""The sides of splink's links."""
BY_ROW = {"released_row", "original_row", "original_rows"}
"""Columns that hold row numbers from 1, whatever the identifiers are."""


def roles_of(
    table: Table, given: Mapping[str, str], released: Find, original: Find
) -> dict[str, str]:
    """The column of each role, by ``given`` or by what it is called.

    Raises InputError for roles without a column, columns that are not there, and sides
    that may be either table.
    """
    problems = [
        Problem(
            "columns", f"there is no role {role!r}", nearest(role, ALIASES, "roles")
        )
        for role in given
        if role not in ALIASES
    ]
    problems += table.require(given.values())
    if problems:
        raise InputError(problems)
    roles = {
        role: name
        for role, names in ALIASES.items()
        for name in names[::-1]
        if name in table.columns
    }
    roles |= given
    if "original" in roles and "set" in roles:
        del roles["original" if "set" in given or "original" not in given else "set"]
    absent = {"record": "the released record"} if "record" not in roles else {}
    if not {"original", "set"} & set(roles):
        absent["original"] = "the original record, or as 'set' a set of them"
    if absent:
        hint = (
            f"its columns: {', '.join(map(repr, table.columns))}; --columns names them"
        )
        raise InputError(
            Problem(table.source, f"no column {role!r} holds {what}", hint)
            for role, what in absent.items()
        )
    splinks = (roles["record"], roles.get("original")) == SIDES and not set(
        SIDES
    ) & set(given.values())
    if splinks and _turned(table, released, original):
        return {**roles, "record": SIDES[1], "original": SIDES[0]}
    return roles


def _turned(table: Table, released: Find, original: Find) -> bool:
    """Whether the records' names fit splink's sides the other way round; which is left
    was splink's choice.

    Raises InputError where both ways fit, and where the release is now on one side and
    now on the other.
    """
    sources = table.columns.get("source_dataset_l")
    if sources is not None and len(sources.labels) > 1:
        what = "the release is not on the same side in all lines"
        raise refusal(
            table.source,
            what,
            "from_splink of phverify.linkage.methods.adapters reads such links",
        )
    left, right = (table.columns[name].labels for name in SIDES)
    ways = ((left, released), (right, original)), ((left, original), (right, released))
    # how many labels name no record
    as_they_are, turned = (
        sum(find(label or "") is None for labels, find in way for label in labels)
        for way in ways
    )
    if as_they_are == turned == 0:
        what = (
            "whether splink's left side or its right side is the release is open: the"
            " names of both fit either way"
        )
        hint = (
            "--columns unique_id_l,unique_id_r,match_probability where it is the left"
            " one, else with r and l swapped"
        )
        raise refusal(table.source, what, hint)
    return turned < as_they_are
