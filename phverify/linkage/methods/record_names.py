"""What the records of a table are called, and cells that name none of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from phverify.errors import HIDDEN, Problem, nearest
from phverify.exact import Ints
from phverify.microdata.counted import IdentifiersElsewhere

SIDE = {"i": "original", "d": "released"}
"""Which records are called by which letter."""


class UnreadableCell(Exception):
    """A cell that means nothing, and what could be meant.

    ``sentence`` has a ``{}`` for each of the ``quoted`` values of the data.  ``nearby``
    is a hint that quotes the data, too, and stands before any other.
    """

    def __init__(
        self, sentence: str, *quoted: str, hint: str = "", nearby: str = ""
    ) -> None:
        super().__init__(sentence.format(*quoted))
        self.redacted = sentence.format(*[HIDDEN] * len(quoted))
        self.hint = hint
        self.nearby = nearby

    def problem(self, source: str, place: str = "") -> Problem:
        """The cell as a problem of its file; redacted, it quotes nothing."""
        before = f"{place}: " if place else ""
        unquoted = Problem(source, before + self.redacted, self.hint)
        hint = self.nearby or self.hint
        return Problem(source, f"{before}{self}", hint, True, unquoted)


@dataclass(frozen=True)
class RecordNames:
    """What the records of a table are called: by an identifier, else by their row
    numbers from 1.

    ``letter`` is d for released records and i for original ones: ``d3`` is the third
    row, too, unless some identifiers are written like that.
    """

    letter: str
    rows: int
    names: Sequence[str] = ()

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    @cached_property
    def _by_number(self) -> re.Pattern[str] | None:
        """How a row number is written; None where identifiers look like that, and a
        misspelt one would be a number.
        """
        # beside identifiers a bare number is no row
        letter = self.letter
        # beside identifiers a bare number is no row
        if not self.names:
            letter += "?"
        pattern = re.compile(rf"{letter}([1-9]\d{{0,17}})", re.ASCII)
        alike = map(pattern.fullmatch, self.names)
        if any(alike):
            return None
        return pattern

    def find(self, text: str) -> int | None:
        """The record of a name, from 0; None for a name that no record has."""
        pattern = self._by_number
        if text in self._index or pattern is None:
            return self._index.get(text)
        written = pattern.fullmatch(text)
        if written is None:
            return None
        row = int(written[1])
        if row > self.rows:
            return None
        return row - 1

    def say(self, index: int) -> str:
        """The name of a record."""
        if self.names:
            return self.names[index]
        return f"{self.letter}{index + 1}"

    def say_all(self, rows: Ints) -> list[str]:
        """The names of some records, which rise."""
        if isinstance(self.names, IdentifiersElsewhere):
            return self.names.of(rows)
        return list(map(self.say, rows.tolist()))

    def number(self, text: str) -> int:
        """The record of a name, from 0.

        Raises UnreadableCell for a name that no record has.
        """
        record = self.find(text)
        if record is not None:
            return record
        side = SIDE[self.letter]
        records = f"{side} records"
        quoted = repr(text)
        sentence = f"there is no {side} record {{}}"
        if self.names:
            # the nearest names are data: redacted, they are left out
            close = nearest(text, self.names, records)
            raise UnreadableCell(sentence, quoted, nearby=close)
        last = self.rows
        by_letter = f"{self.letter}1 to {self.letter}{last}"
        hint = f"{records} are 1 to {last}, or {by_letter}"
        raise UnreadableCell(sentence, quoted, hint=hint)
