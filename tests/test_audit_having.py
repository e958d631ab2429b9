"""FILTER, COUNT(DISTINCT ..) and HAVING by hand; statements that say nothing; dates
that Python has not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.made_once import duckdb_file

from phverify.constraints import terms as t
from phverify.disclosure.connectives import (
    AllOf,
    AnyOf,
    Negation,
    Proposition,
)
from phverify.disclosure.facts.domains import Domain
from phverify.disclosure.log.query import Aggregate, Measured, SqlConstant
from phverify.disclosure.result import AuditReport
from phverify.disclosure.worlds import aggregates, having
from phverify.disclosure.worlds.aggregates import Selected
from phverify.disclosure.worlds.unknowns import Coding
from phverify.errors import InputError
from phverify.verbs.audit import audit

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")

ROWS = "(1, 'x', 1, 'a'), (2, 'x', 2, 'b'), (3, 'y', 0, 'a'), (4, 'y', NULL, 'c')"
POLICY: dict[str, Any] = {
    "table": "t",
    "key": "id",
    "public": ["g"],
    "sensitive": {
        "s": {"from": 0, "to": 3, "null": True},
        "u": {"values": ["a", "b", "c"]},
    },
    "protect": {"cells": {"column": "s"}, "texts": {"column": "u"}},
}


def audited(folder: Path, *log: str, rows: str = ROWS, **changes: Any) -> AuditReport:
    path = duckdb_file(
        folder / "t.duckdb",
        "CREATE TABLE t (id INTEGER, g VARCHAR, s INTEGER, u VARCHAR)",
        f"INSERT INTO t VALUES {rows}",
    )
    return audit(path, list(log), POLICY | changes, ranges=60)


def left(report: AuditReport, column: str = "s") -> list[str]:
    return [cell.text() for cell in report.steps[-1].remaining if cell.column == column]


ALL, FEW, ZERO = "0, 1, 2, 3 or missing", "0, 1 or missing", ["0 or missing"] * 2


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT SUM(s) FILTER (WHERE id = 1) FROM t", ["1", ALL, ALL, ALL]),
        ("SELECT COUNT(*) FILTER (WHERE s > 1 AND g = 'x') FROM t WHERE id <> 1", [ALL, "2, 3", ALL, ALL]),
        ("SELECT g, MAX(s) FILTER (WHERE id IN (2, 3)) AS m FROM t GROUP BY g ORDER BY m", [ALL, "2", "0", ALL]),
        ("SELECT MIN(s) FILTER (WHERE id = 4) FROM t", [ALL, ALL, ALL, "missing"]),
        ("SELECT g, COUNT(DISTINCT s) FROM t WHERE s > 1 GROUP BY g", [ALL] * 2 + ["0, 1 or missing"] * 2),
        ("SELECT COUNT(DISTINCT s) FROM t WHERE id <= 2 AND s < 2", [ALL] * 4),
        ("SELECT COUNT(DISTINCT g) FROM t WHERE s IS NULL AND id >= 3", [ALL] * 4),
        ("SELECT g FROM t WHERE s >= 1 GROUP BY g HAVING COUNT(*) >= 2", ["1, 2, 3"] * 2 + [ALL] * 2),
        ("SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING n > 5 OR NOT (SUM(s) >= 1)", [ALL] * 2 + ZERO),
        ("SELECT COUNT(*) FROM t HAVING MAX(s) FILTER (WHERE g = 'y') = 0", [ALL] * 2 + ZERO),
        ("SELECT COUNT(*) FROM t WHERE id = 2 HAVING 1 < MAX(s)", [ALL, "2, 3", ALL, ALL]),
        ("SELECT COUNT(*) FROM t WHERE s > 1 HAVING SUM(id) >= 2 AND 2 >= SUM(id)", [FEW, "2, 3", FEW, FEW]),
    ],
)  # fmt: skip
def test_what_is_left_of_each_cell(
    sql: str, expected: list[str], tmp_path: Path
) -> None:
    report = audited(tmp_path, sql)
    assert (report.steps[1].status, report.steps[1].reason) == ("answered", "")
    assert left(report) == expected


VALUES = [-1, 0, 1, None]


@pytest.mark.parametrize(
    "kind", ["COUNT", "COUNT DISTINCT", "COUNT  DISTINCT", "SUM", "AVG", "MIN", "MAX"]
)
def test_a_condition_on_a_group_is_what_the_database_says(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All groups of three cells, each of four values; two blanks: different values are
    counted over the cells.
    """
    monkeypatch.setattr(aggregates, "VALUES", 1 if "  " in kind else 64)
    worlds = list(itertools.product(VALUES, repeat=3))
    item = Aggregate(kind.split()[0].lower(), "s", kind.endswith("DISTINCT"))
    cells = [(t.neg(t.Flag(f"m{k}")), t.Variable(f"c{k}", -1, 1)) for k in range(3)]
    selected = {
        item: Selected(tuple(cells), Coding(Domain(-1, 1, null=True)), item.distinct)
    }
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE every (w INTEGER, s INTEGER)")
        rows = [(w, cell) for w, world in enumerate(worlds) for cell in world]
        connection.executemany("INSERT INTO every VALUES (?, ?)", rows)
        written = f"{item.kind}({'DISTINCT ' * item.distinct}s)"
        for text, condition in conditions(item, written):
            expected = connection.execute(
                f"SELECT w FROM every GROUP BY w HAVING {text} ORDER BY w"
            ).fetchall()
            true, _ = having.having(condition, selected)
            assert [
                (w,)
                for w, world in enumerate(worlds)
                if t.evaluate(true, assigned(world))
            ] == expected, text


def conditions(item: Aggregate, written: str) -> Iterator[tuple[str, Proposition]]:
    """Conditions on an aggregate, as SQL and as they are read."""
    for operator, bound in itertools.product(
        ["=", "!=", "<", "<=", ">", ">="], [-1, 0, 1, 2]
    ):
        one = Measured(item, operator, SqlConstant(bound))
        yield f"{written} {operator} {bound}", one
        yield f"NOT ({written} {operator} {bound})", Negation(one)
        both = (one, Measured(item, "<", SqlConstant(1)))
        yield (
            f"NOT ({written} {operator} {bound} AND {written} < 1)",
            Negation(AllOf(both)),
        )
        yield (
            f"NOT ({written} {operator} {bound} OR {written} < 1)",
            Negation(AnyOf(both)),
        )


def assigned(world: tuple[Any, ...]) -> dict[str, int]:
    missing = {f"m{k}": int(value is None) for k, value in enumerate(world)}
    return missing | {f"c{k}": value or 0 for k, value in enumerate(world)}


@pytest.mark.parametrize("values", [64, 1])
def test_different_values_are_counted_over_domains_and_over_cells(
    values: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three different values, and two among the first two rows."""
    monkeypatch.setattr(aggregates, "VALUES", values)
    log = [
        "SELECT COUNT(DISTINCT u) FROM t WHERE id < 3",
        "SELECT COUNT(DISTINCT u) FROM t WHERE id <> 2",
    ]
    log += [
        "SELECT id, u FROM t WHERE id = 1",
        "SELECT COUNT(*) FROM t WHERE u = 'c' AND id IN (2, 3)",
    ]
    report = audited(tmp_path, *log)
    assert left(report, "u") == ["a", "b", "a, b", "a, b, c"]


def test_too_many_different_values_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aggregates, "VALUES", 2)
    monkeypatch.setattr(aggregates, "CELLS", 3)
    log = [
        "SELECT COUNT(DISTINCT s) FROM t WHERE id < 4",
        "SELECT COUNT(DISTINCT s) FROM t",
    ]
    steps = audited(tmp_path, *log).steps
    assert [step.status for step in steps[1:]] == ["answered", "bounded"]
    assert (
        "up to 2 values, or 3 cells of a group: here there are 4 and 4"
        in steps[2].reason
    )


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT SUM(DISTINCT s) FROM t", "SUM(DISTINCT s) is outside"),
        ("SELECT COUNT(DISTINCT s + 1) FROM t", "outside"),
        ("SELECT SUM(s) FILTER (WHERE s > (SELECT MIN(s) FROM t)) FROM t", "outside"),
        ("SELECT g, COUNT(*) FROM t GROUP BY g HAVING g = 'x'", "outside"),
        ("SELECT COUNT(*) FROM t HAVING MEDIAN(s) > 1", "MEDIAN in HAVING"),
        ("SELECT COUNT(*) FROM t HAVING AVG(s) > 1.5", "compare it with an integer"),
        (
            "SELECT COUNT(*) FROM t HAVING MIN(s) > '1'",
            "MIN in HAVING is not audited beside '1'",
        ),
        ("SELECT COUNT(*) FROM t HAVING COUNT(*) > SUM(s)", "in HAVING is outside"),
        (
            "SELECT COUNT(*) FROM t HAVING COUNT(*) BETWEEN 1 AND 2",
            "in HAVING is outside",
        ),
        (
            "SELECT g, SUM(s) FILTER (WHERE id > 1) FROM t GROUP BY g ORDER BY SUM(s)",
            "ORDER BY something",
        ),
        (
            (
                "SELECT g, COUNT(*) FILTER (WHERE u = 'A') FROM t GROUP BY g ORDER BY"
                " COUNT(*) FILTER (WHERE u = 'a')"
            ),
            "ORDER BY something",
        ),
    ],
)
def test_what_is_not_audited(sql: str, said: str, tmp_path: Path) -> None:
    step = audited(tmp_path, sql).steps[1]
    # What asks of public columns alone is no secret of anybody.
    assert step.status == "silent" or (step.status == "bounded" and said in step.reason)


def test_rows_that_only_a_filter_tells_apart_are_not_exchanged(tmp_path: Path) -> None:
    """No world is made by exchanging the cells of 1 and 2."""
    report = audited(
        tmp_path,
        "SELECT SUM(s) FILTER (WHERE id = 1), SUM(s) FILTER (WHERE id = 2) FROM t",
    )
    assert [finding.verdict for finding in report.steps[1].findings[:4]] == [
        "disclosed"
    ] * 2 + ["safe"] * 2


# statements that say nothing


@pytest.mark.parametrize(
    ("statement", "status", "said"),
    [
        ("BEGIN", "silent", "a transaction by itself says nothing"),
        ("begin  transaction -- as ever", "silent", "a transaction"),
        ("START TRANSACTION", "silent", "a transaction"),
        ("COMMIT", "silent", "a transaction"),
        ("ROLLBACK", "silent", "a transaction"),
        ("SET threads = 4", "silent", "changes no answer"),
        ("SET memory_limit TO '1 GB'", "silent", "changes no answer"),
        (
            "SET default_collation = 'NOCASE'",
            "unsupported",
            "not SET: a setting may change what later queries mean",
        ),
        ("SET threads = (SELECT MAX(s) FROM t)", "unsupported", "not SET"),
        (
            "USE main",
            "unsupported",
            "not USE: it may change which tables later queries are about",
        ),
        ("PRAGMA table_info('t')", "silent", "it shows the schema"),
        ("PRAGMA storage_info('t')", "unsupported", "not PRAGMA: it may show data"),
        ("CHECKPOINT", "silent", "it changes statistics"),
        ("ROLLBACK; DELETE FROM t", "silent", "a transaction"),
    ],
)
def test_statements_without_an_answer(
    statement: str, status: str, said: str, tmp_path: Path
) -> None:
    report = audited(tmp_path, statement, "SELECT COUNT(*) FROM t WHERE s > 0")
    step = report.steps[1]
    assert (step.status, said in step.reason) == (status, True)
    assert report.verdict == (
        "safe" if status == "silent" and ";" not in statement else "unsupported"
    )


# dates


@pytest.mark.parametrize(
    ("kind", "cell"),
    [
        ("DATE", "infinity"),
        ("DATE", "10000-01-01"),
        ("DATE", "0001-01-01 (BC)"),
        ("TIMESTAMP", "-infinity"),
        ("TIME", "24:00:00"),
    ],
)
@pytest.mark.parametrize("outside", [False, True])
def test_a_date_that_python_has_not_is_named(
    kind: str, cell: str, outside: bool, tmp_path: Path
) -> None:
    """The last day of 9999 stands for infinity otherwise, and two groups for one."""
    path = tmp_path / "d.duckdb"
    last = {
        "DATE": "9999-12-31",
        "TIMESTAMP": "9999-12-31 23:59:59.999999",
        "TIME": "23:59:59",
    }[kind]
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE t (id INTEGER, s INTEGER, g {kind})")
        connection.execute(f"CREATE TABLE e (d {kind})")
        connection.execute(f"INSERT INTO t VALUES (1, 2, '{last}'), (2, 1, NULL)")
        name = "e" if outside else "t"
        policy = POLICY | {
            "sensitive": {"s": {"from": 0, "to": 3}},
            "protect": {"c": {"column": "s"}},
            "external": ["e"],
        }
        connection.close()
        assert (
            audit(
                path, ["SELECT g, COUNT(*) FROM t WHERE s > 1 GROUP BY g"], policy
            ).verdict
            == "safe"
        )
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"INSERT INTO {name} VALUES ({'' if outside else '3, 1, '}'{cell}')"
        )
    with pytest.raises(InputError) as error:
        audit(path, [], policy)
    said = (
        f"the column {'d' if outside else 'g'} has a date or time that is not audited:"
        f" '{cell}'"
    )
    assert said in str(error.value) and str(error.value).count("not audited:") == 1
