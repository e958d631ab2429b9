"""``measure``: how strict could the criteria of a policy be for this release?"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from phverify.budget import Deadline, Tell, deadline_of
from phverify.errors import Problems
from phverify.given import refuse, wrong_progress, wrong_switches
from phverify.measurement.result import Measurement
from phverify.measurement.run import measured_criteria, with_measures
from phverify.microdata.engines import named_engine
from phverify.microdata.table import CodedTable
from phverify.policy.bind import BoundPolicy, bind
from phverify.policy.cautions import MISSING, missing_quasi, mistakable
from phverify.policy.model import PolicySource, beside, examine
from phverify.verbs.release_tables import ReleaseTables
from phverify.verification.run import shown_as, suppressed
from phverify.version import __version__

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource

NO_RULES = "there are no [rules] to verify"
"""No problem here: what every release has is measured without a rule."""


def measure(
    release: TableSource,
    policy: PolicySource,
    original: TableSource | None = None,
    budget: float | Deadline | None = None,
    *,
    engine: str = "auto",
    spark: Any = None,
    redact: bool = False,
    progress: Tell = lambda step: None,
) -> Measurement:
    """The largest k and l, the smallest t, c, beta, delta, .. that hold of a release.

    Measured are k-anonymity, the criteria of every sensitive column, and those of the
    policy's rules, each by its own threshold and with the class that forces it.  All
    numbers are exact.  ``budget`` is in seconds, from reading on: criteria that it does
    not suffice for are not measured, and say so.  ``release``, ``policy``,
    ``original``, ``engine``, ``spark``, ``redact`` and ``progress`` are those of
    ``verify``.

    Raises InputError with all problems of the input.
    """
    refuse(wrong_switches(redact=redact), wrong_progress(progress))
    time_left = deadline_of(budget)
    settings, problems = examine(policy)
    settings, own = with_measures(settings)
    engine = named_engine(engine, spark, release)
    progress("reading")
    with ExitStack() as ending:

        def bound_to(table: CodedTable, before: CodedTable | None) -> BoundPolicy:
            known = to_measure(beside(policy, problems, table.columns))
            progress("counting classes")
            return bind(settings, table, before, (), known)

        tables = ReleaseTables(settings, engine, spark, ending)
        table, bound = tables.bound(release, original, bound_to)
        progress("measuring")
        columns = bound.release.columns
        cautions = (
            *missing_quasi(settings, columns, lambda _: MISSING),
            *mistakable(settings, columns, redact),
        )
        quotient = bound.release.quotient
        style = shown_as(settings, redact)
        return Measurement(
            release=table.source,
            rows=quotient.rows,
            classes=quotient.classes,
            measured=measured_criteria(bound, own, style, time_left),
            version=__version__,
            suppressed=suppressed(quotient),
            warnings=(*bound.warnings, *cautions),
        )


def to_measure(problems: Problems) -> Problems:
    """The problems that matter where nothing is verified."""
    return [problem for problem in problems if problem.what != NO_RULES]
