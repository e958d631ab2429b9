"""Answers of divisions by zero: infinite, no number, or missing, against all worlds."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pandas as pd
import pytest

from phverify.disclosure.log.bags import NoNumber, bag, same_bag, same_cell
from phverify.disclosure.log.ranges import NumberRange, fits
from phverify.disclosure.result import DISCLOSED, SAFE
from phverify.verbs.audit import audit

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

NAN = float("nan")
N = (2, 1, 0)


def table(pays: tuple[int, ...]) -> pd.DataFrame:
    rows = zip(range(1, 4), N, pays, strict=False)
    return pd.DataFrame(list(rows), columns=["id", "n", "pay"])


def answers(worlds: list[tuple[int, ...]], sql: str) -> list[Counter[Any]]:
    """The answer in each world, by the texts of its cells."""
    found = []
    with duckdb.connect() as connection:
        for world in worlds:
            connection.register("t", table(world))
            rows = connection.execute(sql).fetchall()
            found.append(Counter(tuple(map(str, row)) for row in rows))
    return found


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("SELECT pay / pay FROM t", "answered"),
        ("SELECT id, pay / pay FROM t", "answered"),
        ("SELECT id, pay / 0 FROM t", "answered"),
        ("SELECT id, pay / pay FROM t WHERE id = 1", "answered"),
        ("SELECT SUM(pay) / 0 FROM t WHERE id = 1", ""),
        ("SELECT SUM(pay) / 0 FROM t WHERE pay = 0 AND id = 1", ""),
        ("SELECT SUM(pay) / 0 FROM t WHERE pay > 0 AND id = 1", ""),
        ("SELECT SUM(pay) / 0 FROM t WHERE pay - n = 0", "bounded"),
        ("SELECT SUM(pay) / (1 - 1) FROM t WHERE pay > 0", ""),
        ("SELECT COALESCE(SUM(pay) / 0, 5) FROM t WHERE pay > 0", ""),
    ],
)
@pytest.mark.parametrize("pays", [(0,), (1, 0), (0, 2, 1)])
def test_what_is_divided_by_zero_is_judged_as_by_all_worlds(
    sql: str, status: str, pays: tuple[int, ...]
) -> None:
    policy = {
        "table": "t",
        "key": "id",
        "public": ["n"],
        "sensitive": {"pay": {"from": 0, "to": 2}},
        "protect": {"pays": {"column": "pay"}},
        "dialect": "duckdb",
    }
    report = audit(table(pays), [sql], policy, ranges=0)
    step = report.steps[-1]
    assert step.status in ([status] if status else ["answered", "bounded"])
    worlds = list(itertools.product(range(3), repeat=len(pays)))
    found = answers(worlds, sql)
    true = found[worlds.index(pays)]
    alive = [w for w, one in zip(worlds, found, strict=True) if one == true]
    for finding in step.findings:
        (row,) = finding.fact.rows
        known = len({world[row] for world in alive}) == 1
        verdict = DISCLOSED if known else SAFE
        unsure = step.status == "bounded" and finding.verdict == "undecided"
        assert finding.verdict == verdict or unsure, (row, finding.verdict)


def test_no_number_is_one_value_wherever_answers_are_compared() -> None:
    other = float("inf") - float("inf")
    assert same_cell(NAN, other)
    assert same_cell(None, None)
    assert not same_cell(NAN, None)
    assert not same_cell(NAN, 0.0)
    assert same_bag([("a", NAN), ("b", 1)], [("b", 1), ("a", other)])
    assert not same_bag([("a", NAN)], [("a", other), ("a", NAN)])
    # a text of that name is another cell
    assert not same_bag([("nan",)], [(NAN,)])
    assert bag([(NAN,), (other,)]) == {(NoNumber.NAN,): 2}
    said = NumberRange(0, 10, "5")  # type: ignore[arg-type]
    assert fits([(NAN, 7)], [(other, said)])
    assert not fits([(NAN, 11)], [(other, said)])
