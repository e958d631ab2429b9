"""Theorems 1 to 6 and Corollary 1 of the paper on PH(@): a criterion holds iff its
formula is valid, both directions.

The criterion and the formula are both conjunctions over the classes of a release, and
the truth of a formula at a world depends on its own class and on the shares of the
whole table only: so one class is enough.  (Theorem 1, whose formula speaks of
individuals at all worlds, has several classes.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from phverify.spec import syntax as s
from phverify.spec.criteria.alpha_k_anonymity import AlphaKAnonymity
from phverify.spec.criteria.average_benefit import AverageBenefit
from phverify.spec.criteria.beta_likeness import BetaLikeness
from phverify.spec.criteria.delta_disclosure import DeltaDisclosure
from phverify.spec.criteria.k_anonymity import KAnonymity
from phverify.spec.criteria.l_diversity import DistinctDiversity
from phverify.spec.criteria.recursive_l_diversity import RecursiveDiversity
from phverify.spec.criteria.t_closeness import TCloseness
from theorems import definitions as d
from theorems import literal
from theorems.claim import Claim, Query, wrong
from theorems.frames import (
    OTHER,
    SYMBOL,
    classes,
    counted,
    counts,
    inhabitant,
    inhabited,
    multiples,
    multiplied,
    names,
    shared,
    shares,
)
from theorems.term import conj, define, implies
from theorems.walk import signature, valid

PAPER = "Hsu, Liau, Wang: Logic, Probability, and Privacy (2012), "
WHY = (
    "a model of the assertions would be a class (or shares that no class need have) for"
    " which the two sides differ in the stated direction; there is none."
)
COUNTS = "how many rows of the class have each value (any integers >= 0, not all 0)"
SHARES = (
    "the share q of each value in the class (real, >= 0, sum 1) and p in the table (>"
    " 0, sum 1); every class of every table gives such shares, so that nothing is lost"
    " by reals"
)
NAMED = " (values are named by rank: both sides treat all values alike)"
FORMS = {
    "paper": "the formula as the paper prints it",
    "code": "the formula of phverify.spec.criteria",
}
Case = tuple[str, str]
"""The criterion and the validity of its formula, as Boolean texts."""


def both(
    folder: str, head: list[str], cases: list[Case], logic: str, about: str
) -> Iterator[Query]:
    """Two questions: the formula is valid and the criterion fails; the criterion holds
    and the formula fails.
    """
    forward = [(formula, criterion) for criterion, formula in cases]
    for way, pairs, said in (
        ("only", forward, "if the formula is valid, the criterion holds"),
        ("if", cases, "if the criterion holds, the formula is valid"),
    ):
        yield Query(
            f"{folder}.{way}.smt2", (*head, *wrong(pairs)), logic, (f"{about}; {said}",)
        )


def theorem_1(largest: int = 5) -> Claim:
    queries: list[Query] = []
    for c in range(1, largest + 1):
        frame = classes(c, {SYMBOL: "k"})
        head = [
            line
            for e in range(c)
            for line in (f"(declare-const n{e} Int)", f"(assert (>= n{e} 1))")
        ]
        head += ["(declare-const k Int)", "(assert (>= k 1))"]
        criterion = conj(d.k_anonymous(n, "k") for n in names("n", c))
        for form, formula in {
            "paper": literal.theorem_1(SYMBOL, c),
            "code": KAnonymity(1 / SYMBOL).formula(signature(1, c)),
        }.items():
            about = f"{c} classes, {FORMS[form]}"
            queries += both(
                f"criteria/theorem_1.{form}.c{c}",
                head,
                [(criterion, valid(formula, frame, 1, c))],
                "QF_LIA",
                about,
            )
    return Claim(
        "Theorem 1",
        "A release is k-anonymous iff l_a1(i) <= 1/k is valid for every individual i.",
        PAPER + "Theorem 1",
        "the sizes of the classes, and k (any integers >= 1); one individual is named"
        " in each class",
        WHY,
        f"1 to {largest} classes of any size, any k",
        tuple(queries),
    )


def theorem_2(largest: int = 5) -> Claim:
    queries: list[Query] = []
    for m in range(1, largest + 1):
        secrets = [[v for v in range(m) if bits >> v & 1] for bits in range(2**m)]
        held = [f"sec{bits}" for bits in range(2**m)]
        head = [
            *counted(m),
            *inhabitant(m),
            *(f"(declare-const {h} Bool)" for h in held),
        ]
        true_of = [
            ["true" if v in secret else "false" for v in range(m)] for secret in secrets
        ]
        criterion = d.safe(m, list(zip(held, true_of, strict=True)))
        for form, likely in {"box": False, "likelihood": True}.items():
            parts = []
            for h, secret in zip(held, secrets, strict=True):
                phi = s.among("f", tuple(map(str, secret))) if secret else s.FALSE
                parts.append(
                    implies(
                        h, valid(literal.theorem_2(phi, likely), inhabited(m, {}), m)
                    )
                )
            about = f"{m} joint values, the form with the {form}"
            queries += both(
                f"criteria/theorem_2.{form}.m{m}",
                head,
                [(criterion, conj(parts))],
                "QF_LIA",
                about,
            )
    return Claim(
        "Theorem 2",
        "A release is logically safe for i iff @i ~[a1] phi (or @i l_a1(phi) < 1) is"
        " valid for every phi in Sec(i).",
        PAPER + "Theorem 2",
        f"{COUNTS}, on which row i is, and Sec(i): for each set of joint values,"
        " whether it is a secret of i (an objective formula is, up to equivalence, the"
        " set of joint values of which it is true)",
        WHY,
        f"1 to {largest} joint values, any Sec(i), any counts",
        tuple(queries),
    )


def theorem_3(largest: int = 6) -> Claim:
    queries: list[Query] = []
    for m in range(1, largest + 1):
        forms: dict[str, Callable[[int], s.Formula]] = {
            "paper": lambda least, m=m: literal.theorem_3(m, least),
            "code": (
                lambda least, m=m: DistinctDiversity("f", least).formula(signature(m))
            ),
        }
        for form, formula in forms.items():
            cases = [
                (d.distinct(m, l), valid(formula(l), counts(m), m))
                for l in range(1, m + 3)
            ]
            about = f"{m} values, l from 1 to {m + 2}, {FORMS[form]}"
            queries += both(
                f"criteria/theorem_3.{form}.m{m}", counted(m), cases, "QF_LIA", about
            )
    return Claim(
        "Theorem 3",
        "A class is distinct l-diverse iff ~[a1] phi is valid for every f-clause phi of"
        " length less than l.",
        PAPER + "Theorem 3",
        COUNTS,
        WHY,
        f"1 to {largest} values, l up to two more, any counts",
        tuple(queries),
    )


def corollary_1(largest: int = 5) -> Claim:
    queries: list[Query] = []
    for m in range(1, largest + 1):
        safety, written = [], []
        for l in range(1, m + 3):
            secrets = [
                [v for v in range(m) if bits >> v & 1] for bits in range(1, 2**m)
            ]
            short = [
                ("true", ["true" if v in x else "false" for v in range(m)])
                for x in secrets
                if len(x) < l
            ]
            safety.append((d.distinct(m, l), d.safe(m, short)))
            written.append(
                (
                    d.distinct(m, l),
                    valid(literal.corollary_1(m, l), inhabited(m, {}), m),
                )
            )
        about = f"{m} values, l from 1 to {m + 2}, logical safety "
        queries += both(
            f"criteria/corollary_1.safe.m{m}",
            counted(m),
            safety,
            "QF_LIA",
            about + "by its definition",
        )
        head = [*counted(m), *inhabitant(m)]
        queries += both(
            f"criteria/corollary_1.formula.m{m}",
            head,
            written,
            "QF_LIA",
            about + "by Theorem 2's formula",
        )
    return Claim(
        "Corollary 1",
        "A class is distinct l-diverse iff it is logically safe with Sec(i) = all"
        " f-clauses of length less than l.",
        PAPER + "Corollary 1",
        f"{COUNTS}, and on which row i is",
        WHY,
        f"1 to {largest} values, l up to two more, any counts",
        tuple(queries),
    )


SORTED_FROM = 4
"""From so many values on, values are named by rank: both sides treat all values
alike.
"""


def by_rank(m: int) -> list[str]:
    return (
        [f"(assert (>= q{v} q{v + 1}))" for v in range(m - 1)]
        if m >= SORTED_FROM
        else []
    )


def theorem_4(largest: int = 6, literal_largest: int = 5) -> Claim:
    queries: list[Query] = []
    for m in range(1, largest + 1):
        frame = multiplied(m)
        head = [
            *shared(m, whole=False),
            *multiples(m),
            *d.ranked(m, "q", "k"),
            *d.ranked(m, "y", "ck"),
            *by_rank(m),
        ]
        forms: dict[str, Callable[[int], s.Formula]] = {
            "paper": lambda rank, m=m: literal.theorem_4(m, SYMBOL, rank),
            "code": (
                lambda rank, m=m: RecursiveDiversity("f", SYMBOL, rank).formula(
                    signature(m)
                )
            ),
        }
        for form, formula in forms.items():
            if form == "code" or m <= literal_largest:
                cases = [
                    (d.recursive(m, l), valid(formula(l), frame, m))
                    for l in range(1, m + 2)
                ]
                about = (
                    f"{m} values, l from 1 to {m + 1},"
                    f" {FORMS[form]}{NAMED if by_rank(m) else ''}"
                )
                queries += both(
                    f"criteria/theorem_4.{form}.m{m}", head, cases, "QF_LRA", about
                )
    return Claim(
        "Theorem 4",
        "A class is recursively (c, l)-diverse iff (psi1 & psi2 & psi3) -> c"
        " l_a1(phi_l) + .. + c l_a1(phi_m) > l_a1(phi_1) is valid for every f-clause;"
        " and iff l_a1(v) < c (1 - l_a1(D)) is valid for every value v and every clause"
        " D of at most l - 1 values.",
        PAPER + "Theorem 4",
        "the share q of each value in the class (real, >= 0, sum 1) and y = c q, which"
        " stays linear because only this is used of c > 0: the y sum to c, and are 0,"
        " equal and ordered as the q are; k_j (ck_j) is the j-th greatest of the q (of"
        " the y).  Definition 8.2 counts rows: both its sides are divided by the size"
        " of the class",
        WHY,
        f"1 to {largest} values in the code's form, 1 to {literal_largest} in the"
        " paper's, l up to one more, any c > 0",
        tuple(queries),
        tried=(
            "with products c q (QF_NRA), neither solver settles all l for 4 values"
            " within 20 s"
        ),
    )


def theorem_5(largest: int = 6) -> Claim:
    queries: list[Query] = []
    for m in range(1, largest + 1):
        frame = shares(m, {SYMBOL: "t"})
        head = [*shared(m), "(declare-const t Real)", "(assert (>= t 0))"]
        for form, formula in {
            "paper": literal.theorem_5(m, SYMBOL),
            "code": TCloseness("f", SYMBOL).formula(signature(m)),
        }.items():
            case = d.close(m, "t"), valid(formula, frame, m)
            queries += both(
                f"criteria/theorem_5.{form}.m{m}",
                head,
                [case],
                "QF_LRA",
                f"{m} values, {FORMS[form]}",
            )
    return Claim(
        "Theorem 5",
        "A class is t-close in the variational distance iff (psi1 & psi2 & psi3) -> sum"
        " over j <= k of (l_a0(phi_j) - l_a1(phi_j)) <= t is valid for every f-clause"
        " and k; and iff l_a0(D) - l_a1(D) <= t is for every clause D.",
        PAPER + "Theorem 5, with Definition 9",
        f"{SHARES}; t >= 0 (real)",
        WHY,
        f"1 to {largest} values, any t",
        tuple(queries),
    )


def theorem_6(largest: int = 6) -> Claim:
    queries: list[Query] = []
    symbols = {SYMBOL: "r", OTHER: "s"}
    for m in range(1, largest + 1):
        powers = [
            "(declare-const r Real)",
            "(declare-const s Real)",
            "(assert (> r 1))",
            "(assert (= (* r s) 1))",
        ]
        head = [*shared(m), *powers, *d.logarithms(m)]
        case = (
            d.disclosing(m),
            valid(literal.theorem_6(m, SYMBOL, OTHER), shares(m, symbols), m),
        )
        about = f"{m} values, any delta > 0, {FORMS['paper']}"
        queries += both(f"criteria/theorem_6.paper.m{m}", head, [case], "QF_NRA", about)
        one_of = ["(declare-const r Real)", "(assert (or (= r 2) (= r 4) (= r 8)))"]
        head = [
            *shared(m),
            *one_of,
            define("s", "(ite (= r 2) 0.5 (ite (= r 4) 0.25 0.125))", "Real"),
            *d.logarithms(m),
        ]
        for absent in ("violates", "ignored"):
            deltas = {
                delta: (
                    DeltaDisclosure("f", Fraction(delta), absent).formula(signature(m))
                )
                for delta in (1, 2, 3)
            }
            parts = [
                implies(f"(= r {2**k})", valid(formula, shares(m), m))
                for k, formula in deltas.items()
            ]
            case = d.disclosing(m, absent=absent == "ignored"), conj(parts)
            about = f"{m} values, delta = 1, 2 or 3, {FORMS['code']}, absent={absent}"
            queries += both(
                f"criteria/theorem_6.code.{absent}.m{m}", head, [case], "QF_NRA", about
            )
    return Claim(
        "Theorem 6",
        "A class is delta-disclosure-private iff l_a1(phi) < 2^delta l_a0(phi) and"
        " l_a1(phi) > 2^-delta l_a0(phi) are valid for every f-atom phi.",
        PAPER + "Theorem 6",
        f"{SHARES}; r = 2^delta > 1 and s = 1/r; log_v is the logarithm of q_v/p_v, of"
        " which only strict monotonicity is used; a value that is absent from the"
        " class has none, and violates the criterion",
        WHY,
        f"1 to {largest} values that occur in the table; any delta > 0 for the paper's"
        " formula, 1 to 3 for the code's",
        tuple(queries),
    )


def others(largest: int = 5) -> Claim:
    queries: list[Query] = []
    for m in range(1, largest + 1):
        signed = signature(m)
        thresholds = [
            (Fraction(a, b), k) for a, b in ((1, 3), (1, 2), (3, 4)) for k in (1, 2, 3)
        ]
        cases = [
            (
                d.alpha_k(m, a, k),
                valid(AlphaKAnonymity("f", a, k).formula(signed), inhabited(m, {}), m),
            )
            for a, k in thresholds
        ]
        about = (
            f"(alpha, k)-anonymity, {m} values, alpha in 1/3, 1/2, 3/4 and k in 1, 2, 3"
        )
        queries += both(
            f"criteria/alpha_k.m{m}",
            [*counted(m), *inhabitant(m)],
            cases,
            "QF_LIA",
            about,
        )
        betas = [Fraction(b, 2) for b in (0, 1, 2, 5)]
        cases = [
            (
                d.beta_like(m, b),
                valid(BetaLikeness("f", b).formula(signed), shares(m), m),
            )
            for b in betas
        ]
        about = f"basic beta-likeness, {m} values, beta in 0, 1/2, 1, 5/2"
        queries += both(f"criteria/beta.m{m}", shared(m), cases, "QF_LRA", about)
        gain = (
            d.beneficial(m, "b"),
            valid(
                AverageBenefit("f", SYMBOL).formula(signed), shares(m, {SYMBOL: "b"}), m
            ),
        )
        head = [*shared(m), "(declare-const b Real)", "(assert (>= b 0))"]
        queries += both(
            f"criteria/benefit.m{m}",
            head,
            [gain],
            "QF_LRA",
            f"average benefit, {m} values, any b",
        )
    return Claim(
        "Other criteria",
        "The formulas of alpha_k_anonymity, beta_likeness and average_benefit say what"
        " their definitions say.",
        "Wong et al. 2006; Cao and Karras 2012; Section 4.4 of the paper on PH(@)",
        "the counts of the values in the class, or the shares in class and table",
        WHY,
        f"1 to {largest} values; stated thresholds, any b.  The formulas of"
        " entropy_l_diversity, enhanced_beta_likeness and, for fractional delta, of"
        " delta_disclosure depend on the number of rows: tests enumerate them",
        tuple(queries),
    )


def all_claims() -> tuple[Claim, ...]:
    found = (
        theorem_1,
        theorem_2,
        theorem_3,
        corollary_1,
        theorem_4,
        theorem_5,
        theorem_6,
        others,
    )
    return tuple(claim() for claim in found)
