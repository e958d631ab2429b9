"""Answers with noise, or rounded, and the worlds that may have given them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from support.audit_oracle import Row
from support.audit_worlds import Worlds

MOST = 1_000
"""Means in the oracle are of fewer cells."""


@dataclass(frozen=True)
class Way:
    """How answers are published: rounded to a unit, then with noise."""

    unit: Fraction | None
    noise: Fraction
    ties: str = "up"

    @property
    def far(self) -> Fraction:
        return self.noise + (0 if self.unit is None else self.unit / 2)

    def policy(self) -> dict[str, Any]:
        said: dict[str, Any] = {}
        if self.unit is not None:
            said["rounded"] = float(self.unit)
        if self.noise:
            said["within"] = float(self.noise)
        return {"answers": said}

    @classmethod
    def random(cls, r: random.Random) -> Way:
        halves = [Fraction(1, 2), Fraction(1), Fraction(3, 2)]
        unit = r.choice([None, Fraction(1), Fraction(2), Fraction(1, 4)])
        noise = r.choice(halves) if unit is None else Fraction(0)
        return cls(unit, noise, r.choice(["up", "even", "down"]))

    def number(self, true: Fraction, r: random.Random) -> Fraction:
        """What is published for a number."""
        if self.unit is None and 4 % true.denominator:
            # What is published has few digits: a third has none that are enough.
            return Fraction(round(4 * true), 4)
        if self.unit is None:
            return true + r.choice([-1, 0, 1, Fraction(1, 2)]) * self.noise
        places = true / self.unit
        low = places.numerator // places.denominator
        over = places - low
        up = over > Fraction(1, 2)
        if over == Fraction(1, 2):
            up = self.ties == "up" or (self.ties == "even" and low % 2 == 1)
        return (low + up) * self.unit


def numbers(worlds: Worlds, sql: str) -> list[int]:
    """The places of aggregates of numbers, by what DuckDB calls and types them."""
    described = worlds.connection.execute(f"DESCRIBE {sql}").fetchall()
    places = []
    for place, (name, kind, *_) in enumerate(described):
        if "(" in name and kind != "VARCHAR":
            places.append(place)
    return places


def exact(value: Any) -> Fraction:
    """A number, a mean as the fraction that it is."""
    return Fraction(value).limit_denominator(MOST)


def published(
    rows: Sequence[Row], places: Sequence[int], way: Way, r: random.Random
) -> list[list[Any]]:
    """An answer as it was published, and as JSON has it."""
    said = []
    for row in rows:
        cells: list[Any] = list(row)
        for place in places:
            if cells[place] is not None:
                number = way.number(exact(cells[place]), r)
                whole = number.denominator == 1
                cells[place] = int(number) if whole else float(number)
        said.append(cells)
    return said


def given(
    answer: Counter[Row], said: Sequence[Sequence[Any]], places: Sequence[int], far: Any
) -> bool:
    """Whether a world's answer may have been published so."""
    left = list(answer.elements())
    if len(left) != len(said):
        return False
    for cells in said:
        alike = [row for row in left if near(row, cells, places, far)]
        if not alike:
            return False
        left.remove(alike[0])
    return True


def near(row: Row, cells: Sequence[Any], places: Sequence[int], far: Any) -> bool:
    """Whether a row may have been published so."""
    for place, (cell, said) in enumerate(zip(row, cells, strict=True)):
        if place not in places or cell is None or said is None:
            if cell != said:
                return False
        elif abs(exact(cell) - exact(said)) > far:
            return False
    return True
