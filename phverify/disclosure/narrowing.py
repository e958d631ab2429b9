"""What the protected cells may still be after each step, and how far that is from each
fact.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from phverify.budget import Deadline
from phverify.disclosure.decide import AuditJudge
from phverify.disclosure.grouping import grouped
from phverify.disclosure.many_worlds import Facts
from phverify.disclosure.measure import measured
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.remaining import declared, remaining
from phverify.disclosure.result import (
    DISCLOSED,
    UNDECIDED,
    Distance,
    FactFinding,
    Remaining,
)
from phverify.disclosure.worlds.unknowns import Classes


class CellRanges:
    """The cells of all facts, by column and row.

    What is known of them is carried from step to step, and only found anew where it
    changes.
    """

    def __init__(self, judge: AuditJudge, facts: Facts) -> None:
        self.judge = judge
        self.frame = judge.frame
        places = [place for fact in facts for place in fact.places]
        self.places = list(dict.fromkeys(places))
        self.known: dict[tuple[str, int], Remaining] = {}
        self.lengths: dict[ProtectedFact, tuple[tuple[Hashable, ...], Distance]] = {}
        self.turn = 0

    def narrow(
        self, findings: Sequence[FactFinding], classes: Classes, time: Deadline
    ) -> None:
        """What each cell may be after one more answer.

        Asked once for all rows that no query tells apart.  Where the time was not
        enough, the next step begins with those that had none.
        """
        verdicts = {
            one.fact.places[0]: one.verdict
            for one in findings
            if one.fact.protected.kind == "exact"
        }

        # Rows that no query tells apart have the same possible values.
        alike = grouped(((column, classes[row]), row) for column, row in self.places)
        groups = deque(alike.items())
        # Who had no time at the last step comes first now.
        groups.rotate(-self.turn)
        in_time = 0
        for (column, _), rows in groups:
            self.judge.deadline.check()
            first = column, rows[0]
            before = self.known.get(first)
            said = {verdicts.get((column, row)) for row in rows}
            known = before or declared(column, self.frame.codings[column])
            after = self.inferred(column, rows, known, said, time)

            # Who had no time now is first at the next step.
            in_time += (time.left() or 0) > 0
            if before is None or after != before:
                for row in rows:
                    key = str(self.frame.keys[row])
                    self.known[column, row] = replace(after, key=key)
        self.turn = 0 if in_time == len(groups) else self.turn + in_time

    def loosen(self) -> None:
        """Say of all cells that less may be left: more was told than is counted."""
        for place, cell in self.known.items():
            self.known[place] = replace(cell, tight=False)

    def inferred(
        self,
        column: str,
        rows: Sequence[int],
        before: Remaining,
        said: AbstractSet[str | None],
        time: Deadline,
    ) -> Remaining:
        """What the cells of rows that no query tells apart may be.

        No question is asked whose answer was found: ``said`` are the verdicts on the
        exact values.
        """
        value = self.frame.truth[column][rows[0]]
        if DISCLOSED in said and value is not None:
            if before.values is not None:
                return Remaining("", column, values=(value,))
            code = self.frame.codings[column].code(value)
            return Remaining("", column, code, code)

        # Missing is one of the values that may be left.
        few = before.values is not None and len(before.values) + before.missing <= 2
        if few and UNDECIDED in said:
            # Whether there is a second value was asked in vain.
            time = Deadline(0.0)
        return remaining(self.judge, column, rows, before, time)

    def distances(self, findings: Sequence[FactFinding]) -> tuple[Distance, ...]:
        """How far what is known is from each fact.

        Found anew where the verdict or what a cell may be has changed, and once for
        facts of one line that differ in their row only.
        """
        alike: dict[Hashable, Distance] = {}
        distances = []
        for finding in findings:
            self.judge.deadline.check()
            fact = finding.fact
            cells = [self.known[place] for place in fact.places]
            now = (finding.verdict, *cells)
            before, distance = self.lengths.get(fact, ((), None))
            if distance is None or now != before:
                # Counted facts of a line differ in their row; formulas name cells.
                row = fact if fact.formula is not None else fact.protected.name
                name = (row, finding.verdict, fact.truth, *cells)
                distance = alike.get(name)
                if distance is None:
                    policy = self.frame.policy
                    distance = measured(fact, finding.verdict, cells, policy)
                alike[name] = distance
                self.lengths[fact] = now, distance
            distances.append(distance)
        return tuple(distances)
