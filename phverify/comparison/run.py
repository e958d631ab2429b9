"""``compare``: does every table that satisfies the first satisfy the second?"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from phverify.budget import Deadline, deadline_of
from phverify.comparison.build import Row, judged, one_class, table
from phverify.comparison.case import Case
from phverify.comparison.domains import Domains, Open, Sizes, domains
from phverify.comparison.endless import endless
from phverify.comparison.frame import Frame, Source, frame, limits
from phverify.comparison.question import cases, exact_texts, none_at_all
from phverify.comparison.result import Comparison
from phverify.comparison.steep import steep
from phverify.constraints.solver import SolverAnswer, solve
from phverify.errors import BudgetExceeded
from phverify.microdata.read import read
from phverify.microdata.table import Table
from phverify.spec import syntax as s
from phverify.spec.source import File
from phverify.spec.spaces import attributes
from phverify.spec.types import TEXT, ValueType

if TYPE_CHECKING:
    import pandas as pd

BUDGET = 60.0
PROOFS = 0.4
"""The share of the budget for proofs."""
CAREFUL = 0.75
"""The share of what is left for looking at every number of rows."""
LEAPS = 12
BEYOND = 3
"""So many more values are tried where a proof is for a number of values only."""
Progress = Callable[[str], None]


def compare(
    first: Source,
    second: Source,
    *,
    values: int | None = None,
    budget: float | None = BUDGET,
    equivalent: bool = False,
    table: File | pd.DataFrame | None = None,
    progress: Progress = lambda step: None,
) -> Comparison:
    """Whether the first implies the second, for every table: any rows, any classes, at
    most ``values`` values.

    Both are formulas (``"l_diversity(s, 3)"``), paths of policy files, or policies; a
    formula beside a policy is read in its frame.  A table is one that ``verify``
    accepts for both, so that values of text columns that are named occur, and
    individuals that are named exist.  Where the number of different values in a column
    does not matter, this is proved for any number of them.  Else ``values`` bounds it,
    or a given ``table`` with its own values; without both, enough for all thresholds
    that are named, and as many more as the budget suffices for, up to three; undecided
    where thresholds call for more than are looked at.  ``budget`` is in seconds, for
    each direction. ``equivalent`` asks the other direction as well.  An implication
    also holds beside an original table, where individual i may be elsewhere than row i.

    Raises InputError with all problems of the input, and Defect when phverify
    contradicts itself.
    """
    limits(values, budget)
    both, counts = frame(first, second), None
    if table is not None:
        names = dict.fromkeys(name for f in both.formulas() for name in attributes(f))
        counts = counted(read(table, tuple(names), "table"), names, both.types)
    found = compared(both, values, deadline_of(budget), progress, counts)
    if not equivalent:
        return found
    try:
        converse = compared(
            both.swapped(), values, deadline_of(budget), progress, counts
        )
    except KeyboardInterrupt:  # what is known of the first direction is told
        titles = both.second.title, both.first.title
        converse = Comparison(
            "undecided", *titles, reason="interrupted", open=tuple(both.first.rules)
        )
    return replace(found, converse=converse)


def counted(
    given: Table, names: Iterable[str], types: Mapping[str, ValueType]
) -> Sizes:
    """How many different values the columns of a table have.  Raises InputError."""
    return {
        name: len(given.column(name).typed(types.get(name, TEXT), given.source).labels)
        for name in names
    }


def share(deadline: Deadline, part: float, least: float = 0.001) -> Deadline:
    """A deadline for a part of what is left."""
    left = deadline.left()
    return Deadline(None if left is None else max(left * part, least))


def compared(
    both: Frame,
    values: int | None,
    deadline: Deadline,
    progress: Progress = lambda step: None,
    counts: Sizes | None = None,
) -> Comparison:
    """The comparison of two sides that have been read.  ``counts``: the values of each
    column of a given table.
    """
    start = time.perf_counter()
    blank = Comparison(
        "undecided", both.first.title, both.second.title, open=tuple(both.second.rules)
    )
    try:
        found = domains(both, values, counts)
    except Open as error:
        return replace(
            blank,
            reason=f"{error}: compare does not look into this",
            seconds=time.perf_counter() - start,
        )
    blank = replace(blank, values=found.most)
    comparing = _Comparing(both, found, deadline, progress)
    answer = comparing.answer(blank)
    if answer.verdict == "implies" and answer.values:
        if found.short:  # a threshold that no table reaches proves anything
            name = found.short[0]
            many, wanted = found.most[name], found.wanted[name]
            reason = (
                f"proved for at most {many} values of {name} only, and there may be"
                f" {wanted}"
            )
            answer = replace(
                blank,
                reason=(
                    f"{reason}: give --values {wanted}, or --values {many} if there are"
                    " no more"
                ),
            )
        elif values is None and counts is None:
            answer = comparing.beyond(answer)
    return replace(answer, seconds=time.perf_counter() - start)


@dataclass(eq=False)
class _Comparing:
    """One comparison.  ``open`` are the numbers of the choices of values where some
    rule is not proved.
    """

    frame: Frame
    domains: Domains
    deadline: Deadline
    progress: Progress
    reason: str = ""
    open: set[int] = field(default_factory=set)
    patience: Deadline = field(default_factory=Deadline)
    """For proofs."""
    anyway: set[str] = field(default_factory=set)
    """The rules that are proved for any number of values."""

    def answer(self, blank: Comparison) -> Comparison:
        self.patience = share(self.deadline, PROOFS)
        rules = tuple(self.frame.second.rules)
        self.anyway = {
            name
            for name in rules
            if self.known(name) or self.endless(self.domains, name)
        }
        proved = tuple(
            name for name in rules if name in self.anyway or self.proves(name)
        )
        rest = tuple(name for name in rules if name not in proved)
        if rest:
            return self.search(replace(blank, proved=proved, open=rest))
        values = {} if len(self.anyway) == len(rules) else blank.values
        found = replace(blank, verdict="implies", proved=proved, open=(), values=values)
        return replace(found, vacuous=self.empty(found))

    # For any number of values

    def endless(self, found: Domains, rule: str) -> bool:
        """Whether a rule of the second follows from the first, for any number of rows
        and of values.
        """
        if not found.most:
            return False  # there is no other proof
        self.progress(f"proving {rule} for any number of values")
        try:
            wide = endless(found, rule)
            return all(
                self.none(item)[0] for _, item in cases(wide, wide.frame, (rule,))
            )
        except (Open, BudgetExceeded):
            return False

    def beyond(self, found: Comparison) -> Comparison:
        """With one to three values more than what was proved: a separating table after
        all, or a further proof.
        """
        for more in range(1, BEYOND + 1):
            most = {name: many + more for name, many in self.domains.most.items()}
            wider = replace(self.domains, most=most, wanted={}, above=found.values)
            half = share(self.deadline, 1 / 2)
            answer = _Comparing(
                self.frame, wider, half, self.progress, anyway=self.anyway
            ).further(found)
            if answer.verdict != "implies":
                return answer
            if answer is found:
                return replace(found, tried=most)
            found = answer
        return found

    def further(self, found: Comparison) -> Comparison:
        """The comparison with the values of these domains; itself when it stays open
        for them.
        """
        self.patience = share(self.deadline, PROOFS)
        try:
            self.domains.count  # noqa: B018  raises Open
            rest = tuple(
                name
                for name in self.frame.second.rules
                if name not in self.anyway and not self.proves(name)
            )
        except (Open, BudgetExceeded):
            return found
        if not rest:
            return replace(found, values=self.domains.most)
        proved = tuple(name for name in self.frame.second.rules if name in self.anyway)
        blank = replace(
            found,
            verdict="undecided",
            values=self.domains.most,
            vacuous=False,
            proved=proved,
            open=rest,
        )
        answer = self.search(blank)
        return answer if answer.verdict == "separated" else found

    # For any number of rows

    def proves(self, rule: str) -> bool:
        """Whether a rule of the second follows from the first, for any number of
        rows.
        """
        self.progress(f"proving {rule}")
        left = set()
        try:
            for number, item in cases(self.domains, self.frame, (rule,)):
                proved, reason = self.none(item)
                self.reason = self.reason or reason
                left |= set() if proved else {number}
        except Open as error:
            self.reason, left = str(error), set(range(self.domains.count))
        self.open |= left
        return not left

    def known(self, rule: str) -> bool:
        """Whether the first has the same rule, and assumes no more."""
        first, second = self.frame.first, self.frame.second
        if set(first.policy.agents) != set(
            second.policy.agents
        ):  # schemas over agents would mean something else
            return False
        return second.rules[rule] in first.rules.values() and set(
            first.assumptions
        ) <= set(second.assumptions)

    def none(self, item: Case) -> tuple[bool, str]:
        """Whether it is proved that no table with these values separates the two; and
        why that is open.
        """
        try:
            answer = none_at_all(item, self.patience)
        except Open as error:
            answer = SolverAnswer("unknown", reason=str(error))
        except BudgetExceeded:
            answer = SolverAnswer("unknown", reason="proving took too long")
        return answer.status == "unsat", (
            answer.reason if answer.status == "unknown" else ""
        )

    def empty(self, found: Comparison) -> bool:
        """Whether no table at all satisfies the first, within the bound that was
        found.
        """
        nothing = replace(self.frame.second, rules={"false": s.FALSE}, assumptions=())
        frame = replace(self.frame, second=nothing)
        least = replace(self.domains, frame=frame)
        if least.most and not found.values:
            return self.endless(least, "false")
        return all(self.none(item)[0] for _, item in cases(least, frame))

    # Row by row

    def search(self, blank: Comparison) -> Comparison:
        """The smallest separating table; when most of the budget is used up, some
        separating table.
        """
        most = share(self.deadline, CAREFUL)
        try:
            for n in itertools.count(1):
                if found := self.with_rows(n, blank, most):
                    return found
                blank = replace(blank, searched=n)
        except (Open, BudgetExceeded) as error:
            late = isinstance(error, BudgetExceeded)
            why = (
                f"the budget of {self.deadline.seconds:g} s ran out"
                if late
                else str(error)
            )
            reason = (
                why
                if not self.reason or self.reason == why
                else f"{why}; no proof: {self.reason}"
            )
        return self.leap(replace(blank, reason=reason))

    def leap(self, blank: Comparison) -> Comparison:
        """Some larger table, where it is too costly to look at every number of rows."""
        try:
            for item in self.left_open(blank):
                if counts := next(steep(item, self.deadline), None):
                    return self.separated(blank, one_class(counts, item))
            for step in range(1, LEAPS):
                if found := self.with_rows(
                    blank.searched + blank.searched * step // 2 + 1,
                    blank,
                    self.deadline,
                ):
                    return found
        except (Open, BudgetExceeded):
            pass
        return blank

    def left_open(self, blank: Comparison) -> Iterator[Case]:
        """The choices of values for which something is not proved."""
        for number, item in cases(self.domains, self.frame, blank.open):
            if number in self.open:
                yield item

    def with_rows(
        self, n: int, blank: Comparison, deadline: Deadline
    ) -> Comparison | None:
        """A separating table with n rows; None when there is none.  Raises Open and
        BudgetExceeded.
        """
        self.progress(f"tables with {n} rows")
        for item in self.left_open(blank):
            for encoder, text in exact_texts(item, n, deadline):
                answer = solve(text, deadline)
                if answer.status == "unknown":
                    deadline.check()
                    raise Open(answer.reason)
                if answer.status == "sat":
                    return self.separated(blank, table(encoder, answer.values))
        return None

    def separated(self, blank: Comparison, rows: list[Row]) -> Comparison:
        """The answer with a table that ``verify`` has judged.  Raises Defect when it
        does not separate the two.
        """
        reports = judged(rows, self.frame)
        return replace(
            blank, verdict="separated", table=tuple(rows), reports=reports, reason=""
        )
