"""The encodings page on belief compatibility and ``phverify/evidence/`` say the same of
the same cases.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from support.encodings_cases import BELIEF
from support.evidence_oracle import random_shares

from phverify.constraints.solver import solve
from phverify.errors import InputError
from phverify.linkage.belief.compatible import Allocation, compatible
from phverify.linkage.belief.frame import Frame
from phverify.linkage.belief.linear import plan_text, price_text
from phverify.linkage.belief.mass import Mass
from phverify.linkage.belief.pignistic_compatible import sound
from phverify.linkage.belief.plans import Farkas, Part, Plan
from phverify.spec.bitset import bits


@pytest.mark.parametrize("belief", BELIEF.BELIEFS, ids=lambda b: b.name)
def test_definition_7(belief: Any) -> None:
    mass = Mass(
        Frame.numbered(belief.n + 1), {bits(b): m for b, m in belief.masses.items()}
    )
    assert isinstance(compatible(mass, belief.truth), Allocation) == belief.compatible


@pytest.mark.parametrize("pair", BELIEF.PAIRS, ids=lambda p: p.name)
def test_definition_14(pair: Any) -> None:
    if sum(pair.guess.values()) != 1:  # the printed Example 23
        with pytest.raises(InputError, match="the shares sum to 10/13"):
            sound(pair.guess, pair.truth)
    else:
        assert isinstance(sound(pair.guess, pair.truth), Plan) == pair.compatible


@pytest.mark.parametrize(
    "pair", [p for p in BELIEF.PAIRS if p.n <= 4], ids=lambda p: p.name
)
def test_record_by_record_and_by_parts(pair: Any) -> None:
    """The linear program of the code, each record a part of its own, is the page's; the
    prices exist iff F does not.
    """
    shares = [
        (pair.truth.get(x, Fraction(0)), pair.guess.get(x, Fraction(0)))
        for x in range(1, pair.n + 1)
    ]
    apart = [Part((x,), p, q) for x, (p, q) in enumerate(shares) if p or q]
    assert solve(plan_text(apart)).status == ("sat" if pair.compatible else "unsat")
    assert solve(price_text(apart)).status == ("unsat" if pair.compatible else "sat")


@given(random_shares(4), random_shares(4))
def test_prices_are_the_pages_weights(
    guess: dict[int, Fraction], truth: dict[int, Fraction]
) -> None:
    """From v alone: u is minus the highest average, w what lies above it; then all of
    the page's conditions hold.
    """
    found = sound(guess, truth)
    assume(isinstance(found, Farkas))
    assert isinstance(found, Farkas)
    held = [x for x in range(4) if guess[x] or truth[x]]
    v = {x: Fraction(found.prices.get(x, 0)) for x in held}
    u = {x: -highest(x, v) for x in held}
    w = {(x, y): max(Fraction(0), u[x] + v[y]) for x in held for y in held if y != x}
    assert all(u[x] + v[y] - w[x, y] <= 0 for x, y in w)
    assert all(u[x] + v[x] + sum(w[x, z] for z in held if z != x) <= 0 for x in held)
    assert sum(u[x] * truth[x] + v[x] * guess[x] for x in held) > 0


def highest(x: int, v: dict[int, Fraction]) -> Fraction:
    """The highest average of a set with x, over all sets."""
    others = [y for y in v if y != x]
    sets = [
        [x, *(y for k, y in enumerate(others) if b >> k & 1)]
        for b in range(1 << len(others))
    ]
    return max(sum((v[y] for y in s), Fraction(0)) / len(s) for s in sets)
