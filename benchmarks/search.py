"""Asserts the answers of ``phverify.search``, then prints how long they took: levels,
tradeoffs (curves.py), subtrees, many rows, growth.

    python benchmarks/search.py [--quick] [--json FILE] [--rows N] [--runs N]

Needs ``pip install -e '.[bench]'``; ``--quick`` leaves out the tables of growth, and
then writes no JSON unless asked.  Least heights and full-domain losses are asserted
against all level vectors, tried one after the other (questions.py); every release is
counted again with pandas, and the cost of a subtree recoding is summed again.  That a
subtree recoding is the least is what its certificate says, and ``phverify.check`` must
accept it.

Seconds are medians of several runs; ratios are within one run.  "After reading" is from
where the columns are coded to the result: hierarchies, counting, search, the proof of
the bound, the released table verified again, and the certificate; the DataFrame of the
release is made when it is looked at.  Lemmas of criteria, which are about no table, are
proved in the first search of a process alone.  Where Adult is not beside the
repository, wages with hierarchies value -> * are searched instead: for k and l alone,
because the other optima are known for Adult only.
"""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
from curves import curves
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
from questions import KNOWN, Question, Searched, kept, searched, total_loss
from rich.table import Table

import phverify
from phverify import Policy
from phverify.budget import Deadline
from phverify.generalization.answer import answered
from phverify.generalization.offered import StricterSearches
from phverify.generalization.options import options
from phverify.generalization.result import SearchResult
from phverify.microdata.quotient import quotient
from phverify.microdata.read import read
from phverify.microdata.read_once import ReadTable
from phverify.verbs.prepared_search import prepared

RESULTS = FOLDER / "search.json"
IN_PROCESS = {
    (Question(5), "height"): 0.018,
    (Question(5), "loss"): 0.018,
    (Question(5, "variational"), "height"): 0.018,
    (Question(5, "", "0.05"), "height"): 0.25,
    (Question(5, "", "0.05"), "loss"): 0.08,
    (Question(5, "l", "0.05"), "loss"): 0.15,
    (Question(5, "original", "0.05"), "height"): 1.5,
}
"""Seconds that a search of levels on Adult may take in a warm process, by question and
objective.
"""
CLOCKS = {"wall": time.perf_counter, "CPU": time.process_time}
ELSEWHERE = {Question(5): "0.027 s of CPU", Question(5, "", "0.05"): "0.35 to 1.3 s"}
"""What the Java tool of the field takes for the same question on Adult; not measured
here.
"""
WARM = 9
"""Searches in a warm process, at least: they take milliseconds."""
BUDGET = 60.0
"""Seconds for one search of the tables of growth."""


def asked(
    data: Searched,
    frame: pd.DataFrame | ReadTable,
    question: Question,
    quasi: Sequence[str] = (),
    clock: Callable[[], float] = time.perf_counter,
    since: str = "counting classes",
    **more: Any,
) -> tuple[float, SearchResult]:
    """Search ``frame``: the seconds after reading (or from "reading"), and the answer,
    its release counted again.
    """
    types = {data.ordered: "integer"} if more.get("space") == "intervals" else None
    policy = Policy.from_dict(data.policy(question, quasi, types))

    def search(told: Callable[[str], None]) -> SearchResult:
        return phverify.search(
            frame, policy, suppress=question.share, progress=told, **more
        )

    seconds, result = after_reading(search, since, clock)
    if result.verdict == "optimal":
        assert kept(data, result.release, question, quasi), question
        rows = frame.rows if isinstance(frame, ReadTable) else len(frame)
        assert len(result.release) + result.suppressed == rows
        assert result.suppressed <= Fraction(question.share) * rows
    return seconds, result


def found_cost(result: SearchResult) -> Fraction:
    """The cost of a release that was found."""
    assert result.cost is not None
    return result.cost


# Levels


def levels(bench: Bench, data: Searched, folder: Path) -> None:
    """The least height, against one grouped count of the rows by the
    quasi-identifiers.
    """
    for question in (
        KNOWN if data.name == "adult" else [q for q in KNOWN if q.rule in ("", "l")]
    ):
        _levels_case(bench, data, question)
    question = Question(5)
    policy = policy_file(data.policy(question), folder / "search.toml")
    output = folder / "released.csv"
    command = [
        "search",
        data.csv,
        "--policy",
        policy,
        "--objective",
        "height",
        "--output",
        output,
    ]
    bench.add(
        "levels.process",
        f"{data.name}, {question.said}: phverify search --output, the whole process",
        medians(5, lambda: process(command, "optimal", folder))[0],
        target=2.5,
    )
    assert kept(
        data, pd.read_csv(output, sep=None, engine="python", dtype=str), question
    )


def _levels_case(bench: Bench, data: Searched, question: Question) -> None:
    wanted: Fraction | int | None = KNOWN[question] if data.name == "adult" else None
    if question.rule in ("", "l"):
        tried = data.tried.least(question, "height")
        assert wanted in (None, tried), (question, wanted, tried)
        wanted = tried
    ours, counts = [], []
    for _ in range(bench.runs):
        seconds, result = asked(data, data.raw, question, objective="height")
        assert (result.verdict, result.cost) == ("optimal", wanted), (
            question,
            result.verdict,
            result.cost,
        )
        ours.append(seconds)
        counts.append(grouped(data))
    key = f"{data.name}.levels.{_key(question)}"
    found = statistics.median(ours)
    bench.add(
        key,
        f"{data.name}, levels, {question.said}: height {wanted}, after reading",
        found,
    )
    for k, said in enumerate(
        (
            "our quotient",
            "pandas groupby.size of text",
            "pandas groupby.size of categories",
        )
    ):
        ratio = found / statistics.median(row[k] for row in counts)
        bench.add(
            f"{key}.ratio{k + 1}",
            f"  search / one grouped count: {said}",
            ratio,
            "x",
            30,
        )


def grouped(data: Searched) -> list[float]:
    """The seconds of one grouped count of the rows by the quasi-identifiers: ours of
    coded columns, and pandas'.
    """
    quasi, table, coded = list(data.quasi), read(data.raw), data.raw.astype("category")
    return medians(
        5,
        lambda: quotient(table.columns, quasi, (), table.rows),
        lambda: data.raw.groupby(quasi).size(),
        lambda: coded.groupby(quasi, observed=True).size(),
    )


def _key(question: Question) -> str:
    return f"k{question.k}{question.rule and '_' + question.rule}{'_withheld' if question.share != '0' else ''}"


def in_process(bench: Bench, data: Searched) -> None:
    """Levels on Adult, the whole call in a warm process: of a DataFrame, whose columns
    two threads read, and of the table that was read from it before.
    """
    once = phverify.read(data.raw)
    # What the benchmark itself keeps is not walked again and again.
    gc.collect()
    gc.freeze()
    for (question, objective), target in IN_PROCESS.items():
        said = f"{data.name}, levels, {question.said}, by {objective}, in process"
        if objective == "height" and question in ELSEWHERE:
            said += f" (the Java tool: {ELSEWHERE[question]}, not measured here)"
        key = f"{data.name}.in_process.{_key(question)}.{objective}"
        for of, clock in CLOCKS.items():
            of_frame = _in_process(bench, data, data.raw, (question, objective), clock)
            of_table = _in_process(bench, data, once, (question, objective), clock)
            bench.add(f"{key}.{of}", f"{said}: {of}", of_frame, "s", target)
            read_before = f"  of a table read before: {of}"
            bench.add(f"{key}.{of}.once", read_before, of_table, "s", target)
    gc.unfreeze()


def _in_process(
    bench: Bench,
    data: Searched,
    table: pd.DataFrame | ReadTable,
    asked_for: tuple[Question, str],
    clock: Callable[[], float],
) -> float:
    """The median of several searches by a clock, whose answer is the known one."""
    question, objective = asked_for
    wanted = KNOWN.get(question)
    if question.rule in ("", "l", "original"):
        wanted = data.tried.least(question, objective)
    # Its release is counted again; the others, which are timed, have its cost.
    _, result = asked(data, table, question, objective=objective)
    assert (result.verdict, result.cost) == ("optimal", wanted), question
    policy = Policy.from_dict(data.policy(question))
    spent = []
    for _ in range(2 + max(bench.runs, WARM)):
        began = clock()
        result = phverify.search(
            table, policy, suppress=question.share, objective=objective
        )
        spent.append(clock() - began)
        assert (result.verdict, result.cost) == ("optimal", wanted), question
    # The first ones make the process warm.
    return statistics.median(spent[2:])


# Subtrees


def subtrees(bench: Bench, data: Searched) -> None:
    """The least loss, with its certificate, beside the least loss of the level
    vectors.
    """
    targets = {Question(5): 2.0, Question(5, "l"): 10.0, Question(5, "", "0.05"): 10.0}
    for question, target in targets.items():
        levels = found_cost(asked(data, data.raw, question)[1])
        assert levels == data.tried.least(question, "loss"), question
        runs = [
            asked(data, data.raw, question, since="reading", space="subtrees")
            for _ in range(min(bench.runs, 3))
        ]
        result = runs[0][1]
        assert result.verdict == "optimal", question
        cost = found_cost(result)
        assert cost == total_loss(data, result.mapping) and cost <= levels
        _subtrees_rows(
            bench,
            data,
            question,
            result,
            levels,
            statistics.median(run[0] for run in runs),
            target,
        )


def _subtrees_rows(
    bench: Bench,
    data: Searched,
    question: Question,
    result: SearchResult,
    levels: Fraction,
    seconds: float,
    target: float,
) -> None:
    policy = Policy.from_dict(data.policy(question))
    certificate = result.certificate
    assert certificate is not None
    start = time.perf_counter()
    check = phverify.check(certificate, data.raw, policy)
    checked = time.perf_counter() - start
    assert check.accepted, check.problem
    key, found = f"{data.name}.subtrees.{_key(question)}", result.statistics
    said = (
        f"{data.name}, subtrees, {question.said}: {found.candidates} candidates,"
        f" {found.clauses} clauses"
    )
    bench.add(key, f"{said}, with reading", seconds, "s", target)
    bench.add(f"{key}.check", "  phverify.check of its certificate: accepted", checked)
    bench.add(
        f"{key}.loss",
        f"  its loss (the least of all level vectors: {float(levels):.6f})",
        float(found_cost(result)),
        "",
    )
    bench.facts[key] = {
        "loss": str(result.cost),
        "levels": str(levels),
        "solvers": found.solvers,
    }


# A million rows


def many_rows(bench: Bench, data: Searched, rows: int) -> None:
    """The whole search of many rows against the search of their distinct combinations
    alone.

    (1) is what ``phverify.search`` does once the columns are coded: ``prepared`` and
        ``answered``.  (2) is the part of it in which only the distinct combinations
        with their counts are left: ``LeastSearch.least`` (proposals, counts of candidates,
        clauses) and ``LeastSearch.confirm`` (the bound proved again).  In (1) and not in (2):
        the grouped count, closures of the rules (they depend on the rules alone),
        costs, and at the end the released table, verified again and made a DataFrame of
        as many rows.  Reading is in neither.
    """
    frame = data.resampled(rows)
    question = Question(max(2, 5 * rows // len(data.raw)))
    for space in ("levels", "subtrees"):
        parts = [
            _rows_parts(data, frame, question, space) for _ in range(min(bench.runs, 3))
        ]
        median = {
            name: statistics.median(part[name] for part in parts) for name in parts[0]
        }
        key = f"{data.name}.rows.{space}"
        bench.add(
            key,
            f"{rows:,} rows of {data.name}, {space}, {question.said}: after reading",
            median["whole"],
        )
        bench.add(
            f"{key}.hunt",
            "  of this, the distinct combinations alone: search and bound",
            median["hunt"],
        )
        bench.add(
            f"{key}.count",
            "  of this, one grouped count: our quotient",
            median["count"],
        )
        bench.add(
            f"{key}.before",
            "  of this, else before: hierarchies, codes, closures, costs",
            median["before"],
        )
        bench.add(
            f"{key}.after",
            "  of this, after: verified again, DataFrame, certificate",
            median["after"],
        )
        bench.add(
            f"{key}.ratio",
            "  whole / distinct combinations alone",
            median["whole"] / median["hunt"],
            "x",
            2.0,
        )


def _rows_parts(
    data: Searched, frame: pd.DataFrame, question: Question, space: str
) -> dict[str, float]:
    """The seconds of one search and of its parts: the two steps that
    ``phverify.search`` takes after reading.
    """
    policy, table = Policy.from_dict(data.policy(question)), read(frame)
    wanted = options(policy, space, "loss", 0, None, False, None)
    count = timed(
        lambda: quotient(table.columns, data.quasi, (data.sensitive,), table.rows)
    )
    spent: list[float] = []
    start = time.perf_counter()
    hunt = prepared(policy, table, {}, wanted, Deadline(), lambda step: None)
    ready = time.perf_counter()
    hunt.least = _watched(hunt.least, spent)  # type: ignore[method-assign]
    hunt.confirm = _watched(hunt.confirm, spent)  # type: ignore[method-assign]
    result = answered(hunt, wanted, frame, start, StricterSearches(()))
    end = time.perf_counter()
    assert (
        result.verdict == "optimal"
        and kept(data, result.release, question)
        and len(spent) == 2
    )
    before, hunted = ready - start, sum(spent)
    after = end - ready - hunted
    return {
        "whole": end - start,
        "hunt": hunted,
        "count": count,
        "before": before - count,
        "after": after,
    }


def _watched(action: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    """The same action, which notes its seconds."""

    def act(*given: Any) -> Any:
        start = time.perf_counter()
        result = action(*given)
        spent.append(time.perf_counter() - start)
        return result

    return act


# Growth


def growth(bench: Bench, data: Searched) -> None:
    """Seconds after reading as rows, attributes and domains grow; the best subtrees are
    never dearer than levels.
    """
    found: list[dict[str, Any]] = []
    both = ("levels", "subtrees")
    for rows in (3_000, len(data.raw), 300_000):
        frame = data.raw if rows == len(data.raw) else data.resampled(rows)
        found += _grown(bench, data, frame, data.quasi, both, "rows")
    every = (*data.quasi, data.sensitive)
    for many in range(4, len(every) + 1):
        found += _grown(bench, data, data.raw, every[:many], both, "attributes")
    ages = data.raw[data.ordered].astype(int)
    for wanted in (10, 20, 40, ages.nunique()):
        frame = data.raw.assign(**{data.ordered: rounded(ages, wanted)})
        found += _grown(bench, data, frame, data.quasi, ("intervals",), "domain")
    bench.facts["growth"] = found


def rounded(values: pd.Series[Any], wanted: int) -> pd.Series[Any]:
    """Whole numbers rounded down to at most so many steps of equal width; all values if
    they are no more.
    """
    if values.nunique() <= wanted:
        return values.astype(str)
    low, width = int(values.min()), int(values.max()) + 1 - int(values.min())
    steps = (values - low) * wanted // width
    return (low + steps * width // wanted).astype(str)


def _grown(
    bench: Bench,
    data: Searched,
    frame: pd.DataFrame,
    quasi: Sequence[str],
    spaces: Sequence[str],
    grows: str,
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    costs: list[Fraction] = []
    for space in spaces:
        runs: list[tuple[float, SearchResult]] = []
        while len(runs) < min(bench.runs, 3) and sum(run[0] for run in runs) < 10:
            runs.append(
                asked(data, frame, Question(5), quasi, space=space, budget=BUDGET)
            )
        seconds, result = statistics.median(run[0] for run in runs), runs[0][1]
        costs += [found_cost(result)] if result.verdict == "optimal" else []
        said: dict[str, Any] = {
            "grows": grows,
            "space": space,
            "rows": len(frame),
            "attributes": len(quasi),
        }
        said |= {
            "domain": frame[data.ordered].nunique() if data.ordered in quasi else 0
        }
        said |= {
            "combinations": frame.groupby(list(quasi)).ngroups,
            "candidates": result.statistics.candidates,
        }
        said |= {
            "clauses": result.statistics.clauses,
            "seconds": float(f"{seconds:.3g}"),
        }
        rows.append(said | {"verdict": result.verdict, "loss": _cost(result)})
        bench.console.print(
            f"[dim]{' '.join(f'{k}={v}' for k, v in rows[-1].items())}[/dim]",
            highlight=False,
        )
    assert costs == sorted(costs, reverse=True), costs
    return rows


def _cost(result: SearchResult) -> str:
    """The least loss, or between which bounds it lies."""
    if result.verdict == "optimal":
        return f"{float(found_cost(result)):.6f}"
    bound = "?" if result.bound is None else f"{float(result.bound):.6f}"
    cost = "?" if result.cost is None else f"{float(result.cost):.6f}"
    return f"{bound} .. {cost}"


def show_growth(bench: Bench, data: Searched) -> None:
    found = bench.facts["growth"]
    names = [name for name in found[0] if name != "grows"]
    title = (
        f"growth on {data.name}: k = 5, least loss, after reading, at most {BUDGET:.0f}"
        " s each"
    )
    table = Table(*names, title=title, title_justify="left")
    for before, row in zip([found[0], *found], found, strict=False):
        if before["grows"] != row["grows"]:
            table.add_section()
        table.add_row(
            *(
                f"{row[name]:,}" if isinstance(row[name], int) else str(row[name])
                for name in names
            )
        )
    bench.console.print(table)


def main() -> None:
    chosen = parser(RESULTS, "without the tables of growth").parse_args()
    bench = Bench(chosen.runs)
    with tempfile.TemporaryDirectory() as name:
        data = searched(Path(name))
        bench.console.print(data.said)
        if data.name != "adult":
            bench.console.print(
                "left out without Adult: recursive and entropy l-diversity,"
                " t-closeness, the Java tool"
            )
        bench.facts["data"] = data.said
        levels(bench, data, Path(name))
        if data.name == "adult":
            in_process(bench, data)
        curves(bench, data, Path(name))
        subtrees(bench, data)
        many_rows(bench, data, chosen.rows)
        if not chosen.quick:
            growth(bench, data)
    show(bench, "search.py")
    if not chosen.quick:
        show_growth(bench, data)
    target = chosen.json or (None if chosen.quick else RESULTS)
    if target:
        save(bench, target)


if __name__ == "__main__":
    main()
