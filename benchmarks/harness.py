"""What all benchmarks share: the rows of the printed table, medians, the command line,
the JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import peers
from rich.console import Console
from rich.table import Table

import phverify

RESULTS = Path(__file__).parent / "results"
AT_LEAST = "times"
"""The unit whose targets are lower bounds; those of all others are upper bounds."""
EXIT = {"proved": 0, "refuted": 1, "optimal": 0, "infeasible": 1}


@dataclass
class Bench:
    """The rows of the printed table, and what else goes into the JSON."""

    runs: int
    console: Console = field(
        default_factory=lambda: Console(width=None if sys.stdout.isatty() else 120)
    )
    rows: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def add(
        self,
        key: str,
        said: str,
        value: float,
        unit: str = "s",
        target: float | None = None,
    ) -> None:
        """One measurement.  A target is a lower bound for ``times``, an upper one for
        all other units.
        """
        met = (
            None
            if target is None
            else value >= target
            if unit == AT_LEAST
            else value <= target
        )
        row = {
            "key": key,
            "what": said,
            "value": float(f"{value:.3g}"),
            "unit": unit,
            "target": target,
            "met": met,
        }
        self.rows.append(row)
        self.console.print(f"[dim]{said}: {shown(value, unit)}[/dim]", highlight=False)


def shown(value: float, unit: str) -> str:
    unit = "x" if unit == "times" else unit
    return (
        f"{value:,.3g} {unit}".rstrip()
        if value < 1000
        else f"{value:,.0f} {unit}".rstrip()
    )


def timed(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def medians(runs: int, *actions: Callable[[], float | Any]) -> list[float]:
    """The median time of each action; the actions take turns, so that all see the same
    machine.
    """
    rounds = [[timed(action) for action in actions] for _ in range(runs)]
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def after_reading(
    action: Callable[[Callable[[str], None]], Any],
    since: str = "counting classes",
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, Any]:
    """The seconds from where the columns are coded ("counting classes", or another
    step) to the end, and the result.

    ``action`` takes the ``progress`` that it hands to phverify.
    """
    steps: dict[str, float] = {}

    def told(step: str) -> None:
        steps.setdefault(step, clock())

    result = action(told)
    return clock() - steps[since], result


# The command line


def process(arguments: Sequence[object], verdict: str, folder: Path) -> None:
    """The command line as users run it, of the phverify that is imported here; its exit
    code is the verdict.
    """
    command = [sys.executable, "-m", "phverify", *map(str, arguments)]
    where = os.environ | {"PYTHONPATH": str(Path(phverify.__file__).parents[1])}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=where
    )
    assert done.stdout and done.returncode == EXIT[verdict], (
        done.returncode,
        done.stderr,
    )


def policy_file(policy: Mapping[str, Mapping[str, Any]], path: Path) -> Path:
    """A policy as TOML: its strings and lists are written as JSON writes them."""
    text = ""
    for section, entries in policy.items():
        text += f"[{section}]\n" + "".join(
            f"{json.dumps(k)} = {json.dumps(v)}\n" for k, v in entries.items()
        )
    path.write_text(text, encoding="utf-8")
    return path


def parser(results: Path, quick: str) -> argparse.ArgumentParser:
    """The options that every benchmark has; ``quick`` says what ``--quick`` leaves
    out.
    """
    found = argparse.ArgumentParser(
        description="Assert the answers, then print how long they took."
    )
    found.add_argument("--quick", action="store_true", help=quick)
    found.add_argument(
        "--json",
        type=Path,
        help=f"where the JSON goes (default: results/{results.name})",
    )
    found.add_argument(
        "--rows", type=int, default=1_000_000, help="rows of the large table"
    )
    found.add_argument(
        "--runs", type=int, default=5, help="how often each measurement is repeated"
    )
    return found


# The report


def show(bench: Bench, name: str) -> None:
    table = Table(
        "what",
        "median",
        "target",
        "",
        title=f"phverify: benchmarks/{name}",
        title_justify="left",
    )
    for column in table.columns[1:3]:
        column.justify = "right"
    for row in bench.rows:
        target = row["target"]
        goal = ""
        if target is not None:
            bound = ">=" if row["unit"] == AT_LEAST else "<="
            goal = f"{bound} {shown(target, row['unit'])}"
        mark = {None: "", True: "[green]met[/green]", False: "[red]missed[/red]"}[
            row["met"]
        ]
        table.add_row(row["what"], shown(row["value"], row["unit"]), goal, mark)
    bench.console.print(table)


def save(bench: Bench, path: Path) -> None:
    run: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
    }
    run |= {"load": round(os.getloadavg()[0], 1), "runs": bench.runs}
    content = {"run": run, "versions": peers.versions(), "facts": bench.facts}
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        json.dumps({**content, "results": bench.rows}, indent=2) + "\n",
        encoding="utf-8",
    )
