"""The state of an audit: a log is asked of the database, and every fact judged after
each answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from phverify.budget import Deadline, Tell, alarmed, why_stopped
from phverify.constraints import cpsat
from phverify.disclosure.decide import AuditJudge
from phverify.disclosure.histories.parameters import filled, kind_of_type
from phverify.disclosure.learning import AnswersLearned, ExactAnswers
from phverify.disclosure.log import sql
from phverify.disclosure.log.ambiguous import ambiguous
from phverify.disclosure.log.error_codes import static, stopped
from phverify.disclosure.log.failure import says_nothing
from phverify.disclosure.log.statements import Statement, tokens
from phverify.disclosure.narrowing import CellRanges
from phverify.disclosure.normal.settling import in_database
from phverify.disclosure.pool import Pool
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.reconstruct import reconstruct as reconstructed
from phverify.disclosure.remaining import as_in_table
from phverify.disclosure.result import (
    DISCLOSED,
    SAFE,
    UNDECIDED,
    UNSUPPORTED,
    FactFinding,
    Reconstruction,
    Step,
)
from phverify.disclosure.stages import KNOWN, SWAPPED, StageShare
from phverify.disclosure.understanding import Understanding
from phverify.disclosure.understood import ANSWERED, BOUNDED, Understood
from phverify.disclosure.worlds.database import Database, database_error
from phverify.disclosure.worlds.unknowns import AuditFrame
from phverify.errors import BudgetExceeded

LEARNED = (ANSWERED, BOUNDED)
"""Statuses of statements that something was learned from."""
STOPS = (BudgetExceeded, KeyboardInterrupt, MemoryError)
"""What ends a run before its end."""
TAKEN = "taken for more than it says"
"""What is said of a statement that is bounded."""
CONTRADICTED = "contradicted"
TAINTING = ("unsupported", "refused", CONTRADICTED)
"""Statuses of statements after which nothing is called safe."""
FAILED = {
    True: "the log says that it failed, and the text alone is why",
    False: "the log says that it failed, which may depend on the data",
}
"""What is said of a failure that told nothing, and of any other."""


class Auditor:
    """The state of an audit: what has been asked, worlds that answer alike, and what is
    disclosed already.
    """

    def __init__(
        self,
        source: Database,
        frame: AuditFrame,
        facts: list[ProtectedFact],
        deadline: Deadline,
        each: float,
        ranges: float,
    ) -> None:
        self.source, self.frame, self.facts, self.ranges, self.deadline = (
            source,
            frame,
            facts,
            ranges,
            deadline,
        )
        self.pool = Pool(frame)
        self.judge = AuditJudge(frame, self.pool, each, deadline)
        scope = self.scope_of(frame)
        published = frame.policy.published
        self.understanding = Understanding(scope, frame, source, published)
        # before any query all rows are alike
        self.classes = [0] * frame.rows
        self.disclosed: dict[ProtectedFact, FactFinding] = {}
        # the last step after which each fact was safe
        self.free: dict[ProtectedFact, int] = {}
        self.exact = ExactAnswers(frame, each, deadline)
        self.cells = CellRanges(self.judge, facts)
        self.taint = self.stopped = ""
        self.number = 0

    @staticmethod
    def scope_of(frame: AuditFrame) -> sql.QueryScope:
        """What queries may name."""
        public = tuple(frame.public)
        sensitive = tuple(frame.truth)
        columns = tuple(frame.types)
        external = {
            name: tuple(outside.types) for name, outside in frame.external.items()
        }
        return sql.QueryScope(
            frame.policy.table,
            frame.policy.key,
            public,
            sensitive,
            columns,
            external,
            domains=frame.policy.sensitive,
            more_keys=frame.policy.more_keys,
        )

    def shares(self) -> tuple[StageShare, ...]:
        """What each stage decided."""
        return self.judge.ledger.shares()

    def reconstruct(self) -> Reconstruction:
        """Whether the answers so far determine the whole table."""
        try:
            with alarmed(self.deadline):
                self.deadline.check()
                if not self.stopped:
                    whole = self.whole(self)
                    return self.exact.reconstructed(whole, self.whole)
        except STOPS as error:
            self.stopped = why_stopped(error)
        return Reconstruction(UNDECIDED, tuple(self.frame.truth), reason=self.stopped)

    def whole(self, answers: Auditor | AnswersLearned) -> Reconstruction:
        """Whether some answers determine the table: all, or the exact ones."""
        return reconstructed(
            self.frame,
            answers.judge.asked,
            answers.classes,
            self.deadline,
            self.taint,
            answers.pool.adopt,
        )

    def steps(
        self, statements: Sequence[Statement], first: bool, progress: Tell
    ) -> Iterator[Step]:
        """All steps, up to the first disclosure where only that is wanted, or until the
        run is stopped.

        A step is given where its answer was learned; facts that were not decided after
        it are undecided.  Step 0 is what the domains alone give away.
        """
        progress("before the first query")
        last = self.judged(Step(0, 0, "", "answered"), time.monotonic())
        yield last
        try:
            for number, statement in enumerate(statements, 1):
                if self.stopped or (first and last.worst() == DISCLOSED):
                    break
                self.deadline.check()
                progress(f"query {number} of {len(statements)}")
                last = self.step(statement, number == len(statements))
                yield last
        except STOPS as error:
            self.stopped = why_stopped(error)

    def step(self, statement: Statement, last: bool = True) -> Step:
        """One statement: executed, understood, and judged; the last one has all the
        time of a step.
        """
        began = time.monotonic()
        with alarmed(self.deadline):
            step = self.learned(statement)
        self.tainted(step, statement)
        return self.judged(step, began, last)

    def tainted(self, step: Step, statement: Statement) -> None:
        """The first statement that is not audited is why nothing is called safe from
        there on.
        """
        if step.status in TAINTING and not self.taint:
            self.taint = (
                f"query {self.number} (line {statement.line}) is not audited:"
                f" {step.reason}"
            )

    def learned(self, statement: Statement) -> Step:
        """The statement executed, and what its answer says."""
        self.number += 1
        step = Step(self.number, statement.line, statement.text, "answered")
        try:
            if statement.error and statement.kept is not None:
                raise sql.Unsupported("the log says that it failed, and has its answer")
            if statement.error:
                nothing = self.nothing(statement)
                return replace(
                    step,
                    status="failed" if nothing else "unsupported",
                    reason=FAILED[nothing],
                )
            whole = filled(statement, self.kind)
            if whole.unread:
                raise sql.Unsupported(whole.unread)
            step = replace(step, sql=whole.text)
            found = self.answered(whole)
            reason = f"{TAKEN}: {found.says}" if found.says else ""
            return replace(
                step, status=found.status, answer=found.answer, reason=reason
            )
        except sql.Unsupported as error:
            return replace(
                step,
                # an error counts the lines of its statement
                line=step.line + error.line - 1,
                status=error.status,
                reason=str(error),
            )

    def kind(self, name: str) -> str | None:
        """What a column has: numbers, texts, or others; None where there is none."""
        kinds = {one.lower(): kind for one, kind in self.frame.types.items()}
        for outside in self.frame.external.values():
            for one, kind in outside.types.items():
                # Where several tables have it, it says nothing.
                kinds[one.lower()] = "" if one.lower() in kinds else kind
        return kind_of_type(kinds.get(name.lower()))

    def answered(self, statement: Statement) -> Understood:
        """What a query says, once it and what it sees of each row is learned.

        Raises Unsupported.
        """
        found = self.read(statement)
        self.judge.learn(found.effect)
        # rows that all answers so far treat alike stay in one class
        numbers: dict[Any, int] = {}
        self.classes = [
            numbers.setdefault(pair, len(numbers))
            for pair in zip(self.classes, found.seen, strict=True)
        ]
        for part, answer in found.asked:
            self.pool.learn(part, answer)
        self.exact.learn(found, self.number, statement.line, self.judge.ledger)
        return found

    def read(self, statement: Statement) -> Understood:
        """What a query says by itself.

        Raises Unsupported, also where it is not known whether it was answered; what
        says nothing told nothing, however it ended.
        """
        said = self.understanding.answered
        found = said(statement.text, self.number, statement.kept)
        if statement.open and statement.kept is None:
            raise sql.Unsupported(statement.open)
        return found

    def views(self) -> set[str]:
        """The names of all views, in small letters."""
        names = [*self.frame.policy.views, *in_database(self.source)]
        return {name.lower() for name in names}

    def nothing(self, statement: Statement) -> bool:
        """Whether a statement that failed, as the log says, told nothing.

        Only one SELECT is put to the database: EXPLAIN may execute what is none.
        """
        if ambiguous(statement.text) or statement.unread:
            return False
        words = {token.strip('"').lower() for token in tokens(statement.text)}
        if words & self.views():
            # What a view casts or divides stands in its own text.
            return False
        if static(statement):
            return True
        if stopped(statement):
            return self.at_once(statement.text)
        try:
            if self.source.kinds(statement.text) == ["SELECT"]:
                self.source.execute(f"EXPLAIN {statement.text}")
        except database_error() as error:
            return says_nothing(statement, type(error).__name__, str(error))
        return False

    def at_once(self, text: str) -> bool:
        """Whether a statement that was stopped had told nothing: its answer is one row,
        and how long it takes depends on how many rows there are alone.
        """
        try:
            settled = self.understanding.settled(text)
            query = sql.parse(settled.text, self.understanding.scope)
        except sql.Unsupported:
            return False
        return query.aggregated and not query.grouped and query.source is None

    def judged(self, step: Step, began: float, last: bool = True) -> Step:
        """The step with its findings."""
        self.judge.begin(last)
        self.exact.begin(last)
        try:
            with alarmed(self.deadline):
                step = replace(step, findings=self.findings(step))
                step = self.told(step)
        except STOPS as error:
            self.stopped = why_stopped(error)
            # stopped while facts were decided: what was known by then counts
            if not step.findings:
                decided = [
                    self.finding(self.decided(fact), step) for fact in self.facts
                ]
                step = replace(step, findings=tuple(decided))
        return replace(step, seconds=time.monotonic() - began)

    def told(self, step: Step) -> Step:
        """The step with what the cells may be after it, and the distances of that to
        the facts.
        """
        answers = self.exact.apart or self
        self.cells.judge = answers.judge
        if step.status == ANSWERED:
            # Loaded before the clock starts: that takes as long as many questions.
            cpsat.available()
            self.cells.narrow(
                step.findings, answers.classes, self.deadline.within(self.ranges)
            )
        if self.exact.lines or self.taint:
            self.cells.loosen()
        left = tuple(
            as_in_table(one, self.frame.codings[one.column])
            for one in self.cells.known.values()
        )
        return replace(
            step, remaining=left, distances=self.cells.distances(step.findings)
        )

    def findings(self, step: Step) -> tuple[FactFinding, ...]:
        """All facts after a step: those that a kept world refutes, then the others."""
        judge, known = self.judge, self.exact.before() | self.disclosed
        with judge.ledger.timed(KNOWN):
            for fact in self.facts:
                self.deadline.check()
                if fact not in known and (one := judge.known(fact)):
                    known[fact] = one
        needy = [fact for fact in self.facts if fact not in known]
        if step.status in LEARNED:
            with judge.ledger.timed(SWAPPED):
                judge.exchange(needy, self.classes)
        known.update(zip(needy, judge.decide_all(needy), strict=True))
        known = self.exact.judged(known, step.status in LEARNED)
        return tuple([self.finding(known[fact], step) for fact in self.facts])

    def decided(self, fact: ProtectedFact) -> FactFinding:
        """What was decided of a fact by the time that a step was stopped."""
        known = (
            self.disclosed.get(fact)
            or self.judge.done.get(fact)
            or self.judge.known(fact)
        )
        if known is None or not self.exact.certain(known):
            return FactFinding(fact, UNDECIDED, self.stopped)
        return known

    def finding(self, finding: FactFinding, step: Step) -> FactFinding:
        """The finding as the log of the audit has it: a disclosure stays one, and what
        is not audited taints SAFE.
        """
        if finding.fact not in self.disclosed:
            # a bool counts as 1: undecided is no verdict
            self.judge.ledger.verdicts[finding.stage] += finding.verdict != UNDECIDED
        if finding.verdict == DISCLOSED:
            return self.disclosed.setdefault(finding.fact, self.dated(finding))
        if finding.verdict == SAFE and self.taint:
            # its world need not give what is not audited
            return FactFinding(
                finding.fact, UNSUPPORTED, self.taint, stage=finding.stage
            )
        if finding.verdict == SAFE:
            self.free[finding.fact] = step.number
        return finding

    def dated(self, finding: FactFinding) -> FactFinding:
        """A disclosure with its step: the last of the queries that it follows from,
        which is the first one where the fact was safe before.
        """
        since = max(finding.core, default=0)
        safe = self.free.get(finding.fact, -1)
        # It may have been safe after the step before it, and not be known to be.
        exact = safe >= since - 1
        return replace(finding, since=since, exact=exact)
