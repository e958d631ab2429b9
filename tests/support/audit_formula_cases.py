"""What the tests of audit formula have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from phverify.disclosure.connectives import (
    AllOf,
    AnyOf,
    Negation,
    Proposition,
)
from phverify.disclosure.facts import formula as f
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.result import AuditReport
from support.made_once import duckdb_file

duckdb = pytest.importorskip("duckdb")


ILLNESS = {
    "ailment": {"viral": ["flu", "covid"], "others": ["cancer", "heart disease"]}
}


SMALL = {
    "s": Domain(0, 2, null=True),
    "w": Domain(-1, 1),
    "u": Domain(values=("a", "b"), null=True),
}


CELLS = [f.FactCell(column, key) for column in SMALL for key in "xy"]


numbers = st.sampled_from([cell for cell in CELLS if cell.column != "u"])


texts = st.sampled_from([cell for cell in CELLS if cell.column == "u"])


linear = st.builds(
    f.LinearSide,
    st.lists(st.tuples(st.integers(-2, 2), numbers), min_size=1, max_size=3).map(tuple),
    st.integers(-3, 3),
)


signs = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])


alone = st.builds(f.LinearSide, st.tuples(st.tuples(st.just(1), texts)))


leaves = st.one_of(
    st.builds(
        f.CellComparison,
        linear,
        signs,
        linear | st.builds(f.LinearSide, st.just(()), st.integers(-3, 3)),
    ),
    st.builds(f.CellComparison, alone, signs, alone | st.sampled_from("ab")),
    st.builds(f.Among, numbers, st.lists(st.integers(-1, 3), max_size=3).map(tuple)),
    st.builds(f.Among, texts, st.lists(st.sampled_from("ab"), max_size=2).map(tuple)),
    st.builds(f.Missing, numbers | texts),
)


def nested(inner: st.SearchStrategy[Proposition]) -> st.SearchStrategy[Proposition]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return (
        st.builds(Negation, inner)
        | st.builds(AllOf, several)
        | st.builds(AnyOf, several)
    )


formulas = st.recursive(leaves, nested, max_leaves=5)


VALUES = {"s": [None, 0, 1, 2], "w": [-1, 0, 1], "u": [None, "a", "b"]}


PEOPLE = [
    ("Ann", "N", 320, "flu"),
    ("Bob", "S", 270, "cancer"),
    ("Jean", "N", 420, "covid"),
    ("Jean Paul", "S", 150, None),
]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(tmp_path: Path) -> Path:
    """A database of the people."""
    columns = "name VARCHAR, branch VARCHAR, balance INTEGER, illness VARCHAR"
    return duckdb_file(
        tmp_path / "people.duckdb",
        f"CREATE TABLE people ({columns})",
        ("INSERT INTO people VALUES (?, ?, ?, ?)", PEOPLE),
    )


def policy(protect: dict[str, Any], **more: Any) -> dict[str, Any]:
    sensitive = {"balance": {"from": 0, "to": 1000}}
    sensitive["illness"] = {
        "values": ["cancer", "covid", "flu", "heart disease"],
        "null": True,
    }
    data = {
        "table": "people",
        "key": "name",
        "public": ["branch"],
        "sensitive": sensitive,
        "protect": protect,
    }
    return data | {"taxonomies": {"illness": ILLNESS}} | more


def verdicts(report: AuditReport) -> list[str]:
    return [finding.verdict for finding in report.steps[-1].findings]


def named(text: str) -> dict[str, Any]:
    return {"p": {"formula": text}}
