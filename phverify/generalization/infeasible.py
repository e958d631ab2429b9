"""Where no candidate satisfies the policy: which rule fails, and what would help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from phverify.generalization.judge import CandidateJudge
from phverify.generalization.loop import AFTER, LeastSearch
from phverify.generalization.released import bound_again
from phverify.generalization.result import SearchResult
from phverify.logic.printer import Style
from phverify.verification.run import decided
from phverify.words import plural

PATIENCE = 10.0
"""Seconds for saying why even the most general candidate fails."""


@dataclass(frozen=True, eq=False)
class NothingFits:
    """A search that ended without a release."""

    search: LeastSearch
    style: Style

    @property
    def judge(self) -> CandidateJudge:
        """Who decides candidates."""
        return self.search.refuter.judge

    def answer(self, shared: SearchResult) -> SearchResult:
        """Which rule fails even for the most general candidate, with its witness.

        ``shared`` is what every result says.
        """
        search = self.search
        judge = self.judge
        bound = bound_again(judge, search.space.top(), None)
        # The reason is worth some seconds, though the budget may be over.
        time_left = search.deadline.within(PATIENCE).at_least(AFTER)
        report = decided(
            bound,
            judge.policy.source,
            "the most general release",
            time_left,
            style=self.style,
        )
        shared = replace(shared, checks=report, warnings=report.warnings)
        # That nothing fits is known only where every candidate was decided.
        notes = [search.stopped, *(note for _, note in search.undecided[:1])]
        undecided = next(filter(None, notes), "")
        if undecided:
            return replace(shared, reason=undecided)
        failed = [rule.name for rule in report.rules if rule.verdict == "refuted"]
        # How many records break rules even there: what would have to be withheld.
        rows = search.refuter.in_the_way(search.space.top()) or 0
        why = self.why(failed)
        if rows == judge.table.rows:
            why = f"{why}: every class there breaks a rule"
        elif rows:
            if search.refuter.budget:
                allowed = f"{search.refuter.budget} may be"
            else:
                allowed = "none may be"
            why = (
                f"{why}: {plural(rows, 'record')} would have to be withheld there, and"
                f" {allowed}"
            )
        # Without these rules the most general candidate satisfies the policy.
        in_doubt = [rule.name for rule in report.rules if rule.verdict != "proved"]
        helps = "; ".join(self.ways(in_doubt, rows))
        return replace(
            shared, verdict="infeasible", bound=None, reason=why, helps=helps
        )

    def why(self, failed: list[str]) -> str:
        """The reason, where the most general candidate breaks some rules.

        A rule that merging classes keeps is broken by all candidates once the most
        general one breaks it.  Of other rules that one candidate says nothing: all
        candidates were excluded one by one.
        """
        closed = [name for name in failed if self.kept_by_merging(name)]
        if closed:
            return f"even the most general candidate breaks {' and '.join(closed)}"
        said = "no candidate satisfies all rules"
        if not failed:
            return said
        return (
            f"{said}; the most general one breaks {' and '.join(failed)} (finer ones"
            " were examined, or excluded by clauses, on their own)"
        )

    def kept_by_merging(self, rule: str) -> bool:
        """Whether it is proved that a rule holds of larger classes, too."""
        parts = self.judge.parts
        if any(part.rule == rule for part in parts.open):
            return False
        own = [part for part in parts.classes if part.rule == rule]
        return bool(own) and all(part.kept_by_merging for part in own)

    def to_relax(self, failed: list[str]) -> str:
        """The rules of which one is enough at the most general candidate; all of them
        together where none is.
        """
        enough = [name for name in failed if self.is_enough(name)]
        if enough or len(failed) == 1:
            return " or ".join(enough or failed)
        return f"{', '.join(failed[:-1])} and {failed[-1]} together"

    def is_enough(self, rule: str) -> bool:
        """Whether all other rules hold for the most general candidate, as far as that
        is known, once few enough records are withheld.
        """
        refuter = self.search.refuter
        rows = refuter.in_the_way(self.search.space.top(), aside=rule)
        return rows is not None and rows <= refuter.budget

    def ways(self, failed: list[str], rows: int) -> Iterator[str]:
        """What could make it feasible."""
        if failed:
            yield f"relax {self.to_relax(failed)}"
        if 0 < rows < self.judge.table.rows:
            yield (
                f"allow {rows} of {self.judge.table.rows} records to be withheld"
                " (--suppress)"
            )
        for scheme in self.judge.space.schemes:
            # All decisions taken: the labels of the most general candidate.
            tops = set(map(scheme.label, scheme.blocks([True] * scheme.decisions)))
            if len(tops) > 1:
                yield (
                    f"a hierarchy of {scheme.name!r} with one root: its top level has"
                    f" {len(tops)} values"
                )
