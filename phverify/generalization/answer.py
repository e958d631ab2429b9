"""From what the hunt found to the answer: the release, checked once more, with its cost
and certificate.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from phverify.constraints.hitting import available
from phverify.errors import BudgetExceeded, Defect
from phverify.exact import Ints
from phverify.generalization.certificate import certificate
from phverify.generalization.frame import Release, frame
from phverify.generalization.hunt import AFTER, Found, Hunt
from phverify.generalization.judge import Judge
from phverify.generalization.master import Hitting
from phverify.generalization.options import Options
from phverify.generalization.parts import ClassPart
from phverify.generalization.released import bound_again, bound_to, kept_rows, released
from phverify.generalization.result import Proof, SearchResult, Statistics
from phverify.logic.printer import ASCII, Style, to_text
from phverify.spec.along import Along
from phverify.verification.result import Report
from phverify.verification.run import decided, shown_as
from phverify.words import plural

PATIENCE = 10.0
"""Seconds for saying why even the most general candidate fails."""


def answered(hunt: Hunt, options: Options, source: Any, started: float) -> SearchResult:
    """Run the hunt and report on it; ``source`` is the input as the caller gave it."""
    return _Answering(hunt, options, source, started).answer()


@dataclass(frozen=True, eq=False)
class _Answering:
    hunt: Hunt
    options: Options
    source: Any
    started: float

    @property
    def judge(self) -> Judge:
        return self.hunt.critic.judge

    @cached_property
    def style(self) -> Style:
        return shown_as(self.judge.policy, self.options.redact)

    def answer(self) -> SearchResult:
        hunt, options = self.hunt, self.options
        minimal = hunt.minimal() if options.lists else []
        found = (
            min(minimal, key=self.price, default=hunt.best)
            if options.lists
            else hunt.least()
        )
        if found is None:
            return replace(self.nothing(), statistics=self.statistics())
        try:
            release, checks = self.released(found)
        except (BudgetExceeded, KeyboardInterrupt) as error:
            why = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
            reason = f"{why} before the released table was checked"
            return replace(self.shared(), reason=reason, statistics=self.statistics())
        reason, solvers = self.standing(found)
        result = replace(self.result(found, minimal, release, checks), reason=reason)
        if reason:
            return replace(result, statistics=self.statistics(*solvers))
        cost = result.cost
        result = replace(
            result, verdict="optimal", bound=cost, statistics=self.statistics(*solvers)
        )
        time_left = hunt.deadline.paused()
        return replace(
            result,
            make_certificate=lambda: certificate(
                result, hunt, options, found, minimal, time_left()
            ),
        )

    def price(self, found: Found) -> Fraction:
        """The cost of a candidate by the objective asked for."""
        if self.options.objective == "discernibility" and found.finding.view:
            return Fraction(
                sum(int(n) ** 2 for n in found.finding.view.quotient.sizes.tolist())
            )
        return self.hunt.fraction(found.total)

    def standing(self, found: Found) -> tuple[str, tuple[str, ...]]:
        """Why the candidate is not proved to be the least, else what proves it."""
        hunt, lists = self.hunt, self.options.lists
        missed = [note for total, note in hunt.opened if lists or total < found.total]
        if hunt.stopped or missed:
            return hunt.stopped or f"a cheaper candidate is undecided: {missed[0]}", ()
        if lists:
            return "", ("looking at all level vectors",)
        try:
            hunt.progress("proving the lower bound")
            solvers = hunt.confirm(found.total)
        except KeyboardInterrupt:
            return "interrupted while the lower bound was proved", ()
        return (
            ("", solvers)
            if solvers
            else ("no solver confirmed the lower bound in time", ())
        )

    def statistics(self, *solvers: str) -> Statistics:
        hunt = self.hunt
        return Statistics(
            hunt.examined,
            len(hunt.reasons),
            time.perf_counter() - self.started,
            solvers,
        )

    def shared(self) -> SearchResult:
        """What every result says, whatever was found."""
        hunt, options, schemes = self.hunt, self.options, self.hunt.space.schemes
        return SearchResult(
            verdict="undecided",
            space=options.space,
            objective=options.objective,
            schemes={scheme.name: scheme.kind for scheme in schemes},
            rows=self.judge.table.rows,
            share=options.share,
            budget=hunt.critic.budget,
            depths={
                scheme.name: scheme.tree.depth
                for scheme in schemes
                if isinstance(scheme, Along)
            },
            proofs=tuple(map(self.proof, self.judge.parts.classes)),
            bound=(
                None
                if options.objective == "discernibility"
                else hunt.fraction(hunt.bound)
            ),
        )

    def proof(self, part: ClassPart) -> Proof:
        """What was proved about a rule; how may quote values."""
        closed = part.closure
        how, queries = (closed.how, closed.queries) if self.style is ASCII else ("", ())
        return Proof(
            part.rule,
            to_text(part.source, self.style),
            closed.merge,
            closed.upward,
            how,
            queries,
        )

    def released(self, found: Found) -> tuple[Release, Report]:
        """Every rule decided for the released table, as ``verify`` does it: the last
        word.  Raises BudgetExceeded.
        """
        hunt, judge, view = self.hunt, self.judge, found.finding.view
        hunt.progress("checking the released table")
        assert view is not None
        rows = kept_rows(judge, view, found.finding.withheld)
        after = released(
            judge.table, hunt.space, found.candidate, rows, judge.policy.identifier
        )
        time_left = hunt.deadline.at_least(AFTER)
        bound = bound_to(judge, after, rows)
        report = decided(
            bound,
            judge.policy.source,
            "the released table",
            time_left,
            style=self.style,
        )
        if report.verdict == "refuted":
            raise Defect("the search accepts a release that verify finds refuted")
        for rule in report.rules:
            if rule.verdict == "undecided":
                raise BudgetExceeded(rule.reason)
        order = None
        if self.options.shuffle is not None:
            numbers = list(range(after.rows))
            random.Random(self.options.shuffle).shuffle(numbers)
            order = np.array(numbers)
        return Release(self.source, judge.policy, after, rows, order), report

    def result(
        self, found: Found, minimal: list[Found], release: Release, checks: Report
    ) -> SearchResult:
        space, shared = self.hunt.space, self.shared()
        mapping = space.mapping(found.candidate.tolist())
        changed = {
            name
            for name, images in mapping.items()
            if any(a != b for a, b in images.items())
        }
        vectors = (
            [space.levels(one.candidate) or {} for one in minimal]
            if self.options.all_minimal
            else []
        )
        return replace(
            shared,
            levels=space.levels(found.candidate),
            mapping=mapping,
            cost=self.price(found),
            suppressed=shared.rows - release.table.rows,
            minimal=tuple(vectors),
            checks=checks,
            make_release=lambda: frame(release, changed),
            warnings=(*checks.warnings, *self.warnings(release.rows)),
        )

    def warnings(self, rows: Ints | None) -> Iterator[str]:
        """What to know of the release and of its certificate."""
        if rows is not None and self.judge.parts.people:
            yield (
                "the policy names individuals by the input: records are withheld, and"
                " verify knows the release alone"
            )
        if isinstance(self.hunt.master, Hitting) and not available():
            install = "pip install phverify"
            yield (
                f"CP-SAT is not installed: {install} makes such searches faster, and"
                " check needs it"
            )

    # Nothing found

    def nothing(self) -> SearchResult:
        """Say which rule fails even for the most general candidate, with its
        witness.
        """
        hunt, judge, shared = self.hunt, self.judge, self.shared()
        bound = bound_again(judge, hunt.space.top(), None)
        time_left = hunt.deadline.within(PATIENCE).at_least(AFTER)
        report = decided(
            bound,
            judge.policy.source,
            "the most general release",
            time_left,
            style=self.style,
        )
        shared = replace(shared, checks=report, warnings=report.warnings)
        if undecided := hunt.stopped or (hunt.opened[0][1] if hunt.opened else ""):
            return replace(shared, reason=undecided)
        failed = [rule.name for rule in report.rules if rule.verdict == "refuted"]
        rows = hunt.critic.in_the_way(hunt.space.top())
        why = "no candidate satisfies all rules"
        if failed:
            why = f"even the most general candidate breaks {' and '.join(failed)}"
        if rows:
            allowed = (
                f"{hunt.critic.budget} may be" if hunt.critic.budget else "none may be"
            )
            why = (
                f"{why}: {plural(rows, 'record')} would have to be withheld there, and"
                f" {allowed}"
            )
        helps = "; ".join(self.ways(failed, rows))
        return replace(
            shared, verdict="infeasible", bound=None, reason=why, helps=helps
        )

    def ways(self, failed: list[str], rows: int) -> Iterator[str]:
        """What could make it feasible."""
        if failed:
            yield f"relax {' or '.join(failed)}"
        if 0 < rows < self.judge.table.rows:
            yield (
                f"allow {rows} of {self.judge.table.rows} records to be withheld"
                " (--suppress)"
            )
        for scheme in self.judge.space.schemes:
            tops = set(map(scheme.label, scheme.blocks([True] * scheme.decisions)))
            if len(tops) > 1:
                yield (
                    f"a hierarchy of {scheme.name!r} with one root: its top level has"
                    f" {len(tops)} values"
                )
