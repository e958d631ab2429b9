"""Closure under merging: what the solver proves, against all pairs of classes that
small tables can have.
"""

from __future__ import annotations

from itertools import product

import pytest
from support.closure_cases import (
    ALL,
    FORMULAS,
    MERGE,
    NEITHER,
    UPWARD,
    Judge,
    Rows,
    bound,
    checked,
    folder,  # noqa: F401
    settle,
    table,
)
from support.so_many import sampled

from phverify.budget import Deadline
from phverify.constraints.solver import solve
from phverify.spec import syntax as s
from phverify.spec.criterion import registry
from phverify.symbolic.lemmas import text as asked
from phverify.symbolic.prover import closure

TABLES = [
    table(a=3, b=3, c=3),
    table(a=1, b=2, c=4),
    table(a=5, b=1, c=1),
    table(a=2, b=2),
    table(a=4, b=4, c=4),
]


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
    ("rows", "criterion"), sampled([*product(TABLES, CRITERIA)], 3)
)
def test_criteria_are_proved(
    rows: Rows, criterion: tuple[str, str], folder: str
) -> None:
    text, expected = criterion
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


OTHERS = [table(a=1, b=2, c=4), table(a=5, b=1, c=1)]


@pytest.mark.parametrize(
    ("rows", "text"),
    sampled([*product(OTHERS, [text for text, _ in FORMULAS])], 2),
)
def test_formulas_over_other_tables(rows: Rows, text: str) -> None:
    found, (merge, upward) = settle(rows, text)
    assert merge >= found.merge, found.how
    assert upward >= found.upward, found.how


def test_a_lemma_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not about a table; what is unknown is asked again."""
    from phverify.constraints.solver import SolverAnswer
    from phverify.symbolic import prover as module

    asked_for: list[str] = []
    unknown = SolverAnswer("unknown", reason="no idea")

    def counted(text: str, deadline: Deadline) -> SolverAnswer:
        asked_for.append(text)
        return solve(text, deadline)

    monkeypatch.setattr(module, "_SETTLED", {})
    formula, release = bound(TABLES[0], "k_anonymity(17)")
    monkeypatch.setattr(module, "solve", lambda text, deadline: unknown)
    assert not closure(formula, release, Deadline(20)).merge
    monkeypatch.setattr(module, "solve", counted)
    first = closure(formula, release, Deadline(20))
    many = len(asked_for)
    formula, release = bound(TABLES[1], "k_anonymity(17)")
    assert first.upward and closure(formula, release, Deadline(20)) == first
    assert len(asked_for) == many == 1
