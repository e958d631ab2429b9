"""The papers' theorems under encodings/theorems: fresh files, two solvers, wrong
theorems found, both sides exact.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phverify.budget import Deadline
from phverify.constraints.second import available, second_all
from phverify.constraints.solver import solve
from phverify.spec import syntax as s
from phverify.spec.criteria.alpha_k_anonymity import AlphaKAnonymity
from phverify.spec.criteria.average_benefit import AverageBenefit
from phverify.spec.criteria.beta_likeness import BetaLikeness
from phverify.spec.criteria.delta_disclosure import DeltaDisclosure
from phverify.spec.criteria.k_anonymity import KAnonymity
from phverify.spec.criteria.l_diversity import DistinctDiversity
from phverify.spec.criteria.recursive_l_diversity import RecursiveDiversity
from phverify.spec.criteria.t_closeness import TCloseness
from phverify.spec.criterion.base import ClassCriterion

sys.path.insert(0, str(Path(__file__).parents[1] / "encodings"))

import itertools

from theorems import definitions as d
from theorems import frames, generate, literal, merging, walk
from theorems.claim import Claim, Query
from theorems.term import conj, disj

CLAIMS = generate.claims()
TEXTS = generate.texts(CLAIMS)
FUZZ = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
QUERIES = [(claim, query) for claim in CLAIMS for query in claim.queries]
IDS = [query.file for _, query in QUERIES]
LIMIT, LONG = 20.0, 120.0


def limit(query: Query) -> float:
    return (
        LONG if query.heavy else 3 * LIMIT
    )  # a slower machine than the one that the table was made on


@pytest.mark.parametrize("file", TEXTS)
def test_the_file_is_fresh(file: str) -> None:
    content = (generate.HERE / file).read_text(encoding="utf-8")
    assert content == TEXTS[file], "run python encodings/theorems/generate.py"


def test_nothing_is_left_over() -> None:
    assert generate.written() == set(TEXTS)


@pytest.mark.parametrize(("claim", "query"), QUERIES, ids=IDS)
def test_z3_gives_the_stated_status(claim: Claim, query: Query) -> None:
    assert f"(set-info :status {query.status})" in TEXTS[query.file]
    if query.heavy and not FUZZ:
        pytest.skip("slow: HYPOTHESIS_PROFILE=fuzz")
    assert "Z3" in query.settled
    answer = solve(TEXTS[query.file], Deadline(limit(query)), tactics=query.tactics)
    assert answer.status == query.status, answer.reason


@pytest.mark.parametrize(
    "claim", [c for c in CLAIMS if c.queries], ids=lambda claim: claim.name
)
def test_cvc5_gives_the_stated_status(claim: Claim) -> None:
    if not available():
        pytest.skip("cvc5 is not installed")
    queries = [
        q for q in claim.queries if (FUZZ or not q.heavy) and "cvc5" in q.settled
    ]
    found = second_all(
        [TEXTS[q.file] for q in queries], max(map(limit, queries), default=LIMIT)
    )
    assert [(q.file, a.status) for q, a in zip(queries, found, strict=True)] == [
        (q.file, q.status) for q in queries
    ]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_the_status_of_a_claim_is_that_of_its_files(claim: Claim) -> None:
    expected = {"proved": {"unsat"}, "refuted": {"sat"}, "open": set[str]()}[
        claim.status
    ]
    assert {query.status for query in claim.queries} == expected
    assert claim.status != "open" or claim.tried
    assert all("Model:" in TEXTS[q.file] for q in claim.queries if q.status == "sat")


@pytest.mark.parametrize(
    "claim", [c for c in CLAIMS if c.queries], ids=lambda claim: claim.name
)
def test_the_facts_alone_have_a_model(claim: Claim) -> None:
    """What is asked last is the negated claim: without it, nothing contradicts
    itself.
    """
    for query in claim.queries:
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
    assert set(MODELS) == {query.file for _, query in QUERIES if query.status == "sat"}
    for file, facts in MODELS.items():
        text = TEXTS[file].replace("(check-sat)", f"(assert (and {facts}))(check-sat)")
        assert settled(text) == "sat", file


# Wrong theorems


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
    return next(q for _, q in QUERIES if q.file == file)


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


# Both sides on concrete histograms, against the engine's own definition


def parsed(text: str) -> Any:
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


def value(tree: Any, known: Mapping[str, Any]) -> Any:
    """The value of an SMT-LIB term, exactly."""
    if isinstance(tree, str):
        return (
            {"true": True, "false": False}[tree]
            if tree in ("true", "false")
            else known.get(tree) or _number(tree, known)
        )
    op, *rest = tree
    if op == "ite":
        return value(rest[1 if value(rest[0], known) else 2], known)
    values = [value(x, known) for x in rest]
    pairs = list(itertools.pairwise(values))
    match op:
        case "and" | "or" | "not" | "=>":
            return {
                "and": all,
                "or": any,
                "not": lambda v: not v[0],
                "=>": lambda v: not v[0] or v[1],
            }[op](values)
        case "+":
            return sum(values)
        case "*":
            return values[0] * values[1]
        case "-":
            return -values[0] if len(values) == 1 else values[0] - sum(values[1:])
        case "/":
            return Fraction(values[0]) / values[1]
    return all(
        {"=": a == b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
        for a, b in pairs
    )


def _number(text: str, known: Mapping[str, Any]) -> Any:
    return known[text] if text in known else Fraction(text)


@st.composite
def histograms(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """The counts of a class and of its table, in which every value occurs."""
    m = draw(st.integers(1, 4))
    inside = draw(st.lists(st.integers(0, 5), min_size=m, max_size=m).filter(any))
    rest = [draw(st.integers(0 if n else 1, 5)) for n in inside]
    return inside, [n + k for n, k in zip(inside, rest, strict=True)]


def bindings(
    inside: Sequence[int], whole: Sequence[int], **more: Any
) -> dict[str, Any]:
    n, rows, m = sum(inside), sum(whole), len(inside)
    known: dict[str, Any] = {"n": n} | {f"n{v}": k for v, k in enumerate(inside)}
    q = [Fraction(k, n) for k in inside]
    known |= {f"q{v}": x for v, x in enumerate(q)} | {
        f"p{v}": Fraction(k, rows) for v, k in enumerate(whole)
    }
    place = next(v for v in range(m) if inside[v])
    known |= {f"x{v}": int(v == place) for v in range(m)}
    c = more.get("c", Fraction(1))
    known |= {f"y{v}": c * x for v, x in enumerate(q)}
    for j, x in enumerate(sorted(q, reverse=True), 1):
        known |= {f"k{j}": x, f"ck{j}": c * x}
    return known | more


def logs(inside: Sequence[int], whole: Sequence[int], delta: int) -> dict[str, Any]:
    """Numbers that are to delta as log2 of the ratios are."""
    known: dict[str, Any] = {"delta": delta, "r": 2**delta, "s": Fraction(1, 2**delta)}
    for v, (k, every) in enumerate(zip(inside, whole, strict=True)):
        ratio = Fraction(k * sum(whole), sum(inside) * every)
        steps = [(-delta, Fraction(1, 2**delta)), (delta, Fraction(2**delta))]
        known[f"log{v}"] = (
            sum(
                2 * delta if ratio > bound else delta if ratio == bound else 0
                for _, bound in steps
            )
            - 2 * delta
        )
    return known


Sides = tuple[ClassCriterion, str, str, dict[str, Any]]
"""A criterion, its definition and its formula as texts, and what else is known."""


@st.composite
def sides(draw: st.DrawFn, inside: Sequence[int], whole: Sequence[int]) -> Sides:
    m, k, l = (
        len(inside),
        draw(st.integers(1, 4)),
        draw(st.integers(1, 4)),
    )
    x, delta = draw(st.fractions(0, 2, max_denominator=6)), draw(st.integers(1, 2))
    shares, c = frames.shares(m, {frames.SYMBOL: "t"}), x or Fraction(1)

    def by(frame: walk.Frame, criterion: ClassCriterion) -> str:
        return walk.valid(criterion.formula(walk.signature(m)), frame, m)

    def alike(
        criterion: ClassCriterion, definition: str, frame: walk.Frame, **more: Any
    ) -> Sides:
        return criterion, definition, by(frame, criterion), more

    def literally(
        criterion: ClassCriterion,
        definition: str,
        formula: s.Formula,
        frame: walk.Frame,
        **more: Any,
    ) -> Sides:
        return criterion, definition, walk.valid(formula, frame, m), more

    inhabited, anyone = frames.inhabited(m, {}), frames.classes(1, {frames.SYMBOL: "k"})
    one, rec, tail = (
        literal.theorem_1(frames.SYMBOL, 1),
        RecursiveDiversity("f", c, l),
        d.recursive(m, l),
    )
    here, near, ratios = (
        {"n0": sum(inside), "k": k},
        d.close(m, "t"),
        logs(inside, whole, delta),
    )
    ways: list[Callable[[], Sides]] = [
        lambda: literally(KAnonymity(k), d.k_anonymous("n", "k"), one, anyone, **here),
        lambda: alike(KAnonymity(k), d.k_anonymous("n", str(k)), inhabited),
        lambda: alike(AlphaKAnonymity("f", x, k), d.alpha_k(m, x, k), inhabited),
        lambda: alike(DistinctDiversity("f", l), d.distinct(m, l), frames.counts(m)),
        lambda: alike(rec, tail, frames.shares(m), c=c),
        lambda: literally(
            rec, tail, literal.theorem_4(m, frames.SYMBOL, l), frames.multiplied(m), c=c
        ),
        lambda: alike(TCloseness("f", x), near, shares, t=x),
        lambda: literally(
            TCloseness("f", x), near, literal.theorem_5(m, frames.SYMBOL), shares, t=x
        ),
        lambda: alike(
            DeltaDisclosure("f", Fraction(delta)), d.disclosing(m), shares, **ratios
        ),
        lambda: alike(
            DeltaDisclosure("f", Fraction(delta), "ignored"),
            d.disclosing(m, absent=True),
            shares,
            **ratios,
        ),
        lambda: alike(BetaLikeness("f", x), d.beta_like(m, x), shares),
        lambda: alike(AverageBenefit("f", x), d.beneficial(m, "b"), shares, b=x),
    ]
    return draw(st.sampled_from(ways))()


@settings(max_examples=2000 if FUZZ else 400)
@given(st.data())
def test_both_sides_agree_with_the_engine(data: st.DataObject) -> None:
    inside, whole = data.draw(histograms())
    criterion, definition, formula, more = data.draw(sides(inside, whole))
    counts = {str(v): k for v, k in enumerate(inside) if k}
    expected = criterion.holds(counts, {str(v): k for v, k in enumerate(whole)})
    known = bindings(inside, whole, **more)
    assert bool(value(parsed(definition), known)) == expected, (criterion, definition)
    assert bool(value(parsed(formula), known)) == expected, (criterion, formula)
