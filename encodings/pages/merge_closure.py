"""Is a property of classes kept when two classes are merged?  Each criterion's lemma,
and symbolic histograms.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pages.common import Example, File, hospital
from phverify.spec.criteria.alpha_k_anonymity import AlphaKAnonymity
from phverify.spec.criteria.average_benefit import AverageBenefit
from phverify.spec.criteria.beta_likeness import BetaLikeness
from phverify.spec.criteria.delta_disclosure import DeltaDisclosure
from phverify.spec.criteria.enhanced_beta_likeness import EnhancedBetaLikeness
from phverify.spec.criteria.entropy_l_diversity import EntropyDiversity
from phverify.spec.criteria.guarded import Guarded
from phverify.spec.criteria.k_anonymity import KAnonymity
from phverify.spec.criteria.l_diversity import DistinctDiversity
from phverify.spec.criteria.recursive_l_diversity import RecursiveDiversity
from phverify.spec.criteria.t_closeness import TCloseness
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.schemas import apart
from phverify.symbolic.histograms import Property, attributes
from phverify.symbolic.kinds import kinds
from phverify.symbolic.lemmas import TRIANGLE
from phverify.symbolic.lemmas import text as asked
from phverify.symbolic.written import written

FOLDER = "merge-closure"
HALF = Fraction(1, 2)
LEMMAS: list[tuple[str, ClassCriterion, str, str]] = [
    ("k_anonymity", KAnonymity(5), "unsat", "unsat"),
    ("alpha_k_anonymity", AlphaKAnonymity("f", HALF, 3), "unsat", "sat"),
    ("l_diversity", DistinctDiversity("f", 3), "unsat", "unsat"),
    (
        "recursive_l_diversity",
        RecursiveDiversity("f", Fraction(3, 2), 3),
        "unsat",
        "sat",
    ),
    ("entropy_l_diversity", EntropyDiversity("f", Fraction(3)), "unsat", "sat"),
    ("t_closeness", TCloseness("f", Fraction(1, 4)), "unsat", "sat"),
    ("delta_disclosure", DeltaDisclosure("f", Fraction(2)), "unsat", "sat"),
    (
        "delta_disclosure.absent_ignored",
        DeltaDisclosure("f", Fraction(2), "ignored"),
        "sat",
        "sat",
    ),
    ("beta_likeness", BetaLikeness("f", Fraction(1)), "unsat", "sat"),
    ("enhanced_beta_likeness", EnhancedBetaLikeness("f", Fraction(1)), "unsat", "sat"),
    ("average_benefit", AverageBenefit("f", Fraction(1, 4)), "unsat", "sat"),
    ("guarded", Guarded("f", "cancer", Fraction(1, 4)), "unsat", "sat"),
]
"""Name, an instance, and the status of the questions whether it is merge-closed and
upward-closed.
"""
GOALS = {
    "merge": (
        "merge-closed: if two classes satisfy it, so does their union",
        "Two classes satisfy the condition",
    ),
    "upward": (
        "upward-closed: if a class satisfies it, so does its union with any",
        "One of two classes satisfies it",
    ),
}
UNKNOWNS = (
    (
        "unknowns: n1, n2 are the rows of two classes; a1, b1, u1, w1 the quantities"
        " named above in the first, likewise in"
    ),
    (
        "the second; quantities of their union are the sums. Constants of the table"
        " times n are unknowns of their own."
    ),
)
PROPERTIES: list[tuple[str, str, bool, str, str, str]] = [
    (
        "share_bounded",
        "l_a1(health = 2) <= 1/2",
        False,
        "merge",
        "unsat",
        "A bound on a share is kept: a mediant.",
    ),
    (
        "share_bounded.upward",
        "l_a1(health = 2) <= 1/2",
        False,
        "upward",
        "sat",
        "It is not kept by adding any class.",
    ),
    (
        "share_exact",
        "l_a1(health = 2) = 1/2",
        False,
        "merge",
        "unsat",
        "Equal shares stay equal.",
    ),
    (
        "share_not",
        "l_a1(health = 2) != 1/3",
        True,
        "merge",
        "sat",
        "Two shares around 1/3 mix to 1/3, with 4 rows of 2.",
    ),
    (
        "uncertain",
        "~[a1] health = 2",
        False,
        "upward",
        "unsat",
        "A value outside stays there.",
    ),
    (
        "certain",
        "[a1] health = 2",
        False,
        "merge",
        "unsat",
        "Two classes of one value are one class of it.",
    ),
    (
        "against_the_table",
        "l_a1(health = 2) <= 2 * l_a0(health = 2)",
        False,
        "merge",
        "unsat",
        "For whatever l_a0.",
    ),
    (
        "delta_disclosure.absent_ignored",
        "delta_disclosure(health, 1/2, absent=ignored)",
        True,
        "merge",
        "sat",
        "A value that one class lacks is diluted below the bound in the union.",
    ),
    (
        "delta_disclosure",
        "delta_disclosure(health, 1/2)",
        True,
        "merge",
        "unsat",
        "With absent values as violations it is.",
    ),
    (
        "either",
        "l_a1(health = 0) <= 1/4 | l_a1(health = 1) <= 1/4",
        False,
        "merge",
        "sat",
        "Different disjuncts.",
    ),
]
"""Name, rule, whether over the table's own rows, goal, status, why."""


def files() -> Iterator[File]:
    for name, criterion, merge, upward in LEMMAS:
        for goal, status in (("merge", merge), ("upward", upward)):
            yield _lemma(name, criterion, goal, status)
    first = "Can the absolute value of a sum exceed the sum of the absolute values?"
    header = (
        first,
        "unsat: it cannot; used for t-closeness, a sum of such values",
        "unknowns: the two numbers",
    )
    yield File(f"{FOLDER}/triangle.smt2", "unsat", header, TRIANGLE)
    example = hospital()
    for name, text, exact, goal, status, why in PROPERTIES:
        yield _property(example, name, text, exact, goal, status, why)


def _lemma(name: str, criterion: ClassCriterion, goal: str, status: str) -> File:
    found = criterion.lemma()
    assert found is not None
    claim, case = GOALS[goal]
    answer = (
        "unsat: it is, whatever the classes"
        if status == "unsat"
        else "sat: this condition is not; so far nothing is proved"
    )
    header = (
        f"Is {criterion} {claim}?",
        f"Its condition: {found.why}.",
        f"{case}, their union does not.",
    )
    return File(
        f"{FOLDER}/{name}.{goal}.smt2",
        status,
        (*header, answer, *UNKNOWNS),
        asked(found, goal),
    )


def _property(
    example: Example,
    name: str,
    text: str,
    exact: bool,
    goal: str,
    status: str,
    why: str,
) -> File:
    bound = example.bound(text)
    formula = written(apart(bound.rules[0].expanded), bound.release)
    prop = Property(
        formula,
        kinds(bound.release, attributes(formula, bound.release.criteria.__getitem__)),
        exact,
        exact,
    )
    legend = [
        f"  x{p}, y{p}: rows of kind {p} ({prop.kinds.describe(kind)}, ..) in the"
        " first, the second"
        for p, kind in enumerate(prop.profiles)
    ]
    over = (
        "integers within the hospital table"
        if exact
        else "any rationals >= 0 (a superset of all tables)"
    )
    scaled = "" if exact else ", scaled to whole numbers,"
    header = (
        f"Is the rule {text} {GOALS[goal][0]}?  {why}",
        f"over symbolic histograms of a class: {over}",
        (
            "unsat: it is"
            if status == "unsat"
            else f"sat: it is not; a model{scaled} shows two classes"
        ),
        (
            "unknowns (the union has the sums; xw0, .. are constants of the table times"
            " the rows of the first):"
        ),
        *legend,
    )
    return File(f"{FOLDER}/rule.{name}.smt2", status, header, prop.text(goal))
