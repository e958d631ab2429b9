"""Objectives that count classes, and what no recoding by tuples is below.

``class-size`` is the average class size: the records of the table for each class that
is released.  ``discernibility`` adds up the squares of class sizes, and each withheld
record counts as the whole table.  The bounds rest on how many records a class needs,
and on how many different values; encodings/recoding-by-tuples.md proves them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from phverify.spec.criterion.base import Counts
from phverify.spec.necessary import Necessary


def most_classes(
    counts: Sequence[int],
    needed: Necessary,
    values: Mapping[str, Sequence[Counts]],
) -> int:
    """No recoding of tuples with so many records has more classes.

    ``values`` are, for each column of which classes need different values, those of
    each tuple.
    """
    # A tuple fills a class, or a part of one: its records of those that it needs.
    filled = sum(min(count, needed.records) for count in counts)
    most = filled // needed.records
    for column, least in needed.distinct.items():
        # Each column bounds what the others left: all bounds hold at once.
        most = _sharing(_holders(values[column]), least, most)
    return max(most, 1)


def _holders(values: Iterable[Counts]) -> list[int]:
    """How many tuples have each value."""
    holders: dict[str | None, int] = {}
    for own in values:
        for value in own:
            holders[value] = holders.get(value, 0) + 1
    return list(holders.values())


def _sharing(holders: Sequence[int], least: int, most: int) -> int:
    """No more than ``most`` classes have so many different values each.

    A value is in at most as many classes as tuples have it.
    """
    while True:
        # Fewer classes let a frequent value count less often: until nothing changes.
        fewer = sum(min(count, most) for count in holders) // least
        if fewer >= most:
            return most
        most = fewer


def counting_bound(
    objective: str,
    counts: Sequence[int],
    needed: Necessary,
    values: Mapping[str, Sequence[Counts]],
    budget: int,
) -> Fraction:
    """What no recoding is below that withholds at most ``budget`` records."""
    rows = sum(counts)
    most = most_classes(counts, needed, values)
    if objective == "class-size":
        return Fraction(rows, most)
    # Every record is in a class of its tuple's records, and of those that it needs.
    least = min(needed.records, rows)
    total = Fraction(sum(count * max(least, count) for count in counts))
    # Of one class withholding is cheaper than the square: with w records withheld,
    # (rows - w)^2 + w rows < rows^2.  With two classes or more it never is.
    if budget and most == 1:
        return total
    return max(total, Fraction(rows * rows, most))
