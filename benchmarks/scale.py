"""Asserts the answers, then prints how long releases of 10^5 to 5 x 10^7 rows take.

    python benchmarks/scale.py [--quick] [--json FILE] [--rows N] [--runs N]

Census-like releases (eight quasi-identifiers, one confidential column) are generated as
Parquet, and verified against k, l, t, delta and a rule about everyone's secret.  Beside
it, in the same run: DuckDB's own grouped count of the same columns.  Every answer is
asserted against numbers that are computed here from that count.  ``--rows`` is the
largest table; ``--quick`` stops at 10^6 rows, and then writes no JSON unless asked.
Peak memory is that of a process of its own, as users start it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
from harness import RESULTS as FOLDER
from harness import Bench, medians, parser, policy_file, save, show
from scale_search import searches

import phverify

RESULTS = FOLDER / "scale.json"
SIZES = (100_000, 1_000_000, 10_000_000, 50_000_000)
QUASI = ("age", "sex", "race", "education", "country", "work", "marital", "salary")
SLACK = 0.5
"""Seconds that do not grow with the rows."""
RATIO = 1.3
MEMORY = 1000
"""Megabytes at 10^7 rows."""
ROWS = """
COPY (
  SELECT
    10 * floor(9 * pow(random(), 1.3))::INT || '-' AS age,
    CASE WHEN random() < 0.51 THEN 'f' ELSE 'm' END AS sex,
    'race ' || floor(3 * pow(random(), 2))::INT AS race,
    'level ' || floor(4 * random())::INT AS education,
    'region ' || floor(2 * pow(random(), 3))::INT AS country,
    'work ' || floor(3 * random())::INT AS work,
    '*' AS marital,
    CASE WHEN random() < 0.24 THEN '>50K' ELSE '<=50K' END AS salary,
    'illness ' || floor(14 * random())::INT AS illness,
    i AS number
  FROM range({rows}) t(i)
) TO '{path}' (FORMAT parquet)
"""


def generated(folder: Path, rows: int) -> Path:
    """A census-like release as a Parquet file."""
    path = folder / f"release-{rows}.parquet"
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        connection.execute(ROWS.format(rows=rows, path=path))
    return path


def counts(path: Path) -> Any:
    """DuckDB's own grouped count of the columns that the policy is about."""
    columns = ", ".join([*QUASI, "illness"])
    query = f"SELECT {columns}, count(*) AS n FROM '{path}' GROUP BY ALL"
    with duckdb.connect() as connection:
        return connection.sql(query).to_arrow_table()


def policy() -> dict[str, Mapping[str, Any]]:
    """Rules of five kinds."""
    return {
        "columns": {"quasi": list(QUASI), "sensitive": ["illness"]},
        "secrets": {"*": ["illness = 'illness 3'"]},
        "rules": {
            "k": "k_anonymity(10)",
            "l": "l_diversity(illness, 5)",
            "t": "t_closeness(illness, 1/10)",
            "delta": "delta_disclosure(illness, 2)",
            "personal": "logical_safety()",
        },
    }


def wanted(path: Path) -> dict[str, str]:
    """The verdicts on k, l, t and everyone's secret, by exact arithmetic."""
    cells: pd.DataFrame = counts(path).to_pandas()
    classes = cells.groupby(list(QUASI))["n"]
    sizes = classes.sum()
    rows = int(sizes.sum())
    whole = cells.groupby("illness")["n"].sum()

    furthest = Fraction(0)
    for _, group in cells.groupby(list(QUASI)):
        size = int(group["n"].sum())
        own = dict(zip(group["illness"], group["n"].tolist(), strict=True))
        distance = Fraction(0)
        for illness, count in whole.items():
            share = Fraction(own.get(illness, 0), size)
            distance += abs(share - Fraction(int(count), rows)) / 2
        furthest = max(furthest, distance)
    met = {
        "k": int(sizes.min()) >= 10,
        "l": int(classes.count().min()) >= 5,
        "t": furthest <= Fraction(1, 10),
        # A secret is safe where no class holds it alone.
        "personal": int(classes.count().min()) >= 2,
    }
    return {name: "proved" if holds else "refuted" for name, holds in met.items()}


def peak(path: Path, rules: Path) -> float:
    """Megabytes of a process that verifies, at most."""
    command = [sys.executable, "-m", "phverify", "verify", str(path)]
    where = os.environ | {"PYTHONPATH": str(Path(phverify.__file__).parents[1])}
    measured = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", measured, *command, "--policy", str(rules)],
        capture_output=True,
        text=True,
        check=True,
        env=where,
    )
    # Linux counts in kilobytes.
    return int(done.stdout) / 1000


def measure(bench: Bench, path: Path, rows: int, rules: Path) -> None:
    """Time, memory and verdicts of one size."""
    expected = wanted(path)
    report = phverify.verify(path, rules, engine="duckdb")
    assert report.rows == rows
    said = {rule.name: rule.verdict for rule in report.rules}
    assert expected.items() <= said.items(), (expected, said)
    bench.facts[f"{rows:,} rows"] = {"classes": report.classes, "verdicts": said}

    bare, whole = medians(
        bench.runs,
        lambda: counts(path),
        lambda: phverify.verify(path, rules, engine="duckdb"),
    )
    name = f"{rows:,} rows"
    bench.add(f"{rows}.bare", f"{name}: DuckDB's own grouped count", bare)
    bench.add(f"{rows}.verify", f"{name}: five rules", whole, "s", RATIO * bare + SLACK)
    ratio = max(whole - SLACK, 0) / bare
    bench.add(f"{rows}.ratio", f"{name}: without {SLACK} s, to it", ratio, "x", RATIO)
    limit = MEMORY if rows <= 10_000_000 else None
    bench.add(f"{rows}.memory", f"{name}: memory", peak(path, rules), "MB", limit)


def plot(bench: Bench, path: Path) -> None:
    """The growth curve of both."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for key, label in (("verify", "five rules"), ("bare", "grouped count alone")):
        points = {}
        for row in bench.rows:
            size, _, what = row["key"].partition(".")
            if what == key:
                points[int(size)] = row["value"]
        axes.plot(list(points), list(points.values()), marker="o", label=label)
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
    axes.set_title("verify, from Parquet, beside DuckDB's own count")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path)


def main() -> None:
    """All sizes, the table and the JSON."""
    given = parser(RESULTS, "10^6 rows at most")
    given.set_defaults(rows=SIZES[-1], runs=3)
    options = given.parse_args()
    largest = min(options.rows, 1_000_000) if options.quick else options.rows
    bench = Bench(options.runs)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        rules = policy_file(policy(), folder / "policy.toml")
        for rows in SIZES:
            if rows <= largest:
                path = generated(folder, rows)
                measure(bench, path, rows, rules)
                searches(bench, path, rows, QUASI, partial(counts, path))
                path.unlink()
    show(bench, "scale.py")
    if not options.quick or options.json:
        target = options.json or RESULTS
        save(bench, target)
        plot(bench, target.with_suffix(".svg"))


if __name__ == "__main__":
    main()
