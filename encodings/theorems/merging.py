"""Merge-closure: two classes that satisfy a criterion, and their union.  The lemma of
the code, and directly.

The direct statements are written from the definitions, over the histograms of two
classes.  A union has the sums of the counts; its shares are a mean of the shares of its
parts with weights w and 1 - w, 0 < w < 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import CRITERIA
from phverify.symbolic.lemmas import needs, text
from theorems import definitions as d
from theorems.claim import Claim, Query
from theorems.frames import counted, names
from theorems.term import add, conj, declare, define, disj

HALF, TWO = Fraction(1, 2), Fraction(2)
FACTORS = (HALF, Fraction(1), Fraction(3, 2), TWO, Fraction(5))
EXAMPLES: dict[str, tuple[ClassCriterion, ...]] = {
    name: tuple(CRITERIA[name](*arguments) for arguments in every)
    for name, every in {
        "k_anonymity": [(3,)],
        "alpha_k_anonymity": [("f", HALF, 3)],
        "l_diversity": [("f", 1), ("f", 3)],
        "recursive_l_diversity": [("f", HALF, 2), ("f", TWO, 3)],
        "entropy_l_diversity": [("f", TWO)],
        "t_closeness": [
            ("f", HALF),
            ("f", HALF, "ordered"),
            ("f", HALF, "hierarchical"),
        ],
        "delta_disclosure": [("f", HALF)],
        "beta_likeness": [("f", HALF)],
        "enhanced_beta_likeness": [("f", HALF)],
        "average_benefit": [("f", HALF)],
        "guarded": [("f", "cancer", HALF)],
    }.items()
}
"""Arguments for the texts of ``closure.lemmas``; where the lemma has them as unknowns,
any will do.
"""
SOURCE = "ours: what search may prune by; the proof is symbolic/lemmas.py"
WHY = (
    "a model would be two classes that satisfy the criterion while their union does"
    " not; there is none."
)


def body(text: str) -> tuple[str, ...]:
    """The declarations and assertions of a script."""
    return tuple(
        x
        for x in text.splitlines()
        if x and not x.startswith((";", "(set-logic", "(check-sat"))
    )


def lemmas() -> Claim:
    queries, triangle = [], ""
    for name, criteria in EXAMPLES.items():
        for k, criterion in enumerate(criteria):
            found = criterion.lemma()
            assert found is not None
            about = (f"{criterion}", f"the condition: {found.why}")
            queries.append(
                Query(
                    f"closure/lemma.{name}.{k}.smt2",
                    body(text(found, "merge")),
                    "QF_LRA",
                    about,
                )
            )
            triangle = "".join(needs(found)) or triangle
    queries.append(
        Query(
            "closure/lemma.triangle.smt2",
            body(triangle),
            "QF_LRA",
            ("needed by t_closeness",),
        )
    )
    return Claim(
        "Merge-closure, by lemma",
        "A condition on quantities that add up when two classes are merged carries over"
        " to their sums.",
        SOURCE,
        "the quantities of two classes, 1 and 2, as symbolic/lemmas.py writes them",
        WHY,
        "any number of values, any counts; that each criterion is a conjunction of"
        " instances is said in words",
        tuple(queries),
    )


def renamed(text: str, letter: str) -> str:
    """A definition for the class with this letter in place of q (shares) or n
    (counts).
    """
    text = re.sub(r"\b(log|k)(\d+)\b", rf"\1_{letter}\2", text)
    return re.sub(r"\b[qn](\d*)(?=[ )]|$)", rf"{letter}\1", text)


def broken(definitions: Iterable[str]) -> list[str]:
    """For one of the definitions, both parts (a, b) satisfy it and the union (u) does
    not.
    """
    lines, ways = [], []
    for k, definition in enumerate(definitions):
        lines += [
            define(f"{letter}_{k}", renamed(definition, letter)) for letter in "abu"
        ]
        ways.append(f"(and a_{k} b_{k} (not u_{k}))")
    return [*lines, f"(assert {disj(ways)})"]


def two_counts(m: int, sort: str = "Int") -> list[str]:
    """Two classes by counts, and their union."""
    lines = [*counted(m, sort, "a"), *counted(m, sort, "b")]
    lines += [define(f"u{v}", f"(+ a{v} b{v})", sort) for v in range(m)]
    return [*lines, define("u", "(+ a b)", sort)]


def two_shares(m: int) -> list[str]:
    """Two classes by shares, their union with weights w and 1 - w, and the table."""
    lines = ["(declare-const w Real)", "(assert (< 0 w 1))"]
    for letter in "abp":
        x, low = names(letter, m), ">" if letter == "p" else ">="
        lines += [
            *declare(x, "Real"),
            *(f"(assert ({low} {y} 0))" for y in x),
            f"(assert (= {add(x)} 1))",
        ]
    return [
        *lines,
        *(
            define(f"u{v}", f"(+ (* w a{v}) (* (- 1 w) b{v}))", "Real")
            for v in range(m)
        ),
    ]


def counting(m: int) -> Iterator[Query]:
    """The criteria that speak of counts alone."""
    about, any_k = (
        f"{m} values, any counts",
        [
            "(declare-const k Int)",
            "(assert (>= k 1))",
        ],
    )
    if m == 1:
        lines = [*two_counts(1), *any_k, *broken([d.k_anonymous("n", "k")])]
        yield Query(
            "closure/k_anonymity.smt2", tuple(lines), "QF_LIA", ("k-anonymity, any k",)
        )
    alphas = [
        conj(["(>= n k)", d.alpha_k(m, a, 1)])
        for a in (Fraction(1, 3), HALF, Fraction(3, 4))
    ]
    lines = [*two_counts(m), *any_k, *broken(alphas)]
    yield Query(
        f"closure/alpha_k.m{m}.smt2",
        tuple(lines),
        "QF_LIA",
        (f"alpha in 1/3, 1/2, 3/4, any k; {about}",),
    )
    lines = [
        *two_counts(m),
        *broken(d.distinct(m, l) for l in range(1, m + 1)),
    ]
    yield Query(
        f"closure/l_diversity.m{m}.smt2",
        tuple(lines),
        "QF_LIA",
        (f"l from 1 to {m}; {about}",),
    )
    for l in range(1, m + 1):
        yield ranks(m, l)


def ranks(m: int, l: int) -> Query:
    """Recursive diversity, with the order statistics of three histograms; the values
    are named by rank in class a.
    """
    lines = [
        *two_counts(m, "Real"),
        *(f"(assert (>= a{v} a{v + 1}))" for v in range(m - 1)),
    ]
    for letter in "abu":
        lines += [renamed(x, letter) for x in d.ranked(m, "q", "k")]
    lines += broken(recursive(m, c, l) for c in FACTORS)
    said = (
        f"recursive (c, l)-diversity, c in 1/2, 1, 3/2, 2, 5, l = {l}, {m} values"
        " (named by rank in a), any counts"
    )
    return Query(f"closure/recursive.m{m}.l{l}.smt2", tuple(lines), "QF_LRA", (said,))


def recursive(m: int, c: Fraction, l: int) -> str:
    """Definition 8.2 with a number for c."""
    tail = add([f"k{j}" for j in range(l, m + 1)])
    return f"(< (* {c.denominator} k1) (* {c.numerator} {tail}))"


def sharing(m: int) -> Iterator[Query]:
    """The criteria that compare shares value by value, with any thresholds: nonlinear,
    w times a share.
    """
    head, about = two_shares(m), f"{m} values, any shares"
    powers = [
        "(declare-const r Real)",
        "(declare-const s Real)",
        "(assert (> r 1))",
        "(assert (= (* r s) 1))",
    ]
    logs = [
        x for letter in "abu" for x in (renamed(y, letter) for y in d.logarithms(m))
    ]
    lines = [*head, *powers, *dict.fromkeys(logs), *broken([d.disclosing(m)])]
    yield Query(
        f"closure/delta.m{m}.smt2",
        tuple(lines),
        "QF_NRA",
        (f"delta-disclosure, any delta; {about}",),
    )
    betas = [d.beta_like(m, b) for b in (HALF, TWO)]
    said = f"basic beta-likeness, beta in 1/2, 2; {about}"
    yield Query(f"closure/beta.m{m}.smt2", (*head, *broken(betas)), "QF_NRA", (said,))
    logs = [
        x
        for v in range(m)
        for x in (f"(declare-const minus_ln{v} Real)", f"(assert (>= minus_ln{v} 0))")
    ]
    lines = [
        *head,
        "(declare-const beta Real)",
        "(assert (>= beta 0))",
        *logs,
        *broken([d.enhanced(m)]),
    ]
    said = f"enhanced beta-likeness, any beta, -ln p any numbers >= 0; {about}"
    yield Query(f"closure/enhanced.m{m}.smt2", tuple(lines), "QF_NRA", (said,))
    lines = [
        *head,
        "(declare-const b Real)",
        "(assert (>= b 0))",
        *broken([d.beneficial(m, "b")]),
    ]
    yield Query(
        f"closure/benefit.m{m}.smt2",
        tuple(lines),
        "QF_NRA",
        (f"average benefit, any b; {about}",),
    )


def two_gaps(m: int) -> list[str]:
    """Two classes times their size: ``na{v}`` rows have v, ``wa{v}`` = p_v n would have
    it, ``ta`` = t n.
    """
    lines = []
    for x in "ab":
        rows, expected = names(f"n{x}", m), names(f"w{x}", m)
        lines += [
            *declare([*rows, *expected, f"t{x}"], "Real"),
            *(f"(assert (>= {y} 0))" for y in (*rows, *expected)),
        ]
        lines += [
            f"(assert (= {add(rows)} {add(expected)}))",
            f"(assert (> {add(rows)} 0))",
            f"(assert (>= t{x} 0))",
        ]
    for v in range(m):
        lines += [
            define(f"nu{v}", f"(+ na{v} nb{v})", "Real"),
            define(f"wu{v}", f"(+ wa{v} wb{v})", "Real"),
        ]
    return [*lines, define("tu", "(+ ta tb)", "Real")]


def distances(m: int) -> Iterator[Query]:
    """t-closeness times the size of the class: distances are homogeneous, and t n, p n
    add up.
    """
    every = {"variational": d.close(m, "t"), "ordered": d.close_ordered(m, "t")}
    if m >= 3:
        every["hierarchical"] = d.close_hierarchical(((0, 1), tuple(range(2, m))), "t")
    for name, definition in every.items():
        lines, texts = two_gaps(m), {}
        for x in "abu":
            texts[x] = re.sub(
                r"\bt\b",
                f"t{x}",
                re.sub(
                    r"\bp(\d)", rf"w{x}\1", re.sub(r"\bq(\d)", rf"n{x}\1", definition)
                ),
            )
        lines += [
            define(x, text)
            for x, text in zip(
                ("first", "second", "union"), texts.values(), strict=True
            )
        ]
        lines += ["(assert (and first second (not union)))"]
        about = f"t-closeness, {name}, {m} values, any table, any t" + (
            ", hierarchy 0 1 | 2 .." if m >= 3 else ""
        )
        yield Query(f"closure/{name}.m{m}.smt2", tuple(lines), "QF_LRA", (about,))


def direct(largest: int = 5) -> Claim:
    queries = [
        q
        for m in range(1, largest + 1)
        for kind in (counting, sharing, distances)
        for q in kind(m)
    ]
    return Claim(
        "Merge-closure, directly",
        "If two classes satisfy a criterion, so does their union: k-anonymity, (alpha,"
        " k)-anonymity, distinct and recursive diversity, t-closeness in three"
        " distances, delta-disclosure, basic and enhanced beta-likeness, average"
        " benefit, each from its definition.",
        SOURCE,
        "two classes a and b and their union u: counts of each value, or shares (then u"
        " = w a + (1 - w) b), or counts with p n and t n as quantities that add up",
        WHY,
        f"1 to {largest} values, any counts; thresholds any where the header says so,"
        " else those stated",
        tuple(queries),
    )


MODEL = (
    "Model: class a has 0, 16, 16 rows with values 0, 1, 2, class b has 6, 13, 13; p ="
    " 1/4, 3/8, 3/8, delta = 1"
)


def diluted() -> Claim:
    """delta-disclosure that ignores absent values: with numbers for p and delta, linear
    in counts.
    """
    p = (Fraction(1, 4), Fraction(3, 8), Fraction(3, 8))
    parts = []
    for v, share in enumerate(p):
        low, high = share / 2, share * 2
        below = f"(< (* {low.numerator} n) (* {low.denominator} n{v}))"
        parts.append(
            f"(or (= n{v} 0) (and {below} (< (* {high.denominator} n{v}) (*"
            f" {high.numerator} n))))"
        )
    lines = (*two_counts(3), *broken([conj(parts)]))
    query = Query("closure/delta_ignored.smt2", lines, "QF_LIA", (MODEL,), status="sat")
    found = CRITERIA["delta_disclosure"]("f", Fraction(1), "ignored").lemma()  # type: ignore[call-arg]
    assert found is not None
    about = (
        "the condition of symbolic/lemmas.py: a = 0, or w < a < u",
        (
            "Model: a1 = 0, w1 = 1, u1 = 2; a2 = 2, w2 = 1, u2 = 3 gives a = 2, w = 2"
            " for the union"
        ),
    )
    other = Query(
        "closure/lemma.delta_ignored.smt2",
        body(text(found, "merge")),
        "QF_LRA",
        about,
        status="sat",
    )
    return Claim(
        "Merge-closure of delta_disclosure(absent=ignored)",
        "If two classes satisfy delta-disclosure with absent values ignored, so does"
        " their union.",
        "ours",
        "counts of two classes; p and delta are numbers",
        "the model is a counterexample: a value that a lacks is diluted below p / 2 in"
        " the union",
        "one counterexample suffices",
        (query, other),
        status="refuted",
    )


def all_claims() -> tuple[Claim, ...]:
    return lemmas(), direct(), diluted()
