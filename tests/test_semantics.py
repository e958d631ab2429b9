"""Definition 4 on general models, and the models of a release as one kind of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agreement_cases import looked_up, questions, signature
from support.kripke import KripkeModel
from support.oracle import models
from support.so_many import so_many
from support.strategies import AGENTS, QUASI, coefficients, comparisons, tables

from phverify.errors import InputError
from phverify.microdata.dataframes import from_frame
from phverify.microdata.quotient import quotient
from phverify.spec import syntax as s
from phverify.spec.bitset import members
from phverify.spec.models import ReleaseModel
from phverify.spec.schemas import expand
from phverify.spec.semantics import everything, true_in, truth_set
from phverify.spec.signature import Attribute, Signature
from phverify.spec.types import TEXT
from phverify.symbolic.release import SymbolicRelease

LANGUAGE = Signature({"p": Attribute("p", TEXT, ("u", "v"))}, ("a", "b"), 3)


@st.composite
def general(draw: st.DrawFn) -> KripkeModel:
    """Any relations, any spaces, any facts: also worlds with two values of p, or
    none.
    """
    n = draw(st.integers(1, 4))
    worlds = st.integers(0, n - 1)
    sets = st.frozensets(worlds)
    relations = {a: {w: draw(sets) for w in range(n)} for a in "ab"}
    spaces = {a: {w: draw(space(n)) for w in range(n)} for a in "ab"}
    facts = {("p", v): draw(sets) for v in ("u", "v")}
    nominals: dict[s.Reference, int] = {s.Person(k): draw(worlds) for k in range(2)}
    return KripkeModel(n, LANGUAGE, relations, spaces, facts, nominals)


@st.composite
def space(draw: st.DrawFn, n: int) -> Mapping[int, Fraction]:
    weights = {
        w: draw(st.integers(1, 4))
        for w in draw(st.frozensets(st.integers(0, n - 1), min_size=1))
    }
    return {w: Fraction(k, sum(weights.values())) for w, k in weights.items()}


def general_formulas() -> st.SearchStrategy[s.Formula]:
    nominal = st.sampled_from([s.Person(0), s.Person(1)])
    atoms = st.one_of(
        st.builds(
            lambda v, op: s.Descriptor("p", op, (s.Value(v),)),
            st.sampled_from("uv"),
            st.sampled_from(["=", "!="]),
        ),
        st.builds(s.Nominal, nominal),
        st.builds(s.Truth, st.booleans()),
    )

    def grow(inner: st.SearchStrategy[s.Formula]) -> st.SearchStrategy[s.Formula]:
        pair = st.tuples(inner, inner)
        term = st.tuples(
            coefficients, st.builds(s.Likelihood, st.sampled_from("ab"), inner)
        )
        return st.one_of(
            st.builds(s.Not, inner),
            st.builds(s.And, pair),
            st.builds(s.Or, pair),
            st.builds(s.Implies, inner, inner),
            st.builds(s.Iff, inner, inner),
            st.builds(s.Diamond, st.sampled_from("ab"), inner),
            st.builds(s.Box, st.sampled_from("ab"), inner),
            st.builds(s.At, nominal, inner),
            st.builds(
                lambda ts, op: s.Compare(
                    s.Linear(tuple(ts)), op, s.number(Fraction(1, 2))
                ),
                st.lists(term, max_size=2),
                comparisons,
            ),
        )

    return st.recursive(atoms, grow, max_leaves=6)


def satisfies(m: KripkeModel, w: int, formula: s.Formula) -> bool:
    """Definition 4, world by world, in the paper's words."""
    match formula:
        case s.Truth(value):
            return value
        case s.Descriptor(f, op, (s.Value(v),)):
            return (w in m.facts[f, v]) == (op == "=")
        case s.Nominal(i):
            return w == m.nominals[i]
        case s.Not(body):
            return not satisfies(m, w, body)
        case s.And(parts):
            return all(satisfies(m, w, part) for part in parts)
        case s.Or(parts):
            return any(satisfies(m, w, part) for part in parts)
        case s.Implies(left, right):
            return not satisfies(m, w, left) or satisfies(m, w, right)
        case s.Iff(left, right):
            return satisfies(m, w, left) == satisfies(m, w, right)
        case s.Diamond(str(a), body):
            return any(satisfies(m, v, body) for v in m.relations[a][w])
        case s.Box(str(a), body):
            return all(satisfies(m, v, body) for v in m.relations[a][w])
        case s.At(i, body):
            return satisfies(m, m.nominals[i], body)
        case s.Compare(left, op, right):
            total = (
                sum((r * mass(m, w, term) for r, term in left.terms), Fraction(0))
                - right.constant
            )
            return {
                "=": total == 0,
                "!=": total != 0,
                "<": total < 0,
                "<=": total <= 0,
                ">": total > 0,
                ">=": total >= 0,
            }[op]
    raise TypeError(formula)


def mass(m: KripkeModel, w: int, term: Any) -> Fraction:
    return sum(
        (p for v, p in m.spaces[term.agent][w].items() if satisfies(m, v, term.body)),
        Fraction(0),
    )


@so_many(200)
@given(general(), general_formulas())
def test_truth_sets_are_definition_4(model: KripkeModel, formula: s.Formula) -> None:
    found = set(members(truth_set(model, formula, everything(model))))
    assert found == {w for w in range(model.size) if satisfies(model, w, formula)}


@so_many(150)
@given(questions(4))
def test_models_of_a_release_are_definition_7(question: tuple[list[Any], str]) -> None:
    """The models built from columns agree with those written down as explicit
    frames.
    """
    import pandas as pd

    rows, text = question
    table = from_frame(pd.DataFrame(rows, dtype=object))
    agents = {name: tuple(known) for name, known in AGENTS.items()}
    language = signature(rows)
    counted = quotient(table.columns, ("q", "r"), ("f", "g"), len(rows))
    base = SymbolicRelease(
        table.columns, counted, language, agents, np.arange(len(rows)), {}
    )
    formula = looked_up(text, rows)
    if any(isinstance(node, s.Criterion) for node in s.subformulas(formula)):
        return
    written = expand(formula, language)
    for explicit in models(rows, AGENTS, language):
        place = {k: explicit.world(s.Person(k)) for k in range(len(rows))}
        assert true_in(ReleaseModel(base, place), written) == true_in(explicit, written)


@given(tables(5))
def test_there_are_as_many_models_as_permutations_within_classes(
    rows: list[Any],
) -> None:
    from math import factorial, prod

    from support.oracle import classes

    expected = prod(factorial(len(members)) for members in classes(rows, QUASI))
    assert sum(1 for _ in models(rows, AGENTS, signature(rows))) == expected


@pytest.mark.parametrize(
    "space", [{0: Fraction(1, 2)}, {0: Fraction(3, 2), 1: Fraction(-1, 2)}]
)
def test_a_space_is_a_distribution(space: Mapping[int, Fraction]) -> None:
    with pytest.raises(InputError, match="sum to exactly 1"):
        KripkeModel(2, LANGUAGE, {"a": {}}, {"a": {0: space}}, {}, {})
