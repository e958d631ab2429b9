"""``compare`` on tiny tables: formulas, implications, smallest tables, assumptions."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from support.compare_cases import F, holds, policy
from support.oracle import Row
from support.so_many import sampled

import phverify as ph
from phverify.comparison.criterion_terms import GRID, minus_log_facts, power_enclosure
from phverify.comparison.run import compare
from phverify.constraints import terms as t
from phverify.constraints.smtlib import script
from phverify.constraints.solver import solve
from phverify.spec import syntax as s
from phverify.spec.logarithms import compare_power2, log_enclosure
from phverify.spec.parser import parse
from phverify.symbolic.sums import share

FORMULAS = [
    "true",
    "false",
    "@i1 f = a",
    "@i2 ~(f = a)",
    "@i1 ~[a1] f = a",
    "@i2 ~[a1] f = a",
    "@i3 <a1> f = a",
    "@i1 <a1> i2",
    "@i1 ~<a1> i2 | @i1 f = a",
    "~[a1](@i1 f = a & @i2 f = a)",
    "@i1 f = a <-> @i2 f = a",
    "@d1 f = a",
    "@d2 f = a | @d1 ~<a1> d2",
    "@i1 d1",
    "@i1 (d1 | d2)",
    "~d2 | f = a",
    "i1 -> f = a",
    "@i1 (d2 | f = a)",
    "forall i: @i ~[a1] f = a",
    "forall i: l_a1(i) <= 1/2",
    "forall i: l_a1(i & f = a) <= 1/3",
    "forall i: @i f = a -> @i1 <a1> i",
    "forall i, j: @i ~[a1] f = a | @i <a1> j",
    "exists i: @i f = a & @i i1",
    "forall i: exists j: @i ~j & @i <a1> j",
    "exists i: (@i ~[a1] f = a) & ~i",
    "l_a1(i1) <= 1/2",
    "l_a0(f = a) <= 1/2",
    "@i1 l_a1(f = a) <= l_a0(f = a)",
    "@i1 l_a1(i2 & f = a) <= 1/3",
    "l_a0(@i1 f = a & <a1> i1) <= 1/3",
    "forall v in f: l_a1(f = v) <= 2/3",
    "forall v in f: @i1 ~[a1] f = v",
    "[a1] f = a | l_diversity(f, 2)",
    "@i1 k_anonymity(2)",
    "k_anonymity(2)",
    "l_diversity(f, 2)",
    "t_closeness(f, 1/4)",
]


COUPLES = list(itertools.permutations(FORMULAS, 2))


@cache
def tiny_tables() -> tuple[list[Row], ...]:
    """All tables of at most three rows over two classes and two values."""
    kinds = [{"q": q, "r": "u", "f": f, "g": "0"} for q in "xy" for f in "ab"]
    return tuple(
        list(rows) for n in (1, 2, 3) for rows in itertools.product(kinds, repeat=n)
    )


@cache
def valid_in(text: str) -> tuple[bool | None, ...]:
    """Whether a formula is valid in each tiny table by enumeration of all models; None
    where it is none of it.
    """
    formula = parse(text)
    names = [
        n.name.text
        for n in s.subformulas(formula)
        if isinstance(n, s.Nominal | s.At) and isinstance(n.name, s.Name)
    ]
    least = max([int(name[1:]) for name in names], default=1)
    needs_a = "f = a" in text

    def judged(rows: list[Row]) -> bool | None:
        fits = len(rows) >= least and (
            not needs_a or any(row["f"] == "a" for row in rows)
        )
        return holds(rows, [text]) if fits else None

    return tuple(judged(rows) for rows in tiny_tables())


@pytest.mark.parametrize(("first", "second"), sampled(COUPLES, 61))
def test_formulas_against_all_tiny_tables(first: str, second: str) -> None:
    both = zip(tiny_tables(), valid_in(first), valid_in(second), strict=True)
    least = min(
        (len(rows) for rows, one, two in both if one and two is False), default=None
    )
    found = compare(policy({"r": first}), policy({"r": second}), values=2, budget=3)
    if found.verdict == "implies":
        assert least is None
    elif found.verdict == "separated":
        assert least == len(found.table) or (least is None and len(found.table) > 3), (
            found
        )
    else:
        assert least is None or found.searched < least


def verdict(first: ph.Policy | str, second: ph.Policy | str, **more: int) -> str:
    return compare(first, second, budget=20, **more).verdict


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("entropy_l_diversity(s, 3)", "l_diversity(s, 3)"),
        ("entropy_l_diversity(s, 5/2)", "l_diversity(s, 3)"),
        ("entropy_l_diversity(s, 3)", "entropy_l_diversity(s, 5/2)"),
        ("l_diversity(s, 3)", "k_anonymity(3)"),
        ("alpha_k_anonymity(s, 1/3, 1)", "entropy_l_diversity(s, 3)"),
        ("alpha_k_anonymity(s, 1/3, 1)", "k_anonymity(3)"),
        ("recursive_l_diversity(s, 1, 2)", "alpha_k_anonymity(s, 1/2, 2)"),
        ("t_closeness(s, 1/5)", "average_benefit(s, 1/5)"),
        ("t_closeness(s, 1/5)", "t_closeness(s, 1/5, distance=ordered)"),
        ("delta_disclosure(s, 1)", "beta_likeness(s, 1)"),
        ("delta_disclosure(s, 1/2)", "beta_likeness(s, 0.415)"),
        ("delta_disclosure(s, 1)", "enhanced_beta_likeness(s, 1)"),
        ("enhanced_beta_likeness(s, 1)", "beta_likeness(s, 1)"),
        ("beta_likeness(s, 0)", "t_closeness(s, 0)"),
        ("k_anonymity(3)", "forall i: l_a1(i) <= 1/3"),
        ("forall i: l_a1(i) <= 1/3", "k_anonymity(3)"),
        ("l_diversity(s, 2)", "forall i, v in s: @i ~[a1] s = v"),
        ("l_diversity(s, 2)", "@'Ann' ~[a1] s = x"),
        ("forall v in s: l_a1(s = v) <= 1/2", "@i7 l_a1(s = x) <= 1/2"),
        ("forall i, v in s: @i l_a1(s = v) <= 2 * l_a0(s = v)", "beta_likeness(s, 1)"),
        ("@i1 ~(s = x) & @i2 ~(s = x)", "~<a1>(@i1 s = x | @i2 s = x)"),
        ("age >= 65", "age > 60"),
        ("true", "~(@i1 d1 & @i2 d1)"),
        ("forall i: @i l_a1(i) <= 1/2", "k_anonymity(2)"),
        ("k_anonymity(2)", "forall i: @i ~[a1] i"),
    ],
)
def test_implications(first: str, second: str) -> None:
    found = compare(first, second, budget=20)
    assert found.verdict == "implies", found
    assert not found.vacuous


@pytest.mark.parametrize(
    ("first", "second", "rows"),
    [
        ("l_diversity(s, 3)", "entropy_l_diversity(s, 3)", 4),
        ("k_anonymity(5)", "l_diversity(s, 2)", 5),
        ("k_anonymity(19)", "k_anonymity(20)", 19),
        ("k_anonymity(2)", "t_closeness(s, 1/5)", 4),
        ("delta_disclosure(s, 1/2)", "beta_likeness(s, 0.35)", 11),
        ("beta_likeness(s, 1)", "enhanced_beta_likeness(s, 1)", 2),
        ("@i1 ~[a1] s = x", "~[a1](@i1 s = x & @i2 s = x)", 3),
        ("@i3 ~[a1] s = x", "@i2 ~[a1] s = x", 3),
        ("~(@d1 s = x)", "~(@d2 s = x)", 2),
        ("age > 60", "age >= 65", 1),
        ("true", "@i5 true -> k_anonymity(2)", 5),
        (
            "forall i, j: @i ~<a1> j | @i j",
            "@i3 s = x",
            3,
        ),  # everybody alone: three classes
        ("~k_anonymity(2) & l_a0(s = x) <= 1/3", "false", 3),
        (
            "l_a1(s = x) != 1/2",
            "l_a0(s = x) != 1/2",
            2,
        ),  # classes differ from 1/2, their union does not
        ("entropy_l_diversity(s, 3)", "alpha_k_anonymity(s, 1/5, 1)", 3),
        ("k_anonymity(2) & (exists i: (@i s = x) & ~i)", "false", 2),
        ("@i1 ~(s = x) & @i2 ~(s = x)", "false", 3),
        (
            "true",
            "forall i: l_a1(i) > 0",
            2,
        ),  # the individual is in another class than the world
    ],
)
def test_smallest_tables(first: str, second: str, rows: int) -> None:
    found = compare(first, second, budget=30)
    assert found.verdict == "separated", found
    assert (len(found.table), found.searched) == (rows, rows - 1)
    assert found.reports is not None
    assert [report.verdict for report in found.reports] == ["proved", "refuted"]


def test_the_separating_table_names_the_individuals() -> None:
    found = compare("@'Ann' ~[a1] s = x", "@'Bob' ~[a1] s = x")
    assert found.verdict == "separated"
    assert {"Ann", "Bob"} <= {str(row["person"]) for row in found.table}
    assert found.reports is not None
    assert "Bob" in str(found)


HOSPITAL = {"quasi": ["birth", "zip"], "sensitive": ["income", "health"]}


def test_example_3_finds_its_lesson() -> None:
    rules = {"income": "l_diversity(income, 2)", "health": "l_diversity(health, 2)"}
    diverse = ph.Policy.from_dict({"columns": HOSPITAL, "rules": rules})
    secret = {"i3": ["income = '100K' or health = 2"]}
    safe = ph.Policy.from_dict(
        {"columns": HOSPITAL, "secrets": secret, "rules": {"safe": "logical_safety()"}}
    )
    found = compare(diverse, safe)
    assert found.verdict == "separated"
    assert len(found.table) == 3  # there is an i3
    single = {"i3": ["income = '100K'", "health = 2"]}
    each = ph.Policy.from_dict(
        {"columns": HOSPITAL, "secrets": single, "rules": {"safe": "logical_safety()"}}
    )
    assert verdict(diverse, each) == "implies"


def test_rules_are_told_apart() -> None:
    weak = policy(
        {"k": "k_anonymity(2)", "div": "l_diversity(f, 2)", "more": "k_anonymity(3)"}
    )
    found = compare(policy({"k": "k_anonymity(2)", "div": "l_diversity(f, 2)"}), weak)
    assert (found.verdict, found.proved, found.open) == (
        "separated",
        ("k", "div"),
        ("more",),
    )


def test_agents_are_those_of_each_policy() -> None:
    """A schema over agents says less where fewer agents are known."""
    rule = {"r": "forall a in agents: l_a(f = x) <= 1/2"}
    few = ph.Policy.from_dict(
        {"columns": {"quasi": ["q", "r"], "sensitive": ["f"]}, "rules": rule}
    )
    many = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["q", "r"], "sensitive": ["f"]},
            "agents": {"half": ["q"]},
            "rules": rule,
        }
    )
    assert verdict(many, few) == "implies"
    near = {"r": "forall a in agents: l_a1(f = x) <= 1/2 | l_a(f = x) >= 1/2"}
    assert verdict(replace(few, rules=near), replace(many, rules=near)) != "implies"
    assert verdict(replace(many, rules=near), replace(few, rules=near)) == "implies"


def test_partial_knowledge_is_a_mixture_of_classes() -> None:
    first = policy({"r": "forall v in f: l_a1(f = v) <= 3/4"})
    assert (
        verdict(
            first, policy({"r": "forall i, v in f: @i l_half(f = v) <= 3/4"}), values=3
        )
        == "implies"
    )
    found = compare(
        policy({"r": "forall i, v in f: @i l_half(f = v) <= 3/4"}), first, values=3
    )
    assert found.verdict == "separated"


def test_assumptions_count_for_their_side() -> None:
    known, told = {"tip": "@i1 ~(f = a)"}, {"r": "@i1 ~(f = a)"}
    assert verdict(policy({"r": "true"}, known), policy(told, known)) == "implies"
    assert verdict(policy({"r": "true"}, known), policy(told)) == "separated"
    assert verdict(policy(told), policy({"r": "k_anonymity(1)"}, known)) == "implies"


def test_what_nothing_satisfies_implies_everything_and_says_so() -> None:
    found = compare("l_diversity(s, 5) & ~l_diversity(s, 2)", "k_anonymity(100)")
    assert found.verdict == "implies"
    assert found.vacuous
    assert "satisfies the first at all" in str(found)


def test_a_bound_on_the_values_is_part_of_the_answer() -> None:
    few = compare(
        "l_diversity(s, 2)", "entropy_l_diversity(s, 1.2) | ~k_anonymity(4)", values=1
    )
    assert few.verdict == "implies"
    assert few.vacuous
    assert few.values == {"s": 1}
    assert (
        verdict("forall v in s: l_a1(s = v) > 0", "t_closeness(s, 0)", values=1)
        == "implies"
    )
    assert (
        verdict("forall v in s: l_a1(s = v) > 0", "t_closeness(s, 0)", values=2)
        == "separated"
    )


def test_missing_cells_are_values_unless_refused() -> None:
    refused = ph.Policy.from_dict(
        {
            "missing": "error",
            "columns": {"quasi": ["q"], "sensitive": ["f"]},
            "rules": {"r": "true"},
        }
    )
    assert verdict(refused, "~(f = missing)") == "implies"
    assert verdict("true", "~(f = missing)") == "separated"


def test_what_is_not_looked_into_is_undecided() -> None:
    by_zip = ph.Policy.from_dict(
        {"columns": {"quasi": ["q"], "sensitive": ["f"]}, "rules": {"r": "q = x"}}
    )
    found = compare(by_zip, "k_anonymity(2)")
    assert found.verdict == "undecided"
    assert "quasi-identifier 'q'" in found.reason


def test_a_larger_table_when_the_smallest_is_too_far() -> None:
    found = compare(
        "recursive_l_diversity(s, 1, 2)", "t_closeness(s, 1/3)", values=3, budget=4
    )
    assert found.verdict in ("separated", "undecided")
    if found.verdict == "separated":
        assert found.searched < len(found.table)
        assert found.searched == len(found.table) - 1 or "more than" in str(found)


def test_equivalent_asks_both_directions() -> None:
    found = compare("k_anonymity(2)", "forall i: l_a1(i) <= 1/2", equivalent=True)
    assert found.equivalent == "implies"
    other = compare("k_anonymity(3)", "k_anonymity(2)", equivalent=True)
    assert (other.verdict, other.equivalent) == ("implies", "separated")


@pytest.mark.parametrize(("values", "budget"), [(0, None), (2, 0), (2, -1.0)])
def test_bad_arguments(values: int, budget: float | None) -> None:
    with pytest.raises(ph.InputError):
        compare("k_anonymity(2)", "k_anonymity(3)", values=values, budget=budget)


@pytest.mark.parametrize("delta", [F(1, 2), F(3, 2), F(1, 7), F(22, 7)])
def test_powers_lie_between_their_bounds(delta: Fraction) -> None:
    low, high = power_enclosure(delta)
    assert compare_power2(low, delta) < 0 < compare_power2(high, delta)


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_bounds_on_logarithms_hold(rows: int) -> None:
    """u times -ln(u / rows) satisfies every fact: no value of its enclosure breaks
    one.
    """
    for u in range(1, rows + 1):
        low, high = (
            (u * bound for bound in log_enclosure(rows, u, 40))
            if u < rows
            else (F(0), F(0))
        )
        e = t.number("e", low=None)
        known = t.conj(minus_log_facts(e, t.whole(u), t.whole(rows), GRID))
        inside = share(e, ">=", low, t.whole(1)), share(e, "<=", high, t.whole(1))
        assert solve(script([*inside, t.neg(known)])).status == "unsat", u
