"""The audit of many rows: the log is answered first, then judged as a whole."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from phverify.budget import Deadline, Tell, alarmed, why_stopped
from phverify.disclosure.classes.fragment import OutsideClasses
from phverify.disclosure.classes.road import ClassRoad
from phverify.disclosure.log.query import SqlQuery, columns
from phverify.disclosure.log.statements import Statement
from phverify.disclosure.normal.settling import Settled
from phverify.disclosure.result import DISCLOSED, Step
from phverify.disclosure.stages import StageShare
from phverify.disclosure.understanding import Understanding
from phverify.disclosure.understood import ANSWERED, Understood
from phverify.disclosure.worlds.constraints import Effect
from phverify.disclosure.worlds.database import Database, Rows
from phverify.disclosure.worlds.unknowns import AuditFrame
from phverify.verbs.auditor import CONTRADICTED, STOPS, Auditor


def of_classes(
    source: Database,
    frame: AuditFrame,
    statements: Sequence[Statement],
    deadline: Deadline,
    each: float,
    first: bool,
    progress: Tell,
) -> tuple[Auditor, list[Step]] | None:
    """The audit by classes, and its steps; None where something is outside of what
    classes are made for.
    """
    try:
        auditor = ClassAuditor(source, frame, deadline, each)
        return auditor, list(auditor.steps(statements, first, progress))
    except OutsideClasses:
        return None


@dataclass(frozen=True, eq=False)
class PartsRead(Understanding):
    """Statements as queries of the fragment, without constraints on single cells.

    ``queries`` are those of the last statement, each with its text and answer.
    """

    queries: list[tuple[SqlQuery, str, Rows]] = field(default_factory=list)

    @property
    def columns(self) -> set[str]:
        """The columns that the last statement names."""
        names: set[str] = set()
        for query, _, _ in self.queries:
            names |= columns(query)
        return names

    def exactly(self, settled: Settled, number: int) -> Understood:
        """As ``Understanding`` has it.

        Raises OutsideClasses for what DuckDB only answers about alike.
        """
        if settled.rough:
            raise OutsideClasses(settled.rough)
        return super().exactly(settled, number)

    def learned(
        self,
        text: str,
        parts: Sequence[str],
        number: int,
        status: str,
        says: str = "",
    ) -> Understood:
        """The queries that stand for a statement, with their answers.

        Raises OutsideClasses for a statement that is bounded: what is taken for more
        than it says is for the other road.
        """
        self.queries.clear()
        if status != ANSWERED:
            raise OutsideClasses("a statement that is bounded")
        read = []
        for part in parts:
            query, answer = self.queried(part)
            read.append((query, part, answer))
        asked = [(part, answer) for _, part, answer in read]
        whole = self.answer(text, asked)
        if list(parts) != [text]:
            asked.append((text, whole))
        self.queries.extend(read)
        nothing = Effect((), (), number)
        return Understood(whole, nothing, (), asked, status)


class ClassAuditor(Auditor):
    """As ``Auditor``, for tables of many rows.

    Raises OutsideClasses, here and from ``steps``, for what classes are not made for.
    """

    def __init__(
        self, source: Database, frame: AuditFrame, deadline: Deadline, each: float
    ) -> None:
        self.source = source
        self.frame = frame
        self.deadline = deadline
        scope = self.scope_of(frame)
        self.parts = PartsRead(scope, frame, source)
        self.understanding = self.parts
        self.road = ClassRoad(frame, source, deadline, each)
        self.taint = ""
        self.stopped = ""
        self.number = 0
        self.shown: list[Step] = []
        self.before: dict[str, Understood] = {}

    def answered(self, statement: Statement) -> Understood:
        """What a query says, once classes have learned it; asked again, it says what
        it said.
        """
        known = statement.text in self.before
        if known and statement.kept is None and not statement.open:
            return self.before[statement.text]
        number = self.number
        found = self.read(statement)
        for query, _, answer in self.parts.queries:
            self.road.learn(query, answer, number)
        named = self.parts.columns
        for part, answer in found.asked:
            self.road.replayed(part, answer, number, named)
        self.before[statement.text] = found
        return found

    def steps(
        self, statements: Sequence[Statement], first: bool, progress: Tell
    ) -> Iterator[Step]:
        """All steps, once the whole log is judged."""
        progress("before the first query")
        learned = list(self.answers(statements, progress))
        progress("judging all facts")
        began = time.monotonic()
        try:
            with alarmed(self.deadline):
                stopped = self.road.decide(len(learned))
        except STOPS as error:
            stopped = error
        self.road.leave_open(len(learned), stopped)
        if stopped is not None and not self.stopped:
            self.stopped = why_stopped(stopped)
        seconds = time.monotonic() - began
        last = learned[-1][0].number
        for step, taint in learned:
            judged = self.road.told(step, taint)
            if step.number == last:
                # The judging of all steps is one.
                judged = replace(judged, seconds=judged.seconds + seconds)
            self.shown.append(judged)
            yield judged
            if first and judged.worst() == DISCLOSED:
                return

    def answers(
        self, statements: Sequence[Statement], progress: Tell
    ) -> Iterator[tuple[Step, str]]:
        """The steps without their findings, and what taints each."""
        yield Step(0, 0, "", "answered"), ""
        try:
            for number, statement in enumerate(statements, 1):
                self.deadline.check()
                progress(f"query {number} of {len(statements)}")
                began = time.monotonic()
                with alarmed(self.deadline):
                    step = self.learned(statement)
                if step.status == CONTRADICTED:
                    raise OutsideClasses("an answer that the table does not have")
                self.tainted(step, statement)
                seconds = time.monotonic() - began
                step = replace(step, seconds=seconds)
                yield step, self.taint
        except STOPS as error:
            self.stopped = why_stopped(error)

    def shares(self) -> tuple[StageShare, ...]:
        """What each stage decided."""
        shown = self.shown
        return self.road.shares(shown)
