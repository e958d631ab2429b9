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
from itertools import product
from typing import Any

from phverify.errors import InputError
from phverify.exact import ZERO, common_denominator
from phverify.linkage.belief.mass import probability_problems

Prices = dict[Hashable, Fraction]
"""The price of each record; a record that is left out has 0."""
Entries = dict[tuple[Hashable, Hashable], Fraction]
"""F(x, y) by pairs of records, without zeros."""
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

    def matrix(self) -> Entries:
        """F record by record, without its zeros."""
        entries: Entries = {}
        for (i, j), share in self.cells.items():
            if not share:
                continue
            rows = self.parts[i].records
            columns = self.parts[j].records
            for x, y in product(rows, columns):
                if x != y:
                    entries[x, y] = share

        for part, own in zip(self.parts, self.own, strict=True):
            if not own:
                continue
            for x in part.records:
                entries[x, x] = own

        return entries


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
    problems = probability_problems("guess", guess)
    problems += probability_problems("true probability", truth)
    if problems:
        raise InputError(problems)
    return same_parts(guess, truth)


def same_parts(guess: Guess, truth: Guess) -> tuple[PlanPart, ...]:
    """The records with a share, those with equal shares in one part."""
    alike: dict[tuple[Fraction, Fraction], list[Hashable]] = defaultdict(list)
    for record in dict.fromkeys((*truth, *guess)):
        true = Fraction(truth.get(record, 0))
        guessed = Fraction(guess.get(record, 0))
        if true or guessed:
            alike[true, guessed].append(record)

    parts: list[PlanPart] = []
    for (true, guessed), records in alike.items():
        parts.append(PlanPart(tuple(records), true, guessed))
    return tuple(parts)


def check_plan(plan: Plan, guess: Guess, truth: Guess) -> bool:
    """Whether F >= 0 has the rows and columns it must have, and no entry above its
    diagonal.
    """
    parts = plan.parts
    numbers = range(len(parts))
    if len(plan.own) != len(parts):
        return False
    # nothing that the search should see to is taken for granted
    if not all(i in numbers and j in numbers for i, j in plan.cells):
        return False
    if not _cover(parts, guess, truth):
        return False
    shares = [share for part in parts for share in (part.truth, part.guess)]
    scale = common_denominator([*plan.own, *plan.cells.values(), *shares])
    own = [_units(share, scale) for share in plan.own]
    sizes = [len(part.records) for part in parts]
    rows, columns = list(own), list(own)
    for (i, j), share in plan.cells.items():
        amount = _units(share, scale)
        # how many other records a record of one part meets in the other
        across = sizes[j] - (i == j)
        down = sizes[i] - (i == j)
        if not 0 <= amount <= own[i]:
            return False
        # a part of one record has no other one
        if amount and not (across and down):
            return False
        rows[i] += amount * across
        columns[j] += amount * down

    if min(own) < 0:
        return False
    wanted_rows = [_units(part.truth, scale) for part in parts]
    wanted_columns = [_units(part.guess, scale) for part in parts]
    return rows == wanted_rows and columns == wanted_columns


def _cover(parts: Sequence[PlanPart], guess: Guess, truth: Guess) -> bool:
    """Whether each record with a share is in one part, which has its shares."""
    seen = Counter(record for part in parts for record in part.records)
    for part in parts:
        for record in part.records:
            if truth.get(record, 0) != part.truth:
                return False
            if guess.get(record, 0) != part.guess:
                return False

    for shares in (guess, truth):
        for record, share in shares.items():
            if share and record not in seen:
                return False

    return max(seen.values()) == 1


def _units(share: Fraction, scale: int) -> int:
    """A share as an integer over ``scale``, which its denominator divides."""
    return share.numerator * (scale // share.denominator)


def check_farkas(witness: Farkas, guess: Guess, truth: Guess) -> bool:
    """Whether the guess is worth ``claimed``, sound guesses at most ``most``, and
    ``claimed > most``.
    """
    recomputed = farkas(witness.prices, guess, truth)
    if recomputed.claimed != witness.claimed:
        return False
    if recomputed.most != witness.most:
        return False
    return recomputed.claimed > recomputed.most


def proves(proof: Plan | Farkas, guess: Guess, truth: Guess) -> bool:
    """Whether a plan proves that the guess is sound, or prices that it is not."""
    if isinstance(proof, Plan):
        return check_plan(proof, guess, truth)
    return check_farkas(proof, guess, truth)


def most_worth(price: Guess, guess: Guess, truth: Guess) -> Fraction:
    """Sum of P(x) times the highest average price of a set of records (with a share)
    that contains x.
    """
    held = [r for r in dict.fromkeys((*truth, *guess)) if truth.get(r) or guess.get(r)]
    prices = {record: price.get(record, ZERO) for record in held}
    # over one denominator prices compare and add up as integers
    scale = common_denominator(list(prices.values()))
    cost = {record: _units(share, scale) for record, share in prices.items()}
    groups = sorted(Counter(cost.values()).items(), reverse=True)
    # records of one price have one highest average
    weight: dict[int, Fraction] = defaultdict(Fraction)
    for record, share in truth.items():
        if share:
            weight[cost[record]] += share

    worth = (share * highest_average(c, groups) for c, share in weight.items())
    return sum(worth, ZERO) / scale


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
        total += cost * many
        count += many

    return Fraction(total, count)


def farkas(prices: Guess, guess: Guess, truth: Guess) -> Farkas:
    """Prices with what they come to; whether they prove anything is for
    ``check_farkas`` to say.
    """
    nonzero: Prices = {}
    for record, price in prices.items():
        if price:
            nonzero[record] = Fraction(price)

    claimed = ZERO
    for record, share in guess.items():
        if record in nonzero:
            claimed += share * nonzero[record]

    most = most_worth(nonzero, guess, truth)
    return Farkas(nonzero, claimed, most)


def priced(
    parts: Sequence[PlanPart],
    costs: Sequence[int | Fraction],
    guess: Guess,
    truth: Guess,
) -> Farkas:
    """The same from the price of each part."""
    prices: Prices = {}
    for part, cost in zip(parts, costs, strict=True):
        price = Fraction(cost)
        for record in part.records:
            prices[record] = price
    return farkas(prices, guess, truth)
