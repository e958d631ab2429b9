"""The values that a criterion with an order or a hierarchy can work with."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from phverify.spec.criterion.base import Column


def present(column: Column, nowhere: str) -> list[str]:
    """The values of a column, none of them missing.

    Raises ValueError for missing values: no criterion says where they stand.
    """
    if None in column.domain:
        raise ValueError(
            f"{column.name!r} has missing values, and no criterion says where they"
            f" stand in {nowhere}"
        )
    return [value for value in column.domain if value is not None]


def require(column: Column, texts: Sequence[str], known: Collection[str]) -> None:
    """Raises ValueError when the hierarchy of a column lacks a value."""
    absent = [text for text in texts if text not in known]
    if absent:
        raise ValueError(f"{column.source} lacks the value {absent[0]!r}")
