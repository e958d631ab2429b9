"""From what the search found to the answer: the release, checked once more.

With it come its cost and its certificate.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from phverify.constraints.hitting import available
from phverify.errors import BudgetExceeded
from phverify.exact import Ints
from phverify.generalization.by_tuples import TuplesGlance
from phverify.generalization.every_vector import ALL_VECTORS
from phverify.generalization.explored import Explored
from phverify.generalization.fewest_withheld import (
    each_withholding_fewest,
    withhold_fewest,
)
from phverify.generalization.fitting import Fitting
from phverify.generalization.infeasible import NothingFits
from phverify.generalization.judge import CandidateJudge
from phverify.generalization.loop import AFTER, LeastSearch
from phverify.generalization.master import Hitting
from phverify.generalization.minimality import certificate
from phverify.generalization.offered import StricterSearches
from phverify.generalization.options import Options
from phverify.generalization.parts import AS_A_WHOLE, ClassPart
from phverify.generalization.priced import PricedSearch
from phverify.generalization.released import RecodedRows, decided_anew
from phverify.generalization.released_frame import frame
from phverify.generalization.result import Proof, SearchResult, Statistics
from phverify.generalization.rows_later import RowsLater, judge_of_rows
from phverify.generalization.standing import Standing
from phverify.generalization.typed_release import TypedRelease
from phverify.logic.printer import Style, to_text
from phverify.microdata.counted import GroupedRows
from phverify.microdata.rewriting import Rewriting, ShownClasses
from phverify.microdata.table import CodedColumn
from phverify.spec.along import Along
from phverify.verification.result import Report
from phverify.verification.run import shown_as

NOTHING_LOST = "its being 0"
"""What confirms the bound of a release that costs nothing."""


def answered(
    search: LeastSearch,
    options: Options,
    source: Any,
    started: float,
    stricter: StricterSearches,
) -> SearchResult:
    """Run the search and report on it.

    ``source`` is the input as it was given, or RowsLater where it was counted;
    ``stricter`` searches help one that is left open.
    """
    answering = _Answering(search, options, source, started, stricter)
    try:
        return answering.answer()
    except KeyboardInterrupt as error:
        # Between two steps: what is known by now is put together once more.
        search.stop(error)
        return answering.answer()


@dataclass(frozen=True, eq=False)
class _Answering:
    search: LeastSearch
    options: Options
    source: Any
    started: float
    stricter: StricterSearches

    @property
    def judge(self) -> CandidateJudge:
        return self.search.refuter.judge

    @cached_property
    def style(self) -> Style:
        return shown_as(self.judge.policy, self.options.redact)

    def answer(self) -> SearchResult:
        search, options = self.search, self.options
        minimal: list[Fitting] = []
        if options.lists:
            minimal = each_withholding_fewest(search, search.minimal())
            # the objective may be no sum over decisions, which has no lower bound
            known = list(minimal)
            if search.best is not None and (search.stopped or not minimal):
                # Of a search that ends too soon it may be none of those listed.
                known.append(search.best)
            cheapest = min(known, key=self.order, default=None)
        else:
            search.least()
            self.stricter.help(search)
            withhold_fewest(search)
            cheapest = search.best
        if cheapest is None:
            nothing = NothingFits(search, self.style).answer(self.shared())
            return replace(nothing, statistics=self.statistics())
        try:
            # nothing is shown that has not been decided anew, as ``verify`` does it
            release, checks = self.released(cheapest)
        except (BudgetExceeded, KeyboardInterrupt) as error:
            why = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
            reason = f"{why} before the released table was checked"
            return replace(self.shared(), reason=reason, statistics=self.statistics())
        reason, solvers = self.standing(cheapest)
        result = replace(self.result(cheapest, minimal, release, checks), reason=reason)
        if reason:
            return replace(result, statistics=self.statistics(*solvers))
        result = replace(self.settled(result), statistics=self.statistics(*solvers))
        time_left = search.deadline.paused()

        def certified() -> dict[str, Any]:
            by_rows = self.by_rows()
            found = result
            if by_rows is not self:
                # Its checker looks at the rows: so does the report that it is from.
                found = replace(result, checks=by_rows.released(cheapest)[1])
            return certificate(
                found, by_rows.search, options, cheapest, minimal, time_left()
            )

        return replace(result, make_certificate=certified)

    def order(self, fitting: Fitting) -> tuple[Fraction, int]:
        """What is better comes first: what costs less, then what withholds less."""
        return self.search.price(fitting), fitting.withheld_rows

    def by_rows(self) -> _Answering:
        """The same with all rows in memory.  Raises InputError."""
        later = self.source
        if not isinstance(later, RowsLater):
            return self
        search = self.search
        judge = judge_of_rows(self.judge, later)
        deadline = search.deadline
        refuter = replace(search.refuter, judge=judge, deadline=deadline)
        found = replace(search, refuter=refuter)
        return replace(self, search=found, source=later.source)

    def settled(self, result: SearchResult) -> SearchResult:
        """The answer whose cost is proved to be the least."""
        history = result.history
        if history and result.cost is not None:
            last = Standing(history[-1].seconds, result.cost, result.cost)
            history = (*history, last)
        return replace(result, verdict="optimal", bound=result.cost, history=history)

    def standing(self, cheapest: Fitting) -> tuple[str, tuple[str, ...]]:
        """Why the candidate is not proved to be the least, else what proves it."""
        search, lists = self.search, self.options.lists
        missed = self.missed(cheapest)
        if search.stopped or missed:
            if cheapest.total == 0 and not (lists or self.options.priced):
                # However the search ended: no sum of costs is below 0.
                return "", (NOTHING_LOST,)
            listed = self.options.all_minimal
            other = "a candidate" if listed else "a cheaper candidate"
            return search.stopped or f"{other} is undecided: {missed[0]}", ()
        if lists:
            return "", (ALL_VECTORS,)
        try:
            search.progress("proving the lower bound")
            solvers = search.confirm(cheapest.total)
        except KeyboardInterrupt:
            return "interrupted while the lower bound was proved", ()
        if solvers:
            return ("", solvers)
        return ("no solver confirmed the lower bound in time", ())

    def missed(self, cheapest: Fitting) -> list[str]:
        """Why candidates are undecided that may be cheaper."""
        search = self.search
        if isinstance(search, PricedSearch):
            return [one.note for one in search.may_be_cheaper()]
        return [
            # of the least cost is only asked that nothing cheaper is left undecided
            note
            for total, note in search.undecided
            if self.options.lists or total < cheapest.total
        ]

    def bound(self) -> Fraction | None:
        """What no release costs less than; None where that is not known."""
        search = self.search
        if isinstance(search, PricedSearch):
            return search.lower_price()
        # others are listed by height, whose bound says nothing of them
        return search.fraction(search.bound) if self.options.linear else None

    def statistics(self, *solvers: str) -> Statistics:
        search = self.search
        return Statistics(
            search.examined,
            len(search.reasons),
            time.perf_counter() - self.started,
            solvers,
        )

    def shared(self) -> SearchResult:
        """What every result says, whatever was found."""
        search, options, schemes = self.search, self.options, self.search.space.schemes
        return SearchResult(
            verdict="undecided",
            space=options.space,
            objective=options.objective,
            schemes={scheme.name: scheme.kind for scheme in schemes},
            rows=self.judge.table.rows,
            share=options.share,
            charged=options.charge,
            budget=search.refuter.budget,
            depths={
                scheme.name: scheme.tree.depth
                for scheme in schemes
                if isinstance(scheme, Along)
            },
            proofs=tuple(self.proofs()),
            bound=self.bound(),
            history=self.history(),
            glance=self.glance(),
            explored=Explored(
                search,
                options.weights,
                options.redact,
                options.linear,
            ),
        )

    def glance(self) -> TuplesGlance | None:
        """Where a release by tuples could be better, and is estimated."""
        if self.options.objective != "loss" or self.options.charge:
            return None
        names = self.judge.finest.quasi
        weights = [float(self.options.weights[name]) for name in names]
        return TuplesGlance(self.judge, weights, self.search.refuter.budget)

    def history(self) -> tuple[Standing, ...]:
        """Costs and bounds on the way, where they are of the objective asked for."""
        if not self.options.linear:
            return ()
        self.search.note(last=True)
        return tuple(self.search.history)

    def proofs(self) -> Iterator[Proof]:
        """What was proved about each part of a rule, and what is compared with the
        released table alone.
        """
        judge = self.judge
        classes = judge.parts.classes
        yield from map(self.proof, classes)
        weaker = {part.rule for part in classes if part.weaker}
        for rule, criterion in judge.compared.asked:
            if rule not in weaker:
                text = to_text(criterion, self.style)
                yield Proof(rule, text, False, False, AS_A_WHOLE)

    def proof(self, part: ClassPart) -> Proof:
        """What was proved about a rule; how may quote values."""
        closed = part.closure
        how, queries = closed.how, closed.queries
        if self.style.hides and not part.weaker:
            how, queries = "", ()
        return Proof(
            part.rule,
            to_text(part.source, self.style),
            closed.merge,
            closed.upward,
            how,
            queries,
        )

    def released(self, cheapest: Fitting) -> tuple[TypedRelease, Report]:
        """Every rule decided for the released table, as ``verify`` does it: the last
        word.  Raises BudgetExceeded.
        """
        search = self.search
        judge = self.judge
        view = cheapest.finding.view
        search.progress("checking the released table")
        assert view is not None
        time_left = search.deadline.at_least(AFTER)
        after, rows, report = decided_anew(
            judge,
            RecodedRows(judge, view),
            cheapest.finding.withheld,
            time_left,
            self.style,
        )
        order = None
        if self.options.shuffle is not None:
            # a seed: the same call releases the same file
            numbers = list(range(after.rows))
            random.Random(self.options.shuffle).shuffle(numbers)
            order = np.array(numbers)
        return TypedRelease(self.source, judge.policy, after, rows, order), report

    def result(
        self,
        cheapest: Fitting,
        minimal: list[Fitting],
        release: TypedRelease,
        checks: Report,
    ) -> SearchResult:
        """The answer with a release, by what ``verify`` says of it."""
        space, shared = self.search.space, self.shared()
        mapping = space.mapping(cheapest.candidate.tolist())
        changed = set()
        for name, images in mapping.items():
            if any(value != image for value, image in images.items()):
                changed.add(name)
        explored = shared.explored
        if explored is not None:
            explored = replace(explored, best=cheapest, minimal=tuple(minimal))

        def made(typed: bool) -> Any:
            by_rows = self.by_rows()
            in_memory = release
            if by_rows is not self:
                in_memory, _ = by_rows.released(cheapest)
            return frame(in_memory, changed, typed)

        vectors = []
        if self.options.all_minimal:
            vectors = [space.levels(one.candidate) or {} for one in minimal]
        return replace(
            shared,
            explored=explored,
            levels=space.levels(cheapest.candidate),
            mapping=mapping,
            cost=self.search.price(cheapest),
            suppressed=shared.rows - release.table.rows,
            fewest_withheld=self.search.fewest or not cheapest.withheld_rows,
            minimal=tuple(vectors),
            checks=checks,
            make_release=made,
            judged=release.table,
            rewriting=self.rewriting(cheapest, changed),
            warnings=(*checks.warnings, *self.warnings(release.rows)),
        )

    def rewriting(
        self, cheapest: Fitting, changed: Collection[str]
    ) -> Rewriting | None:
        """How the release is written where the rows are; None where they are here."""
        judge = self.judge
        view = cheapest.finding.view
        rows = judge.table.elsewhere
        shuffled = self.options.shuffle is not None
        if view is None or shuffled or not isinstance(rows, GroupedRows):
            return None
        finest = judge.finest
        texts = {}
        for name, image in judge.space.columns(cheapest.candidate).items():
            if name in changed:
                codes = image.codes[finest.class_codes[name]]
                texts[name] = CodedColumn(codes, image.labels)
        kept = ~np.isin(view.into, cheapest.finding.withheld)
        shown = ShownClasses(finest, kept, texts)
        return Rewriting(rows, judge.table.columns, shown, judge.policy.identifier)

    def warnings(self, rows: Ints | None) -> Iterator[str]:
        """What to know of the release and of its certificate."""
        if rows is not None and self.judge.parts.people:
            yield (
                "the policy names individuals by the input: records are withheld, and"
                " verify knows the release alone"
            )
        if isinstance(self.search.master, Hitting) and not available():
            install = "pip install phverify"
            yield (
                f"CP-SAT is not installed: {install} makes such searches faster, and"
                " check needs it"
            )
