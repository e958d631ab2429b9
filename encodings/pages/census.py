"""The census block of Garfinkel, Abowd and Martindale (2019): seven people from their
published statistics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pages.common import File

FOLDER = "audit"
PEOPLE = 7
TRAITS = {"female": "F", "black": "B", "married": "M"}
SOLUTION = [
    (8, "F", "B", "S"),
    (18, "M", "W", "S"),
    (24, "F", "W", "S"),
    (30, "M", "W", "M"),
    (36, "F", "B", "M"),
    (66, "F", "B", "M"),
    (84, "M", "B", "M"),
]
"""Age, sex, race, marital status, by age: the only block with these statistics."""


@dataclass(frozen=True)
class Group:
    """Published about a group: how many, the median, and the mean in tenths; ``member``
    is about the person {r}.
    """

    name: str
    member: str
    many: int
    median: int
    tenths: int


GROUPS = [
    Group("total", "true", 7, 30, 380),
    Group("female", "female{r}", 4, 30, 335),
    Group("male", "(not female{r})", 3, 30, 440),
    Group("black", "black{r}", 4, 51, 485),
    Group("white", "(not black{r})", 3, 24, 240),
    Group("married adults", "married{r}", 4, 51, 540),
    Group("black females", "(and black{r} female{r})", 3, 36, 367),
]
SHARED = (
    (
        "The statistics of Garfinkel, Abowd and Martindale, 2019 (means are rounded to"
        " tenths):"
    ),
    *(
        f"  {g.name}: {g.many} people, median age {g.median}, mean"
        f" {g.tenths // 10}.{g.tenths % 10}"
        for g in GROUPS
    ),
    (
        "the married are 15 or older; other groups are suppressed, because they have"
        " fewer than 3 people"
    ),
    "unknowns: age0 <= .. <= age6 (0 to 125); female, black, married of each person",
)


def plus(terms: Sequence[str]) -> str:
    return f"(+ {' '.join(terms)})" if len(terms) > 1 else terms[0]


def conj(claims: Sequence[str]) -> str:
    return f"(and {' '.join(claims)})" if len(claims) > 1 else claims[0]


def count(claims: Sequence[str]) -> str:
    """How many of several claims are true."""
    return plus([f"(ite {claim} 1 0)" for claim in claims])


def mean(tenths: int, many: int, total: str) -> str:
    """A mean that was rounded to tenths: twenty times the sum lies within ``many`` of 2
    * tenths * many.
    """
    return f"(<= {many * (2 * tenths - 1)} (* 20 {total}) {many * (2 * tenths + 1)})"


def smallest(inside: Sequence[str], k: int, value: int) -> Iterator[str]:
    """A value is the k-th smallest of a group: fewer than k members are below it, and
    at least k not above.
    """
    yield (
        f"(< {count([f'(and {m} (< age{r} {value}))' for r, m in enumerate(inside)])}"
        f" {k})"
    )
    yield (
        f"(>= {count([f'(and {m} (<= age{r} {value}))' for r, m in enumerate(inside)])}"
        f" {k})"
    )


def middle(inside: Sequence[str], k: int, twice: int) -> Iterator[str]:
    """People are sorted by age: the k-th and the next member of the group have ages
    that add up to this.
    """
    rank = [count(inside[: r + 1]) for r in range(len(inside))]
    for a in range(len(inside)):
        for b in range(a + 1, len(inside)):
            here = [
                inside[a],
                inside[b],
                f"(= {rank[a]} {k})",
                f"(= {rank[b]} {k + 1})",
            ]
            yield f"(=> {conj(here)} (= (+ age{a} age{b}) {twice}))"


def statistics(group: Group) -> Iterator[str]:
    """Count, mean and median of a group."""
    inside = [group.member.format(r=r) for r in range(PEOPLE)]
    yield f"(= {count(inside)} {group.many})"
    yield mean(
        group.tenths,
        group.many,
        plus([f"(ite {m} age{r} 0)" for r, m in enumerate(inside)]),
    )
    if group.many % 2:
        yield from smallest(inside, group.many // 2 + 1, group.median)
    else:
        yield from middle(inside, group.many // 2, 2 * group.median)


def block(claims: Sequence[str]) -> str:
    """Seven people by age, the statistics of each group, and further claims."""
    lines = ["(set-logic QF_LIA)"]
    for r in range(PEOPLE):
        lines += [f"(declare-const age{r} Int)\n(assert (<= 0 age{r} 125))"]
        lines += [f"(declare-const {trait}{r} Bool)" for trait in TRAITS]
        lines += [f"(assert (=> married{r} (>= age{r} 15)))"]
    lines += [f"(assert (<= age{a} age{b}))" for a, b in pairwise(range(PEOPLE))]
    for group in GROUPS:
        lines += [
            f"; {group.name}",
            *(f"(assert {claim})" for claim in statistics(group)),
        ]
    return "\n".join([*lines, *(f"(assert {c})" for c in claims), "(check-sat)", ""])


def person(r: int, age: int, *letters: str) -> list[str]:
    """The claims that person r is so old and has these traits."""
    traits = zip(TRAITS.items(), letters, strict=True)
    return [
        f"(= age{r} {age})",
        *(f"{t}{r}" if said == yes else f"(not {t}{r})" for (t, yes), said in traits),
    ]


def files() -> Iterator[File]:
    """One world exists, and no other."""
    first = "Is there a block of seven people with these statistics?"
    yield File(
        f"{FOLDER}/census.possible.smt2",
        "sat",
        (first, *SHARED, "sat: a model is one"),
        block([]),
    )
    known = conj(
        [
            claim
            for r, (age, *letters) in enumerate(SOLUTION)
            for claim in person(r, age, *letters)
        ]
    )
    listed = "; ".join(" ".join(map(str, one)) for one in SOLUTION)
    first = (
        f"Is there another block of seven people with these statistics than {listed}?"
    )
    last = (
        "unsat: that block is the only one, so that everything about everyone is"
        " disclosed"
    )
    yield File(
        f"{FOLDER}/census.other.smt2",
        "unsat",
        (first, *SHARED, last),
        block([f"(not {known})"]),
    )
