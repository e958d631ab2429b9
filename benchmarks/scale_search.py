"""Searches of large tables: part of ``scale.py``.

The levels search starts from a grouped count, so it may take what DuckDB's own count
takes, 1.3 times, and what the same search takes from a count that is in memory.  Its
answer is asserted: all level vectors are tried here, cheapest first.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pandas as pd
from harness import Bench, medians, policy_file

import phverify
from phverify.policy.model import examine
from phverify.verbs import counted_input as reading
from phverify.verbs.counted_input import counted_input

RATIO = 1.3
MEMORY = 1000
"""Megabytes."""
SEARCHED = (1_000_000, 10_000_000)
TREES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "age": {
        "young": ["0-", "10-", "20-"],
        "middle": ["30-", "40-", "50-"],
        "old": ["60-", "70-", "80-"],
    },
    "education": {"low": ["level 0", "level 1"], "high": ["level 2", "level 3"]},
}
VALUES = 5
"""Illnesses in each class."""
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def least_records(rows: int) -> int:
    """The k that is asked of a table of so many rows."""
    return rows // 2000


def searched_policy(quasi: Sequence[str], rows: int) -> dict[str, Mapping[str, Any]]:
    """Hierarchies of two columns; the others are kept, or suppressed."""
    return {
        "columns": {
            "quasi": list(quasi),
            "sensitive": ["illness"],
            "neutral": ["number"],
        },
        "rules": {
            "k": f"k_anonymity({least_records(rows)})",
            "l": f"l_diversity(illness, {VALUES})",
        },
    }


def written_policy(quasi: Sequence[str], rows: int, path: Path) -> Path:
    """The policy as a file, with its hierarchies."""
    policy_file(searched_policy(quasi, rows), path)
    text = "[hierarchies]\n"
    for name, groups in TREES.items():
        listed = ", ".join(f"{group} = {list(own)}" for group, own in groups.items())
        text += f"{name} = {{groups = [{{{listed}}}]}}\n".replace("'", '"')
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    return path


def levels_of(name: str, values: Sequence[str]) -> list[dict[str, str]]:
    """What becomes of the values of a column, level by level."""
    kept = {value: value for value in values}
    levels = [kept]
    if name in TREES:
        groups = TREES[name].items()
        levels.append({value: group for group, own in groups for value in own})
    if len(values) > 1:
        levels.append(dict.fromkeys(values, "*"))
    return levels


def loss(cells: Mapping[str, int], images: Mapping[str, str]) -> Fraction:
    """The mean over records of (values of the cell - 1) / (values - 1)."""
    sizes = pd.Series(images).value_counts()
    total = Fraction(0)
    for value, count in cells.items():
        total += count * Fraction(
            int(sizes[images[value]]) - 1, max(len(images) - 1, 1)
        )
    return total / sum(cells.values())


def least(counts: pd.DataFrame, quasi: Sequence[str], k: int) -> Fraction:
    """The least cost of a level vector that satisfies the rules: all are tried."""
    choices = []
    for name in quasi:
        cells = counts.groupby(name)["n"].sum().to_dict()
        images = levels_of(name, list(cells))
        choices.append([(loss(cells, one) / len(quasi), one) for one in images])
    vectors = sorted(product(*choices), key=lambda one: sum(cost for cost, _ in one))
    for vector in vectors:
        released = counts.copy()
        for name, (_, shown) in zip(quasi, vector, strict=True):
            released[name] = released[name].map(shown)
        classes = released.groupby(list(quasi))
        enough = classes["n"].sum().min() >= k
        if enough and classes["illness"].nunique().min() >= VALUES:
            return sum((cost for cost, _ in vector), Fraction(0))
    raise AssertionError("no level vector satisfies the rules")


def require_release(path: Path, rows: int, quasi: Sequence[str]) -> None:
    """The written file has all rows in their order, in classes as they were asked."""
    listed = ", ".join(quasi)
    with duckdb.connect() as connection:
        classes = connection.sql(
            f"SELECT count(*), count(DISTINCT illness) FROM '{path}' GROUP BY {listed}"
        ).fetchall()
        order = connection.sql(
            "SELECT count(*) FROM (SELECT number, file_row_number AS place"
            f" FROM read_parquet('{path}', file_row_number = true))"
            " WHERE number = place"
        ).fetchall()
    assert order == [(rows,)]
    assert min(size for size, _ in classes) >= least_records(rows)
    assert min(values for _, values in classes) >= VALUES


def peak_of(*arguments: str) -> float:
    """Megabytes of a command, at most."""
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "phverify"]
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, check=True
    )
    # Linux counts in kilobytes.
    return int(done.stdout) / 1000


def searches(
    bench: Bench, path: Path, rows: int, quasi: Sequence[str], counts: Callable[[], Any]
) -> None:
    """The levels search of a table; at 10^7 rows what it takes of memory."""
    if rows not in SEARCHED:
        return
    folder = path.parent
    rules = written_policy(quasi, rows, folder / "searched.toml")
    found = phverify.search(path, rules, engine="duckdb")
    assert found.verdict == "optimal"
    assert found.cost == least(counts().to_pandas(), quasi, least_records(rows))
    target = folder / "released.parquet"
    found.write(target)
    require_release(target, rows, quasi)

    policy, _ = examine(rules)
    table = counted_input(path, policy, "duckdb")
    assert table is not None

    def from_memory() -> None:
        with patch.object(reading, "counted_input", lambda *_: table):
            phverify.search(path, rules, engine="duckdb")

    bare, memory, whole, writing = medians(
        bench.runs,
        counts,
        from_memory,
        lambda: phverify.search(path, rules, engine="duckdb"),
        lambda: found.write(target),
    )
    name = f"{rows:,} rows"
    limit = RATIO * bare + memory
    bench.add(f"{rows}.search", f"{name}: levels search", whole, "s", limit)
    bench.add(f"{rows}.search.memory", f"{name}: from a count in memory", memory)
    ratio = (whole - memory) / bare
    said = f"{name}: levels search without that, to DuckDB's own count"
    bench.add(f"{rows}.search.ratio", said, ratio, "x", RATIO)
    bench.add(f"{rows}.write", f"{name}: the release, as Parquet", writing)
    if rows == SEARCHED[-1]:
        for line in _memory(path, rules, target):
            bench.add(f"{rows}.{line[0]}", f"{name}: {line[1]}", line[2], "MB", MEMORY)


def _memory(path: Path, rules: Path, target: Path) -> Iterator[tuple[str, str, float]]:
    """What searches take of memory, with their release."""
    common = ["search", str(path), "--policy", str(rules), "--output", str(target)]
    taken = peak_of(*common)
    yield "search.peak", "memory of a levels search and its release", taken
    taken = peak_of(*common, "--space", "tuples", "--budget", "10")
    yield "tuples.peak", "memory of a tuples search and its release", taken
