"""``check_frame``: a frame that is not proved does not pass a test, a pipeline or a
schema.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from phverify.errors import InputError, PhverifyError, refusal
from phverify.errors.redaction import without_values
from phverify.verbs.verify import verify
from phverify.verification.result import Report

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource
    from phverify.policy.model import PolicySource

SHOWN = "values and classes are left out; with redact=False the report quotes them"
"""What is said below a report that hides values."""


class NotProved(PhverifyError):
    """A frame does not keep its policy, or it is not known whether it does.

    Nor does one that names everybody: whose identifier column is still there.
    ``report`` is the answer of ``verify``, as text the message.
    """

    def __init__(self, report: Report, redacted: bool) -> None:
        lines = report.lines(classes=not redacted)
        if report.identified:
            what = f"it still carries the identifier column {report.identified!r}"
            lines.append(f"REFUSED: {what}: remove it before publishing")
        if redacted:
            lines.append(SHOWN)
        super().__init__("\n".join(lines))
        self.report = report
        self.redacted = redacted

    def __reduce__(self) -> tuple[Any, ...]:
        """Processes hand errors to each other: the message is made again."""
        return NotProved, (self.report, self.redacted)


def check_frame(
    frame: TableSource,
    policy: PolicySource,
    original: TableSource | None = None,
    *,
    budget: float | None = None,
    redact: bool = True,
) -> Report:
    """The report on a frame of which every rule of the policy is PROVED.

    ``frame`` and ``policy`` are what ``verify`` takes: any frame or file, and a file or
    a dictionary.  ``budget`` is in seconds; what is undecided by then does not pass.
    Logs are read by many: values are left out of reports and errors unless ``redact``
    is False.  Raises NotProved, which has the report, also where the frame still
    carries its identifier column, and InputError for wrong inputs.
    """
    try:
        report = verify(frame, policy, original, budget, redact=redact)
    except InputError as error:
        if not redact:
            raise
        # None of it is told with what it was found with.
        raise without_values(error) from None
    if report.verdict != "proved" or report.identified:
        raise NotProved(report, redact)
    return report


def pandera_check(
    policy: PolicySource,
    original: TableSource | None = None,
    *,
    budget: float | None = None,
    redact: bool = True,
) -> Any:
    """``check_frame`` as a ``pandera.Check`` of a whole frame.

    For ``pandera.pandas.DataFrameSchema(checks=..)``.  The error of a frame that is not
    proved quotes the report.  What is not the whole of what pandera passes on does not
    pass: a sample (``schema.validate(frame, head=2)``), a frame of which rows may be
    dropped afterwards (``drop_invalid_rows``), a partition.  Raises InputError where
    pandera is not installed.
    """
    try:
        import pandera.pandas as pandera
    except ImportError:
        what = "pandera is not installed"
        hint = "pip install 'phverify[pandera]'"
        raise refusal("pandera_check", what, hint) from None

    def proved(frame: Any) -> bool:
        what, hint = _not_the_whole(frame)
        if what:
            raise refusal("pandera_check", what, hint)
        check_frame(frame, policy, original, budget=budget, redact=redact)
        return True

    return pandera.Check(proved, name="phverify")


def _not_the_whole(frame: Any) -> tuple[str, str]:
    """Why what a check gets is not all that pandera passes on, with a hint; else "".

    pandera tells its checks nothing of that, and a proof about some rows is none.
    """
    if type(frame).__module__.startswith("pandera."):
        what = "is for pandera.pandas, and no frame of another library passes"
        return what, "call check_frame(frame, policy), which takes any frame"
    calls = [*_validations()]
    if any(_sampled(call) for call in calls):
        what = "gets a sample of the frame, of which nothing follows for all of it"
        return what, "leave head, tail and sample of validate() out"
    if any(_drops(call.f_locals.get("schema")) for call in calls):
        what = "is asked about rows of which pandera may drop some afterwards"
        return what, "leave drop_invalid_rows out: what is left is another frame"
    # dask has each partition validated behind the door that users call.
    doors = [call for call in calls if _module(call).startswith("pandera.api.")]
    if calls and not doors:
        what = "gets a part of a frame, of which nothing follows for all of it"
        return what, "make one frame of the partitions, and validate that"
    return "", ""


def _validations() -> Iterator[FrameType]:
    """The calls of ``validate`` that a check runs in, the innermost first."""
    call: FrameType | None = sys._getframe(1)
    while call is not None:
        if call.f_code.co_name == "validate" and _module(call).startswith("pandera."):
            yield call
        call = call.f_back


def _module(call: FrameType) -> str:
    name = call.f_globals.get("__name__", "")
    return str(name)


def _sampled(call: FrameType) -> bool:
    """Whether pandera was asked to look at some rows only."""
    known = [call.f_locals.get(name) for name in ("head", "tail", "sample")]
    return any(one is not None for one in known)


def _drops(schema: Any) -> bool:
    """Whether rows are dropped by a schema, by one of its columns or by its index."""
    if getattr(schema, "drop_invalid_rows", False):
        return True
    columns = getattr(schema, "columns", None) or {}
    indexes = getattr(schema, "indexes", None) or []
    inside = [getattr(schema, "index", None), *columns.values(), *indexes]
    return any(_drops(one) for one in inside if one is not None)
