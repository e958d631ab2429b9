"""The names of a table's columns."""

from __future__ import annotations

from phverify.errors import refusal


def unique_names(names: list[str], where: str) -> list[str]:
    """These column names.  Raises InputError where one occurs twice."""
    if len(set(names)) == len(names):
        return names
    twice = sorted({name for name in names if names.count(name) > 1})
    listed = ", ".join(map(repr, twice))
    what = f"column names occur twice: {listed}"
    raise refusal(where, what, "give every column its own name")
