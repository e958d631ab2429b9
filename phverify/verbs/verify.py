"""``verify``: does this release satisfy this policy?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import InputError, Problems, refusal
from phverify.given import refuse, wrong_names, wrong_progress, wrong_switches
from phverify.microdata.engines import (
    AskedCount,
    counted,
    counted_in_spark,
    named_engine,
)
from phverify.microdata.pair_counts import (
    RowsNeeded,
    both_counted,
    require_unchanged,
)
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
from phverify.policy.bind import BoundPolicy, bind
from phverify.policy.cautions import missing_quasi, mistakable
from phverify.policy.formulas import columns_used
from phverify.policy.model import Policy, PolicySource, beside, examine
from phverify.verification.failing import failing_rows
from phverify.verification.failing_elsewhere import failing_elsewhere
from phverify.verification.result import Report
from phverify.verification.run import Encoding, decided, shown_as

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource


@dataclass(frozen=True)
class _Question:
    """What is asked of a release: a policy, with some of its rules."""

    source: PolicySource
    policy: Policy
    problems: Problems
    rules: tuple[str, ...]
    shown: bool
    """Whether rows are shown with all their cells."""
    progress: Tell

    def alone(
        self, release: Any, engine: str, spark: Any, ending: ExitStack
    ) -> tuple[CodedTable, BoundPolicy]:
        """The release, counted in an engine or read into memory.

        Where ``spark`` is asked, it is until ``ending``.
        """
        if engine == "spark":
            table = counted_in_spark(release, spark, self.asked, ending)
            return table, self.bound(table, None)
        counts = counted(release, engine, self.asked)
        table = read(release, self.policy.named) if counts is None else counts
        return table, self.bound(table, None)

    def beside(
        self, original: Any, release: Any, engine: str
    ) -> tuple[CodedTable, BoundPolicy]:
        """The same of a release and its original, counted where that settles it."""
        pair = None
        if engine != "pandas":
            pair = both_counted(
                (original, release), (self.asked_before, self.asked), engine
            )
        if pair is not None:
            before, table = pair
            try:
                return table, self.bound(table, before)
            except (InputError, RowsNeeded):
                # what is wrong, and with which rows, the rows tell
                for one in pair:
                    require_unchanged(one)
        table = read(release, self.policy.named)
        before = read(original, self.policy.named, "original")
        return table, self.bound(table, before)

    @property
    def asked(self) -> AskedCount:
        """What is counted of the release."""
        policy = self.policy
        grouping = tuple(dict.fromkeys((*policy.quasi, *columns_used(policy))))
        return AskedCount(grouping, self._others, policy.named, self.shown)

    @property
    def asked_before(self) -> AskedCount:
        """What is counted of the original."""
        return AskedCount(self.policy.quasi, self._others, self.policy.named)

    @property
    def _others(self) -> tuple[str, ...]:
        policy = self.policy
        return tuple(name for name in policy.columns if name not in policy.quasi)

    def bound(self, table: CodedTable, before: CodedTable | None) -> BoundPolicy:
        """The policy with its data.  Raises InputError and RowsNeeded."""
        problems = beside(self.source, self.problems, table.columns)
        if self.shown:
            # Columns that cannot be shown are refused before anything is decided.
            list(table.columns.values())
        self.progress("counting classes")
        return bind(self.policy, table, before, self.rules, problems)


MISSING = "a missing cell is a value of its own, alike only to other missing cells"
"""What a missing quasi-identifier means in a release."""


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
    progress: Tell = lambda step: None,
) -> Report:
    """Decide every rule of a policy for a release.

    ``release`` and ``original`` are paths (CSV, Parquet, .., or a pattern of many
    files), frames (pandas, polars, Arrow, DuckDB, ..) or a NamedTable; with
    ``original`` the release is first checked to be a sanitization of it, and
    individuals are its rows.  ``budget`` is in seconds, for all rules together (or a
    ``Deadline`` that other steps share); what it does not suffice for is undecided.
    ``engine`` is pandas (all rows in memory), duckdb (rows are counted where they are:
    Parquet files, which may be many and larger than memory), spark (the same on a
    cluster) or auto.  ``spark`` is a session of Spark or the address of its master;
    without it Spark runs on this machine.  A DataFrame of Spark is counted in its own
    session.
    ``rules`` restricts the run to some rules.  ``redact`` leaves confidential values
    out of the report.  With ``failing``, ``Report.failing_rows`` lists the rows that
    break a rule.  With ``keep``, each rule's result keeps the questions behind it
    as SMT-LIB texts.  With ``partly``, Ctrl-C leaves rules that are not decided yet
    undecided, instead of ending it all.  ``progress`` is told each step.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    switches = wrong_switches(redact=redact, failing=failing, keep=keep, partly=partly)
    refuse(switches, wrong_names("rules", rules, "protected"), wrong_progress(progress))
    time_left = deadline_of(budget)
    if not isinstance(encoding, str) or encoding not in ("quotient", "full"):
        raise refusal("encoding", f"is quotient or full, not {encoding!r}")
    settings, problems = examine(policy)
    engine = named_engine(engine, spark, release)
    shown = failing and not redact
    if engine == "spark" and (failing or original is not None):
        what = "counts rows where they are, and --original and --failing read them all"
        raise refusal("spark", what, "leave the engine out")
    progress("reading")
    with ExitStack() as ending:
        question = _Question(policy, settings, problems, tuple(rules), shown, progress)
        if original is None:
            table, bound = question.alone(release, engine, spark, ending)
        else:
            table, bound = question.beside(original, release, engine)
        cautions = (
            *missing_quasi(settings, bound.release.columns, lambda _: MISSING),
            *mistakable(settings, bound.release.columns, redact),
        )
        bound = replace(bound, warnings=(*bound.warnings, *cautions))
        report = decided(
            bound,
            settings.source,
            table.source,
            time_left,
            encoding,
            shown_as(settings, redact),
            progress,
            keep,
            partly,
        )
    if not failing:
        return report
    # What is not confidential of a row is what the adversary knows: its class.
    names = bound.release.quotient.quasi if redact else tuple(table.columns)
    columns = {name: table.columns[name] for name in names}
    find = failing_rows if table.elsewhere is None else failing_elsewhere
    rows = find(report.rules, bound.release, columns)
    return replace(report, failing_rows=rows)
