"""Schema variables as unknowns: individuals, values, clauses, agents."""

from __future__ import annotations

from collections.abc import Iterator

from pages.common import File, Rule, both, hospital, small

FOLDER = "schemas"
RULES = [
    Rule(
        "two_diverse",
        "forall c in clauses(health, 1): ~[a1] c",
        "proved",
        "Every class has two values.",
        hospital(),
    ),
    Rule(
        "three_diverse",
        "forall c in clauses(health, 2): ~[a1] c",
        "refuted",
        "None has three.",
        hospital(),
    ),
    Rule(
        "disjunction",
        "forall c in clauses(health, 1): forall e in clauses(income, 1): ~[a1] (c | e)",
        "refuted",
        "Example 3: health 2 or income 100K covers a class, although each attribute is"
        " 2-diverse.",
        hospital(),
    ),
    Rule(
        "all_alike",
        "forall i, j: @i <a1> j",
        "refuted",
        "Not all individuals share a class.",
        hospital(),
    ),
    Rule(
        "a_neighbour",
        "forall i: exists j: @i ~j & @i <a1> j",
        "proved",
        "Nobody is alone.",
        small(["ab", "ab"]),
    ),
    Rule(
        "singled_out",
        "forall i: l_a1(i) <= 1/2",
        "proved",
        "Theorem 1 with k = 2.",
        hospital(),
    ),
    Rule(
        "each_value",
        "forall v in health: l_a1(i3 & health = v) <= 1/2",
        "proved",
        "One instance for each value that occurs in the release.",
        hospital(),
    ),
    Rule(
        "each_agent",
        "forall a in agents: @i3 l_a(i3) <= 1/2",
        "proved",
        "a0 and a1, one instance each.",
        hospital(),
    ),
    Rule(
        "no_agent",
        "forall a in agents: @i3 l_a(i3) <= 1/8",
        "refuted",
        "a1 does better than a0.",
        hospital(),
    ),
    Rule(
        "same_name",
        "forall i1: forall i: @i1 health = 2 -> @i health = 2",
        "refuted",
        "Bound variables are renamed apart, and i1 here is a variable.",
        hospital(),
    ),
]


def files() -> Iterator[File]:
    for rule in RULES:
        yield from both(FOLDER, rule)
