"""Releases by tuples that show medians in place of ranges, by their definition."""

from __future__ import annotations

import statistics
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.search_questions import (
    KINDS,
    TREE,
    Case,
    drawn_about_classes,
    drawn_about_people,
    settings,
)
from support.so_many import so_many
from support.tuples_oracle import TupleQuestion

import phverify as ph
from phverify.spec.certificate import digest
from phverify.spec.recoding import TupleRecoding, TupleSpace, tuple_space
from phverify.spec.sides import side

NUMBERS = [q for q, kind in KINDS.items() if kind.name in ("integer", "decimal")]
AGES = [31, 33, 32, 35, 47, 41, 48, 47]
ILL = ["flu", "cold", "flu", "cold"] * 2


# The median of a class, by its definition


def lower_median(cells: list[Any]) -> Any:
    """The lower one of two in the middle; missing cells only where there are no
    others.
    """
    numbers = [cell for cell in cells if cell is not None]
    return statistics.median_low(sorted(numbers, key=int)) if numbers else None


@st.composite
def spaces(draw: Any) -> TupleSpace:
    values = [*map(str, range(draw(st.integers(1, 5)))), None]
    rows = draw(st.lists(st.sampled_from(values), min_size=1, max_size=9))
    known = sorted({cell for cell in rows if cell is not None}, key=int)
    ends = [None] if None in rows else []
    one = side("n", (*known, *ends), None)
    return tuple_space((one,), {"n": rows}, {"n": Fraction(1)}, "loss", ("n",))


@given(st.data())
def test_medians_and_sizes_by_their_definition(data: Any) -> None:
    space = data.draw(spaces())
    owner = [data.draw(st.integers(0, 2)) for _ in space.tuples]
    owned = {one: [t for t, own in enumerate(owner) if own == one] for one in owner}
    classes = tuple(map(tuple, owned.values()))
    recoding = TupleRecoding(space, classes)
    cells = [space.tuples[number][0] for number in space.row_tuple]
    expected = []
    for number in space.row_tuple:
        own = [
            cell
            for cell, other in zip(cells, space.row_tuple, strict=True)
            if owner[other] == owner[number]
        ]
        expected.append((lower_median(own),))
    assert [shown for _, shown in recoding.rows()] == expected
    assert sorted(recoding.sizes) == sorted(map(expected.count, set(expected)))
    assert recoding.stars() == 0


# Against all functions on tuples


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("medians") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


@so_many(20)
@given(st.data())
def test_rules_about_classes(tree: Path, data: st.DataObject) -> None:
    check(
        drawn_about_classes(
            data.draw, tree, data.draw(settings(2, 6, space="intervals"))
        )
    )


@so_many(13)
@given(st.data())
def test_rules_about_people(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(2, 4, missing=True, space="intervals"))
    check(drawn_about_people(data.draw, tree, setting))


def check(case: Case) -> None:
    """What is seen satisfies the policy, by the reference semantics; the bound is none
    too high; the checker finds the medians again.
    """
    asked = case.question
    assume(set(asked.judge.quasi) & set(NUMBERS))
    question = TupleQuestion(asked.judge, asked.domains, asked.suppress, asked.weights)
    try:
        result = ph.anonymize(
            case.frame,
            policy=case.policy,
            hierarchies=case.hierarchies,
            budget=0.3,
            suppress=asked.suppress,
            weights=asked.weights or None,
            publish="median",
        )
    except ph.InputError as error:
        assume("one root" not in str(error) and "contradict" not in str(error))
        raise
    least = question.least()
    if least is not None:
        assert result.bound <= least
    if result.cost is None:
        return
    assert result.cost >= result.bound
    certificate = result.certificate
    if certificate is not None:
        again = ph.check(
            certificate,
            table=case.frame,
            policy=case.policy,
            hierarchies=case.hierarchies,
        )
        assert again.verdict == "accepted", again
        assert certificate["splits"] is None
        medians_are_those_of(certificate, asked.judge, result)
    if not result.suppressed:
        seen_satisfies(asked.judge, result)


def seen_satisfies(judge: Any, result: Any) -> None:
    """The released rows, as they are seen, satisfy the policy by the definitions."""
    cells = result.release.astype(object).where(result.release.notna(), None)
    shown = [dict(row) for row in judge.rows]
    for row, line in zip(shown, cells.to_dict("records"), strict=True):
        row.update({q: line[q] for q in judge.quasi})
    assert judge.proved(shown, tuple(range(len(shown))))
    seen = {tuple(row[q] for q in judge.quasi) for row in shown}
    assert result.classes == len(seen)


def medians_are_those_of(
    certificate: Mapping[str, Any], judge: Any, result: Any
) -> None:
    """Each released number is the median of the class that the certificate lists."""
    rows = [tuple(row[q] for q in judge.quasi) for row in judge.rows]
    tuples = list(dict.fromkeys(rows))
    owner = {
        tuples[t]: place for place, c in enumerate(certificate["classes"]) for t in c
    }
    kept = [row for row in rows if row in owner]
    for k, q in enumerate(judge.quasi):
        if q not in NUMBERS:
            continue
        cells = result.release[q].astype(object)
        for cell, row in zip(cells.where(cells.notna(), None), kept, strict=True):
            own = [other[k] for other in kept if owner[other] == owner[row]]
            assert cell == lower_median(own)


# What is seen


def anonymized(ages: Any, **more: Any) -> Any:
    frame = pd.DataFrame({"age": ages, "ill": ILL[: len(ages)]})
    given = {"quasi": ["age"], "sensitive": ["ill"], "k": 2, "budget": 1, "gap": "1/2"}
    return ph.anonymize(frame, publish="median", **(given | more))


@pytest.mark.parametrize("dtype", ["int64", "int8", "Int32", "float64", "Float64"])
def test_numbers_stay_numbers(dtype: str) -> None:
    result = anonymized(pd.Series(AGES, dtype=dtype))
    assert result.release["age"].dtype == dtype
    shown = result.release["age"].tolist()
    assert set(shown) <= set(AGES)
    assert min(map(shown.count, shown)) >= 2
    assert len(set(shown)) == result.classes


def test_missing_numbers_join_others_in_everything() -> None:
    ages = pd.Series([1, 2, None, 3], dtype="Int64")
    result = anonymized(ages, k=4)
    assert result.release["age"].tolist() == [2, 2, 2, 2]
    assert result.release["age"].dtype == "Int64"
    assert (result.stars, result.cost) == (0, 1)


TWO = pd.DataFrame({"age": [1, 5, 9, 5, 5], "x": list("abaac"), "ill": list("ababa")})
APART = """[columns]
quasi = ["age", "x"]
sensitive = ["ill"]
[types]
age = "integer"
[rules]
few = "~k_anonymity(5)"
"""


def test_classes_that_are_seen_alike_are_one() -> None:
    """Two boxes, 1-9 and 5, with everything beside them, are shown as 5: a rule is
    decided for the class of both.
    """
    policy = ph.Policy.from_dict(tomllib.loads(APART))
    result = ph.anonymize(TWO, policy=policy, budget=1, publish="median")
    assert result.classes == 5
    for publish, verdict in [("range", "accepted"), ("median", "refused")]:
        classes = [[0, 1, 2], [3, 4]]
        claimed = {**result.certificate, "publish": publish, "classes": classes}
        claimed["cost"] = "4/5"
        claimed["digest"] = digest(claimed)
        answer = ph.check(claimed, table=TWO, policy=policy)
        assert answer.verdict == verdict, answer
        assert verdict == "accepted" or "few" in str(answer)


def test_sizes_are_those_of_what_is_seen() -> None:
    ages = side("age", ("1", "5", "9"), None)
    letters = side("x", tuple("abc"), {one: (one, "*") for one in "abc"})
    columns = {"age": list("15955"), "x": list("abaac")}
    weights = {"age": Fraction(1), "x": Fraction(1)}
    for medians, sizes in [((), (3, 2)), (("age",), (5,))]:
        space = tuple_space((ages, letters), columns, weights, "loss", medians)
        recoding = TupleRecoding(space, ((0, 1, 2), (3, 4)))
        assert recoding.sizes == sizes
        assert recoding.loss == Fraction(4, 5)
