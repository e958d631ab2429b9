"""What ``lint`` finds in a policy, as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from phverify.result import Result

KINDS = (
    "vacuous",
    "redundant",
    "contradictory",
    "out of reach",
    "idle",
    "unprotected",
    "uncovered",
    "unused",
    "open",
)


@dataclass(frozen=True)
class LintFinding:
    """``kind`` is vacuous, redundant, contradictory, out of reach, idle (operators that
    say nothing), unprotected (a secret), uncovered (a sensitive column), unused (an
    agent), or open (a question the budget left undecided).

    ``rules`` are concerned; ``what`` says what was found, ``why`` on what ground, and
    ``evidence`` shows it. ``up_to`` is the bound of what was proved (``4 values of
    s``), empty where there is none.
    """

    kind: str
    rules: tuple[str, ...]
    what: str
    why: str
    evidence: tuple[str, ...] = ()
    up_to: str = ""


Findings = Iterator[LintFinding]


@dataclass(frozen=True)
class Lint(Result):
    """What was found in a policy; ``verdict`` is clean, findings, or undecided (nothing
    found, something open).
    """

    verb = "lint"
    drawn = True

    policy: str
    rules: int
    findings: tuple[LintFinding, ...]
    aside: tuple[str, ...] = ()
    """Rules with ``never_known``, which ask about one release: nothing is said of
    them.
    """

    @property
    def verdict(self) -> str:
        """clean, findings, or undecided."""
        kinds = {finding.kind for finding in self.findings}
        if not kinds:
            return "clean"
        if kinds == {"open"}:
            return "undecided"
        return "findings"


def undecided(names: Sequence[str], doubt: str, reason: str) -> LintFinding:
    """A question that the budget left undecided."""
    return LintFinding("open", (names[0],), f"undecided: {doubt}", reason)
