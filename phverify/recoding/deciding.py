"""The release that a search found: decided by ``verify``, repaired, and split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from phverify.budget import Deadline, Tell
from phverify.errors import Contradiction
from phverify.logic.printer import Style
from phverify.recoding.all_models import VerifiedReleases, about_all_models
from phverify.recoding.counted_space import counted_release_rules
from phverify.recoding.posed import PosedRecoding
from phverify.recoding.release import judged, released, released_rows
from phverify.recoding.repair import apart, joined, satisfying, split_all
from phverify.spec.recoding import TupleRecoding
from phverify.spec.splits import Splits, WholeJudge
from phverify.verification.result import Report, RuleResult

AFTER = 10.0
"""Seconds for deciding the release once the search is over, at least."""
MOST = 200
"""So many times a release is repaired that breaks a rule of the whole table."""


@dataclass(frozen=True, eq=False)
class Decided:
    """A recoding with what ``verify`` says of its release, and what is known of its
    splits.
    """

    recoding: TupleRecoding
    report: Report
    splits: Splits | None


@dataclass(frozen=True, eq=False)
class Deciding:
    """What decides the releases of one question."""

    problem: PosedRecoding
    deadline: Deadline
    style: Style
    progress: Tell

    def proved(self, recoding: TupleRecoding) -> Decided | None:
        """A recoding as it is, if it is what is asked for, and ``verify`` proves every
        rule of its release.
        """
        problem = self.problem
        withheld = recoding.withheld
        if problem.space.records(withheld) > problem.budget:
            return None
        if problem.named.intersection(withheld) or problem.too_many_stars(recoding):
            return None
        if problem.asked.disjoint and recoding.overlap() is not None:
            return None
        try:
            report = self.report(recoding)
        except Contradiction:
            return None
        if any(rule.verdict != "proved" for rule in report.rules):
            return None
        return Decided(recoding, report, None)

    def decided(
        self,
        recoding: TupleRecoding,
        late: Callable[[], bool],
        over: Callable[[], bool],
    ) -> Decided | str:
        """The recoding, repaired until ``verify`` proves every rule; or why not.

        Where it is ``late`` then, no class is split.  Once time is ``over`` none is
        joined.
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
            mended = self.repaired(recoding, left[0], over)
            if isinstance(mended, str):
                return mended
            recoding = mended
        return f"a rule of the whole table is still broken after {MOST} repairs"

    def repaired(
        self, recoding: TupleRecoding, rule: RuleResult, over: Callable[[], bool]
    ) -> TupleRecoding | str:
        """The recoding nearer to what a broken rule asks; or why it is given up."""
        broken = f"the rule {rule.name!r} is broken"
        if self.problem.asked.blind:
            # To repair would be to look at confidential values.
            larger = 2 * self.problem.asked.blind
            return f"{broken} by blind classes: larger ones may do, --blind {larger}"
        if over():
            return f"{broken}, and no time is left to mend it"
        mended = self.mended(recoding, rule)
        if mended is None:
            return f"{broken}, and joining classes does not mend it"
        return mended

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
