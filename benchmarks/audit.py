"""Asserts the answers of ``phverify.audit``, then prints how long they took: attacks,
many queries, growth, stages.

    python benchmarks/audit.py [--quick] [--all-shares] [--json FILE] [--rows N] [--runs N]

Needs ``pip install -e '.[bench]'``; ``--quick`` leaves out the tables of growth, and
then writes no JSON unless asked.  What the linear answers determine is asserted against
a row reduction that is written here, every second world is executed again by the audit
itself, and the census block against its published solution.

Seconds are medians of several runs, of one process, with the imports done; where steps
are measured, of one run.  A step is one query: executed, understood, every fact judged,
and what every cell may be, as far as half a second goes. The stages are those of the
cascade: how many verdicts each gave, and how long it took.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
from dashboards import SHARES, dashboards
from harness import RESULTS as FOLDER
from harness import Bench, medians, parser, save, show
from margins import LOG, MarginTable
from rich.table import Table

import phverify
from phverify.budget import Deadline
from phverify.disclosure.histories.read import read_log
from phverify.disclosure.policy_reader import load
from phverify.disclosure.protected import facts
from phverify.disclosure.reconstruct import reconstruction
from phverify.disclosure.result import AuditReport
from phverify.disclosure.worlds.opening import open_database
from phverify.disclosure.worlds.unknowns import read
from phverify.verbs.auditor import Auditor

RESULTS = FOLDER / "audit.json"
CENSUS = Path(str(files("phverify.examples").joinpath("census")))
SOLUTION = [
    (8, "female", "black", "single"),
    (18, "male", "white", "single"),
    (24, "female", "white", "single"),
    (30, "male", "white", "married"),
    (36, "female", "black", "married"),
    (66, "female", "black", "married"),
    (84, "male", "black", "married"),
]
PRIME = (1 << 61) - 1
BUDGET = 20.0
"""Seconds for one audit of the tables of growth."""
Log = list[str]


class Data:
    """A generated table in a DuckDB file: id, age, region, and a sensitive column
    ``v``; seed 1.
    """

    def __init__(self, folder: Path, rows: int, high: int = 1000) -> None:
        pick = random.Random(f"{rows} {high}")
        self.rows = [
            (k, pick.randint(18, 90), pick.randint(0, 7), pick.randint(0, high))
            for k in range(rows)
        ]
        self.path, self.high = folder / f"data_{rows}_{high}.duckdb", high
        if not self.path.exists():
            with duckdb.connect(str(self.path)) as connection:
                connection.execute(
                    "CREATE TABLE t (id INTEGER, age INTEGER, region INTEGER, v"
                    " INTEGER)"
                )
                columns = [list(column) for column in zip(*self.rows, strict=True)]
                connection.execute(
                    "INSERT INTO t SELECT UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?)",
                    columns,
                )

    def policy(self, protect: Mapping[str, Any] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {"table": "t", "key": "id", "public": ["age", "region"]}
        found["sensitive"] = {"v": {"from": 0, "to": self.high}}
        return found | {"protect": protect or {"cells": {"column": "v"}}}

    def audit(self, log: Log, **more: Any) -> AuditReport:
        return phverify.audit(self.path, log, self.policy(), **more)


def disclosed(report: AuditReport) -> dict[str, tuple[int, ...]]:
    """The rows whose cell is disclosed, with the queries."""
    return {
        f.fact.key: f.core
        for f in report.steps[-1].findings
        if f.verdict == "disclosed"
    }


def verdicts(report: AuditReport) -> dict[str, int]:
    found = [f.verdict for f in report.steps[-1].findings]
    return {name: found.count(name) for name in dict.fromkeys(found)}


def determined(selections: Sequence[Sequence[int]], rows: int) -> set[int]:
    """The cells that sums over these rows determine: unit vectors in their row space,
    modulo a large prime.
    """
    matrix = [dict.fromkeys(chosen, 1) for chosen in selections]
    pivots: dict[int, dict[int, int]] = {}
    for row in matrix:
        for column, pivot in pivots.items():
            if factor := row.get(column, 0):
                row = _minus(row, pivot, factor)
        if row:
            lead = min(row)
            row = _minus({}, row, -pow(row[lead], -1, PRIME))
            for column, pivot in pivots.items():
                if factor := pivot.get(lead, 0):
                    pivots[column] = _minus(pivot, row, factor)
            pivots[lead] = row
    return {column for column, pivot in pivots.items() if len(pivot) == 1}


def _minus(
    row: Mapping[int, int], other: Mapping[int, int], factor: int
) -> dict[int, int]:
    found = dict(row)
    for column, value in other.items():
        found[column] = (found.get(column, 0) - factor * value) % PRIME
    return {column: value for column, value in found.items() if value}


# The worked examples


def census(bench: Bench) -> None:
    """Seven statistics, one solution: the answers learned and the uniqueness proved;
    which are enough; all of it.
    """
    given = [CENSUS / name for name in ("people.csv", "queries.sql", "audit.toml")]
    plain = {"table": "people", "key": "person", "sensitive": _census_domains()}
    nothing = plain | {"protect": {"one": {"column": "age", "keys": ["1"]}}}

    def once() -> None:
        auditor = _learned(given[0], given[1], nothing)
        asked, seen = auditor.judge.asked, auditor.classes
        assert reconstruction(auditor.frame, asked, seen, "age", Deadline(60.0)) == (
            "determined",
            None,
        )

    def core() -> None:
        found = phverify.audit(
            given[0], given[1], nothing, ranges=0, reconstruct=True
        ).reconstruction
        assert (
            found is not None
            and found.status == "determined"
            and list(found.rows) == SOLUTION
        ), found
        assert found.minimal and found.core == (1, 2, 4, 6, 7), found

    def every() -> None:
        report = phverify.audit(*given, reconstruct=True)
        assert report.verdict == "disclosed" and verdicts(report) == {"safe": 7}
        assert report.reconstruction is not None and report.reconstruction.minimal

    unique, enough, whole = medians(bench.runs, once, core, every)
    said = (
        "census block, 7 statistics: learned, and the only solution proved by two"
        " solvers"
    )
    bench.add("census.unique", said, unique, "s", 0.5)
    bench.add(
        "census.core",
        "  the same with which of the queries are enough (eight questions)",
        enough,
    )
    bench.add(
        "census.whole",
        "  and the age of each row judged with its range, after each query",
        whole,
    )


def _learned(database: Path, log: Path | Log, policy: Mapping[str, Any]) -> Auditor:
    """An audit after all answers, with no fact judged."""
    settings = load(policy)
    source = open_database(database, settings.table)
    frame = read(source, settings)
    auditor = Auditor(source, frame, facts(settings, frame), Deadline(), 8.0, 0.0)
    for statement in read_log(log).statements:
        auditor.learned(statement)
    return auditor


def _census_domains() -> dict[str, Any]:
    pairs = {
        "sex": ["female", "male"],
        "race": ["black", "white"],
        "marital_status": ["married", "single"],
    }
    return {"age": {"from": 0, "to": 125}} | {
        name: {"values": values} for name, values in pairs.items()
    }


def differencing(bench: Bench, folder: Path, rows: int) -> None:
    """Two sums that differ in one row: its cell, and no other."""
    data = Data(folder, rows)
    log = ["SELECT SUM(v) FROM t", "SELECT SUM(v) FROM t WHERE id <> 17"]
    reports: list[AuditReport] = []
    seconds = medians(bench.runs, lambda: reports.append(data.audit(log)))[0]
    for report in reports:
        assert disclosed(report) == {"17": (1, 2)} and verdicts(report) == {
            "safe": rows - 1,
            "disclosed": 1,
        }
    bench.add(
        "differencing",
        f"differencing attack, {rows:,} rows, every cell judged",
        seconds,
        "s",
        1.0,
    )
    bench.facts["differencing"] = stages(reports[-1])


# Many queries


def public(data: Data, queries: int) -> tuple[Log, list[list[int]]]:
    """Sums over public predicates, and the rows of each."""
    pick, log, chosen = random.Random(2), [], []
    for _ in range(queries):
        low, region = pick.randint(18, 80), pick.randint(0, 7)
        high = low + pick.randint(0, 30)
        log.append(
            f"SELECT SUM(v) FROM t WHERE age BETWEEN {low} AND {high} AND region <>"
            f" {region}"
        )
        chosen.append(
            [
                k
                for k, age, place, _ in data.rows
                if low <= age <= high and place != region
            ]
        )
    return log, [rows for rows in chosen if rows]


def sensitive(queries: int) -> Log:
    """Counts and sums whose WHERE is about the sensitive column."""
    pick, log = random.Random(3), []
    for k in range(queries):
        low, age = pick.randint(0, 800), pick.randint(18, 60)
        shown = ("COUNT(*)", "SUM(v)", "COUNT(*)", "MAX(v)")[k % 4]
        log.append(
            f"SELECT {shown} FROM t WHERE v >= {low} AND v < {low + 200} AND age >="
            f" {age}"
        )
    return log


def subsets(data: Data, queries: int) -> Log:
    """Sums over random halves of the rows."""
    pick = random.Random(4)
    halves = [
        sorted(pick.sample(range(len(data.rows)), len(data.rows) // 2))
        for _ in range(queries)
    ]
    return [
        f"SELECT SUM(v) FROM t WHERE id IN ({', '.join(map(str, half))})"
        for half in halves
    ]


def many_queries(bench: Bench, folder: Path) -> None:
    data = Data(folder, 500)
    log, chosen = public(data, 100)

    def check(report: AuditReport) -> None:
        found = {int(key) for key in disclosed(report)}
        assert found >= determined(chosen, 500) and set(verdicts(report)) <= {
            "safe",
            "disclosed",
        }, verdicts(report)

    _steps(
        bench,
        data,
        log,
        "public",
        "500 rows, 100 sums over public predicates",
        1.0,
        check,
    )


def unknown_where(bench: Bench, folder: Path) -> None:
    for rows, target in ((100, 1.0), (500, 10.0)):
        data = Data(folder, rows)
        said = f"{rows} rows, 8 queries whose WHERE is about the sensitive column"
        _steps(
            bench,
            data,
            sensitive(8),
            f"sensitive.{rows}",
            said,
            target,
            _decided if rows == 100 else _any,
        )


def zero_one(bench: Bench, folder: Path) -> None:
    """The attack of Dinur and Nissim: sums over random halves of a 0/1 column.

    About the query from which on they determine the column, whether they do is a market
    split problem, the hardest that there are for their size: with a second for a step's
    questions some of those steps are undecided.  From then on all solutions of the
    answers can be enumerated, which is a proof.
    """
    data = Data(folder, 80, 1)
    log, reports = subsets(data, 30), []
    seconds = medians(
        min(bench.runs, 3), lambda: reports.append(data.audit(log, each=1.0))
    )[0]
    for report in reports:
        assert len(report.steps) == 31
        _any(report)
    for steps in zip(*(report.steps for report in reports), strict=True):
        for found in zip(*(step.findings for step in steps), strict=True):
            assert len({one.verdict for one in found} - {"undecided"}) <= 1, found[
                0
            ].fact.text()
    open_ = sum(
        any(f.verdict == "undecided" for f in step.findings)
        for step in reports[-1].steps
    )
    said = (
        "80 rows of a 0/1 column, 30 random sums, 1 s for a step's questions:"
        f" {_said(reports[-1])}, {open_} steps open"
    )
    bench.add("zero_one", said, seconds, "s", 5.0)

    def once() -> None:
        auditor = _learned(data.path, log, data.policy())
        assert {one.verdict for one in auditor.judge.decide_all(auditor.facts)} == {
            "disclosed"
        }

    said = (
        "  only after the last one, all 80 disclosed (half of 8 s goes into a smaller"
        " core)"
    )
    bench.add("zero_one.last", said, medians(min(bench.runs, 3), once)[0])
    bench.facts["zero_one"] = stages(reports[-1])


def _decided(report: AuditReport) -> None:
    assert set(verdicts(report)) <= {"safe", "disclosed"}, verdicts(report)


def _any(report: AuditReport) -> None:
    assert set(verdicts(report)) <= {"safe", "disclosed", "undecided"}, verdicts(report)


def _steps(
    bench: Bench,
    data: Data,
    log: Log,
    key: str,
    said: str,
    target: float,
    check: Callable[[AuditReport], None],
) -> None:
    """The slowest step has the target; one run, as all its steps are measured."""
    start = time.perf_counter()
    report = data.audit(log)
    whole = time.perf_counter() - start
    check(report)
    seconds = [step.seconds for step in report.steps[1:]]
    bench.add(
        f"{key}.step",
        f"{said}: the slowest step ({_said(report)})",
        max(seconds),
        "s",
        target,
    )
    bench.add(f"{key}.median", "  the median step", statistics.median(seconds))
    bench.add(f"{key}.whole", "  all steps", whole)
    bench.facts[key] = stages(report)


def _said(report: AuditReport) -> str:
    return ", ".join(f"{count} {name}" for name, count in verdicts(report).items())


# Tables of sums with suppressed cells


MARGINS = ((6, 1.0), (10, 1.0), (20, 3.0), (40, 10.0))
"""Rows and columns, and the seconds that are aimed at."""


def margins(bench: Bench) -> None:
    """The interval of each suppressed cell, asserted against flows in integers."""
    for size, target in MARGINS:
        table = MarginTable.random(size)
        frame, policy = table.frame(), table.policy()
        began = time.perf_counter()
        report = phverify.audit(frame, LOG, policy, ranges=60.0)
        wall = time.perf_counter() - began
        found = [(one.key, one.low, one.high) for one in report.steps[-1].remaining]
        assert found == list(table.intervals())
        assert all(one.tight for one in report.steps[-1].remaining)
        said = (
            f"{size} x {size} cells with their margins, {len(found)} suppressed: the"
            f" exact interval of each after each of {len(LOG)} queries"
        )
        bench.add(f"margins.{size}", said, wall, "s", target)


# The cascade, and growth


def stages(report: AuditReport) -> list[dict[str, Any]]:
    """The share of each stage."""
    return [
        {"stage": s.stage, "verdicts": s.verdicts, "seconds": float(f"{s.seconds:.3g}")}
        for s in report.stages
    ]


def growth(bench: Bench, folder: Path) -> None:
    """Seconds as rows and queries grow."""
    found: list[dict[str, Any]] = []
    for rows in (100, 500, 2000, 5000):
        found.append(
            _grown(
                bench,
                "public, rows",
                Data(folder, rows),
                public(Data(folder, rows), 20)[0],
            )
        )
    data = Data(folder, 500)
    for queries in (10, 30, 100):
        found.append(_grown(bench, "public, queries", data, public(data, queries)[0]))
    for rows in (25, 50, 100, 200):
        found.append(_grown(bench, "sensitive, rows", Data(folder, rows), sensitive(4)))
    data = Data(folder, 50)
    for queries in (2, 4, 8):
        found.append(_grown(bench, "sensitive, queries", data, sensitive(queries)))
    for rows in (20, 40, 60):
        found.append(
            _grown(
                bench,
                "0/1, rows",
                Data(folder, rows, 1),
                subsets(Data(folder, rows, 1), rows // 3),
            )
        )
    bench.facts["growth"] = found


def _grown(bench: Bench, grows: str, data: Data, log: Log) -> dict[str, Any]:
    start = time.perf_counter()
    report = data.audit(log, budget=BUDGET)
    seconds = time.perf_counter() - start
    said = {"grows": grows, "rows": len(data.rows), "queries": len(log)}
    said |= {
        name: verdicts(report).get(name, 0)
        for name in ("disclosed", "safe", "undecided")
    }
    slowest = max(step.seconds for step in report.steps)
    said |= {
        "seconds": float(f"{seconds:.3g}"),
        "slowest step": float(f"{slowest:.3g}"),
    }
    bench.console.print(
        f"[dim]{' '.join(f'{k}={v}' for k, v in said.items())}[/dim]", highlight=False
    )
    return said


def show_growth(bench: Bench) -> None:
    found = bench.facts["growth"]
    table = Table(
        *found[0],
        title=f"growth: every cell judged at every step, at most {BUDGET:.0f} s",
        title_justify="left",
    )
    for before, row in zip([found[0], *found], found, strict=False):
        if before["grows"] != row["grows"]:
            table.add_section()
        table.add_row(
            *(
                f"{value:,}" if isinstance(value, int) else str(value)
                for value in row.values()
            )
        )
    bench.console.print(table)


def show_stages(bench: Bench) -> None:
    table = Table(
        "audit",
        "stage",
        "verdicts",
        "seconds",
        title="the stages of the cascade",
        title_justify="left",
    )
    for name in (
        "differencing",
        "public",
        "sensitive.100",
        "sensitive.500",
        "zero_one",
    ):
        table.add_section()
        for k, share in enumerate(bench.facts[name]):
            table.add_row(
                "" if k else name,
                share["stage"],
                f"{share['verdicts']:,}",
                str(share["seconds"]),
            )
    bench.console.print(table)


def main() -> None:
    options = parser(RESULTS, "without the tables of growth")
    options.set_defaults(rows=5000)
    options.add_argument("--all-shares", action="store_true", help="rare and common")
    chosen = options.parse_args()
    bench = Bench(chosen.runs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        census(bench)
        differencing(bench, folder, chosen.rows)
        many_queries(bench, folder)
        unknown_where(bench, folder)
        zero_one(bench, folder)
        margins(bench)
        if not chosen.quick:
            dashboards(bench, folder, SHARES if chosen.all_shares else SHARES[:1])
            growth(bench, folder)
    show(bench, "audit.py")
    show_stages(bench)
    if not chosen.quick:
        show_growth(bench)
    target = chosen.json or (None if chosen.quick else RESULTS)
    if target:
        save(bench, target)


if __name__ == "__main__":
    main()
