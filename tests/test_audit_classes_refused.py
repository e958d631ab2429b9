"""What classes know nothing of goes the road of single cells, condition by condition."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import phverify
import phverify.verbs.audit as audited
from phverify.disclosure.classes import made_for
from phverify.disclosure.classes.fragment import Selection, Told
from phverify.disclosure.classes.selected import SelectedRows, answered
from phverify.disclosure.classes.tables import CountedFindings
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.histories.settings import Published
from phverify.disclosure.log.query import Aggregate, SqlColumn, SqlQuery
from phverify.disclosure.log.statements import KeptAnswer, Statement
from phverify.disclosure.policy_reader import load
from phverify.disclosure.result import AuditReport
from phverify.disclosure.worlds.codings import Coding
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read

TABLE = pd.DataFrame(
    {"id": [1, 2, 3], "g": ["x", "y", "y"], "ill": [0, 1, 0], "age": [20, 30, 40]}
)
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["g"],
    "sensitive": {"ill": {"from": 0, "to": 1}},
    "protect": {"ill": {"column": "ill"}},
}
LOG = ["SELECT g, COUNT(*) FROM t WHERE ill = 1 GROUP BY g"]
PLAIN = Statement(LOG[0], 1)
AGE = {
    "sensitive": {"age": {"from": 0, "to": 99}},
    "protect": {"age": {"column": "age"}},
}


@pytest.fixture(autouse=True)
def _small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes for tables of any size."""
    monkeypatch.setattr(audited, "FROM_ROWS", 1)
    monkeypatch.setattr(made_for, "FROM_ROWS", 1)


def classed(report: AuditReport) -> bool:
    """Whether an audit went the road of classes."""
    return isinstance(report.steps[0].findings, CountedFindings)


def refused(
    more: Mapping[str, Any] | None = None,
    statement: Statement = PLAIN,
    table: Any = TABLE,
    ranges: bool = True,
    **changes: Any,
) -> list[str]:
    """Why an audit is not for classes; ``changes`` are of the policy as it was read."""
    settings = load({**POLICY, **(more or {})})
    source = open_database(table, "t", [])
    frame = read(source, settings)
    frame = replace(frame, policy=replace(settings, **changes))
    return list(made_for.refusals(source, frame, [statement], ranges))


def test_a_plain_audit_is_for_classes() -> None:
    assert refused() == []
    assert classed(phverify.audit(TABLE, LOG, POLICY))


def test_few_rows_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_for, "FROM_ROWS", 4)
    assert refused() == ["few rows"]
    assert not classed(phverify.audit(TABLE, LOG, POLICY))


def test_another_engine_is_not(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE t (id INTEGER, g TEXT, ill INTEGER)")
        file.execute("INSERT INTO t VALUES (1, 'x', 0), (2, 'y', 1)")
    assert refused(table=path)[0] == "another engine answered the log"
    assert not classed(phverify.audit(path, LOG, POLICY))


def test_a_server_is_not() -> None:
    settings = load(POLICY)
    source = open_database(TABLE, "t", [])
    frame = read(source, settings)
    server: Any = object()
    other = replace(source, server=server)
    (why,) = made_for.refusals(other, frame, [], True)
    assert why == "another engine answered the log"


def test_external_tables_are_not(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("g,n\nx,1\ny,2\n", encoding="utf-8")
    assert "external tables" in refused({"external": {"o": {"file": str(path)}}})


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"published": Published(Fraction(1))}, "answers that were published rounded"),
        ({"more_keys": ("g",)}, "a key of several columns"),
        ({"person": "g"}, "persons of several rows"),
        ({"views": {"v": "SELECT 1"}}, "views, or other names of the table"),
        ({"names": {"s.t": "t"}}, "views, or other names of the table"),
    ],
)
def test_what_policies_add_is_not(changes: dict[str, Any], why: str) -> None:
    assert refused(**changes) == [why]


def test_facts_of_other_kinds_are_not() -> None:
    near = {
        "sensitive": AGE["sensitive"],
        "protect": {"n": {"column": "age", "within": 5}},
    }
    assert refused(near) == ["facts of the kind within"]


@pytest.mark.parametrize(
    ("cells", "domain"),
    [
        ([0.0, 1.0, 0.0], {"from": 0, "to": 1}),
        ([0, 1, None], {"from": 0, "to": 1, "null": True}),
        (
            pd.to_datetime(["2020-01-01"] * 3),
            {"from": datetime(2020, 1, 1), "to": datetime(2020, 1, 2)},
        ),
        ([Decimal("0.5"), Decimal("1.0"), Decimal("0.5")], {"values": [0.5, 1.0]}),
    ],
    ids=["doubles", "missing", "timestamps", "decimals"],
)
def test_other_kinds_of_data_are_not(cells: Any, domain: dict[str, Any]) -> None:
    table = TABLE.assign(ill=cells)
    if domain.get("null"):
        table["ill"] = table["ill"].astype("Int64")
    why = refused({"sensitive": {"ill": domain}}, table=table)[0]
    assert why.startswith("ill is a column of")


def test_texts_that_a_server_orders_are_not() -> None:
    table = TABLE.assign(ill=["a", "b", "a"])
    settings = load({**POLICY, "sensitive": {"ill": {"values": ["a", "b"]}}})
    source = open_database(table, "t", [])
    frame = read(source, settings)
    assert not list(made_for.refusals(source, frame, [], True))
    coding = replace(frame.codings["ill"], unordered=True)
    other = replace(frame, codings={"ill": coding})
    assert list(made_for.refusals(source, other, [], True))


def test_scaled_integers_are_not() -> None:
    tens = {
        "sensitive": {"age": {"from": 0, "to": 90, "step": 10}},
        "protect": AGE["protect"],
    }
    assert refused(tens, ranges=False)[0].startswith("age is a column of")


def test_kept_answers_are_not() -> None:
    kept = Statement(LOG[0], 1, kept=KeptAnswer((("y", 1),)))
    assert refused(statement=kept) == ["answers that were kept"]


def test_ranges_of_many_values_are_not_where_cells_have_them_tight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Suppressed tables of magnitudes are of this kind."""
    why = ["what is left of cells of many values is wanted"]
    log = ["SELECT g, SUM(age) FROM t GROUP BY g"]
    policy = {**POLICY, **AGE}
    assert refused(AGE) == why and refused(AGE, ranges=False) == []
    assert not classed(phverify.audit(TABLE, log, policy))
    assert classed(phverify.audit(TABLE, log, policy, ranges=0))
    monkeypatch.setattr(made_for, "ROWS_OF_RANGES", 2)
    assert refused(AGE) == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT COUNT(*) > 1 FROM t WHERE ill = 1 OR g = 'x' LIMIT 1",
        "SELECT g FROM t WHERE ill = 1 GROUP BY g",
        "SELECT COUNT(*) FROM t HAVING COUNT(*) > 1",
        "SELECT MAX(ill) FROM t",
        "SELECT COUNT(DISTINCT ill) FROM t",
        "SELECT COUNT(*), SUM(ill) FROM t WHERE ill = 1 OR g = 'x'",
        "SELECT SUM(ill) FILTER (WHERE ill = 1 OR g = 'x') FROM t",
        "SELECT COUNT(ill) FILTER (WHERE ill = 1) FROM t",
        "SELECT id FROM t WHERE ill = 1",
        "SELECT id, ill FROM t WHERE ill = 1",
    ],
)
def test_statements_of_other_forms_are_not(statement: str) -> None:
    report = phverify.audit(TABLE, [*LOG, statement], POLICY)
    assert not classed(report) and len(report.steps) == 3


def test_a_bounded_statement_is_not() -> None:
    log = ["SELECT id, ill FROM t ORDER BY ill LIMIT 1", *LOG]
    report = phverify.audit(TABLE, log, POLICY)
    assert report.steps[1].status == "bounded" and not classed(report)


def test_what_another_dialect_means_roughly_is_not() -> None:
    policy = {**POLICY, "dialect": "mysql"}
    log = ["SELECT g, COUNT(*) FROM t WHERE g = 'X' AND ill = 1 GROUP BY g"]
    report = phverify.audit(TABLE, log, policy)
    assert not classed(report)


def test_whole_tables_are_not() -> None:
    assert not classed(phverify.audit(TABLE, LOG, POLICY, reconstruct=True))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ([("x", 2), ("y", 1)], True),
        ([("x", 2), ("y", 2)], False),
        ([("x", 2)], False),
        ([("x", 2), ("x", 2), ("y", 1)], False),
        ([("x", 2), ("y", None)], False),
    ],
)
def test_an_answer_says_the_sums_of_all_groups(
    answer: list[tuple[Any, ...]], says: bool
) -> None:
    shown = SqlColumn("g"), Aggregate("count", None)
    query = SqlQuery(shown, None, ("g",))
    told = Told(Selection("ill", ("g",), None, True), 1)
    groups, ones = np.array([0, 0, 1], dtype=np.int32), np.ones(3, dtype=np.int64)
    sums = np.array([2, 1])
    rows = SelectedRows(groups, ones, sums, sums, [("x",), ("y",)])
    coding = Coding(Domain(0, 1), "INTEGER")
    assert answered(rows, query, told, answer, coding) == says
