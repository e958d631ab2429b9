"""``audit``: a log of queries, step by step: which query first gave a protected fact away?"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from phverify.audit import query as q
from phverify.audit import sql
from phverify.audit.constraints import Effect, effect, signature
from phverify.audit.database import Database, Row, opened
from phverify.audit.decide import Judge, known
from phverify.audit.facts import Fact, facts, refuted_by
from phverify.audit.log import Statement, read_log
from phverify.audit.policy import AuditPolicy, load
from phverify.audit.pool import Pool, swaps
from phverify.audit.query import Value
from phverify.audit.remaining import remaining
from phverify.audit.result import DISCLOSED, SAFE, UNSUPPORTED, AuditReport, Finding, Remaining, Step
from phverify.audit.worlds import Frame, read
from phverify.smt import hitting, second
from phverify.smt.solver import Deadline, version

EACH = 10.0
"""Seconds for one question to a solver."""
RANGES = 2.0
"""Seconds after each step for what the protected cells may still be."""
TRUTH = "CASE WHEN ({0}) THEN TRUE WHEN NOT ({0}) THEN FALSE END"
"""What a condition is of a row, whatever its type: WHERE takes numbers and texts, too."""
_QUIET = ("ParserException", "BinderException", "CatalogException", "SyntaxException")
"""What the database says of a statement whatever the data: such an error tells nothing."""


def audit(
    database: str | PathLike[str],
    queries: str | PathLike[str] | Iterable[str],
    policy: str | PathLike[str] | Mapping[str, Any] | AuditPolicy,
    *,
    first: bool = False,
    budget: float | None = None,
    each: float = EACH,
    ranges: float = RANGES,
) -> AuditReport:
    """What follows from the answers of a log, after each step.

    ``database`` is a file (DuckDB, SQLite, Parquet, CSV), opened read-only; ``queries`` a file of SQL or a list of
    statements; ``policy`` an audit.toml (see ``policy``), a dictionary or an ``AuditPolicy``.  ``first`` stops at the
    first disclosure.  ``budget`` is in seconds for all steps; what it does not suffice for is undecided.
    Raises InputError for all that is wrong with the inputs.
    """
    settings = load(policy)
    source = opened(database, settings.table)
    frame = read(source, settings)
    auditor = Auditor(source, frame, facts(settings, frame), Deadline(budget), each, ranges)
    statements = read_log(queries)
    steps = [auditor.start()]
    for statement in statements:
        if first and steps[-1].worst() == DISCLOSED:
            break
        steps.append(auditor.step(statement))
    domains = tuple((name, domain.text()) for name, domain in settings.sensitive.items())
    public = (settings.key, *settings.public)
    done = len(steps) == len(statements) + 1
    return AuditReport(source.source, settings.table, frame.rows, public, domains, steps, solvers(), done)


def solvers() -> tuple[str, ...]:
    """The solvers that are installed."""
    return (
        *(("CP-SAT",) if hitting.available() else ()),
        version(),
        *((second.second_version(),) if second.available() else ()),
    )


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
        self.scope = sql.Scope(frame.policy.table, frame.policy.key, tuple(frame.public), tuple(frame.truth), others)
        self.signatures: list[Any] = []
        self.disclosed: dict[Fact, Finding] = {}
        self.cells: dict[tuple[str, int], Remaining] = {}
        self.taint = ""
        self.number = 0

    def start(self) -> Step:
        """Step 0: what the domains alone give away."""
        began = time.monotonic()
        return self.judged(Step(0, 0, "", "answered"), began)

    def step(self, statement: Statement) -> Step:
        """One statement: executed, understood, and judged."""
        began = time.monotonic()
        step = self.learned(statement)
        if step.status in ("unsupported", "refused") and not self.taint:
            self.taint = f"query {self.number} (line {statement.line}) is not audited: {step.reason}"
        return self.judged(step, began)

    def learned(self, statement: Statement) -> Step:
        """The statement executed, and what its answer says."""
        self.number += 1
        number, line, text = self.number, statement.line, statement.text
        try:
            query = sql.parse(text, self.scope)
            answer, found, seen = self.understood(query, text)
        except sql.Refused as error:
            return Step(number, line, text, "refused", reason=str(error))
        except sql.Unsupported as error:
            quiet = self.quiet(text)
            return Step(number, line, text, "failed" if quiet else "unsupported", reason=quiet or str(error))
        except sql.Broken as error:
            quiet = self.quiet(text)
            status = "broken" if quiet else "unsupported"
            return Step(number, line + error.line - 1, text, status, reason=str(error))
        self.judge.asked.append(known(number, found, self.frame, self.truth))
        self.signatures.append(seen)
        self.pool.learn(text, answer)
        return Step(number, line, text, "answered", answer)

    def understood(self, query: q.Query, text: str) -> tuple[tuple[Row, ...], Effect, Any]:
        """The true answer, what it says, and what the query sees of each row.  Raises Unsupported."""
        duckdb_error = self.error()
        try:
            table, key = self.frame.policy.table, self.frame.policy.key
            conditions = [part.sql for part in q.parts(query.where) if isinstance(part, q.Public)]
            truth = {c: self.source.values(table, TRUTH.format(c), key) for c in conditions}
            answer = tuple(self.source.execute(text))
        except duckdb_error as error:
            raise sql.Unsupported(f"the database reports an error: {str(error).splitlines()[0]}") from None
        found = effect(query, answer, self.frame, truth, f"h{self.number}")
        return answer, found, signature(query, answer, self.frame, truth)

    def error(self) -> type[Exception]:
        import duckdb

        found: type[Exception] = duckdb.Error
        return found

    def quiet(self, text: str) -> str:
        """Why the database refuses a statement whatever the data; nothing when it does not."""
        try:
            self.source.execute(f"EXPLAIN {text}")
        except self.error() as error:
            return str(error).splitlines()[0] if type(error).__name__ in _QUIET else ""
        return ""

    def judged(self, step: Step, began: float) -> Step:
        """The step with its findings."""
        if step.status == "answered" and self.frame.rows:
            self.exchange()
        findings = tuple(self.finding(fact, step) for fact in self.facts)
        left = tuple(self.left()) if step.status == "answered" else tuple(self.cells.values())
        return Step(
            step.number,
            step.line,
            step.sql,
            step.status,
            step.answer,
            step.reason,
            findings,
            left,
            time.monotonic() - began,
        )

    def exchange(self) -> None:
        """Make the worlds of swaps, where they show a new value of a cell that needs one."""
        kept = {(f.column, f.row): self.pool.values(f.column, f.row) for f in self.facts if f not in self.disclosed}
        needy = [f for f in self.facts if f not in self.disclosed and not self.served(f, kept[f.column, f.row])]
        for world in swaps(self.frame, self.signatures) if needy else ():
            if any(self.served(f, [*kept[f.column, f.row], world[f.column][f.row]]) for f in needy):
                self.pool.adopt(world)

    def served(self, fact: Fact, values: Iterable[Value]) -> bool:
        return len(refuted_by(fact, self.frame, values)) >= fact.wanted

    def finding(self, fact: Fact, step: Step) -> Finding:
        if fact in self.disclosed:
            return self.disclosed[fact]
        found = self.judge.decide(fact)
        if found.verdict == DISCLOSED:
            found = Finding(fact, DISCLOSED, "", (), found.core, found.minimal, step.number, found.by)
            self.disclosed[fact] = found
        elif found.verdict == SAFE and self.taint:
            found = Finding(fact, UNSUPPORTED, self.taint, found.worlds)
        return found

    def left(self) -> Iterable[Remaining]:
        deadline = Deadline(self.ranges)
        for column, row in dict.fromkeys((fact.column, fact.row) for fact in self.facts):
            before = self.cells.get((column, row))
            self.cells[column, row] = remaining(self.judge, column, row, before, deadline)
        return self.cells.values()
