"""Proofs for Definition 14 and their checks, in plain integers and fractions: nothing
here knows a solver.

**Theorem** (``encodings/belief-compatibility.md``, Theorem 2).  A guess P' is
compatible with P iff there is F >= 0 with row sums P(x), column sums P'(y) and F(x, x)
>= F(x, y) for all y.  F(x, y) is what x, when it is the true record, gives to the guess
y.

**Parts.**  Records with equal true shares and equal guessed shares may be exchanged:
            the conditions on F are convex
and do not tell them apart, so that the average of F over all such exchanges is a
solution as well.  In it F(x, x)
depends on the part of x alone, and F(x, y) for x != y on the two parts.  Records with
both shares 0 have rows and
columns of zeros.

**Prices** (Farkas).  Let every record have a price.  If a compatible Bel has the
pignistic distribution P', and f is an allocation of its masses, then sum of P'(y)
price(y) = sum over x and B of f(B, x) * (average price in B), and each B with f(B, x) >
0 contains x, and lies within the records of P' > 0.  So the guess is worth at most the
sum of P(x) * (highest average price of a set that contains x).  A guess that is worth
more is unsound.  (The multipliers u, v, w of the linear program are these: v the
prices, u(x) minus the highest average, w what is left.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from phverify.errors import InputError
from phverify.exact import ZERO, common_denominator
from phverify.linkage.belief.mass import probability_problems

Guess = Mapping[Any, Fraction]
"""A probability by record; a record that is left out has 0."""


@dataclass(frozen=True)
class PlanPart:
    """Records that play the same part: they have the same true share and the same
    guessed share, not both 0.
    """

    records: tuple[Hashable, ...]
    truth: Fraction
    guess: Fraction


@dataclass(frozen=True)
class Plan:
    """Proof that a guess is sound: F by parts.

    ``own[i]`` is F(x, x) for x in part i, and ``cells[i, j]`` is F(x, y) for x in part
    i and every other record y of part j (0 where left out).
    """

    parts: tuple[PlanPart, ...]
    own: tuple[Fraction, ...]
    cells: Mapping[tuple[int, int], Fraction]

    def matrix(self) -> dict[tuple[Hashable, Hashable], Fraction]:
        """F record by record, without its zeros."""
        found: dict[tuple[Hashable, Hashable], Fraction] = {}
        for (i, j), share in self.cells.items():
            pairs = (
                (x, y)
                for x in self.parts[i].records
                for y in self.parts[j].records
                if x != y
            )
            found.update((pair, share) for pair in pairs if share)
        for part, own in zip(self.parts, self.own, strict=True):
            found.update(((x, x), own) for x in part.records if own)
        return found


@dataclass(frozen=True)
class Farkas:
    """Witness that a guess is unsound: prices of records (0 where left out).

    The guess is worth ``claimed``; no pignistic distribution of a compatible belief
    function on the same records can be worth more than ``most``.
    """

    prices: Mapping[Hashable, Fraction]
    claimed: Fraction
    most: Fraction


def parts_of(guess: Guess, truth: Guess) -> tuple[PlanPart, ...]:
    """The records with a share, by the part they play.  Raises InputError where shares
    are no probability.
    """
    problems = probability_problems("guess", guess) + probability_problems(
        "true probability", truth
    )
    if problems:
        raise InputError(problems)
    return same_parts(guess, truth)


def same_parts(guess: Guess, truth: Guess) -> tuple[PlanPart, ...]:
    """The records with a share, those with equal shares in one part."""
    alike: dict[tuple[Fraction, Fraction], list[Hashable]] = defaultdict(list)
    for record in dict.fromkeys((*truth, *guess)):
        alike[Fraction(truth.get(record, 0)), Fraction(guess.get(record, 0))].append(
            record
        )
    return tuple(
        PlanPart(tuple(records), p, q) for (p, q), records in alike.items() if p or q
    )


def check_plan(plan: Plan, guess: Guess, truth: Guess) -> bool:
    """Whether F >= 0 has the rows and columns it must have, and no entry above its
    diagonal.
    """
    parts, cells = plan.parts, plan.cells
    numbers, sizes = range(len(parts)), [len(part.records) for part in parts]
    if len(plan.own) != len(parts) or not all(
        i in numbers and j in numbers for i, j in cells
    ):
        return False
    # each record with a share is in one part, and the parts tell its shares
    seen = Counter(record for part in parts for record in part.records)
    needed = {r for shares in (guess, truth) for r, p in shares.items() if p}
    told = all(
        (truth.get(r, 0), guess.get(r, 0)) == (part.truth, part.guess)
        for part in parts
        for r in part.records
    )
    if not (told and needed <= seen.keys() and max(seen.values()) == 1):
        return False
    scale = common_denominator(
        [
            *plan.own,
            *cells.values(),
            *(p for part in parts for p in (part.truth, part.guess)),
        ]
    )
    own = [_units(share, scale) for share in plan.own]
    rows, columns = list(own), list(own)
    for (i, j), share in cells.items():
        amount = _units(share, scale)
        others = sizes[j] - (i == j), sizes[i] - (i == j)
        if not 0 <= amount <= own[i] or (
            amount and not all(others)
        ):  # a part of one record has no other one
            return False
        rows[i] += amount * others[0]
        columns[j] += amount * others[1]
    wanted = zip(parts, rows, columns, strict=True)
    summed = all(
        (r, c) == (_units(p.truth, scale), _units(p.guess, scale)) for p, r, c in wanted
    )
    return min(own) >= 0 and summed


def _units(share: Fraction, scale: int) -> int:
    return share.numerator * (scale // share.denominator)


def check_farkas(witness: Farkas, guess: Guess, truth: Guess) -> bool:
    """Whether the guess is worth ``claimed``, sound guesses at most ``most``, and
    ``claimed > most``.
    """
    found = farkas(witness.prices, guess, truth)
    return (found.claimed, found.most) == (
        witness.claimed,
        witness.most,
    ) and found.claimed > found.most


def proves(found: Plan | Farkas, guess: Guess, truth: Guess) -> bool:
    """Whether a plan proves that the guess is sound, or prices that it is not."""
    return (
        check_plan(found, guess, truth)
        if isinstance(found, Plan)
        else check_farkas(found, guess, truth)
    )


def most_worth(price: Guess, guess: Guess, truth: Guess) -> Fraction:
    """Sum of P(x) times the highest average price of a set of records (with a share)
    that contains x.
    """
    held = [r for r in dict.fromkeys((*truth, *guess)) if truth.get(r) or guess.get(r)]
    scale = common_denominator([price.get(r, ZERO) for r in held])
    cost = {r: _units(price.get(r, ZERO), scale) for r in held}
    groups = sorted(Counter(cost.values()).items(), reverse=True)
    weight: dict[int, Fraction] = defaultdict(Fraction)
    for record, share in truth.items():
        if share:
            weight[cost[record]] += share
    return (
        sum((w * highest_average(c, groups) for c, w in weight.items()), ZERO) / scale
    )


def highest_average(own: int, groups: Sequence[tuple[int, int]]) -> Fraction:
    """The highest average of a set with one price ``own`` in it, from (price, how many)
    with falling prices.

    Whatever is above the average so far raises it, so it is taken from the top while it
    is.  (``own`` is itself in the groups, and never above an average of which it is a
    part: it is not taken twice.)
    """
    total, count = own, 1
    for cost, many in groups:
        if cost * count <= total:
            break
        total, count = total + cost * many, count + many
    return Fraction(total, count)


def farkas(prices: Guess, guess: Guess, truth: Guess) -> Farkas:
    """Prices with what they come to; whether they prove anything is for
    ``check_farkas`` to say.
    """
    kept = {r: Fraction(c) for r, c in prices.items() if c}
    claimed = sum((p * kept.get(r, 0) for r, p in guess.items()), ZERO)
    return Farkas(kept, claimed, most_worth(kept, guess, truth))


def priced(
    parts: Sequence[PlanPart],
    costs: Sequence[int | Fraction],
    guess: Guess,
    truth: Guess,
) -> Farkas:
    """The same from the price of each part."""
    both = zip(parts, costs, strict=True)
    return farkas(
        {record: Fraction(cost) for part, cost in both for record in part.records},
        guess,
        truth,
    )
