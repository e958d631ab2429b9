"""Likelihoods as sums of 0/1 unknowns: sums on both sides, absolute values, nesting."""

from __future__ import annotations

from collections.abc import Iterator

from pages.common import File, Rule, both, hospital

FOLDER = "likelihoods"
SECRETS = {
    "*": [{"formula": "health = 2", "weight": 1}],
    "i3": [{"formula": "income = '100K'", "weight": 1}],
}
RULES = [
    Rule(
        "joint_share",
        "l_a1(i3 & health = 2) <= 1/2",
        "proved",
        "i3 is on one row of two.",
        hospital(),
    ),
    Rule(
        "too_low",
        "l_a1(i3 & health = 2) <= 1/3",
        "refuted",
        "If i3 is on the ill row it is 1/2.",
        hospital(),
    ),
    Rule(
        "sum",
        "l_a1(i3 & health = 2) + l_a1(i4 & health = 2) <= 1/2",
        "proved",
        "Only one of the two can be on the ill row.",
        hospital(),
    ),
    Rule(
        "both_sides",
        "2 * l_a1(i3) >= 4 * l_a0(i3 & health = 2)",
        "refuted",
        "In another class l_a1(i3) is 0, and l_a0 looks at all rows.",
        hospital(),
    ),
    Rule(
        "distance",
        "abs(l_a1(i3 & health = 2) - l_a1(i4 & health = 2)) <= 1/2",
        "proved",
        "An absolute value is written out by its sign.",
        hospital(),
    ),
    Rule(
        "distance_too_low",
        "abs(l_a1(i3 & health = 2) - l_a1(i4 & health = 2)) <= 1/4",
        "refuted",
        "One of the two is on the ill row, and the difference is 1/2.",
        hospital(),
    ),
    Rule(
        "nested",
        "l_a0(l_a1(i3) >= 1/2) = 1/4",
        "proved",
        "In 2 rows of 8, l_a1(i3) is 1/2.",
        hospital(),
    ),
    Rule(
        "strict",
        "l_a1(i3 & health = 2) < 1/2",
        "refuted",
        "1/2 is reached.",
        hospital(),
    ),
    Rule(
        "different",
        "l_a1(i3 & health = 2) != 1/3",
        "proved",
        "It is 0 or 1/2.",
        hospital(),
    ),
    Rule(
        "expected",
        "weighted_safety(3/2)",
        "proved",
        "i3 must expect 1/2 + 1/2, the others 1/2.",
        hospital(secrets=SECRETS),
    ),
    Rule(
        "too_serious",
        "weighted_safety(3/4)",
        "refuted",
        "i3 must expect 1.",
        hospital(secrets=SECRETS),
    ),
]


def files() -> Iterator[File]:
    for rule in RULES:
        yield from both(FOLDER, rule)
