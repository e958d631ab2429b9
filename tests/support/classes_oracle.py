"""Costs of releases that look at whole classes, by their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any


def of_classes(
    candidate: Any,
    shown: Sequence[Sequence[str | None]],
    rows: Sequence[Mapping[str, str | None]],
    objective: str,
    kept: Iterable[int],
) -> Fraction:
    """The cost of a candidate that shows these tuples, where some rows are released."""
    released = list(kept)
    sizes = Counter(tuple(shown[k]) for k in released)
    gone = len(rows) - len(released)
    if objective == "discernibility":
        return Fraction(sum(n * n for n in sizes.values()) + gone * len(rows))
    if objective == "class-size":
        return Fraction(len(rows), max(len(sizes), 1))
    total = gone * candidate.widest
    for k in released:
        places = [o.places[rows[k][f]] for f, o in candidate.chosen.items()]
        total += prod(place.leaves for place in places)
    return Fraction(total, len(rows))
