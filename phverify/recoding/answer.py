"""From the best release found to the answer: decided, repaired, measured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from phverify.budget import Deadline, Tell
from phverify.errors import Contradiction, Defect
from phverify.logic.printer import Style
from phverify.recoding.all_models import broken_by_all
from phverify.recoding.deciding import AFTER, Decided, Deciding
from phverify.recoding.handed_over import HandedRelease
from phverify.recoding.many import ManyClasses
from phverify.recoding.measures import measures
from phverify.recoding.poorer import PoorerSearch, falls_back, nothing_poorer
from phverify.recoding.posed import PosedRecoding
from phverify.recoding.result import RecodingResult, RecodingShown
from phverify.recoding.run import TwoSides, Watch
from phverify.spec.data import Refused
from phverify.spec.recoded import require_bound
from phverify.spec.recoding import TupleRecoding
from phverify.spec.sides import COUNTED, BoxSide, HierarchySide
from phverify.spec.source import Names
from phverify.verification.run import shown_as
from phverify.words import plural

PLAIN = 40_000
"""Of so many tuples the bound is verified in plain Python: some seconds."""
FROM_LEVELS = "this is the release that the search started from, made of levels"


def recoded(
    problem: PosedRecoding,
    source: Any,
    deadline: Deadline,
    started: float,
    progress: Tell,
    watch: Watch,
    known: TupleRecoding | None = None,
    poorer: PoorerSearch = nothing_poorer,
) -> RecodingResult:
    """Search, from a release that is ``known`` where there is one, and report on it.

    ``source`` is the input as it was given, or RowsLater where it was counted.  What a
    ``poorer`` search finds is fallen back on where that is needed.
    """
    style = shown_as(problem.posed.policy, problem.redact)
    given = (problem, source, deadline, started, progress, watch)
    return _TuplesAnswering(*given, style, known, poorer).answer()


@dataclass(frozen=True, eq=False)
class _TuplesAnswering:
    problem: PosedRecoding
    source: Any
    deadline: Deadline
    started: float
    progress: Tell
    watch: Watch
    style: Style
    known: TupleRecoding | None
    poorer_search: PoorerSearch

    def answer(self) -> RecodingResult:
        problem = self.problem
        whole = TupleRecoding(problem.space, (tuple(range(len(problem.space.tuples))),))
        if reason := self.impossible(whole):
            return self.infeasible(whole, reason)
        poorer, interrupted = self.poorer()
        self.progress("looking for a first release")
        search = self.search(None if poorer is None else poorer.recoding)
        search.stopped = "interrupted" if interrupted else ""
        search.run()
        # Before anything is said of the gap.
        self.require_bound(search)
        if search.best is None:
            return self.without_release(self.shared(search), search)
        decided = self.decided(search, search.best, poorer)
        shared = self.shared(search)
        if isinstance(decided, str):
            return replace(shared, reason=decided)
        return self.result(shared, search, decided)

    def search(self, poorer: TupleRecoding | None = None) -> TwoSides:
        """The search for what is asked to be least; ``poorer`` is a release that is
        proved.
        """
        made = ManyClasses if self.problem.asked.objective in COUNTED else TwoSides
        given = (self.problem, self.deadline, self.started, self.watch, self.known)
        return made(*given, poorer)

    def poorer(self) -> tuple[Decided | None, bool]:
        """The cheapest release that is found without a search by tuples, if it is
        proved; whether Ctrl-C ended that.
        """
        if not falls_back(self.problem):
            return None, False
        found = self.poorer_search()
        interrupted = found.interrupted
        for release in sorted(found.releases, key=lambda one: one.cost):
            try:
                decided = self.deciding.proved(release)
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                decided = self.deciding.proved(release)
            if decided is not None:
                return decided, interrupted
        return None, interrupted

    def decided(
        self, search: TwoSides, best: TupleRecoding, poorer: Decided | None
    ) -> Decided | str:
        """What is released: the best that was found, repaired; else the poorer one."""
        if poorer is not None and best is poorer.recoding and self.ended(search):
            return poorer
        try:
            found = self.repaired(search, best, poorer is not None)
        except Contradiction:
            if poorer is None:
                raise
            return poorer
        if poorer is None:
            return found
        if isinstance(found, str):
            search.notes.append(f"{FROM_LEVELS}: of what was found by tuples {found}")
            return poorer
        # Classes that were joined may lose more than those by levels.
        return found if found.recoding.cost <= poorer.recoding.cost else poorer

    def repaired(
        self, search: TwoSides, best: TupleRecoding, in_hand: bool
    ) -> Decided | str:
        """The best that was found, repaired; with another release ``in_hand`` for no
        longer than there is time.
        """
        deciding = self.deciding
        # Who ends the search waits for what it has alone: it is checked, not split.
        ended = bool(search.stopped)
        ending = Deadline(AFTER) if ended else self.deadline.at_least(AFTER)

        def over() -> bool:
            return self.ended(search) if in_hand else ending.over

        try:
            self.progress("checking the released table")
            return deciding.decided(best, lambda: ended or ending.over, over)
        except KeyboardInterrupt:
            if search.stopped:
                raise
            search.stopped = "interrupted"
            ending = Deadline(AFTER)
            return deciding.decided(best, lambda: True, over)

    def ended(self, search: TwoSides) -> bool:
        """Whether the search was stopped, or its time is over."""
        return bool(search.stopped) or self.deadline.over

    @cached_property
    def deciding(self) -> Deciding:
        """What decides releases."""
        return Deciding(self.problem, self.deadline, self.style, self.progress)

    def require_bound(self, search: TwoSides) -> None:
        """The bound once more, by the checker's plain program: compiled code proposes.

        Raises Defect when it does not hold.  Of very many tuples it is left to the
        check of a certificate, which is said.
        """
        problem, bound = self.problem, search.bound
        if bound is None or problem.asked.objective in COUNTED:
            return
        if len(problem.space.tuples) > PLAIN:
            search.notes.append("the bound is verified by phverify check alone")
            return
        relief = bound.relief if problem.budget else None
        try:
            prices = bound.prices.tolist()
            own = (bound.unit, bound.by, bound.cuts.tolist())
            require_bound(problem.rules, prices, relief, *own)
        except Refused as error:
            raise Defect(f"the bound does not hold: {error}") from None
        except KeyboardInterrupt:
            if search.stopped:
                raise
            # What was not seen to hold is not told.
            search.stopped, search.bound = "interrupted", None

    def without_release(
        self, shared: RecodingResult, search: TwoSides
    ) -> RecodingResult:
        """The answer where nothing was found, or it is proved that there is nothing."""
        most = self.problem.most_stars
        if search.fewest > most:
            reason = (
                f"at most {plural(most, 'cell')} may be *, and every release by"
                f" tuples has at least {search.fewest:,}: --cells"
                f" {self.enough(search.fewest)} or more may do"
            )
            return replace(shared, verdict="infeasible", reason=reason)
        reason = search.stopped or self.nothing_found(search.fewest)
        return replace(shared, reason=reason)

    def enough(self, stars: int) -> str:
        """A share of the cells that is at least so many, in percent."""
        cells = self.problem.posed.table.rows * len(self.problem.space.sides)
        hundredths = -(-stars * 10_000 // cells)
        return f"{Decimal(hundredths) / 100}%"

    def nothing_found(self, fewest: int) -> str:
        """Why there is no release, as far as that is known."""
        problem = self.problem
        if problem.stars is None:
            return "no classes were found that satisfy every rule"
        known = f"; no release has fewer than {fewest:,}" if fewest else ""
        return (
            f"no classes were found with at most {plural(problem.stars, 'cell')} of *"
            f" that satisfy every rule{known} (more time, or a larger --cells, may do)"
        )

    # The answer

    def shared(self, search: TwoSides) -> RecodingResult:
        """What every result says, whatever was found."""
        problem = self.problem
        return RecodingResult(
            verdict="undecided",
            objective=problem.asked.objective,
            rows=problem.posed.table.rows,
            tuples=len(problem.space.tuples),
            nodes={
                side.name: described(side, problem.space.medians)
                for side in problem.space.sides
            },
            necessary=problem.necessary,
            bound=search.proven.value,
            budget=problem.budget,
            disjoint=problem.asked.disjoint,
            cuts=len(search.proven.cuts),
            publish=problem.asked.publish,
            wanted=problem.asked.gap,
            history=tuple(search.history),
            seconds=time.monotonic() - self.started,
            reason=search.stopped,
            notes=tuple(search.notes),
        )

    def result(
        self, shared: RecodingResult, search: TwoSides, decided: Decided
    ) -> RecodingResult:
        """The answer with a release."""
        problem = self.problem
        recoding, report = decided.recoding, decided.report
        handed = HandedRelease(
            problem,
            recoding,
            report,
            decided.splits,
            search.proven,
            self.source,
            self.style,
            self.progress,
        )
        time_left = self.deadline.at_least(AFTER).paused()
        withheld = problem.space.records(recoding.withheld)
        return replace(
            shared,
            verdict="proved",
            cost=recoding.cost,
            classes=len(recoding.sizes),
            suppressed=withheld,
            stars=recoding.stars(),
            measures=measures(recoding),
            shown=RecodingShown(recoding, problem.redact),
            checks=report,
            splits=decided.splits,
            make_release=lambda typed: handed.frame(time_left(), typed),
            rewriting=handed.rewriting(),
            make_certificate=lambda: handed.certificate(time_left()),
            warnings=(*report.warnings, *self.warnings(withheld)),
            seconds=time.monotonic() - self.started,
        )

    def warnings(self, withheld: int) -> Iterator[str]:
        """What to know of the release."""
        if withheld and self.problem.posed.parts.people:
            yield (
                "the policy names individuals by the input: records are withheld, and"
                " verify knows the release alone"
            )

    # Nothing found

    def impossible(self, whole: TupleRecoding) -> str:
        """Why no recoding satisfies the policy, where that is known; else "".

        A rule that merging keeps is broken by every release once it is broken by the
        one with a single class.
        """
        # Withheld records may be the ones that break it.
        if self.problem.budget:
            return ""
        name = broken_by_all(self.problem.posed, lambda: self.deciding.report(whole))
        if name:
            return f"even the most general release breaks {name}"
        broken = set(self.problem.rules.broken(whole.classes[0]))
        if not broken:
            return ""
        parts = self.problem.posed.parts.classes
        for name in sorted(broken):
            own = [part for part in parts if part.rule == name]
            # Every release becomes the one with a single class by merging.
            if own and all(part.kept_by_merging for part in own):
                return f"even the most general release breaks {name}"
        return ""

    def infeasible(self, whole: TupleRecoding, reason: str) -> RecodingResult:
        """The answer where nothing can satisfy the policy, with the witness."""
        search = self.search()
        report = self.deciding.report(whole)
        # Without a witness it is not shown to be impossible.
        checks = report if report.verdict == "refuted" else None
        shared = self.shared(search)
        return replace(
            shared,
            verdict="infeasible" if checks else "undecided",
            checks=checks,
            reason=reason,
            bound=Fraction(0),
            cuts=0,
        )


def described(side: BoxSide, medians: Names) -> str:
    """What the cells of a column may become."""
    if isinstance(side, HierarchySide):
        levels = plural(side.tree.depth, "level")
        return f"{plural(len(side.values), 'value')}, {levels} of a hierarchy"
    shown = "medians of ranges" if side.name in medians else "ranges"
    return f"{plural(len(side.values), 'value')}, {shown}"
