"""Statements whose values are not in the log: what they are taken for tells at least as
much as they do with any values, by enumeration of all worlds of a small table.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from phverify.verbs.audit import audit

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")
pandas = pytest.importorskip("pandas")

PUBLIC = [("a", "x", 1), ("b", "x", 2), ("c", "y", 1), ("d", "y", 2)]
CELLS = [0, 1, 2]
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["g", "h"],
    "sensitive": {"s": {"values": CELLS}},
    "protect": {"cells": {"column": "s"}},
}
STATEMENTS = [
    "SELECT SUM(s) FROM t WHERE g = $1",
    "SELECT h, SUM(s) AS n FROM t WHERE g = $1 OR h = 2 GROUP BY h ORDER BY n",
    "SELECT COUNT(*) FROM t WHERE g = $1 AND s > 0",
    "SELECT MEDIAN(s) FROM t WHERE h <= $1",
    "SELECT COUNT(DISTINCT s) FROM t WHERE g IN ($1, 'z')",
    "SELECT id, s FROM t WHERE h BETWEEN $1 AND 2 AND g = 'x'",
    "SELECT h, SUM(s) FROM t WHERE g = $1 GROUP BY 1 HAVING SUM(s) > 1 LIMIT 1",
    "SELECT SUM(s) / COUNT(*) FROM t WHERE NOT (g = $1 AND h = 1)",
    "SELECT DISTINCT s FROM t WHERE id = $1 ORDER BY s",
    "SELECT h, SUM(s) FROM t WHERE g = $1 GROUP BY ROLLUP (h) ORDER BY h",
    "SELECT stddev(s) FROM t WHERE g = $1",
]
VALUES = ["'x'", "'a'", "1", "2", "NULL"]
REFUSED = [
    "SELECT COUNT(*) FROM t WHERE s > $1",
    "SELECT COUNT(*) FROM t WHERE g = $1 AND s > $2",
    "SELECT SUM(s) + $1 FROM t",
    "SELECT s AS g, COUNT(*) FROM t WHERE g = $1 GROUP BY s",
    "SELECT SUM(s) FROM t WHERE g = (SELECT MAX(g) FROM t WHERE h = $1)",
    "SELECT SUM(s) FROM t a JOIN t b USING (id) WHERE a.g = $1",
    "SELECT SUM(s) FROM t LIMIT $1",
    "SELECT SUM(s) FROM t WHERE secret($1)",
    "SELECT SUM(s) FROM t WHERE g = @@rowcount",
]


def frame() -> Any:
    rows = [(*row, cell) for row, cell in zip(PUBLIC, (1, 2, 0, 1), strict=True)]
    return pandas.DataFrame(rows, columns=["id", "g", "h", "s"])


def parts_of(text: str) -> tuple[str, list[str]]:
    """The status of a statement, and what it is taken for."""
    from phverify.budget import Deadline
    from phverify.disclosure.log.sources import Unsupported
    from phverify.disclosure.policy_reader import load
    from phverify.disclosure.worlds.opening import open_database
    from phverify.disclosure.worlds.unknowns import read
    from phverify.verbs.auditor import Auditor

    source = open_database(frame(), "t")
    shape = read(source, load({**POLICY}))
    auditor = Auditor(source, shape, [], Deadline(None), 8.0, 0.0)
    try:
        found = auditor.understanding.of(text, 1)
    except Unsupported as error:
        return error.status, []
    return found.status, [part for part, _ in found.asked]


@pytest.fixture(scope="module")
def worlds() -> Any:
    """All worlds, as schemas of one database."""
    with duckdb.connect() as connection:
        names = []
        for cells in itertools.product(CELLS, repeat=len(PUBLIC)):
            name = "w" + "".join(map(str, cells))
            rows = [(*row, cell) for row, cell in zip(PUBLIC, cells, strict=True)]
            connection.execute(f"CREATE SCHEMA {name}")
            values = ", ".join(map(str, rows))
            connection.execute(
                f"CREATE TABLE {name}.t AS FROM (VALUES {values}) AS v(id, g, h, s)"
            )
            names.append(name)
        yield connection, names


@pytest.mark.parametrize("text", STATEMENTS)
def test_any_values_tell_no_more(worlds: Any, text: str) -> None:
    status, parts = parts_of(text)
    assert status == "bounded" and parts
    connection, names = worlds
    told: dict[str, set[str]] = {}
    filled = [text.replace("$1", value) for value in VALUES]
    # of a median few worlds differ
    step = 1 if "MEDIAN" in text else 6
    for name in names[::step]:
        connection.execute(f"USE {name}")
        known = repr([sorted(_answer(connection, part)) for part in parts])
        said = repr([_answer(connection, one) for one in filled])
        told.setdefault(known, set()).add(said)
    assert all(len(said) == 1 for said in told.values())
    # and it does not stand for what tells nothing
    assert len(told) > 1


def _answer(connection: Any, text: str) -> list[str]:
    try:
        return [repr(row) for row in connection.execute(text).fetchall()]
    except duckdb.ConversionException:
        return ["no answer"]


@pytest.mark.parametrize("text", REFUSED)
def test_values_elsewhere_are_refused(text: str) -> None:
    assert parts_of(text) == ("unsupported", [])


def test_what_follows_through_it_is_undecided() -> None:
    log = ["SELECT AVG(s) FROM t WHERE id = ?", "SELECT COUNT(*) FROM t WHERE g = :g"]
    policy = {**POLICY, "dialect": "mysql"}
    report = audit(frame(), log, policy, ranges=0)
    statuses = [step.status for step in report.steps[1:]]
    assert (report.verdict, statuses) == ("undecided", ["bounded", "silent"])
    assert "whatever values were filled in" in report.steps[1].reason
