"""What ``check`` found, as lines of plain text."""

from __future__ import annotations

from phverify.spec.command import shown
from phverify.verbs.check_result import CheckResult


def to_lines(result: CheckResult) -> list[str]:
    """What was verified, line by line; the last line begins with the verdict."""
    lines = [f"  ok  {line}" for line in result.verified]
    # a certificate may hold and still not show what is required
    if result.unmet:
        lines.append(
            "UNMET: what it claims is so, and is not what is required:"
            f" {'; '.join(result.unmet)}"
        )
    else:
        lines.append(
            result.verdict.upper() + (f": {result.problem}" if result.problem else "")
        )
    return list(map(shown, lines))
