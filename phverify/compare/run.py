"""``compare``: does every table that satisfies the first satisfy the second?"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from phverify.compare.build import judged, table
from phverify.compare.domains import Domains, Open, domains
from phverify.compare.frame import Frame, Source, frame, limits
from phverify.compare.question import Case, cases, exact_texts, none_at_all
from phverify.compare.result import Comparison
from phverify.errors import BudgetExceeded
from phverify.logic import syntax as s
from phverify.smt.solver import Answer, Deadline, deadline_of, solve

BUDGET = 60.0
PROOFS = 0.4
"""The share of the budget for proofs."""
CAREFUL = 0.75
"""The share of what is left for looking at every number of rows."""
LEAPS = 12
Progress = Callable[[str], None]


def compare(
    first: Source,
    second: Source,
    *,
    values: int | None = None,
    budget: float | None = BUDGET,
    equivalent: bool = False,
    progress: Progress = lambda step: None,
) -> Comparison:
    """Whether the first implies the second, for every table: any rows, any classes, at most ``values`` values.

    Both are formulas (``"l_diversity(s, 3)"``), paths of policy files, or policies; a formula beside a policy is
    read in its frame.  A table is one that ``verify`` accepts for both, so that values of text columns that are
    named occur, and individuals that are named exist.  ``values`` bounds the different values of columns that
    criteria or schemas range over; without it, enough for all thresholds that are named, and undecided where those
    call for more than are looked at.  ``budget`` is in seconds, for each direction.  ``equivalent`` asks the other
    direction as well.  An implication also holds beside an original table, where individual i may be elsewhere than
    row i.

    Raises InputError with all problems of the input, and Defect when phverify contradicts itself.
    """
    limits(values, budget)
    both = frame(first, second)
    found = compared(both, values, deadline_of(budget), progress)
    if not equivalent:
        return found
    try:
        converse = compared(both.swapped(), values, deadline_of(budget), progress)
    except KeyboardInterrupt:  # what is known of the first direction is told
        titles = both.second.title, both.first.title
        converse = Comparison("undecided", *titles, reason="interrupted", open=tuple(both.first.rules))
    return replace(found, converse=converse)


def compared(both: Frame, values: int | None, deadline: Deadline, progress: Progress = lambda step: None) -> Comparison:
    """The comparison of two sides that have been read."""
    start = time.perf_counter()
    blank = Comparison("undecided", both.first.title, both.second.title, open=tuple(both.second.rules))
    try:
        found = domains(both, values)
    except Open as error:
        return replace(blank, reason=f"{error}: compare does not look into this", seconds=time.perf_counter() - start)
    blank = replace(blank, values=dict.fromkeys(found.ranged, found.most))
    answer = _Comparing(both, found, deadline, progress).answer(blank)
    if answer.verdict == "implies" and found.short:
        answer = replace(blank, reason=_short(found))
    return replace(answer, seconds=time.perf_counter() - start)


def _short(found: Domains) -> str:
    """Why a proof is not the answer: a threshold that no table reaches proves anything."""
    said = f"proved for at most {found.most} values only, where a threshold calls for {found.wanted}"
    return f"{said}: give --values {found.wanted}, or --values {found.most} if there are no more"


@dataclass(eq=False)
class _Comparing:
    """One comparison.  ``open`` are the numbers of the choices of values where some rule is not proved."""

    frame: Frame
    domains: Domains
    deadline: Deadline
    progress: Progress
    reason: str = ""
    open: set[int] = field(default_factory=set)
    patience: Deadline = field(default_factory=Deadline)
    """For proofs."""

    def answer(self, blank: Comparison) -> Comparison:
        left = self.deadline.left()
        self.patience = Deadline(None if left is None else max(left * PROOFS, 0.001))
        proved = tuple(name for name in self.frame.second.rules if self.proves(name))
        rest = tuple(name for name in self.frame.second.rules if name not in proved)
        if not rest:
            return replace(blank, verdict="implies", proved=proved, open=(), vacuous=self.empty())
        return self.search(replace(blank, proved=proved, open=rest))

    # For any number of rows

    def proves(self, rule: str) -> bool:
        """Whether a rule of the second follows from the first, for any number of rows."""
        self.progress(f"proving {rule}")
        if self.known(rule):
            return True
        try:
            left = [number for number, item in cases(self.domains, self.frame, (rule,)) if not self.none(item)]
        except Open as error:
            self.reason, left = str(error), list(range(self.domains.count))
        self.open |= set(left)
        return not left

    def known(self, rule: str) -> bool:
        """Whether the first has the same rule, and assumes no more."""
        first, second = self.frame.first, self.frame.second
        if set(first.policy.agents) != set(second.policy.agents):  # schemas over agents would mean something else
            return False
        return second.rules[rule] in first.rules.values() and set(first.assumptions) <= set(second.assumptions)

    def none(self, item: Case) -> bool:
        """Whether it is proved that no table with these values separates the two."""
        try:
            answer = none_at_all(item, self.patience)
        except Open as error:
            answer = Answer("unknown", reason=str(error))
        except BudgetExceeded:
            answer = Answer("unknown", reason="proving took too long")
        if answer.status == "unknown":
            self.reason = self.reason or answer.reason
        return answer.status == "unsat"

    def empty(self) -> bool:
        """Whether no table at all satisfies the first."""
        nothing = replace(self.frame.second, rules={"false": s.FALSE}, assumptions=())
        frame = replace(self.frame, second=nothing)
        return all(self.none(item) for _, item in cases(self.domains, frame))

    # Row by row

    def search(self, blank: Comparison) -> Comparison:
        """The smallest separating table; when most of the budget is used up, some separating table."""
        searched, left = 0, self.deadline.left()
        most = Deadline(None if left is None else max(left * CAREFUL, 0.001))
        try:
            for n in itertools.count(1):
                found = self.with_rows(n, blank, most)
                if found:
                    return replace(found, searched=n - 1)
                searched = n
        except Open as error:
            reason = self._told(str(error))
        except BudgetExceeded:
            reason = self._told(f"the budget of {self.deadline.seconds:g} s ran out")
        return self.leap(replace(blank, reason=reason, searched=searched), searched)

    def leap(self, blank: Comparison, searched: int) -> Comparison:
        """Some larger table, where it is too costly to look at every number of rows."""
        try:
            for step in range(1, LEAPS):
                found = self.with_rows(searched + searched * step // 2 + 1, blank, self.deadline)
                if found:
                    return replace(found, searched=searched)
        except (Open, BudgetExceeded):
            pass
        return blank

    def with_rows(self, n: int, blank: Comparison, deadline: Deadline) -> Comparison | None:
        """A separating table with n rows; None when there is none.  Raises Open and BudgetExceeded."""
        self.progress(f"tables with {n} rows")
        for number, item in cases(self.domains, self.frame, tuple(blank.open)):
            for encoder, text in exact_texts(item, n, deadline) if number in self.open else ():
                answer = solve(text, deadline)
                if answer.status == "unknown":
                    deadline.check()
                    raise Open(answer.reason)
                if answer.status == "sat":
                    rows = table(encoder, answer.values, item.anchors, self.frame)
                    reports = judged(rows, self.frame)
                    return replace(blank, verdict="separated", table=tuple(rows), reports=reports, reason="")
        return None

    def _told(self, error: str) -> str:
        return error if not self.reason or self.reason == error else f"{error}; no proof: {self.reason}"
