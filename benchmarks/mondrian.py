"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006) over ranks, strict and relaxed.

A group of records is cut at the median of the attribute of widest relative range, while
both sides have k records.  *Strict* cuts between values, so that equal tuples stay
together; *relaxed* lets records of the median go to either side.  A group is released as
the least box that holds it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]


def mondrian(codes: Codes, k: int, relaxed: bool = False) -> list[Codes]:
    """The groups of records of ``codes`` (a line for each record), as record numbers."""
    widths = np.maximum(codes.max(axis=0) - codes.min(axis=0), 1)
    waiting = [np.arange(len(codes))]
    groups = []
    while waiting:
        group = waiting.pop()
        halves = cut(codes, group, widths, k, relaxed)
        if halves is None:
            groups.append(group)
        else:
            waiting += halves
    return groups


def cut(
    codes: Codes, group: Codes, widths: Codes, k: int, relaxed: bool
) -> list[Codes] | None:
    """Two halves of at least k records, by the widest attribute that has them."""
    inside = codes[group]
    ranges = (inside.max(axis=0) - inside.min(axis=0)) / widths
    for attribute in np.argsort(-ranges, kind="stable"):
        if ranges[attribute] == 0:
            break
        values = inside[:, attribute]
        if relaxed:
            order = np.argsort(values, kind="stable")
            half = len(group) // 2
            halves = [group[order[:half]], group[order[half:]]]
        else:
            median = np.sort(values)[len(values) // 2]
            low = values < median if (values < median).any() else values <= median
            halves = [group[low], group[~low]]
        if min(map(len, halves)) >= k:
            return halves
    return None


def loss(
    codes: Codes, groups: list[Codes], prices: tuple[npt.NDArray[np.float64], ...]
) -> float:
    """The mean loss of all records, by the price of each attribute's least node."""
    total = 0.0
    for group in groups:
        inside = codes[group]
        low, high = inside.min(axis=0), inside.max(axis=0)
        each = [price[a, b] for price, a, b in zip(prices, low, high, strict=True)]
        total += len(group) * float(sum(each))
    return total / len(codes)
