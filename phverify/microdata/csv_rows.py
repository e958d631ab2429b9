"""Rows as the text of a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TextIO

RETURN = "\r\n"
"""Line ends for which a cell is quoted that has a part of them."""


def csv_text(
    rows: Iterable[Sequence[object]], separator: str = ",", newline: str = "\n"
) -> str:
    """Rows as lines of CSV; None is an empty cell.

    A cell with a carriage return is quoted, too: by itself it would end a line where
    the file is read, and Python's writer leaves it bare where lines end otherwise.
    """
    text = io.StringIO(newline="")
    ended = _EndedOtherwise(text, newline)
    writer = csv.writer(ended, delimiter=separator, lineterminator=RETURN)
    writer.writerows(rows)
    return text.getvalue()


class _EndedOtherwise:
    """Takes the lines of a writer, one at a time, and gives them another end."""

    def __init__(self, text: TextIO, newline: str) -> None:
        self._text = text
        self._newline = newline

    def write(self, line: str) -> int:
        """Write one line, which has the writer's end."""
        return self._text.write(line.removesuffix(RETURN) + self._newline)
