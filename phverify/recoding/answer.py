"""From the best release found to the answer: decided, repaired, measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any

from phverify.budget import Deadline, Tell
from phverify.errors import Contradiction, Defect
from phverify.logic.printer import Style
from phverify.recoding.all_models import (
    VerifiedReleases,
    about_all_models,
    broken_by_all,
)
from phverify.recoding.counted_space import counted_release_rules
from phverify.recoding.handed_over import HandedRelease
from phverify.recoding.many import ManyClasses
from phverify.recoding.measures import measures
from phverify.recoding.posed import PosedRecoding
from phverify.recoding.release import judged, released, released_rows
from phverify.recoding.repair import apart, joined, satisfying, split_all
from phverify.recoding.result import RecodingResult, RecodingShown
from phverify.recoding.run import TwoSides, Watch
from phverify.spec.data import Refused
from phverify.spec.recoded import require_bound
from phverify.spec.recoding import TupleRecoding
from phverify.spec.sides import COUNTED, BoxSide, HierarchySide
from phverify.spec.source import Names
from phverify.spec.splits import Splits, WholeJudge
from phverify.verification.result import Report, RuleResult
from phverify.verification.run import shown_as
from phverify.words import plural

AFTER = 10.0
"""Seconds for deciding the release once the search is over, at least."""
PLAIN = 40_000
"""Of so many tuples the bound is verified in plain Python: some seconds."""
MOST = 200
"""So many times a release is repaired that breaks a rule of the whole table."""


def recoded(
    problem: PosedRecoding,
    source: Any,
    deadline: Deadline,
    started: float,
    progress: Tell,
    watch: Watch,
    known: TupleRecoding | None = None,
) -> RecodingResult:
    """Search, from a release that is ``known`` where there is one, and report on it.

    ``source`` is the input as it was given, or RowsLater where it was counted.
    """
    style = shown_as(problem.posed.policy, problem.redact)
    given = (problem, source, deadline, started, progress, watch)
    return _TuplesAnswering(*given, style, known).answer()


@dataclass(frozen=True, eq=False)
class Decided:
    """A recoding with what ``verify`` says of its release, and what is known of its
    splits.
    """

    recoding: TupleRecoding
    report: Report
    splits: Splits | None


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

    def answer(self) -> RecodingResult:
        problem = self.problem
        whole = TupleRecoding(problem.space, (tuple(range(len(problem.space.tuples))),))
        if reason := self.impossible(whole):
            return self.infeasible(whole, reason)
        self.progress("looking for a first release")
        search = self.search()
        search.run()
        # Before anything is said of the gap.
        self.require_bound(search)
        shared = self.shared(search)
        if search.best is None:
            return self.without_release(shared, search)
        # Who ends the search waits for what it has alone: it is checked, not split.
        ended = bool(search.stopped)
        ending = self.deadline.at_least(AFTER)
        try:
            self.progress("checking the released table")
            decided = self.decided(search.best, lambda: ended or ending.over)
        except KeyboardInterrupt:
            if search.stopped:
                raise
            search.stopped = "interrupted"
            shared = replace(shared, reason=search.stopped)
            decided = self.decided(search.best, lambda: True)
        if isinstance(decided, str):
            return replace(shared, reason=decided)
        return self.result(shared, search, decided)

    def search(self) -> TwoSides:
        """The search for what is asked to be least."""
        made = ManyClasses if self.problem.asked.objective in COUNTED else TwoSides
        return made(self.problem, self.deadline, self.started, self.watch, self.known)

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

    # What is released

    def decided(
        self, recoding: TupleRecoding, late: Callable[[], bool]
    ) -> Decided | str:
        """The recoding, repaired until ``verify`` proves every rule; or why not.

        Where it is ``late`` then, no class is split.
        """
        for _ in range(MOST):
            try:
                report = self.report(recoding)
            except Contradiction:
                # What others assume is no less possible where all are in one class.
                if len(recoding.classes) == 1 or self.problem.asked.blind:
                    raise
                together = sorted(chain.from_iterable(recoding.classes))
                recoding = TupleRecoding(recoding.space, (tuple(together),))
                continue
            left = [rule for rule in report.rules if rule.verdict != "proved"]
            if not left:
                if self.problem.too_many_stars(recoding):
                    share = f"{float(self.problem.asked.cells * 100):.12g}%"
                    return f"more than {share} of the cells are * in the best release"
                if late():
                    return Decided(recoding, report, None)
                return self.finer(recoding, report)
            # What is not decided is not known to be broken: nothing is mended.
            if left[0].verdict == "undecided":
                return f"the rule {left[0].name!r} is undecided: {left[0].reason}"
            if self.problem.asked.blind:
                # To repair would be to look at confidential values.
                larger = 2 * self.problem.asked.blind
                return (
                    f"the rule {left[0].name!r} is broken by blind classes: larger ones"
                    f" may do, --blind {larger}"
                )
            mended = self.mended(recoding, left[0])
            if mended is None:
                return (
                    f"the rule {left[0].name!r} is broken, and joining classes does not"
                    " mend it"
                )
            recoding = mended
        return f"a rule of the whole table is still broken after {MOST} repairs"

    def report(self, recoding: TupleRecoding) -> Report:
        """What ``verify`` says of the release."""
        after = released(self.problem.posed, recoding)
        rows = released_rows(recoding)
        clock = self.deadline.at_least(AFTER)
        return judged(self.problem.posed, after, rows, clock, self.style)

    def mended(self, recoding: TupleRecoding, rule: RuleResult) -> TupleRecoding | None:
        """The recoding with the class where a rule is false joined to its nearest."""
        if rule.witness is None or len(recoding.classes) == 1:
            return None
        names = [side.name for side in self.problem.space.sides]
        shown = tuple(rule.witness.cls[name] for name in names)
        cells = recoding.shown
        place = cells.index(shown) if shown in cells else 0
        rules = self.problem.steering
        wider = joined(recoding, place, rules.satisfied)
        if wider is None:
            wider = joined(recoding, place, lambda union: True)
        if wider is None:
            return None
        return self.proper(wider)

    def proper(self, recoding: TupleRecoding) -> TupleRecoding | None:
        """The recoding with class rules, and disjointness where asked, restored."""
        mended = satisfying(recoding, self.problem.steering)
        if mended is None or not self.problem.asked.disjoint:
            return mended
        return apart(mended, self.problem.steering)

    def finer(self, recoding: TupleRecoding, report: Report) -> Decided:
        """The recoding with classes split that can be."""
        problem = self.problem
        unsplit = Decided(recoding, report, None)
        if problem.asked.blind:
            return unsplit
        # Where records may be withheld the rules are those of the released rows alone.
        rules = None if problem.asked.share else problem.rules
        if rules is None and problem.posed.table.elsewhere is not None:
            rules = counted_release_rules(problem.given, recoding)
        disjoint = problem.asked.disjoint
        try:
            self.progress("splitting classes")
            judge = self.judge()
            split, known = split_all(problem.given, recoding, rules, disjoint, judge)
            # Where medians are shown, the released classes are not those of boxes.
            splits = None if problem.space.medians else known
            if split.classes == recoding.classes:
                return Decided(recoding, report, splits)
            # Splits were judged class by class: verify decides all rules once more.
            again = self.report(split)
        except (Contradiction, KeyboardInterrupt):
            return unsplit
        if all(rule.verdict == "proved" for rule in again.rules):
            return Decided(split, again, splits)
        return unsplit

    def judge(self) -> WholeJudge | None:
        """Who judges releases with split classes; None for the reference semantics."""
        posed = self.problem.posed
        if not about_all_models(posed):
            return None
        clock = self.deadline.at_least(AFTER)
        return VerifiedReleases(posed, clock, self.style).satisfied

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
        name = broken_by_all(self.problem.posed, lambda: self.report(whole))
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
        report = self.report(whole)
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
