"""Who can be where: named individuals, pseudonyms, agents, assumptions."""

from __future__ import annotations

from collections.abc import Iterator

from pages.common import File, Rule, both, hospital, repaired

FOLDER = "release-models"
TIP = {"tip": "@i3 ~(health = 2)"}
INSURER = {"insurer": ["zip"]}
RULES = [
    Rule(
        "own_class",
        "@i3 (d3 | d4)",
        "proved",
        "Everyone is on a row of the own class.",
        hospital(),
    ),
    Rule("own_row", "@i3 d3", "refuted", "On which one is open.", hospital()),
    Rule(
        "apart", "i3 -> ~i4", "proved", "No two individuals are on one row.", hospital()
    ),
    Rule(
        "exchange",
        "@i3 health = 2 <-> ~(@i4 health = 2)",
        "proved",
        "One of the two is ill.",
        hospital(),
    ),
    Rule(
        "not_both",
        "~[a1](@i3 health = 2 & @i4 health = 2)",
        "proved",
        "Their class has one row with health 2, and nobody shares a row.",
        hospital(),
    ),
    Rule(
        "someone_is_ill",
        "~(@i3 health = 2 | @i4 health = 2)",
        "refuted",
        "The two fill their class, so that one of them is on the row with health 2.",
        hospital(),
    ),
    Rule(
        "three_for_two",
        "~(@i1 health = 0 & @i2 health = 0 & @i3 health = 0)",
        "proved",
        "A pigeonhole: three individuals, and their class of four has two rows with"
        " health 0.",
        repaired(),
    ),
    Rule(
        "two_for_two",
        "~(@i1 health = 0 & @i2 health = 0)",
        "refuted",
        "Two rows for two individuals.",
        repaired(),
    ),
    Rule(
        "same_zip",
        "@i5 <insurer> i7",
        "proved",
        "Both have zip 26***, all that it knows.",
        hospital(agents=INSURER),
    ),
    Rule(
        "other_class",
        "@i5 <a1> i7",
        "refuted",
        "a1 sees the birth as well.",
        hospital(agents=INSURER),
    ),
    Rule(
        "with_the_tip",
        "@i4 health = 2",
        "proved",
        "It is known that i3 is not the ill one of the two, so that i4 is.",
        hospital(assumptions=TIP),
    ),
    Rule(
        "without_the_tip",
        "@i4 health = 2",
        "refuted",
        "Without the tip it may be i3.",
        hospital(),
    ),
]


def files() -> Iterator[File]:
    for rule in RULES:
        yield from both(FOLDER, rule)
