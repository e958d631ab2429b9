"""Curves by subtrees, intervals and partitions: each point is the least over all
candidates of the space and all classes that may be withheld, and its answer has the
release that is told of.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.oracle import Row
from support.search_oracle import ClassTest, Domain, Judge, Paths, Question
from support.so_many import so_many

import phverify as ph
from phverify.microdata.hierarchy import Hierarchy

ALONG: dict[str, dict[str, tuple[str, ...]]] = {
    # A level that changes nothing, one branch that is not as deep, and a line that
    # does not occur.
    "p": {v: (v, v, "few" if v in "123" else "4", "*") for v in "12345"},
    # Two roots.
    "q": {v: (v, "odd" if v in "13" else "even") for v in "1234"},
}
VALUES = {"p": "1234", "q": "1234"}
NUMBERS = {
    "k": "1,2,3,4,6,9",
    "l": "1,2,3",
    "entropy": "1,3/2,2,3",
    "t": "0,1/6,1/4,1/2,1",
    "original": "0,1/6,1/4,1/2,1",
}
OTHERS = ("", "k", "l", "t", "original")
SHARES = ("0", "0", "1/5", "1/3", "1/2")
WEIGHTS: tuple[dict[str, Any], ...] = ({}, {}, {"p": 0}, {"q": Fraction(1, 2)})
INTEGERS = {"p": "integer", "q": "integer"}


@dataclass(frozen=True)
class Rule:
    """A criterion of the column f, as formula and by its definition."""

    kind: str
    number: Fraction

    @property
    def text(self) -> str:
        forms = {
            "k": "k_anonymity({})",
            "l": "l_diversity(f, {})",
            "entropy": "entropy_l_diversity(f, {})",
            "t": "t_closeness(f, {})",
            "original": "t_closeness(f, {}, reference=original)",
        }
        return forms[self.kind].format(self.number)

    def test(self, rows: list[Row]) -> ClassTest:
        if self.kind == "original":
            near = oracle.variational(self.number)
            everybody = Counter(row["f"] for row in rows)
            return lambda members, _: near(
                Counter(row["f"] for row in members), everybody
            )
        if self.kind == "t":
            return oracle.of("f", oracle.variational(self.number))
        if self.kind == "entropy":
            return oracle.of("f", oracle.entropy(self.number))
        least = oracle.k_anonymous if self.kind == "k" else oracle.distinct
        return oracle.of("f", least(int(self.number)))


def drawn(seed: int, count: int, columns: str) -> list[Row]:
    chance = random.Random(seed)
    rows: list[Row] = []
    for _ in range(count):
        row: dict[str, str | None] = {}
        for name in columns:
            # Now and then one value only, or a cell that is missing.
            values = VALUES[name][: 1 + seed % 4]
            row[name] = chance.choice([*values, None] if seed % 3 == 0 else values)
        rows.append({**row, "f": chance.choice("aabc")})
    for name in columns:
        if all(row[name] is None for row in rows):
            rows[0] = {**rows[0], name: "1"}
    return rows


@so_many(40, fuzz=1000)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(3, 8),
    columns=st.sampled_from(["p", "q", "pq", "pq"]),
    space=st.sampled_from(["subtrees", "intervals", "intervals", "partitions"]),
    along=st.sampled_from(["", "p", "pq"]),
    varying=st.sampled_from(["k", "k", *NUMBERS]),
    other=st.sampled_from(OTHERS),
    share=st.sampled_from(SHARES),
    weights=st.sampled_from(WEIGHTS),
)
def test_each_point_is_the_least_of_its_space(
    seed: int,
    count: int,
    columns: str,
    space: str,
    along: str,
    varying: str,
    other: str,
    share: str,
    weights: dict[str, Fraction],
) -> None:
    rows = drawn(seed, count, columns)
    parameter = {"entropy": "l", "original": "t"}.get(varying, varying)
    fixed = {}
    if other and not {parameter, varying} & {other, other.replace("original", "t")}:
        fixed["other"] = Rule(other, Fraction(2 if other in "kl" else "1/3"))
    by_order = space == "intervals"
    kept = {name: ALONG[name] for name in columns if name in along or not by_order}
    types = {name: INTEGERS[name] for name in columns if name not in kept}
    weighted = {name: weight for name, weight in weights.items() if columns == "pq"}
    asked: dict[str, Any] = {"space": space, "suppress": share, "weights": weighted}

    def policy(number: Fraction) -> ph.Policy:
        texts = {name: rule.text for name, rule in fixed.items()}
        texts["varying"] = Rule(varying, number).text
        roles = {"quasi": [*columns], "sensitive": ["f"]}
        given = {"columns": roles, "types": types, "rules": texts}
        return ph.Policy.from_dict(given)

    paths: Any = {name: Hierarchy(name, lines) for name, lines in kept.items()}
    frame = pd.DataFrame(rows, dtype=object)
    whole = policy(Fraction(1))
    numbers = {parameter: NUMBERS[varying]}
    found = ph.tradeoff(frame, whole, paths, **numbers, **asked)  # type: ignore[arg-type]
    domains = {name: _domain(name, rows, kept.get(name)) for name in columns}
    for point in found.points:
        rules = [Rule(varying, point.value), *fixed.values()]
        tests = [rule.test(rows) for rule in rules]
        judge = Judge(rows, [*columns], tests)
        question = Question(judge, domains, space, "loss", Fraction(share), weighted)
        least = question.least()
        assert point.verdict == ("infeasible" if least is None else "optimal")
        if least is None:
            continue
        assert point.cost == point.bound == least
        _answered(point, frame, policy(point.value), paths, [*columns])


def _domain(name: str, rows: list[Row], lines: Paths | None) -> Domain:
    key = None if lines is not None else int
    return Domain(frozenset(row[name] for row in rows), lines, key)


def _answered(
    point: Any, frame: pd.DataFrame, own: ph.Policy, paths: Any, quasi: list[str]
) -> None:
    """What is told of a point is told of the release that its answer has; the
    certificate is about its number.
    """
    answer = point.answer
    assert (answer.cost, answer.suppressed) == (point.cost, point.suppressed)
    sizes = answer.release.groupby(quasi, dropna=False).size()
    assert point.classes == len(sizes)
    out = len(frame) - len(answer.release)
    assert point.suppressed == out
    squares = sum(int(size) ** 2 for size in sizes)
    assert point.utility.discernibility == squares + out * len(frame)
    if answer.certificate is None:
        assert answer.uncertified
        return
    checked = ph.check(answer.certificate, frame, own, paths)
    assert checked.accepted, str(checked)
