"""Why each column of a release is not one step finer: the class that breaks then.

Each step is examined by what examined the candidates of the search, and the class is
that of ``verify`` for the finer release: of the records that are released now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Literal

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded, InputError
from phverify.exact import Bools, Ints
from phverify.generalization.finer import Partition, finer_steps
from phverify.generalization.fitting import Fitting
from phverify.generalization.judge import Examination
from phverify.generalization.loop import AFTER, LeastSearch
from phverify.generalization.released import bound_again, kept_rows
from phverify.logic.printer import Style
from phverify.microdata.table import Label
from phverify.spec.schemes import Scheme
from phverify.verification.result import RuleResult, Witness
from phverify.verification.run import decided

MOST = 20
"""So many steps of one column are looked at: an interval can be cut in many places."""
Outcome = Literal["breaks", "satisfies", "undecided"]


@dataclass(frozen=True)
class FinerStep:
    """What becomes of the release when one column is one step finer, all else the same.

    Withheld records stay withheld: they are no class that breaks by the step.  Whether
    some other ones would do is asked before.
    ``before`` is released now, and ``after`` instead of it then.  ``breaks``: ``rule``
    is false in a class, which the witness has with its numbers; ``withheld`` records
    would have to be withheld, more than may be (0 where nothing may be, or where no
    number says it: rules compare classes with the others, or name individuals).
    ``satisfies``: with so many ``withheld`` it has this ``cost``, which is what speaks
    against it.  ``reason`` says why it is undecided.
    """

    column: str
    outcome: Outcome
    before: Label
    after: tuple[Label, ...]
    rule: str = ""
    witness: Witness | None = field(default=None, repr=False)
    withheld: int = 0
    cost: Fraction | None = None
    reason: str = ""


@dataclass(frozen=True)
class Explanation:
    """The steps of each column, in the policy's order; none where it is unchanged.

    ``ways`` says how many steps a column has: of many the first are looked at.
    ``suppressed`` columns release one value alone.
    """

    steps: Mapping[str, tuple[FinerStep, ...]]
    ways: Mapping[str, int]
    suppressed: tuple[str, ...] = ()


def explained(search: LeastSearch, best: Fitting, style: Style) -> Explanation:
    """Why what a search releases is not one step finer, column by column."""
    finding = best.finding
    rows = None
    if finding.view is not None:
        rows = kept_rows(search.refuter.judge, finding.view, finding.withheld)
    release = _Released(best.candidate, rows)
    deadline = search.deadline.at_least(AFTER)
    columns = []
    interrupted: list[str] = []
    for number in range(len(search.space.schemes)):
        one = _FinerColumn(search, release, style, deadline, number, interrupted)
        columns.append(one)
    steps, ways = {}, {}
    for column in columns:
        finer = list(finer_steps(column.scheme, column.now))
        ways[column.scheme.name] = len(finer)
        steps[column.scheme.name] = tuple(map(column.step, finer[:MOST]))
    suppressed = [one.scheme.name for one in columns if len(set(one.images)) == 1]
    return Explanation(steps, ways, tuple(suppressed))


@dataclass(frozen=True, eq=False)
class _Released:
    """The candidate that a search releases, and the rows of the table (or groups of
    them) that are released; None for all.
    """

    candidate: Bools
    rows: Ints | None


@dataclass(frozen=True, eq=False)
class _FinerColumn:
    """One column of a release, and what becomes of the release when it is finer."""

    search: LeastSearch
    release: _Released
    style: Style
    deadline: Deadline
    number: int
    interrupted: list[str]
    """Shared by all columns: Ctrl-C ends what is left of all of them."""

    @property
    def scheme(self) -> Scheme:
        return self.search.space.schemes[self.number]

    @property
    def place(self) -> slice:
        """Where the decisions of the column stand in a candidate."""
        start, end = self.search.space.starts[self.number : self.number + 2]
        return slice(start, end)

    @property
    def now(self) -> list[bool]:
        decisions: list[bool] = self.release.candidate[self.place].tolist()
        return decisions

    @property
    def images(self) -> list[Label]:
        return self.scheme.images(self.now)

    def step(self, part: Partition) -> FinerStep:
        """One step, decided; undecided where the time is over."""
        before, after = self.changed(part)
        step = FinerStep(self.scheme.name, "undecided", before, after)
        try:
            if not self.interrupted:
                return self.decided(step, part)
        except KeyboardInterrupt:
            self.interrupted.append("interrupted")
        except BudgetExceeded as error:
            return replace(step, reason=str(error))
        return replace(step, reason="interrupted")

    def decided(self, step: FinerStep, part: Partition) -> FinerStep:
        """The step as the search decides a candidate.  Raises BudgetExceeded."""
        self.deadline.check()
        self.search.progress(f"explaining {self.scheme.name}")
        candidate = self.release.candidate.copy()
        candidate[self.place] = part
        refuter = replace(self.search.refuter, deadline=self.deadline)
        finding = refuter.examine(candidate)
        if finding.status == "fits":
            found = self.search.in_cheapest_way(candidate, finding, self.deadline)
            return replace(
                step,
                outcome="satisfies",
                withheld=found.withheld_rows,
                cost=self.search.price(found),
            )
        if finding.status == "open":
            return replace(step, reason=finding.note)
        broken = replace(
            step,
            outcome="breaks",
            rule=finding.rule,
            withheld=self.surplus(finding),
        )
        return self.with_witness(broken, part, candidate)

    def surplus(self, finding: Examination) -> int:
        """The records that would have to be withheld, where that are too many.

        0 where a rule compares classes with what is released: then it depends on the
        others which ones have to be withheld.
        """
        judge = self.search.refuter.judge
        compares = judge.parts.open or judge.compared.asked
        if compares or finding.view is None:
            return 0
        withheld = finding.view.rows(finding.withheld)
        if withheld > self.search.refuter.budget:
            return withheld
        return 0

    def with_witness(
        self, step: FinerStep, part: Partition, candidate: Bools
    ) -> FinerStep:
        """The step with a rule that is false in the finer release, and where.

        Raises BudgetExceeded.
        """
        judge = self.search.refuter.judge
        bound = bound_again(judge, candidate, self.release.rows)
        source = judge.policy.source
        try:
            report = decided(
                bound, source, "the finer release", self.deadline, style=self.style
            )
        except InputError:
            return replace(step, rule="[assumptions]")  # they exclude each other there
        broken = [rule for rule in report.rules if rule.witness is not None]
        first = max(broken, key=partial(self.weighs, step), default=None)
        if first is None or first.witness is None:
            return step
        shown = first.witness.cls.get(self.scheme.name)
        before, after = self.changed(part, shown)
        return replace(
            step,
            before=before,
            after=after,
            rule=first.name,
            witness=first.witness,
        )

    def weighs(self, step: FinerStep, rule: RuleResult) -> tuple[bool, int]:
        """How much a broken rule says of why a column is no finer.

        Where records may be withheld, what breaks in few of them may be mended: the
        rule that the search names tells most, then what breaks in the most records.
        """
        if not self.search.refuter.budget or rule.witness is None:
            return False, 0
        failing = rule.witness.failing
        records = 0 if failing is None else failing.rows
        return rule.name in step.rule.split(", "), records

    def changed(
        self, part: Partition, shown: Label = None
    ) -> tuple[Label, tuple[Label, ...]]:
        """A released value that the step takes apart, and what is released instead.

        Where it is among the latter, ``shown`` alone.
        """
        moved: dict[Label, list[Label]] = {}
        for image, finer in zip(self.images, self.scheme.images(part), strict=True):
            if image != finer and finer not in moved.setdefault(image, []):
                moved[image].append(finer)
        for image, parts in moved.items():
            if shown in parts:
                return image, (shown,)
        for image, parts in moved.items():
            return image, tuple(parts)
        return None, ()
