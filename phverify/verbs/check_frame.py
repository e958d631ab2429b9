"""``check_frame``: a frame that is not proved does not pass a test, a pipeline or a
schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phverify.errors import PhverifyError, refusal
from phverify.verbs.verify import verify
from phverify.verification.result import Report

if TYPE_CHECKING:
    from phverify.microdata.read import TableSource
    from phverify.policy.model import PolicySource

SHOWN = "values are left out; with redact=False the report quotes them"
"""What is said below a report that hides values."""


class NotProved(PhverifyError):
    """A frame does not keep its policy, or it is not known whether it does.

    ``report`` is the answer of ``verify``, as text the message.
    """

    def __init__(self, report: Report, redacted: bool) -> None:
        lines = [*report.lines()]
        if redacted:
            lines.append(SHOWN)
        super().__init__("\n".join(lines))
        self.report = report


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
    Logs are read by many: values are left out of reports unless ``redact`` is False.
    Raises NotProved, which has the report, and InputError for wrong inputs.
    """
    report = verify(frame, policy, original, budget, redact=redact)
    if report.verdict != "proved":
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
    proved quotes the report.  Raises InputError where pandera is not installed.
    """
    try:
        import pandera.pandas as pandera
    except ImportError:
        what = "pandera is not installed"
        hint = "pip install 'phverify[pandera]'"
        raise refusal("pandera_check", what, hint) from None

    def proved(frame: Any) -> bool:
        check_frame(frame, policy, original, budget=budget, redact=redact)
        return True

    return pandera.Check(proved, name="phverify")
