"""``audit``: a log of queries, step by step: which query first gave a protected fact
away?
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from os import PathLike

from phverify.budget import Deadline, Tell, alarmed, deadline_of
from phverify.constraints import hitting, second
from phverify.constraints.solver import version
from phverify.disclosure.classes.made_for import FROM_ROWS, refusals
from phverify.disclosure.hindsight import in_hindsight
from phverify.disclosure.histories.read import Asked, Entry, read_log
from phverify.disclosure.histories.settings import LogColumns
from phverify.disclosure.policy import AuditPolicy
from phverify.disclosure.policy_reader import load
from phverify.disclosure.protected import facts
from phverify.disclosure.result import AuditReport
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.postgres import is_postgres
from phverify.disclosure.worlds.unknowns import read
from phverify.errors import Problem
from phverify.given import (
    described,
    refuse,
    wrong_names,
    wrong_progress,
    wrong_seconds,
    wrong_switches,
)
from phverify.microdata.frames import ArrowStream
from phverify.spec.source import File, Plain
from phverify.verbs.auditor import Auditor

EACH = 8.0
"""Seconds for all questions of one step to solvers."""
RANGES = 0.5
"""Seconds after each step for what the protected cells may still be."""


def _wrong_places(answers: object, columns: object) -> Iterator[Problem]:
    """What is wrong with where answers and columns are said to be."""
    if answers is not None and not isinstance(answers, str | PathLike):
        what = f"is a file or a folder, not {described(answers)}"
        yield Problem("answers", what, 'for example: answers="answers"')
    if columns is not None and not isinstance(columns, LogColumns):
        yield Problem("columns", f"is a LogColumns, not {described(columns)}")


def audit(
    database: File | ArrowStream,
    queries: File | Iterable[Entry],
    policy: File | Plain | AuditPolicy,
    *,
    first: bool = False,
    budget: float | None = None,
    each: float = EACH,
    ranges: float = RANGES,
    reconstruct: bool = False,
    users: Iterable[str] = (),
    answers: File | None = None,
    columns: LogColumns | None = None,
    progress: Tell = lambda step: None,
) -> AuditReport:
    """What follows from the answers of a log, after each step.

    ``database`` is a file (DuckDB, SQLite, Parquet, CSV) or a URL of PostgreSQL, opened
    read-only, or a frame;
    ``queries`` a file of SQL or a query history (see ``histories``), or a list of
    statements;
    ``policy`` an audit.toml (see ``policy_reader``), a dictionary or an
    ``AuditPolicy``. ``first`` stops at the first disclosure. ``budget`` is in
    seconds for all of it: when it has run out, and where the run is interrupted,
    what is decided by then is reported, and the rest is undecided
    (``AuditReport.stopped``). ``reconstruct`` also asks whether the answers
    determine the whole table, up to which row is whose. ``users`` are those of the log
    who could pool their answers, all where none is named; ``answers`` is a folder or a
    file of answers that were kept; ``columns`` says which columns of the log have what,
    beside what the policy says. Raises InputError for all that is wrong with the
    inputs, and BudgetExceeded where a server did not give its tables in time.
    """
    refuse(
        wrong_switches(first=first, reconstruct=reconstruct),
        wrong_seconds("each", each),
        wrong_seconds("ranges", ranges),
        wrong_progress(progress),
        wrong_names("users", users, "ann"),
        _wrong_places(answers, columns),
    )
    time_left = deadline_of(budget)
    settings = load(policy)
    beside = [one.name for one in settings.external if not one.file]
    # A server may have others wait for its tables, for as long as it likes.
    limit = time_left if is_postgres(database) else Deadline()
    with alarmed(limit):
        source = open_database(database, settings.table, beside)
    with closing(source):
        frame = read(source, settings)
        large = frame.rows >= FROM_ROWS
        # What is wrong with the policy is told before the log is read; facts of many
        # rows are made once it is known by which road.
        protected = [] if large else facts(settings, frame)
        named = (columns or LogColumns()).over(settings.log)
        asked = Asked(named, tuple(users), answers, settings.dialect)
        log = read_log(queries, asked)
        statements = log.statements
        found = None
        wanted = ranges > 0
        if not reconstruct and not any(refusals(source, frame, statements, wanted)):
            from phverify.verbs.audit_classes import of_classes

            found = of_classes(
                source, frame, statements, time_left, each, first, progress
            )
        if found is None:
            protected = protected or facts(settings, frame)
            plain = Auditor(source, frame, protected, time_left, each, ranges)
            steps = list(plain.steps(statements, first, progress))
            found = plain, in_hindsight(steps, settings)
        auditor, steps = found
        whole = auditor.reconstruct() if reconstruct else None
    cp_sat = ("CP-SAT",) if hitting.available() else ()
    cvc5 = (second.second_version(),) if second.available() else ()
    return AuditReport(
        source.source,
        settings.table,
        frame.rows,
        (*settings.keys, *settings.public),
        tuple((name, domain.text()) for name, domain in settings.sensitive.items()),
        steps,
        (*cp_sat, version(), *cvc5),
        # one step more: what holds before any query
        len(steps) == len(statements) + 1,
        whole,
        auditor.shares(),
        tuple(frame.external),
        auditor.stopped,
        len(statements),
        log.notes,
        len(settings.keys),
    )
