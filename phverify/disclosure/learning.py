"""What a log has told: by all statements, and by those alone that are modelled exactly.

A statement that is bounded is taken for more than it says.  What is safe by all of them
is safe.  What follows from all of them is known for certain only where it follows from
the exact ones alone; otherwise it is undecided, through the statements that were taken
for more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from phverify.budget import Deadline
from phverify.disclosure.decide import AuditJudge
from phverify.disclosure.pool import Pool
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.result import (
    DETERMINED,
    DISCLOSED,
    UNDECIDED,
    FactFinding,
    Reconstruction,
)
from phverify.disclosure.stages import SWAPPED, Ledger
from phverify.disclosure.understood import BOUNDED, Understood
from phverify.disclosure.worlds.unknowns import AuditFrame


class AnswersLearned:
    """Some answers: worlds that give them, who judges by them, and the classes of rows
    that they treat alike.
    """

    def __init__(
        self, frame: AuditFrame, each: float, deadline: Deadline, ledger: Ledger | None
    ) -> None:
        self.pool = Pool(frame)
        self.judge = AuditJudge(frame, self.pool, each, deadline)
        if ledger is not None:
            self.judge.ledger = ledger
        # before any query all rows are alike
        self.classes = [0] * frame.rows

    def learn(self, found: Understood) -> None:
        """One more answer, and what it sees of each row."""
        self.judge.learn(found.effect)
        # rows that all answers so far treat alike stay in one class
        numbers: dict[Any, int] = {}
        pairs = zip(self.classes, found.seen, strict=True)
        self.classes = [numbers.setdefault(pair, len(numbers)) for pair in pairs]
        for part, answer in found.asked:
            self.pool.learn(part, answer)

    def decide(
        self, facts: Sequence[ProtectedFact], new: bool
    ) -> dict[ProtectedFact, FactFinding]:
        """A finding for each fact: kept worlds first, then exchanged rows where the
        last answer is ``new``, then the cascade.
        """
        known: dict[ProtectedFact, FactFinding] = {}
        for fact in facts:
            self.judge.deadline.check()
            one = self.judge.known(fact)
            if one:
                known[fact] = one
        needy = [fact for fact in facts if fact not in known]
        if new:
            with self.judge.ledger.timed(SWAPPED):
                self.judge.exchange(needy, self.classes)
        decided = self.judge.decide_all(needy)
        pairs = zip(needy, decided, strict=True)
        known.update(pairs)
        return known


@dataclass(eq=False)
class ExactAnswers:
    """The answers that are modelled exactly, apart from the bounded ones.

    ``lines`` are those of the bounded statements by their numbers, ``apart`` is there
    from the first of them on, and ``through`` says of what follows from all answers by
    which of them it does.
    """

    frame: AuditFrame
    each: float
    deadline: Deadline
    lines: dict[int, int] = field(default_factory=dict)
    apart: AnswersLearned | None = None
    history: list[Understood] = field(default_factory=list)
    through: dict[ProtectedFact, str] = field(default_factory=dict)

    def learn(self, found: Understood, number: int, line: int, ledger: Ledger) -> None:
        """One more answer, where it is exact; the place of one that is bounded."""
        if found.status != BOUNDED:
            if self.apart is None:
                self.history.append(found)
            else:
                self.apart.learn(found)
            return
        self.lines[number] = line
        if self.apart is None:
            self.apart = AnswersLearned(self.frame, self.each, self.deadline, ledger)
            for earlier in self.history:
                self.apart.learn(earlier)
            self.history.clear()

    def begin(self, last: bool) -> None:
        """A new step, with time for its questions."""
        if self.apart is not None:
            self.apart.judge.begin(last)

    def before(self) -> dict[ProtectedFact, FactFinding]:
        """What follows from all answers so far, and still does after more of them."""
        return {
            fact: FactFinding(fact, UNDECIDED, reason)
            for fact, reason in self.through.items()
        }

    def judged(
        self, findings: Mapping[ProtectedFact, FactFinding], new: bool
    ) -> dict[ProtectedFact, FactFinding]:
        """The findings by all answers, as far as they rest on exact ones.

        What follows with bounded ones is asked again without them.
        """
        result = dict(findings)
        doubtful = []
        for fact, finding in findings.items():
            known = finding.verdict == DISCLOSED
            if known and not self.certain(finding):
                reason = self.said(finding.core)
                self.through.setdefault(fact, reason)
                known = False
            if fact in self.through and not known:
                doubtful.append(fact)
        if self.apart is None or not doubtful:
            return result
        for fact, finding in self.apart.decide(doubtful, new).items():
            if finding.verdict != DISCLOSED:
                finding = FactFinding(fact, UNDECIDED, self.through[fact])
            result[fact] = finding
        return result

    def certain(self, finding: FactFinding) -> bool:
        """Whether a disclosure rests on exact answers alone."""
        return self.lines.keys().isdisjoint(finding.core)

    def reconstructed(
        self, whole: Reconstruction, again: Callable[[AnswersLearned], Reconstruction]
    ) -> Reconstruction:
        """What is said of the table by all answers, as far as it rests on exact ones;
        ``again`` asks some of them.
        """
        determined = whole.status == DETERMINED
        if (
            not determined
            or self.apart is None
            or not set(self.lines) & set(whole.core)
        ):
            return whole
        exact = again(self.apart)
        if exact.status == DETERMINED:
            return exact
        reason = self.said(whole.core)
        return Reconstruction(UNDECIDED, whole.columns, reason=reason)

    def said(self, core: Sequence[int]) -> str:
        """Through which statements something follows that may not be so."""
        bounded = self.lines.keys() & set(core)
        places = {self.lines[number] for number in bounded}
        lines = sorted(places)
        if len(lines) == 1:
            return f"through line {lines[0]}, which was taken for more than it says"
        shown = ", ".join(map(str, lines[:-1]))
        return (
            f"through lines {shown} and {lines[-1]}, which were taken for more than"
            " they say"
        )
