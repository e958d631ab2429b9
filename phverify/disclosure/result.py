"""What an audit answers, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from phverify.disclosure.log.query import Value
from phverify.disclosure.protected import ProtectedFact
from phverify.disclosure.stages import StageShare
from phverify.disclosure.worlds.database import Row
from phverify.result import Result, reports
from phverify.words import plural

Names = tuple[str, ...]
Cells = tuple[Value, ...]
Core = tuple[int, ...]
"""Queries by their numbers."""
Multipliers = tuple[tuple[int, Fraction], ...]
"""Queries by their numbers, each with a factor for each number of its answer."""
SAFE, DISCLOSED = "safe", "disclosed"
UNDECIDED, UNSUPPORTED = "undecided", "unsupported"
VERDICTS = (DISCLOSED, UNDECIDED, UNSUPPORTED, SAFE)
"""The worst first."""
DETERMINED, OPEN, NOTHING = "determined", "open", "nothing"
"""What the answers do to the table as a whole; a table without rows has nothing to
determine.
"""


@dataclass(frozen=True, slots=True)
class Change:
    """A cell of a second world that is not as it truly is."""

    key: str
    column: str
    true: Value
    other: Value


SecondWorld = tuple[Change, ...]
"""A second world, as what differs from the data."""
FEW_CHANGES = 4


def name_of_world(world: SecondWorld) -> object:
    """What tells a world from others: those of a large table take long to compare, and
    each is one object wherever it is shown; a small one may be made anew.
    """
    if len(world) <= FEW_CHANGES:
        return world
    return id(world)


@dataclass(frozen=True, slots=True)
class FactFinding:
    """What holds of one fact after a step.

    safe: ``worlds`` are other worlds, replayed, with the same answers (more than one
    where values are counted), each as what differs from the data; disclosed: ``core``
    are queries, by their number, from which the fact follows, and from no part of which
    it follows (``minimal``), ``since`` is the step and ``by`` who agreed; undecided and
    unsupported say why.  ``stage`` is the stage of the cascade that decided,
    ``combination`` the answers that add up to the value, where some do.

    ``exact`` says that ``since`` is the first step after which the fact follows: by the
    step before it was safe.  Otherwise it follows by ``since`` at the latest.
    """

    fact: ProtectedFact
    verdict: str
    reason: str = ""
    worlds: tuple[SecondWorld, ...] = ()
    core: Core = ()
    minimal: bool = True
    since: int = 0
    by: Names = ()
    stage: str = ""
    combination: Multipliers = ()
    exact: bool = True


@dataclass(frozen=True)
class DisclosedFact:
    """A fact that follows, as data.

    ``cells`` are its rows, by their keys, and columns; ``value`` is that of the cell
    where the fact is its exact value, else None.  ``queries`` are those that it follows
    from, by number and line, ``since`` the step, or where it is not ``exact``, the
    latest that it may be; ``combination`` are queries and multipliers: the sums and
    counts that they say, each times its own, add up to the value; empty where no one
    combination says so.
    """

    name: str
    fact: str
    cells: tuple[tuple[str, str], ...]
    value: Value
    since: int
    queries: tuple[tuple[int, int], ...]
    combination: Multipliers
    minimal: bool
    by: Names
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Remaining:
    """What a cell may still be: ``values`` where they are few (else None),
    ``low..high``; ``missing``: or missing.

    ``tight`` says that every listed value, or both ends, is attained in a world with
    the answers; otherwise the cell is inside, and the true bounds may be narrower.
    ``confirmed`` says that whatever is excluded is so by a combination of answers
    checked in fractions or by two solvers, not by one solver alone.  Equal are those of
    which the same is known, whosever cells they are.
    """

    key: str = field(compare=False)
    column: str
    low: int = 0
    high: int = 0
    values: Cells | None = None
    missing: bool = False
    tight: bool = True
    confirmed: bool = True
    ends: tuple[Any, Any] | None = None
    """The ends as the column has them, where they are no plain integers."""

    def text(self) -> str:
        """What is left, as reports write it."""
        low, high = self.ends or (self.low, self.high)
        interval = f"{low}..{high}" if self.low <= self.high else ""
        shown = interval if self.values is None else ", ".join(map(str, self.values))
        if not shown:
            return "missing" if self.missing else "nothing"
        if self.missing:
            shown += " or missing"
        if not self.tight:
            shown += " (not tight)"
        if not self.confirmed:
            shown += " (by one solver only)"
        return shown


VALUES, INTERVAL, CELLS = "the values left", "the interval", "each cell by itself"


@dataclass(frozen=True, slots=True)
class Distance:
    """How far the adversary's knowledge is from a fact, from 0 (disclosed) to 1, see
    ``measure``.

    ``value`` is None where it is not known (``reason``).  ``kind`` is nominal,
    numerval, numerical or taxoral; ``of`` says what stands for the knowledge: the
    values left, their interval where only its ends are known, or what each cell of a
    formula may be by itself.  ``tight`` says that what the cells may be is exact.
    """

    value: Fraction | None
    kind: str
    of: str = VALUES
    tight: bool = True
    reason: str = ""


@runtime_checkable
class Counts(Protocol):
    """Findings that can be counted without being made."""

    def counts(self) -> Mapping[str, int]:
        """How many findings have each verdict."""


@dataclass(frozen=True)
class Step:
    """One statement of the log; step 0 is what the domains alone give away.

    ``status`` is answered, bounded (taken for more than it says, see ``bounding``;
    ``reason`` says for what), unsupported (it may have had an answer, which is not
    audited), contradicted (its kept answer is not the table's), refused (it would
    write), failed (the log says so, and the text alone is why: no information) or
    silent (no answer, or one from public data alone).  ``distances`` has one entry for
    each finding.
    """

    number: int
    line: int
    sql: str
    status: str
    answer: tuple[Row, ...] = ()
    reason: str = ""
    findings: Sequence[FactFinding] = ()
    remaining: Sequence[Remaining] = ()
    seconds: float = 0.0
    distances: Sequence[Distance] = ()

    def worst(self) -> str:
        """The worst verdict of the step; safe where there is none."""
        return _worst(set(self.counts()))

    def counts(self) -> Mapping[str, int]:
        """How many findings have each verdict."""
        # Those of many rows are counted without one of them being made.
        if isinstance(self.findings, Counts):
            return self.findings.counts()
        return Counter(finding.verdict for finding in self.findings)

    @property
    def nearest(self) -> Fraction | None:
        """The distance of what is known to the nearest protected fact; None where none
        is known.
        """
        known = [one.value for one in self.distances if one.value is not None]
        return min(known, default=None)


@dataclass(frozen=True)
class Reconstruction:
    """Whether the answers leave one bag of rows.

    determined: ``rows`` are what every world with the answers has, ``core`` the queries
    that say so, none of which can be left out when ``minimal``, and ``by`` who agreed;
    the last query of a minimal core is the first after which the table was determined.
    open: some world has ``others`` instead of ``rows``, pair by pair; ``keys`` says
    which row of the data each is, or one of those that no query tells apart from it.
    nothing: the table has no rows. undecided and unsupported have a reason.
    """

    status: str
    columns: Names
    rows: tuple[Cells, ...] = ()
    others: tuple[Cells, ...] = ()
    keys: Names = ()
    core: Core = ()
    minimal: bool = True
    by: Names = ()
    reason: str = ""


@dataclass(frozen=True)
class AuditReport(Result):
    """All steps of an audit; ``verdict`` is the worst after the last one, of the table
    as a whole, too, where asked.

    ``complete`` says that there is a step for each of the ``asked`` statements of the
    log; ``stopped`` is why the run ended before its end, and empty where it did not.
    ``notes`` are what is to be said of the log itself.
    """

    verb = "audit"
    drawn = True

    source: str
    table: str
    rows: int
    public: Names
    domains: tuple[tuple[str, str], ...]
    steps: Sequence[Step]
    solvers: Names = ()
    complete: bool = True
    reconstruction: Reconstruction | None = None
    stages: tuple[StageShare, ...] = ()
    external: Names = ()
    stopped: str = ""
    asked: int = 0
    notes: Names = ()
    keyed: int = 1
    """So many of the public columns name each row."""

    def counted(self) -> str:
        """How many statements were audited; the first step is before them."""
        return plural(len(self.steps) - 1, "query")

    @property
    def cut(self) -> bool:
        """Whether the run was stopped before the last query: what was safe then may not
        be so after all of them.
        """
        return bool(self.stopped) and not self.complete

    @property
    def verdict(self) -> str:
        """The worst of the last step, of the whole table, and of a run cut short."""
        verdicts = {self.steps[-1].worst()}
        if self.reconstruction is not None:
            whole = self.reconstruction.status
            verdicts.add(DISCLOSED if whole == DETERMINED else whole)
        if self.cut:
            verdicts.add(UNDECIDED)
        return _worst(verdicts)

    def dltts(self, fact: ProtectedFact | None = None, redact: bool = False) -> Any:
        """The log as a transition system with tags: ``audit_dltts.LogSystem``.

        It has ``dot()``, ``svg()`` and ``to_dict()``, and ``system`` with its states.
        The policy is one protected fact, or all of them; ``redact`` leaves out values.
        """
        return reports().rendered(self, "dltts", fact, redact)

    @property
    def disclosed(self) -> tuple[DisclosedFact, ...]:
        """What follows from the answers, as data."""
        lines = {step.number: step.line for step in self.steps}
        found = []
        for one in self.steps[-1].findings:
            if one.verdict == DISCLOSED:
                found.append(_disclosed(one, lines))
        return tuple(found)

    @property
    def first(self) -> Step | None:
        """The first step after which a fact is known to be disclosed."""
        for step in self.steps:
            if step.worst() == DISCLOSED:
                return step
        return None

    @property
    def first_exact(self) -> bool:
        """Whether that is the first step after which one is: all were safe before."""
        verdicts = [step.worst() for step in self.steps]
        if DISCLOSED not in verdicts:
            return True
        place = verdicts.index(DISCLOSED)
        before = verdicts[:place]
        if not before:
            return True
        return before[-1] == SAFE


def _disclosed(one: FactFinding, lines: Mapping[int, int]) -> DisclosedFact:
    """A disclosed fact as data."""
    fact = one.fact
    exact = fact.protected.kind == "exact"
    queries = tuple([(number, lines.get(number, 0)) for number in one.core])
    return DisclosedFact(
        fact.protected.name,
        fact.text(),
        fact.names,
        fact.value if exact else None,
        one.since,
        queries,
        one.combination,
        one.minimal,
        one.by,
        one.exact,
    )


def _worst(verdicts: set[str]) -> str:
    """The worst of some verdicts; whatever is none is no worse than safe."""
    for verdict in VERDICTS:
        if verdict in verdicts:
            return verdict
    return SAFE
