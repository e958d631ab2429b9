"""``ph.search`` against plain enumeration: all candidates, all ways to withhold, the
reference semantics.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.search_cases import check, check_mapping, check_release
from support.search_oracle import (
    Domain,
    Judge,
    Question,
    at_levels,
    cuts,
    intervals,
    partitions,
    safety,
)
from support.search_questions import (
    TREE,
    Case,
    drawn_about_classes,
    drawn_about_people,
    drawn_at_random,
    drawn_beside_the_release,
    settings,
)
from support.so_many import so_many
from support.stopping import counted

import phverify as ph


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


def check_answer(case: Case) -> None:
    """Assumptions that nobody could make whatever the candidate are refused; otherwise
    the result is right.
    """
    judge = case.question.judge
    try:
        result = case.ask()
    except ph.InputError as error:
        assert "contradict" in str(error)
        assert not any(
            judge.imaginable(c.released(judge.rows)) for c in case.question.candidates()
        )
    else:
        check(case, result)


@so_many(20)
@given(st.data())
def test_rules_about_classes(tree: Path, data: st.DataObject) -> None:
    case = drawn_about_classes(data.draw, tree, data.draw(settings(3, 9)))
    check(case, case.ask())


@so_many(20)
@given(st.data())
def test_rules_about_people(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(1, 4, missing=True))
    check_answer(drawn_about_people(data.draw, tree, setting))


@so_many(15)
@given(st.data())
def test_random_formulas(tree: Path, data: st.DataObject) -> None:
    case = drawn_at_random(data.draw, tree, data.draw(settings(1, 4, missing=True)))
    check(case, case.ask())


@so_many(6)
@given(st.data())
def test_five_rows(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(5, 5, missing=True))
    check_answer(drawn_about_people(data.draw, tree, setting))


@so_many(20)
@given(st.data())
def test_all_minimal_levels(tree: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(3, 8, space="levels"))
    case = drawn_about_classes(data.draw, tree, setting)
    result = case.ask(all_minimal=True)
    found = [
        tuple(vector[f] for f in case.question.domains) for vector in result.minimal
    ]
    assert len(set(found)) == len(found)
    assert set(found) == case.question.minimal()
    assert result.cost == case.question.least()


@so_many(36)
@given(st.data())
def test_all_minimal_levels_where_what_is_withheld_is_a_choice(
    tree: Path, data: st.DataObject
) -> None:
    """What is soon seen to fit hides none of them."""
    setting = data.draw(settings(3, 8, space="levels"))
    case = drawn_beside_the_release(data.draw, tree, setting)
    result = case.ask(all_minimal=True)
    found = [tuple(one.levels.values()) for one in result.candidates]
    assert len(set(found)) == len(found)
    assert set(found) == case.question.minimal()
    if found:
        assert result.cost == min(one.cost for one in result.candidates)


@so_many(8)
@given(st.data(), st.integers(0, 1000))
def test_the_order_of_the_search_does_not_matter(
    tree: Path, data: st.DataObject, seed: int
) -> None:
    case = drawn_about_classes(data.draw, tree, data.draw(settings(3, 6)))
    results = [case.ask(shuffle=s) for s in (None, seed)]
    assert len({(r.verdict, r.cost) for r in results}) == 1
    check(case, results[1])


@so_many(30)
@given(st.data(), st.integers(1, 150), st.booleans())
def test_a_search_that_is_stopped(
    tree: Path, data: st.DataObject, moment: int, interrupted: bool
) -> None:
    """A budget that runs out at some look at the clock, or Ctrl-C there: what is said
    is so.
    """
    if data.draw(st.booleans()):
        case = drawn_about_people(
            data.draw, tree, data.draw(settings(1, 4, missing=True))
        )
    else:
        case = drawn_about_classes(data.draw, tree, data.draw(settings(3, 8)))
    lists = case.question.space == "levels" and data.draw(st.booleans())
    try:
        with counted(moment if interrupted else None):
            result = case.ask(
                budget=10**6 if interrupted else moment, all_minimal=lists
            )
            proof = result.certificate
    except (
        KeyboardInterrupt,
        ph.InputError,
    ):  # nothing is said, or the assumptions contradict each other
        return
    check_stopped(case, result)
    if proof is not None:
        assert result.verdict == "optimal"
        assert ph.check(proof, case.frame, case.policy, case.hierarchies).accepted  # type: ignore[arg-type]


def check_stopped(case: Case, result: Any) -> None:
    """What a search found so far satisfies the policy, and nothing costs less than its
    bound.
    """
    if result.verdict != "undecided":
        check(case, result)
        return
    expected = case.question.least()
    assert result.reason
    assert result.certificate is None
    if result.bound is not None and expected is not None:
        assert result.bound <= expected
    if result.cost is None:
        assert result.release is None
        return
    assert expected is not None and expected <= result.cost
    check_release(case, result, check_mapping(case, result, result.cost))


def test_how_many_candidates_there_are() -> None:
    rooted = {
        "a": ("a", "p", "*"),
        "b": ("b", "p", "*"),
        "c": ("c", "c", "*"),
        "z": ("z", "r", "*"),
    }
    domain = Domain(frozenset(["a", "b", "c", None]), rooted)
    assert len(list(at_levels(domain))) == 3
    assert (
        len(list(cuts(domain))) == 1 + 2 * 2 * 2
    )  # the chains of c and of the missing cell are cut at either node
    assert (
        len({frozenset(p.block for p in o.places.values()) for o in cuts(domain)}) == 3
    )
    split = Domain(
        domain.values, {v: (*path[:2], path[1]) for v, path in rooted.items()}
    )
    tops = {p.block for p in list(at_levels(split))[2].places.values()}
    assert tops == {frozenset("ab"), frozenset("c"), frozenset([None])}
    assert [
        len(list(partitions(Domain(frozenset("abcdefgh"[:n]))))) for n in range(1, 7)
    ] == [1, 2, 5, 15, 52, 203]
    ordered = Domain(frozenset(["1", "2", "10", None]), key=int)
    assert len(list(intervals(ordered))) == 2**2 + 1
    assert frozenset(["1", "10"]) not in {
        p.block for o in intervals(ordered) for p in o.places.values()
    }


def test_losses_count_lines_that_do_not_occur() -> None:
    paths = {"a": ("a", "p", "*"), "b": ("b", "p", "*"), "z": ("z", "r", "*")}
    full = list(at_levels(Domain(frozenset(["a", None]), paths)))
    assert [full[k].places["a"].loss for k in range(3)] == [0, Fraction(1, 3), 1]
    assert [full[k].places[None].loss for k in range(3)] == [0, 0, 1]
    line = list(
        at_levels(Domain(frozenset(["a", None]), {**paths, "": ("", "r", "*")}))
    )
    assert [line[k].places[None].loss for k in range(3)] == [0, Fraction(1, 3), 1]


@so_many(30)
@given(st.data())
def test_the_two_judges_agree_on_criteria(tree: Path, data: st.DataObject) -> None:
    """Criteria by their definitions and by their theorems' formulas, with classes
    withheld.
    """
    setting = data.draw(settings(1, 4))
    case = drawn_about_classes(data.draw, tree, setting)
    needing = (
        "hierarchical",
        "ordered",
        "guarded",
        "em_anonymity",
        "p_sensitive",
    )  # more than a column's values
    if any(word in text for text in case.policy.rules.values() for word in needing):
        return
    judge = case.question.judge
    other = Judge(
        judge.rows,
        judge.quasi,
        list(case.policy.rules.values()),
        types=judge.types,
        names=judge.names,
    )
    mine = Question(
        other,
        case.question.domains,
        setting.space,
        setting.objective,
        setting.suppress,
        setting.weights,
    )
    assert mine.least() == case.question.least()


def test_secrets_in_words() -> None:
    assert (
        safety({"*": ["f = a"], "i2": ["f = b"]})
        == "((forall i: @i ~[a1] (f = a)) & @i2 ~[a1] (f = b))"
    )
