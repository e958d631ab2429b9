"""How many values suffice: proofs for any number of them, bounds that are told, and
tables with more values.
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import pandas as pd
import pytest
from support.compare_cases import CRITERIA, PAIRS
from support.compare_oracle import (
    ORDER,
    Table,
    criterion,
    random_table,
    rule,
    satisfied,
    small_tables,
)
from support.oracle import Test, entropy
from support.so_many import sampled

import phverify as ph
from phverify.budget import Deadline
from phverify.comparison.choice import Undecided, ValueChoice
from phverify.comparison.comparing import Comparing
from phverify.comparison.domains import domains
from phverify.comparison.endless import endless, frequent, witnesses
from phverify.comparison.run import compare
from phverify.comparison.sides import frame
from phverify.spec.parser import parse

F = Fraction
SEEDS = sampled(range(300), 100)


def policy(text: str, **more: object) -> ph.Policy:
    columns = {"quasi": ["q"], "sensitive": ["s"]}
    return ph.Policy.from_dict(
        {"columns": columns, "types": {"s": "integer"}, "rules": {"r": text}, **more}
    )


# Against brute force


def tables(source: random.Random) -> list[Table]:
    """All tables of at most four rows over at most four values, and some with up to
    nine values.
    """
    small = [table for values in range(1, 5) for table in small_tables(4, values)]
    return small + [random_table(source, 9) for _ in range(400)]


def separating(
    tables: list[Table], first: Test, second: Test, most: int
) -> Table | None:
    """A table with at most so many values that satisfies the first and not the
    second.
    """
    within = (table for table in tables if len(table[0]) <= most)
    return next(
        (
            table
            for table in within
            if satisfied(table, first) and not satisfied(table, second)
        ),
        None,
    )


def test_the_small_tables_are_all_there() -> None:
    assert len(small_tables(2, 1)) == 3  # one row; two rows in one class, or in two
    assert set(small_tables(2, 2)) - {((1, 1),)} == {
        ((1, 0), (0, 1)),
        ((0, 1), (1, 0)),
    } & set(small_tables(2, 2))
    assert not satisfied(((25, 2, 2, 1),), entropy(F(2)))
    assert satisfied(((25, 2, 2, 2),), entropy(F(2)))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_table_falsifies_a_proof_for_any_number_of_values(seed: int) -> None:
    """Random rules, joined and negated, on each side: what is proved holds in tables
    with many values.
    """
    source = random.Random(seed)
    many = tables(source)
    for _ in range(6):
        (first, one), (second, two) = rule(source), rule(source)
        if proved_anyway(policy(first), policy(second)):
            assert separating(many, one, two, len(ORDER)) is None, (first, second)


@cache
def judges() -> tuple[Table, ...]:
    return tuple(tables(random.Random(2024)))


@cache
def satisfying(name: str) -> frozenset[int]:
    """The numbers of the tables that satisfy a criterion of the fixed list."""
    return frozenset(
        k for k, table in enumerate(judges()) if satisfied(table, CRITERIA[name])
    )


def proved_anyway(first: ph.Policy | str, second: ph.Policy | str) -> bool:
    """Whether the second is proved to follow for any number of values."""
    both = frame(first, second)
    comparing = Comparing(
        both, domains(both, None), Deadline(5), lambda step: None, patience=Deadline(5)
    )
    return all(
        comparing.endless(domains(both, None), name) for name in both.second.rules
    )


@pytest.mark.parametrize("start", sampled(range(1, len(PAIRS)), 97, start=16))
def test_no_table_falsifies_a_proof_between_criteria(start: int) -> None:
    """Parameters that meet at a threshold, where a consequence that says too much would
    show.
    """
    first, second = PAIRS[start]
    if satisfying(first) - satisfying(second):
        assert not proved_anyway(first, second)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_table_within_its_bound_falsifies_an_answer(seed: int) -> None:
    source = random.Random(1000 + seed)
    (first, one), (second, two) = criterion(source), criterion(source)
    found = compare(policy(first), policy(second), budget=2)
    if found.verdict == "implies":
        most = found.values.get("s", len(ORDER))
        assert separating(tables(source), one, two, most) is None, (first, second)
        assert ("up to" in str(found).splitlines()[0]) == bool(found.values)


# Proofs for any number of values


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("entropy_l_diversity(s, 3)", "l_diversity(s, 3)"),
        ("entropy_l_diversity(s, 3)", "entropy_l_diversity(s, 5/2)"),
        ("l_diversity(s, 3)", "k_anonymity(3)"),
        ("alpha_k_anonymity(s, 1/3, 1)", "entropy_l_diversity(s, 3)"),
        ("alpha_k_anonymity(s, 1/3, 1)", "k_anonymity(3)"),
        ("alpha_k_anonymity(s, 1/3, 1)", "l_diversity(s, 3)"),
        ("recursive_l_diversity(s, 1, 2)", "alpha_k_anonymity(s, 1/2, 2)"),
        ("recursive_l_diversity(s, 1, 3)", "k_anonymity(4)"),
        ("recursive_l_diversity(s, 1, 3)", "recursive_l_diversity(s, 1, 2)"),
        ("t_closeness(s, 1/5)", "average_benefit(s, 1/5)"),
        ("t_closeness(s, 1/5)", "t_closeness(s, 1/5, distance=ordered)"),
        ("t_closeness(s, 0, distance=ordered)", "t_closeness(s, 0)"),
        (
            "t_closeness(s, 1/5, distance=ordered)",
            "t_closeness(s, 1/4, distance=ordered)",
        ),
        ("beta_likeness(s, 1)", "t_closeness(s, 1/2)"),
        ("average_benefit(s, 0)", "t_closeness(s, 0)"),
        ("delta_disclosure(s, 1)", "enhanced_beta_likeness(s, 1)"),
        ("delta_disclosure(s, 1)", "delta_disclosure(s, 1, absent=ignored)"),
        ("enhanced_beta_likeness(s, 1)", "t_closeness(s, 1/2)"),
        ("forall v in s: l_a1(s = v) <= 3/2 * l_a0(s = v)", "t_closeness(s, 1/3)"),
        ("forall c in clauses(s, 2): l_a1(c) <= 1/2", "l_diversity(s, 4)"),
        ("forall v in s: l_a1(s = v) <= 1/2", "@i7 l_a1(s = 3) <= 1/2"),
        ("l_diversity(s, 2)", "forall i, v in s: @i ~[a1] s = v"),
        ("alpha_k_anonymity(s, 1/2, 12)", "forall i: l_a1(i) <= 0.09"),
    ],
)
def test_the_number_of_values_does_not_matter(first: str, second: str) -> None:
    found = compare(policy(first), policy(second), budget=300)
    assert (found.verdict, found.values, found.bound) == ("implies", {}, "")
    assert str(found).splitlines()[0].startswith("IMPLIES  ")
    assert "any number of rows, of classes and of values" in str(found)
    assert found.to_dict()["up_to"] is None


def test_a_likelihood_of_a_person_asks_for_no_values() -> None:
    """Twelve people in each class: nothing is said of values, and 13 of them are not
    called for.
    """
    found = compare(
        "alpha_k_anonymity(s, 1/2, 11)", "forall i: l_a1(i) <= 0.09", budget=300
    )
    assert (found.verdict, found.values) == ("separated", {"s": 4})


def test_what_is_looked_at_one_by_one() -> None:
    assert witnesses(parse("forall v in s: l_a1(s = v) <= 1/2")) == {"s": 1}
    assert witnesses(
        parse("forall v in s, c in clauses(s, 3): l_a1(c) <= l_a0(s = v)")
    ) == {"s": 4}
    assert witnesses(parse("beta_likeness(s, 1) | enhanced_beta_likeness(s, 1)")) == {
        "s": 2
    }
    assert witnesses(parse("beta_likeness(s, 1) & enhanced_beta_likeness(s, 1)")) == {
        "s": 1
    }
    more = "(beta_likeness(s, 1) | (forall v in s, w in s: ~[a1] (s = v | s = w)))"
    assert witnesses(parse(f"beta_likeness(s, 1) & {more}")) == {
        "s": 3
    }  # whichever of them fails
    assert witnesses(parse("l_diversity(s, 3) | t_closeness(s, 1/2)")) == {}
    assert frequent([parse("recursive_l_diversity(s, 1, 4)")], "s") == 3
    assert frequent([parse("alpha_k_anonymity(s, 1/2, 2)")], "s") == 1
    with pytest.raises(ph.errors.PhverifyError):
        witnesses(
            parse("<a1> (forall v in s: l_a1(s = v) <= 1/2)")
        )  # every world has a value of its own


def choices(text: str) -> list[ValueChoice]:
    both = frame(policy(text), policy("beta_likeness(s, 1)"))
    return list(endless(domains(both, None), "r").choices())


def test_where_a_single_value_lies_between_two_nothing_is_claimed() -> None:
    """Two labels stand for any number of values; here there is one, the 4."""
    with pytest.raises(Undecided, match="a single value lies between"):
        choices("(s > 3 & s < 5) | beta_likeness(s, 1)")


def test_where_no_value_lies_between_two_there_is_no_label() -> None:
    labels = [
        choice.bundles["s"] for choice in choices("s = 3 | s = 4 | k_anonymity(2)")
    ]
    assert any(labels)
    for bundle in filter(None, labels):
        below, above = bundle[:2], bundle[2:]
        assert max(map(int, below)) < 3 and min(map(int, above)) > 4


def test_a_missing_cell_is_one_more_value_of_its_own() -> None:
    """It has no place in the order, so that it is looked at by itself and takes no
    other value's place.
    """
    both = frame(policy("s >= 3 | beta_likeness(s, 1)"), policy("beta_likeness(s, 1)"))
    named, lost, often, failing = 1, 1, 1, 1
    assert endless(domains(both, None), "r").most == {
        "s": named + lost + often + failing
    }


def test_a_criterion_that_may_hold_where_the_second_fails_has_a_value_of_its_own() -> (
    None
):
    """Three classes aaaaaccccx, each with an x of its own: beta is exceeded at x, not
    at the most frequent value.
    """
    first = (
        "average_benefit(s, 1/10) & ~alpha_k_anonymity(s, 1/5, 1) &"
        " ~beta_likeness(s, 1)"
    )
    second = "(~beta_likeness(s, 1) & k_anonymity(100)) | k_anonymity(100)"
    rows = [
        {"class": q, "s": s}
        for q in "xyz"
        for s in "1" * 5 + "2" * 4 + "34567"["xyz".index(q)]
    ]
    both = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["class"], "sensitive": ["s"]},
            "rules": {"r": first, "t": second},
        }
    )
    said = [rule.verdict for rule in ph.verify(pd.DataFrame(rows), both).rules]
    assert said == ["proved", "refuted"]
    assert compare(first, second, budget=2).verdict != "implies"
    assert witnesses(parse(second)) == {"s": 1}


# Bounds


def test_the_bound_stands_in_the_verdict() -> None:
    found = compare(
        policy("t_closeness(s, 1/5, distance=ordered)"),
        policy("t_closeness(s, 2/5)"),
        values=3,
        budget=20,
    )
    lines = str(found).splitlines()
    assert lines[0] == "IMPLIES up to 3 values of s  policy  =>  policy"
    assert "Of more values nothing is claimed" in lines[3]
    assert (found.to_dict()["up_to"], found.to_dict()["values"]) == (
        "3 values of s",
        {"s": 3},
    )
    both = compare(
        "recursive_l_diversity(s, 1, 2)",
        "recursive_l_diversity(s, 1, 2)",
        equivalent=True,
        budget=20,
    )
    assert str(both).splitlines()[-1] == "EQUIVALENT"
    few = compare(
        "entropy_l_diversity(s, 2)",
        "l_diversity(s, 2) & alpha_k_anonymity(s, 1/2, 1)",
        values=2,
        budget=20,
    )
    assert str(few).startswith("IMPLIES up to 2 values of s")


@pytest.mark.parametrize(
    ("first", "second", "values", "rows"),
    [
        ("entropy_l_diversity(s, 2)", "alpha_k_anonymity(s, 4/5, 1)", 4, 31),
        ("entropy_l_diversity(s, 3)", "recursive_l_diversity(s, 2, 2)", 5, 12),
        ("t_closeness(s, 1/5, distance=ordered)", "t_closeness(s, 2/5)", 4, 4),
        ("t_closeness(s, 1/5, distance=ordered)", "t_closeness(s, 3/5)", 5, 6),
    ],
)
def test_more_values_are_tried_before_the_answer(
    first: str, second: str, values: int, rows: int
) -> None:
    """Each of them was told to be implied, for one value less; judged by verify on both
    sides, as all tables are.
    """
    found = compare(policy(first), policy(second), budget=40)
    assert (found.verdict, found.values, len(found.table)) == (
        "separated",
        {"s": values},
        rows,
    )


def test_the_values_of_a_table_bound_it() -> None:
    rows = pd.DataFrame({"q": ["x"] * 6, "s": ["1", "2", "3", "01", "2", "3"]})
    first, second = (
        policy("t_closeness(s, 1/5, distance=ordered)"),
        policy("t_closeness(s, 2/5)"),
    )
    found = compare(first, second, table=rows, budget=300)
    assert (found.verdict, found.values) == ("implies", {"s": 3})
    found = compare(first, second, table=pd.DataFrame({"s": list("1234")}), budget=300)
    assert (found.verdict, found.values) == ("separated", {"s": 4})
    with pytest.raises(ph.InputError, match="no column 's'"):
        compare(first, second, table=rows[["q"]])


def test_a_table_with_many_values_is_no_reason_to_look_at_few() -> None:
    many = pd.DataFrame({"s": [str(k) for k in range(16)]})
    found = compare(
        policy("average_benefit(s, 1/5)"),
        policy("t_closeness(s, 4/5)"),
        table=many,
        budget=1,
    )
    assert found.verdict != "implies"
    proved = compare(
        policy("beta_likeness(s, 1)"),
        policy("t_closeness(s, 1/2)"),
        table=many,
        budget=10,
    )
    assert (proved.verdict, proved.values) == ("implies", {})
