"""The papers' theorems under encodings/theorems: fresh files, two solvers, wrong
theorems found, both sides exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest
from support.so_many import FUZZ, sampled
from theorems import definitions as d
from theorems import frames, generate, literal, merging, walk
from theorems.claim import Claim, Query
from theorems.term import conj, disj

from phverify.budget import Deadline
from phverify.constraints.second import available, second_all
from phverify.constraints.solver import solve
from phverify.spec import syntax as s
from phverify.spec.criteria.recursive_l_diversity import RecursiveDiversity

FILES = sorted(generate.written())
"""What is there: claims take seconds to write, which the tests that need them wait for."""


@cache
def claims() -> tuple[Claim, ...]:
    return generate.claims()


@cache
def texts() -> dict[str, str]:
    return generate.texts(claims())


@cache
def queries() -> dict[str, Query]:
    """The questions by their files."""
    return {query.file: query for claim in claims() for query in claim.queries}


LIMIT, LONG = 20.0, 120.0


def limit(query: Query) -> float:
    return (
        LONG if query.heavy else 3 * LIMIT
    )  # a slower machine than the one that the table was made on


def test_files_are_fresh_and_none_is_left_over() -> None:
    assert set(FILES) == set(texts())
    for file, text in texts().items():
        content = (generate.HERE / file).read_text(encoding="utf-8")
        assert content == text, f"{file}: run python encodings/theorems/generate.py"


@pytest.mark.parametrize(
    "file", sampled([file for file in FILES if file.endswith(".smt2")], 2)
)
def test_z3_gives_the_stated_status(file: str) -> None:
    query = queries()[file]
    assert f"(set-info :status {query.status})" in texts()[file]
    if query.heavy and not FUZZ:
        pytest.skip("slow: HYPOTHESIS_PROFILE=fuzz")
    assert "Z3" in query.settled
    answer = solve(texts()[file], Deadline(limit(query)), tactics=query.tactics)
    assert answer.status == query.status, answer.reason


@pytest.mark.parametrize("heavy", [False, True])
def test_cvc5_gives_the_stated_status(heavy: bool) -> None:
    """One process for a fourth of them; for all in ``make fuzz``."""
    if not available():
        pytest.skip("cvc5 is not installed")
    if heavy and not FUZZ:
        pytest.skip("slow: HYPOTHESIS_PROFILE=fuzz")
    settled = [query for query in queries().values() if "cvc5" in query.settled]
    asked = sampled([query for query in settled if query.heavy == heavy], 4)
    found = second_all([texts()[q.file] for q in asked], max(map(limit, asked)))
    assert [(q.file, a.status) for q, a in zip(asked, found, strict=True)] == [
        (q.file, q.status) for q in asked
    ]


def test_the_status_of_a_claim_is_that_of_its_files() -> None:
    for claim in claims():
        expected = {"proved": {"unsat"}, "refuted": {"sat"}, "open": set[str]()}[
            claim.status
        ]
        assert {query.status for query in claim.queries} == expected, claim.name
        assert claim.status != "open" or claim.tried, claim.name
        models = [texts()[q.file] for q in claim.queries if q.status == "sat"]
        assert all("Model:" in text for text in models), claim.name


def test_the_facts_alone_have_a_model() -> None:
    """What is asked last is the negated claim: without it, nothing contradicts
    itself.
    """
    for query in sampled([*queries().values()], 3):
        if not query.heavy:
            goal = max(
                k for k, line in enumerate(query.lines) if line.startswith("(assert")
            )
            text = "\n".join([*query.lines[:goal], "(check-sat)"])
            assert settled(text) == "sat", query.file


MODELS = {
    "closure/delta_ignored.smt2": (
        "(= a0 0) (= a1 16) (= a2 16) (= b0 6) (= b1 13) (= b2 13)"
    ),
    "closure/lemma.delta_ignored.smt2": (
        "(= a1 0) (= w1 1) (= u1 2) (= a2 2) (= w2 1) (= u2 3)"
    ),
    "belief/lemma_17.only.n2.smt2": "(= m3 1) (= m1 0)",
    "belief/proposition_18.strict.n2.smt2": "(= m3 1)",
    "belief/proposition_26.signed.n2.smt2": "(= m1 1) (= d (- 1))",
    "distance/no_tree.smt2": "(= x y z 9) (= xy yz 8) (= xz 1)",
}
"""The models that the headers give, as facts."""


def test_the_models_in_the_headers_are_models() -> None:
    assert set(MODELS) == {q.file for q in queries().values() if q.status == "sat"}
    for file, facts in MODELS.items():
        text = texts()[file].replace(
            "(check-sat)", f"(assert (and {facts}))(check-sat)"
        )
        assert settled(text) == "sat", file


def differ(head: list[str], criterion: str, formula: str) -> bool:
    """Whether the two sides of a theorem come apart."""
    lines = [*head, f"(assert (not (= {criterion} {formula})))", "(check-sat)"]
    return settled("\n".join(lines)) == "sat"


def settled(text: str) -> str:
    status = solve(text, Deadline(2.0)).status
    return (
        solve(text, Deadline(LIMIT), tactics=True).status
        if status == "unknown"
        else status
    )


def anonymous(k: str = "k", op: str = "<=") -> bool:
    frame = frames.classes(2, {frames.SYMBOL: "k"})
    head = [
        *(f"(declare-const {n} Int)(assert (>= {n} 1))" for n in ("n0", "n1")),
        "(declare-const k Int)",
    ]
    likely = [s.likelihood("a1", s.Nominal(s.Person(e))) for e in range(2)]
    formula = s.conj(*(s.Compare(left, op, s.number(frames.SYMBOL)) for left in likely))
    criterion = conj(d.k_anonymous(n, k) for n in ("n0", "n1"))
    return differ(
        [*head, "(assert (>= k 1))"], criterion, walk.valid(formula, frame, 1, 2)
    )


def safe(
    formula: Callable[[s.Formula], s.Formula], every: bool = True, m: int = 3
) -> bool:
    truths = [f"s{v}" for v in range(m)]
    head = [
        *frames.counted(m),
        *frames.inhabitant(m),
        *(f"(declare-const {x} Bool)" for x in truths),
    ]
    some = disj(f"(and (>= n{v} 1) s{v})" for v in range(m))
    criterion = d.safe(m, [("true", truths)]) if every else f"(not {some})"
    written = s.At(s.Person(0), formula(s.Chosen(s.Var("phi"))))
    return differ(
        head, criterion, walk.valid(written, frames.inhabited(m, {"phi": truths}), m)
    )


def diverse(shift: int = 0, clauses: int = 0, m: int = 3) -> bool:
    formula = literal.theorem_3(m, 2 + clauses)
    return differ(
        frames.counted(m),
        d.distinct(m, 2 + shift),
        walk.valid(formula, frames.counts(m), m),
    )


def corollary(shift: int = 0, m: int = 3) -> bool:
    secrets = [[v for v in range(m) if bits >> v & 1] for bits in range(1, 2**m)]
    short = [
        ("true", ["true" if v in x else "false" for v in range(m)])
        for x in secrets
        if len(x) < 2 + shift
    ]
    return differ(frames.counted(m), d.distinct(m, 2), d.safe(m, short))


def recursive(formula: s.Formula, strict: bool = True, m: int = 3) -> bool:
    head = [
        *frames.shared(m, whole=False),
        *frames.multiples(m),
        *d.ranked(m, "q", "k"),
        *d.ranked(m, "y", "ck"),
    ]
    return differ(
        head, d.recursive(m, 2, strict), walk.valid(formula, frames.multiplied(m), m)
    )


def close(
    factor: Fraction = Fraction(1, 2), op: str = "<=", flip: bool = False, m: int = 3
) -> bool:
    head = [*frames.shared(m), "(declare-const t Real)", "(assert (>= t 0))"]
    formula = walk.valid(
        literal.theorem_5(m, frames.SYMBOL, flip),
        frames.shares(m, {frames.SYMBOL: "t"}),
        m,
    )
    return differ(
        head, d.close(m, "t", factor).replace("(<= (*", f"({op} (*", 1), formula
    )


def disclosing(criterion: str, op: str = "<", swap: bool = False, m: int = 2) -> bool:
    symbols = {frames.SYMBOL: "r", frames.OTHER: "s"}
    head = [
        "(declare-const r Real)",
        "(assert (or (= r 2) (= r 4)))",
        "(define-fun s () Real (ite (= r 2) 0.5 0.25))",
    ]
    up, down = (frames.OTHER, frames.SYMBOL) if swap else (frames.SYMBOL, frames.OTHER)
    formula = walk.valid(
        literal.theorem_6(m, up, down, op), frames.shares(m, symbols), m
    )
    return differ([*frames.shared(m), *head, *d.logarithms(m)], criterion, formula)


def merged(definition: str, m: int = 2) -> bool:
    lines = [
        *merging.two_counts(m),
        "(declare-const k Int)",
        *merging.broken([definition]),
        "(check-sat)",
    ]
    return settled("\n".join(lines)) == "sat"


def without(query: Query, pattern: str, put: str = "") -> bool:
    """A question with something taken out of it, or put for it."""
    lines = [re.sub(pattern, put, line) for line in query.lines]
    kept = [line for line in lines if line]
    assert kept != list(query.lines)
    return settled("\n".join([*kept, "(check-sat)"])) == "sat"


def query(file: str) -> Query:
    return queries()[file]


uncertain: Callable[[s.Formula], s.Formula] = lambda phi: s.Not(s.Box("a1", phi))  # noqa: E731


FOUR = literal.theorem_4(3, frames.SYMBOL, 2)


MUTANTS: dict[str, Callable[[], bool]] = {
    "theorem 1: k - 1 for k": lambda: anonymous("(- k 1)"),
    "theorem 1: k + 1 for k": lambda: anonymous("(+ k 1)"),
    "theorem 1: < for <=": lambda: anonymous(op="<"),
    "theorem 2: <a1> for [a1]": lambda: safe(lambda phi: s.Not(s.Diamond("a1", phi))),
    "theorem 2: known if true of one row": lambda: safe(uncertain, every=False),
    "theorem 2: likelihood <= 1": lambda: safe(
        lambda phi: s.Compare(s.likelihood("a1", phi), "<=", s.number(1))
    ),
    "theorem 2: at the row, not in the class": lambda: safe(s.Not),
    "theorem 3: l - 1 for l": lambda: diverse(shift=-1),
    "theorem 3: clauses up to l": lambda: diverse(clauses=1),
    "corollary 1: clauses up to l": lambda: corollary(1),
    "corollary 1: clauses below l - 1": lambda: corollary(-1),
    "theorem 4: <= in the definition": lambda: recursive(FOUR, strict=False),
    "theorem 4: >= in the formula": lambda: recursive(
        literal.theorem_4(3, frames.SYMBOL, 2, strict=False)
    ),
    "theorem 4: the tail from l + 1": lambda: recursive(
        literal.theorem_4(3, frames.SYMBOL, 3)
    ),
    "theorem 4: clauses of l values in the short form": lambda: recursive(
        RecursiveDiversity("f", frames.SYMBOL, 3).formula(walk.signature(3))
    ),
    "theorem 5: no factor 1/2": lambda: close(Fraction(1)),
    "theorem 5: < t": lambda: close(op="<"),
    "theorem 5: psi2 and psi3 turned round": lambda: close(flip=True),
    "theorem 6: <= in the formula": lambda: disclosing(d.disclosing(2), "<="),
    "theorem 6: <= in the definition": lambda: disclosing(
        d.disclosing(2, strict=False)
    ),
    "theorem 6: absent values ignored": lambda: disclosing(
        d.disclosing(2, absent=True)
    ),
    "theorem 6: 2^delta and 2^-delta exchanged": lambda: disclosing(
        d.disclosing(2), swap=True
    ),
    "merging: at most k rows": lambda: merged("(<= n k)"),
    "merging: entropy at most log 3/2": lambda: without(
        query("closure/entropy_powers.m2.smt2"),
        r"^(\(define-fun [abu]_0 \(\) Bool \()>=",
        r"\1<=",
    ),
    "merging: exactly one value": lambda: merged(
        "(= (+ (ite (> n0 0) 1 0) (ite (> n1 0) 1 0)) 1)"
    ),
    "relevance: two on one row": lambda: without(
        query("lemmas/relevance.n3.smt2"), r"^\(assert \(not \(and sits_0.*1.*$"
    ),
    "profiles: other values": lambda: without(
        query("lemmas/profiles.n3.smt2"), r"^\(assert \(= D_0 D_1\)\)$"
    ),
    "class types: an agent tells them apart": lambda: without(
        query("lemmas/class_types.n4.smt2"), r"^\(assert b_0_1\)$"
    ),
    "linear: two on one row": lambda: without(
        query("lemmas/linear.n3.smt2"), r"^\(assert \(not \(and at0_0 at1_0\)\)\)$"
    ),
    "proposition 12: other candidates": lambda: without(
        query("belief/proposition_12.n3.smt2"), r"^\(assert \(=> cand_0 some_0\)\)$"
    ),
    "proposition 19: k = 1": lambda: without(
        query("belief/proposition_19.n3.smt2"), r"^(\(assert \(>= .*) 2\)\)$", r"\1 1))"
    ),
    "definition 14: not greatest on the diagonal": lambda: without(
        query("belief/matrix.from_matrix.n2.smt2"), r"^\(assert \(>= F0_0 F0_1\)\)$"
    ),
    "proposition 26: a larger set": lambda: without(
        query("belief/proposition_26.n2.smt2"), r"\(>= d 0\)", "(<= d 0)"
    ),
    "wu-palmer: no tree": lambda: without(
        query("distance/tree.smt2"), r"^\(assert \(or.*$"
    ),
    "wu-palmer: common ancestors twice as deep": lambda: without(
        query("distance/deep_xz.smt2"),
        r"\(define-fun xz .*",
        "(define-fun xz () Real h)",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_theorem_is_found(name: str) -> None:
    assert MUTANTS[name]()


def test_the_right_ones_are_not() -> None:
    assert not anonymous()
    assert not safe(uncertain)
    assert not diverse()
    assert not corollary()
    assert not recursive(FOUR)
    assert not close()
    assert not disclosing(d.disclosing(2))
    assert not merged("(>= n k)")
