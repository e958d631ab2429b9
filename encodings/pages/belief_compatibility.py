"""Belief functions and a true probability (Torra and Stokes): compatible or not, as
linear constraints over shares.

Plain writers of the two systems of the page, record by record; ``phverify/evidence/``
decides the same by parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from pages.common import File

FOLDER = "belief-compatibility"
Share = Mapping[int, Fraction]
Masses = Mapping[frozenset[int], Fraction]


@dataclass(frozen=True)
class Belief:
    """Masses over sets of the records 1..n, a true probability, and whether they are
    compatible (Definition 7).
    """

    name: str
    n: int
    masses: Masses
    truth: Share
    compatible: bool
    why: str


@dataclass(frozen=True)
class Pair:
    """A guessed probability and the true one over the records 1..n (Definition 14)."""

    name: str
    n: int
    guess: Share
    truth: Share
    compatible: bool
    why: str


def uniform(*records: int) -> dict[int, Fraction]:
    return {x: Fraction(1, len(records)) for x in records}


def sets(**masses: str) -> dict[frozenset[int], Fraction]:
    """``_12="1/2"`` is mass 1/2 on {1, 2}."""
    return {
        frozenset(map(int, name[1:])): Fraction(mass) for name, mass in masses.items()
    }


def pignistic(n: int, masses: Masses) -> dict[int, Fraction]:
    """Each set's mass spread evenly over its members (Definition 4)."""
    return {
        x: sum((m / len(b) for b, m in masses.items() if x in b), Fraction(0))
        for x in range(1, n + 1)
    }


# Six records with ages 18, 16, 19, 22, 24, 24 (Section 2.2) in the intervals 15-19 and
# 20-25; a second attribute tells 1, 2, 6 from the others.  The protected record (15-19,
# first group) comes from 1 or 2.
TRUE = uniform(1, 2)
BY_AGE = sets(_123="1")
EXAMPLE_23 = sets(_12345="5/13", _12345678="8/13")
MOVED = sets(_12="4/13", _12345="5/13", _12345678="4/13")
HALVES = sets(_1="1/2", _12="1/2")
STAR = sets(_12="1/3", _13="1/3", _14="1/3")

BELIEFS = [
    Belief(
        "example_11_both",
        6,
        sets(_12="1"),
        TRUE,
        True,
        "Example 11: all attributes give the candidates 1 and 2.",
    ),
    Belief(
        "example_11_age",
        6,
        BY_AGE,
        TRUE,
        True,
        "Example 11: fewer attributes, more candidates (Proposition 12).",
    ),
    Belief(
        "lemma_13", 6, sets(_136="1"), TRUE, False, "Lemma 13: candidate 2 is left out."
    ),
    Belief("ignorance", 6, sets(_123456="1"), TRUE, True, "Nothing is known."),
    Belief(
        "example_23",
        8,
        EXAMPLE_23,
        TRUE,
        True,
        "Example 23, with the truth one of 1 and 2.",
    ),
    Belief(
        "example_23_moved",
        8,
        MOVED,
        TRUE,
        True,
        "Example 23 after mass has moved to {1, 2}.",
    ),
    Belief(
        "example_23_other",
        8,
        MOVED,
        uniform(3),
        False,
        "The same, if record 3 is the true one.",
    ),
    Belief(
        "proposition_19",
        4,
        STAR,
        uniform(2, 3, 4),
        True,
        "Record 1 is in every set, and is not the true one.",
    ),
    Belief(
        "dempster",
        2,
        sets(_1="3/4", _12="1/4"),
        uniform(1, 2),
        False,
        "Dempster's rule on two halves: too sure.",
    ),
    Belief(
        "coupled",
        2,
        HALVES,
        uniform(1, 2),
        True,
        "The same two, coupled through the truth (Definition 27).",
    ),
]
PAIRS = [
    Pair(
        "example_15", 4, uniform(1, 2, 3), TRUE, True, "Example 15: candidates by age."
    ),
    Pair(
        "proposition_16",
        4,
        uniform(2, 3),
        TRUE,
        False,
        "Proposition 16: the guess excludes the possible record 1.",
    ),
    Pair(
        "proposition_19_guess",
        4,
        pignistic(4, STAR),
        uniform(2, 3, 4),
        True,
        "The likeliest guess is wrong.",
    ),
    Pair(
        "more_than_half",
        4,
        {1: Fraction(2, 3), **{x: Fraction(1, 9) for x in (2, 3, 4)}},
        uniform(2, 3, 4),
        False,
        "An impossible record can have one half at most.",
    ),
    Pair(
        "example_23_guess",
        8,
        pignistic(8, MOVED),
        TRUE,
        True,
        "Example 23: 7/26 = 0.26923.. for 1 and 2.",
    ),
    Pair(
        "example_23_printed",
        8,
        {**pignistic(8, MOVED), 1: Fraction(4, 26), 2: Fraction(4, 26)},
        TRUE,
        False,
        "Example 23 as printed, with 4/26 = 0.1538.. there: no distribution at all, its"
        " sum is 20/26.",
    ),
]


def files() -> Iterator[File]:
    for belief in BELIEFS:
        yield from definition_7(belief)
    for pair in PAIRS:
        yield definition_14(pair)
        if pair.n <= 4:
            yield directly(pair)


def real(value: Fraction) -> str:
    return f"(/ {value.numerator}.0 {value.denominator}.0)"


def plus(terms: list[str]) -> str:
    return f"(+ {' '.join(terms)})" if len(terms) > 1 else terms[0] if terms else "0.0"


def script(unknowns: list[str], claims: list[str]) -> str:
    """Unknown shares >= 0 under some claims."""
    lines = [f"(declare-const {u} Real)\n(assert (>= {u} 0.0))" for u in unknowns]
    return "\n".join(
        [
            "(set-logic QF_LRA)",
            *lines,
            *(f"(assert {c})" for c in claims),
            "(check-sat)",
            "",
        ]
    )


def of(members: frozenset[int]) -> str:
    return "_".join(map(str, sorted(members)))


def told(shares: Share) -> str:
    return ", ".join(f"{x}: {p}" for x, p in sorted(shares.items()) if p)


def definition_7(belief: Belief) -> Iterator[File]:
    """The transport, and the set that violates P(C) >= Bel(C)."""
    header = (
        f"over the records 1 to {belief.n}.  {belief.why}",
        (
            "masses:"
            f" {'; '.join(f'{{{of(b)}}} {m}'.replace('_', ', ') for b, m in belief.masses.items())}"
        ),
        f"true probability: {told(belief.truth)}",
    )
    status = "sat" if belief.compatible else "unsat"
    first = (
        "Is the belief function compatible with the true probability (Definition 7)? "
        " As a transport."
    )
    meaning = (
        "sat: compatible, unsat: not",
        "f_B_x: the mass that the set B hands to its member x",
    )
    yield File(
        f"{FOLDER}/{belief.name}.transport.smt2",
        status,
        (first, *header, *meaning),
        transport(belief),
    )
    first = (
        "Is there a set of records that is believed more than it is probable (against"
        " Definition 7)?"
    )
    meaning = (
        "sat: its members are a witness, unsat: compatible",
        "in_x: whether record x is in the set",
    )
    opposite = "unsat" if belief.compatible else "sat"
    yield File(
        f"{FOLDER}/{belief.name}.violated.smt2",
        opposite,
        (first, *header, *meaning),
        violated(belief),
    )


def transport(belief: Belief) -> str:
    """Every focal set hands its mass to its members so that each record receives its
    probability.
    """
    flow = {
        (b, x): f"f_{of(b)}_{x}" if len(b) > 1 else f"f_{x}_{x}"
        for b in belief.masses
        for x in sorted(b)
    }
    gives = [
        (plus([u for (b, _), u in flow.items() if b == c]), m)
        for c, m in belief.masses.items()
    ]
    takes = [
        (
            plus([u for (_, y), u in flow.items() if y == x]),
            belief.truth.get(x, Fraction(0)),
        )
        for x in range(1, belief.n + 1)
    ]
    return script(
        list(flow.values()),
        [f"(= {left} {real(right)})" for left, right in (*gives, *takes)],
    )


def violated(belief: Belief) -> str:
    """A set C with Bel(C) > P(C)."""
    lines = [
        "(set-logic QF_LRA)",
        *(f"(declare-const in_{x} Bool)" for x in range(1, belief.n + 1)),
    ]
    inside = [
        (
            f"(and {' '.join(f'in_{x}' for x in sorted(b))})"
            if len(b) > 1
            else f"in_{min(b)}"
        )
        for b in belief.masses
    ]
    believed = [
        f"(ite {c} {real(m)} 0.0)"
        for c, m in zip(inside, belief.masses.values(), strict=True)
    ]
    probable = [f"(ite in_{x} {real(p)} 0.0)" for x, p in belief.truth.items()]
    return "\n".join(
        [*lines, f"(assert (> {plus(believed)} {plus(probable)}))", "(check-sat)", ""]
    )


def _pair_header(pair: Pair) -> tuple[str, ...]:
    return (
        f"over the records 1 to {pair.n}.  {pair.why}",
        f"guess: {told(pair.guess)}",
        f"true probability: {told(pair.truth)}",
        (
            "sat: some belief function compatible with the truth has the guess as its"
            " pignistic distribution; unsat: none"
        ),
    )


def definition_14(pair: Pair) -> File:
    """The matrix F of the page's theorem: n^2 unknowns instead of 2^n."""
    records = range(1, pair.n + 1)
    rows = [
        (plus([f"F_{x}_{y}" for y in records]), pair.truth.get(x, Fraction(0)))
        for x in records
    ]
    columns = [
        (plus([f"F_{x}_{y}" for x in records]), pair.guess.get(y, Fraction(0)))
        for y in records
    ]
    claims = [f"(= {left} {real(right)})" for left, right in (*rows, *columns)]
    claims += [f"(>= F_{x}_{x} F_{x}_{y})" for x in records for y in records if x != y]
    first = (
        "Is the guess compatible with the true probability (Definition 14)?  As the"
        " matrix F."
    )
    header = (
        first,
        *_pair_header(pair),
        "F_x_y: what record x, when it is the true one, gives to the guess y",
    )
    text = script([f"F_{x}_{y}" for x in records for y in records], claims)
    return File(
        f"{FOLDER}/{pair.name}.matrix.smt2",
        "sat" if pair.compatible else "unsat",
        header,
        text,
    )


def directly(pair: Pair) -> File:
    """Definition 14 word for word: a mass for each of the 2^n - 1 sets, handed to its
    members.
    """
    records = range(1, pair.n + 1)
    every = [frozenset(c) for k in records for c in combinations(records, k)]
    flow = {(b, x): f"f_{of(b)}_to_{x}" for b in every for x in sorted(b)}
    takes = [
        (
            plus([u for (_, y), u in flow.items() if y == x]),
            pair.truth.get(x, Fraction(0)),
        )
        for x in records
    ]
    spread = [
        (
            plus(
                [
                    f"(* {real(Fraction(1, len(b)))} {u})"
                    for (b, _), u in flow.items()
                    if y in b
                ]
            ),
            pair.guess.get(y, Fraction(0)),
        )
        for y in records
    ]
    claims = [f"(= {left} {real(right)})" for left, right in (*takes, *spread)]
    first = (
        "Is the guess compatible with the true probability (Definition 14)?  By"
        " explicit masses."
    )
    header = (
        first,
        *_pair_header(pair),
        "f_B_to_x: the part of the mass of the set B that goes to its member x",
    )
    status = "sat" if pair.compatible else "unsat"
    return File(
        f"{FOLDER}/{pair.name}.direct.smt2",
        status,
        header,
        script(list(flow.values()), claims),
    )
