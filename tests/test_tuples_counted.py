"""Average class size and discernibility of releases by tuples: least, and bounded."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.search_questions import (
    TREE,
    Case,
    drawn_about_classes,
    drawn_about_people,
    settings,
)
from support.so_many import so_many
from support.tuples_oracle import TupleQuestion, partitions

import phverify as ph
from phverify.cli.main import main
from phverify.spec.certificate import digest
from phverify.spec.counted import counting_bound, most_classes
from phverify.spec.necessary import Necessary
from phverify.spec.sides import COUNTED

SPACES = st.sampled_from(["intervals", "levels"])


def cost_of(objective: str, sizes: list[int], rows: int) -> Fraction:
    """What classes of these sizes cost, by the definitions."""
    if objective == "class-size":
        return Fraction(rows, len(sizes))
    withheld = rows - sum(sizes)
    return Fraction(sum(size**2 for size in sizes) + withheld * rows)


# The bound, against all partitions


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sets(st.sampled_from("ab c"), min_size=1)), min_size=1, max_size=6),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from(COUNTED),
)  # fmt: skip
def test_no_partition_is_below_the_bound(
    tuples: list[tuple[int, set[str]]], least: int, distinct: int, objective: str
) -> None:
    counts = [max(count, len(values)) for count, values in tuples]
    values = {"f": [Counter(own) for _, own in tuples]}
    needed = Necessary(max(least, distinct), {"f": distinct}, ())
    rows = sum(counts)
    costs = []
    for withheld in range(1 << len(counts)):
        released = [t for t in range(len(counts)) if not withheld >> t & 1]
        for classes in partitions([(t,) for t in released]):
            sizes = [sum(counts[t] for (t,) in one) for one in classes]
            seen = [set().union(*(tuples[t][1] for (t,) in one)) for one in classes]
            many = all(size >= needed.records for size in sizes)
            if released and many and all(len(one) >= distinct for one in seen):
                gone = rows - sum(sizes)
                bound = counting_bound(objective, counts, needed, values, gone)
                costs.append((cost_of(objective, sizes, rows), bound))
                assert len(classes) <= most_classes(counts, needed, values)
    assert all(bound <= cost for cost, bound in costs)


# The search, against all functions on tuples


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("counted") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


@so_many(15)
@given(st.data())
def test_rules_about_classes(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(2, 6, space=data.draw(SPACES)))
    check(drawn_about_classes(data.draw, tree, setting), data.draw(asked()))


@so_many(10)
@given(st.data())
def test_rules_about_people(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(2, 4, missing=True, space=data.draw(SPACES)))
    check(drawn_about_people(data.draw, tree, setting), data.draw(asked()))


@st.composite
def asked(draw: Any) -> dict[str, str]:
    return {"objective": draw(st.sampled_from(COUNTED))}


def check(case: Case, options: dict[str, str]) -> None:
    """Cost and bound are on their sides of the least, and the checker agrees."""
    given_question = case.question
    judge = given_question.judge
    question = TupleQuestion(
        judge, given_question.domains, given_question.suppress, given_question.weights
    )
    try:
        result = ph.anonymize(
            case.frame,
            policy=case.policy,
            hierarchies=case.hierarchies,
            budget=0.3,
            suppress=given_question.suppress,
            weights=given_question.weights or None,
            objective=options["objective"],
        )
    except ph.InputError as error:
        assume("one root" not in str(error) and "contradict" not in str(error))
        raise
    rows = len(judge.rows)
    costs = []
    for _, shown, kept in question.recodings():
        seen = Counter(tuple(shown[row][q] for q in judge.quasi) for row in kept)
        cost = cost_of(options["objective"], list(seen.values()), rows)
        if (not costs or cost < min(costs)) and judge.proved(shown, kept):
            costs.append(cost)
    if not costs:
        assert result.cost is None
        return
    assert result.verdict != "infeasible"
    assert result.bound <= min(costs)
    if result.cost is None:
        return
    assert result.cost >= min(costs)
    sizes = list(result.release[list(judge.quasi)].value_counts(dropna=False))
    assert result.cost == cost_of(options["objective"], sizes, rows)
    certificate = result.certificate
    if certificate is not None:
        again = ph.check(
            certificate,
            table=case.frame,
            policy=case.policy,
            hierarchies=case.hierarchies,
        )
        assert again.verdict == "accepted", again


# Bins that must be covered cleverly


def packed(objective: str, **more: Any) -> Any:
    """Tuples of 3, 3, 2, 2 and 2 records, of which classes of 6 are made."""
    ages = [1] * 3 + [2] * 2 + [3] * 2 + [4] * 2 + [5] * 3
    frame = pd.DataFrame({"age": ages, "ill": ["a", "b"] * 6})
    return ph.anonymize(
        frame, quasi=["age"], sensitive=["ill"], k=6, objective=objective, budget=4,
        **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("objective", "cost"), [("class-size", 6), ("discernibility", 72)]
)
def test_bins_are_covered_without_excess(objective: str, cost: int) -> None:
    result = packed(objective)
    assert (result.cost, result.bound, result.gap) == (cost, cost, 0)
    assert result.release["age"].nunique() == 2


def test_loss_says_which_of_equals_is_better() -> None:
    frame = pd.DataFrame({"age": [1, 2, 8, 9], "ill": list("abab")})
    result = ph.anonymize(
        frame, quasi=["age"], sensitive=["ill"], k=2, objective="class-size", budget=3
    )
    assert result.release["age"].tolist() == ["1-2", "1-2", "8-9", "8-9"]


# Forged, and asked wrongly


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"cost": "5"}, "the cost is 6, not 5"),
        ({"objective": "discernibility"}, "the cost is 72, not 6"),
        ({"bound": {"by": "counting", "unit": 1, "prices": [], "relief": 0, "value": "5"}}, "by counting"),
        ({"bound": {"by": "counting", "unit": 1, "prices": [1], "relief": 0, "value": "6"}}, "by counting"),
        ({"objective": "height"}, "there is no objective"),
    ],
)  # fmt: skip
def test_forged_claims_are_refused(changed: dict[str, Any], why: str) -> None:
    result = packed("class-size")
    claimed = {**result.certificate, **changed}
    claimed["digest"] = digest(claimed)
    ages = [1] * 3 + [2] * 2 + [3] * 2 + [4] * 2 + [5] * 3
    frame = pd.DataFrame({"age": ages, "ill": ["a", "b"] * 6})
    columns = {"quasi": ["age"], "sensitive": ["ill"]}
    policy = ph.Policy.from_dict(
        {"columns": columns, "types": {"age": "integer"}, "rules": {"k": "k_anonymity(6)"}}
    )  # fmt: skip
    answer = ph.check(claimed, table=frame, policy=policy)
    assert answer.verdict == "refused"
    assert why in str(answer)


@pytest.mark.parametrize("more", [{"disjoint": True}, {"cells": "1/2"}])
def test_boxes_are_not_bounded(more: dict[str, Any]) -> None:
    with pytest.raises(ph.InputError, match="counts classes, whatever their boxes"):
        packed("class-size", **more)


def test_the_command_line_says_how_to_read_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("age,ill\n1,a\n2,b\n8,a\n9,b\n")
    (tmp_path / "p.toml").write_text(
        '[columns]\nquasi = ["age"]\nsensitive = ["ill"]\n[types]\nage = "integer"\n'
        '[rules]\nk = "k_anonymity(2)"\n'
    )
    arguments = [
        "search",
        str(tmp_path / "t.csv"),
        "--policy",
        str(tmp_path / "p.toml"),
    ]
    code = main(
        [*arguments, "--space", "tuples", "--objective", "class-size", "--budget", "2"]
    )
    out = capsys.readouterr().out
    assert code == 0
    assert "class-size 2; records of the table for each class" in out
    assert "No release by tuples is below it: this one is the best there is." in out
