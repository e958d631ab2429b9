"""Belief functions by enumeration of all subsets, and random ones: what the evidence
tests compare with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from hypothesis import strategies as st

from phverify.constraints.solver import solve
from phverify.linkage.belief.mass import Mass, from_counts
from phverify.linkage.belief.mass_frame import MassFrame, Subset
from phverify.spec.bitset import bits, members

F = Fraction
Shares = Mapping[int, Fraction]


def uniform(*records: int) -> dict[int, Fraction]:
    return {x: F(1, len(records)) for x in records}


def masses(n: int, **named: str) -> Mass:
    """``_12="1/2"`` is mass 1/2 on the records 1 and 2 of the frame 0..n-1."""
    return Mass(
        MassFrame.numbered(n),
        {bits(map(int, name[1:])): F(m) for name, m in named.items()},
    )


def subsets(n: int) -> Iterator[Subset]:
    return iter(range(1 << n))


def believed(mass: Mass, subset: Subset) -> Fraction:
    """Bel from its definition, over sets of records rather than masks."""
    inside = set(members(subset))
    return sum((m for b, m in mass.focal.items() if set(members(b)) <= inside), F(0))


def probable(truth: Shares, subset: Subset) -> Fraction:
    return sum((truth.get(x, F(0)) for x in members(subset)), F(0))


def compatible_by_subsets(mass: Mass, truth: Shares) -> bool:
    """Definition 7, word for word."""
    return all(
        probable(truth, c) >= believed(mass, c) for c in subsets(len(mass.frame))
    )


def sound_by_subsets(guess: Shares, truth: Shares, n: int) -> bool:
    """Definition 14, word for word: a mass for each of the 2^n - 1 sets, and an
    allocation (encodings page).
    """
    every = [frozenset(c) for k in range(1, n + 1) for c in combinations(range(n), k)]
    flow = {
        (b, x): f"f_{'_'.join(map(str, sorted(b)))}_to_{x}" for b in every for x in b
    }
    lines = [
        f"(declare-const {name} Real)(assert (>= {name} 0.0))" for name in flow.values()
    ]
    for x in range(n):
        taken = " ".join(name for (_, y), name in flow.items() if y == x)
        spread = " ".join(
            f"(* (/ 1.0 {len(b)}.0) {name})" for (b, _), name in flow.items() if x in b
        )
        for terms, share in ((taken, truth.get(x, F(0))), (spread, guess.get(x, F(0)))):
            lines.append(
                f"(assert (= (+ 0.0 {terms}) (/ {share.numerator}.0"
                f" {share.denominator}.0)))"
            )
    return solve("\n".join(lines)).status == "sat"


@st.composite
def random_masses(draw: st.DrawFn, n: int, most: int = 5) -> Mass:
    """A few focal sets over n records, with small integer weights."""
    sets = st.integers(1, (1 << n) - 1)
    return from_counts(
        MassFrame.numbered(n),
        draw(st.dictionaries(sets, st.integers(1, 6), min_size=1, max_size=most)),
    )


@st.composite
def random_shares(draw: st.DrawFn, n: int, top: int = 6) -> dict[int, Fraction]:
    """A probability over n records with small integer weights, some of them 0."""
    weights = draw(st.lists(st.integers(0, top), min_size=n, max_size=n).filter(any))
    return {x: F(w, sum(weights)) for x, w in enumerate(weights)}


@st.composite
def random_matrices(draw: st.DrawFn, n: int) -> dict[tuple[int, int], Fraction]:
    """F >= 0 with the highest value of each row on the diagonal, and sum 1."""
    rows = [draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)) for _ in range(n)]
    for x, row in enumerate(rows):
        row[x] = max(row)
    total = sum(map(sum, rows)) or 1
    if total == 1 and not any(map(sum, rows)):
        rows[0][0] = 1
    return {
        (x, y): F(v, total)
        for x, row in enumerate(rows)
        for y, v in enumerate(row)
        if v
    }


def sums(matrix: Mapping[tuple[int, int], Fraction], side: int) -> dict[int, Fraction]:
    """Row sums (side 0) or column sums (side 1)."""
    found: dict[int, Fraction] = {}
    for place, value in matrix.items():
        found[place[side]] = found.get(place[side], F(0)) + value
    return found


@st.composite
def allocated(draw: st.DrawFn, n: int) -> tuple[Mass, dict[int, Fraction]]:
    """A mass, and a truth with which it is compatible: every set hands its mass to its
    members.
    """
    mass = draw(random_masses(n))
    truth: dict[int, Fraction] = {}
    for b, m in mass.focal.items():
        inside = list(members(b))
        weights = draw(
            st.lists(
                st.integers(0, 3), min_size=len(inside), max_size=len(inside)
            ).filter(any)
        )
        for x, w in zip(inside, weights, strict=True):
            truth[x] = truth.get(x, F(0)) + m * F(w, sum(weights))
    return mass, {x: p for x, p in truth.items() if p}
