"""Closure under merging: random formulas with schemas, lemmas of new criteria."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.closure_cases import (
    ALL,
    FORMULAS,
    Histogram,
    Judge,
    Rows,
    bound,
    checked,
    seen,
    settle,
    table,
    true,
)
from support.so_many import so_many
from support.strategies import (
    bounds,
    coefficients,
    comparisons,
    criteria,
    descriptors,
    fit,
    tables,
)

from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.logic.printer import to_text
from phverify.spec import syntax as s
from phverify.spec.criteria.k_anonymity import KAnonymity
from phverify.spec.criterion.base import Counts
from phverify.spec.parser import parse
from phverify.spec.signature import Signature
from phverify.symbolic.histograms import Property, attributes, kinds, written
from phverify.symbolic.lemmas import condition, facts
from phverify.symbolic.prover import Closure, closure, local, needs_whole
from phverify.symbolic.release import SymbolicRelease

PLAIN = st.recursive(
    descriptors(),
    lambda inner: st.one_of(
        st.builds(s.Not, inner),
        st.builds(lambda a, b: s.And((a, b)), inner, inner),
        st.builds(s.Iff, inner, inner),
    ),
    max_leaves=3,
)


KNOWN = st.one_of(
    criteria,
    criteria,
    st.sampled_from(
        [
            parse(text)
            for text in (
                "alpha_k_anonymity(f, 1/2, 2)",
                "delta_disclosure(g, 1)",
                "delta_disclosure(f, 3/2, absent=ignored)",
                "beta_likeness(f, 1/2)",
                "enhanced_beta_likeness(g, 1)",
                "entropy_l_diversity(f, 3/2)",
            )
        ]
    ),
)


def sums(
    inner: st.SearchStrategy[s.Formula], nested: bool = True
) -> st.SearchStrategy[s.Linear]:
    known = st.one_of(
        st.builds(s.Likelihood, st.just("a1"), inner),
        st.builds(s.Likelihood, st.just("a1"), inner),
        st.builds(s.Likelihood, st.just("a0"), PLAIN),
    )
    terms = st.lists(st.tuples(coefficients, known), min_size=1, max_size=3)
    flat = st.builds(lambda ts, c: s.Linear(tuple(ts), c), terms, bounds)
    if not nested:
        return flat
    return st.one_of(
        flat,
        flat,
        st.builds(
            lambda c, body: s.Linear(((c, s.Abs(body)),)),
            coefficients,
            sums(inner, False),
        ),
    )


def grow(inner: st.SearchStrategy[s.Formula]) -> st.SearchStrategy[s.Formula]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(s.Not, inner),
        st.builds(s.And, several),
        st.builds(s.Or, several),
        st.builds(s.Implies, inner, inner),
        st.builds(s.Iff, inner, inner),
        st.builds(s.Diamond, st.just("a1"), inner),
        st.builds(s.Box, st.just("a1"), inner),
        st.builds(s.Diamond, st.just("a0"), PLAIN),
        st.builds(s.Box, st.just("a0"), PLAIN),
        st.builds(s.Compare, sums(inner), comparisons, st.builds(s.number, bounds)),
        st.builds(s.Compare, sums(inner), comparisons, st.builds(s.number, bounds)),
    )


def schema(
    universal: bool, body: s.Formula, bound: Fraction, clause: bool
) -> s.Formula:
    chosen: s.Formula = (
        s.Chosen(s.Var("D")) if clause else s.Descriptor("f", "=", (s.Var("v"),))
    )
    binder = (
        s.Binder(s.Var("D"), "clauses", "f", 2)
        if clause
        else s.Binder(s.Var("v"), "values", "f")
    )
    share = s.Compare(
        s.minus(s.likelihood("a1", chosen), s.likelihood("a0", chosen)),
        "<=",
        s.number(bound),
    )
    return s.Quantified(universal, (binder,), s.Or((share, s.And((chosen, body)))))


BODIES = st.recursive(
    st.one_of(descriptors(), descriptors(), KNOWN), grow, max_leaves=5
)


RULES = st.one_of(
    BODIES,
    BODIES,
    BODIES,
    st.builds(schema, st.booleans(), BODIES, bounds, st.booleans()),
)


@so_many(30)
@given(tables(7), RULES)
def test_random_formulas(rows: Rows, formula: s.Formula) -> None:
    """Proved means that no two classes of the table are against it; a counterexample
    means that two are.
    """
    text = to_text(fit(formula, list(rows)))
    found, (merge, upward) = settle([{**row, "q": "x"} for row in rows], text)
    assert merge >= found.merge, (text, found)
    assert upward >= found.upward, (text, found)
    if found.how.startswith("not merge-closed"):
        assert not merge, (text, found)


LOCAL = [
    ("k_anonymity(2)", True, False),
    ("l_diversity(f, 2)", True, False),
    ("l_diversity(f='f', l=2)", True, False),
    ("recursive_l_diversity(f, 2, 2)", True, False),
    ("entropy_l_diversity(f, 2)", True, False),
    ("alpha_k_anonymity(f, 1/2, 2)", True, False),
    ("t_closeness(f, 1/4)", True, True),
    ("delta_disclosure(f, 1)", True, True),
    ("beta_likeness(f, 1)", True, True),
    ("enhanced_beta_likeness(f, 1)", True, True),
    ("average_benefit(f, 1)", True, True),
    ("l_diversity(q, 2)", False, False),
    ("l_a1(f = a) <= 1/2", True, False),
    ("l_a1(q = x) <= 1/2", False, False),
    ("f = a & q = x", False, False),
    ("l_a0(f = a) <= 1/2", True, True),
    ("<a0> f = a", True, True),
    ("l_a0(l_a1(f = a) < 1) <= 1/2", False, True),
    ("<a0> k_anonymity(2)", False, True),
    ("l_half(f = a) <= 1/2", False, True),
    ("[half] f = a", False, True),
    ("<a1> l_a1(f = a) <= 1/2", True, False),
    ("@i1 f = a", False, False),
    ("l_a1(i1) <= 1/2", False, False),
    ("forall i: l_a1(i) <= 1/2", False, False),
    ("forall i: @i ~[a1] f = a", True, False),
    ("forall i: @i ~[a1] i", False, False),
    ("forall i, j: @i @j f = a", False, False),
    ("~(forall i: @i f = a)", False, False),
    ("f = b | (forall i: @i f = a)", False, False),
    ("exists i: @i f = a", False, False),
    ("forall v in f: l_a1(f = v) <= 1/2", True, True),
    ("forall v in q: l_a1(q = v) <= 1/2", False, True),
    ("forall D in clauses(q, 2): true", False, True),
    ("forall D in clauses(f, 2): ~[a1] D", True, True),
    ("forall D in clauses(f, 2): l_a0(D) <= 1/2", True, True),
    ("forall a in agents: l_a(f = a) <= 1/2", False, True),
    ("forall i, v in f: @i l_a1(f = v) <= 1/2", True, True),
    ("logical_safety()", False, True),
]


@pytest.mark.parametrize(
    ("text", "is_local", "whole"), LOCAL, ids=[text for text, *_ in LOCAL]
)
def test_local(text: str, is_local: bool, whole: bool) -> None:
    formula = parse(text)
    assert local(formula, ("q",)) == is_local
    assert needs_whole(formula) == whole


def test_a_rule_about_individuals_is_not_settled() -> None:
    formula, release = bound(ALL, "@i1 ~[a1] f = a")
    assert closure(formula, release, Deadline()) == Closure(
        False, False, "not settled: the rule is not about single classes"
    )


def test_a_budget_that_is_over_proves_nothing() -> None:
    formula, release = bound(ALL, "t_closeness(f, 1/4) & k_anonymity(2)")
    found = closure(formula, release, Deadline(0))
    assert (found.merge, found.upward, found.queries) == (False, False, ())
    assert "budget" in found.how


def test_long_schemas_are_not_written_out() -> None:
    rows = [{"q": "x", "f": f"v{k}", "g": "0"} for k in range(40)]
    formula, release = bound(rows, "forall D in clauses(f, 20): ~[a1] D")
    found = closure(formula, release, Deadline(20))
    assert not found.merge
    assert "instances" in found.how


def test_the_solver_that_gives_up_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from phverify.constraints.solver import SolverAnswer
    from phverify.symbolic import prover as module

    formula, release = bound(ALL, "k_anonymity(3) -> t_closeness(f, 1/4)")
    monkeypatch.setattr(
        module,
        "solve",
        lambda text, deadline: SolverAnswer("unknown", reason="Z3 says: no idea"),
    )
    found = closure(formula, release, Deadline(20))
    assert (found.merge, found.upward) == (False, False)
    assert "no idea" in found.how


class Few(KAnonymity):
    """A criterion without a lemma, and not merge-closed: fewer than k rows."""

    def formula(self, signature: Signature) -> s.Formula:
        first = signature.attributes["f"].domain[0]
        return s.Compare(
            s.likelihood("a1", s.equals("f", first)),
            ">=",
            s.number(Fraction(1, self.k)),
        )

    def holds(self, inside: Counts, whole: Counts) -> bool:
        raise AssertionError("not asked")


@pytest.mark.parametrize(
    "text", ["k_anonymity(2)", "~~(k_anonymity(2) & true)", "k_anonymity(2) <-> true"]
)
def test_a_new_criterion_goes_through_its_formula(text: str) -> None:
    formula, release = bound(ALL, text)
    node = next(
        node for node in s.subformulas(formula) if isinstance(node, s.Criterion)
    )
    strange = replace(release, criteria={node: Few(2)})
    found = checked(closure(formula, strange, Deadline(20)))
    assert (found.merge, found.upward) == (True, False)


class Named(KAnonymity):
    """A criterion without a lemma, whose formula names individuals: a subclass inherits
    none.
    """

    def formula(self, signature: Any) -> s.Formula:
        return super().formula(signature)


@pytest.mark.parametrize("text", ["k_anonymity(2)", "k_anonymity(2) <-> true"])
def test_a_new_criterion_about_individuals_is_not_settled(text: str) -> None:
    formula, release = bound(ALL, text)
    node = next(
        node for node in s.subformulas(formula) if isinstance(node, s.Criterion)
    )
    found = closure(formula, replace(release, criteria={node: Named(2)}), Deadline(20))
    assert (found.merge, found.upward) == (False, False)
    assert "not settled" in found.how


def test_counterexamples_are_real() -> None:
    """The rows that are told satisfy the rule apart, and not together."""
    formula, release = bound(ALL, "~k_anonymity(3)")
    how = closure(formula, release, Deadline(20)).how
    numbers = [int(word) for word in how.replace(",", "").split() if word.isdigit()]
    assert all(n < 3 for n in numbers)
    assert sum(numbers) >= 3


def test_missing_values_are_values() -> None:
    rows = [{"q": "x", "f": v, "g": "0"} for v in ("a", "a", None, None, "b")]
    found, (merge, _) = settle(rows, "forall v in f: l_a1(f = v) <= 1/2")
    assert found.merge
    assert merge
    assert Counter(row["f"] for row in rows)[None] == 2


FAITHFUL = [
    "k_anonymity(3)",
    "alpha_k_anonymity(f, 1/2, 2)",
    "alpha_k_anonymity(f, 2/3, 1)",
    "l_diversity(f, 1)",
    "l_diversity(f, 2)",
    "l_diversity(f, 3)",
    "l_diversity(f, 4)",
    "recursive_l_diversity(f, 2, 2)",
    "recursive_l_diversity(f, 3/2, 2)",
    "recursive_l_diversity(f, 4, 3)",
    "t_closeness(f, 1/4)",
    "delta_disclosure(f, 1)",
    "delta_disclosure(f, 2)",
    "delta_disclosure(f, 1, absent=ignored)",
    "beta_likeness(f, 1/2)",
    "enhanced_beta_likeness(f, 1/9)",
    "average_benefit(f, 1/4)",
]


@pytest.mark.parametrize("text", FAITHFUL)
@pytest.mark.parametrize(
    "whole", [{"a": 3, "b": 3, "c": 3}, {"a": 1, "b": 2, "c": 4}], ids=["333", "124"]
)
def test_a_lemma_is_about_its_criterion(text: str, whole: dict[str, int]) -> None:
    """A class satisfies a criterion iff all instances satisfy the lemma's condition;
    its facts are facts.
    """
    formula, release = bound(table(**whole), text)
    assert isinstance(formula, s.Criterion)
    criterion = release.criteria[formula]
    found = criterion.lemma()
    assert found is not None
    own = {q: t.number(q, low=None) for q in found.quantities}
    for counts in itertools.product(*(range(k + 1) for k in whole.values())):
        inside = {v: k for v, k in zip(whole, counts, strict=True) if k}
        if inside:
            instances = seen(criterion, inside, whole)
            assert all(true(fact, q) for q in instances for fact in facts(own))
            assert criterion.holds(inside, whole) == all(
                true(condition(found, own), q) for q in instances
            )


EXTRA = [
    "[a0] f != a | k_anonymity(2)",
    "<a0> f = b & g = 1 & k_anonymity(3)",
    "2 * abs(l_a1(f = a) - 1/3) - abs(l_a1(g = 0) - l_a0(g = 0)) <= 1/4",
    "l_a1(f = a -> l_a1(g = 1) < 1/2) >= 3/4",
    "f = a <-> l_a1(f = a) >= 1/2",
    "k_anonymity(3) <-> l_diversity(f, 3)",
    "1/2 * l_a0(f = a) - l_a1(f = b) < 0",
]


@pytest.mark.parametrize(
    "text", [*(text for text, _ in FORMULAS if "entropy" not in text), *EXTRA]
)
def test_properties_say_what_the_semantics_says(text: str) -> None:
    """With the rows of a class given, the property is true iff the formula is true in
    the class.
    """
    formula, release = bound(table(a=4, b=3, c=2), text)
    judge = Judge(formula, release)
    exact = Property(
        written(judge.formula, release),
        kinds(release, attributes(judge.formula, release.criteria.__getitem__)),
        True,
        True,
    )
    loose = Property(exact.formula, exact.kinds, False, False)
    every = [x for x in judge.classes() if list(x) != judge.limits]
    for x in every[:: max(1, len(every) // 4)]:
        assert fits(exact, judge, x) == judge.holds(x), (text, x)
        assert fits(loose, judge, x) >= judge.holds(x), (text, x)


def fits(prop: Property, judge: Judge, x: Histogram) -> bool:
    """Whether the class x of these rows can have the property."""
    found: Counter[int] = Counter()
    for rows, k in zip(judge.members, x, strict=True):
        found[profile(prop, judge.release, rows[0])] += k
    rows = [t.compare(prop.rows("x", p), "=", found[p]) for p in prop.range]
    return solve(script([*prop.frame(), *rows, prop.holds("x")])).status == "sat"


def profile(prop: Property, release: SymbolicRelease, row: int) -> int:
    """The profile of a row: that of its kind."""
    columns = release.columns
    kind = next(
        k
        for k in range(len(prop.kinds.counts))
        if all(
            int(kind.codes[k]) == int(columns[f].codes[row])
            for f, kind in prop.kinds.columns.items()
        )
    )
    return next(p for p, members in enumerate(prop.members) if kind in members)
