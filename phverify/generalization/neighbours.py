"""Searches for other numbers of one rule: what they know of this one's candidates.

Whatever satisfies a stricter policy satisfies the less strict one: what that rules out
is ruled out here, and what the stricter one releases may be released.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from phverify.errors import BudgetExceeded
from phverify.exact import Bools
from phverify.generalization.counted_before import CountedBefore
from phverify.generalization.judge import Reason
from phverify.generalization.loop import LeastSearch
from phverify.generalization.master import Grid
from phverify.generalization.offered import offer
from phverify.microdata.table import CodedTable


@dataclass(frozen=True, eq=False)
class SearchesBeside:
    """The nearest searches on both sides that have ended, None where there is none.

    Both are about the same table, space and costs as the one that begins.
    """

    laxer: LeastSearch | None = None
    stricter: LeastSearch | None = None
    counted: CountedBefore = field(default_factory=CountedBefore)
    """What all of them have counted."""
    first: Sequence[Bools] = ()
    """Candidates to look at first."""

    def of_table(self, table: CodedTable) -> LeastSearch | None:
        """One of them, where its rows are where those of a table are."""
        for search in (self.laxer, self.stricter):
            if search is not None:
                rows = search.refuter.judge.table.elsewhere
                return search if rows is table.elsewhere else None
        return None

    def begin(self, search: LeastSearch) -> None:
        """Let a search start with what they know."""
        search.share(self.counted)
        if self.laxer is not None and _alike(self.laxer, search):
            _rule_out(search, [*_needed(self.laxer.reasons)])
        if self.stricter is not None and _alike(self.stricter, search):
            with suppress(BudgetExceeded):
                _rule_out(search, [*_needed(_that_hold(self.stricter.reasons, search))])
        with suppress(BudgetExceeded):
            for candidate in self.first:
                search.look_at(candidate)
        # Where no sum is counted, the best one is not the first in the order of cost.
        if search.pricing is None and _alike(self.stricter, search):
            assert self.stricter is not None
            with suppress(BudgetExceeded):
                _offer_best(search, self.stricter)


def _offer_best(search: LeastSearch, stricter: LeastSearch) -> None:
    # In what loses few enough records here, fewer still are lost by a weaker policy.
    search.refuter.enough += stricter.refuter.enough
    if stricter.best is None:
        return
    found = stricter.best
    offer(search, found.candidate, found.finding.withheld, search.searching)
    if search.best is not None and isinstance(search.master, Grid):
        # Only what is cheaper is looked at.
        search.master.accept(search.best.candidate)


def _alike(one: LeastSearch | None, other: LeastSearch) -> bool:
    """Whether clauses of one search can be read by another: the same unknowns, and the
    same parts of the policy.
    """
    if one is None or type(one.master) is not type(other.master):
        return False
    return _read_by(one) == _read_by(other)


def _read_by(search: LeastSearch) -> list[tuple[object, ...]]:
    """What clauses and their reasons speak of."""
    schemes = search.space.schemes
    read: list[tuple[object, ...]] = [search.cost.weights, (search.cost.denominator,)]
    for scheme in schemes:
        read.append((scheme.name, scheme.kind, scheme.decisions, scheme.values))
    for part in search.refuter.parts:
        read.append((part.rule, part.people, part.closure.merge, part.closure.upward))
    return read


def _that_hold(reasons: Iterable[Reason], search: LeastSearch) -> Iterator[Reason]:
    """Those of a stricter search that hold for this one, too: it is counted again what
    violates.
    """
    refuter = search.refuter
    judge = refuter.judge
    for reason in reasons:
        search.searching.check()
        if reason.clause in search.known:
            continue
        if reason.kind == "cut" and reason.candidate is not None:
            rows = refuter.lost(reason.candidate)
            if rows > refuter.budget:
                yield replace(reason, rows=rows)
        elif reason.kind == "box" and reason.person is None:
            part = refuter.parts[reason.part]
            if judge.breaks(part, judge.inside(reason.box)):
                yield reason


def _rule_out(search: LeastSearch, reasons: Sequence[Reason]) -> None:
    """Give a search reasons that it has not found itself."""
    search.reasons += reasons
    clauses = [reason.clause for reason in reasons]
    search.known.update(clauses)
    master = search.master
    master.learn(clauses)


def _needed(reasons: Iterable[Reason]) -> Iterator[Reason]:
    """Those that exclude something which no other one excludes: a clause that holds
    all of another one is met with it.
    """
    kept: list[frozenset[int]] = []
    for reason in sorted(reasons, key=lambda reason: len(reason.clause)):
        clause = frozenset(reason.clause)
        # Records that one candidate would have withheld are others here.
        if reason.kind == "candidate" and reason.rows:
            continue
        if not any(other <= clause for other in kept):
            kept.append(clause)
            yield reason
