"""Tradeoffs of tables that are counted in DuckDB: once for all points, and no row is
read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest
from support.so_many import sampled
from test_tradeoff import drawn, files, policy, worse

import phverify as ph
from phverify.budget import Deadline
from phverify.cli.main import main
from phverify.generalization import rows_later
from phverify.microdata.counted import GroupedRows
from phverify.microdata.duckdb_tables import DuckTable
from phverify.verbs import counted_input
from phverify.verbs.tradeoff_points import TradeoffSearch
from phverify.verbs.varied import varied


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    pd.DataFrame(drawn(1, 12)).to_csv(path, index=False)
    return path


def only_counted() -> Any:
    refused = AssertionError("rows were read")
    return patch.object(rows_later, "read", side_effect=refused)


def told(result: Any) -> Any:
    """What a tradeoff says, whatever the clock said."""
    points = [replace(point, seconds=0.0, found=None) for point in result.points]
    plain = [vars(point) for point in points]
    return result.verdict, result.rows, plain, result.notes, result.warnings


@pytest.mark.parametrize(
    ("space", "suppress"),
    sampled(
        [("levels", "0"), ("levels", "1/6"), ("subtrees", "1/6"), ("tuples", "0")],
        2,
        start=1,
    ),
)
def test_points_are_those_of_rows(table: Path, space: str, suppress: str) -> None:
    rules = policy(k="k_anonymity(2)", l="l_diversity(ill, 2)")
    asked: dict[str, Any] = {"k": "2..7", "space": space, "suppress": suppress}
    if space == "tuples":
        pd.DataFrame(drawn(1, 5)).to_csv(table, index=False)
        asked |= {"gap": 0, "budget": 20, "k": "2,4"}
    trees = files(table.parent)
    read = ph.tradeoff(table, rules, trees, engine="pandas", **asked)
    counts = patch.object(counted_input, "counted", side_effect=counted_input.counted)
    with only_counted(), counts as counting:
        counted = ph.tradeoff(table, rules, trees, engine="duckdb", **asked)
    assert told(counted) == told(read)
    assert counting.call_count == 1


def test_releases_of_others_are_verified_where_they_are(table: Path) -> None:
    trees = files(table.parent)
    rule = varied(ph.Policy.from_dict(policy(k="k_anonymity(2)")), {"k": "2,3,4"})
    bad = worse(Fraction(1), Fraction(0))

    def points(costs: Mapping[str, Any], engine: str) -> Any:
        def search(
            own: ph.Policy, seconds: float | None, tell: Any, beside: Any
        ) -> Any:
            value = own.rules["k"].partition("(")[2].strip(" )")
            answer = ph.search(table, own, hierarchies=trees, engine=engine)
            return replace(answer, **costs.get(value, {}))

        whole = TradeoffSearch(rule, search, Deadline(), lambda step: None)
        whole.run()
        return whole.points

    read = points({"2": bad}, "pandas")
    with only_counted():
        found = points({"2": bad}, "duckdb")
    assert found[0].taken == read[0].taken == 3
    assert [found[k].cost for k in range(3)] == [read[k].cost for k in range(3)]
    assert isinstance(found[1].answer.rewriting.rows, GroupedRows)
    assert isinstance(found[1].answer.rewriting.engine, DuckTable)


def test_a_release_that_is_looked_at_leaves_nothing_behind(table: Path) -> None:
    answer = ph.search(table, policy(k="k_anonymity(2)"), engine="duckdb")
    with answer.kept() as path:
        assert ph.verify(path, policy(k="k_anonymity(2)")).verdict == "proved"
        assert path.parent.stat().st_mode & 0o777 == 0o700
    assert not path.parent.exists()
    none = patch("phverify.microdata.release_file.SpillFolder", side_effect=OSError)
    with none, answer.kept() as frame:
        assert len(frame) == 12


def test_the_command_line_counts(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = ["--quasi", "age,zip", "--sensitive", "ill", "--rule", "k_anonymity(2)"]
    said = []
    for engine in ("pandas", "duckdb"):
        asked = ["search", str(table), *rules, "--tradeoff", "k=2,12"]
        assert main([*asked, "--engine", engine, "--json", "-"]) == 0
        points = json.loads(capsys.readouterr().out)["points"]
        said.append([{**point, "seconds": 0} for point in points])
    assert said[0] == said[1]
