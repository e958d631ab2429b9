"""How good a release by tuples gets, and how soon: loss and proven bound over time.

    python benchmarks/tuples.py [--quick] [--json FILE] [--rows N] [--long SECONDS]

Needs ``pip install -e '.[bench]'``.  Every release is judged again with pandas: class
sizes and rules, each cell a generalization of the original one by the hierarchy's lines,
the loss added up cell by cell; certificates must be accepted by ``phverify.check``.
Hierarchies hold the values that occur: loss is (leaves - 1) / (occurring values - 1),
averaged over cells.  Beside it, on the same table: Mondrian, strict and relaxed
(``mondrian.py``), and the proved optimum of the full domain.  ``--quick`` takes a
minute; without it the curves of five and ten minutes are made, too, and its plot
(``results/tuples.svg``).

Seconds are those of the search's own clock, which starts once its machine code is
compiled (half a minute, once on a machine).
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import RESULTS as FOLDER
from harness import Bench, parser, save, show
from mondrian import loss as loss_of_groups
from mondrian import mondrian
from questions import Question, Searched, searched

import phverify
from phverify import Policy
from phverify.recoding.grid import grid
from phverify.spec.recoding import tuple_space
from phverify.spec.sides import side

RESULTS = FOLDER / "tuples.json"
TARGETS = {(10, "loss"): 0.033, (60, "loss"): 0.0297, (300, "loss"): 0.0289}
BOUNDS = {5: 0.018, 60: 0.0255, 180: 0.0268, 600: 0.0272}
"""Loss and bound on Adult with k = 5 after so many seconds."""


@dataclass(frozen=True)
class Asked:
    """One question: what it is called, its rule, and how it is asked."""

    said: str
    question: Question
    more: dict[str, Any]


QUESTIONS = [
    Asked("k = 2", Question(2), {}),
    Asked("k = 3", Question(3), {}),
    Asked("k = 10", Question(10), {}),
    Asked("k = 25", Question(25), {}),
    Asked("k = 100", Question(100), {}),
    Asked("k = 5, 3-diversity", Question(5, "l"), {}),
    Asked("k = 5, 0.2-closeness", Question(5, "t"), {}),
    Asked("k = 5, 5% withheld", Question(5), {"suppress": "5%"}),
    Asked("k = 5, ages in ranges", Question(5), {"ranges": ["age"]}),
    Asked("k = 5, no box holds strangers", Question(5), {"disjoint": True}),
]
RULES = {"l": "l_diversity({f}, 3)", "t": "t_closeness({f}, 0.2)", "": ""}


class Tables:
    """A table with hierarchies over the values that occur."""

    def __init__(self, data: Searched, folder: Path) -> None:
        self.data = data
        self.paths: dict[str, dict[str, list[str]]] = {}
        self.files: dict[str, Path] = {}
        for name in (*data.quasi, data.sensitive):
            occurring = set(data.raw[name].astype(str))
            lines = [line for line in data.lines(name) if line[0] in occurring]
            self.paths[name] = {line[0]: line for line in lines}
            self.files[name] = folder / f"occurring_{name}.csv"
            text = "".join(";".join(line) + "\n" for line in lines)
            self.files[name].write_text(text, encoding="utf-8")

    def policy(self, asked: Question, quasi: tuple[str, ...], ranged: bool) -> Policy:
        rules = {"k": f"k_anonymity({asked.k})"}
        if asked.rule:
            rules["more"] = RULES[asked.rule].format(f=self.data.sensitive)
        sensitive = [name for name in (self.data.sensitive,) if name not in quasi]
        used = {*quasi, *sensitive}
        return Policy.from_dict(
            {
                "columns": {
                    "quasi": list(quasi),
                    "sensitive": sensitive,
                    "neutral": [name for name in self.data.raw if name not in used],
                },
                "types": {self.data.ordered: "integer"} if ranged else {},
                "hierarchies": {name: str(self.files[name]) for name in used},
                "rules": rules,
            }
        )

    def loss(self, name: str, cell: str) -> Fraction:
        """What a released cell loses: by its label, or by its range."""
        paths = self.paths[name]
        others = max(len(paths) - 1, 1)
        if cell in paths:
            return Fraction(0)
        below = sum(cell in line for line in paths.values())
        if below:
            return Fraction(below - 1, others)
        low, high = map(int, cell.split("-"))
        inside = sum(low <= int(value) <= high for value in paths)
        return Fraction(inside - 1, others)

    def holds(self, name: str, cell: str, value: str) -> bool:
        if cell in self.paths[name][value]:
            return True
        if "-" not in cell or name != self.data.ordered:
            return False
        low, high = map(int, cell.split("-"))
        return low <= int(value) <= high


def judged(
    tables: Tables, asked: Asked, quasi: tuple[str, ...], raw: pd.DataFrame, found: Any
) -> None:
    """The release by pandas: truthful, within the rules, and its loss as told."""
    release = found.release.astype(str)
    sizes = release.groupby(list(quasi)).size()
    assert int(sizes.min()) >= asked.question.k
    if asked.question.rule == "l":
        kinds = release.groupby(list(quasi))[tables.data.sensitive].nunique()
        assert int(kinds.min()) >= 3
    total = Fraction(0)
    for name in quasi:
        each = Counter(release[name])
        total += sum(count * tables.loss(name, cell) for cell, count in each.items())
        if len(release) == len(raw):
            pairs = set(zip(release[name], raw[name].astype(str), strict=True))
            assert all(tables.holds(name, cell, value) for cell, value in pairs)
    assert total / (len(raw) * len(quasi)) == found.cost
    assert found.bound <= found.cost


def released(
    tables: Tables,
    asked: Asked,
    quasi: tuple[str, ...],
    seconds: float,
    raw: pd.DataFrame | None = None,
) -> Any:
    raw = tables.data.raw if raw is None else raw
    policy = tables.policy(asked.question, quasi, "ranges" in asked.more)
    found = phverify.anonymize(raw, policy=policy, budget=seconds, **asked.more)
    assert found.verdict == "proved", found.reason
    judged(tables, asked, quasi, raw, found)
    return found


def curve(
    bench: Bench, tables: Tables, seconds: float
) -> list[tuple[float, float, float]]:
    """Loss and bound over the time of one search, with its targets."""
    asked = Asked("k = 5", Question(5), {})
    start = time.perf_counter()
    found = released(tables, asked, tables.data.quasi, seconds)
    whole = time.perf_counter() - start
    adult = tables.data.name == "adult"
    target = TARGETS.get((int(seconds), "loss")) if adult else None
    said = f"k = 5, {seconds:g} s"
    bench.add(f"loss-{seconds:g}", f"{said}: loss", float(found.cost), "", None)
    if target is not None:
        bench.add(
            f"loss-{seconds:g}-of",
            f"{said}: loss / {target}",
            float(found.cost) / target,
            "x",
            1,
        )
    for second, least in BOUNDS.items():
        if second <= seconds and adult:
            there = [one.bound for one in found.history if one.seconds <= second + 2]
            value = float(max(there, default=Fraction(0)))
            bench.add(
                f"bound-{seconds:g}-{second}",
                f"{said}: bound after {second} s / {least}",
                value / least,
                "times",
                1,
            )
    bench.add(f"bound-{seconds:g}", f"{said}: bound", float(found.bound), "", None)
    bench.add(f"gap-{seconds:g}", f"{said}: gap", float(found.gap), "", None)
    begun = time.perf_counter()
    certificate = found.certificate
    assert certificate is not None, found.uncertified
    policy = tables.policy(asked.question, tables.data.quasi, False)
    checking = time.perf_counter()
    assert phverify.check(certificate, tables.data.raw, policy).accepted
    checked = time.perf_counter() - checking
    bench.add(
        f"certificate-{seconds:g}", f"{said}: making the certificate", checking - begun
    )
    bench.add(
        f"check-{seconds:g}",
        f"{said}: checking it / searching",
        checked / whole,
        "x",
        1,
    )
    return [
        (one.seconds, float(one.cost or 1), float(one.bound)) for one in found.history
    ]


def beside(bench: Bench, tables: Tables) -> None:
    """What other ways lose on the same table."""
    data = tables.data
    columns = {name: data.raw[name].astype(str).tolist() for name in data.quasi}
    sides = []
    for name in data.quasi:
        paths = {value: tuple(line) for value, line in tables.paths[name].items()}
        sides.append(side(name, tuple(paths), paths))
    weights = {name: Fraction(1) for name in data.quasi}
    space = tuple_space(tuple(sides), columns, weights, "loss")
    arrays = grid(space)
    codes = arrays.codes[np.array(space.row_tuple)].astype(np.int64)
    for relaxed in (False, True):
        kind = "relaxed" if relaxed else "strict"
        start = time.perf_counter()
        groups = mondrian(codes, 5, relaxed)
        seconds = time.perf_counter() - start
        assert min(map(len, groups)) >= 5
        lost = loss_of_groups(codes, groups, arrays.prices)
        bench.add(f"mondrian-{kind}", f"k = 5: loss of Mondrian, {kind}", lost, "")
        bench.add(f"mondrian-{kind}-s", f"k = 5: seconds of Mondrian, {kind}", seconds)
    found = phverify.search(data.raw, tables.policy(Question(5), data.quasi, False))
    assert found.verdict == "optimal" and found.cost is not None
    bench.add(
        "levels", "k = 5: loss of the best full-domain release", float(found.cost), ""
    )


def generated(data: Searched, rows: int) -> pd.DataFrame:
    """A larger table with many more tuples: groups of columns drawn apart."""
    half = len(data.quasi) // 2
    random = np.random.default_rng(1)
    parts = [data.quasi[:half], (*data.quasi[half:], data.sensitive)]
    columns: dict[str, Any] = {}
    for part in parts:
        chosen = random.integers(0, len(data.raw), rows)
        for name in part:
            columns[name] = data.raw[name].to_numpy()[chosen]
    frame = pd.DataFrame(columns)
    others = [name for name in data.raw if name not in frame]
    for name in others:
        frame[name] = data.raw[name].to_numpy()[random.integers(0, len(data.raw), rows)]
    return frame[list(data.raw)]


def large(bench: Bench, tables: Tables, rows: int, seconds: float) -> None:
    raw = generated(tables.data, rows)
    asked = Asked("k = 5", Question(5), {})
    start = time.perf_counter()
    found = released(tables, asked, tables.data.quasi, seconds, raw)
    whole = time.perf_counter() - start
    said = f"{rows:,} rows, {found.tuples:,} tuples"
    bench.add(f"rows-{rows}", f"{said}: seconds in all, {seconds:g} allowed", whole)
    bench.add(f"rows-{rows}-loss", f"{said}: loss", float(found.cost), "")
    bench.add(f"rows-{rows}-bound", f"{said}: bound", float(found.bound), "")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    bench.add(f"rows-{rows}-memory", f"{said}: peak memory so far, GiB", memory, "")


def plot(curves: dict[float, list[tuple[float, float, float]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for seconds, points in curves.items():
        times = [point[0] for point in points]
        axes.step(
            times,
            [point[1] for point in points],
            where="post",
            label=f"loss, budget {seconds:g} s",
        )
    times = [point[0] for point in points]
    axes.step(
        times,
        [point[2] for point in points],
        where="post",
        color="black",
        label="proven lower bound",
    )
    axes.set(
        xlabel="seconds",
        ylabel="loss",
        title="Recoding by tuples: loss and bound over time",
        ylim=(0.02, 0.04),
    )
    axes.set_xscale("log")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path)


def main() -> None:
    options = parser(
        RESULTS, "the curves of a minute and more, other questions, many rows"
    )
    options.add_argument(
        "--long", type=float, default=600.0, help="seconds of the longest curve"
    )
    options.add_argument(
        "--each", type=float, default=60.0, help="seconds for each other question"
    )
    chosen = options.parse_args()
    bench = Bench(1)
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(searched(Path(folder)), Path(folder))
        bench.facts["table"] = tables.data.said
        beside(bench, tables)
        curves = {10.0: curve(bench, tables, 10.0)}
        if not chosen.quick:
            for seconds in sorted({60.0, 300.0, chosen.long}):
                curves[seconds] = curve(bench, tables, seconds)
            bench.facts["curves"] = {f"{s:g}": points for s, points in curves.items()}
            plot(curves, FOLDER / "tuples.svg")
            for asked in QUESTIONS:
                told(bench, tables, asked, tables.data.quasi, chosen.each)
            nine = (*tables.data.quasi, tables.data.sensitive)
            told(
                bench,
                tables,
                Asked("k = 5, 9 quasi-identifiers", Question(5), {}),
                nine,
                chosen.each,
            )
            for rows in (100_000, chosen.rows):
                large(bench, tables, rows, 2 * chosen.each)
    show(bench, "tuples.py")
    if chosen.json or not chosen.quick:
        save(bench, chosen.json or RESULTS)


def told(
    bench: Bench, tables: Tables, asked: Asked, quasi: tuple[str, ...], seconds: float
) -> None:
    found = released(tables, asked, quasi, seconds)
    said = f"{asked.said}, {seconds:g} s"
    bench.add(f"{asked.said}-loss", f"{said}: loss", float(found.cost), "")
    bench.add(f"{asked.said}-bound", f"{said}: bound", float(found.bound), "")


if __name__ == "__main__":
    main()
