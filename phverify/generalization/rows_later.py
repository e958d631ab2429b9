"""What a search that started from a grouped count does not know: the rows.

They are read when somebody asks for them: for a certificate, which its checker holds
against the rows, and for a release in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from phverify.errors import refusal
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.released import aligned
from phverify.microdata.quotient import Quotient
from phverify.microdata.read import opened, read
from phverify.microdata.read_once import ReadTable
from phverify.microdata.sampled import drawn, drawn_source
from phverify.microdata.table import CodedTable
from phverify.policy.bind import bind
from phverify.spec.sampling import RecordSample
from phverify.spec.source import Names


@dataclass(frozen=True, eq=False)
class RowsLater:
    """The table of a search whose rows stay where they are.

    ``given`` is what the caller gave; ``wanted`` columns decide the separator of a CSV.
    ``counted`` is the table by its groups, None where the rows were read.
    """

    given: Any
    wanted: Names
    counted: CodedTable | None = None

    @cached_property
    def source(self) -> Any:
        """What the rows are read from, as a search in memory has it."""
        return opened(self.given, "table")

    @cached_property
    def table(self) -> CodedTable:
        """The table with all its rows.  Raises InputError."""
        source = self.given if isinstance(self.given, ReadTable) else self.source
        return read(source, self.wanted, "table")


@dataclass(frozen=True, eq=False)
class SampledRows(RowsLater):
    """The table of a search in a random sample of its records, which are read."""

    sample: RecordSample = field(kw_only=True)

    @cached_property
    def whole(self) -> Any:
        """What all rows are read from."""
        return opened(self.given, "table")

    @cached_property
    def source(self) -> Any:
        """What the sampled rows are read from, where that is a frame."""
        return drawn_source(self.whole, self.sample)

    @cached_property
    def table(self) -> CodedTable:
        """The sample.  Raises InputError."""
        table = read(self.whole, self.wanted, "table")
        return drawn(table, self.sample)


def judge_of_rows(judge: CandidateJudge, later: RowsLater) -> CandidateJudge:
    """The same judge over the rows.  Raises InputError where these are others now."""
    table = aligned(later.table, judge.space)
    bound = bind(judge.policy, table, None, paths=judge.paths, unsanitized=True)
    require_same(bound.release.quotient, judge.finest, table.source)
    criteria = {**judge.bound.release.criteria, **bound.release.criteria}
    release = replace(bound.release, criteria=criteria)
    return replace(judge, table=table, bound=replace(bound, release=release), _homes={})


def require_same(read_again: Quotient, counted: Quotient, where: str) -> None:
    """Raises InputError unless rows that were read are those that were counted."""
    same = read_again.labels == counted.labels
    for name in ("counts", "starts", "class_keys"):
        same = same and np.array_equal(
            getattr(read_again, name), getattr(counted, name)
        )
    if not same:
        what = "was changed after it was counted"
        raise refusal(where, what, "give a copy that nobody writes to")
