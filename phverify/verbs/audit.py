"""``audit``: a log of queries, step by step: which query first gave a protected fact away?"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from phverify.budget import Deadline, Tell, alarmed, deadline_of
from phverify.constraints import hitting, second
from phverify.constraints.solver import version
from phverify.disclosure.cells import Cells
from phverify.disclosure.decide import Judge, known
from phverify.disclosure.log import query as q
from phverify.disclosure.log import sql
from phverify.disclosure.log.ambiguous import ambiguous
from phverify.disclosure.log.failure import told_nothing
from phverify.disclosure.log.statements import Entry, Statement, read_log
from phverify.disclosure.policy import AuditPolicy, load
from phverify.disclosure.pool import Pool, swaps
from phverify.disclosure.protected import Fact, facts
from phverify.disclosure.reconstruct import reconstruct as reconstructed
from phverify.disclosure.result import (
    DISCLOSED,
    SAFE,
    UNDECIDED,
    UNSUPPORTED,
    AuditReport,
    Distance,
    Finding,
    Reconstruction,
    Remaining,
    Step,
)
from phverify.disclosure.shift import paired
from phverify.disclosure.stages import KNOWN, SWAPPED
from phverify.disclosure.worlds.cells import Frame, read
from phverify.disclosure.worlds.constraints import Effect, effect, signature
from phverify.disclosure.worlds.database import Database, Otherwise, Row, opened
from phverify.disclosure.worlds.relation import relation
from phverify.errors import BudgetExceeded
from phverify.spec.source import File, Names, Plain

EACH = 8.0
"""Seconds for all questions of one step to solvers."""
RANGES = 0.5
"""Seconds after each step for what the protected cells may still be."""
MANY = 8
"""A swap is tried where it serves more than one of so many facts."""


def audit(
    database: File,
    queries: File | Iterable[Entry],
    policy: File | Plain | AuditPolicy,
    *,
    first: bool = False,
    budget: float | None = None,
    each: float = EACH,
    ranges: float = RANGES,
    reconstruct: bool = False,
    progress: Tell = lambda step: None,
) -> AuditReport:
    """What follows from the answers of a log, after each step.

    ``database`` is a file (DuckDB, SQLite, Parquet, CSV), opened read-only; ``queries`` a file of SQL or JSON Lines, or
    a list of statements (see ``log``); ``policy`` an audit.toml (see ``policy``), a dictionary or an ``AuditPolicy``.
    ``first`` stops at the first disclosure.  ``budget`` is in seconds for all of it: when it has run out, and where the
    run is interrupted, what is decided by then is reported, and the rest is undecided (``AuditReport.stopped``).
    ``reconstruct`` also asks whether the answers determine the whole table, up to which row is whose.
    Raises InputError for all that is wrong with the inputs.
    """
    time_left = deadline_of(budget)
    settings = load(policy)
    source = opened(database, settings.table)
    frame = read(source, settings)
    auditor = Auditor(source, frame, facts(settings, frame), time_left, each, ranges)
    statements = read_log(queries)
    steps = list(auditor.steps(statements, first, progress))
    domains = tuple((name, domain.text()) for name, domain in settings.sensitive.items())
    public = (settings.key, *settings.public)
    done = len(steps) == len(statements) + 1
    whole = auditor.reconstruct() if reconstruct else None
    shares = auditor.judge.ledger.shares()
    return AuditReport(
        source.source,
        settings.table,
        frame.rows,
        public,
        domains,
        steps,
        solvers(),
        done,
        whole,
        shares,
        tuple(frame.external),
        auditor.stopped,
        len(statements),
    )


def why(error: BaseException) -> str:
    """Why a run was stopped."""
    if isinstance(error, BudgetExceeded):
        return str(error) or "the budget ran out"
    return "it was interrupted" if isinstance(error, KeyboardInterrupt) else "no memory was left"


def solvers() -> Names:
    """The solvers that are installed."""
    return (
        *(("CP-SAT",) if hitting.available() else ()),
        version(),
        *((second.second_version(),) if second.available() else ()),
    )


STOPS = (BudgetExceeded, KeyboardInterrupt, MemoryError)
"""What ends a run before its end."""
FAILED = {
    True: "the log says that it failed, and the text alone is why",
    False: "the log says that it failed, which may depend on the data",
}
"""What is said of a failure that told nothing, and of any other."""


class Auditor:
    """The state of an audit: what has been asked, worlds that answer alike, and what is disclosed already."""

    def __init__(
        self, source: Database, frame: Frame, facts: list[Fact], deadline: Deadline, each: float, ranges: float
    ) -> None:
        self.source, self.frame, self.facts, self.ranges = source, frame, facts, ranges
        self.pool = Pool(frame)
        self.judge = Judge(frame, self.pool, each, deadline)
        self.truth = frame.assignment(frame.truth)
        others = [name for name in frame.types if name not in frame.policy.columns]
        external = {name: tuple(outside.types) for name, outside in frame.external.items()}
        public, sensitive = tuple(frame.public), tuple(frame.truth)
        order = tuple(frame.types)
        self.scope = sql.Scope(frame.policy.table, frame.policy.key, public, sensitive, others, external, order)
        self.classes = [0] * frame.rows
        self.disclosed: dict[Fact, Finding] = {}
        self.cells = Cells(self.judge, facts)
        self.taint = self.stopped = ""
        self.number = 0

    def reconstruct(self) -> Reconstruction:
        """Whether the answers so far determine the whole table."""
        asked, deadline = self.judge.asked, self.judge.deadline
        try:
            with alarmed(deadline):
                deadline.check()
                if not self.stopped:
                    return reconstructed(self.frame, asked, self.classes, deadline, self.taint, self.pool.adopt)
        except STOPS as error:
            self.stopped = why(error)
        return Reconstruction(UNDECIDED, tuple(self.frame.truth), reason=self.stopped)

    def steps(self, statements: Sequence[Statement], first: bool, progress: Tell) -> Iterator[Step]:
        """All steps, up to the first disclosure where only that is wanted, or until the run is stopped.

        A step is given where its answer was learned; facts that were not decided after it are undecided.
        """
        progress("before the first query")
        last = self.start()
        yield last
        try:
            for number, statement in enumerate(statements, 1):
                if self.stopped or (first and last.worst() == DISCLOSED):
                    break
                self.judge.deadline.check()
                progress(f"query {number} of {len(statements)}")
                last = self.step(statement, number == len(statements))
                yield last
        except STOPS as error:
            self.stopped = why(error)

    def start(self) -> Step:
        """Step 0: what the domains alone give away."""
        began = time.monotonic()
        return self.judged(Step(0, 0, "", "answered"), began)

    def step(self, statement: Statement, last: bool = True) -> Step:
        """One statement: executed, understood, and judged; the last one has all the time of a step."""
        began = time.monotonic()
        with alarmed(self.judge.deadline):
            step = self.learned(statement)
        if step.status in ("unsupported", "refused") and not self.taint:
            self.taint = f"query {self.number} (line {statement.line}) is not audited: {step.reason}"
        return self.judged(step, began, last)

    def learned(self, statement: Statement) -> Step:
        """The statement executed, and what its answer says."""
        self.number += 1
        step = Step(self.number, statement.line, statement.text, "answered")
        if statement.error:
            nothing = self.nothing(statement)
            return replace(step, status="failed" if nothing else "unsupported", reason=FAILED[nothing])
        try:
            query = sql.parse(step.sql, self.scope)
            answer, found, seen = self.understood(query, step.sql)
        except sql.Unsupported as error:
            return replace(step, line=step.line + error.line - 1, status=error.status, reason=str(error))
        self.judge.learn(known(step.number, found, self.frame, self.truth))
        numbers: dict[Any, int] = {}
        self.classes = [numbers.setdefault(pair, len(numbers)) for pair in zip(self.classes, seen, strict=True)]
        self.pool.learn(step.sql, answer)
        return replace(step, answer=answer)

    def understood(self, query: q.Query, text: str) -> tuple[tuple[Row, ...], Effect, Any]:
        """The true answer, what it says, and what the query sees of each row.  Raises Unsupported."""
        try:
            if self.source.kinds(text) != ["SELECT"]:
                raise sql.Unsupported("the database reads this as something else than one SELECT")
            over = relation(query, self.frame, self.source)
            answer = tuple(self.source.agreed(text))
        except self.error() as error:
            raise sql.Unsupported(f"the database reports an error: {str(error).splitlines()[0]}") from None
        except Otherwise as error:
            raise sql.Unsupported(str(error)) from None
        return answer, effect(query, answer, over, f"h{self.number}"), signature(query, answer, over)

    def error(self) -> type[Exception]:
        import duckdb

        found: type[Exception] = duckdb.Error
        return found

    def nothing(self, statement: Statement) -> bool:
        """Whether a statement that failed, as the log says, told nothing.

        Only one SELECT is put to the database: EXPLAIN may execute what is none.
        """
        if ambiguous(statement.text):
            return False
        try:
            if self.source.kinds(statement.text) == ["SELECT"]:
                self.source.execute(f"EXPLAIN {statement.text}")
        except self.error() as error:
            return told_nothing(statement, type(error).__name__, str(error))
        return False

    def judged(self, step: Step, began: float, last: bool = True) -> Step:
        """The step with its findings."""
        self.judge.begin(last)
        findings: tuple[Finding, ...] = ()
        left: tuple[Remaining, ...] = ()
        distances: tuple[Distance, ...] = ()
        try:
            with alarmed(self.judge.deadline):
                findings = tuple(self.findings(step))
                left, distances = self.told(step, findings)
        except STOPS as error:
            self.stopped = why(error)
            findings = findings or tuple(self.decided(step))
        seconds = time.monotonic() - began
        return replace(step, findings=findings, remaining=left, seconds=seconds, distances=distances)

    def told(self, step: Step, findings: Sequence[Finding]) -> tuple[tuple[Remaining, ...], tuple[Distance, ...]]:
        """What the cells may be after a step, and the distances of that to the facts."""
        if step.status == "answered":
            self.cells.narrow(findings, self.classes, self.judge.deadline.within(self.ranges))
        return self.cells.left(), self.cells.distances(findings)

    def findings(self, step: Step) -> Iterator[Finding]:
        """All facts after a step: those that a kept world refutes, then the others."""
        known = dict(self.disclosed)
        with self.judge.ledger.timed(KNOWN):
            for fact in self.facts:
                self.judge.deadline.check()
                if fact not in known and self.pool.worlds and (one := self.judge.known(fact)):
                    known[fact] = one
        needy = [fact for fact in self.facts if fact not in known]
        if step.status == "answered":
            with self.judge.ledger.timed(SWAPPED):
                self.exchange(needy)
        known.update(zip(needy, self.judge.decide_all(needy), strict=True))
        for fact in self.facts:
            yield self.finding(known[fact], step)

    def decided(self, step: Step) -> Iterator[Finding]:
        """All facts after a step that was stopped, as far as they were decided by then."""
        for fact in self.facts:
            one = self.disclosed.get(fact) or self.judge.done.get(fact) or self.judge.known(fact)
            yield self.finding(one or Finding(fact, UNDECIDED, self.stopped), step)

    def exchange(self, needy: Sequence[Fact]) -> None:
        """Make the worlds of swaps, where they show one more view to many of the facts that need one.

        What a swap leaves as it is, linear algebra moves.  Replaying a world takes time: for few facts one from a
        solver, which is otherwise in most cells, is better.
        """
        self.pool.swapped.clear()
        for world in swaps(self.frame, self.classes) if needy else ():
            missed = [fact for fact in needy if not self.judge.views.useful(fact, world)]
            if MANY * (len(needy) - len(missed)) > len(needy):
                more = self.judge.shift(world, missed) if missed else None
                self.pool.swapped.add(id(self.pool.adopt(more or world)))
                needy = self.judge.views.lacking(needy)
            if not needy:
                return
        integral = [name for name, coding in self.frame.codings.items() if coding.integral and not coding.gaps]
        for column, turn in product(integral, (0, 1)):
            if len(needy) >= MANY and len(set(self.classes)) < self.frame.rows:
                needy = self.judge.paired(needy, paired(self.frame, self.classes, column, turn))

    def finding(self, found: Finding, step: Step) -> Finding:
        """The finding as the log of the audit has it: a disclosure stays one, and what is not audited taints SAFE."""
        if found.verdict == DISCLOSED:
            return self.disclosed.setdefault(found.fact, replace(found, since=step.number))
        if found.verdict == SAFE and self.taint:
            return replace(found, verdict=UNSUPPORTED, reason=self.taint)
        return found
