"""Cells that differ and have one text: 1 and '1', 2 and 2.0, 0.0 and -0.0.

Whoever has the table tells them apart, and here they are one value.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from phverify.microdata.texts import float_text
from phverify.spec.source import Label

TRUTH = bool | np.bool_
KINDS = (TRUTH, Integral, Decimal, Real, str, datetime.datetime, datetime.date)
NUMERIC = frozenset("-0123456789i")
"""How the text of a number begins; of infinity, too."""


def one_text_of_two(cells: Iterable[Any], texts: Iterable[Label]) -> bool:
    """Whether cells of different kinds, or the two zeros, have one text.

    However a cell is missing, it is no value, and has no text.
    """
    told = set()
    for cell, text in zip(cells, texts, strict=True):
        if text is not None:
            told.add((text, _kind(cell)))
    distinct = {text for text, _ in told}
    return len(distinct) < len(told)


def _kind(cell: Any) -> object:
    """What tells a cell from others of the same text."""
    for kind in KINDS:
        if isinstance(cell, kind):
            return (kind, minus_zero(cell)) if kind is Real else kind
    return type(cell)


def minus_zero(cell: Any) -> bool:
    """Whether a cell is the float -0.0."""
    if not isinstance(cell, float | np.floating):
        return False
    return bool(cell == 0 and math.copysign(1, cell) < 0)


class StoredKinds:
    """What is in a column of SQLite, a batch at a time; its memory does not grow."""

    def __init__(self) -> None:
        self._kinds: set[type] = set()
        self._signs: set[bool] = set()
        """Of the zeros of floats: whether they are negative."""
        self._whole = False
        """Whether a float is a whole number, and so written like an integer."""
        self._numeric = False
        """Whether a text is written like a number."""

    def add(self, cells: Sequence[Any]) -> None:
        """More cells of the column."""
        kinds = {*map(type, cells)}
        self._kinds |= kinds
        if float in kinds:
            floats = [cell for cell in cells if type(cell) is float]
            self._signs |= {minus_zero(cell) for cell in floats if cell == 0}
            self._whole = self._whole or any(map(float.is_integer, floats))
        if str in kinds and not self._numeric:
            texts = {cell for cell in cells if type(cell) is str}
            self._numeric = any(map(_numeric, texts))

    @property
    def merged(self) -> bool:
        """Whether different cells may have one text: what is not sure counts."""
        if len(self._signs) > 1:
            return True
        numbers = self._kinds & {int, float}
        if self._numeric and numbers:
            return True
        return self._whole and int in self._kinds


def _numeric(text: str) -> bool:
    """Whether a number could have this text."""
    if text[:1] not in NUMERIC:
        return False
    try:
        return float_text(float(text)) == text or str(int(text)) == text
    except (ValueError, OverflowError):
        return False
