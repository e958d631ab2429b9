"""Closure under merging: what the solver proves, against all pairs of classes that
small tables can have.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import add, le
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import (
    bounds,
    coefficients,
    comparisons,
    criteria,
    descriptors,
    fit,
    tables,
)
from test_agreement import cases

import phverify as ph
from phverify.budget import Deadline
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.logic.printer import to_text
from phverify.microdata.read import read
from phverify.microdata.table import Column
from phverify.policy.bind import bind
from phverify.spec import syntax as s
from phverify.spec.criteria.k_anonymity import KAnonymity
from phverify.spec.criterion import registry
from phverify.spec.criterion.base import Counts
from phverify.spec.models import ReleaseModel
from phverify.spec.parser import parse
from phverify.spec.schemas import expand
from phverify.spec.semantics import truth_set
from phverify.spec.signature import Signature
from phverify.symbolic.histograms import Property, attributes, kinds, written
from phverify.symbolic.lemmas import condition, facts
from phverify.symbolic.lemmas import text as asked
from phverify.symbolic.models import bits
from phverify.symbolic.prover import Closure, closure, local, needs_whole
from phverify.symbolic.release import SymbolicRelease

Rows = Sequence[dict[str, str | None]]
Histogram = tuple[int, ...]
Quantities = dict[str, Fraction | int]
TREE = "a;ab;*\nb;ab;*\nc;c;*"


def table(**counts: int) -> Rows:
    """So many rows of each value of f; g goes 0, 1, 0, 1, .."""
    values = [v for v, k in counts.items() for _ in range(k)]
    return [{"q": "x", "f": v, "g": str(n % 2)} for n, v in enumerate(values)]


def bound(
    rows: Rows, text: str, folder: str = "."
) -> tuple[s.Formula, SymbolicRelease]:
    hierarchies = {"f": "tree.csv"} if folder != "." else {}
    found = bind(
        ph.Policy.from_dict(
            {
                "columns": {"quasi": ["q"], "sensitive": ["f", "g"]},
                "types": {"g": "integer"},
                "hierarchies": hierarchies,
                "rules": {"rule": text},
            },
            folder,
        ),
        read(pd.DataFrame(rows)[["q", "f", "g"]]),
        None,
    )
    return found.rules[0].expanded, found.release


def for_all(formula: s.Formula) -> s.Formula:
    """Without ``forall i: @i``: at all worlds."""
    match formula:
        case s.Quantified(universal, binders, body):
            kept = tuple(b for b in binders if b.sort != "individuals")
            return (
                s.Quantified(universal, kept, for_all(body)) if kept else for_all(body)
            )
        case s.At(_, body):
            return for_all(body)
    return s.rebuild(formula, for_all)


@dataclass(eq=False)
class Judge:
    """Brute force: a class is some rows of the table, and the reference semantics says
    what is true there.
    """

    formula: s.Formula
    release: SymbolicRelease
    most: int = 3
    members: list[list[int]] = field(init=False)
    limits: list[int] = field(init=False)
    known: dict[Histogram, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.formula = expand(for_all(self.formula), self.release.signature)
        seen = attributes(self.formula, self.release.criteria.__getitem__)
        groups: dict[tuple[int, ...], list[int]] = {}
        for row in range(self.release.quotient.rows):
            key = tuple(int(self.release.columns[f].codes[row]) for f in seen)
            groups.setdefault(key, []).append(row)
        self.members = list(groups.values())
        self.limits = [len(rows) for rows in self.members]

    def holds(self, histogram: Histogram) -> bool:
        if histogram not in self.known:
            inside = np.zeros(self.release.quotient.rows, dtype=bool)
            for rows, k in zip(self.members, histogram, strict=True):
                inside[rows[:k]] = True
            columns = {
                **self.release.columns,
                "q": Column(inside.astype(np.int64), ("out", "in")),
            }
            base = replace(self.release, columns=columns, _cells={}, _facts={})
            everyone = bits(inside)
            self.known[histogram] = (
                truth_set(ReleaseModel(base, {}), self.formula, everyone) == everyone
            )
        return self.known[histogram]

    def classes(self) -> list[Histogram]:
        ranges = (range(min(self.most, len(rows)) + 1) for rows in self.members)
        return [h for h in itertools.product(*ranges) if any(h)]

    def closed(self) -> tuple[bool, bool]:
        """(merge, upward), as far as these classes go."""
        merge = upward = True
        every = self.classes()
        for x, y in itertools.product(filter(self.holds, every), every):
            both = tuple(map(add, x, y))
            if all(map(le, both, self.limits)) and not self.holds(both):
                upward = False
                merge = merge and not self.holds(y)
        return merge, upward


def checked(found: Closure) -> Closure:
    """With every query asked again."""
    assert all(solve(text).status == "unsat" for text in found.queries)
    assert bool(found.queries) == found.merge
    assert found.how
    return found


def settle(
    rows: Rows, text: str, folder: str = "."
) -> tuple[Closure, tuple[bool, bool]]:
    formula, release = bound(rows, text, folder)
    assert local(formula, ("q",)), text
    judge = Judge(
        formula, release, 3 if len(release.signature.attributes["f"].domain) > 2 else 4
    )
    return checked(closure(formula, release, Deadline(20))), judge.closed()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tree")
    (path / "tree.csv").write_text(TREE)
    return str(path)


TABLES = [
    table(a=3, b=3, c=3),
    table(a=1, b=2, c=4),
    table(a=5, b=1, c=1),
    table(a=2, b=2),
    table(a=4, b=4, c=4),
]

MERGE, UPWARD = "merge-closed", "upward-closed"
CRITERIA = [
    ("k_anonymity(3)", UPWARD),
    ("k_anonymity(1)", UPWARD),
    ("alpha_k_anonymity(f, 1/2, 2)", MERGE),
    ("alpha_k_anonymity(f, 2/3, 1)", MERGE),
    ("l_diversity(f, 1)", UPWARD),
    ("l_diversity(f, 2)", UPWARD),
    ("l_diversity(f, 3)", UPWARD),
    ("l_diversity(f, 4)", UPWARD),
    ("recursive_l_diversity(f, 2, 1)", MERGE),
    ("recursive_l_diversity(f, 2, 2)", MERGE),
    ("recursive_l_diversity(f, 3/2, 2)", MERGE),
    ("recursive_l_diversity(f, 4, 3)", MERGE),
    ("recursive_l_diversity(f, 4, 5)", MERGE),
    ("entropy_l_diversity(f, 3/2)", MERGE),
    ("entropy_l_diversity(f, 2)", MERGE),
    ("entropy_l_diversity(f, 5/2)", MERGE),
    ("t_closeness(f, 0)", MERGE),
    ("t_closeness(f, 1/4)", MERGE),
    ("t_closeness(f, 1/3, distance=hierarchical)", MERGE),
    ("t_closeness(f, 1/5, distance=hierarchical)", MERGE),
    ("t_closeness(f, 1/4, distance=ordered)", MERGE),
    ("delta_disclosure(f, 1)", MERGE),
    ("delta_disclosure(f, 3/2)", MERGE),
    ("delta_disclosure(f, 7/3)", MERGE),
    ("beta_likeness(f, 1/2)", MERGE),
    ("beta_likeness(f, 0)", MERGE),
    ("enhanced_beta_likeness(f, 1/2)", MERGE),
    ("enhanced_beta_likeness(f, 2)", MERGE),
    ("average_benefit(f, 1/4)", MERGE),
    ("guarded(f, ab, 1/2)", MERGE),
    ("guarded(f, a, 2/3)", MERGE),
    ("guarded(f, ab, 1)", UPWARD),
]


@pytest.mark.parametrize(
    ("text", "expected"), CRITERIA, ids=[text for text, _ in CRITERIA]
)
@pytest.mark.parametrize("rows", TABLES, ids=["333", "124", "511", "22", "444"])
def test_criteria_are_proved(rows: Rows, text: str, expected: str, folder: str) -> None:
    found, (merge, upward) = settle(rows, text, folder)
    assert found.merge
    assert merge
    assert found.upward == (expected == UPWARD)
    assert upward or not found.upward
    assert len(found.queries) <= 2


def test_every_criterion_with_a_lemma_is_here() -> None:
    """(epsilon, m)-anonymity has none."""
    assert {text.partition("(")[0] for text, _ in CRITERIA} == set(
        registry.CRITERIA
    ) - {"em_anonymity"}


@pytest.mark.parametrize(
    "text", [*(text for text, _ in CRITERIA), "delta_disclosure(f, 1, absent=ignored)"]
)
def test_a_lemma_says_itself_how_closed_it_is(text: str, folder: str) -> None:
    """By arithmetic on its inequalities, as the solver finds it."""
    formula, release = bound(TABLES[0], text, folder)
    assert isinstance(formula, s.Criterion)
    found = release.criteria[formula].lemma()
    assert found is not None
    proved = [
        solve(asked(found, goal), Deadline(20)).status == "unsat"
        for goal in ("merge", "upward")
    ]
    assert proved == [found.closed() >= 1, found.closed() >= 2]


def test_ignoring_absent_values_is_not_merge_closed() -> None:
    """A value can be diluted below the bound: two classes are fine, their union is
    not.
    """
    rows = table(a=3, b=12, c=12)
    formula, release = bound(rows, "delta_disclosure(f, 1, absent=ignored)")
    found = checked(closure(formula, release, Deadline(20)))
    assert not found.merge
    assert "not merge-closed: rows" in found.how
    judge = Judge(formula, release, 12)
    rest, few = (0, 8, 8), (1, 4, 4)
    assert judge.holds(rest)
    assert judge.holds(few)
    assert not judge.holds((1, 12, 12))


@pytest.mark.parametrize("rows", TABLES, ids=["333", "124", "511", "22", "444"])
def test_ignoring_absent_values_is_settled_within_each_table(rows: Rows) -> None:
    for delta in ("1/2", "1", "3/2", "3"):
        formula, release = bound(rows, f"delta_disclosure(f, {delta}, absent=ignored)")
        found = checked(closure(formula, release, Deadline(20)))
        assert (found.merge, True) == (
            Judge(formula, release, 5).closed()[0],
            "not settled" not in found.how,
        )


NEITHER = "neither"
FORMULAS = [
    ("forall v in f: l_a1(f = v) <= 1/2", MERGE),
    ("forall i, v in f: @i l_a1(f = v) <= 1/2", MERGE),
    ("forall i: @i ~[a1] f = a", UPWARD),
    ("forall i: @i (~[a1] f = a & ~[a1] f = b)", UPWARD),
    ("forall v in f: l_a1(f = v) <= 2 * l_a0(f = v)", MERGE),
    ("forall v in f: abs(l_a1(f = v) - l_a0(f = v)) <= 1/4", MERGE),
    ("forall v in f: abs(l_a1(f = v) - l_a0(f = v)) >= 1/4", NEITHER),
    ("forall D in clauses(f, 2): ~[a1] D", UPWARD),
    ("forall D in clauses(f, 2): l_a0(D) - l_a1(D) <= 1/3", MERGE),
    ("~(exists v in f: l_a1(f = v) > 2/3)", MERGE),
    ("exists v in f: l_a1(f = v) > 2/3", NEITHER),
    ("~(exists v in f: l_a1(f = v) = 1/2)", NEITHER),
    ("k_anonymity(4) | l_diversity(f, 2)", UPWARD),
    ("k_anonymity(4) & l_diversity(f, 2)", UPWARD),
    ("k_anonymity(4) | t_closeness(f, 1/4)", MERGE),
    ("k_anonymity(4) | entropy_l_diversity(f, 2)", MERGE),
    ("k_anonymity(3) -> l_diversity(f, 2)", NEITHER),
    ("k_anonymity(2) & (k_anonymity(2) -> l_diversity(f, 2))", UPWARD),
    ("~k_anonymity(3)", NEITHER),
    ("~~k_anonymity(3)", UPWARD),
    ("~l_diversity(f, 2)", NEITHER),
    ("~(~k_anonymity(3) | ~l_diversity(f, 2))", UPWARD),
    ("l_a1(f = a & g = 1) <= 3/2 * l_a0(f = a)", MERGE),
    ("l_a1(f = a) = 1/2", MERGE),
    ("l_a1(f = a) != 1/2", NEITHER),
    ("l_a1(f = a) + l_a1(g = 0) > 1/2", MERGE),
    ("<a1> f = a", UPWARD),
    ("[a1] f != a", MERGE),
    ("f != a", MERGE),
    ("f = a -> l_a1(g = 1) <= 1/2", NEITHER),
    ("f = a -> k_anonymity(3)", MERGE),
    ("f != a | k_anonymity(3)", MERGE),
    ("<a1> f = a -> <a1> f = b", MERGE),
    ("<a1> f = a <-> <a1> f = b", MERGE),
    ("l_a1(<a1> f = a) >= 1/2", UPWARD),
    ("true", UPWARD),
    ("k_anonymity(2) | l_a0(f = a) <= 1", UPWARD),
    ("k_anonymity(5) | recursive_l_diversity(f, 2, 2)", MERGE),
    ("alpha_k_anonymity(f, 1/2, 2) & recursive_l_diversity(f, 2, 2)", MERGE),
    ("t_closeness(f, 1/4) & (k_anonymity(2) | l_diversity(f, 2))", MERGE),
    ("f != a | g = 1", MERGE),
    ("~alpha_k_anonymity(f, 1/2, 2)", NEITHER),
    ("~recursive_l_diversity(f, 2, 2)", NEITHER),
    ("~t_closeness(f, 1/4)", NEITHER),
    ("~beta_likeness(f, 1/2)", NEITHER),
    ("~enhanced_beta_likeness(f, 1/2)", NEITHER),
    ("~average_benefit(f, 1/4)", NEITHER),
    ("~delta_disclosure(f, 1)", NEITHER),
    ("~entropy_l_diversity(f, 2)", NEITHER),
]
ALL = table(a=4, b=4, c=4)


@pytest.mark.parametrize(
    ("text", "expected"), FORMULAS, ids=[text for text, _ in FORMULAS]
)
def test_formulas(text: str, expected: str) -> None:
    found, (merge, upward) = settle(ALL, text)
    assert (found.merge, found.upward) == (
        expected != NEITHER,
        expected == UPWARD,
    ), found.how
    assert merge >= found.merge
    assert upward >= found.upward
    if found.how.startswith("not merge-closed"):
        assert not merge


@pytest.mark.parametrize("text", [text for text, _ in FORMULAS])
@pytest.mark.parametrize(
    "rows", [table(a=1, b=2, c=4), table(a=5, b=1, c=1)], ids=["124", "511"]
)
def test_formulas_over_other_tables(rows: Rows, text: str) -> None:
    found, (merge, upward) = settle(rows, text)
    assert merge >= found.merge, found.how
    assert upward >= found.upward, found.how


SHARES = st.one_of(st.just(s.TRUE), descriptors())
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


@cases(60)
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


def value(text: str, names: Quantities) -> Fraction | bool:
    """The value of an SMT-LIB term, by its definition."""
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def term() -> Fraction | bool:
        token = tokens.pop(0)
        if token in names:
            return Fraction(names[token])
        if token != "(":
            return token == "true" if token in ("true", "false") else Fraction(token)
        sign, args = tokens.pop(0), list[Fraction | bool]()
        while tokens[0] != ")":
            args.append(term())
        tokens.pop(0)
        return VALUES[sign](args)

    return term()


def true(term: t.Term, quantities: Quantities) -> bool:
    """Whether a condition is true of some quantities, as its text says."""
    if term is t.TRUE:
        return True
    said = script([term])
    claim = re.findall(r"^\(assert (.*)\)$", said, re.MULTILINE)[-1]
    for name, meant in reversed(
        re.findall(r"^\(define-fun (\w+) \(\) \w+ (.*)\)$", said, re.MULTILINE)
    ):
        claim = re.sub(rf"\b{name}\b", meant, claim)
    return value(claim, quantities) is True


VALUES: dict[str, Callable[[list[Any]], Any]] = {
    "and": all,
    "or": any,
    "=": lambda a: a[0] == a[1],
    "<=": lambda a: all(map(le, a, a[1:])),
    ">=": lambda a: a[0] >= a[1],
    "<": lambda a: a[0] < a[1],
    ">": lambda a: a[0] > a[1],
    "*": lambda a: a[0] * a[1],
    "+": sum,
    "-": lambda a: a[0] - a[1] if len(a) > 1 else -a[0],
}


def seen(c: Any, inside: dict[str, int], whole: dict[str, int]) -> list[Quantities]:
    """What the instances of a criterion see in a class, as its lemma says in words."""
    n, rows = sum(inside.values()), sum(whole.values())
    have = {v: inside.get(v, 0) for v in whole}
    shares = {v: Fraction(k, rows) for v, k in whole.items()}
    sets = [
        sum(have[v] for v in chosen)
        for chosen in itertools.combinations(whole, min(getattr(c, "l", 1) - 1, 3))
    ]
    match c.name:
        case "l_diversity":
            return [{"n": n, "a": n - b} for b in sets]
        case "recursive_l_diversity":
            return [{"n": n, "a": a, "b": b} for a in have.values() for b in sets]
        case "t_closeness":
            return [{"d": n * c.value(inside, whole), "u": n * c.t}]
        case "delta_disclosure":
            reach = 2 ** int(c.delta)
            return [
                {"a": have[v], "u": n * p * reach, "w": n * p / reach}
                for v, p in shares.items()
            ]
        case "beta_likeness" | "enhanced_beta_likeness":
            return [
                {"a": have[v], "u": n * p * (1 + c.beta)} for v, p in shares.items()
            ]
        case "average_benefit":
            return [{"a": have[v], "u": n * (p + c.b)} for v, p in shares.items()]
    return [{"n": n, "a": a} for a in have.values()]


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
