"""``verify``: does this release satisfy this policy?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import InputError, Problems, refusal
from phverify.given import refuse, wrong_names, wrong_progress, wrong_switches
from phverify.logic.printer import Style
from phverify.microdata.at_hand import at_hand
from phverify.microdata.engines import named_engine
from phverify.microdata.table import CodedTable
from phverify.policy.bind import BoundPolicy, bind
from phverify.policy.cautions import MISSING, missing_quasi, mistakable
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.spec.source import Names
from phverify.verbs.release_tables import ReleaseTables
from phverify.verification.failing import failing_rows
from phverify.verification.failing_elsewhere import failing_elsewhere
from phverify.verification.result import Report
from phverify.verification.run import Encoding, decided, shown_as

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


@dataclass(frozen=True)
class _ReleaseQuestion:
    """What is asked of a release: a policy, with some of its rules."""

    source: PolicySource
    policy: Policy
    problems: Problems
    rules: tuple[str, ...]
    shown: bool
    """Whether rows are shown with all their cells."""
    progress: Tell

    def bound(self, table: CodedTable, before: CodedTable | None) -> BoundPolicy:
        """The policy with its data.  Raises InputError and RowsNeeded."""
        problems = beside(self.source, self.problems, table.columns)
        if self.shown:
            # Columns that cannot be shown are refused before anything is decided.
            list(table.columns.values())
        self.progress("counting classes")
        return bind(self.policy, table, before, self.rules, problems)


def _with_portrait(
    report: Report, bound: BoundPolicy, own: Names, style: Style, time_left: Deadline
) -> Report:
    """The report with a portrait of the classes that were counted.

    Measuring has some seconds though deciding has used up the budget.
    """
    from phverify.measurement.portrait import portrait
    from phverify.measurement.run import measured_criteria

    deadline = time_left.at_least(MEASURING)
    measured = measured_criteria(bound, own, style, deadline)
    # Redacted, no confidential value is shown.
    confidential = () if style.hides else bound.release.signature.sensitive
    broken: dict[int, str] = {}
    for rule in report.rules:
        failing = rule.witness.failing if rule.witness else None
        if failing is not None and failing.where:
            broken.setdefault(failing.where[0], f"it breaks {rule.name}")
    seen = portrait(bound.release, measured, confidential, broken)
    return replace(report, portrait=seen)


def _with_utility(
    report: Report, inputs: tuple[Any, Any, Any], redact: bool, partly: bool
) -> Report:
    """The report with what the release is still good for.

    A verdict is told, whatever becomes of that: ``partly``, Ctrl-C leaves it out.
    """
    from phverify.verbs.compare_data import compare_data

    warning = UNCOMPARED
    try:
        found = compare_data(*inputs, redact=redact)
        return replace(report, utility=found)
    except InputError as error:
        problem = error.problems[0]
        warning = f"what the release is good for is not told: {problem.text(redact)}"
    except KeyboardInterrupt:
        if not partly:
            raise
    return replace(report, warnings=(*report.warnings, warning))


MEASURING = 2.0
"""Seconds for how strict criteria could be, whatever is left of the budget."""
UNDRAWN = "interrupted: the classes are not shown"
"""A warning where a portrait was asked for and ended by Ctrl-C."""
UNCOMPARED = "interrupted: what the release is good for is not told"
"""The same of a comparison with the original."""
NO_ORIGINAL = "compares the release with its original, and none is given"


def verify(
    release: TableSource,
    policy: PolicySource,
    original: TableSource | None = None,
    budget: float | Deadline | None = None,
    *,
    encoding: Encoding = "quotient",
    engine: str = "auto",
    spark: Any = None,
    rules: Sequence[str] = (),
    redact: bool = False,
    failing: bool = False,
    keep: bool = False,
    partly: bool = False,
    portrait: bool = False,
    utility: bool = False,
    progress: Tell = lambda step: None,
) -> Report:
    """Decide every rule of a policy for a release.

    ``release`` and ``original`` are paths (CSV, Parquet, .., or a pattern of many
    files), frames (pandas, polars, Arrow, DuckDB, ..) or a NamedTable; with
    ``original`` the release is first checked to be a sanitization of it, and
    individuals are its rows.  ``budget`` is in seconds, for all rules together (or a
    ``Deadline`` that other steps share); what it does not suffice for is undecided.
    ``engine`` is pandas (all rows in memory), duckdb (rows are counted where they are:
    files of CSV, Parquet, Arrow, SQLite and DuckDB, which may be larger than memory,
    and frames of Arrow), spark (Parquet files, on a cluster) or auto, which is duckdb
    for large tables.  ``spark`` is a session of Spark or the address of its master;
    without it Spark runs on this machine.  A DataFrame of Spark is counted in its own
    session.
    ``rules`` restricts the run to some rules.  ``redact`` leaves confidential values
    out of the report.  With ``failing``, ``Report.failing_rows`` lists the rows that
    break a rule.  With ``keep``, each rule's result keeps the questions behind it
    as SMT-LIB texts.  With ``portrait``, ``Report.portrait`` has the sizes of
    classes, the worst of them, and how strict criteria could be.  With ``utility``,
    ``Report.utility`` is what ``compare_data`` says of release and original, whose rows
    are then read, whatever the engine and the budget.  With ``partly``,
    Ctrl-C leaves rules that are not decided yet undecided, instead of ending it all.
    ``progress`` is told each step.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    switches = wrong_switches(
        redact=redact, failing=failing, keep=keep, partly=partly, portrait=portrait
    )
    more = wrong_switches(utility=utility)
    told = wrong_progress(progress)
    refuse(switches, more, wrong_names("rules", rules, "protected"), told)
    if utility and original is None:
        raise refusal("utility", NO_ORIGINAL, "add the table before sanitization")
    time_left = deadline_of(budget)
    _require_known(encoding)
    settings, problems = examine(policy)
    own: Names = tuple(settings.rules)
    wanted = tuple(rules)
    if portrait:
        from phverify.measurement.run import with_measures

        # More columns are counted; which rules are decided stays the same.
        settings, own = with_measures(settings)
        wanted = wanted or own
    engine = named_engine(engine, spark, release)
    if utility:
        # What gives its rows only once is gone through once.
        release = at_hand(release, engine)
        original = at_hand(original, engine, "original")
    shown = failing and not redact
    style = shown_as(settings, redact)
    progress("reading")
    with ExitStack() as ending:
        question = _ReleaseQuestion(policy, settings, problems, wanted, shown, progress)
        tables = ReleaseTables(settings, engine, spark, ending, shown, failing)
        table, bound = tables.bound(release, original, question.bound)
        bound = _cautioned(bound, settings, redact)
        report = decided(
            bound,
            settings.source,
            table.source,
            time_left,
            encoding,
            style,
            progress,
            keep,
            partly,
        )
        if portrait:
            report = _portrayed(report, bound, own, style, time_left, partly)
    report = replace(report, files=table.parts)
    if utility:
        progress("comparing release and original")
        report = _with_utility(report, (original, release, policy), redact, partly)
    return _with_failing(report, table, bound, redact) if failing else report


def _require_known(encoding: object) -> None:
    """Raises InputError for an encoding that there is not."""
    if not isinstance(encoding, str) or encoding not in ("quotient", "full"):
        raise refusal("encoding", f"is quotient or full, not {encoding!r}")


def _cautioned(bound: BoundPolicy, policy: Policy, redact: bool) -> BoundPolicy:
    """The policy with what to know of the cells of its release."""
    columns = bound.release.columns
    missing = missing_quasi(policy, columns, lambda _: MISSING)
    warnings = (*bound.warnings, *missing, *mistakable(policy, columns, redact))
    return replace(bound, warnings=warnings)


def _portrayed(
    report: Report,
    bound: BoundPolicy,
    own: Names,
    style: Style,
    time_left: Deadline,
    partly: bool,
) -> Report:
    """The report with a portrait; ``partly``, Ctrl-C leaves it out instead of ending
    all.
    """
    try:
        return _with_portrait(report, bound, own, style, time_left)
    # What is decided is told, with its classes or without.
    except KeyboardInterrupt:
        if not partly:
            raise
        return replace(report, warnings=(*report.warnings, UNDRAWN))


def _with_failing(
    report: Report, table: CodedTable, bound: BoundPolicy, redact: bool
) -> Report:
    """The report with the rows that break a rule."""
    # What is not confidential of a row is what the adversary knows: its class.
    names = bound.release.quotient.quasi if redact else tuple(table.columns)
    columns = {name: table.columns[name] for name in names}
    find = failing_rows if table.elsewhere is None else failing_elsewhere
    rows = find(report.rules, bound.release, columns)
    return replace(report, failing_rows=rows)
