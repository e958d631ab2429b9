"""How a column was masked, as a policy says it under [masking], and what is wrong with
it before any data are seen.

Without an entry, a released cell is one of these, tried in this order: a suppression
mark; a value of the original, or a label of the policy's hierarchy; a set ``{a, b}``;
an interval (``20-29``, ``[20, 30)``, ``>=65``).  Entries:

    zip = {rounding = 10}                        # the nearest multiple; halves may go
    either way
    age = {rounding = 5, direction = "down"}     # the multiple below (or "up": above)
    age = {intervals = true}                     # intervals first, even where a value
    is spelled like one
    illness = {table = {flu = {flu = "3/4", cold = "1/4"}}}      # probabilities (PRAM);
    values without a row stay
    age = {noise = 5}                            # something from -5 to 5 was added;
    [-2, 5]: from -2 to 5
    age = {noise = {"-1" = "1/4", "0" = "1/2", "1" = "1/4"}}     # .. with these
    probabilities
    pay = {microaggregation = 3}                 # the mean of 3 to 5 records that are
    neighbours in this column
    pay = {swapping = "5%"}                      # values exchanged between records
    whose ranks differ by 5% at most
    zip = {swapping = true}                      # values exchanged between any records
    name = {pseudonyms = true}                   # a value tells nothing of the original
    one: who has which is secret
    zip = {suppressed = ["*", "?", ""]}          # the marks of suppression, "" for
    missing cells; default "*"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from phverify.errors import nearest
from phverify.policy.complaints import Complaints, written
from phverify.spec.decimals import fraction
from phverify.spec.source import Names

KINDS = (
    "rounding",
    "intervals",
    "table",
    "noise",
    "microaggregation",
    "swapping",
    "pseudonyms",
)
KEYS = (*KINDS, "direction", "suppressed")
DIRECTIONS = ("nearest", "down", "up")
EXAMPLE = (
    "for example: {rounding = 10}, {noise = 5}, {intervals = true} or {table = {flu ="
    ' {flu = "3/4", cold = "1/4"}}}'
)

Chances = Mapping[str, Mapping[str, Fraction]]
"""For each original value, the probability of each released value; a row sums to
exactly 1.
"""


@dataclass(frozen=True)
class Noise:
    """What was added to a number: something from ``low`` to ``high``, with the
    ``chances`` where they are declared.
    """

    low: Fraction
    high: Fraction
    chances: Mapping[Fraction, Fraction] | None = None


@dataclass(frozen=True)
class Masking:
    """How one column was masked; at most one of the fields named in ``KINDS`` is set.

    ``microaggregation`` is the least size of a group, ``swapping`` the share of the
    records by which the ranks of exchanged values differ at most, 1 for any;
    ``suppressed`` are the marks that stand for any value, "" for a missing cell.
    """

    rounding: Fraction | None = None
    direction: str = "nearest"
    intervals: bool = False
    table: Chances | None = None
    suppressed: Names = ("*",)
    noise: Noise | None = None
    microaggregation: int | None = None
    swapping: Fraction | None = None
    pseudonyms: bool = False

    @property
    def random(self) -> bool:
        """Whether chance plays a part: some probability is neither 0 nor 1."""
        chances = [
            chance for row in (self.table or {}).values() for chance in row.values()
        ]
        if self.noise is not None and self.noise.chances is not None:
            chances += self.noise.chances.values()
        return any(0 < chance < 1 for chance in chances)

    @property
    def changing(self) -> bool:
        """Whether what a value becomes is up to chance, a secret or other records."""
        by_others = (self.microaggregation, self.swapping)
        by_chance = (self.table, self.noise)
        return self.pseudonyms or by_others + by_chance != (None, None, None, None)

    def chance(self, value: str | None, image: str | None) -> Fraction:
        """The probability that the table turns a value into an image; a value without a
        row stays as it is.
        """
        rows = self.table or {}
        # a missing cell is written as the empty text
        row = rows.get(value or "")
        if row is None:
            unchanged = value == image
            return Fraction(unchanged)
        return row.get(image or "", Fraction(0))


PLAIN = Masking()


def read_masking(entry: Any, where: str) -> Masking:
    """The masking that a policy describes.  Raises InputError with all that is wrong
    with it.
    """
    reading = _Reading(where)
    return reading.checked(entry)


class _Reading(Complaints):
    """One entry; every method reads a part and collects its problems."""

    def checked(self, entry: Any) -> Masking:
        masking = self.masking(entry)
        self.settle()
        return masking

    def masking(self, entry: Any) -> Masking:
        if not isinstance(entry, Mapping) or not entry:
            self.complain(
                f"is a table that says how the column was masked, not {written(entry)}",
                EXAMPLE,
            )
            return PLAIN
        for key in entry:
            if key not in KEYS:
                self.complain(f"unknown key {key!r}", nearest(str(key), KEYS, "keys"))
        if len(kinds := [key for key in KINDS if key in entry]) > 1:
            self.complain(
                f"says {' and '.join(kinds)}", "a column is masked in one way"
            )
        if "direction" in entry and "rounding" not in entry:
            self.complain(
                "a direction belongs to rounding",
                'for example: {rounding = 10, direction = "down"}',
            )
        # problems are told in this order, whatever the order of the policy
        readers: Mapping[str, Callable[[Any], Any]] = {
            "rounding": self.rounding,
            "direction": self.direction,
            "intervals": partial(self.flag, "intervals"),
            "table": self.table,
            "suppressed": self.suppressed,
            "noise": self.noise,
            "microaggregation": self.groups,
            "swapping": self.swapping,
            "pseudonyms": partial(self.flag, "pseudonyms"),
        }
        # a table says what becomes of each value: there * is one like any other
        entries = {"suppressed": (), **entry} if "table" in entry else entry
        return Masking(
            **{
                key: read(entries[key])
                for key, read in readers.items()
                if key in entries
            }
        )

    def rounding(self, base: Any) -> Fraction | None:
        number = fraction(base)
        if number is None or number <= 0:
            self.complain(
                f"rounding: {written(base)} is no number above 0",
                "for example: rounding = 10",
            )
        return number

    def direction(self, direction: Any) -> str:
        if str(direction) not in DIRECTIONS:
            self.complain(
                f"unknown direction {str(direction)!r}",
                nearest(str(direction), DIRECTIONS, "directions"),
            )
        return str(direction)

    def flag(self, name: str, switch: Any) -> bool:
        if not isinstance(switch, bool):
            given = written(switch)
            self.complain(f"{name} is true or false, not {given}")
        return bool(switch)

    def noise(self, entry: Any) -> Noise | None:
        """A bound on both sides, two bounds, or values with their probabilities."""
        if isinstance(entry, Mapping) and entry:
            return self.distribution(entry)
        bound = fraction(entry)
        ends = [-bound, bound] if bound is not None and bound > 0 else []
        if isinstance(entry, (list, tuple)) and len(entry) == 2:
            ends = [end for end in map(fraction, entry) if end is not None]
        if len(ends) == 2 and ends[0] <= ends[1]:
            return Noise(ends[0], ends[1])
        hint = (
            'for example: noise = 5, noise = [-2, 5] or noise = {"-1" = "1/4", "0" ='
            ' "1/2", "1" = "1/4"}'
        )
        self.complain(
            f"noise: {written(entry)} is no bound above 0, no two bounds, no table of"
            " probabilities",
            hint,
        )
        return None

    def distribution(self, stated: Mapping[Any, Any]) -> Noise | None:
        chances: dict[Fraction, Fraction] = {}
        for text, chance in self.row("noise", stated).items():
            value = fraction(text)
            if value is None:
                self.complain(
                    f"noise: {text!r} is no number",
                    "what may be added, each with its probability",
                )
            # "1" and "1.0" are two texts and one number
            elif value in chances:
                self.complain(
                    f"noise: {text!r} is there twice", "each value with one probability"
                )
            else:
                chances[value] = chance
        if chances:
            return Noise(min(chances), max(chances), chances)
        return None

    def groups(self, entry: Any) -> int | None:
        size = fraction(entry)
        # a mean of one record would be the record itself
        if size is not None and size.denominator == 1 and size >= 2:
            return int(size)
        self.complain(
            f"microaggregation: {written(entry)} is no size of groups",
            "2 or more: microaggregation = 3",
        )
        return None

    def swapping(self, entry: Any) -> Fraction | None:
        # ranks may differ by all records
        if entry is True:
            return Fraction(1)
        share = fraction(entry)
        if share is not None and 0 < share <= 1:
            return share
        hint = 'true, or a share of the records by which ranks differ: swapping = "5%"'
        self.complain(
            f"swapping: {written(entry)} is neither true nor a share of the records",
            hint,
        )
        return None

    def suppressed(self, marks: Any) -> Names:
        if isinstance(marks, (list, tuple)) and all(
            isinstance(mark, str) for mark in marks
        ):
            return tuple(dict.fromkeys(marks))
        self.complain(
            f"suppressed is a list of texts, not {written(marks)}",
            'for example: suppressed = ["*", ""]',
        )
        return ()

    def table(self, rows: Any) -> Chances:
        if not isinstance(rows, Mapping) or not rows:
            self.complain(
                f"table says what becomes of each value, not {written(rows)}",
                EXAMPLE,
                True,
            )
            return {}
        return {str(value): self.row(str(value), row) for value, row in rows.items()}

    def row(self, value: str, stated: Any) -> dict[str, Fraction]:
        """The probabilities of one value: none negative, and 1 in all, exactly."""
        if not isinstance(stated, Mapping):
            self.complain(
                f"the row of {value!r} is a table of probabilities, not"
                f" {written(stated)}",
                EXAMPLE,
                True,
            )
            return {}
        # A policy that is given as a dictionary may have other keys than texts.
        by_text = {str(image): chance for image, chance in stated.items()}
        row = {image: fraction(chance) for image, chance in by_text.items()}
        chances = {image: chance for image, chance in row.items() if chance is not None}
        for image, chance in row.items():
            if chance is None or chance < 0:
                given = written(by_text[image])
                what = f"the row of {value!r}: {given} for {image!r} is no probability"
                self.complain(what, "probabilities are written as 0.75 or '3/4'", True)
        total = sum(chances.values(), Fraction(0))
        # what is no number has been complained of: their sum would say it again
        if len(chances) == len(row) and total != 1:
            if total < 1:
                hint = (
                    f"{value!r} may stay as it is with the {1 - total} that is missing"
                )
            else:
                hint = ""
            self.complain(
                f"the row of {value!r} sums to {total}, not to exactly 1", hint, True
            )
        # what has probability 0 is no possible image
        return {image: chance for image, chance in chances.items() if chance}
