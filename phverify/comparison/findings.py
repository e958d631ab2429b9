"""What ``lint`` finds in a policy, as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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


MEANINGS = {
    "vacuous": "a rule that every release satisfies",
    "redundant": "a rule that follows from others",
    "contradictory": "rules that no release satisfies together",
    "out of reach": "a rule that no release of the table satisfies",
    "idle": "operators of a rule that say nothing",
    "unprotected": "a secret that no rule protects",
    "uncovered": "a sensitive column that no rule is about",
    "unused": "an agent that no rule names",
    "open": "a question that was not decided in time",
}
"""What ``lint`` complains of, by kind."""


def redacted(lint: Lint) -> Lint:
    """The findings without a value, a formula or a person: secrets are numbered in
    the order in which they are told, and nothing is shown as evidence.
    """
    findings = []
    numbers: dict[str, int] = {}
    for finding in lint.findings:
        kind = finding.kind
        names = [_unnamed(name, kind, numbers) for name in finding.rules]
        shown = replace(finding, rules=tuple(names), evidence=())
        # These sentences are made of names of rules and columns, and of counts.
        if kind not in ("vacuous", "redundant", "contradictory", "uncovered", "unused"):
            shown = replace(shown, what=MEANINGS[kind], why="")
        findings.append(shown)
    return replace(lint, findings=tuple(findings))


def _unnamed(name: str, kind: str, numbers: dict[str, int]) -> str:
    """The name of a rule; of a secret whether it is a personal one, and its number
    among those of a kind.
    """
    if not name.startswith("secrets."):
        return name
    before = numbers.get(kind, 0)
    numbers[kind] = before + 1
    whose = "a secret of everybody" if name == "secrets.*" else "a personal secret"
    return f"{whose}, number {numbers[kind]}"


def undecided(names: Sequence[str], doubt: str, reason: str) -> LintFinding:
    """A question that the budget left undecided."""
    return LintFinding("open", (names[0],), f"undecided: {doubt}", reason)
