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

Shares = Mapping[int, Fraction]
"""A probability over original records, by their numbers from 0; a record that is left
out has 0.
"""
TrueShares = Callable[[int], Shares]
"""The true probability of a released record (Definition 6)."""
Known = dict[object, Farkas | BeliefViolation | None]
"""What stands against the answers of each pattern."""
KEPT = 2_000_000
"""True shares that are kept for the next record that looks alike."""


@dataclass(frozen=True)
class Outweighed:
    """The released record comes from ``true`` for certain, and another record is given
    more (Proposition 18), even if the true one had all that is given to none of them.
    """

    true: int
    given: Fraction
    other: int
    given_other: Fraction
    given_none: Fraction = ZERO


@dataclass(frozen=True)
class Excluded:
    """A record of the true probability's support is given nothing (Proposition 16)."""

    original: int
    probability: Fraction


@dataclass(frozen=True)
class Overpriced:
    """Prices of records at which the answer is worth more (``claimed``) than any sound
    one (``most``): a Farkas certificate of the linear program of Definition 14.
    """

    prices: Mapping[int, Fraction]
    claimed: Fraction
    most: Fraction


@dataclass(frozen=True)
class Overbelieved:
    """A set C of records that is believed more than it is probable: P(C) < Bel(C)."""

    set: tuple[int, ...]
    probability: Fraction
    belief: Fraction


Witness = Outweighed | Excluded | Overpriced | Overbelieved


@dataclass(frozen=True)
class Unsound:
    """A released record (from 0) whose answer is unsound, and why."""

    record: int
    witness: Witness


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
        return "unsound" if self.unsound else "undecided" if self.undecided else "sound"


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
    pairs: list[Link] = []
    correct, first, stopped = [], [], "the budget ran out"
    for done, (record, focal) in enumerate(links.said.items()):
        progress(done)
        shares, given, rest = (
            truth(record),
            links.probability(record),
            links.rest.get(record, ZERO),
        )
        known_as = shares if (one := true[record]) is None else {one: Fraction(1)}
        correct += [share * given.get(x, ZERO) for x, share in known_as.items()]
        first += [share * _first(given, rest, x) for x, share in known_as.items()]
        numbers = links.pairs.get(record, {})
        pairs += [
            Link(record, x, number, known_as.get(x, ZERO))
            for x, number in numbers.items()
        ]
        try:
            if deadline:
                deadline.check()
            witness = (
                _sets(focal, shares, known)
                if links.sets
                else _shares(given, rest, shares, known, deadline)
            )
        except BudgetExceeded:
            undecided.append(record)
            continue
        except (
            KeyboardInterrupt
        ):  # what is left is undecided, as when the budget runs out
            deadline, stopped = Deadline(0.0), "interrupted"
            undecided.append(record)
            continue
        if witness:
            unsound.append(Unsound(record, witness))
    return Judgement(
        source=links.source,
        sets=links.sets,
        judged=len(links.said),
        silent=len(true) - len(links.said),
        normalized=links.normalized,
        patterns=len(known),
        correct=total(correct),
        first=total(first),
        unsound=tuple(unsound),
        undecided=tuple(undecided),
        unmatched=links.unmatched,
        matches=None if links.sets else matches(pairs, len(true), links.level),
        reading=links.reading,
        stopped=stopped,
    )


def _first(given: Shares, rest: Fraction, true: int) -> Fraction:
    """The chance that the true record is the one that is given most; "none of them" may
    be given most.
    """
    most = max((rest, *given.values()))
    best = [x for x, share in given.items() if share == most]
    return Fraction(true in best, len(best) + (rest == most))


def _shares(
    given: Shares, rest: Fraction, true: Shares, known: Known, deadline: Deadline | None
) -> Witness | None:
    """Definition 14 for one record.  Raises BudgetExceeded."""
    if rest == 1:
        return None
    if len(true) == 1:  # F has one row, the answer, so that its maximum must be there
        (one,) = true
        other, more = max(given.items(), key=lambda item: item[1])
        own = given.get(one, ZERO)
        return Outweighed(one, own, other, more, rest) if more > own + rest else None
    missing = [x for x in true if not given.get(x)]
    if missing and not rest:
        worst = max(missing, key=lambda x: true[x])
        return Excluded(worst, true[worst])
    # the question of a pattern, its records called 0, 1, ..
    records = sorted(
        {*true, *given}, key=lambda x: (true.get(x, 0), given.get(x, 0), x)
    )
    pattern = tuple((true.get(x, ZERO), given.get(x, ZERO)) for x in records)
    if pattern not in known:
        truth, guess = (
            {k: share for k, share in enumerate(side) if share}
            for side in zip(*pattern, strict=True)
        )
        answer = (sound_with_rest if rest else sound)(guess, truth, deadline)
        known[pattern] = answer if isinstance(answer, Farkas) else None
    found = known[pattern]
    if not isinstance(found, Farkas):
        return None
    prices = {
        record: price
        for k, record in enumerate(records)
        if (price := found.prices.get(k))
    }
    return Overpriced(prices, found.claimed, found.most)


def _sets(focal: Focal, true: Shares, known: Known) -> Witness | None:
    """Definition 7 for one record: only records that are possible, or in a focal set,
    matter.
    """
    if len(true) == 1:  # every focal set must hold it (Lemma 17)
        (one,) = true
        missing = [(members, mass) for members, mass in focal if one not in members]
        union = sorted({x for members, _ in missing for x in members})
        return (
            Overbelieved(tuple(union), ZERO, sum((m for _, m in missing), ZERO))
            if missing
            else None
        )
    held = sorted({*true, *(x for members, _ in focal for x in members)})
    key = focal, frozenset(true.items())
    if key not in known:
        frame = MassFrame.of(held)
        mass = Mass(frame, {frame.subset(members): share for members, share in focal})
        answer = compatible(mass, {frame.number(x): p for x, p in true.items()})
        known[key] = answer if isinstance(answer, BeliefViolation) else None
    found = known[key]
    if not isinstance(found, BeliefViolation):
        return None
    union = [x for k, x in enumerate(held) if found.subset >> k & 1]
    return Overbelieved(tuple(union), found.probability, found.belief)


def certain(true: Sequence[int]) -> TrueShares:
    """The truth of somebody who knows where each released record comes from."""
    return lambda record: {int(true[record]): Fraction(1)}


def possible(candidates: Candidates) -> TrueShares:
    """The true probability of Definition 6 as Example 8 has it, for somebody who knows
    the masking and both tables: over the originals that the record can come from; once
    for each distinct released record.
    """
    known: dict[int, Shares] = {}
    number = candidates.tuples[1]

    def of(record: int) -> Shares:
        key = int(number[record])
        if key not in known:
            if sum(map(len, known.values())) > KEPT:
                known.clear()
            known[key] = {x: p for x, p in candidates.belief(record).items() if p}
        return known[key]

    return of
