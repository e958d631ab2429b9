"""Searches in poorer spaces: one in a richer space begins with what they find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from phverify.budget import Deadline, Tell
from phverify.errors import BudgetExceeded, InputError
from phverify.generalization.embedded import embedded
from phverify.generalization.loop import LeastSearch
from phverify.generalization.offered import INTERRUPTED, StricterSearches
from phverify.generalization.options import Options
from phverify.generalization.soon import UNCHOSEN
from phverify.microdata.hierarchy import GivenHierarchies, Hierarchy
from phverify.microdata.table import CodedTable
from phverify.policy.model import Policy
from phverify.spec.spaces import chosen, keep_or_suppress
from phverify.spec.types import TEXT
from phverify.verbs.prepared_search import prepared
from phverify.verbs.stricter import stricter_searches

POORER: Mapping[str, tuple[str, ...]] = {
    "levels": (),
    "subtrees": ("levels",),
    "intervals": ("levels",),
    "partitions": ("levels", "subtrees", "intervals"),
}
"""The poorer spaces of each space, the poorest first."""
LEVELS_HAVE = 0.5
"""The part of the time that levels have before richer spaces: all, where nothing is
known.
"""
POORER_HAVE = 0.8
"""The part that other poorer ones have of what is left: in the rest what they found
is bettered.
"""
NEARBY, NEARBY_HAVE = 2.0, 0.5
"""Seconds in which what is near the best known is looked at first, and their largest
part of the time.
"""
FIRST_TURN = 0.1
"""Seconds for each search in the first turn."""


@dataclass(frozen=True, eq=False)
class SearchesBefore:
    """What a search of a table begins with, and is helped by: searches in poorer
    spaces, and for stricter policies.

    Where it is not ``helped`` there are none for stricter policies.
    """

    table: CodedTable
    given: GivenHierarchies
    progress: Tell
    helped: bool = True

    def stricter(self, policy: Policy, options: Options) -> StricterSearches:
        """Searches in the same space for stricter policies."""
        if not self.helped:
            return StricterSearches(())
        said = "a stricter policy, whose release would do"
        # One step down: those are not helped by stricter ones still.
        own = replace(self, progress=_telling(said, self.progress), helped=False)

        def searching(other: Policy, share: Fraction, limit: Deadline) -> LeastSearch:
            fewer = replace(options, share=share)
            told = own.progress
            loop = prepared(other, own.table, own.given, fewer, limit, told)
            own.begin(loop, other, fewer)
            return loop

        return stricter_searches(policy, options.share, self.table.rows, searching)

    def begin(self, loop: LeastSearch, policy: Policy, options: Options) -> None:
        """Let a search begin with the best releases that are found in poorer spaces: it
        ends with none that costs more.

        First what is soon seen in each of them, and in its own, and what is near that.
        Then levels have half of the time, or all where nothing is known; the other
        spaces most of what is left.
        """
        try:
            poorer = list(self._poorer(loop, policy, options))
            searches = [*(search for search, _ in poorer), loop]
            _look_soon(searches)
            _look_nearby(searches)
            for number, (search, others) in enumerate(poorer):
                waiting = len(poorer) - number
                limit = _limit(search, loop.deadline, waiting)
                search.end_by(limit)
                others.reserve(search)
                search.least()
                others.help(search)
                for richer, _ in poorer[number + 1 :]:
                    _begin(richer, search)
                _begin(loop, search)
                over = search.stopped and limit is loop.deadline
                if over or search.stopped == INTERRUPTED:
                    loop.stopped = search.stopped
                    return
        except KeyboardInterrupt as error:
            loop.stop(error)

    def _poorer(
        self, loop: LeastSearch, policy: Policy, options: Options
    ) -> Iterator[tuple[LeastSearch, StricterSearches]]:
        """The poorer spaces that can be searched, each with its search, and those for
        stricter policies that help it.
        """
        for space in poorer_spaces(options.space, policy, self.table):
            told = _telling(f"by {space}, to begin with", self.progress)
            chosen = replace(options, space=space)
            limit = loop.deadline
            search = poorer_search(policy, self.table, self.given, chosen, limit, told)
            if search is not None:
                # What the richer space does without, they need as much.
                everywhere = _everywhere(policy, self.table, self.given)
                own = replace(self, given=everywhere, progress=told)
                yield search, own.stricter(policy, chosen)


def _look_soon(searches: Sequence[LeastSearch]) -> None:
    """Let each search look at what it soon sees, and the later ones begin with that."""
    if not any(search.looks_soon for search in searches):
        return
    # Each has its turn before any of them looks further.
    turns = product(range(1, UNCHOSEN + 1), enumerate(searches))
    try:
        for rounds, (number, search) in turns:
            with _handed_on(search, searches[number + 1 :]):
                search.look_soon(rounds)
    except BudgetExceeded:
        # What was seen by then is what they begin with.
        return


def _look_nearby(searches: Sequence[LeastSearch]) -> None:
    """The same for what is near that, where deciding one candidate may take long: in
    turn, the longer the later.
    """
    known = [search for search in searches if search.best is not None]
    looking = [search for search in known if search.looks_nearby]
    if not looking:
        return
    left = looking[-1].searching.left()
    seconds = NEARBY if left is None else min(NEARBY, left * NEARBY_HAVE)
    until = Deadline(seconds)
    turn = FIRST_TURN
    try:
        while looking and not until.over:
            for search in looking:
                later = searches[searches.index(search) + 1 :]
                with _handed_on(search, later):
                    search.refine(until.within(turn))
            looking = [search for search in looking if search.goes_on_nearby]
            turn *= 2
    except BudgetExceeded:
        # As above.
        return


@contextmanager
def _handed_on(search: LeastSearch, later: Sequence[LeastSearch]) -> Iterator[None]:
    """Let later searches begin with what a search finds inside, however that ends:
    who interrupts loses nothing.
    """
    try:
        yield
    finally:
        for richer in later:
            _begin(richer, search)


def _limit(search: LeastSearch, deadline: Deadline, waiting: int) -> Deadline:
    """The deadline of the search in a poorer space, where so many are to come."""
    left = deadline.left()
    if left is None:
        return deadline
    if not search.space.by_levels:
        # What a search by itself would find is to be found before the richer one.
        return Deadline(left * POORER_HAVE / waiting, deadline.seconds)
    if search.best is None:
        return deadline
    return Deadline(left * LEVELS_HAVE, deadline.seconds)


def poorer_spaces(space: str, policy: Policy, table: CodedTable) -> Iterator[str]:
    """The spaces to begin with: those that offer some column another choice."""
    richest = _kinds(space, policy, table)
    seen = [richest]
    for poorer in POORER[space]:
        kinds = _kinds(poorer, policy, table)
        # Of many values intervals are none of the partitions that are tried.
        beside = ("intervals", "subtrees") in zip(kinds, richest, strict=True)
        if kinds not in seen and not beside:
            seen.append(kinds)
            yield poorer


def _kinds(space: str, policy: Policy, table: CodedTable) -> list[str]:
    """How each column is generalized in a space."""
    kinds = []
    for name in policy.quasi:
        typed = policy.types.get(name, TEXT)
        values = len(table.column(name).labels)
        kinds.append(chosen(space, typed, values))
    return kinds


def _telling(said: str, progress: Tell) -> Tell:
    """Progress of a search beside the one that is asked for."""
    return lambda step: progress(f"{said}: {step}")


def _begin(richer: LeastSearch, poorer: LeastSearch) -> None:
    """Let a search begin with the best release of a poorer space, if there is one."""
    if poorer.best is not None:
        found = poorer.best.candidate
        richer.begin(embedded(poorer.space, found, richer.space))


def poorer_search(
    policy: Policy,
    table: CodedTable,
    given: GivenHierarchies,
    options: Options,
    deadline: Deadline,
    progress: Tell,
) -> LeastSearch | None:
    """The search for what is asked in a poorer space; None where that needs what the
    richer one does without, or there is no time for it.
    """
    everywhere = _everywhere(policy, table, given)
    try:
        return prepared(policy, table, everywhere, options, deadline, progress)
    except (BudgetExceeded, InputError):
        return None


def _everywhere(
    policy: Policy, table: CodedTable, given: GivenHierarchies
) -> GivenHierarchies:
    """The hierarchies that are given, and one for each column that has none."""
    everywhere = dict(given)
    for name in policy.quasi:
        # Without a hierarchy a value is kept, or becomes * as in the richer space.
        if name not in given and name not in policy.hierarchies:
            lines = keep_or_suppress(table.column(name).labels)
            everywhere[name] = Hierarchy(f"the column {name!r}", lines)
    return everywhere
