"""A random sample of the records of a table: the same one for everybody who draws it.

Row n (from 1) of a table draws the SHA-256 of the text ``seed n``; the rows with the
least are the sample, in their order.  No generator of random numbers is asked, which
another version might have changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.spec.policy import PlainPolicy
from phverify.spec.released import by_number
from phverify.spec.source import Columns, Names, Plain, Refused, number
from phverify.spec.wording import many


@dataclass(frozen=True)
class RecordSample:
    """A ``share`` of the records, above 0 and below 1, drawn by a ``seed``."""

    share: Fraction
    seed: int

    def size(self, rows: int) -> int:
        """How many of so many records are drawn: rounded down, never above the
        share.
        """
        return int(self.share * rows)

    def rows(self, rows: int) -> list[int]:
        """Which of so many rows are drawn, rising, counted from 0."""
        drawn = [(_lot(self.seed, row), row) for row in range(rows)]
        drawn.sort()
        return sorted(row for _, row in drawn[: self.size(rows)])

    def columns(self, columns: Columns) -> Columns:
        """The columns of the sample."""
        lengths = map(len, columns.values())
        length = next(lengths, 0)
        rows = self.rows(length)
        drawn = {}
        for name, column in columns.items():
            cells = [column[row] for row in rows]
            drawn[name] = tuple(cells)
        return drawn

    def told(self, rows: int) -> str:
        """How the sample of so many records came about."""
        return (
            f"a random sample, {many(self.size(rows), 'record')} of {rows:,}"
            f" ({self.share}, rounded down; seed {self.seed})"
        )

    def said(self) -> dict[str, Any]:
        """As a certificate has it."""
        return {"share": str(self.share), "seed": self.seed}


def claimed_sample(claimed: Plain) -> RecordSample | None:
    """The sample that a certificate is about; None where it is about the whole table.

    Raises Refused for one that nobody could draw.
    """
    said = claimed.get("sample")
    if said is None:
        return None
    if not isinstance(said, Mapping) or set(said) != {"share", "seed"}:
        raise Refused("the sample of the certificate has not a share and a seed")
    seed = said["seed"]
    if type(seed) is not int or not isinstance(said["share"], str):
        raise Refused("the sample of the certificate has no share, or no seed")
    try:
        share = number(said["share"])
    except ValueError:
        raise Refused("the share of the sample is no number") from None
    if str(share) != said["share"] or not 0 < share < 1:
        raise Refused("the share of the sample is no share in lowest terms")
    return RecordSample(share, seed)


def sampled(
    policy: PlainPolicy, columns: Columns, sample: RecordSample
) -> tuple[Columns, Names]:
    """The sample of a table, and what is said of it.  Raises Refused."""
    rows = max(map(len, columns.values()), default=0)
    drawable(policy, rows, sample)
    said = f"the table is {sample.told(rows)}, drawn again: all else is about it"
    return sample.columns(columns), (said,)


def drawable(policy: PlainPolicy, rows: int, sample: RecordSample) -> None:
    """Raises Refused for a sample of so many rows that no search draws."""
    if not sample.size(rows):
        raise Refused("the sample has no record")
    if by_number(policy):
        raise Refused(
            "the policy names individuals by number, and the table is a sample"
        )


def _lot(seed: int, row: int) -> bytes:
    return hashlib.sha256(f"{seed} {row + 1}".encode()).digest()
