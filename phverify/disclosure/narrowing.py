"""What the protected cells may still be after each step, and how far that is from each
fact.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from phverify.budget import Deadline
from phverify.disclosure.decide import Facts, Judge
from phverify.disclosure.grouping import grouped
from phverify.disclosure.measure import measured
from phverify.disclosure.protected import Fact
from phverify.disclosure.remaining import declared, remaining
from phverify.disclosure.result import (
    DISCLOSED,
    UNDECIDED,
    Distance,
    Finding,
    Remaining,
)
from phverify.disclosure.worlds.unknowns import Classes


class CellRanges:
    """The cells of all facts, by column and row; what is known of them is kept from
    step to step, and only found anew where it changes.
    """

    def __init__(self, judge: Judge, facts: Facts) -> None:
        self.judge, self.frame = judge, judge.frame
        self.places = list(
            dict.fromkeys(place for fact in facts for place in fact.places)
        )
        self.known: dict[tuple[str, int], Remaining] = {}
        self.lengths: dict[Fact, tuple[tuple[Hashable, ...], Distance]] = {}
        self.turn = 0

    def narrow(
        self, findings: Sequence[Finding], classes: Classes, time: Deadline
    ) -> None:
        """What each cell may be after one more answer: asked once for all rows that no
        query tells apart.

        Where the time was not enough, the next step begins with those that had none.
        """
        verdicts = {
            one.fact.places[0]: one.verdict
            for one in findings
            if one.fact.protected.kind == "exact"
        }
        alike = grouped(((column, classes[row]), row) for column, row in self.places)
        groups, done = deque(alike.items()), 0
        groups.rotate(-self.turn)
        for (column, _), rows in groups:
            self.judge.deadline.check()
            before = self.known.get((column, rows[0]))
            said = {verdicts.get((column, row)) for row in rows}
            found = self.told(
                column,
                rows,
                before or declared(column, self.frame.codings[column]),
                said,
                time,
            )
            done += (time.left() or 0) > 0
            if before is None or found != before:
                for row in rows:
                    self.known[column, row] = replace(
                        found, key=str(self.frame.keys[row])
                    )
        self.turn = 0 if done == len(groups) else self.turn + done

    def told(
        self,
        column: str,
        rows: Sequence[int],
        before: Remaining,
        said: AbstractSet[str | None],
        time: Deadline,
    ) -> Remaining:
        """What the cells of rows that no query tells apart may be; no question is asked
        whose answer was found.
        """
        value = self.frame.truth[column][rows[0]]
        few = before.values is not None and len(before.values) + before.missing <= 2
        if DISCLOSED in said and value is not None:
            if before.values is not None:
                return Remaining("", column, values=(value,))
            code = self.frame.codings[column].code(value)
            return Remaining("", column, code, code)
        # whether there is a second value was asked in vain
        return remaining(
            self.judge,
            column,
            rows,
            before,
            Deadline(0.0) if few and UNDECIDED in said else time,
        )

    def distances(self, findings: Sequence[Finding]) -> tuple[Distance, ...]:
        """How far what is known is from each fact: found anew where the verdict or what
        a cell may be has changed, and once for facts of one line that differ in their
        row only.
        """
        alike: dict[Hashable, Distance] = {}
        found = []
        for one in findings:
            self.judge.deadline.check()
            fact, verdict = one.fact, one.verdict
            cells = [self.known[place] for place in fact.places]
            now = (verdict, *cells)
            before, distance = self.lengths.get(fact, ((), None))
            if distance is None or now != before:
                row = fact if fact.formula is not None else fact.protected.name
                name = (row, verdict, fact.truth, *cells)
                distance = alike.get(name) or measured(
                    fact, verdict, cells, self.frame.policy
                )
                self.lengths[fact], alike[name] = (now, distance), distance
            found.append(distance)
        return tuple(found)
