"""A first release where all tuples together break a rule, and some may be withheld.

The last resort: of few tuples all sets are withheld in turn, of more the tuples that
have most of the value that is too frequent, one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from phverify.budget import Deadline
from phverify.recoding.posed import PosedRecoding
from phverify.recoding.repair import satisfying
from phverify.spec.recoding import Class, TupleRecoding, one_box_each

FEW = 12
"""Of so many tuples all sets are tried."""
MANY = 3_000
"""With more tuples than this nothing is tried."""
TRIED = 40
"""So many sets that may be one class are made finer: the least cost of them counts."""
SECONDS = 5.0
"""All of it takes so long, at most."""


def leaving_out(problem: PosedRecoding) -> TupleRecoding | None:
    """A release with some tuples withheld; None where none was found."""
    if not problem.budget or len(problem.space.tuples) > MANY:
        return None
    clock = Deadline(SECONDS)
    releases = []
    for kept in islice(_standing(problem, clock), TRIED):
        # Each tuple alone, joined as rules ask, or all as one class: the cheaper
        # counts.
        for classes in ([(number,) for number in kept], [kept]):
            alone = one_box_each(problem.space, classes)
            release = satisfying(alone, problem.steering)
            if release is not None and not problem.too_many_stars(release):
                releases.append(release)
    return min(releases, key=lambda release: release.cost, default=None)


def _standing(problem: PosedRecoding, clock: Deadline) -> Iterator[Class]:
    """Sets of tuples that may be released as one class, those of most records first."""
    few = len(problem.space.tuples) <= FEW
    for kept in _subsets(problem) if few else _thinned(problem):
        if clock.over:
            return
        # Where merging keeps the rules, all tuples of a release make one class, too.
        if problem.steering.satisfied(kept):
            yield kept


def _may_be_withheld(problem: PosedRecoding) -> list[int]:
    tuples = range(len(problem.space.tuples))
    return [number for number in tuples if number not in problem.named]


def _without(problem: PosedRecoding, gone: Sequence[int]) -> Class:
    tuples = range(len(problem.space.tuples))
    return tuple(number for number in tuples if number not in gone)


def _subsets(problem: PosedRecoding) -> Iterator[Class]:
    """What is left without each set that may be withheld."""
    free = _may_be_withheld(problem)
    sets: list[tuple[int, ...]] = []
    for size in range(1, len(free) + 1):
        sets += combinations(free, size)
    # Few records first: what is withheld is lost.
    for gone in sorted(sets, key=problem.space.records):
        kept = _without(problem, gone)
        if kept and problem.space.records(gone) <= problem.budget:
            yield kept


def _thinned(problem: PosedRecoding) -> Iterator[Class]:
    """What is left as tuples go that have most of the most frequent value."""
    for column in problem.posed.policy.sensitive:
        by_tuple = problem.rules.by_tuple(column)
        records = Counter(problem.rules.whole(column))
        free = _may_be_withheld(problem)
        gone: list[int] = []
        spare = problem.budget
        while free:
            value = max(records, key=lambda one: records[one])
            # Most of it for each record, and few records where that is the same.
            free.sort(
                key=lambda number: (
                    by_tuple[number][value] / problem.space.counts[number],
                    -problem.space.counts[number],
                )
            )
            number = free.pop()
            if problem.space.counts[number] > spare:
                continue
            spare -= problem.space.counts[number]
            # Another value may be the most frequent one now.
            records.subtract(by_tuple[number])
            gone.append(number)
            yield _without(problem, gone)
