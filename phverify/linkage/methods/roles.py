"""Which column of a links table holds the released record, the original record or a set
of them, and the number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from phverify.errors import InputError, Problem, Problems, nearest, refusal
from phverify.microdata.table import CodedTable, Label
from phverify.spec.source import measured

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
    table: CodedTable, given: Mapping[str, str], released: Find, original: Find
) -> dict[str, str]:
    """The column of each role, by ``given`` or by what it is called.

    Raises InputError for roles without a column, columns that are not there, and sides
    that may be either table.
    """
    problems = _unknown(given) + table.require(given.values())
    if problems:
        raise InputError(problems)
    roles = {**_by_alias(table), **given}
    if "original" in roles and "set" in roles:
        # a file may have both columns: sets are read where they are asked for, alone
        asked_for_sets = "set" in given or "original" not in given
        del roles["original" if asked_for_sets else "set"]
    absent = _absent(roles)
    if absent:
        columns = ", ".join(map(repr, table.columns))
        hint = f"its columns: {columns}; --columns names them"
        for role, holds in absent.items():
            what = f"no column {role!r} holds {holds}"
            problem = Problem(table.source, what, hint)
            problems.append(problem)
        raise InputError(problems)
    # Who names the columns says of the others that they are not meant.
    if "probability" not in roles and not given:
        _require_none_unread(table, roles)
    sides = roles["record"], roles.get("original")
    # what the user says of splink's sides is taken as said
    named_by_user = set(SIDES) & set(given.values())
    is_open = sides == SIDES and not named_by_user
    if is_open and _turned(table, released, original):
        left, right = SIDES
        return {**roles, "record": right, "original": left}

    return roles


def _unknown(given: Mapping[str, str]) -> Problems:
    """Roles that there are not."""
    strange = [role for role in given if role not in ALIASES]
    return [
        Problem(
            "--columns", f"there is no role {role!r}", nearest(role, ALIASES, "roles")
        )
        for role in strange
    ]


def _by_alias(table: CodedTable) -> dict[str, str]:
    """The column of each role by the first of its aliases that the table has."""
    roles: dict[str, str] = {}
    for role, aliases in ALIASES.items():
        present = [name for name in aliases if name in table.columns]
        if present:
            roles[role] = present[0]

    return roles


def _absent(roles: Mapping[str, str]) -> dict[str, str]:
    """The roles that no column has, with what it would hold."""
    absent: dict[str, str] = {}
    if "record" not in roles:
        absent["record"] = "the released record"
    if "original" not in roles and "set" not in roles:
        absent["original"] = "the original record, or as 'set' a set of them"

    return absent


def _require_none_unread(table: CodedTable, roles: Mapping[str, str]) -> None:
    """Raises InputError where a column may hold the numbers, and is called otherwise:
    without them each link would count as certain.
    """
    for name, column in table.columns.items():
        if name in roles.values() or not _holds_shares(column.labels):
            continue
        what = f"{name!r} holds numbers, and no column is called 'probability'"
        named = ",".join((*roles.values(), name))
        hint = f"--columns {named} reads it; leave it out where each link is certain"
        raise refusal(table.source, what, hint)


def _holds_shares(labels: Sequence[Label]) -> bool:
    """Whether all cells are numbers, and not all of them whole ones."""
    try:
        numbers = [measured(label) for label in labels if label is not None]
    except ValueError:
        return False
    return any(number.denominator > 1 for number in numbers)


def _turned(table: CodedTable, released: Find, original: Find) -> bool:
    """Whether the records' names fit splink's sides the other way round; which is left
    was splink's choice.

    Raises InputError where both ways fit, and where the release is now on one side and
    now on the other.
    """
    sources = table.columns.get("source_dataset_l")
    if sources is not None and len(sources.labels) > 1:
        what = "the release is not on the same side in all lines"
        hint = "from_splink of phverify.linkage.methods.adapters reads such links"
        raise refusal(table.source, what, hint)
    # names of the wrong table find no record
    left, right = (table.columns[name].labels for name in SIDES)
    as_they_are = _strange(left, released) + _strange(right, original)
    turned = _strange(left, original) + _strange(right, released)
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


def _strange(labels: Sequence[Label], find: Find) -> int:
    """How many labels name no record."""
    strange = 0
    for label in labels:
        if find(label or "") is None:
            strange += 1
    return strange
