"""The audit of many rows: the log is answered first, then judged as a whole."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from phverify.budget import Deadline, Tell, alarmed
from phverify.disclosure.classes.fragment import OutsideClasses
from phverify.disclosure.classes.road import ClassRoad
from phverify.disclosure.log.query import SqlQuery
from phverify.disclosure.log.statements import Statement
from phverify.disclosure.result import DISCLOSED, Step
from phverify.disclosure.stages import StageShare
from phverify.disclosure.worlds.database import Database
from phverify.disclosure.worlds.relation import QueriedRows
from phverify.disclosure.worlds.unknowns import AuditFrame
from phverify.verbs.audit import STOPS, Auditor, why


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


class ClassAuditor(Auditor):
    """As ``Auditor``, for tables of many rows.

    Raises OutsideClasses, here and from ``steps``, for what classes are not made for.
    """

    def __init__(
        self, source: Database, frame: AuditFrame, deadline: Deadline, each: float
    ) -> None:
        self.source, self.frame, self.deadline = source, frame, deadline
        self.scope = self.scope_of(frame)
        self.road = ClassRoad(frame, source, deadline, each)
        self.taint = self.stopped = ""
        self.number = 0
        self.shown: list[Step] = []

    def relation(self, query: SqlQuery) -> QueriedRows | None:
        """Nothing: classes see columns, not rows."""
        return None

    def learn(
        self, query: SqlQuery, text: str, answer: tuple[Any, ...], over: object
    ) -> None:
        """What an answer says, to the classes."""
        self.road.learn(query, text, answer, self.number)

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
        if stopped is not None and not self.stopped:
            self.stopped = why(stopped)
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
                self.tainted(step, statement)
                yield replace(step, seconds=time.monotonic() - began), self.taint
        except STOPS as error:
            self.stopped = why(error)

    def shares(self) -> tuple[StageShare, ...]:
        """What each stage decided."""
        return self.road.shares(self.shown)
