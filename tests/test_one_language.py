"""Constraints have one language and one printer; the connectives of the logic are
interpreted in one fold.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.so_many import so_many
from support.strategies import coefficients

import phverify
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.spec import syntax as s
from phverify.spec.linear import Cleared, cleared
from phverify.spec.system import Terms, total
from phverify.spec.walk import is_ground, juncts, propositional, stated
from phverify.symbolic.encoding import Translation
from phverify.symbolic.prover import flattened
from phverify.symbolic.sums import compared, share

ROOT = Path(phverify.__file__).parent
FILES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in sorted(ROOT.rglob("*.py"))
}
WRITERS = {
    "constraints/document.py",  # a text as a file that stands by itself
    "constraints/smtlib.py",  # the printer
    "constraints/solver.py",  # tells what a text defines from what it declares
}
WORDS = "ite|=>|>=|<=|distinct|assert|assert-soft|declare-const|define-fun|set-logic"
WRITTEN = re.compile(rf"\(({WORDS}) \S*|\((and|or|not)( \(| true| false| $)")
TRUTH = re.compile(r"""(==|!=|is|in) \(?["'](true|false)["']""")


def texts(source: str) -> Iterator[str]:
    """The strings of a module, the written parts of f-strings among them, without its
    documentation.
    """
    tree = ast.parse(source)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in said
        ):
            yield node.value


def test_one_module_writes_smtlib() -> None:
    found = {
        name
        for name, source in FILES.items()
        if any(WRITTEN.search(text) for text in texts(source))
    }
    assert found == WRITERS


@pytest.mark.parametrize(
    "folder", ["constraints", "symbolic", "comparison", "criteria"]
)
def test_no_text_is_compared_with_a_truth(folder: str) -> None:
    own = {
        name: source for name, source in FILES.items() if name.startswith(f"{folder}/")
    }
    assert not [name for name, source in own.items() if TRUTH.search(source)]


CONNECTIVES = {"Not", "And", "Or", "Implies", "Iff"}
INTERPRETERS = {
    ("logic/english.py", "_operator"),
    ("logic/printer.py", "_connective"),
    ("spec/fold.py", "fold"),
    ("spec/syntax.py", "children"),
    ("spec/syntax.py", "rebuild"),
    ("spec/walk.py", "juncts"),
}


def interpreted(function: ast.FunctionDef) -> set[str]:
    """The connectives that the cases of a function's matches name."""
    patterns = [
        case.pattern
        for node in ast.walk(function)
        if isinstance(node, ast.Match)
        for case in node.cases
    ]
    classes = [
        n.cls
        for pattern in patterns
        for n in ast.walk(pattern)
        if isinstance(n, ast.MatchClass)
    ]
    names = {
        c.attr if isinstance(c, ast.Attribute) else c.id
        for c in classes
        if isinstance(c, ast.Attribute | ast.Name)
    }
    return names & CONNECTIVES


def test_connectives_are_matched_in_few_places() -> None:
    found = {
        (name, node.name)
        for name, source in FILES.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and len(interpreted(node)) >= 4
    }
    assert found == INTERPRETERS


# Numbers without bounds, choices, magnitudes

NUMBERS = {"x": (0, 3), "y": (-2, 2)}
"""Unknowns with what they are tried with."""


def unknown(name: str, sort: str) -> t.LinearSum:
    return t.number(name, sort, low=None)


def grown(sort: str) -> st.SearchStrategy[t.Term]:
    """Random terms over x and y, of one sort."""
    factors = st.integers(-3, 3)
    atoms = st.sampled_from(sorted(NUMBERS)).map(
        lambda name: unknown(name, sort)
    ) | factors.map(t.whole)
    flag = st.just(t.Flag("f")).map(lambda found: found)
    terms = st.deferred(
        lambda: (
            flag | compared | st.builds(t.neg, terms) | st.builds(t.iff, terms, flag)
        )
    )
    sums = st.deferred(
        lambda: (
            atoms
            | st.builds(lambda a, b: a + b, atoms, sums)
            | st.builds(lambda k, a: k * a, factors, sums)
            | st.builds(t.magnitude, sums)
            | st.builds(t.conditional, terms, sums)
            | st.builds(t.shared, sums)
        )
    )
    operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    compared = st.builds(t.compare, sums, operators, sums)
    return terms


def ranges() -> list[dict[str, int]]:
    spans = [range(low, high + 1) for low, high in NUMBERS.values()]
    values = [
        dict(zip(NUMBERS, found, strict=True)) for found in itertools.product(*spans)
    ]
    return [{**value, "f": flag} for value in values for flag in (0, 1)]


@pytest.mark.parametrize("sort", ["Int", "Real"])
@so_many(55)
@given(data=st.data())
def test_terms_mean_what_their_text_says(sort: str, data: st.DataObject) -> None:
    """With its unknowns given, a term is true where Z3 says that its text is."""
    term = data.draw(grown(sort))
    values = data.draw(st.sampled_from(ranges()))
    fixed = [t.compare(unknown(name, sort), "=", values[name]) for name in NUMBERS]
    flag = t.Flag("f") if values["f"] else t.neg(t.Flag("f"))
    text = script([*fixed, flag, term], logic=data.draw(st.booleans()))
    assert solve(text).status == ("sat" if t.evaluate(term, values) else "unsat")


@so_many(50)
@given(data=st.data())
def test_whole_and_real_unknowns_in_one_text(data: st.DataObject) -> None:
    term = data.draw(grown("Real"))
    values = data.draw(st.sampled_from(ranges()))
    fixed = [
        t.compare(unknown(name, "Real"), "=", unknown(f"{name}_whole", "Int"))
        for name in NUMBERS
    ]
    fixed += [
        t.compare(unknown(f"{name}_whole", "Int"), "=", values[name])
        for name in NUMBERS
    ]
    flag = t.Flag("f") if values["f"] else t.neg(t.Flag("f"))
    text = script([*fixed, flag, term], logic=data.draw(st.booleans()))
    assert "(set-logic QF_LIRA)" in text or "set-logic" not in text
    assert solve(text).status == ("sat" if t.evaluate(term, values) else "unsat")


OPERATORS: dict[str, Callable[[int, int], bool]] = {
    "=": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
TRUTHS = {False: (t.FALSE, t.Flag("no")), True: (t.TRUE, t.Flag("yes"))}
SUMS = [t.whole, lambda number: t.number(f"n{number}", "Int", low=None)]
"""A number as it is, and as an unknown."""
KNOWN = {"no": 0, "yes": 1, **{f"n{number}": number for number in range(-3, 4)}}


@pytest.mark.parametrize("one", [False, True])
@pytest.mark.parametrize("two", [False, True])
def test_connectives_fold_what_is_settled(one: bool, two: bool) -> None:
    for left, right in itertools.product(TRUTHS[one], TRUTHS[two]):
        built = (
            t.conj((left, right)),
            t.disj((left, right)),
            t.implies(left, right),
            t.iff(left, right),
            t.neg(left),
        )
        meant = one and two, one or two, one <= two, one == two, not one
        assert tuple(t.evaluate(term, KNOWN) for term in built) == meant
        constants = isinstance(left, t.TruthValue) and isinstance(right, t.TruthValue)
        assert not constants or all(
            term is t.constant(truth) for term, truth in zip(built, meant, strict=True)
        )


@pytest.mark.parametrize("a", range(-3, 4))
@pytest.mark.parametrize("b", range(-3, 4))
def test_sums_fold_what_is_settled(a: int, b: int) -> None:
    for one, two in itertools.product(
        (make(a) for make in SUMS), (make(b) for make in SUMS)
    ):
        built = (
            one + two,
            one - two,
            b * one,
            t.magnitude(one - two),
            t.shared(one + 1),
            t.added([one, two, one]),
        )
        assert [t.value_of(found, KNOWN) for found in built] == [
            a + b,
            a - b,
            a * b,
            abs(a - b),
            a + 1,
            2 * a + b,
        ]
        for truth, terms in TRUTHS.items():
            assert all(
                t.value_of(t.conditional(term, one), KNOWN) == (a if truth else 0)
                for term in terms
            )
        for op, meant in OPERATORS.items():
            assert t.evaluate(t.compare(one, op, two), KNOWN) == meant(a, b)
            assert t.evaluate(compared(one - two, op), KNOWN) == meant(a, b)
            assert t.evaluate(share(one, op, Fraction(2, 3), two), KNOWN) == meant(
                3 * a, 2 * b
            )


# Denominators

likelihoods = st.sampled_from(
    [s.Likelihood(a, s.equals("f", v)) for a in ("a0", "a1") for v in ("x", "y")]
)
linears = st.recursive(
    st.builds(
        s.Linear,
        st.lists(st.tuples(coefficients, likelihoods), max_size=3).map(tuple),
        coefficients,
    ),
    lambda inner: st.builds(
        s.Linear,
        st.lists(
            st.tuples(coefficients, likelihoods | st.builds(s.Abs, inner)), max_size=3
        ).map(tuple),
        coefficients,
    ),
    max_leaves=4,
)


def value(linear: s.Linear, chances: dict[s.Likelihood, Fraction]) -> Fraction:
    """The value of a sum, as it is written."""
    total = linear.constant
    for coefficient, quantity in linear.terms:
        one = (
            abs(value(quantity.body, chances))
            if isinstance(quantity, s.Abs)
            else chances[quantity]
        )
        total += coefficient * one
    return total


def whole(linear: Cleared, chances: dict[s.Likelihood, Fraction]) -> Fraction:
    found = linear.constant + sum(c * chances[term] for c, term in linear.terms)
    return found + sum(
        (sign * abs(whole(inner, chances)) for sign, inner in linear.magnitudes),
        Fraction(0),
    )


@so_many(150)
@given(linears, st.lists(st.fractions(0, 1, max_denominator=6), min_size=4, max_size=4))
def test_clearing_multiplies_by_one_positive_number(
    linear: s.Linear, shares: list[Fraction]
) -> None:
    chances = dict(
        zip(
            [
                s.Likelihood(a, s.equals("f", v))
                for a in ("a0", "a1")
                for v in ("x", "y")
            ],
            shares,
            strict=True,
        )
    )
    found = cleared(linear)
    one, other = value(linear, chances), whole(found, chances)
    assert (one > 0, one < 0) == (other > 0, other < 0)
    assert abs(other) <= found.weight
    assert not one or (other / one).denominator == 1


# Parts of a formula

ATOMS = {name: s.Nominal(s.Name(name)) for name in "pqr"}
boolean = st.recursive(
    st.sampled_from([*ATOMS.values(), s.TRUE, s.FALSE]),
    lambda inner: (
        st.builds(s.Not, inner)
        | st.builds(s.Implies, inner, inner)
        | st.builds(s.Iff, inner, inner)
        | st.lists(inner, max_size=3).map(lambda parts: s.And(tuple(parts)))
        | st.lists(inner, max_size=3).map(lambda parts: s.Or(tuple(parts)))
    ),
    max_leaves=8,
)


def true(formula: s.Formula, at: dict[str, bool]) -> bool:
    """A truth table, by hand."""
    if isinstance(formula, s.Truth):
        return formula.value
    if isinstance(formula, s.Nominal):
        assert isinstance(formula.name, s.Name)
        return at[formula.name.text]
    inside = [true(child, at) for child in s.children(formula)]
    kinds = {s.Not: not all(inside), s.And: all(inside), s.Or: any(inside)}
    if isinstance(formula, s.Implies):
        return inside[0] <= inside[1]
    return (
        inside[0] == inside[1] if isinstance(formula, s.Iff) else kinds[type(formula)]
    )


@so_many(150)
@given(boolean, st.booleans(), st.booleans())
def test_parts_say_what_the_formula_says(
    formula: s.Formula, together: bool, wanted: bool
) -> None:
    parts = [stated(*way) for way in flattened(formula, together, wanted)]
    for bits in itertools.product((False, True), repeat=len(ATOMS)):
        at = dict(zip(ATOMS, bits, strict=True))
        found = [true(part, at) for part in parts]
        assert (all(found) if together else any(found)) == (true(formula, at) == wanted)
        if (ways := juncts(formula, wanted)) is not None:
            met = [true(part, at) == way for part, way in ways[1]]
            assert (all(met) if ways[0] else any(met)) == (true(formula, at) == wanted)


def test_a_variable_is_not_ground() -> None:
    """Neither for a value nor for an agent, in a likelihood or not."""
    v, fixed = s.Var("v"), s.equals("f", "x")
    bound = s.number(Fraction(1, 2))
    assert is_ground(s.Box("a1", s.Compare(s.likelihood("a0", fixed), "<", bound)))
    assert propositional(s.Implies(fixed, s.TRUE))
    for open_one in (
        s.Descriptor("f", "=", (v,)),
        s.Box(v, fixed),
        s.Diamond(v, fixed),
        s.Compare(s.likelihood(v, fixed), "<", bound),
        s.Compare(s.number(0), "<", s.likelihood("a1", s.Descriptor("f", "in", (v,)))),
    ):
        assert not is_ground(open_one)
        assert not propositional(open_one)


# From 0/1 terms to constraints

BITS = ("u", "v", "w")
literals = st.deferred(
    lambda: (
        st.sampled_from(BITS).map(lambda name: lambda terms: terms.unknown(name))
        | literals.map(lambda inner: lambda terms: -inner(terms))
        | st.lists(literals, max_size=3).map(
            lambda parts: lambda terms: terms.conj([part(terms) for part in parts])
        )
        | st.tuples(
            st.lists(st.tuples(st.integers(-2, 2), literals), max_size=3),
            st.integers(-2, 2),
        ).map(
            lambda drawn: (
                lambda terms: terms.at_least(
                    total(((c, part(terms)) for c, part in drawn[0]), drawn[1])
                )
            )
        )
    )
)
"""How a random literal is built."""


def meant(terms: Terms, literal: int, values: dict[str, int]) -> bool:
    """The truth of a literal, by what it stands for."""
    if literal < 0:
        return not meant(terms, -literal, values)
    body = terms.definitions.get(literal)
    if body is None:
        return literal == 1 or values[terms.names[literal]] == 1
    if isinstance(body, tuple):
        return all(meant(terms, part, values) for part in body)
    return (
        body.constant + sum(c for v, c in body.parts.items() if meant(terms, v, values))
        >= 0
    )


@so_many(150)
@given(literals)
def test_terms_over_bits_keep_their_meaning(build: Callable[[Terms], int]) -> None:
    terms = Terms()
    literal = build(terms)
    written = Translation(terms).term(literal), Translation(terms).term(-literal)
    for bits in itertools.product((0, 1), repeat=len(BITS)):
        values = dict(zip(BITS, bits, strict=True))
        true = meant(terms, literal, values)
        assert (t.evaluate(written[0], values), t.evaluate(written[1], values)) == (
            true,
            not true,
        )
