"""What the protected cells may still be after each step, and how far that is from each fact."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet

from phverify.budget import Deadline
from phverify.disclosure.decide import Judge
from phverify.disclosure.grouping import grouped
from phverify.disclosure.measure import measured
from phverify.disclosure.protected import Fact
from phverify.disclosure.remaining import declared, remaining
from phverify.disclosure.result import DISCLOSED, UNDECIDED, Distance, Finding, Remaining

Place = tuple[str, int]
"""Column and row of a cell."""


class Cells:
    """The cells of all facts; what is known of them is kept from step to step, and only found anew where it changes."""

    def __init__(self, judge: Judge, facts: Sequence[Fact]) -> None:
        self.judge, self.frame = judge, judge.frame
        self.places = list(dict.fromkeys(place for fact in facts for place in fact.places))
        self.known: dict[Place, Remaining] = {}
        self.lengths: dict[Fact, tuple[str, Distance, *tuple[Remaining, ...]]] = {}
        self.turn = 0

    def left(self) -> tuple[Remaining, ...]:
        """What each cell may be."""
        return tuple(self.known.values())

    def narrow(self, findings: Sequence[Finding], classes: Sequence[int], time: Deadline) -> None:
        """What each cell may be after one more answer: asked once for all rows that no query tells apart.

        Where the time was not enough, the next step begins with those that had none.
        """
        verdicts = {one.fact.places[0]: one.verdict for one in findings if one.fact.protected.kind == "exact"}
        alike = grouped(((column, classes[row]), row) for column, row in self.places)
        groups, done = deque(alike.items()), 0
        groups.rotate(-self.turn)
        for (column, _), rows in groups:
            self.judge.deadline.check()
            before = self.known.get((column, rows[0]))
            said = {verdicts.get((column, row)) for row in rows}
            found = self.told(column, rows, before, said, time)
            done += (time.left() or 0) > 0
            if before is None or found.what != before.what:
                self.keep(found, rows)
        self.turn = 0 if done == len(groups) else self.turn + done

    def keep(self, found: Remaining, rows: Sequence[int]) -> None:
        """The same for all these rows."""
        for row in rows:
            self.known[found.column, row] = Remaining(str(self.frame.keys[row]), found.column, *found.what)

    def told(
        self, column: str, rows: Sequence[int], before: Remaining | None, said: AbstractSet[str | None], time: Deadline
    ) -> Remaining:
        """What the cells of rows that no query tells apart may be; no question is asked whose answer was found."""
        value, coding = self.frame.truth[column][rows[0]], self.frame.codings[column]
        old = before or declared(column, coding)
        if DISCLOSED in said and value is not None:
            code = coding.code(value)
            if old.values is not None:
                return Remaining("", column, values=(value,), missing=False)
            return Remaining("", column, code, code, None, False)
        few = old.values is not None and len(old.values) + old.missing <= 2
        # whether there is a second value was asked in vain
        return remaining(self.judge, column, rows, before, Deadline(0.0) if few and UNDECIDED in said else time)

    def distances(self, findings: Sequence[Finding]) -> tuple[Distance, ...]:
        """How far what is known is from each fact."""
        alike: dict[Hashable, Distance] = {}
        found = []
        for one in findings:
            self.judge.deadline.check()
            found.append(self.distance(one.fact, one.verdict, alike))
        return tuple(found)

    def distance(self, fact: Fact, verdict: str, alike: dict[Hashable, Distance]) -> Distance:
        """The distance of one fact, found anew where the verdict or what a cell may be has changed."""
        cells = [self.known[place] for place in fact.places]
        said, distance, *before = self.lengths.get(fact, ("", None))
        if distance is None or said != verdict or any(a is not b for a, b in zip(cells, before, strict=True)):
            distance = self.measured(fact, verdict, cells, alike)
            self.lengths[fact] = verdict, distance, *cells
        return distance

    def measured(
        self, fact: Fact, verdict: str, cells: Sequence[Remaining], alike: dict[Hashable, Distance]
    ) -> Distance:
        """The distance, shared by facts of one line that differ in their row only."""
        name = (fact.protected.name, verdict, fact.truth, *(cell.what for cell in cells))
        if fact.formula is not None:
            return measured(fact, verdict, cells, self.frame.policy)
        if name not in alike:
            alike[name] = measured(fact, verdict, cells, self.frame.policy)
        return alike[name]
