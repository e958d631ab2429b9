"""Each criterion by four roads: its definition from the literature (oracle), the
engine's arrays, its own plain definition, and its formula in all models; with
thresholds that tie on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.agreement_cases import signature
from support.criteria_cases import (
    counts,
    criteria,
    tree,  # noqa: F401
    with_tree,
)
from support.so_many import so_many
from support.strategies import AGENTS, QUASI, tables

import phverify as ph
from phverify.microdata.hierarchy import read_hierarchy
from phverify.spec import syntax as s
from phverify.spec.criterion.base import Condition, Rows, Several
from phverify.spec.criterion.registry import build
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.schemas import expand
from phverify.spec.semantics import everything, truth_set


@so_many(110)
@given(st.data())
def test_engine_agrees_with_the_definition(tree: Path, data: st.DataObject) -> None:
    rows = data.draw(tables(12, missing=False))
    text, test = data.draw(criteria(rows))
    expected = oracle.every(rows, QUASI, test)
    report = ph.verify(pd.DataFrame(rows), with_tree({"rule": text}, tree))
    assert report.verdict == ("proved" if expected else "refuted"), text


@so_many(110)
@given(st.data())
def test_formula_agrees_with_the_definition(tree: Path, data: st.DataObject) -> None:
    """Theorems 1 to 6: the criterion holds iff its formula is valid."""
    rows = data.draw(tables(5, missing=False))
    text, test = data.draw(criteria(rows))
    expected = oracle.every(rows, QUASI, test)
    language = replace(signature(rows), sensitive=("f", "g"))
    formula, problems = resolve(parse(text), language, "", text)
    assert not problems
    nodes = [node for node in s.subformulas(formula) if isinstance(node, s.Criterion)]
    built = {node: build(node, language, {"f": read_hierarchy(tree)}) for node in nodes}
    written = expand(formula, language, lambda node: built[node].formula(language))
    assert oracle.valid(rows, AGENTS, language, written) == expected, text
    for members in oracle.classes(rows, QUASI):
        held = all(
            criterion.holds(*counts(criterion.attribute, members, rows))
            for criterion in built.values()
        )
        assert held == test(members, rows), text


@so_many(110)
@given(st.data())
def test_conditions_agree_with_the_definition(tree: Path, data: st.DataObject) -> None:
    """What symbols are asked, over all values of the table, says of a class what the
    definition says.
    """
    rows = data.draw(tables(6, missing=False))
    text, test = data.draw(
        criteria(rows).filter(lambda pair: not pair[0].startswith("entropy"))
    )
    language = replace(signature(rows), sensitive=("f", "g"))
    formula, _ = resolve(parse(text), language, "", text)
    model = next(iter(oracle.models(rows, AGENTS, language)))
    nodes = [node for node in s.subformulas(formula) if isinstance(node, s.Criterion)]
    built = [build(node, language, {"f": read_hierarchy(tree)}) for node in nodes]

    def met(condition: Condition, column: str, members: list[oracle.Row]) -> bool:
        if isinstance(condition, Rows):
            return len(members) >= condition.least
        if isinstance(condition, Several):
            return len({row[column] for row in members}) >= condition.least
        where = truth_set(model, expand(condition, language), everything(model))
        return bool(
            where >> next(k for k, row in enumerate(rows) if row is members[0]) & 1
        )

    for members in oracle.classes(rows, QUASI):
        said = []
        for criterion in built:
            column = criterion.attribute
            domain = language.attributes[column].domain if column else ()
            conditions = criterion.conditions(domain, counts(column, rows)[0])
            said += [met(condition, column, members) for condition in conditions]
        assert all(said) == test(members, rows), text


@so_many(60)
@given(st.data())
def test_full_encoding_agrees_with_the_definition(
    tree: Path, data: st.DataObject
) -> None:
    rows = data.draw(tables(5, missing=False))
    text, test = data.draw(criteria(rows))
    expected = oracle.every(rows, QUASI, test)
    report = ph.verify(
        pd.DataFrame(rows), with_tree({"rule": text}, tree), encoding="full"
    )
    assert report.verdict == ("proved" if expected else "refuted"), text


@so_many(75)
@given(st.data())
def test_criteria_inside_formulas_are_decided_class_by_class(
    tree: Path, data: st.DataObject
) -> None:
    rows = data.draw(tables(8, missing=False))
    (left, first), (right, second) = (
        data.draw(criteria(rows)),
        data.draw(criteria(rows)),
    )
    groups = oracle.classes(rows, QUASI)
    expected = all(
        first(members, rows) or not second(members, rows) for members in groups
    )
    report = ph.verify(
        pd.DataFrame(rows), with_tree({"rule": f"({left}) | ~({right})"}, tree)
    )
    assert report.verdict == ("proved" if expected else "refuted")


def likely(agent: str, formula: s.Formula) -> s.Linear:
    return s.likelihood(agent, formula)


def theorem_4(f: str, c: Fraction, l: int, domain: Sequence[str | None]) -> s.Formula:
    """For any f-clause phi_1 .. phi_m: (psi1 & psi2 & psi3) -> c l(phi_l) + .. + c
    l(phi_m) > l(phi_1).
    """
    instances = []
    for m in range(1, len(domain) + 1):
        for order in permutations(domain, m):
            atoms = [s.equals(f, v) for v in order]
            psi1 = s.Box("a1", s.disj(*atoms))
            psi2 = [
                s.Compare(likely("a1", a), ">=", likely("a1", b))
                for a, b in pairwise(atoms)
            ]
            psi3 = s.Compare(likely("a1", atoms[-1]), ">", s.number(0))
            tail = s.plus(
                s.number(0), *(s.likelihood("a1", a, c) for a in atoms[l - 1 :])
            )
            instances.append(
                s.Implies(
                    s.conj(psi1, *psi2, psi3),
                    s.Compare(tail, ">", likely("a1", atoms[0])),
                )
            )
    return s.conj(*instances)


def theorem_5(f: str, t: Fraction, domain: Sequence[str | None]) -> s.Formula:
    """For any f-clause and 0 <= k <= m: (psi1 & psi2 & psi3) -> sum over j <= k of
    (l_a0 - l_a1) <= t.
    """
    instances = []
    for order in permutations(domain):
        atoms = [s.equals(f, v) for v in order]
        psi1 = s.Box("a0", s.disj(*atoms))
        for k in range(len(atoms) + 1):
            psi2 = [s.Compare(likely("a0", a), ">", likely("a1", a)) for a in atoms[:k]]
            psi3 = [
                s.Compare(likely("a0", a), "<=", likely("a1", a)) for a in atoms[k:]
            ]
            gaps = [s.minus(likely("a0", a), likely("a1", a)) for a in atoms[:k]]
            bound = s.Compare(s.plus(s.number(0), *gaps), "<=", s.number(t))
            instances.append(s.Implies(s.conj(psi1, *psi2, *psi3), bound))
    return s.conj(*instances)


def check(rows: Sequence[oracle.Row], formula: s.Formula, test: oracle.Test) -> None:
    found = oracle.valid(rows, AGENTS, signature(list(rows)), formula)
    assert found == oracle.each_class(rows, QUASI, "f", test)


@so_many(60)
@given(
    tables(5),
    st.integers(1, 4),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(11, 10), Fraction(2)]),
)
def test_theorem_4_as_the_paper_writes_it(
    rows: list[oracle.Row], l: int, c: Fraction
) -> None:
    check(
        rows,
        theorem_4("f", c, l, signature(rows).attributes["f"].domain),
        oracle.recursive(c, l),
    )


@so_many(60)
@given(
    tables(5),
    st.sampled_from(
        [Fraction(k, 10) for k in (0, 1, 2, 3, 5)] + [Fraction(1, 3), Fraction(1, 6)]
    ),
)
def test_theorem_5_as_the_paper_writes_it(rows: list[oracle.Row], t: Fraction) -> None:
    check(
        rows,
        theorem_5("f", t, signature(rows).attributes["f"].domain),
        oracle.variational(t),
    )


@so_many(60)
@given(tables(5), st.integers(1, 4))
def test_theorem_3_and_corollary_1(rows: list[oracle.Row], l: int) -> None:
    """Distinct l-diversity is logical safety for all f-clauses shorter than l."""
    domain = signature(rows).attributes["f"].domain
    clauses = [
        s.among("f", chosen) for m in range(1, l) for chosen in combinations(domain, m)
    ]
    check(
        rows,
        s.conj(*(s.Not(s.Box("a1", clause)) for clause in clauses)),
        oracle.distinct(l),
    )
    everyone = [
        s.At(s.Person(k), s.Not(s.Box("a1", clause)))
        for k in range(len(rows))
        for clause in clauses
    ]
    check(rows, s.conj(*everyone), oracle.distinct(l))


@so_many(60)
@given(tables(5), st.integers(1, 4))
def test_theorem_1(rows: list[oracle.Row], k: int) -> None:
    everyone = [s.Nominal(s.Person(i)) for i in range(len(rows))]
    bound = [
        s.Compare(likely("a1", i), "<=", s.number(Fraction(1, k))) for i in everyone
    ]
    check(rows, s.conj(*bound), oracle.k_anonymous(k))


@so_many(60)
@given(tables(5), st.sampled_from([1, 2, 3]))
def test_theorem_6(rows: list[oracle.Row], d: int) -> None:
    atoms = [s.equals("f", v) for v in signature(rows).attributes["f"].domain]
    up = [s.Compare(likely("a1", a), "<", s.likelihood("a0", a, 2**d)) for a in atoms]
    down = [
        s.Compare(likely("a1", a), ">", s.likelihood("a0", a, Fraction(1, 2**d)))
        for a in atoms
    ]
    check(rows, s.conj(*up, *down), oracle.delta(Fraction(d)))


@so_many(50)
@given(tables(6), st.data())
def test_theorem_2_logical_safety_of_personal_secrets(
    rows: list[oracle.Row], data: st.DataObject
) -> None:
    """Sec(i) and what i's class has in common are disjoint; and weighted secrets sum
    up.
    """
    values = sorted({str(row["g"]) for row in rows})
    secrets = {
        f"i{k + 1}": data.draw(st.sampled_from(values))
        for k in range(len(rows))
        if data.draw(st.booleans())
    }
    common, bound = (
        data.draw(st.sampled_from(values)),
        data.draw(st.fractions(0, 2, max_denominator=4)),
    )
    section = {
        who: [{"formula": f"g = {v}", "weight": 0.5}] for who, v in secrets.items()
    } | {"*": [f"g = {common}"]}
    groups = {
        k: next(c for c in oracle.classes(rows, QUASI) if rows[k] in c)
        for k in range(len(rows))
    }

    def held(k: int, v: str) -> Fraction:
        return Fraction(sum(row["g"] == v for row in groups[k]), len(groups[k]))

    safe = all(
        held(k, common) < 1 and held(k, secrets.get(f"i{k + 1}", common)) < 1
        for k in range(len(rows))
    )
    own = {
        k: (
            Fraction(1, 2) * held(k, secrets[f"i{k + 1}"])
            if f"i{k + 1}" in secrets
            else 0
        )
        for k in groups
    }
    expected = all(held(k, common) + own[k] <= bound for k in groups)
    given_ = ph.Policy.from_dict(
        {
            "columns": {"quasi": list(QUASI), "sensitive": ["f", "g"]},
            "secrets": section,
            "rules": {
                "safe": "logical_safety()",
                "little": f"weighted_safety({bound})",
                "either": "logical_safety() | k_anonymity(2)",
            },
        }
    )
    verdicts = {
        rule.name: rule.verdict == "proved"
        for rule in ph.verify(pd.DataFrame(rows), given_).rules
    }
    either = safe or all(len(c) >= 2 for c in groups.values())
    assert verdicts == {"safe": safe, "little": expected, "either": either}
