"""Asserts the answers, then prints how long releases of 10^5 to 5 x 10^7 rows take.

    python benchmarks/scale.py [--quick] [--json FILE] [--rows N] [--runs N]

Census-like releases (eight quasi-identifiers, one confidential column) are generated as
Parquet, and verified against k, l, t, delta and a rule about everyone's secret.  Beside
it, in the same run: DuckDB's own grouped count of the same columns.  Every answer is
asserted against numbers that are computed here from that count.  So are three rules
that all of 10,000 classes break, from Parquet and from memory, and pandas, DuckDB and
Spark on one file, Spark where pyspark and Java are there.  ``--rows`` is the
largest table; ``--quick`` stops at 10^6 rows, and then writes no JSON unless asked.
``--only`` leaves the other parts out, and what the JSON holds of them as it is.
Peak memory is that of a process of its own, as users start it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import expected
import pandas as pd
from harness import RESULTS as FOLDER
from harness import Bench, medians, parser, policy_file, save, show
from microdata import million
from scale_search import searches

import phverify
from phverify.microdata.quotient import quotient
from phverify.microdata.read import read

RESULTS = FOLDER / "scale.json"
SIZES = (100_000, 1_000_000, 10_000_000, 50_000_000)
QUASI = ("age", "sex", "race", "education", "country", "work", "marital", "salary")
SLACK = 0.5
"""Seconds that do not grow with the rows."""
RATIO = 1.3
MEMORY = 1000
"""Megabytes at 10^7 rows."""
REFUTED = 2.0
"""Three refuted rules, to the grouped count."""
ENGINES = ("pandas", "duckdb", "spark")
PARTS = ("sizes", "refuted", "engines")
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


def refuted(bench: Bench, folder: Path) -> None:
    """10^6 rows in 10,000 classes, and three rules that none of it keeps to."""
    frame, quasi = million(1_000_000, 50)
    classes = frame.groupby(list(quasi))["health"]
    k, l = int(classes.size().min()), int(classes.nunique().min())
    bounds = {"k": k + 1, "l": l + 1, "variational": 0.01}
    rules = expected.texts("health", bounds, list(bounds))
    columns = {"quasi": list(quasi), "sensitive": ["health"]}
    policy = phverify.Policy.from_dict({"columns": columns, "rules": rules})
    path = folder / "refuted.parquet"
    frame.to_parquet(path, index=False)
    table, coded = read(frame), frame.astype("category")

    for source, engine in ((path, "duckdb"), (table, "auto")):
        report = phverify.verify(source, policy, engine=engine)
        assert report.classes == classes.ngroups
        worst = {}
        for rule in report.rules:
            assert rule.verdict == "refuted" and rule.witness is not None
            worst[rule.name] = rule.witness.statement
        assert report.rules[0].witness is not None
        assert report.rules[0].witness.rows == k, (worst, k)
    bench.facts["refuted"] = {"classes": classes.ngroups, "rules": rules}

    counted = f"SELECT {', '.join(frame.columns)}, count(*) FROM '{path}' GROUP BY ALL"
    bare, whole, grouped, pandas, decided = medians(
        2 * bench.runs + 1,
        lambda: duckdb.connect().sql(counted).to_arrow_table(),
        lambda: phverify.verify(path, policy, engine="duckdb"),
        lambda: quotient(table.columns, quasi, ("health",), table.rows),
        lambda: coded.groupby(list(frame.columns), observed=True).size(),
        lambda: phverify.verify(table, policy),
    )
    said = f"1,000,000 rows, {classes.ngroups:,} classes"
    bench.add("refuted.bare", f"{said}, Parquet: DuckDB's own grouped count", bare)
    bench.add("refuted.file", "  k, l and t refuted, from the file", whole)
    bench.add("refuted.file_ratio", "  to that count", whole / bare, "x", REFUTED)
    bench.add("refuted.quotient", f"{said}, coded columns: our grouped count", grouped)
    bench.add("refuted.pandas", "  pandas' own grouped count", pandas)
    bench.add("refuted.memory", "  k, l and t refuted, from coded columns", decided)
    ratio = decided / grouped
    bench.add("refuted.memory_ratio", "  to our grouped count", ratio, "x", REFUTED)
    ratio = decided / pandas
    bench.add("refuted.pandas_ratio", "  to pandas' grouped count", ratio, "x", REFUTED)


def without_spark() -> str:
    """Why there is no Spark here; "" where there is."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed"
    return "" if shutil.which("java") else "there is no Java"


def engines(bench: Bench, path: Path, rows: int) -> None:
    """One file, counted by pandas, DuckDB and Spark, whose session is there before."""
    absent = without_spark()
    rules = phverify.Policy.from_dict(policy())
    with ExitStack() as ending:
        more: dict[str, Mapping[str, Any]] = {name: {} for name in ENGINES}
        if not absent:
            from phverify.microdata.spark_session import spark_session

            session = ending.enter_context(spark_session("local[2]"))
            more["spark"] = {"spark": session}
        chosen = [name for name in ENGINES if name != "spark" or not absent]

        def verified(name: str) -> phverify.Report:
            return phverify.verify(path, rules, engine=name, **more[name])

        answers = []
        for name in chosen:
            report = verified(name)
            answers.append([(rule.verdict, rule.witness) for rule in report.rules])
        assert all(answer == answers[0] for answer in answers), answers
        seconds = medians(
            bench.runs, *[lambda name=name: verified(name) for name in chosen]
        )
    bench.facts["engines"] = {"rows": rows, "without spark": absent}
    for name, value in zip(chosen, seconds, strict=True):
        bench.add(f"engines.{name}", f"{rows:,} rows, five rules: {name}", value)


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
            if what == key and size.isdigit():
                points[int(size)] = row["value"]
        axes.plot(list(points), list(points.values()), marker="o", label=label)
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
    axes.set_title("verify, from Parquet, beside DuckDB's own count")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path)


def save_parts(bench: Bench, target: Path, parts: list[str]) -> None:
    """The JSON; what is not measured now stays in it as it is, with its machine."""
    load = round(os.getloadavg()[0], 1)
    for part in parts:
        bench.facts.setdefault(part, {})["load"] = load
    before = {}
    if target.exists() and len(parts) < len(PARTS):
        before = json.loads(target.read_text(encoding="utf-8"))
        measured = {row["key"] for row in bench.rows}
        old = [row for row in before["results"] if row["key"] not in measured]
        bench.rows[:0] = old
        bench.facts = {**before["facts"], **bench.facts}
    save(bench, target)
    if before:
        content = json.loads(target.read_text(encoding="utf-8"))
        content |= {name: before[name] for name in ("run", "versions")}
        target.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """All sizes, the table and the JSON."""
    given = parser(RESULTS, "10^6 rows at most")
    given.add_argument("--only", choices=PARTS, action="append", help="one part alone")
    given.set_defaults(rows=SIZES[-1], runs=3)
    options = given.parse_args()
    parts = options.only or [*PARTS]
    largest = min(options.rows, 1_000_000) if options.quick else options.rows
    bench = Bench(options.runs)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        rules = policy_file(policy(), folder / "policy.toml")
        for rows in SIZES:
            if rows <= largest and "sizes" in parts:
                path = generated(folder, rows)
                measure(bench, path, rows, rules)
                searches(bench, path, rows, QUASI, partial(counts, path))
                path.unlink()
        if "refuted" in parts:
            refuted(bench, folder)
        if "engines" in parts:
            engines(bench, generated(folder, 1_000_000), 1_000_000)
    show(bench, "scale.py")
    if not options.quick or options.json:
        target = options.json or RESULTS
        save_parts(bench, target, parts)
        if "sizes" in parts:
            plot(bench, target.with_suffix(".svg"))


if __name__ == "__main__":
    main()
