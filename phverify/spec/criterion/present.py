"""The values that a criterion with an order or a hierarchy can work with."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from phverify.spec.criterion.base import Column


def present(column: Column, place: str, instead: str = "") -> list[str]:
    """The values of a column, none of them missing.

    Raises ValueError for missing values: no criterion says where they stand in its
    ``place``, an order or a hierarchy.  ``instead`` is what else could be asked.
    """
    if None in column.domain:
        raise ValueError(_nowhere(column, place, instead))
    return [value for value in column.domain if value is not None]


def _nowhere(column: Column, place: str, instead: str) -> str:
    """Why missing values have no place, and what to do."""
    what = (
        f"{column.name!r} has missing values, and no criterion says where they stand in"
        f" {place}"
    )
    if column.paths is not None and "" in column.paths:
        what += (
            f" (the line of {column.source} for the empty value says what a missing"
            " cell becomes, not how far it is from others)"
        )
    told = f"{what}: write into these cells a value that has a place there"
    return f"{told}, or {instead}" if instead else told


def require(column: Column, texts: Sequence[str], known: Collection[str]) -> None:
    """Raises ValueError when the hierarchy of a column lacks a value."""
    absent = [text for text in texts if text not in known]
    if absent:
        raise ValueError(f"{column.source} lacks the value {absent[0]!r}")
