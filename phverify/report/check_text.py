"""What ``check`` found, as lines of plain text."""

from __future__ import annotations

from phverify.spec.command import shown
from phverify.verbs.check_result import CheckResult


def to_lines(found: CheckResult) -> list[str]:
    """What was verified, line by line; the last line begins with the verdict."""
    lines = [f"  ok  {line}" for line in found.verified]
    if found.unmet:
        lines.append(
            "UNMET: what it claims is so, and is not what is required:"
            f" {'; '.join(found.unmet)}"
        )
    else:
        lines.append(
            found.verdict.upper() + (f": {found.problem}" if found.problem else "")
        )
    return list(map(shown, lines))
