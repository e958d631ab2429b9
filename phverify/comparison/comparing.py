"""One comparison: what is proved of it, what is searched for, and for how long."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from phverify.budget import Deadline
from phverify.comparison.build import Row, judged, one_class, table
from phverify.comparison.case import ComparedCase
from phverify.comparison.choice import Undecided
from phverify.comparison.domains import Domains
from phverify.comparison.endless import endless
from phverify.comparison.result import Comparison
from phverify.comparison.separating import cases, exact_texts, none_at_all
from phverify.comparison.sides import ComparisonFrame
from phverify.comparison.steep import steep
from phverify.constraints.solver import SolverAnswer, solve
from phverify.errors import BudgetExceeded
from phverify.spec import syntax as s
from phverify.words import plural

PROOFS = 0.4
"""The share of the budget for proofs."""
CAREFUL = 0.75
"""The share of what is left for looking at every number of rows."""
LEAPS = 12
BEYOND = 3
"""So many more values are tried where a proof is for a number of values only."""
Progress = Callable[[str], None]


def share(deadline: Deadline, part: float, least: float = 0.001) -> Deadline:
    """A deadline for a part of what is left."""
    left = deadline.left()
    if left is None:
        return Deadline(None)
    return Deadline(max(left * part, least))


@dataclass(eq=False)
class Comparing:
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
            comparing = Comparing(
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
        self.progress(f"tables with {plural(n, 'row')}")
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
