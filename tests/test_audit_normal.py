"""The exact normal form: in every world of a small table a statement answers as in the
true one exactly where all statements that it is rewritten to do.
"""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

import pytest
from support.normal_cases import EXACT, FILLED, MISSING, REFUSED
from support.normal_worlds import SmallTable
from support.so_many import FUZZ

from phverify.disclosure.log import sql
from phverify.disclosure.log.sources import Unsupported
from phverify.disclosure.normal import exact, trees

sqlglot = pytest.importorskip("sqlglot")
pytest.importorskip("duckdb")
exp = sqlglot.exp

TABLES = 24 if FUZZ else 1
"""So many tables for each statement, of another seed each."""


@lru_cache(maxsize=8)
def table(seed: int) -> SmallTable:
    return SmallTable(seed, null=seed % 2 == 0)


@lru_cache(maxsize=8)
def of_two_keys(seed: int) -> SmallTable:
    keys = [("id", "p"), ("p", "id")][seed % 2]
    return SmallTable(seed, null=seed % 3 == 0, keys=keys)


def parts_of(text: str, of: SmallTable) -> tuple[str, ...]:
    """What a statement is rewritten to, all of the fragment."""
    parts = exact(text, of.scope, of.true)
    for part in parts:
        sql.parse(part, of.scope)
    return parts


@pytest.mark.parametrize(("place", "text"), list(enumerate(EXACT)), ids=EXACT)
def test_the_parts_say_exactly_as_much(place: int, text: str) -> None:
    for seed in range(TABLES):
        of = table(2 * seed + place % 2)
        assert of.alike([text]) == of.alike(parts_of(text, of)), (seed, text)


@pytest.mark.parametrize(("place", "text"), list(enumerate(EXACT)), ids=EXACT)
def test_so_they_do_where_two_columns_name_a_row(place: int, text: str) -> None:
    for seed in range(TABLES):
        of = of_two_keys(2 * seed + place % 2)
        if of.answer(text, 0) is None:
            continue
        try:
            parts = parts_of(text, of)
        except Unsupported:
            continue
        assert of.alike([text]) == of.alike(parts), (seed, text)


@pytest.mark.parametrize("shown", ["id", "p"])
def test_two_columns_name_a_row_and_one_of_them_does_not(shown: str) -> None:
    """Two rows are called k0, and two 1: the answer does not say which is which."""
    of = SmallTable(0, null=False, size=3, keys=("id", "p"))
    for text in (f"SELECT {shown}, s * 2 FROM t", f"SELECT {shown}, s > 1 AS b FROM t"):
        parts = parts_of(text, of)
        assert of.alike([text]) == of.alike(parts), text


def test_most_have_an_exact_form_where_two_columns_name_a_row() -> None:
    of = of_two_keys(0)
    found = []
    for text in EXACT:
        with suppress(Unsupported):
            found.append(parts_of(text, of))
    assert len(found) > len(EXACT) * 9 // 10


def with_or(text: str) -> str:
    """A statement whose every WHERE and HAVING is an OR, and each SELECT has a WHERE."""
    tree = sqlglot.parse_one(text, read="duckdb")
    for select in tree.find_all(exp.Select):
        table = select.find(exp.Table)
        name = "p > 1" if table is None or table.name == "t" else "k > 1"
        where = select.args.get("where")
        first = where.this if where else exp.condition("g = 'x'")
        if where or name == "p > 1":
            either = exp.Or(this=first.copy(), expression=exp.condition(name))
            select.set("where", exp.Where(this=either))
        having = select.args.get("having")
        if having:
            more = exp.condition("MAX(p) > 1")
            either = exp.Or(this=having.this.copy(), expression=more)
            select.set("having", exp.Having(this=either))
    return tree.sql("duckdb")


@pytest.mark.parametrize(("place", "text"), list(enumerate(EXACT)), ids=EXACT)
def test_or_stays_what_it_is_beside_other_conditions(place: int, text: str) -> None:
    """Steps add conditions to those that a statement has: no AND binds a part of them."""
    for seed in range(TABLES):
        of = table(2 * seed + (place + 1) % 2)
        either = with_or(text)
        if of.answer(either, 0) is None:
            continue
        try:
            parts = parts_of(either, of)
        except Unsupported:
            continue
        assert of.alike([either]) == of.alike(parts), (seed, either)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a OR b", "(a OR b)"),
        ("F(a) AND G(b)", "(F(a) AND G(b))"),
        ("d + INTERVAL 1 DAY", "(d + INTERVAL '1' DAY)"),
        ("F(d) -> G(d)", "(F(d) -> G(d))"),
        ("F(a, G(b))", "F(a, G(b))"),
        ("SUM(a) FILTER (WHERE b)", "SUM(a) FILTER(WHERE b)"),
        ("CASE WHEN a OR b THEN 1 END", "CASE WHEN a OR b THEN 1 END"),
    ],
)
def test_what_is_no_call_stands_in_parentheses(text: str, expected: str) -> None:
    assert trees.text_of(trees.wrapped(trees.expression(text))) == expected


@pytest.mark.parametrize("text", FILLED)
def test_so_they_do_where_no_cell_is_missing(text: str) -> None:
    for seed in range(TABLES):
        of = table(2 * seed + 1)
        assert of.alike([text]) == of.alike(parts_of(text, of)), (seed, text)


@pytest.mark.parametrize("text", MISSING)
def test_missing_cells_are_what_the_database_makes_of_them(text: str) -> None:
    for seed in range(max(TABLES, 2)):
        of = table(2 * seed)
        assert of.alike([text]) == of.alike(parts_of(text, of)), (seed, text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_says_less_or_more_has_no_exact_form(text: str) -> None:
    of = table(2)
    with pytest.raises(Unsupported):
        parts_of(text, of)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT g, SUM(p) * 2, SUM(s) FROM t GROUP BY g",
        "SELECT g, ROUND(SUM(s) / (SUM(p) + 1)) FROM t GROUP BY g",
        "SELECT DISTINCT s FROM t WHERE p > 0",
        "SELECT g, CASE WHEN MIN(p) > 0 THEN SUM(s) END FROM t GROUP BY g",
        "SELECT COUNT(*) FROM t WHERE id IN (SELECT id FROM t WHERE p > 0) AND s = 1",
    ],
)
def test_a_column_without_a_role_may_say_anything(text: str) -> None:
    of = table(1)
    assert parts_of(text, of)
    without = replace(of.scope, public=("id", "g", "d"))
    with pytest.raises(Unsupported):
        for part in exact(text, without, of.true):
            sql.parse(part, without)


def test_a_column_of_another_table_is_not_taken_for_a_sensitive_one() -> None:
    of = table(1)
    same = replace(of.scope, external={"e": ("h", "s", "c")})
    with pytest.raises(Unsupported, match="also a column of another table"):
        exact("SELECT COUNT(*) FROM t JOIN e ON g = h WHERE e.s % 2 = 1", same, of.true)


FLAGGED = [
    "SELECT SUM(p * s) FROM t",
    "SELECT g, SUM(s * p), COUNT(*) FROM t GROUP BY g",
    "SELECT SUM((p) * s) FROM t WHERE u = 'b'",
    "SELECT COALESCE(SUM(p * s), 0) FROM t WHERE u = 'b'",
    "SELECT d, SUM(p * s) * 2 FROM t WHERE s > 0 GROUP BY d",
    "SELECT SUM(p * s), SUM(s) FROM t WHERE p = 1",
]


def flagged(null: bool, count: int) -> list[SmallTable]:
    """Tables whose public numbers are 0 and 1 alone."""
    tables = (SmallTable(seed, null) for seed in itertools.count())
    plain = (of for of in tables if {row[2] for row in of.public} <= {0, 1})
    return list(itertools.islice(plain, count))


@pytest.mark.parametrize("text", FLAGGED)
def test_a_product_with_zeros_and_ones_says_which_rows_are_added(text: str) -> None:
    for of in flagged(null=False, count=TABLES + 3):
        assert of.alike([text]) == of.alike(parts_of(text, of)), text


def test_any_other_product_is_none_of_these() -> None:
    """Where a cell may be missing the product is, too, and is not 0."""
    (of,) = flagged(null=True, count=1)
    with pytest.raises(Unsupported):
        parts_of(FLAGGED[0], of)
    (of,) = flagged(null=False, count=1)
    other = replace(of.scope, external={"e": ("h", "p", "c")})
    with pytest.raises(Unsupported):
        exact(FLAGGED[0], other, of.true)
    for text in ("SELECT SUM(s * s) FROM t", "SELECT SUM(DISTINCT p * s) FROM t"):
        with pytest.raises(Unsupported):
            parts_of(text, of)
    twos = (SmallTable(seed, null=False) for seed in itertools.count())
    of = next(one for one in twos if {1, 2} <= {row[2] for row in one.public})
    with pytest.raises(Unsupported):
        parts_of(FLAGGED[0], of)
    # Of missing numbers alone the sum is missing, and not 0.
    (of,) = flagged(null=False, count=1)
    of.true.execute("UPDATE t SET p = NULL WHERE id = (SELECT MIN(id) FROM t)")
    with pytest.raises(Unsupported):
        parts_of(FLAGGED[0], of)
