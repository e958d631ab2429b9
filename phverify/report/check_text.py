"""What ``check`` found, as lines of plain text."""

from __future__ import annotations

import re

from phverify.verbs.check_result import CheckResult
from phverify.words import printable

DIGITS = re.compile(r"\d{100,}")
"""Numbers that nobody reads: only their first digits are shown."""


def to_lines(found: CheckResult) -> list[str]:
    """What was verified, line by line; the last line begins with the verdict."""
    lines = [f"  ok  {line}" for line in found.verified]
    if found.unmet:
        lines.append(f"UNMET: what it claims is so, and is not what is required: {'; '.join(found.unmet)}")
    else:
        lines.append(found.verdict.upper() + (f": {found.problem}" if found.problem else ""))
    return [DIGITS.sub(_counted, printable(line)) for line in lines]


def _counted(number: re.Match[str]) -> str:
    return f"{number[0][:20]}..({len(number[0])} digits)"
