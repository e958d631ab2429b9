"""``measure``: the threshold that it tells holds, and any stricter one fails, by the
definitions of the literature.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.criteria_cases import TREE, tree, with_tree  # noqa: F401
from support.so_many import so_many
from support.strategies import QUASI, VALUES, tables

import phverify as ph
from phverify.cli.main import main
from phverify.measurement.bisection import bisected
from phverify.measurement.gauges import GAUGES, largest, measured
from phverify.measurement.result import MeasuredCriterion
from phverify.measurement.threshold import Threshold
from phverify.microdata.histogram import ClassHistogram
from phverify.microdata.read import read
from phverify.policy.bind import bind
from phverify.report.thresholds import log2_enclosure, threshold_text
from phverify.spec.criterion.base import ClassCriterion
from phverify.spec.criterion.registry import CRITERIA

LITTLE = Fraction(1, 10**9)
LOOSE = Fraction(1000)
FINE = 24
F: dict[str, Callable[[Any], oracle.Test]] = {
    "k_anonymity(k)": oracle.k_anonymous,
    "l_diversity(f, l)": oracle.distinct,
    "entropy_l_diversity(f, l)": oracle.entropy,
    "recursive_l_diversity(f, c, 1)": lambda c: oracle.recursive(c, 1),
    "recursive_l_diversity(f, c, 2)": lambda c: oracle.recursive(c, 2),
    "alpha_k_anonymity(f, alpha, 1)": lambda share: oracle.alpha_k(share, 1),
    "t_closeness(f, t)": oracle.variational,
    "t_closeness(f, t, distance=ordered)": lambda t: oracle.ordered(t, VALUES["f"]),
    "t_closeness(f, t, distance=hierarchical)": lambda t: oracle.hierarchical(t, TREE),
    "beta_likeness(f, beta)": oracle.beta,
    "enhanced_beta_likeness(f, beta)": oracle.enhanced,
    "delta_disclosure(f, delta)": oracle.delta,
    "delta_disclosure(f, delta, absent=ignored)": lambda d: oracle.delta(d, True),
    "average_benefit(f, b)": oracle.benefit,
    "guarded(f, ab, share)": lambda share: oracle.guard("ab", share, TREE),
}
"""What is measured of f, with its definition at a threshold."""
RULES = {
    "one": "recursive_l_diversity(f, 3, 1)",
    "ordered": "t_closeness(f, 1, distance=ordered)",
    "tree": "t_closeness(f, 1, distance=hierarchical)",
    "ignored": "delta_disclosure(f, 3, absent=ignored)",
    "guarded": "guarded(f, ab, 1/2)",
    "crowd": "em_anonymity(g, 1, 2)",
    "k": "k_anonymity(3) & alpha_k_anonymity(f, 1/2, 2)",
}


def check_threshold(one: MeasuredCriterion, holds: Callable[[Any], bool]) -> None:
    """It holds there, and fails where it is stricter, however little."""
    bound = one.threshold
    assert bound is not None
    if bound.value is None:
        assert not holds(LOOSE)
    elif bound.low is not None and bound.high is not None:
        assert holds(bound.low) and not holds(bound.high)
        assert bound.high - bound.low == Fraction(1, 1000)
        assert holds(bound.value) and not holds(bound.value + 1)
    elif bound.logarithm:
        low, high = map(Fraction, log2_enclosure(bound.value))
        assert high - low <= Fraction(2, 10**4)
        # The oracle takes powers: a fine threshold would be a long number.
        assert low == 0 or not holds(Fraction(floor(low * FINE), FINE))
        assert holds(Fraction(floor(high * FINE) + 1, FINE))
    elif bound.most:
        assert holds(int(bound.value)) and not holds(int(bound.value) + 1)
    elif bound.attained:
        assert holds(bound.value)
        assert bound.value == 0 or not holds(bound.value - LITTLE)
    else:
        assert holds(bound.value + LITTLE) and not holds(bound.value)


@so_many(30)
@given(tables(12, missing=False))
def test_thresholds_by_the_definitions(tree: Path, rows: list[Any]) -> None:
    measurement = ph.measure(pd.DataFrame(rows), with_tree(RULES, tree))
    by_text = {one.criterion: one for one in measurement.measured}
    assert set(F) <= set(by_text)
    for text, test in F.items():
        one = by_text[text]
        check_threshold(
            one,
            lambda value, test=test: oracle.each_class(rows, QUASI, "f", test(value)),
        )
        forcing = [
            row
            for row in rows
            if all(row[name] == one.cls.values[name] for name in QUASI)
        ]
        assert len(forcing) == one.cls.rows

        def alone(value: Any, test: Any = test, forcing: Any = forcing) -> bool:
            return oracle.of("f", test(value))(forcing, rows)

        # The class that is named is the one that forces it.
        check_threshold(one, alone)
    crowd = by_text["em_anonymity(g, 1, m)"]
    check_threshold(
        crowd,
        lambda m: oracle.each_class(rows, QUASI, "g", oracle.close(Fraction(1), m)),
    )


def test_all_criteria_of_classes_are_measured() -> None:
    assert set(GAUGES) == set(CRITERIA)
    measured_names = {text.partition("(")[0] for text in F} | {"em_anonymity"}
    assert set(GAUGES) == measured_names


def built(rows: list[Any], tree: Path) -> dict[ClassCriterion, ClassHistogram]:
    """The criteria of the rules, with the histogram of each."""
    policy = with_tree({**RULES, "k2": "enhanced_beta_likeness(f, 1)"}, tree)
    release = bind(policy, read(pd.DataFrame(rows), None, "release"), None).release
    return {
        one: release.ground.histogram(one.attribute)
        for one in release.criteria.values()
    }


@so_many(8)
@given(tables(10, missing=False))
def test_bisection_agrees_with_gauges(tree: Path, rows: list[Any]) -> None:
    """A criterion without a gauge is measured by its definition alone."""
    met = 0
    for criterion, histogram in built(rows, tree).items():
        plain = replace(criterion, k=1) if hasattr(criterion, "alpha") else criterion
        closed = bisected(plain, histogram)
        exact = measured(plain, histogram)
        if closed is None or closed.parameter != exact.parameter:
            continue
        met += 1
        if exact.value is None or closed.value is None:
            assert exact.value is None and closed.value is None
            continue
        value = Fraction(exact.value)
        if exact.logarithm:
            value = Fraction(log2_enclosure(exact.value)[1])
        if closed.low is None:
            assert closed.value == value
        else:
            assert closed.low - LITTLE <= value <= closed.high + Fraction(1, 1000)
    assert met >= 4


@given(st.lists(st.tuples(st.integers(0, 10**15), st.integers(1, 10**15)), min_size=1))
def test_the_largest_quotient(pairs: list[tuple[int, int]]) -> None:
    above, below = (np.array(one, dtype=np.int64) for one in zip(*pairs, strict=True))
    value, index = largest(above, below)
    assert value == max(Fraction(*pair) for pair in pairs)
    assert Fraction(*pairs[index]) == value


def test_close_quotients_are_told_apart() -> None:
    """Floats cannot: only exact numbers know which class is worst."""
    big = 10**17
    above = np.array([big, big + 1, big - 1], dtype=np.int64)
    below = np.array([big, big, big], dtype=np.int64)
    assert largest(above, below) == (Fraction(big + 1, big), 1)


def test_logarithms_are_enclosed() -> None:
    assert log2_enclosure(Fraction(1)) == ("0", "0")
    low, high = map(Fraction, log2_enclosure(Fraction(8)))
    assert low <= 3 <= high and high - low <= Fraction(2, 10**4)
    low, high = map(Fraction, log2_enclosure(Fraction(5, 2)))
    assert low < Fraction("1.32192809489") < high


RELEASE = "q,s\n1,a\n1,b\n2,a\n2,a\n2,b\n"
POLICY = '[columns]\nquasi = ["q"]\nsensitive = ["s"]\n'


def files(folder: Path, rules: str = "") -> list[str]:
    (folder / "release.csv").write_text(RELEASE, encoding="utf-8")
    (folder / "policy.toml").write_text(POLICY + rules, encoding="utf-8")
    return [str(folder / "release.csv"), "--policy", str(folder / "policy.toml")]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = '[rules]\nlarge = "k_anonymity(3)"\nclose = "t_closeness(s, 0.2) | k_anonymity(9)"\n'
    command = ["measure", *files(tmp_path, rules)]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "5 rows, 2 classes" in told
    assert (
        "k_anonymity(k): largest k = 2\n    forced by: q = 1 (2 rows)\n"
        "    rule large asks k = 3: some class breaks it\n"
        "    rule close asks k = 9: some class breaks it\n" in told
    )
    assert (
        "t_closeness(s, t): smallest t = 1/10\n    forced by: q = 1 (2 rows)\n" in told
    )
    assert "rule close asks t = 1/5: all classes satisfy it" in told
    assert "recursive_l_diversity(s, c, 2): any c above 2" in told
    assert "delta_disclosure(s, delta): any delta above log2(5/4)," in told
    assert main([*command, "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    by_text = {one["criterion"]: one for one in data["measured"]}
    assert by_text["k_anonymity(k)"] == {
        "criterion": "k_anonymity(k)",
        "name": "k_anonymity",
        "column": None,
        "threshold": {
            "parameter": "k",
            "strictest": "largest",
            "value": "2",
            "log2_of": None,
            "attained": True,
            "low": None,
            "high": None,
            "reason": "",
        },
        "forced_by": {"class": {"q": "1"}, "rows": 2},
        "rules": [
            {"rule": "large", "asks": "3", "kept": False},
            {"rule": "close", "asks": "9", "kept": False},
        ],
        "unmeasured": None,
    }
    assert by_text["delta_disclosure(s, delta)"]["threshold"]["log2_of"] == "5/4"


def test_no_rules_are_needed(tmp_path: Path) -> None:
    path, _, policy = files(tmp_path)
    measurement = ph.measure(path, policy)
    assert [one.criterion for one in measurement.measured][:2] == [
        "k_anonymity(k)",
        "l_diversity(s, l)",
    ]
    assert all(one.asked == () for one in measurement.measured)
    assert repr(measurement) == "Measurement(10 criteria)"


def test_rules_of_the_policy_keep_their_names(tmp_path: Path) -> None:
    rules = '[rules]\n"measured 0" = "k_anonymity(1)"\n'
    path, _, policy = files(tmp_path, rules)
    (asked,) = ph.measure(path, policy).measured[0].asked
    assert (asked.rule, asked.kept) == ("measured 0", True)
    report = ph.verify(path, policy, portrait=True)
    assert [rule.name for rule in report.rules] == ["measured 0"]


def test_engines_measure_alike(tmp_path: Path) -> None:
    frame = pd.read_csv(Path(files(tmp_path)[0]), dtype=str)
    path = tmp_path / "release.parquet"
    frame.to_parquet(path)
    policy = tmp_path / "policy.toml"
    plain = ph.measure(path, policy, engine="pandas")
    counted = ph.measure(path, policy, engine="duckdb")
    assert plain.measured == counted.measured


def test_the_original_is_what_is_compared_with(tmp_path: Path) -> None:
    rules = '[rules]\nt = "t_closeness(s, 0.2, reference=original)"\n'
    path, _, policy = files(tmp_path, rules)
    one = ph.measure(path, policy, original=path).measured[0]
    assert one.criterion == "t_closeness(s, t, reference=original)"
    assert threshold_text(one.threshold) == "smallest t = 1/10"


def test_thresholds_in_words() -> None:
    plain = Threshold("t", Fraction(1, 3), 0)
    assert threshold_text(plain) == "smallest t = 1/3"
    even = Threshold("delta", Fraction(1), 0, attained=False, logarithm=True)
    assert threshold_text(even) == "any delta above 0"
    assert threshold_text(None) == "it has no threshold that is measured"


def counted(*classes: dict[str, int]) -> ClassHistogram:
    """A histogram of classes with these counts."""
    labels = tuple(dict.fromkeys(label for one in classes for label in one))
    values = [labels.index(label) for one in classes for label in one]
    counts = [count for one in classes for count in one.values()]
    whole = [sum(one.get(label, 0) for one in classes) for label in labels]
    sizes = [sum(one.values()) for one in classes]
    starts = np.cumsum([0, *map(len, classes)])
    arrays = [np.array(one, dtype=np.int64) for one in (counts, values, sizes, whole)]
    return ClassHistogram(sum(sizes), starts, *arrays, labels)


def test_close_distances_are_told_apart() -> None:
    n = 10**11
    first, second = {"a": 3 * n, "b": n}, {"a": 3 * n + 1, "b": n}
    histogram = counted(first, second, {"a": 10 * n, "b": 10 * n})
    criterion = CRITERIA["t_closeness"](f="f", t=Fraction(1))
    whole = histogram.outside()
    distances = [criterion.value(one, whole) for one in (first, second)]
    assert 0 < distances[1] - distances[0] < Fraction(1, 10**11)
    bound = measured(criterion, histogram)
    assert (bound.value, bound.cls) == (distances[1], 1)
    turned = counted(second, first, {"a": 10 * n, "b": 10 * n})
    assert measured(criterion, turned).cls == 0


def test_entropies_between_whole_numbers() -> None:
    criterion = CRITERIA["entropy_l_diversity"](f="f", l=Fraction(1))
    bound = measured(criterion, counted({"a": 2, "b": 1}, {"a": 1, "b": 1}))
    # the power of 2 and 1: 3 / 4 ** (1 / 3)
    assert (bound.low, bound.high) == (Fraction(1889, 1000), Fraction(1890, 1000))
    assert (bound.value, bound.cls) == (1, 0)
    even = measured(criterion, counted({"a": 5, "b": 5, "c": 5}))
    assert (even.value, even.low) == (3, 3)


def test_the_size_that_a_share_goes_with_is_told() -> None:
    table = pd.DataFrame({"zip": ["1", "1"], "illness": ["flu", "cold"]})
    columns = {"quasi": ["zip"], "sensitive": ["illness"]}
    rules = {"r": "alpha_k_anonymity(illness, 1/2, 5)"}
    chosen = ph.Policy.from_dict({"columns": columns, "rules": rules})
    told = str(ph.measure(table, chosen))
    # the share is kept: what breaks the rule is the size
    assert "smallest alpha = 1/2" in told
    assert "rule r asks alpha = 1/2 with k = 5: some class breaks it" in told
    page = ph.verify(table, chosen, portrait=True).to_html()
    assert "alpha = 1/2 with k = 5" in page
    assert "at least 1 person with" in page and "1 people" not in page
