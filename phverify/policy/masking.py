"""How a column was masked, as a policy says it under [masking], and what is wrong with it before any data are seen.

Without an entry, a released cell is one of these, tried in this order: a suppression mark; a value of the original,
or a label of the policy's hierarchy; a set ``{a, b}``; an interval (``20-29``, ``[20, 30)``, ``>=65``).  Entries:

    zip = {rounding = 10}                        # the nearest multiple; halves may go either way
    age = {rounding = 5, direction = "down"}     # the multiple below (or "up": above)
    age = {intervals = true}                     # intervals first, even where a value is spelled like one
    illness = {table = {flu = {flu = "3/4", cold = "1/4"}}}      # probabilities (PRAM); values without a row stay
    zip = {suppressed = ["*", "?", ""]}          # the marks of suppression, "" for missing cells; default "*"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.errors import InputError, Problem, nearest
from phverify.policy.hierarchies import fraction, written

KINDS = ("rounding", "intervals", "table")
KEYS = (*KINDS, "direction", "suppressed")
DIRECTIONS = ("nearest", "down", "up")
EXAMPLE = 'for example: {rounding = 10}, {intervals = true} or {table = {flu = {flu = "3/4", cold = "1/4"}}}'

Chances = Mapping[str, Mapping[str, Fraction]]
"""For each original value, the probability of each released value; a row sums to exactly 1."""


@dataclass(frozen=True)
class Masking:
    """How one column was masked; at most one of ``rounding``, ``intervals`` and ``table`` is set.

    ``suppressed`` are the marks that stand for any value, "" for a missing cell.
    """

    rounding: Fraction | None = None
    direction: str = "nearest"
    intervals: bool = False
    table: Chances | None = None
    suppressed: tuple[str, ...] = ("*",)

    @property
    def random(self) -> bool:
        """Whether chance plays a part: some probability is neither 0 nor 1."""
        rows = (self.table or {}).values()
        return any(0 < chance < 1 for row in rows for chance in row.values())

    def chance(self, value: str | None, image: str | None) -> Fraction:
        """The probability that the table turns a value into an image; a value without a row stays as it is."""
        row = (self.table or {}).get(value or "")
        return Fraction(value == image) if row is None else row.get(image or "", Fraction(0))


PLAIN = Masking()


def read_masking(found: Any, where: str) -> Masking:
    """The masking that a policy describes.  Raises InputError with all that is wrong with it."""
    reading = _Reading(where)
    masking = reading.masking(found)
    if reading.problems:
        raise InputError(reading.problems)
    return masking


class _Reading:
    """One entry; every method reads a part and collects its problems."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: list[Problem] = []

    def complain(self, what: str, hint: str = "", private: bool = False) -> None:
        self.problems.append(Problem(self.where, what, hint, private))

    def masking(self, found: Any) -> Masking:
        if not isinstance(found, Mapping) or not found:
            self.complain(f"is a table that says how the column was masked, not {written(found)}", EXAMPLE)
            return PLAIN
        for key in found:
            if key not in KEYS:
                self.complain(f"unknown key {key!r}", nearest(str(key), KEYS, "keys"))
        if len(kinds := [key for key in KINDS if key in found]) > 1:
            self.complain(f"says {' and '.join(kinds)}", "a column is masked in one way")
        return Masking(
            self.rounding(found.get("rounding")),
            self.direction(found),
            self.intervals(found.get("intervals", False)),
            self.table(found["table"]) if "table" in found else None,
            self.suppressed(found.get("suppressed", () if "table" in found else PLAIN.suppressed)),
        )

    def rounding(self, found: Any) -> Fraction | None:
        number = None if found is None else fraction(found)
        if found is not None and (number is None or number <= 0):
            self.complain(f"rounding: {written(found)} is no number above 0", "for example: rounding = 10")
        return number

    def direction(self, found: Mapping[str, Any]) -> str:
        direction = str(found.get("direction", "nearest"))
        if direction not in DIRECTIONS:
            self.complain(f"unknown direction {direction!r}", nearest(direction, DIRECTIONS, "directions"))
        if "direction" in found and "rounding" not in found:
            self.complain("a direction belongs to rounding", 'for example: {rounding = 10, direction = "down"}')
        return direction

    def intervals(self, found: Any) -> bool:
        if not isinstance(found, bool):
            self.complain(f"intervals is true or false, not {written(found)}")
        return bool(found)

    def suppressed(self, found: Any) -> tuple[str, ...]:
        if isinstance(found, (list, tuple)) and all(isinstance(mark, str) for mark in found):
            return tuple(dict.fromkeys(found))
        self.complain(f"suppressed is a list of texts, not {written(found)}", 'for example: suppressed = ["*", ""]')
        return ()

    def table(self, found: Any) -> Chances:
        if not isinstance(found, Mapping) or not found:
            self.complain(f"table says what becomes of each value, not {written(found)}", EXAMPLE, True)
            return {}
        return {str(value): self.row(str(value), row) for value, row in found.items()}

    def row(self, value: str, found: Any) -> dict[str, Fraction]:
        """The probabilities of one value: none negative, and 1 in all, exactly."""
        if not isinstance(found, Mapping):
            self.complain(f"the row of {value!r} is a table of probabilities, not {written(found)}", EXAMPLE, True)
            return {}
        row = {str(image): fraction(chance) for image, chance in found.items()}
        chances = {image: chance for image, chance in row.items() if chance is not None}
        for image, chance in row.items():
            if chance is None or chance < 0:
                what = f"the row of {value!r}: {written(found[image])} for {image!r} is no probability"
                self.complain(what, "probabilities are written as 0.75 or '3/4'", True)
        total = sum(chances.values(), Fraction(0))
        if len(chances) == len(row) and total != 1:
            self.complain(f"the row of {value!r} sums to {total}, not to exactly 1", _missing_part(value, total), True)
        return {image: chance for image, chance in chances.items() if chance}


def _missing_part(value: str, total: Fraction) -> str:
    return f"{value!r} may stay as it is with the {1 - total} that is missing" if total < 1 else ""
