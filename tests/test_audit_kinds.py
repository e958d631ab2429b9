"""Kinds of data in sensitive columns: each verdict is that of all worlds."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.audit_kinds import AllWorlds, KindCase
from support.schemas import validated
from support.so_many import so_many

import phverify as ph
from phverify.errors import InputError


def audited(case: KindCase) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "case.duckdb"
        case.write(path)
        return ph.audit(path, list(case.log), case.policy(), each=60, ranges=0)


@so_many(30)
@given(st.integers(0, 10**9))
def test_every_verdict_is_that_of_all_worlds(seed: int) -> None:
    case = KindCase.random(seed)
    worlds = AllWorlds(case)
    report = audited(case)
    for step in report.steps:
        if step.number:
            assert step.status == "answered", (step.sql, step.reason)
            worlds.ask(step.sql)
        seen = set()
        for finding in step.findings:
            name, row = finding.fact.protected.name, finding.fact.rows[0]
            seen.add((name, row))
            disclosed = worlds.disclosed(case.protect[name], row)
            assert disclosed is not None
            expected = "disclosed" if disclosed else "safe"
            assert finding.verdict == expected, (seed, step.sql, name, row)
        for name, entry in case.protect.items():
            for row in range(len(case.rows)):
                known = worlds.disclosed(entry, row) is not None
                assert ((name, row) in seen) == known


def one(type_: str, cells: list[str]) -> Any:
    """A database in a frame: k0, k1, .. with these cells of one type."""
    values = ", ".join(
        f"('k{place}', {cell}::{type_})" for place, cell in enumerate(cells)
    )
    return duckdb.sql(f"SELECT * FROM (VALUES {values}) t(id, s)").to_arrow_table()


def policy(domain: dict[str, Any], **protect: Any) -> dict[str, Any]:
    return {
        "table": "t",
        "key": "id",
        "sensitive": {"s": domain},
        "protect": protect or {"cells": {"column": "s"}},
    }


DAY = date(2020, 1, 1)
NEAR = {"from": DAY, "to": date(2020, 12, 31)}
CENTS = {"from": 0, "to": 99, "step": Fraction(1, 100)}


@pytest.mark.parametrize(
    ("type_", "domain", "message"),
    [
        (
            "TINYINT",
            {"from": 0, "to": 300},
            "the domain 0..300 is more than TINYINT ho",
        ),
        ("UTINYINT", {"from": -1, "to": 3}, "the domain -1..3 is more than UTINYINT"),
        ("DECIMAL(4,1)", CENTS, "the domain has more decimals than DECIMAL(4,1)"),
        ("DECIMAL(3,2)", CENTS, "the domain 0..99 by 0.01 is more than DECIMAL(3,2)"),
        ("INTEGER", CENTS, "the domain has more decimals than INTEGER"),
        ("FLOAT", {"from": 0, "to": 3}, "a FLOAT can be stored as DOUBLE"),
        ("DATE", {"from": 0, "to": 3}, "the domain is of integers and the column is D"),
        ("VARCHAR", NEAR, "the domain is of dates and the column is VARCHAR"),
        ("INTEGER", {"from": 5, "to": 9, "step": 2}, "2 cells are outside the domain"),
        ("DOUBLE", {"from": 0, "to": 2**51, "step": 0.5}, "too fine for doubles"),
        ("DOUBLE", {"from": 0, "to": 2**52, "step": 0.5}, "more than 2^52 times"),
        ("INTEGER", {"from": 0, "to": 1, "step": 0.4}, "the last one below it is 0.8"),
        ("INTEGER", {"from": 0, "to": 1.5}, "a range of decimals needs a step"),
        ("INTEGER", {"from": 0, "to": 1, "step": 0}, "step is a number above 0, not 0"),
        ("INTEGER", {"from": 0, "to": DAY}, "are no numbers, and no dates"),
        ("INTEGER", {"from": 1, "to": 0, "step": 1}, "no number is from 1 to 0"),
        ("INTEGER", {"values": [1.5], "to": 0}, "has a list of values and a range"),
        ("DATE", NEAR | {"step": 0.5}, "the step of dates is in whole days"),
        ("DATE", {"values": [DAY, 3]}, "are no numbers, and no dates or timestamps of"),
        ("DOUBLE", {"values": [float("nan"), 1.5]}, "is a list of numbers, of dates,"),
    ],
)
def test_domains_that_do_not_fit(type_: str, domain: Any, message: str) -> None:
    cell = "'2020-01-01'" if type_ in ("DATE", "VARCHAR") else "1"
    with pytest.raises(InputError) as raised:
        ph.audit(one(type_, [cell, cell]), ["SELECT COUNT(s) FROM t"], policy(domain))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("type_", "domain", "statement", "reason"),
    [
        (
            "DOUBLE",
            CENTS,
            "SELECT SUM(s) FROM t",
            "in steps of 0.01: the sum depends on",
        ),
        ("DOUBLE", CENTS, "SELECT MEDIAN(s) FROM t", "(store it as DECIMAL)"),
        (
            "DECIMAL(9,2)",
            CENTS,
            "SELECT MEDIAN(s) FROM t",
            "cuts the mean of the middle",
        ),
        (
            "DECIMAL(9,2)",
            CENTS,
            "SELECT AVG(s) FROM t WHERE s < 2",
            "show COUNT beside it",
        ),
        (
            "DECIMAL(9,2)",
            CENTS,
            "SELECT COUNT(*) FROM t WHERE s = '1'",
            "of integer with tex",
        ),
        (
            "DECIMAL(38,2)",
            CENTS,
            "SELECT COUNT(*) FROM t WHERE s = 1.5",
            "up to 38 digits",
        ),
        (
            "DECIMAL(9,2)",
            CENTS,
            "SELECT COUNT(*) FROM t HAVING AVG(s) > 1",
            "in HAVING",
        ),
        ("DATE", NEAR, "SELECT MEDIAN(s) FROM t", "a column of dates, is not audited"),
        (
            "DATE",
            NEAR,
            "SELECT COUNT(*) FROM t WHERE s > '2020-1-1'",
            "a date is written",
        ),
        (
            "DATE",
            NEAR,
            "SELECT COUNT(*) FROM t WHERE s > 3",
            "Cannot compare values of type DATE",
        ),
        (
            "DATE",
            NEAR,
            "SELECT COUNT(*) FROM t WHERE s > DATE 'today'",
            "outside the aud",
        ),
        (
            "DATE",
            NEAR,
            "SELECT COUNT(*) FROM t HAVING MIN(s) > '2020-1-1'",
            "beside '2020-1-1'",
        ),
    ],
)
def test_queries_that_are_not_audited(
    type_: str, domain: Any, statement: str, reason: str
) -> None:
    cell = "'2020-01-01'" if type_ == "DATE" else "1"
    report = ph.audit(one(type_, [cell, cell]), [statement], policy(domain))
    # It may be taken for more than it says, and never for what it says.
    assert report.steps[1].status in ("unsupported", "bounded")
    assert reason in report.steps[1].reason
    assert report.verdict != "disclosed"


@pytest.mark.parametrize(
    ("domain", "type_", "cell", "text", "message"),
    [
        (CENTS, "DECIMAL(9,2)", "1.5", "s >= '1'", "these cannot be compared"),
        (CENTS, "DECIMAL(9,2)", "1.5", "s in ('a')", "'s' cannot be compared with 'a'"),
        (CENTS, "DECIMAL(9,2)", "1.5", "s > 1." + "1" * 30, "more than 16 decimals"),
        (NEAR, "DATE", "'2020-01-01'", "s > 5", "a date is compared with a date"),
        (NEAR, "DATE", "'2020-01-01'", "s + s > '2020-01-01'", "cannot be compared"),
        (NEAR, "DATE", "'2020-01-01'", "2 * s > s", "a date is compared with a date"),
        (NEAR, "DATE", "'2020-01-01'", "s in (5)", "'s' cannot be compared with 5"),
        (NEAR, "DATE", "'2020-01-01'", "s = '1.1.20'", "these cannot be compared"),
    ],
)
def test_formulas_that_say_nothing(
    domain: Any, type_: str, cell: str, text: str, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        ph.audit(one(type_, [cell]), ["SELECT 1"], policy(domain, a={"fact": text}))
    assert message in str(raised.value)


def test_facts_are_told_in_the_values_of_the_table() -> None:
    protect = {
        "cents": {"fact": "2 * s - 0.5 <= 10.25"},
        "list": {"fact": "s in (1.5, 2.505)"},
        "near": {"column": "s", "within": 0.5},
    }
    table = one("DECIMAL(9,2)", ["1.5"])
    log = ["SELECT SUM(s) FROM t"]
    report = ph.audit(table, log, policy(CENTS, **protect), ranges=9)
    facts = [finding.fact.text() for finding in report.steps[1].findings]
    assert facts == [
        "2 * s[k0] - 0.5 <= 10.25",
        "s[k0] in (1.5, 2.505)",
        "s of k0 up to 0.5",
    ]
    assert {finding.verdict for finding in report.steps[1].findings} == {"disclosed"}
    validated(report.to_dict())
    assert [one.text() for one in report.steps[0].remaining] == ["0.00..99.00"]
    assert report.to_dict()["steps"][0]["remaining"][0]["interval"] == ["0.00", "99.00"]
    assert report.to_dict()["steps"][1]["remaining"][0]["values"] == ["1.50"]


def test_dates_are_told_as_dates() -> None:
    table = one("DATE", ["'2020-02-03'", "'2020-02-05'"])
    log = ["SELECT MAX(s), MIN(s) FROM t", "SELECT id, s FROM t WHERE id = 'k0'"]
    protect = {"after": {"fact": "s >= '2020-02-05'"}, "cells": {"column": "s"}}
    report = ph.audit(table, log, policy(NEAR, **protect), reconstruct=True, ranges=9)
    last = report.steps[-1]
    assert last.findings[0].fact.text() == "s[k1] >= '2020-02-05'"
    assert [one.text() for one in report.steps[1].remaining] == [
        "2020-02-03..2020-02-05",
        "2020-02-03..2020-02-05",
    ]
    assert [one.text() for one in last.remaining] == ["2020-02-05", "2020-02-03"]
    assert report.reconstruction is not None
    assert report.reconstruction.rows == ((date(2020, 2, 3),), (date(2020, 2, 5),))
    validated(report.to_dict())
    assert "the s of k0 = 2020-02-03" in str(report)
    assert "2020-02-03" in report.dltts().dot()


@pytest.mark.parametrize("unit", ["s", "ms", "ns"])
def test_timestamps_of_other_precisions(unit: str) -> None:
    moments = [datetime(2020, 1, 1, place) for place in (0, 1)]
    table = pyarrow.table(
        {"id": ["a", "b"], "s": pyarrow.array(moments, pyarrow.timestamp(unit))}
    )
    domain = {"from": moments[0], "to": moments[1], "step": 1800}
    report = ph.audit(table, ["SELECT MAX(s) FROM t WHERE id = 'b'"], policy(domain))
    assert [one.verdict for one in report.steps[1].findings] == ["safe", "disclosed"]


def test_finer_timestamps_are_not_cut() -> None:
    moments = pyarrow.array([1, 2], pyarrow.timestamp("ns"))
    table = pyarrow.table({"id": ["a", "b"], "s": moments})
    domain = {"from": datetime(1970, 1, 1), "to": datetime(1970, 1, 2)}
    with pytest.raises(InputError, match="column is TIMESTAMP_NS"):
        ph.audit(table, ["SELECT COUNT(*) FROM t"], policy(domain))


@pytest.mark.parametrize(
    "frame",
    [
        pandas.DataFrame({"id": ["a", "b"], "s": [1.5, None]}),
        pandas.DataFrame({"id": ["a", "b"], "s": pandas.array([1.5, None], "Float64")}),
        polars.DataFrame({"id": ["a", "b"], "s": [Decimal("1.5"), None]}),
        polars.LazyFrame({"id": ["a", "b"], "s": [1.5, None]}),
        pyarrow.table({"id": ["a", "b"], "s": [1.5, None]}).to_reader(),
    ],
    ids=["pandas", "nullable", "decimals", "lazy", "batches"],
)
def test_frames_of_any_library(frame: Any) -> None:
    domain = {"from": 0, "to": 3, "step": Fraction(1, 2), "null": True}
    report = ph.audit(frame, ["SELECT SUM(s) FROM t WHERE id = 'a'"], policy(domain))
    assert [one.verdict for one in report.steps[1].findings] == ["disclosed", "safe"]
