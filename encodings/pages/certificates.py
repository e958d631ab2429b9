"""The systems that the checker of certificates writes out: one for each way to break an
instance of a rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from pages.common import MEANS, STATUS, Example, File, Rule, hospital, small
from phverify.constraints.agree import smtlib
from phverify.microdata.read import read
from phverify.spec.data import Data, PlainPolicy, release_data
from phverify.spec.ground import Ground
from phverify.spec.instances import instances
from phverify.spec.models import Table
from phverify.spec.question import systems
from phverify.spec.rules import rule as formula

FOLDER = "certificates"
TWO_OF_SIX = " | ".join(
    f"(@i{a} s = a & @i{b} s = a)" for a in range(1, 7) for b in range(a + 1, 7)
)
RULES = [
    Rule(
        "not_both",
        "~[a1](@i3 health = 2 & @i4 health = 2)",
        "proved",
        "One of the two is not ill.",
        hospital(),
    ),
    Rule(
        "joint",
        "l_a1(i3 & health = 2) <= 1/2",
        "proved",
        "i3 is on each of two rows as likely.",
        hospital(),
    ),
    Rule(
        "joint_less",
        "l_a1(i3 & health = 2) <= 1/3",
        "refuted",
        "The share is 1/2 where i3 is ill.",
        hospital(),
    ),
    Rule(
        "healthy",
        "@i3 health = 2",
        "refuted",
        "i3 may be on the other row.",
        hospital(),
    ),
    Rule(
        "clauses",
        "forall c in clauses(health, 1): ~[a1] c",
        "proved",
        "Every class has two values.",
        hospital(),
    ),
    Rule(
        "split",
        TWO_OF_SIX,
        "proved",
        "Two of six rows have the value: the proof needs a split.",
        small(["aabbcc"]),
    ),
    Rule(
        "three_of_six",
        f"~({TWO_OF_SIX})",
        "refuted",
        "The contrary has a solution.",
        small(["aabbcc"]),
    ),
]


def files() -> Iterator[File]:
    for rule in RULES:
        yield from _files(rule)


def _files(rule: Rule) -> Iterator[File]:
    policy, data = _data(rule.example, rule.text)
    table, found = Table(data), []
    for instance in instances(formula(policy, data, "rule"), data.signature):
        found += [
            one for one in systems(instance, (), Ground(table)) if one is not None
        ]
    if rule.verdict == "refuted":  # one way to break it suffices
        found = found[:1]
    for number, question in enumerate(dict.fromkeys(found), start=1):
        shown = rule.text if len(rule.text) < 90 else rule.text[:90] + " .."
        asked = (
            f"Can this be false in this way?  {shown}",
            f"Over {rule.example.name}.  {rule.why}",
        )
        unknowns = (
            "The unknowns are 0 or 1; those without a name stand for compound terms."
        )
        header = (*asked, MEANS[rule.verdict], unknowns)
        suffix = f".{number}" if len(found) > 1 else ""
        yield File(
            f"{FOLDER}/{rule.name}{suffix}.smt2",
            STATUS[rule.verdict],
            header,
            smtlib(question),
        )


def _data(example: Example, text: str) -> tuple[PlainPolicy, Data]:
    policy = example.policy(rule=text)
    table = read(example.release, policy.columns)
    return policy, release_data(policy, table.plain(policy.columns), {})
