"""A release, and its original where there is one: counted in an engine where that
settles what is asked, or read into memory.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from phverify.errors import InputError, refusal
from phverify.microdata.at_hand import at_hand
from phverify.microdata.engines import AskedCount, counted, counted_in_spark
from phverify.microdata.pair_counts import (
    RowsNeeded,
    both_counted,
    require_unchanged,
)
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
from phverify.policy.bind import BoundPolicy
from phverify.policy.formulas import columns_used
from phverify.policy.model import Policy

ALL_ROWS = "counts rows where they are, and --original and --failing read them all"
"""What Spark is not asked for."""
Bind = Callable[[CodedTable, CodedTable | None], BoundPolicy]
"""How a policy meets a release and its original: it raises InputError and RowsNeeded.
"""


@dataclass(frozen=True)
class ReleaseTables:
    """A release and its original as they were given, and who counts them.

    ``spark`` says where Spark is; it is asked until ``ending``.  Rows that are
    ``shown`` are so with all their cells.
    """

    policy: Policy
    engine: str
    spark: Any
    ending: ExitStack
    shown: bool = False
    failing: bool = False

    def bound(
        self, release: Any, original: Any, bind: Bind
    ) -> tuple[CodedTable, BoundPolicy]:
        """The release, counted or read, with the policy.  Raises InputError."""
        if self.engine == "spark":
            table = self._in_spark(release, original)
            return table, bind(table, None)
        release = at_hand(release, self.engine)
        if original is not None:
            original = at_hand(original, self.engine, "original")
            return self._beside(release, original, bind)
        found = counted(release, self.engine, self._asked(self.shown))
        table = found or read(release, self.policy.named, "release")
        return table, bind(table, None)

    def _in_spark(self, release: Any, original: Any) -> CodedTable:
        """The release, counted in Spark, which looks at no single rows."""
        if original is not None or self.failing:
            raise refusal("spark", ALL_ROWS, "leave the engine out")
        asked = self._asked(self.shown)
        return counted_in_spark(release, self.spark, asked, self.ending)

    def _beside(
        self, release: Any, original: Any, bind: Bind
    ) -> tuple[CodedTable, BoundPolicy]:
        """The same of a release and its original, counted where that settles it."""
        policy = self.policy
        pair = None
        # in any order all rows are looked at
        settled = policy.identifier is not None or policy.rows == "same order"
        if self.engine != "pandas" and settled:
            released = self._asked(self.shown)
            before_it = replace(released, grouping=policy.quasi, shown=False)
            asked = before_it, released
            pair = both_counted((original, release), asked, self.engine)
        if pair is not None:
            before, table = pair
            try:
                return table, bind(table, before)
            except (InputError, RowsNeeded):
                # what is wrong, and with which rows, the rows tell
                for one in pair:
                    require_unchanged(one)
        table = read(release, policy.named)
        before = read(original, policy.named, "original")
        return table, bind(table, before)

    def _asked(self, shown: bool = False) -> AskedCount:
        """What is counted of a release."""
        policy = self.policy
        others = [name for name in policy.columns if name not in policy.quasi]
        grouping = tuple(dict.fromkeys((*policy.quasi, *columns_used(policy))))
        return AskedCount(grouping, tuple(others), policy.named, shown=shown)
