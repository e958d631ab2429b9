"""``ph.anonymize`` as a caller meets it: frames of all kinds, arguments of all types,
Ctrl-C, threads.
"""

from __future__ import annotations

import datetime
import inspect
import json
import threading
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import phverify as ph

HOSPITAL = Path(ph.__file__).parent / "examples" / "hospital"
FRAME = pd.DataFrame(
    {"age": [31, 32, 33, 47, 48, 49], "ill": ["a", "b", "c", "a", "b", "c"]}
)
BASE: dict[str, Any] = {
    "quasi": ["age"],
    "sensitive": ["ill"],
    "k": 3,
    "budget": 0.3,
}
STRANGE = [pd.Series([1]), object(), {3: 4}, b"bytes", "a\0b", 3.5]


def anonymized(frame: pd.DataFrame = FRAME, **given: Any) -> ph.RecodingResult:
    return ph.anonymize(frame, **{**BASE, **given})


def message(**given: Any) -> str:
    with pytest.raises(ph.InputError) as error:
        anonymized(**given)
    return str(error.value)


def test_wrong_types_are_told() -> None:
    """Nothing but InputError, whatever argument is a strange thing."""
    for name in inspect.signature(ph.anonymize).parameters:
        for given in STRANGE:
            try:
                ph.anonymize(**{"table": FRAME, **BASE, name: given})
            except ph.InputError as error:
                assert str(error), (name, given)


def test_a_text_is_no_list() -> None:
    assert "write quasi=['age']" in message(quasi="age")
    assert "write sensitive=['ill']" in message(sensitive="ill")
    assert "write ranges=['age']" in message(ranges="age")
    assert 'rules=["k_anonymity(5)"]' in message(rules="k_anonymity(2)")


def test_nothing_is_dropped_beside_a_policy() -> None:
    """A k that nobody looks at would be a promise that nobody proves."""
    said = message(policy=HOSPITAL / "policy.toml")
    for name in ("quasi", "sensitive", "k"):
        assert f"{name}: is given beside a policy, which says everything" in said


def test_no_rule_takes_the_place_of_an_argument() -> None:
    assert "'k' is the name of the rule" in message(rules={"k": "k_anonymity(1)"})
    said = message(l=2, rules={"l ill": "l_diversity(ill, 1)"})
    assert "'l ill' is the name of the rule that l= stands for" in said


def test_diversity_of_nothing() -> None:
    frame = FRAME[["age"]]
    for name, value in {"l": 2, "t": 0.5}.items():
        said = message(frame=frame, sensitive=(), **{name: value})
        assert f"{name}: is asked of sensitive columns, and none is named" in said


def test_numbers_are_exact_whatever_their_type() -> None:
    for third in (Fraction(1, 3), "1/3"):
        found = anonymized(k=np.int64(2), l=np.int32(2), t=third)
        rules = [rule.formula for rule in found.report.rules]
        assert rules[1:] == ["l_diversity(ill, 2)", "t_closeness(ill, 1/3)"]
    assert "k: is a whole number, not True" in message(k=True)
    assert "k: is a whole number, not 2.5" in message(k=2.5)
    assert "t: is a number, not nan" in message(t=float("nan"))


def test_names_with_quotes() -> None:
    frame = FRAME.rename(columns={"ill": "it's | so"})
    found = anonymized(frame, sensitive=["it's | so"], l=3, t="1/2")
    assert [rule.verdict for rule in found.report.rules] == ["proved"] * 3


@pytest.mark.parametrize(
    ("cells", "kind", "shown"),
    [
        ([1, 2, 3, 7, 8, 9], "int64", ["1-3", "7-9"]),
        ([1, 2, 3, 7, 8, 9], "Int64", ["1-3", "7-9"]),
        ([0.25, 0.5, 1, 7, 8, 9], "float64", ["0.25-1", "7-9"]),
        ([1, 2, 3, 7, 8, 9], "category", ["*", "*"]),
        ([True, True, True, False, False, False], "bool", [True, False]),
        ([True, True, True, False, False, False], "boolean", [True, False]),
        (list("xxxyyy"), "category", ["x", "y"]),
        (list("xxxyyy"), "string", ["x", "y"]),
        (
            [f"{year}-01-0{day}" for year in (2020, 2021) for day in (1, 2, 3)],
            "datetime64[ns]",
            ["2020-01-01..2020-01-03", "2021-01-01..2021-01-03"],
        ),
    ],
    ids=lambda one: str(one)[:12],
)
def test_kinds_of_columns(cells: list[Any], kind: str, shown: list[Any]) -> None:
    frame = FRAME.assign(age=pd.Series(cells).astype(kind))  # type: ignore[call-overload]
    frame.index = pd.Index(list("fedcba"))
    release = anonymized(frame).release
    assert release is not None
    assert [release["age"].iloc[0], release["age"].iloc[-1]] == shown
    assert list(release.columns) == ["age", "ill"]
    assert release["ill"].tolist() == FRAME["ill"].tolist()


DAYS = [datetime.date(2020, 1, day) for day in (1, 2, 3)]
YEAR_LATER = [day.replace(year=2021) for day in DAYS]
MIDNIGHT = datetime.time()


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        ([*DAYS, *YEAR_LATER], "2020-01-01..2020-01-03"),
        ([str(day) for day in (*DAYS, *YEAR_LATER)], "2020-01-01..2020-01-03"),
        (
            [datetime.datetime.combine(d, MIDNIGHT) for d in (*DAYS, *YEAR_LATER)],
            "2020-01-01..2020-01-03",
        ),
        ([Decimal(text) for text in ("1.50", "2", "2.5", "8", "9", "9")], "1.5-2.5"),
        ([1, 2, 3, 8, 9, 9], "1-3"),
        # Not all of them are dates, or numbers with a place among others.
        (["2020-01-01", "2020-01-02", "2020-02-30", *"abc"], "*"),
        ([Decimal(text) for text in ("1", "2", "3", "8", "9", "Infinity")], "*"),
    ],
    ids=str,
)
def test_cells_that_are_dates_or_numbers_become_ranges(
    cells: list[Any], shown: str
) -> None:
    """Whatever the dtype says; the certificate is about the same frame."""
    frame = FRAME.assign(age=pd.Series(cells, dtype=object))
    found = anonymized(frame)
    assert found.release is not None
    assert found.release["age"].iloc[0] == shown
    assert list(found.release.columns) == ["age", "ill"]
    assert found.certificate is not None
    rules = found.certificate["rules"]
    types = {}
    if shown != "*":
        types["age"] = "date" if ".." in shown else "decimal"
    policy = {"columns": {"quasi": ["age"], "sensitive": ["ill"]}, "types": types}
    answer = ph.check(
        json.loads(json.dumps(found.certificate)),
        table=frame,
        policy=ph.Policy.from_dict({**policy, "rules": rules}),
    )
    assert answer.accepted


@pytest.mark.parametrize(
    "cells",
    [
        [*DAYS[:2], *DAYS[:2], *DAYS[:2]],
        [Decimal("1.5"), Decimal("20")] * 3,
        ["2020-01-01", "2021-01-01"] * 3,
        pd.to_datetime(["2020-01-01", "2021-01-01"] * 3),
    ],
    ids=lambda one: type(one[0]).__name__,
)
def test_what_is_not_changed_keeps_its_kind(cells: Any) -> None:
    frame = FRAME.assign(age=pd.Series(cells), ill=list("aabbcc"))
    found = anonymized(frame)
    assert found.release is not None
    assert found.cost == 0
    pd.testing.assert_frame_equal(found.release, frame)


def test_types_that_are_said_are_those() -> None:
    frame = FRAME.assign(age=[str(day) for day in (*DAYS, *YEAR_LATER)])
    release = anonymized(frame, types={"age": "text"}).release
    assert release is not None
    assert release["age"].iloc[0] == "*"


def test_times_of_day_are_no_dates() -> None:
    moments = pd.date_range("2020-01-01 10:30", periods=6, freq="h")
    said = message(frame=FRAME.assign(age=moments))
    assert "'age' has times of day" in said
    assert "dt.normalize()" in said


def test_a_name_of_two_columns_is_told() -> None:
    table = pd.DataFrame([[1, 2, "a"], [1, 3, "b"]], columns=["x", "x", "s"])
    with pytest.raises(ph.InputError, match="column names occur twice: 'x'"):
        ph.anonymize(table, ["x"], ["s"], k=2)


def test_what_is_no_number_is_told() -> None:
    said = message(frame=FRAME.assign(age=[1.0, 2, 3, 4, 5, float("inf")]))
    assert "'inf' is no number" in said
    assert "mend the value" in said


def test_rows_in_the_same_order_are_not_shuffled() -> None:
    with pytest.raises(ph.InputError, match="leave out one of the two"):
        ph.anonymize(
            HOSPITAL / "original.csv", policy=HOSPITAL / "policy.toml", shuffle=1
        )
    assert "seed of the new order, not 'x'" in message(shuffle="x")


def test_an_objective_of_levels_asks_for_a_hierarchy() -> None:
    told = message(objective="precision")
    assert "counts levels of a hierarchy, and 'age' is released in ranges" in told
    assert "give it a hierarchy under [hierarchies], or ask for loss" in told
    told = message(
        objective="precision",
        ranges=["age"],
        policy={
            "columns": {"quasi": ["age"], "sensitive": ["ill"]},
            "types": {"age": "integer"},
            "hierarchies": {"age": {"intervals": [10]}},
            "rules": {"k": "k_anonymity(3)"},
        },
        quasi=(),
        sensitive=(),
        k=None,
    )
    assert "leave out --ranges age" in told


def test_more_records_than_there_are() -> None:
    assert "no class has 7 records: the table has 6" in message(blind=7)


def test_input_is_read_before_anything_is_compiled() -> None:
    steps: list[str] = []
    message(quasi=["nope"], progress=steps.append)
    assert steps == ["reading"]


@pytest.mark.parametrize("step", ["checking the released table", "splitting classes"])
def test_who_interrupts_the_checks_gets_the_release(step: str) -> None:
    told: list[str] = []

    def progress(now: str) -> None:
        told.append(now)
        if now == step and told.count(now) == 1:
            raise KeyboardInterrupt

    found = anonymized(progress=progress)
    assert step in told
    assert found.verdict == "proved"
    assert found.report is not None and found.report.verdict == "proved"
    assert found.release is not None and len(found.release) == len(FRAME)
    assert found.certificate is not None


def test_who_interrupts_the_search_gets_the_release() -> None:
    def watch(standing: ph.Standing) -> None:
        if standing.cost is not None and not seen:
            seen.append(standing)
            raise KeyboardInterrupt

    seen: list[ph.Standing] = []
    steps: list[str] = []
    found = anonymized(watch=watch, progress=steps.append, budget=60)
    assert found.verdict == "proved" and found.reason == "interrupted"
    # What is there is checked, and nothing else keeps the user waiting.
    assert steps[-1] == "checking the released table"
    assert found.splits is None
    assert found.certificate is not None
    assert found.cost is not None and found.cost >= found.bound


def test_what_is_shown_of_the_bound_is_one() -> None:
    found = anonymized(HOSPITAL / "original.csv", **_policy_alone())
    shown = str(found).partition("No release by tuples is below ")[2].split(":")[0]
    assert Fraction(shown) <= found.bound
    least = repr(found).partition("none below ")[2].split(",")[0]
    assert Fraction(least) <= found.bound


def _policy_alone() -> dict[str, Any]:
    given = {"quasi": (), "sensitive": (), "k": None}
    return {**given, "policy": HOSPITAL / "policy.toml"}


def test_two_searches_in_two_threads() -> None:
    found: list[ph.RecodingResult] = []

    def search() -> None:
        found.append(anonymized(l=2))

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.verdict for one in found] == ["proved", "proved"]


def test_in_a_notebook() -> None:
    html = anonymized()._repr_html_()
    assert "There is a release that keeps every rule" in html
