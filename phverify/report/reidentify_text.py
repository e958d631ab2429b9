"""What ``reidentify`` found, as lines of plain text."""

from __future__ import annotations

from phverify.linkage.result import Reidentification
from phverify.report.method_text import method_lines
from phverify.report.risk_text import risk_lines


def to_lines(result: Reidentification) -> list[str]:
    """The verdict on a method, or the risk of a release."""
    if result.method:
        return method_lines(result.method, result)
    return risk_lines(result)
