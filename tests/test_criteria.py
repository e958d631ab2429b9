"""Each criterion by four roads: its definition from the literature (oracle), the
engine's arrays, its own plain definition, and its formula in all models; with
thresholds that tie on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.strategies import AGENTS, QUASI, VALUES, tables
from test_agreement import cases, policy, signature

import phverify as ph
from phverify.microdata.hierarchy import read_hierarchy
from phverify.spec import syntax as s
from phverify.spec.criterion.base import Condition, Rows, Several
from phverify.spec.criterion.registry import CRITERIA, build
from phverify.spec.names import resolve
from phverify.spec.parser import parse
from phverify.spec.schemas import expand
from phverify.spec.semantics import everything, truth_set

TREE = {"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}
thresholds = st.fractions(0, 3, max_denominator=6)
whole = st.integers(1, 4)


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tree") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


@st.composite
def criteria(
    draw: st.DrawFn, rows: Sequence[oracle.Row]
) -> tuple[str, oracle.ClassTest]:
    """A criterion with arguments, half of them exactly at a value that some class of
    the table attains.
    """
    group = draw(st.sampled_from(oracle.classes(rows, QUASI)))
    f, u = Counter(row["f"] for row in group), Counter(row["f"] for row in rows)
    value = draw(st.sampled_from(sorted(u, key=str)))
    p, q = oracle.share(u, value), oracle.share(f, value)

    def near(tie: Fraction) -> Fraction:
        return draw(st.one_of(st.just(max(tie, Fraction(0))), thresholds))

    k, l = draw(whole), draw(whole)
    counts = [count for _, count in f.most_common()]
    tail = sum(counts[l - 1 :])
    c = near(Fraction(counts[0], tail)) if tail else draw(thresholds)
    c = c or Fraction(1, 2)
    var = near(
        sum((abs(oracle.share(f, v) - oracle.share(u, v)) for v in u), Fraction(0)) / 2
    )
    gain = near((q - p) / p)
    d = draw(
        st.sampled_from(
            [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7, 3)]
        )
    )
    much, alpha, effective = (
        near(q - p),
        near(q),
        near(Fraction(len(f))) + (1 if draw(st.booleans()) else 0),
    )
    effective = max(effective, Fraction(1))
    g = Counter(row["g"] for row in group)
    e = draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)]))
    few = draw(st.integers(1, len(g)))
    node = draw(st.sampled_from(["a", "b", "c", "ab", "*"]))
    under = near(
        sum(
            (oracle.share(f, v) for v, path in TREE.items() if node in path),
            Fraction(0),
        )
    )
    of_f: list[tuple[str, oracle.Test]] = [
        (f"k_anonymity({k})", oracle.k_anonymous(k)),
        (f"alpha_k_anonymity(f, {alpha}, {k})", oracle.alpha_k(alpha, k)),
        (f"l_diversity(f, {l})", oracle.distinct(l)),
        (f"recursive_l_diversity(f, {c}, {l})", oracle.recursive(c, l)),
        (f"entropy_l_diversity(f, {effective})", oracle.entropy(effective)),
        (f"t_closeness(f, {var})", oracle.variational(var)),
        (f"t_closeness(f, {var}, distance=ordered)", oracle.ordered(var, VALUES["f"])),
        (
            f"t_closeness(f, {var}, distance=hierarchical)",
            oracle.hierarchical(var, TREE),
        ),
        (f"delta_disclosure(f, {d})", oracle.delta(d)),
        (f"delta_disclosure(f, {d}, absent=ignored)", oracle.delta(d, True)),
        (f"beta_likeness(f, {gain})", oracle.beta(gain)),
        (f"enhanced_beta_likeness(f, {gain})", oracle.enhanced(gain)),
        (f"average_benefit(f, {much})", oracle.benefit(much)),
        (f"guarded(f, '{node}', {under})", oracle.guard(node, under, TREE)),
    ]
    others = [
        (f"em_anonymity(g, {e}, {few})", oracle.of("g", oracle.close(e, few))),
        (f"p_sensitive_k_anonymity({l}, {k})", oracle.p_sensitive(l, k, ("f", "g"))),
    ]
    return draw(
        st.sampled_from(
            [*((text, oracle.of("f", test)) for text, test in of_f), *others]
        )
    )


def with_tree(rules: dict[str, str], tree: Path) -> ph.Policy:
    return ph.Policy.from_dict(
        {
            "columns": {"quasi": list(QUASI), "sensitive": ["f", "g"]},
            "types": {"g": "integer"},
            "hierarchies": {"f": str(tree)},
            "rules": rules,
        }
    )


@cases(400)
@given(st.data())
def test_engine_agrees_with_the_definition(tree: Path, data: st.DataObject) -> None:
    rows = data.draw(tables(12, missing=False))
    text, test = data.draw(criteria(rows))
    expected = oracle.every(rows, QUASI, test)
    report = ph.verify(pd.DataFrame(rows), with_tree({"rule": text}, tree))
    assert report.verdict == ("proved" if expected else "refuted"), text


@cases(400)
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


@cases(400)
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


def counts(
    column: str, *found: Sequence[oracle.Row]
) -> tuple[Counter[str | None], ...]:
    return tuple(
        Counter(row[column] if column else "" for row in rows) for rows in found
    )


@cases(200)
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


@cases(150)
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


# The paper's theorems, their formulas word for word


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


@cases(200)
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


@cases(120)
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


@cases(200)
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


@cases(200)
@given(tables(5), st.integers(1, 4))
def test_theorem_1(rows: list[oracle.Row], k: int) -> None:
    everyone = [s.Nominal(s.Person(i)) for i in range(len(rows))]
    bound = [
        s.Compare(likely("a1", i), "<=", s.number(Fraction(1, k))) for i in everyone
    ]
    check(rows, s.conj(*bound), oracle.k_anonymous(k))


@cases(200)
@given(tables(5), st.sampled_from([1, 2, 3]))
def test_theorem_6(rows: list[oracle.Row], d: int) -> None:
    atoms = [s.equals("f", v) for v in signature(rows).attributes["f"].domain]
    up = [s.Compare(likely("a1", a), "<", s.likelihood("a0", a, 2**d)) for a in atoms]
    down = [
        s.Compare(likely("a1", a), ">", s.likelihood("a0", a, Fraction(1, 2**d)))
        for a in atoms
    ]
    check(rows, s.conj(*up, *down), oracle.delta(Fraction(d)))


@cases(100)
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


# Ties, and sizes where floating point or 32 bits go wrong


def one_class(
    counts: dict[str, int], other: dict[str, int] | None = None
) -> pd.DataFrame:
    rows = [("x", v) for v, k in counts.items() for _ in range(k)]
    rows += [("y", v) for v, k in (other or {}).items() for _ in range(k)]
    return pd.DataFrame(rows, columns=["q", "f"])


def decided(frame: pd.DataFrame, rule: str, **types: Any) -> str:
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "types": types,
        "rules": {"rule": rule},
    }
    return ph.verify(frame, ph.Policy.from_dict(section)).verdict


TIES: list[tuple[Callable[[], pd.DataFrame], str, str]] = [
    (
        lambda: one_class({"a": 8, "b": 2}, {"a": 2, "b": 8}),
        "t_closeness(f, 3/10)",
        "proved",
    ),
    (
        lambda: one_class({"a": 8, "b": 2}, {"a": 2, "b": 8}),
        "t_closeness(f, 0.3)",
        "proved",
    ),
    (
        lambda: one_class({"a": 8, "b": 2}, {"a": 2, "b": 8}),
        "t_closeness(f, 0.29999999999999999)",
        "refuted",
    ),
    (
        lambda: one_class({"a": 55, "b": 50}),
        "recursive_l_diversity(f, 1.1, 2)",
        "refuted",
    ),
    (
        lambda: one_class({"a": 55, "b": 50}),
        "recursive_l_diversity(f, 1.10000000000000001, 2)",
        "proved",
    ),
    (
        lambda: one_class({"a": 3, "b": 0}, {"a": 1, "b": 8}),
        "beta_likeness(f, 2)",
        "proved",
    ),
    (
        lambda: one_class({"a": 3, "b": 0}, {"a": 1, "b": 8}),
        "beta_likeness(f, 1.9999999999999999999)",
        "refuted",
    ),
    (
        lambda: one_class({"a": 1, "b": 1}, {"a": 1, "b": 3}),
        "delta_disclosure(f, 1)",
        "proved",
    ),
    (
        lambda: one_class({"a": 2, "b": 0}, {"a": 1, "b": 3}),
        "delta_disclosure(f, 1, absent=ignored)",
        "refuted",
    ),
]


@pytest.mark.parametrize(("frame", "rule", "verdict"), TIES)
def test_ties_at_thresholds(
    frame: Callable[[], pd.DataFrame], rule: str, verdict: str
) -> None:
    assert decided(frame(), rule) == verdict


@pytest.mark.parametrize("l", [*range(1, 40), 97, 767])
@pytest.mark.parametrize("repeat", [1, 3, 7])
def test_uniform_classes_satisfy_entropy_l(l: int, repeat: int) -> None:
    frame = one_class({f"v{k}": repeat for k in range(l)})
    assert decided(frame, f"entropy_l_diversity(f, {l})") == "proved"
    assert decided(frame, f"entropy_l_diversity(f, {l}.0000000001)") == "refuted"


def test_large_counts_do_not_overflow() -> None:
    frame = one_class({"a": 70_000, "b": 70_000}, {"a": 70_001, "b": 69_999})
    assert (
        decided(frame, "t_closeness(f, 0.000003571428)") == "refuted"
    )  # exactly 1/280000
    assert decided(frame, "t_closeness(f, 1/280000)") == "proved"
    assert decided(frame, "beta_likeness(f, 0.00000714280612257346)") == "refuted"
    assert decided(frame, "entropy_l_diversity(f, 2)") == "refuted"
    assert decided(frame, "entropy_l_diversity(f, 1.9999999)") == "proved"


def test_every_criterion_says_where_it_is_from() -> None:
    for kind in CRITERIA.values():
        assert kind.source and kind.__doc__ and kind.params is not None
    assert policy({"r": "k_anonymity(1)"}).rules


def test_a_criterion_beside_named_individuals() -> None:
    """Once, truth per cell and truth per class of a criterion were mixed up where
    classes have several profiles.
    """
    rows = [("y", "0"), ("x", "0"), ("y", "1"), ("z", "0"), ("z", "1"), ("z", "2")]
    frame = pd.DataFrame(rows, columns=["q", "g"])
    for rule, verdict in {
        "k_anonymity(2) | @i2 l_a1(g = 0) = 1": "proved",
        "k_anonymity(2) | @i1 l_a1(g = 0) = 1": "refuted",
        "@i2 ~k_anonymity(2)": "proved",
        "@i4 (k_anonymity(3) & ~k_anonymity(4)) & @i1 (k_anonymity(2) & ~k_anonymity(3))": (
            "proved"
        ),
        "@i4 l_a1(k_anonymity(3) & i5) = 1/3": "proved",
    }.items():
        section = {
            "columns": {"quasi": ["q"], "sensitive": ["g"]},
            "rules": {"rule": rule},
        }
        assert ph.verify(frame, ph.Policy.from_dict(section)).verdict == verdict, rule


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_quasi_identifiers_in_formulas_are_the_released_values(encoding: Any) -> None:
    frame = pd.DataFrame(
        [("x", "a"), ("x", "b"), ("y", "a"), ("y", "a")], columns=["q", "f"]
    )
    for rule, verdict in {
        "l_diversity(q, 1) & l_diversity(f, 1)": "proved",
        "l_diversity(q, 2) | l_diversity(f, 3)": "refuted",
        "l_diversity(l=3, f=f)": "refuted",
        "t_closeness(f, distance=variational, t=0.1)": "refuted",
        "q = y -> [a1] f = a": "proved",
        "q = x -> ~[a1] f = a": "proved",
        "forall v in q: [a1] q = v | [a1] ~(q = v)": "proved",
        "forall c in clauses(q, 1): l_a1(c) < 1": "refuted",
    }.items():
        section = {
            "columns": {"quasi": ["q"], "sensitive": ["f"]},
            "rules": {"rule": rule},
        }
        assert (
            ph.verify(frame, ph.Policy.from_dict(section), encoding=encoding).verdict
            == verdict
        ), rule


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_without_quasi_identifiers_there_is_one_class(encoding: Any) -> None:
    frame = pd.DataFrame({"f": ["a", "b", "b"]})
    for rule, verdict in {
        "k_anonymity(3)": "proved",
        "k_anonymity(4)": "refuted",
        "@i1 l_a1(f = b) = 2/3": "proved",
        "@i1 f = b": "refuted",
        "@i1 f = a -> @i2 f = b": "proved",
        "forall i: l_a0(i) = l_a1(i)": "proved",
    }.items():
        section = {
            "columns": {"quasi": [], "sensitive": ["f"]},
            "rules": {"rule": rule},
        }
        assert (
            ph.verify(frame, ph.Policy.from_dict(section), encoding=encoding).verdict
            == verdict
        ), rule


def typed(values: list[str], rule: str, kind: str) -> str:
    frame = pd.DataFrame({"q": values, "f": ["a"] * len(values)})
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "types": {"q": kind},
        "rules": {"rule": rule},
    }
    return ph.verify(frame, ph.Policy.from_dict(section)).verdict


def test_typed_quasi_identifiers_keep_their_spelling() -> None:
    """Each occurring spelling is a value; a number in a rule finds it however it is
    spelled.
    """
    assert (
        typed(["01", "01", "2"], "forall v in q: l_a0(q = v) <= 1/2", "integer")
        == "refuted"
    )
    assert (
        typed(["01", "01", "2"], "l_a0(q = 1) = 2/3 & l_a0(q < 2) = 2/3", "integer")
        == "proved"
    )
    assert typed(["01", "1", "2"], "k_anonymity(2)", "integer") == "refuted"
    dates = ["1956-12-01", "19560101", "1956-06-01", "1956-12-01"]
    plain = ["1956-12-01", "1956-01-01", "1956-06-01", "1956-12-01"]
    for t in ("1/2", "7/12", "3/4", "1"):
        rule = f"t_closeness(q, {t}, distance=ordered)"
        assert typed(dates, rule, "date") == typed(plain, rule, "date")


def test_empty_texts_beside_missing_quasi_identifiers_are_refused() -> None:
    frame = pd.DataFrame({"q": ["", "x", None], "f": ["a", "b", "c"]}, dtype=object)
    section = {
        "columns": {"quasi": ["q"], "sensitive": ["f"]},
        "rules": {"rule": "k_anonymity(1)"},
    }
    with pytest.raises(ph.InputError, match="make them one"):
        ph.verify(frame, ph.Policy.from_dict(section))


def test_a_variable_is_bound_once_in_a_list() -> None:
    with pytest.raises(ph.InputError, match="bound twice"):
        policy(
            {"rule": "forall c in clauses(f, 1), c in clauses(f, 2): l_a1(c) <= 1/2"}
        )


@pytest.mark.parametrize("encoding", ["quotient", "full"])
def test_assumptions_may_be_schemas(encoding: Any) -> None:
    frame = pd.DataFrame([("x", "a"), ("x", "b"), ("y", "a")], columns=["q", "f"])
    for assumption, verdict in {
        "forall v in f: @i1 f = v -> @i2 ~(f = v)": "refuted",
        "forall c in clauses(f, 1): @i1 c -> @i1 f = b": "proved",
        "forall a in agents: @i1 [a] @i1 f = b": "proved",
        "exists v in f: @i1 f = v & @i3 ~(f = v)": "proved",
    }.items():
        rules, given_ = {"rule": "@i1 f = b"}, {"known": assumption}
        section = {
            "columns": {"quasi": ["q"], "sensitive": ["f"]},
            "assumptions": given_,
            "rules": rules,
        }
        assert (
            ph.verify(frame, ph.Policy.from_dict(section), encoding=encoding).verdict
            == verdict
        ), assumption
