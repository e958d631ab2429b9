"""Audits of dashboards: counts, sums and means over one to three public columns, with a
fact about every row protected, or about few.

This is a part of ``audit.py``, which runs it.
"""

from __future__ import annotations

import itertools
import random
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
from harness import Bench

import phverify

DASHBOARDS = (
    (1000, 100, 10.0, 0),
    (10_000, 100, 60.0, 0),
    (100_000, 10, 60.0, 0),
    (1_000_000, 4, 120.0, 0),
    (1_000_000, 100, 60.0, 5),
)
"""Rows, queries, the seconds that are aimed at, and how many people are protected; 0
for all.
"""
SHARES = (0.12, 0.5, 0.05, 0.01)
"""How many are ill; ``--all-shares`` runs each, otherwise the first alone."""
MOST_MEMORY = 4.0
"""Gigabytes that are aimed at."""
COLUMNS = {"region": 10, "sex": 2, "age": 73, "edu": 5, "job": 12}


def dashboards(bench: Bench, folder: Path, shares: Sequence[float]) -> None:
    """Counts, sums and means over one to three public columns; every fact of every row,
    and of few.
    """
    bench.facts["dashboards"] = []
    for rows, queries, target, few in DASHBOARDS:
        for share in shares:
            path = people(folder, rows, share)
            found, wall = shown_to_all(path, rows, queries, few)
            whose = f"{few} people" if few else "all rows"
            said = (
                f"{rows:,} rows, {queries} queries of a dashboard, {share:.0%} ill,"
                f" {whose}: {found}"
            )
            key = f"dashboard.{rows}.{share:g}" + ".few" * bool(few)
            bench.add(key, said, wall, "s", target)
            open_ = found.get("undecided", 0)
            bench.add(f"{key}.open", "  of them left open", open_, "facts", 0)
            bench.facts["dashboards"].append(
                {"rows": rows, "queries": queries, "share": share, "few": few, **found}
            )
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    bench.add("dashboard.memory", "  the most memory", most, "GB", MOST_MEMORY)


def people(folder: Path, rows: int, share: float) -> Path:
    """A DuckDB file with a table t of so many people."""
    path = folder / f"dashboard_{rows}_{share}.duckdb"
    if path.exists():
        # Audits read it, and may still have it open.
        return path
    shown = ", ".join(
        f"(random() * {count})::INTEGER AS {name}" for name, count in COLUMNS.items()
    )
    with duckdb.connect(str(path)) as connection:
        connection.execute("SELECT setseed(0.5)")
        connection.execute(
            f"CREATE OR REPLACE TABLE t AS SELECT i::INTEGER AS id, {shown},"
            f" (random() < {share})::INTEGER AS ill,"
            f" floor(random() * 1001)::INTEGER AS income FROM range({rows}) x(i)"
        )
    return path


def shown_to_all(
    path: Path, rows: int, queries: int, few: int
) -> tuple[dict[str, float], float]:
    """How many facts have each verdict after the last query, with the seconds of this
    process; and the seconds that passed.
    """
    sensitive = {"ill": {"from": 0, "to": 1}, "income": {"from": 0, "to": 1000}}
    policy: dict[str, Any] = {
        "table": "t",
        "key": "id",
        "public": list(COLUMNS),
        "sensitive": sensitive,
        "protect": {name: {"column": name} for name in sensitive},
    }
    if few:
        pick = random.Random(5)
        keys = [str(pick.randrange(rows)) for _ in range(few)]
        for line in policy["protect"].values():
            line["keys"] = keys
    wall, spent = time.perf_counter(), time.process_time()
    report = phverify.audit(path, dashboard(queries), policy, ranges=0)
    spent = time.process_time() - spent
    wall = time.perf_counter() - wall
    counts = dict(report.steps[-1].counts())
    assert sum(counts.values()) == 2 * (few or rows)
    assert set(counts) <= {"safe", "disclosed", "undecided"}, counts
    return {**counts, "cpu": round(spent, 1)}, wall


def dashboard(queries: int) -> list[str]:
    """The log of so many queries."""
    pick = random.Random(2)
    sets = [
        chosen for size in (1, 2, 3) for chosen in itertools.combinations(COLUMNS, size)
    ]
    log = []
    for _ in range(queries):
        names = ", ".join(pick.choice(sets))
        count = f"SELECT {names}, COUNT(*) FROM t WHERE ill = 1 GROUP BY {names}"
        shown = [
            f"SELECT {names}, {item} FROM t GROUP BY {names}"
            for item in ("SUM(income)", "AVG(income), AVG(ill)")
        ]
        log.append(pick.choice([count, *shown]))
    return log
