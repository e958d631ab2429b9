"""Asserts the answers, then prints how long they took: Adult, a million rows, 300
names, 10,000 secrets.

    python benchmarks/verify.py [--quick] [--json FILE] [--rows N] [--runs N]

Needs ``pip install -e '.[bench]'``; ``--quick`` leaves out pyCANON and the naive
encoding, which take three to four minutes (pyCANON nearly all of it), and then writes
no JSON unless asked.  Every answer is asserted against numbers that are computed here,
without phverify, before it is reported.  Seconds are medians of several runs, except
pyCANON and the naive encoding, which run once; ratios are within one run.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import expected
import pandas as pd
import peers
from harness import RESULTS as FOLDER
from harness import (
    Bench,
    after_reading,
    medians,
    parser,
    policy_file,
    process,
    save,
    show,
    timed,
)
from microdata import Microdata, microdata, million, ward

import phverify
from phverify import Policy
from phverify.microdata.quotient import quotient
from phverify.microdata.read import read

RESULTS = FOLDER / "verify.json"
LIMIT = 20.0
"""Seconds for one question in the naive encoding."""
SECRETS = 10_000


def settled(
    release: Any, policy: Policy, wanted: Mapping[str, str], **more: Any
) -> phverify.Report:
    """Verify, and assert every verdict."""
    report = phverify.verify(release, policy, **more)
    found = {rule.name: rule.verdict for rule in report.rules}
    assert found == dict(wanted), {
        n: (found[n], wanted[n]) for n in wanted if found.get(n) != wanted[n]
    }
    return report


# All criteria at once


def all_criteria(bench: Bench, data: Microdata, folder: Path) -> None:
    bench.facts["data"] = data.said
    for case, frame in {
        "raw": data.raw,
        "general": data.general,
        "coarse": data.coarse,
    }.items():
        found = expected.values(
            frame, data.quasi, data.sensitive, data.paths, data.secret
        )
        bounds = expected.USUAL if case == "raw" else expected.loose(found)
        wanted = expected.verdicts(found, bounds)
        assert _fits(case, wanted), wanted
        rules = expected.texts(data.sensitive, bounds)
        bench.facts[f"{data.name}.{case}"] = {"rules": rules, "verdicts": wanted}
        _criteria_case(bench, data, case, frame, data.policy(rules), wanted, folder)


def _fits(case: str, wanted: Mapping[str, str]) -> bool:
    """The raw table breaks what is usual, and the coarse one keeps everything."""
    proved = sum(verdict == "proved" for verdict in wanted.values())
    return (
        proved < 3
        if case == "raw"
        else proved == len(wanted)
        if case == "coarse"
        else proved > 9
    )


def _criteria_case(
    bench: Bench,
    data: Microdata,
    case: str,
    frame: pd.DataFrame,
    raw_policy: dict[str, Any],
    wanted: Mapping[str, str],
    folder: Path,
) -> None:
    policy = Policy.from_dict(raw_policy)
    path = data.csv if case == "raw" else folder / f"{case}.csv"
    if case != "raw":
        frame.to_csv(path, index=False)
    report = settled(frame, policy, wanted)
    settled(path, policy, wanted)
    file = policy_file(raw_policy, folder / f"{case}.toml")
    in_memory, from_file = medians(
        bench.runs,
        lambda: phverify.verify(frame, policy),
        lambda: phverify.verify(path, policy),
    )
    command = ["verify", path, "--policy", file]
    whole = medians(5, lambda: process(command, report.verdict, path.parent))[0]
    said = (
        f"{data.name}, {case} ({report.classes:,} classes), {len(wanted)} criteria,"
        f" {_count(wanted)}"
    )
    bench.add(
        f"{data.name}.{case}.memory", f"{said}: after reading", in_memory, "s", 0.3
    )
    bench.add(f"{data.name}.{case}.file", "  the same from the CSV file", from_file)
    bench.add(
        f"{data.name}.{case}.process",
        "  phverify verify, the whole process",
        whole,
        "s",
        2.0,
    )


def _count(wanted: Mapping[str, str]) -> str:
    proved = sum(verdict == "proved" for verdict in wanted.values())
    return f"{proved} proved and {len(wanted) - proved} refuted"


# pyCANON


def against_pycanon(bench: Bench, data: Microdata) -> None:
    """pyCANON runs once: it is what takes the time."""
    told, seconds = peers.pycanon(data.raw, data.quasi, data.sensitive)

    def verdict(name: str, bounds: Mapping[str, Any]) -> str:
        rules = expected.texts(data.sensitive, {**expected.USUAL, **bounds}, [name])
        return phverify.verify(data.raw, Policy.from_dict(data.policy(rules))).verdict

    bench.facts["pycanon"] = {
        "agreement": peers.agreement(told, verdict),
        "seconds": seconds,
    }
    nine = Policy.from_dict(
        data.policy(expected.texts(data.sensitive, expected.USUAL, expected.NINE))
    )
    every = Policy.from_dict(
        data.policy(expected.texts(data.sensitive, expected.USUAL))
    )
    ours, all_ours = medians(
        bench.runs,
        lambda: phverify.verify(data.raw, nine),
        lambda: phverify.verify(data.raw, every),
    )
    theirs = sum(seconds.values())
    bench.add(
        "pycanon.nine", f"{data.name}, raw: pyCANON's nine criteria (one run)", theirs
    )
    bench.add("pycanon.ours", "  phverify, the same nine", ours)
    bench.add(
        "pycanon.ratio", "  pyCANON's nine / our nine", theirs / ours, "times", 200
    )
    bench.add(
        "pycanon.ratio_all",
        f"  pyCANON's nine / our {len(expected.RULES)}",
        theirs / all_ours,
        "times",
        200,
    )


# A million rows


def many_rows(bench: Bench, rows: int) -> None:
    """Classes of about a hundred rows, where thresholds hold, and of about five, where
    they do not.
    """
    _many_rows(bench, rows, 50, ("proved", "refuted"))
    _many_rows(bench, rows, 1000, ("refuted",))


def _many_rows(bench: Bench, rows: int, zips: int, cases: Sequence[str]) -> None:
    frame, quasi = million(rows, zips)
    classes = frame.groupby(list(quasi))["health"]
    k, l = int(classes.size().min()), int(classes.nunique().min())
    t = expected.values(
        frame, quasi, "health", [[v, "*"] for v in sorted(set(frame["health"]))], []
    )["variational"]
    key = f"million.{classes.ngroups}"
    bench.facts[key] = {
        "data": f"generated, seed 1, {rows:,} rows",
        "k": k,
        "l": l,
        "t": t,
    }
    good, bad = (
        {"k": k, "l": l, "variational": round(t + 0.01, 2)},
        {
            "k": k + 1,
            "l": l + 1,
            "variational": t - 0.01,
        },
    )
    for case in cases:
        rules = expected.texts(
            "health", good if case == "proved" else bad, ["k", "l", "variational"]
        )
        policy = Policy.from_dict(
            {"columns": {"quasi": list(quasi), "sensitive": ["health"]}, "rules": rules}
        )
        settled(frame, policy, dict.fromkeys(rules, case))
        said = f"{rows:,} rows, {classes.ngroups:,} classes: k, l and t {case}"
        _many_rows_case(bench, frame, quasi, policy, f"{key}.{case}", said)


def _many_rows_case(
    bench: Bench,
    frame: pd.DataFrame,
    quasi: Sequence[str],
    policy: Policy,
    key: str,
    said: str,
) -> None:
    """In: everything that verify does once the columns are coded, witnesses too.  Out:
    coding, on either side.
    """
    table, coded = read(frame), frame.astype("category")
    ours, bare, pandas = [], [], []
    for _ in range(bench.runs):
        ours.append(
            after_reading(lambda told: phverify.verify(frame, policy, progress=told))[0]
        )
        bare.append(
            timed(lambda: quotient(table.columns, quasi, ("health",), table.rows))
        )
        pandas.append(
            timed(lambda: coded.groupby(list(frame.columns), observed=True).size())
        )
    decided, counted, grouped = map(statistics.median, (ours, bare, pandas))
    bench.add(f"{key}.decided", f"{said}, after coding the columns", decided)
    bench.add(f"{key}.quotient", "  the bare grouped count: our quotient", counted)
    bench.add(
        f"{key}.pandas",
        "  the bare grouped count: pandas groupby.size of categories",
        grouped,
    )
    bench.add(
        f"{key}.ratio", "  k, l and t / our quotient", decided / counted, "x", 2.0
    )
    bench.add(
        f"{key}.ratio_pandas", "  k, l and t / pandas", decided / grouped, "x", 2.0
    )


# 300 named individuals in one class


def nobody_in_group(named: int) -> Policy:
    """``none of them is in g`` can never be known to be true: valid iff too many are
    named.
    """
    formula = " & ".join(f"@i{k + 1} ~(health = g)" for k in range(named))
    columns = {"quasi": ["zip"], "sensitive": ["health"]}
    return Policy.from_dict(
        {"columns": columns, "rules": {"some_in_g": f"~({formula})"}}
    )


def many_names(bench: Bench) -> None:
    """300 rows, 30 of them in g: 270 people can be outside g, 271 cannot
    (pigeonhole).
    """
    for named in (300, 271, 270, 150):
        verdict = "proved" if named > 270 else "refuted"
        seconds = statistics.median(
            ask_names(named, 300, 30) for _ in range(bench.runs)
        )
        bench.add(
            f"names.{named}",
            f"{named} named of 300 in one class: {verdict}",
            seconds,
            "s",
            2.0,
        )


def ask_names(named: int, rows: int, ill: int) -> float:
    """The seconds from the policy's text to the verdict, which is asserted with its
    witness.
    """
    frame, start = ward(rows, ill), time.perf_counter()
    report = phverify.verify(frame, nobody_in_group(named))
    seconds = time.perf_counter() - start
    assert report.verdict == ("proved" if named > rows - ill else "refuted"), (
        report.verdict
    )
    witness = report.rules[0].witness
    if witness is not None:
        placed = {
            who: int(row.removeprefix("d")) - 1
            for who, row in witness.assignment.items()
        }
        mentioned = [placed[f"i{k + 1}"] for k in range(named)]
        assert len(set(mentioned)) == named and all(
            frame["health"][row] != "g" for row in mentioned
        )
    return seconds


def against_naive(bench: Bench) -> None:
    """All of n named, a tenth of n (at least one) in g, until the naive encoding gives
    up; then a refuted case.
    """
    for n in (5, 6, 7, 8, 9, 10, 12, 20, 40):
        if not _naive_case(bench, n, n, max(1, n // 10)):
            break
    _naive_case(bench, 270, 300, 30)


def _naive_case(bench: Bench, named: int, rows: int, ill: int) -> bool:
    """Whether the naive encoding answers within the limit."""
    found, theirs = peers.naive(named, rows, rows - ill, LIMIT)
    ours = statistics.median(ask_names(named, rows, ill) for _ in range(bench.runs))
    answered = found != "no answer"
    assert found in ("no answer", "proved" if named > rows - ill else "refuted"), found
    key, said = (
        f"naive.{named}_of_{rows}",
        f"{named} named of {rows}, one unknown each: {found}",
    )
    bench.add(key, said, theirs)
    bench.add(f"{key}.ours", "  phverify", ours)
    bench.add(
        f"{key}.ratio",
        f"  naive / ours{'' if answered else ', at least'}",
        theirs / ours,
        "times",
    )
    return answered


# 10,000 individual secrets


def many_secrets(bench: Bench, data: Microdata) -> None:
    """Everyone's own value is secret; in the refuted case the last one's secret is what
    the class lacks.
    """
    f, frame = data.sensitive, data.general
    known = frame.groupby(list(data.quasi))[f].agg(lambda v: frozenset(v)).to_dict()
    inside = [
        known[key] for key in frame[list(data.quasi)].itertuples(index=False, name=None)
    ]
    assert min(map(len, inside[:SECRETS])) > 1, "somebody's own value is certain"
    last, absent = _lacking(inside[:SECRETS], [path[0] for path in data.paths])
    own = {f"i{k + 1}": [f"{f} = '{v}'"] for k, v in enumerate(frame[f][:SECRETS])}
    told = {**own, f"i{last + 1}": [f"~({f} = '{absent}')"]}
    for case, secrets in {"proved": own, "refuted": told}.items():
        report, times = None, []
        for _ in range(min(bench.runs, 3)):
            start = time.perf_counter()
            policy = Policy.from_dict(
                data.policy({"safe": "logical_safety()"}, secrets)
            )
            report = settled(frame, policy, {"safe": case})
            times.append(time.perf_counter() - start)
        witness = report.rules[0].witness if report else None
        assert witness is None or f"i{last + 1}" in witness.assignment
        said = f"{len(secrets):,} individual secrets on {data.name}, general: {case}"
        bench.add(f"secrets.{case}", said, statistics.median(times), "s", 5.0)


def _lacking(
    inside: Sequence[frozenset[str]], values: Sequence[str]
) -> tuple[int, str]:
    """The last individual whose class lacks a value, with that value."""
    last = max(k for k, found in enumerate(inside) if len(found) < len(values))
    return last, next(value for value in values if value not in inside[last])


def main() -> None:
    chosen = parser(RESULTS, "without pyCANON and the naive encoding").parse_args()
    bench = Bench(chosen.runs)
    with tempfile.TemporaryDirectory() as name:
        data = microdata(Path(name))
        bench.console.print(data.said)
        all_criteria(bench, data, Path(name))
        many_rows(bench, chosen.rows)
        many_names(bench)
        many_secrets(bench, data)
        if not chosen.quick:
            against_pycanon(bench, data)
            against_naive(bench)
    show(bench, "verify.py")
    for name, said in bench.facts.get("pycanon", {}).get("agreement", {}).items():
        bench.console.print(f"pyCANON, {name}: {said}", highlight=False)
    target = chosen.json or (None if chosen.quick else RESULTS)
    if target:
        save(bench, target)


if __name__ == "__main__":
    main()
