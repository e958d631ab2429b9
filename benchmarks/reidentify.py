"""Asserts the answers, then prints how long they took: candidate sets, all attacker
subsets, Definition 14, growth.

    python benchmarks/reidentify.py [--quick] [--json FILE] [--rows N] [--runs N]

Needs ``pip install -e '.[bench]'``; ``--quick`` leaves out the hard maskings of 100,000
records and the table of growth, and then writes no JSON unless asked.  Every answer is
asserted against numbers that pandas counts, or against proofs that are checked in
fractions by functions that share nothing with the search.  Seconds are medians of
several runs; ratios are within one run.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from harness import RESULTS as FOLDER
from harness import Bench, medians, parser, save, show
from microdata import microdata
from questions import Searched, searched
from rich.table import Table as Printed

from phverify import Policy
from phverify.linkage.belief.pignistic_compatible import (
    Farkas,
    Plan,
    check_farkas,
    check_plan,
    sound,
)
from phverify.linkage.candidates.attackers import curve
from phverify.linkage.candidates.pairs import linkage_of
from phverify.linkage.candidates.sets import Candidates, Linkage
from phverify.linkage.risk.assess import RiskReport, assess
from phverify.linkage.risk.outcomes import Outcomes, outcomes_of
from phverify.linkage.risk.uniques import uniques
from phverify.microdata.quotient import quotient
from phverify.microdata.read import read
from phverify.microdata.table import CodedTable

RESULTS = FOLDER / "reidentify.json"
THRESHOLDS = tuple(Fraction(text) for text in ("0.05", "0.09", "0.2"))
MANY = 100_000
LOOKED_AT = 40
"""Records of the large tables whose candidates pandas counts, too."""

Frame: TypeAlias = pd.DataFrame


# What is measured


def risk_policy(data: Searched) -> Policy:
    hierarchies = {name: str(data.hierarchies[name]) for name in data.quasi}
    columns = {"quasi": list(data.quasi), "sensitive": [data.sensitive]}
    return Policy.from_dict(
        {
            "columns": columns,
            "hierarchies": hierarchies,
            "rules": {"k": "k_anonymity(5)"},
        }
    )


def whole(original: CodedTable, release: CodedTable, policy: Policy) -> RiskReport:
    """The report on one attacker who knows all quasi-identifiers, from tables that have
    been read.
    """
    return assess(original, release, policy, subsets=False)


def linked(linkage: Linkage, attributes: Sequence[str]) -> Outcomes:
    """Candidate sets and pignistic maxima of all records."""
    return outcomes_of(Candidates(linkage, tuple(attributes)))[0]


def counted(original: CodedTable, release: CodedTable, quasi: Sequence[str]) -> None:
    """One grouped count of both files."""
    for table in (original, release):
        quotient(table.columns, quasi, (), table.rows)


def expect(found: Outcomes, release: Frame, attributes: Sequence[str]) -> None:
    """A release that generalizes whole columns: a record's candidates are as many as
    its class has records.
    """
    sizes = (
        release.groupby(list(attributes)).size()
        if attributes
        else pd.Series([len(release)])
    )
    assert found.expected == len(sizes) and found.smallest == sizes.min()
    for bound in THRESHOLDS:
        assert found.share(bound).records == sum(
            k for k in sizes.tolist() if Fraction(1, k) >= bound
        )


# The report, and all subsets


def report(bench: Bench, data: Searched, general: Frame) -> None:
    original, release, policy = read(data.raw), read(general), risk_policy(data)
    found = whole(original, release, policy).attackers[0].outcomes
    expect(found, general, data.quasi)
    bench.facts["report"] = {
        "expected": str(found.expected),
        "smallest": found.smallest,
        "records": found.records,
    }
    linkage, coded = (
        linkage_of(original, release, policy),
        [f.astype("category") for f in (data.raw, general)],
    )
    everything, sets, ours, theirs = medians(
        bench.runs * 3,
        lambda: whole(original, release, policy),
        lambda: linked(linkage, data.quasi),
        lambda: counted(original, release, data.quasi),
        lambda: [
            frame.groupby(list(data.quasi), observed=True).size() for frame in coded
        ],
    )
    many = (
        f"{data.name}, {len(general):,} x {len(data.raw):,}, {len(data.quasi)}"
        " attributes"
    )
    bench.add(
        "report.whole",
        f"{many}: the report, from coded columns (reads the hierarchies)",
        everything,
    )
    bench.add("report.sets", "  candidate sets and pignistic maxima alone", sets)
    bench.add("report.counted", "  one grouped count of both files: our quotient", ours)
    bench.add("report.pandas", "  the same: pandas groupby.size of categories", theirs)
    bench.add(
        "report.ratio", "  the report / our quotient", everything / ours, "x", 3.0
    )
    bench.add(
        "report.ratio_pandas", "  the report / pandas", everything / theirs, "x", 3.0
    )


def all_subsets(bench: Bench, data: Searched, general: Frame) -> None:
    """Generalized, and unchanged (many classes); each point against pandas."""
    for said, frame in {"generalized": general, "unchanged": data.raw}.items():
        linkage = linkage_of(read(data.raw), read(frame), risk_policy(data))
        found, times = None, []
        for _ in range(min(bench.runs, 3)):
            start = time.perf_counter()
            found = curve(linkage, data.quasi)
            times.append(time.perf_counter() - start)
        assert (
            found is not None
            and len(found.points) == 2 ** len(data.quasi)
            and found.rising
        )
        for point in found.points:
            expect(point.outcomes, frame, point.attributes)
        many = f"all {2 ** len(data.quasi) - 1} attacker subsets of {data.name}, {said}"
        bench.add(f"subsets.{said}", many, statistics.median(times), "s", 10.0)
        bench.facts[f"curve.{said}"] = [float(p.outcomes.rate) for p in found.worst]


def unique_combinations(bench: Bench, data: Searched) -> None:
    """Minimal unique combinations of the original; those of one and two attributes
    against pandas.
    """
    table, raw = read(data.raw), data.raw
    found = uniques(table, data.quasi)
    by = {exposure.attributes: exposure.rows.tolist() for exposure in found.found}
    alone = {name: set(_unique(raw, [name])) for name in data.quasi}
    for name, rows in alone.items():
        assert by.get((name,), []) == sorted(rows)
    for pair in combinations(data.quasi, 2):
        assert by.get(pair, []) == sorted(
            set(_unique(raw, pair)) - alone[pair[0]] - alone[pair[1]]
        )
    assert set(found.exposed.tolist()) == set(_unique(raw, data.quasi))
    seconds = medians(min(bench.runs, 3), lambda: uniques(table, data.quasi))[0]
    subsets = sum(subsets for _, subsets, _ in found.by_size)
    said = (
        f"minimal unique combinations of {data.name}: {subsets} subsets,"
        f" {len(found.exposed):,} people"
    )
    bench.add("uniques", said, seconds)
    bench.facts["uniques"] = found.by_size


def _unique(frame: Frame, names: Sequence[str]) -> list[int]:
    return np.flatnonzero(
        frame.groupby(list(names))[names[0]].transform("size") == 1
    ).tolist()


# A hundred thousand records


def suppressed(frame: Frame, quasi: Sequence[str], share: float) -> Frame:
    """Cells suppressed here and there (seed 1)."""
    rng, result = np.random.default_rng(1), frame.copy()
    for name in quasi:
        result[name] = frame[name].where(rng.random(len(frame)) >= share, "*")
    return result


def overlapping(rows: int) -> tuple[Frame, Frame]:
    """Three numbers below 1,000 and an interval around each, nearly every record with
    its own (seed 1).
    """
    rng = np.random.default_rng(1)
    values = rng.integers(0, 1000, (rows, 3))
    low, high = (
        values - rng.integers(0, 20, (rows, 3)),
        values + rng.integers(0, 20, (rows, 3)),
    )
    names = ["a", "b", "c"]
    shown = {
        n: [f"{a} to {b}" for a, b in zip(low[:, k], high[:, k], strict=True)]
        for k, n in enumerate(names)
    }
    return Frame(values.astype(str), columns=names).astype(object), Frame(shown)


def many_records(bench: Bench, data: Searched, general: Frame, quick: bool) -> None:
    drawn = np.random.default_rng(1).integers(0, len(data.raw), MANY)
    raw, coarse = (
        frame.take(drawn).reset_index(drop=True) for frame in (data.raw, general)
    )
    release = read(coarse)
    _many(
        bench,
        "generalized",
        data,
        raw,
        release,
        lambda found: expect(found, coarse, data.quasi),
    )
    if quick:
        return
    hidden = suppressed(raw, data.quasi, 0.1)
    _many(bench, "a tenth of all cells suppressed", data, raw, read(hidden), None)
    original, intervals = overlapping(MANY)
    policy = Policy.from_dict(
        {"columns": {"quasi": ["a", "b", "c"]}, "rules": {"k": "k_anonymity(2)"}}
    )
    linkage = linkage_of(read(original), read(intervals), policy)
    start = time.perf_counter()
    found = Candidates(linkage, ("a", "b", "c"))
    seconds = time.perf_counter() - start + medians(1, lambda: found.sizes)[0]
    numbers, ends = (
        original.astype(int),
        intervals.map(lambda text: tuple(map(int, text.split(" to ")))),
    )
    for row in range(0, MANY, MANY // LOOKED_AT):
        inside = [numbers[n].between(*ends[n][row]) for n in ("a", "b", "c")]
        assert found.sizes[row] == np.logical_and.reduce(inside).sum()
    distinct = len(intervals.drop_duplicates())
    said = (
        f"{MANY:,} x {MANY:,}, overlapping intervals, {distinct:,} distinct tuples:"
        " candidate sets"
    )
    bench.add("many.intervals", said, seconds)


def _many(
    bench: Bench,
    how: str,
    data: Searched,
    raw: Frame,
    release: CodedTable,
    check: Callable[[Outcomes], None] | None,
) -> None:
    linkage = linkage_of(read(raw), release, risk_policy(data))
    found = Candidates(linkage, tuple(data.quasi))
    if check is None:
        shown = Frame({n: _texts(release, n) for n in data.quasi})
        for row in range(0, MANY, MANY // LOOKED_AT):
            cells = [
                (name, text) for name, text in shown.iloc[row].items() if text != "*"
            ]
            fits = [(raw[name] == text).to_numpy() for name, text in cells]
            assert found.sizes[row] == (
                np.logical_and.reduce(fits).sum() if fits else MANY
            )
    else:
        check(outcomes_of(found)[0])
    seconds = medians(
        1 if check is None else bench.runs, lambda: linked(linkage, data.quasi)
    )[0]
    said = f"{MANY:,} x {MANY:,} of {data.name}, {how}: candidate sets and maxima"
    bench.add(f"many.{how.split()[-1]}", said, seconds)


def _texts(table: CodedTable, name: str) -> list[str | None]:
    column = table.columns[name]
    return [column.labels[code] for code in column.codes.tolist()]


# Definition 14


def truths(n: int, seed: int) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """A truth and a guess that is the pignistic distribution of some compatible belief:
    a plan F is drawn first.

    Row x of F sums to P(x) and is largest at x; the guess is what its columns sum to.
    """
    rng = random.Random(seed)
    rows = [[rng.randint(0, 1000) for _ in range(n)] for _ in range(n)]
    for x, row in enumerate(rows):
        row[x] = max(row) + rng.randint(0, 3000)
    total = sum(map(sum, rows))
    truth = {x: Fraction(sum(row), total) for x, row in enumerate(rows)}
    return truth, {y: Fraction(sum(row[y] for row in rows), total) for y in range(n)}


def untrue(truth: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """A guess that puts most of its shares on the least likely records."""
    ordered = sorted(truth, key=truth.__getitem__)
    skewed = {x: Fraction(1, 1 + k * k) for k, x in enumerate(ordered)}
    total = sum(skewed.values())
    return {x: share / total for x, share in skewed.items()}


def definition_14(bench: Bench, sizes: Sequence[int]) -> None:
    rows = []
    for n in sizes:
        truth, guess = truths(n, n)
        wrong = untrue(truth)
        yes, no = sound(guess, truth), sound(wrong, truth)
        assert isinstance(yes, Plan) and check_plan(yes, guess, truth)
        assert isinstance(no, Farkas) and check_farkas(no, wrong, truth)
        good, bad = medians(
            min(bench.runs, 3),
            lambda g=guess, t=truth: sound(g, t),
            lambda g=wrong, t=truth: sound(g, t),
        )
        rows.append(
            {"parts": n, "sound": float(f"{good:.3g}"), "unsound": float(f"{bad:.3g}")}
        )
        if n == 200:
            said = "Definition 14, 200 distinct parts, exact and re-checked"
            bench.add(
                "definition14.sound", f"{said}: sound, with its plan", good, "s", 5.0
            )
            bench.add(
                "definition14.unsound",
                f"{said}: unsound, with its prices",
                bad,
                "s",
                5.0,
            )
    bench.facts["definition 14"] = rows


# Growth


def growth(bench: Bench, data: Searched, general: Frame, most: int) -> None:
    """From a thousand records to ``most``; all attributes at once, all subsets, unique
    combinations.
    """
    policy, rows = risk_policy(data), []
    for n in (1_000, 10_000, 100_000, most):
        drawn = np.random.default_rng(1).integers(0, len(data.raw), n)
        raw, coarse = (
            frame.take(drawn).reset_index(drop=True) for frame in (data.raw, general)
        )
        original, release = read(raw), read(coarse)
        linkage = linkage_of(original, release, policy)
        expect(linked(linkage, data.quasi), coarse, data.quasi)
        actions: dict[str, Callable[[], Any]] = {
            "report": lambda o=original, r=release: whole(o, r, policy),
            "grouped count": lambda o=original, r=release: counted(o, r, data.quasi),
            "all subsets": lambda k=linkage: curve(k, data.quasi),
            "uniques": lambda o=original: uniques(o, data.quasi),
        }
        seconds = medians(min(bench.runs, 3) if n < most else 1, *actions.values())
        found = {
            name: float(f"{value:.3g}")
            for name, value in zip(actions, seconds, strict=True)
        }
        rows.append({"records": n, **found})
        bench.console.print(f"[dim]{rows[-1]}[/dim]", highlight=False)
    bench.facts["growth"] = rows


def show_growth(bench: Bench) -> None:
    for name in ("growth", "definition 14"):
        rows = bench.facts[name]
        table = Printed(*rows[0], title=f"{name}: seconds", title_justify="left")
        for row in rows:
            table.add_row(*(f"{value:,}" for value in row.values()))
        bench.console.print(table)


def main() -> None:
    chosen = parser(
        RESULTS, "without hard maskings of 100,000 records and the tables of growth"
    ).parse_args()
    bench = Bench(chosen.runs)
    with tempfile.TemporaryDirectory() as name:
        data = searched(Path(name))
        general = microdata(Path(name)).general
        bench.console.print(data.said)
        bench.facts["data"] = data.said
        report(bench, data, general)
        all_subsets(bench, data, general)
        unique_combinations(bench, data)
        many_records(bench, data, general, chosen.quick)
        definition_14(bench, (200,) if chosen.quick else (25, 50, 100, 200))
        if not chosen.quick:
            growth(bench, data, general, chosen.rows)
    show(bench, "reidentify.py")
    if not chosen.quick:
        show_growth(bench)
    target = chosen.json or (None if chosen.quick else RESULTS)
    if target:
        save(bench, target)


if __name__ == "__main__":
    main()
