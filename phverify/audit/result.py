"""What an audit answers, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from phverify.audit.database import Row
from phverify.audit.facts import Fact
from phverify.audit.query import Value

SAFE, DISCLOSED, UNDECIDED, UNSUPPORTED = "safe", "disclosed", "undecided", "unsupported"
VERDICTS = (DISCLOSED, UNDECIDED, UNSUPPORTED, SAFE)
"""The worst first."""


@dataclass(frozen=True)
class Change:
    """A cell of a second world that is not as it truly is."""

    key: str
    column: str
    true: Value
    other: Value


@dataclass(frozen=True)
class Finding:
    """What holds of one fact after a step.

    safe: ``worlds`` are other worlds, replayed, with the same answers (more than one where values are counted), each
    as what differs from the data; disclosed: ``core`` are queries, by their number, from which the fact follows, and
    from no part of which it follows (``minimal``), ``since`` is the step and ``by`` who agreed; undecided and
    unsupported say why.
    """

    fact: Fact
    verdict: str
    reason: str = ""
    worlds: tuple[tuple[Change, ...], ...] = ()
    core: tuple[int, ...] = ()
    minimal: bool = True
    since: int = 0
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Remaining:
    """What a cell may still be: ``values`` where they are few (else None), ``low..high``; ``missing``: or missing.

    ``tight`` says that every listed value, or both ends, is attained in a world with the answers; otherwise the cell
    is inside, and the true bounds may be narrower.
    """

    key: str
    column: str
    low: int = 0
    high: int = 0
    values: tuple[Value, ...] | None = None
    missing: bool = False
    tight: bool = True

    def text(self) -> str:
        interval = f"{self.low}..{self.high}" if self.low <= self.high else ""
        shown = interval if self.values is None else ", ".join(map(str, self.values))
        if not shown:
            return "missing" if self.missing else "nothing"
        return shown + (" or missing" if self.missing else "") + ("" if self.tight else " (not tight)")


@dataclass(frozen=True)
class Step:
    """One statement of the log; step 0 is what the domains alone give away.

    ``status`` is answered, unsupported (it had an answer that is not audited), refused (it would write), failed
    (the database refuses it whatever the data: no information) or broken (no SQL: no information).
    """

    number: int
    line: int
    sql: str
    status: str
    answer: tuple[Row, ...] = ()
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    remaining: tuple[Remaining, ...] = ()
    seconds: float = 0.0

    def worst(self) -> str:
        verdicts = {finding.verdict for finding in self.findings}
        return next((v for v in VERDICTS if v in verdicts), SAFE)


@dataclass(frozen=True)
class AuditReport:
    """All steps of an audit; ``verdict`` is the worst after the last one."""

    source: str
    table: str
    rows: int
    public: tuple[str, ...]
    domains: tuple[tuple[str, str], ...]
    steps: Sequence[Step]
    solvers: tuple[str, ...] = ()
    complete: bool = True

    @property
    def verdict(self) -> str:
        return self.steps[-1].worst()

    @property
    def first(self) -> Step | None:
        """The first step that disclosed a fact."""
        return next((step for step in self.steps if step.worst() == DISCLOSED), None)
