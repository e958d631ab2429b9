"""``compare`` against brute force: over all small tables for criteria, over random
tables for random formulas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare_cases import CRITERIA, PAIRS, holds, policy
from support.oracle import Row
from support.so_many import sampled, so_many
from support.strategies import RULES, SMALL, fit, tables

import phverify as ph
from phverify.comparison.run import compare
from phverify.logic.printer import to_text
from phverify.spec import syntax as s

MOST_ROWS = 5


Histogram = tuple[int, ...]


def histograms(n: int, values: int) -> Iterator[Histogram]:
    if values == 1:
        yield (n,)
        return
    for k in range(n + 1):
        for rest in histograms(n - k, values - 1):
            yield (k, *rest)


@cache
def small_tables() -> tuple[tuple[Histogram, ...], ...]:
    """All tables of at most five rows over at most three values, as the histograms of
    their classes.
    """

    def classes(
        left: int, largest: tuple[int, Histogram]
    ) -> Iterator[tuple[Histogram, ...]]:
        if left == 0:
            yield ()
        for n in range(min(left, largest[0]), 0, -1):
            for h in histograms(n, 3):
                if (n, h) <= largest:
                    yield from ((h, *rest) for rest in classes(left - n, (n, h)))

    return tuple(t for n in range(1, MOST_ROWS + 1) for t in classes(n, (n, (n, 0, 0))))


@cache
def satisfying(name: str) -> frozenset[int]:
    """The numbers of the small tables that satisfy a criterion by the oracle's
    definition.
    """
    found = set()
    for number, table in enumerate(small_tables()):
        whole = Counter(
            {
                str(v): sum(h[v] for h in table)
                for v in range(3)
                if any(h[v] for h in table)
            }
        )
        if all(
            CRITERIA[name](Counter({str(v): k for v, k in enumerate(h) if k}), whole)
            for h in table
        ):
            found.add(number)
    return frozenset(found)


def smallest(first: str, second: str) -> int | None:
    """The rows of a smallest separating table among the small ones."""
    found = satisfying(first) - satisfying(second)
    return min((sum(map(sum, small_tables()[k])) for k in found), default=None)


def check_pair(first: str, second: str, budget: float) -> ph.Comparison:
    found = compare(first, second, values=3, budget=budget)
    least = smallest(first, second)
    if found.verdict == "implies":
        assert least is None
    elif found.verdict == "separated":
        assert len(found.table) == (least or len(found.table))
        assert least is not None or len(found.table) > MOST_ROWS
    else:
        assert least is None or found.searched < least, "a table was missed"
    return found


def test_small_tables_are_all_there() -> None:
    assert (
        sum(sum(map(sum, t)) == 2 for t in small_tables()) == 6 + 6
    )  # a class of two, or two classes of one
    assert len(set(small_tables())) == len(small_tables())


@pytest.mark.parametrize(("first", "second"), sampled(PAIRS, 120))
def test_criteria_against_all_small_tables(first: str, second: str) -> None:
    check_pair(first, second, 10)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Row], list[str], list[str]]:
    """A table, the rules of two policies, and what the first assumes; often one is near
    the other.
    """
    rows = draw(tables(4))
    one, two, three = (fit(draw(formulas), rows) for formulas in (RULES, RULES, SMALL))
    first = draw(
        st.sampled_from(
            [one, s.Or((two, three)), s.Implies(three, two), s.Or((two, one)), s.TRUE]
        )
    )
    second = draw(st.sampled_from([two, two, s.And((one, two)), s.Or((one, three))]))
    return rows, [to_text(first)], [to_text(second)]


def check_random(
    rows: list[Row], first: list[str], second: list[str], budget: float = 1.5
) -> str:
    separates = holds(rows, first) and not holds(rows, second)
    one, two = (
        policy({f"r{k}": text for k, text in enumerate(rules)})
        for rules in (first, second)
    )
    found = compare(one, two, values=4, budget=budget)
    if found.verdict == "implies":
        assert not separates
    elif found.verdict == "separated":
        assert (
            len(found.table) <= len(rows) or not separates or found.searched < len(rows)
        )
    else:
        assert not separates or found.searched < len(rows)
    return (
        found.verdict
        if found.verdict != "undecided"
        else f"undecided: {found.reason[:60]}"
    )


@so_many(8)
@given(pairs())
def test_random_formulas_against_random_tables(
    question: tuple[list[Row], list[str], list[str]],
) -> None:
    check_random(*question)


@st.composite
def schemas_of_criteria(draw: st.DrawFn) -> tuple[str, str]:
    """Two rules that look at classes and totals, so that proofs are within reach."""
    shares = st.sampled_from(["1/3", "1/2", "2/3", "3/4"])
    person = st.sampled_from(["forall i: @i", "@i1", "@i2"])
    rules = st.one_of(
        st.sampled_from(
            [
                "k_anonymity(2)",
                "k_anonymity(3)",
                "l_diversity(f, 2)",
                "t_closeness(f, 1/3)",
                "true",
            ]
        ),
        st.builds(lambda p, t: f"{p} l_a1(f = a) <= {t}", person, shares),
        st.builds(lambda p, t: f"{p} l_a1(f = a) <= {t} + l_a0(f = a)", person, shares),
        st.builds(lambda t: f"forall v in f: l_a1(f = v) <= {t}", shares),
        st.builds(lambda t: f"forall i, v in f: @i l_half(f = v) <= {t}", shares),
        st.builds(lambda t: f"forall i: l_a1(i & f = a) <= {t}", shares),
        st.sampled_from(
            [
                "~[a1](@i1 f = a & @i2 f = a)",
                "@i1 ~[a1] f = a",
                "forall v in f: @i1 ~[a1] f = v",
            ]
        ),
        st.sampled_from(
            [
                "[a1] f = a | l_diversity(f, 2)",
                "@i1 <a1> i2",
                "@i1 ~<a1> i2",
                "<a0> f = a",
                "~i1 | f = a",
            ]
        ),
    )
    first = " & ".join(
        f"({rule})" for rule in draw(st.lists(rules, min_size=1, max_size=3))
    )
    return first, draw(rules)


@st.composite
def near_tables(draw: st.DrawFn) -> list[Row]:
    row = st.fixed_dictionaries(
        {
            "q": st.sampled_from("xy"),
            "r": st.sampled_from("uv"),
            "f": st.sampled_from("aabcde"),
            "g": st.just("0"),
        }
    )
    rows = draw(st.lists(row, min_size=2, max_size=5))
    return (
        rows if any(r["f"] == "a" for r in rows) else [{**rows[0], "f": "a"}, *rows[1:]]
    )


@so_many(10)
@given(schemas_of_criteria(), st.lists(near_tables(), min_size=4, max_size=4))
def test_rules_of_classes_and_persons_against_random_tables(
    rules: tuple[str, str], several: list[list[Row]]
) -> None:
    first, second = rules
    found = compare(policy({"r": first}), policy({"r": second}), values=3, budget=3)
    for rows in several:
        beyond = len({row["f"] for row in rows}) > found.values.get("f", len(rows))
        if not beyond and holds(rows, [first]) and not holds(rows, [second]):
            assert found.verdict != "implies", rows
            assert found.searched < len(rows), rows
