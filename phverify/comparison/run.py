"""``compare``: does every table that satisfies the first satisfy the second?"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from phverify.budget import Deadline, deadline_of
from phverify.comparison.build import Row, judged, one_class, table
from phverify.comparison.case import ComparedCase
from phverify.comparison.choice import Undecided
from phverify.comparison.domains import Domains, Sizes, domains
from phverify.comparison.endless import endless
from phverify.comparison.result import Comparison
from phverify.comparison.separating import cases, exact_texts, none_at_all
from phverify.comparison.sides import ComparisonFrame, Source, frame, limits
from phverify.comparison.steep import steep
from phverify.constraints.solver import SolverAnswer, solve
from phverify.errors import BudgetExceeded
from phverify.given import refuse, wrong_progress, wrong_switches
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable
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
    refuse(wrong_switches(equivalent=equivalent), wrong_progress(progress))
    limits(values, budget)
    both = frame(first, second)
    counts: Sizes | None = None
    if table is not None:
        names: dict[str, None] = {}
        for formula in both.formulas():
            names |= dict.fromkeys(attributes(formula))
        counts = counted(read(table, tuple(names), "table"), names, both.types)
    direction = compared(both, values, deadline_of(budget), progress, counts)
    if not equivalent:
        return direction
    swapped = both.swapped()
    try:
        converse = compared(swapped, values, deadline_of(budget), progress, counts)
    except KeyboardInterrupt:  # what is known of the first direction is told
        titles = swapped.first.title, swapped.second.title
        left_open = tuple(swapped.second.rules)
        converse = Comparison(
            "undecided", *titles, reason="interrupted", open=left_open
        )
    return replace(direction, converse=converse)


def counted(
    given: CodedTable, names: Iterable[str], types: Mapping[str, ValueType]
) -> Sizes:
    """How many different values the columns of a table have.  Raises InputError."""
    sizes: dict[str, int] = {}
    for name in names:
        kind = types.get(name, TEXT)
        column = given.column(name).typed(kind, given.source)
        sizes[name] = len(column.labels)
    return sizes


def share(deadline: Deadline, part: float, least: float = 0.001) -> Deadline:
    """A deadline for a part of what is left."""
    left = deadline.left()
    if left is None:
        return Deadline(None)
    return Deadline(max(left * part, least))


def compared(
    both: ComparisonFrame,
    values: int | None,
    deadline: Deadline,
    progress: Progress = lambda step: None,
    counts: Sizes | None = None,
    late: str = "",
) -> Comparison:
    """The comparison of two sides that have been read.

    ``counts`` are the values of each column of a given table; ``late`` says what ran
    out where the deadline is a share of a budget.
    """
    start = time.perf_counter()
    titles = both.first.title, both.second.title
    blank = Comparison("undecided", *titles, open=tuple(both.second.rules))
    try:
        space = domains(both, values, counts)
    except Undecided as error:
        answer = replace(blank, reason=f"{error}: {both.verb} does not look into this")
        return replace(answer, seconds=time.perf_counter() - start)
    blank = replace(blank, values=space.most)
    if not late and deadline.seconds is not None:
        late = f"the budget of {deadline.seconds:g} s ran out"
    comparing = _Comparing(both, space, deadline, progress, late)
    answer = comparing.answer(blank)
    if answer.verdict == "implies" and answer.values:
        if space.short:
            # a threshold that no table reaches proves anything
            answer = replace(blank, reason=_too_few(space))
        elif values is None and counts is None:
            answer = comparing.beyond(answer)
    return replace(answer, seconds=time.perf_counter() - start)


def _too_few(space: Domains) -> str:
    """Why a proof for so many values is none: thresholds call for more."""
    name = space.short[0]
    many = space.most[name]
    wanted = space.wanted[name]
    return (
        f"proved for at most {many} values of {name} only, and there may be {wanted}:"
        f" give --values {wanted}, or --values {many} if there are no more"
    )


@dataclass(eq=False)
class _Comparing:
    """One comparison.  ``open`` are the numbers of the choices of values where some
    rule is not proved.
    """

    frame: ComparisonFrame
    domains: Domains
    deadline: Deadline
    progress: Progress
    late: str = ""
    """What is said where time runs out."""
    reason: str = ""
    open: set[int] = field(default_factory=set)
    patience: Deadline = field(default_factory=Deadline)
    """For proofs."""
    anyway: set[str] = field(default_factory=set)
    """The rules that are proved for any number of values."""

    def answer(self, blank: Comparison) -> Comparison:
        """The verdict: proofs first, then tables row by row."""
        self.patience = share(self.deadline, PROOFS)
        rules = tuple(self.frame.second.rules)
        # what is proved for any number of values needs no bound on them
        for name in rules:
            if self.known(name) or self.endless(self.domains, name):
                self.anyway.add(name)
        proved: list[str] = []
        for name in rules:
            if name in self.anyway or self.proves(name):
                proved.append(name)
        rest = tuple(name for name in rules if name not in proved)
        blank = replace(blank, proved=tuple(proved), open=rest)
        # what is proved separates nothing: only the rest is asked about tables
        if rest:
            return self.search(blank)
        values = {} if len(self.anyway) == len(rules) else blank.values
        implied = replace(blank, verdict="implies", values=values)
        return replace(implied, vacuous=self.empty(implied))

    # For any number of values

    def endless(self, domains: Domains, rule: str) -> bool:
        """Whether a rule of the second follows from the first, for any number of rows
        and of values.
        """
        if not domains.most:
            return False  # there is no other proof
        self.progress(f"proving {rule} for any number of values")
        try:
            wide = endless(domains, rule)
            items = cases(wide, wide.frame, (rule,))
            return all(self.none(item)[0] for _, item in items)
        except (Undecided, BudgetExceeded):
            return False

    def beyond(self, implied: Comparison) -> Comparison:
        """With one to three values more than what was proved: a separating table after
        all, or a further proof.
        """
        proved_with = self.domains.most
        steps = range(1, BEYOND + 1)
        for more in steps:
            most = {name: many + more for name, many in proved_with.items()}
            wider = replace(self.domains, most=most, wanted={}, above=implied.values)
            # half of what is left each time, so that later steps have some
            half = share(self.deadline, 1 / 2)
            comparing = _Comparing(
                self.frame, wider, half, self.progress, self.late, anyway=self.anyway
            )
            answer = comparing.further(implied)
            if answer.verdict != "implies":
                return answer
            # open with these values: with more it would hardly be settled
            if answer is implied:
                return replace(implied, tried=most)
            implied = answer
        return implied

    def further(self, implied: Comparison) -> Comparison:
        """The comparison with the values of these domains; itself when it stays open
        for them.
        """
        self.patience = share(self.deadline, PROOFS)
        rules = tuple(self.frame.second.rules)
        unproved = [name for name in rules if name not in self.anyway]
        try:
            self.domains.count  # noqa: B018  raises Undecided
            rest = tuple(name for name in unproved if not self.proves(name))
        except (Undecided, BudgetExceeded):
            return implied
        if not rest:
            return replace(implied, values=self.domains.most)
        blank = replace(
            implied,
            verdict="undecided",
            values=self.domains.most,
            vacuous=False,
            proved=tuple(name for name in rules if name in self.anyway),
            open=rest,
        )
        answer = self.search(blank)
        if answer.verdict == "separated":
            return answer
        return implied

    # For any number of rows

    def proves(self, rule: str) -> bool:
        """Whether a rule of the second follows from the first, for any number of
        rows.
        """
        self.progress(f"proving {rule}")
        unproved: set[int] = set()
        try:
            for number, item in cases(self.domains, self.frame, (rule,)):
                proved, reason = self.none(item)
                # the first reason is told
                self.reason = self.reason or reason
                if not proved:
                    unproved.add(number)
        except Undecided as error:
            self.reason = str(error)
            # the choices could not be gone through: all stay open
            unproved = set(range(self.domains.count))
        self.open |= unproved
        return not unproved

    def known(self, rule: str) -> bool:
        """Whether the first has the same rule, and assumes no more."""
        first = self.frame.first
        second = self.frame.second
        # with other agents, schemas over agents would mean something else
        agents = set(first.policy.agents)
        if agents != set(second.policy.agents):
            return False
        formula = second.rules[rule]
        if formula not in first.rules.values():
            return False
        return set(first.assumptions) <= set(second.assumptions)

    def none(self, item: ComparedCase) -> tuple[bool, str]:
        """Whether it is proved that no table with these values separates the two; and
        why that is open.
        """
        try:
            answer = none_at_all(item, self.patience)
        except Undecided as error:
            answer = SolverAnswer("unknown", reason=str(error))
        except BudgetExceeded:
            answer = SolverAnswer("unknown", reason="proving took too long")
        reason = answer.reason if answer.status == "unknown" else ""
        return answer.status == "unsat", reason

    def empty(self, comparison: Comparison) -> bool:
        """Whether no table at all satisfies the first, within the bound that was
        found.
        """
        # no table satisfies the first iff it implies what is false
        nothing = replace(self.frame.second, rules={"false": s.FALSE}, assumptions=())
        frame = replace(self.frame, second=nothing)
        least = replace(self.domains, frame=frame)
        # what was proved without a bound on values is vacuous only without one
        if least.most and not comparison.values:
            return self.endless(least, "false")
        return all(self.none(item)[0] for _, item in cases(least, frame))

    # Row by row

    def search(self, blank: Comparison) -> Comparison:
        """The smallest separating table; when most of the budget is used up, some
        separating table.
        """
        most = share(self.deadline, CAREFUL)
        try:
            # from one row on: the first table that separates the two is a smallest one
            for n in itertools.count(1):
                if answer := self.with_rows(n, blank, most):
                    return answer
                blank = replace(blank, searched=n)
        except BudgetExceeded:
            reason = self.late
        except Undecided as error:
            reason = str(error)
        if self.reason and self.reason != reason:
            reason = f"{reason}; no proof: {self.reason}"
        return self.leap(replace(blank, reason=reason))

    def leap(self, blank: Comparison) -> Comparison:
        """Some larger table, where it is too costly to look at every number of rows."""
        try:
            for item in self.left_open(blank):
                if counts := next(steep(item, self.deadline), None):
                    return self.separated(blank, one_class(counts, item))
            for step in range(1, LEAPS):
                # in growing steps: it need not be a smallest table any more
                rows = blank.searched + blank.searched * step // 2 + 1
                if answer := self.with_rows(rows, blank, self.deadline):
                    return answer
        # ``blank`` says already why it stays open
        except (Undecided, BudgetExceeded):
            pass
        return blank

    def left_open(self, blank: Comparison) -> Iterator[ComparedCase]:
        """The choices of values for which something is not proved."""
        for number, item in cases(self.domains, self.frame, blank.open):
            if number in self.open:
                yield item

    def with_rows(
        self, n: int, blank: Comparison, deadline: Deadline
    ) -> Comparison | None:
        """A separating table with n rows; None when there is none.

        Raises Undecided and BudgetExceeded.
        """
        deadline.check()  # where nothing is left to be asked, no solver looks at it
        self.progress(f"tables with {n} rows")
        for item in self.left_open(blank):
            for encoder, text in exact_texts(item, n, deadline):
                answer = solve(text, deadline, alone=True)
                if answer.status == "unknown":
                    # where time ran out, that is the reason
                    deadline.check()
                    raise Undecided(answer.reason)
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
