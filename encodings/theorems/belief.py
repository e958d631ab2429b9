"""The propositions of the re-identification paper, for bounded numbers n of records."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from theorems.claim import Claim, Query
from theorems.evidence import (
    compatible,
    mass,
    nonempty,
    only,
    pignistic,
    probability,
    sets,
    subset,
    uniform,
)
from theorems.term import add, conj, declare, define, disj, given

PAPER = (
    "Torra, Stokes: A formalization of re-identification in terms of compatible"
    " probabilities (2012), "
)
MASSES = (
    "the masses m of all nonempty sets of records (real, >= 0, sum 1) and the true"
    " probability P"
)
NONE = "a model would be a counterexample; there is none."
FOUND = "the model is a counterexample."


def each(
    name: str,
    lines: Callable[[int], Iterable[str]],
    ns: Iterable[int],
    logic: str = "QF_LRA",
) -> tuple[Query, ...]:
    """The same question for several numbers of records."""
    return tuple(
        Query(f"belief/{name}.n{n}.smt2", tuple(lines(n)), logic, (f"{n} records",))
        for n in ns
    )


def proposition_12() -> Claim:
    def lines(n: int) -> list[str]:
        facts = [*subset(n, "cand"), *subset(n, "some"), *given(nonempty(n, "cand"))]
        facts += given(*(f"(=> cand_{x} some_{x})" for x in range(n)))
        return [
            *facts,
            *uniform(n, "cand"),
            *mass(n),
            *only(n, "some"),
            f"(assert (not {compatible(n)}))",
        ]

    return Claim(
        "Proposition 12",
        "m(CandidateSet of some attributes) = 1 is compatible with the true"
        " probability, uniform on CandidateSet.",
        PAPER + "Proposition 12 (Examples 8, 11)",
        "CandidateSet (nonempty) and the larger candidate set for some attributes, as"
        " memberships",
        NONE,
        "2 to 5 records",
        each("proposition_12", lines, range(2, 6)),
    )


def lemma_13() -> Claim:
    def lines(n: int) -> list[str]:
        facts = [
            *subset(n, "cand"),
            *subset(n, "b"),
            "(assert cand_0)",
            *uniform(n, "cand"),
            *mass(n),
        ]
        facts += [
            define(f"c_{x}", "false" if x == 0 else f"(or b_{x} cand_{x})")
            for x in range(n)
        ]
        return [
            *facts,
            *given(nonempty(n, "c")),
            *only(n, "c"),
            f"(assert {compatible(n)})",
        ]

    return Claim(
        "Lemma 13",
        "If C0 = (B or CandidateSet) without a candidate x0, then m(C0) = 1 is not"
        " compatible with the true probability.",
        PAPER + "Lemma 13",
        "CandidateSet, which has x0 = record 0, and B, as memberships",
        NONE
        + "  C0 is taken to be nonempty: else m(C0) = 1 is no assignment by Definition"
        " 2, which the lemma leaves out",
        "2 to 5 records",
        each("lemma_13", lines, range(2, 6)),
    )


def proposition_16() -> Claim:
    def lines(n: int) -> list[str]:
        lost = disj(f"(and (> P{x} 0) (not (> {pignistic(x, n)} 0)))" for x in range(n))
        return [
            *mass(n),
            *probability(n),
            f"(assert {compatible(n)})",
            f"(assert {lost})",
        ]

    return Claim(
        "Proposition 16",
        "If Bel is compatible with P, the support of P is inside the support of the"
        " pignistic probability of Bel.",
        PAPER + "Proposition 16",
        MASSES,
        NONE,
        "2 to 5 records",
        each("proposition_16", lines, range(2, 6)),
    )


def dirac(n: int) -> list[str]:
    """P is 1 at record 0, and Bel is compatible with it."""
    return [*mass(n), *probability(n), "(assert (= P0 1))", f"(assert {compatible(n)})"]


def lemma_17() -> tuple[Claim, Claim]:
    def forward(n: int) -> list[str]:
        return [
            *dirac(n),
            f"(assert {disj(f'(not (= m{a} 0))' for a in sets(n) if not a & 1)})",
        ]

    def backward(n: int) -> list[str]:
        return [*dirac(n), f"(assert {disj(f'(= m{a} 0)' for a in sets(n) if a & 1)})"]

    statement = "If P is 1 at x0 and Bel is compatible with P, then "
    proved = Claim(
        "Lemma 17, if",
        statement + "m(A) = 0 for every A without x0.",
        PAPER + "Lemma 17",
        MASSES,
        NONE,
        "2 to 5 records",
        each("lemma_17.if", forward, range(2, 6)),
    )
    query = Query(
        "belief/lemma_17.only.n2.smt2",
        tuple(backward(2)),
        "QF_LRA",
        ("2 records", "Model: m({x0, x1}) = 1 and m({x0}) = 0"),
        status="sat",
    )
    refuted = Claim(
        "Lemma 17, only if",
        statement + "m(A) = 0 only for A without x0.",
        PAPER + "Lemma 17",
        MASSES,
        FOUND
        + "  A slip of the paper: Proposition 16, of which it says this is a corollary,"
        " gives only that some A with x0 has m(A) > 0",
        "one counterexample suffices",
        (query,),
        status="refuted",
    )
    return proved, refuted


def proposition_18() -> tuple[Claim, Claim]:
    def weak(n: int) -> list[str]:
        better = disj(f"(> {pignistic(x, n)} {pignistic(0, n)})" for x in range(1, n))
        return [*dirac(n), f"(assert {better})"]

    def strong(n: int) -> list[str]:
        best = conj(f"(>= {pignistic(1, n)} {pignistic(x, n)})" for x in range(n))
        return [*dirac(n), f"(assert {best})"]

    proved = Claim(
        "Proposition 18",
        "If P is 1 at i0 and P' is compatible with P, then i0 is among the records"
        " where P' is greatest.",
        PAPER + "Proposition 18",
        MASSES + "; P' is the pignistic probability of m",
        NONE,
        "2 to 5 records",
        each("proposition_18", weak, range(2, 6)),
    )
    query = Query(
        "belief/proposition_18.strict.n2.smt2",
        tuple(strong(2)),
        "QF_LRA",
        ("2 records", "Model: m({i0, i1}) = 1, so that P' = 1/2 at both"),
        status="sat",
    )
    refuted = Claim(
        "Proposition 18, word for word",
        "If P is 1 at i0 and P' is compatible with P, then P' is greatest at i' only"
        " for i' = i0.",
        PAPER + "Proposition 18",
        MASSES + "; P' is the pignistic probability of m",
        FOUND + "  A slip of the paper: it forgets ties",
        "one counterexample suffices",
        (query,),
        status="refuted",
    )
    return proved, refuted


def proposition_19() -> Claim:
    def lines(n: int) -> list[str]:
        facts = [*subset(n, "a"), "(assert (not a_0))", *uniform(n, "a"), *mass(n)]
        facts += given(f"(>= {add([f'(ite a_{x} 1 0)' for x in range(n)])} 2)")
        pairs = {1 | 1 << x: f"(ite a_{x} share 0)" for x in range(1, n)}
        facts += given(*(f"(= m{a} {pairs.get(a, '0')})" for a in sets(n)))
        worse = disj(f"(<= {pignistic(0, n)} {pignistic(x, n)})" for x in range(1, n))
        return [*facts, f"(assert (or (not {compatible(n)}) {worse}))"]

    return Claim(
        "Proposition 19",
        "If P is 1/k on a set A of k >= 2 records and x0 is not in A, then m({x0, x}) ="
        " 1/k for x in A is compatible with P, and its pignistic probability is"
        " greatest at x0 alone.",
        PAPER + "Proposition 19",
        "A as memberships, without x0 = record 0; m is the paper's",
        NONE
        + "  The paper asks for |X| >= 3 only: A must not be all of X, else no record"
        " is outside",
        "3 to 6 records, any A",
        each("proposition_19", lines, range(3, 7)),
    )


def nonspecificity(n: int, letter: str) -> str:
    """Definition 25, with ``g{k}`` for log k."""
    return add([f"(* {letter}{a} g{a.bit_count()})" for a in sets(n)])


def transfer(n: int, signed: bool) -> list[str]:
    """A transfer of mass d from C2 to C1 inside C2, for each pair of sets; N grows in
    one of them.
    """
    lines = [
        *mass(n),
        "(declare-const d Real)",
        *([] if signed else ["(assert (>= d 0))"]),
    ]
    lines += [*declare([f"g{k}" for k in range(1, n + 1)], "Real"), "(assert (= g1 0))"]
    lines += [f"(assert (< g{k} g{k + 1}))" for k in range(1, n)]
    cases = []
    for c2 in sets(n):
        for c1 in (c for c in sets(n) if c & ~c2 == 0 and c != c2):
            after = {c1: f"(+ m{c1} d)", c2: f"(- m{c2} d)"}
            masses = {a: after.get(a, f"m{a}") for a in sets(n)}
            specific = add([f"(* {masses[a]} g{a.bit_count()})" for a in sets(n)])
            lawful = f"(<= 0 {after[c1]} 1) (<= 0 {after[c2]} 1)"
            cases.append(f"(and {lawful} (< {nonspecificity(n, 'm')} {specific}))")
    return [*lines, f"(assert {disj(cases)})"]


def proposition_26() -> tuple[Claim, Claim]:
    statement = (
        "If mass {} is moved from C2 to a subset C1, the nonspecificity does not grow:"
        " N(Bel) >= N(Bel')."
    )
    unknowns = (
        MASSES.split(" and the true")[0]
        + ", the mass d, and g_k for log k, of which only g_1 = 0 and strict "
    )
    unknowns += "monotonicity are used"
    proved = Claim(
        "Proposition 26",
        statement.format("d >= 0"),
        PAPER + "Proposition 26",
        unknowns,
        NONE
        + "  In the first line of the paper's proof Bel and Bel' have changed places",
        "2 to 4 records, all pairs C1, C2",
        each("proposition_26", lambda n: transfer(n, False), range(2, 5), "QF_NRA"),
    )
    query = Query(
        "belief/proposition_26.signed.n2.smt2",
        tuple(transfer(2, True)),
        "QF_NRA",
        (
            "2 records",
            (
                "Model: m({x0}) = 1, d = -1, C1 = {x0}, C2 = {x0, x1}: N grows from 0"
                " to log 2"
            ),
        ),
        status="sat",
    )
    refuted = Claim(
        "Proposition 26, word for word",
        statement.format("d of any sign"),
        PAPER + "Proposition 26",
        unknowns,
        FOUND
        + "  A slip of the paper: it asks of d only that the new masses lie in [0, 1]",
        "one counterexample suffices",
        (query,),
        status="refuted",
    )
    return proved, refuted


def example_23() -> Claim:
    """Exactly: the paper's 0.07692307 is 1/13."""
    five, all_, two = "(/ 5 13)", "(/ 4 13)", "(/ 4 13)"
    value = f"(+ (/ {two} 2) (/ {five} 5) (/ {all_} 8))"
    return Claim(
        "Example 23",
        "With m'({x1, x2}) = 4/13, m'({x1 .. x5}) = 5/13, m'(X) = 4/13, the pignistic"
        " probability of x1 is 7/26.",
        PAPER + "Example 23, whose numbers are rounded from these",
        "none",
        "the paper prints 0.15384617, which is 4/26: it leaves out two of the three"
        " sets that have x1",
        "none",
        (
            Query(
                "belief/example_23.smt2",
                (f"(assert (not (= {value} (/ 7 26))))",),
                "QF_LRA",
            ),
        ),
    )


def all_claims() -> tuple[Claim, ...]:
    plain = (
        proposition_12(),
        lemma_13(),
        proposition_16(),
        proposition_19(),
        example_23(),
    )
    return (*plain, *lemma_17(), *proposition_18(), *proposition_26())
