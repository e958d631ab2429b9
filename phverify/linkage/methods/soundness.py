"""Is a linkage method sound?  The verdict for every released record, with a witness
where the answer is no.

A probability is sound when it is the pignistic distribution of a belief function
compatible with the truth (Definition 14); a belief function, when it is compatible
itself (Definition 7); an answer that leaves something on "none of them", when a
probability that it leaves open is sound (``uncommitted``).  Records whose true and
given numbers form the same pattern are decided once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from phverify.budget import Deadline
from phverify.errors import BudgetExceeded
from phverify.exact import ZERO
from phverify.linkage.belief.compatible import BeliefViolation, compatible
from phverify.linkage.belief.mass import Mass
from phverify.linkage.belief.mass_frame import MassFrame
from phverify.linkage.belief.pignistic_compatible import Farkas, sound
from phverify.linkage.candidates.sets import Candidates
from phverify.linkage.methods.answers import LinkReading
from phverify.linkage.methods.links import Focal, Links
from phverify.linkage.methods.matches import Link, Matches, matches, total
from phverify.linkage.methods.uncommitted import sound_with_rest
from phverify.linkage.methods.unsound import (
    Excluded,
    Outweighed,
    Overbelieved,
    Overpriced,
    Unsound,
    Witness,
)

Shares = Mapping[int, Fraction]
"""A probability over original records, by their numbers from 0; a record that is left
out has 0.
"""
TrueShares = Callable[[int], Shares]
"""The true probability of a released record (Definition 6)."""
Known = dict[object, Farkas | BeliefViolation | None]
"""What stands against the answers of each pattern."""
RETAINED = 2_000_000
"""True shares that are retained for the next record that looks alike."""


@dataclass(frozen=True)
class Judgement:
    """The verdict on a method: sound when it is sound for every released record that it
    speaks of.

    ``silent`` counts released records without an answer, which are not judged;
    ``undecided`` are those for which the budget ran out, or what else ``stopped`` it;
    ``patterns`` counts the different questions that needed a linear program or a flow;
    ``correct`` is the expected number of correct links when each record is linked at
    random by its answer, and ``first`` when it is linked to the record that the answer
    gives most, one of them where several are given the same.  "None of them" is no link
    in either.  ``unmatched`` counts the answers that link a record to nobody;
    ``matches`` are the figures of the links, None where answers are sets.
    """

    source: str
    sets: bool
    judged: int
    silent: int
    normalized: int
    patterns: int
    correct: Fraction
    first: Fraction
    unsound: tuple[Unsound, ...]
    undecided: tuple[int, ...]
    unmatched: int
    matches: Matches | None
    reading: LinkReading
    stopped: str

    @property
    def verdict(self) -> Literal["sound", "unsound", "undecided"]:
        """Of the method: one unsound answer makes it unsound, whatever is undecided."""
        if self.unsound:
            return "unsound"
        return "undecided" if self.undecided else "sound"


def judge(
    links: Links,
    truth: TrueShares,
    true: Sequence[int | None],
    deadline: Deadline | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Judgement:
    """Decide for each released record whether a method's answer is sound.

    ``truth`` gives the true probability of a released record, and ``true`` for each the
    record that it comes from, for the expected numbers of correct links; where that is
    None, not known, they go by the true probability.
    """
    known: Known = {}
    unsound: list[Unsound] = []
    undecided: list[int] = []
    tally = _Tally()
    stopped = "the budget ran out"
    for done, record in enumerate(links.said):
        progress(done)
        shares = truth(record)
        own = true[record]
        given = links.probability(record)
        known_as = shares if own is None else {own: Fraction(1)}
        # Before the budget is looked at: the figures are of all answers, decided or
        # not.
        tally.add(links, record, given, known_as)
        try:
            if deadline:
                deadline.check()
            witness = _witness(links, record, given, shares, known, deadline)
        except BudgetExceeded:
            undecided.append(record)
            continue
        except KeyboardInterrupt:
            # what is left is undecided, as when the budget runs out
            deadline = Deadline(0.0)
            stopped = "interrupted"
            undecided.append(record)
            continue
        if witness:
            unsound.append(Unsound(record, witness))

    return _judgement(links, tally, len(true), len(known), unsound, undecided, stopped)


def _judgement(
    links: Links,
    tally: _Tally,
    released: int,
    patterns: int,
    unsound: list[Unsound],
    undecided: list[int],
    stopped: str,
) -> Judgement:
    """The verdict with the figures of the links."""
    # Belief functions over sets are no links of two records.
    figures = None if links.sets else matches(tally.pairs, released, links.level)
    return Judgement(
        source=links.source,
        sets=links.sets,
        judged=len(links.said),
        silent=released - len(links.said),
        normalized=links.normalized,
        patterns=patterns,
        correct=total(tally.correct),
        first=total(tally.first),
        unsound=tuple(unsound),
        undecided=tuple(undecided),
        unmatched=links.unmatched,
        matches=figures,
        reading=links.reading,
        stopped=stopped,
    )


class _Tally:
    """What the expected numbers of correct links are summed from, record by record."""

    def __init__(self) -> None:
        self.correct: list[Fraction] = []
        self.first: list[Fraction] = []
        self.pairs: list[Link] = []

    def add(self, links: Links, record: int, given: Shares, known_as: Shares) -> None:
        """One record's answer, and the originals that it comes from with these
        probabilities.
        """
        rest = links.rest.get(record, ZERO)
        for original, share in known_as.items():
            self.correct.append(share * given.get(original, ZERO))
            self.first.append(share * _first(given, rest, original))

        for original, number in links.pairs.get(record, {}).items():
            correct = known_as.get(original, ZERO)
            self.pairs.append(Link(record, original, number, correct))


def _witness(
    links: Links,
    record: int,
    given: Shares,
    true: Shares,
    known: Known,
    deadline: Deadline | None,
) -> Witness | None:
    """What shows that the answer for a record is unsound, if it is.

    Raises BudgetExceeded.
    """
    if links.sets:
        return _sets(links.said[record], true, known)
    rest = links.rest.get(record, ZERO)
    return _shares(given, rest, true, known, deadline)


def _first(given: Shares, rest: Fraction, true: int) -> Fraction:
    """The chance that the true record is the one that is given most; "none of them" may
    be given most.
    """
    most = max((rest, *given.values()))
    best = [x for x, share in given.items() if share == most]
    if true not in best:
        return ZERO
    tied = len(best)
    # "none of them" is one more answer that may be taken
    if rest == most:
        tied += 1
    return Fraction(1, tied)


def _shares(
    given: Shares, rest: Fraction, true: Shares, known: Known, deadline: Deadline | None
) -> Witness | None:
    """Definition 14 for one record.  Raises BudgetExceeded."""
    if rest == 1:
        return None
    if len(true) == 1:
        (own,) = true
        return _outweighed(given, rest, own)
    # Proposition 16: whoever is possible must be given something
    missing = [x for x in true if not given.get(x)]
    if missing and not rest:
        worst = max(missing, key=lambda x: true[x])
        return Excluded(worst, true[worst])

    return _overpriced(given, rest, true, known, deadline)


def _outweighed(given: Shares, rest: Fraction, own: int) -> Outweighed | None:
    """Where the truth is one record, F has one row, the answer, so that its maximum
    must be there (Proposition 18).
    """
    other, more = max(given.items(), key=lambda item: item[1])
    share = given.get(own, ZERO)
    if more <= share + rest:
        return None
    return Outweighed(own, share, other, more, rest)


def _overpriced(
    given: Shares, rest: Fraction, true: Shares, known: Known, deadline: Deadline | None
) -> Overpriced | None:
    """The question of a pattern, its records called 0, 1, .., which is decided once.

    Raises BudgetExceeded.
    """

    def shares(x: int) -> tuple[Fraction, Fraction]:
        true_share = true.get(x, ZERO)
        guessed = given.get(x, ZERO)
        return true_share, guessed

    records = sorted({*true, *given}, key=lambda x: (*shares(x), x))
    # who the records are makes no difference: equal shares are one question
    pattern = tuple(map(shares, records))
    if pattern not in known:
        truth = {k: share for k, (share, _) in enumerate(pattern) if share}
        guess = {k: share for k, (_, share) in enumerate(pattern) if share}
        decide = sound_with_rest if rest else sound
        answer = decide(guess, truth, deadline)
        known[pattern] = answer if isinstance(answer, Farkas) else None
    proof = known[pattern]
    if not isinstance(proof, Farkas):
        return None
    prices: dict[int, Fraction] = {}
    for k, record in enumerate(records):
        if price := proof.prices.get(k):
            prices[record] = price

    return Overpriced(prices, proof.claimed, proof.most)


def _sets(focal: Focal, true: Shares, known: Known) -> Witness | None:
    """Definition 7 for one record: only records that are possible, or in a focal set,
    matter.
    """
    if len(true) == 1:
        (own,) = true
        return _without(focal, own)
    # records that are neither possible nor believed change no sum
    held = set(true)
    for members, _ in focal:
        held.update(members)

    records = sorted(held)
    key = focal, frozenset(true.items())
    if key not in known:
        frame = MassFrame.of(records)
        mass = Mass(frame, {frame.subset(members): share for members, share in focal})
        answer = compatible(mass, {frame.number(x): p for x, p in true.items()})
        known[key] = answer if isinstance(answer, BeliefViolation) else None
    violation = known[key]
    if not isinstance(violation, BeliefViolation):
        return None
    union = [x for k, x in enumerate(records) if violation.subset >> k & 1]
    return Overbelieved(tuple(union), violation.probability, violation.belief)


def _without(focal: Focal, own: int) -> Overbelieved | None:
    """Where the truth is one record, every focal set must hold it (Lemma 17)."""
    union: set[int] = set()
    belief = ZERO
    for members, mass in focal:
        if own not in members:
            union.update(members)
            belief += mass

    if union:
        return Overbelieved(tuple(sorted(union)), ZERO, belief)
    return None


def certain(true: Sequence[int]) -> TrueShares:
    """The truth of somebody who knows where each released record comes from."""

    def of(record: int) -> Shares:
        original = int(true[record])
        return {original: Fraction(1)}

    return of


def possible(candidates: Candidates) -> TrueShares:
    """The true probability of Definition 6 as Example 8 has it, for somebody who knows
    the masking and both tables.

    It is over the originals that the record can come from, and worked out once for each
    distinct released record.
    """
    known: dict[int, Shares] = {}
    number = candidates.tuples[1]

    def of(record: int) -> Shares:
        view = int(number[record])
        if view not in known:
            # forgetting all now and then bounds the memory
            sizes = map(len, known.values())
            if sum(sizes) > RETAINED:
                known.clear()
            belief = candidates.belief(record)
            positive = {x: share for x, share in belief.items() if share}
            known[view] = positive

        return known[view]

    return of
