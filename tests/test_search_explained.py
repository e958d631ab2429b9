"""``search --explain`` and ``--all-minimal``: why nothing finer does, what would do, and
what each minimal candidate costs and risks, against plain enumeration.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.schemas import validated
from support.search_oracle import Candidate, Judge, at_levels
from support.search_questions import (
    Setting,
    drawn_about_classes,
    drawn_about_people,
    per_class,
    settings,
)
from support.so_many import so_many

import phverify as ph
from phverify.generalization.finer import finer_steps
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.along import Levels, Subtrees, tree
from phverify.spec.schemes import Scheme
from phverify.spec.together import Intervals, Partitions

LINES = {
    "a": ("a", "ab", "abc", "*"),
    "b": ("b", "ab", "abc", "*"),
    "c": ("c", "c", "abc", "*"),
    "d": ("d", "d", "d", "*"),
}
VALUES = ("a", "b", "c", "d")
SCHEMES: list[Scheme] = [
    Levels("q", VALUES, tree("q", VALUES, LINES)),
    Subtrees("q", VALUES, tree("q", VALUES, LINES)),
    Subtrees("q", VALUES, tree("q", VALUES, LINES), True),
    Intervals("q", VALUES),
    Intervals("q", (*VALUES, None)),
    Intervals("q", (None,)),
    Partitions("q", VALUES),
    Partitions("q", ("a", None)),
]


@pytest.fixture(scope="module")
def tree_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tree") / "f.csv"
    file.write_text("a;ab;*\nb;ab;*\nc;c;*\n", encoding="utf-8")
    return file


# Which steps there are


def every_partition(scheme: Scheme) -> list[tuple[bool, ...]]:
    """All decisions that meet the scheme's clauses."""
    found = []
    for truth in product((False, True), repeat=scheme.decisions):
        solution = [*truth, *scheme.solution(truth)[scheme.decisions :]]
        met = [
            any(solution[abs(x) - 1] == (x > 0) for x in clause)
            for clause in scheme.constraints()
        ]
        if all(met):
            found.append(truth)
    return found


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: f"{s.kind}{len(s.values)}")
def test_a_step_has_nothing_between(scheme: Scheme) -> None:
    partitions = every_partition(scheme)
    for one in partitions:
        true = {k for k, decision in enumerate(one) if decision}
        below = [
            {k for k, decision in enumerate(other) if decision}
            for other in partitions
            if other != one and all(a or not b for a, b in zip(one, other, strict=True))
        ]
        covers = [low for low in below if not any(low < other for other in below)]
        steps = list(finer_steps(scheme, one))
        found = [{k for k, decision in enumerate(step) if decision} for step in steps]
        assert sorted(map(sorted, found)) == sorted(map(sorted, covers)), true


# Why nothing finer does


def vector(case: Any, levels: dict[str, int]) -> Candidate:
    """The oracle's candidate of a level vector."""
    chosen = {}
    for name, domain in case.question.domains.items():
        [option] = [one for one in at_levels(domain) if one.level == levels[name]]
        chosen[name] = option
    return Candidate(chosen)


def check_steps(case: Any, result: Any) -> None:
    for name, steps in result.explanation.steps.items():
        level = result.levels[name]
        assert len(steps) == result.explanation.ways[name] == (level > 0)
        for step in steps:
            finer = vector(case, {**result.levels, name: level - 1})
            good = case.question.good(finer)
            assert step.outcome == ("satisfies" if good else "breaks"), step
            assert (step.cost is not None) == good
            check_class(case, result, {**result.levels, name: level - 1}, step)


def check_class(case: Any, result: Any, levels: dict[str, int], step: Any) -> None:
    """The class of the witness has as many of the released records as it says."""
    if step.witness is None:
        assert step.outcome != "breaks"
        return
    rows = case.question.judge.rows
    quasi = [*case.question.domains]
    cells = result.release[quasi].astype(object)
    released = set(map(tuple, cells.where(cells.notna(), None).values.tolist()))
    shown = []
    for row in rows:
        images, now = {}, {}
        for name, domain in case.question.domains.items():
            path = domain.path(row[name])
            images[name] = path[levels[name]]
            now[name] = path[result.levels[name]]
        # What is withheld now is withheld then, too.
        if tuple(now.values()) in released:
            shown.append(tuple(images.values()))
    wanted = tuple(step.witness.cls[name] for name in case.question.domains)
    assert Counter(shown)[wanted] == step.witness.rows
    if step.withheld:
        assert case.question.budget < step.withheld <= len(rows)


@so_many(25)
@given(st.data())
def test_steps_of_rules_about_classes(tree_file: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(3, 8, space="levels"))
    case = drawn_about_classes(data.draw, tree_file, setting)
    result = case.ask(explain=True)
    if result.levels is None:
        assert result.explanation is None
        return
    check_steps(case, result)
    assert str(result) and result.to_html()
    validated(result.to_dict())


@so_many(10)
@given(st.data())
def test_steps_of_rules_about_people(tree_file: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(1, 4, missing=True, space="levels"))
    case = drawn_about_people(data.draw, tree_file, setting)
    if not case.question.judge.imaginable(case.question.judge.rows):
        return
    result = case.ask(explain=True)
    if result.levels is not None:
        check_steps(case, result)


@so_many(15)
@given(st.data())
def test_what_was_asked_for_changes_no_answer(
    tree_file: Path, data: st.DataObject
) -> None:
    case = drawn_about_classes(data.draw, tree_file, data.draw(settings(3, 6)))
    plain, told = case.ask(), case.ask(explain=True)
    assert (plain.verdict, plain.cost) == (told.verdict, told.cost)
    assert plain.mapping == told.mapping
    assert plain.explanation is None and not plain.relaxed
    if told.explanation is not None:
        steps = [one for own in told.explanation.steps.values() for one in own]
        assert all(one.outcome in ("breaks", "satisfies") for one in steps)
    assert str(told) and told.to_html() and told.to_html(public=True)


# What would do


def strict(setting: Setting, numbers: dict[str, Any]) -> list[Any]:
    """The tests of the three rules."""
    return [
        per_class(oracle.k_anonymous(numbers["k"])),
        per_class(oracle.distinct(numbers["l"])),
        per_class(oracle.variational(numbers["t"])),
    ]


@so_many(15)
@given(st.data())
def test_how_far_rules_have_to_give_way(tree_file: Path, data: st.DataObject) -> None:
    setting = data.draw(settings(3, 6))
    numbers = {
        "k": data.draw(st.integers(1, 7)),
        "l": data.draw(st.integers(1, 4)),
        "t": data.draw(st.sampled_from([Fraction(x) for x in ("0", "1/7", "1/2")])),
    }
    rules = {
        "k": f"k_anonymity({numbers['k']})",
        "l": f"l_diversity(f, {numbers['l']})",
        "t": f"t_closeness(f, {numbers['t']})",
    }
    judge = Judge(setting.rows, setting.quasi, strict(setting, numbers))
    case = setting.case(judge, setting.policy(tree_file, rules))
    result = case.ask(explain=True)

    def possible(name: str, value: Fraction) -> bool:
        changed = numbers | {name: int(value) if name in "kl" else value}
        tests = strict(setting, changed)
        return (
            setting.question(Judge(setting.rows, setting.quasi, tests)).least()
            is not None
        )

    if result.verdict != "infeasible":
        assert not result.relaxed
        return
    validated(result.to_dict())
    told = {one.rule: one for one in result.relaxed}
    assert set(told) == set(rules)
    for name, one in told.items():
        assert (one.asked, one.reason) == (numbers[name], "")
        assert not possible(name, one.fails)
        loosest = Fraction(1)
        if one.works is None:
            assert not possible(name, loosest)
            continue
        assert possible(name, one.works)
        step = 1 if name in "kl" else Fraction(1, 1000)
        assert 0 < abs(one.works - one.fails) <= step


# Minimal candidates


@so_many(15)
@given(st.data(), st.integers(1, 4))
def test_minimal_candidates(tree_file: Path, data: st.DataObject, k: int) -> None:
    setting = data.draw(settings(3, 8, space="levels"))
    test = per_class(oracle.k_anonymous(k))
    judge = Judge(setting.rows, setting.quasi, [test])
    policy = setting.policy(tree_file, {"k": f"k_anonymity({k})"})
    case = setting.case(judge, policy)
    result = case.ask(all_minimal=True)
    assert [one.levels for one in result.candidates] == list(result.minimal)
    for one in result.candidates:
        candidate = vector(case, one.levels)
        released = candidate.released(setting.rows)
        sizes = Counter(tuple(row[q] for q in setting.quasi) for row in released)
        kept = [size for size in sizes.values() if size >= k]
        assert one.cost == case.question.cost(candidate)
        assert one.withheld == len(setting.rows) - sum(kept)
        assert one.classes == len(kept)
        assert one.risk.highest == Fraction(1, min(kept))
        assert one.risk.average == Fraction(len(kept), sum(kept))


# What is shown


TABLE = pd.DataFrame(
    {
        "age": ["21", "23", "34", "36", "36", "51"],
        "zip": ["10", "10", "11", "11", "11", "20"],
        "s": ["x", "y", "x", "y", "x", "y"],
    }
)
AGES = "21;20-39;*\n23;20-39;*\n34;20-39;*\n36;20-39;*\n51;40-59;*\n"


def asked(tmp_path: Path, rules: dict[str, str], **more: Any) -> Any:
    file = tmp_path / "age.csv"
    file.write_text(AGES, encoding="utf-8")
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["age", "zip"], "sensitive": ["s"]},
            "hierarchies": {"age": str(file)},
            "rules": rules,
        }
    )
    return ph.search(TABLE, policy, explain=True, **more)


def test_the_class_in_words(tmp_path: Path) -> None:
    text = str(asked(tmp_path, {"two": "k_anonymity(2)"}))
    assert (
        "    age, one level finer (40-59 instead of *): breaks two in the class age ="
        " 40-59 (1 record): the class has 1 row, fewer than 2; 1 class with 1 record fails"
    ) in text
    assert "why no column is finer" in text


def test_steps_that_keep_every_rule_in_words(tmp_path: Path) -> None:
    result = asked(tmp_path, {"two": "k_anonymity(2)"}, weights={"zip": 0})
    assert result.explanation is not None
    # What a column of no weight loses costs nothing: finer is as good, and no better.
    kept = replace(
        result.explanation.steps["age"][0],
        outcome="satisfies",
        witness=None,
        cost=Fraction(1, 4),
    )
    steps = {**result.explanation.steps, "age": (kept,) * 5}
    ways = {**result.explanation.ways, "age": 1200}
    told = replace(
        result, explanation=replace(result.explanation, steps=steps, ways=ways)
    )
    text = str(told)
    assert "  what becomes of the release when a column is finer:" in text
    assert "why no column is finer" not in text
    assert "keeps every rule, too: loss 0.25" in text
    others = "of 1,200 ways to make it finer, 2 more keep every rule, 1,195 were not"
    assert others in text
    later = str(replace(told, verdict="undecided", reason="the budget ran out"))
    assert "too: loss 0.250000 (exactly 1/4); a search with more time may find" in later


def test_too_many_withheld_in_words(tmp_path: Path) -> None:
    result = asked(tmp_path, {"two": "k_anonymity(2)"}, suppress="0.2")
    text = str(result)
    assert "4 records in all would have to be withheld, and 1 may be" in text
    assert "as fine as the table: zip" in text


def test_what_would_do_in_words(tmp_path: Path) -> None:
    result = asked(tmp_path, {"k": "k_anonymity(9)"})
    assert "    k: k = 6 is the largest; 7 does not do" in str(result)
    result = asked(tmp_path, {"k": "k_anonymity(9)", "l": "l_diversity(s, 3)"})
    assert "k: no k does, as long as the other rules are kept" in str(result)
    page = result.to_html()
    assert "no k does" in page
    assert "no k does" not in result.to_html(public=True)


def test_a_rule_with_two_numbers_of_a_name_is_left_out(tmp_path: Path) -> None:
    rules = {"both": "k_anonymity(9) & k_anonymity(8)", "no": "~k_anonymity(7)"}
    assert asked(tmp_path, rules).relaxed == ()


def test_redacted_it_quotes_no_confidential_value(tmp_path: Path) -> None:
    rules = {"no": "forall i: @i ~[a1] s = y"}
    told = asked(tmp_path, rules, redact=True, space="subtrees")
    assert "'y'" not in str(told) and "s = y" not in str(told)


def zips(rules: dict[str, str], cells: str, **more: Any) -> Any:
    """A search over one column without a hierarchy: the first letter of each cell."""
    table = pd.DataFrame([list(pair) for pair in cells.split()], columns=["zip", "s"])
    policy = ph.Policy.from_dict(
        {"columns": {"quasi": ["zip"], "sensitive": ["s"]}, "rules": rules}
    )
    return ph.search(table, policy, explain=True, **more)


def test_what_withholding_mends_is_not_the_reason() -> None:
    """One record breaks k, and may be withheld; by t all classes fail."""
    rules = {"k": "k_anonymity(2)", "t": "t_closeness(s, 1/5)"}
    found = zips(rules, "1a 1a 1a 2b 2b 2b 3a", suppress="1/5")
    [step] = found.explanation.steps["zip"]
    assert (step.outcome, step.rule) == ("breaks", "t")
    assert "3 classes with 7 records fail; withholding 1 record at most" in str(found)


def test_a_class_that_is_withheld_is_not_the_reason(tree_file: Path) -> None:
    """c broke k before the step, and is not in the release."""
    table = pd.DataFrame({"f": list("caab"), "s": list("xyxy")})
    columns = {"quasi": ["f"], "sensitive": ["s"]}
    policy = {
        "columns": columns,
        "rules": {"k": "k_anonymity(3)"},
        "hierarchies": {"f": str(tree_file)},
    }
    asked: dict[str, Any] = {"suppress": "1/4", "explain": True}
    found = ph.search(table, policy, space="subtrees", **asked)
    assert found.suppressed == 1
    [step] = found.explanation.steps["f"]
    assert step.before == "ab"
    assert step.witness is not None and step.witness.cls["f"] in ("a", "b")
    assert "2 classes with 3 records fail; 4 records in all would have" in str(found)


def test_what_no_withholding_mends() -> None:
    """C is withheld, and A and B differ; with A withheld, too, B would do."""
    rules = {"k": "k_anonymity(2)", "t": "t_closeness(s, 1/10)"}
    result = zips(rules, "Ax Ax By By Cx", suppress="1/5")
    [step] = result.explanation.steps["zip"]
    assert (step.outcome, step.withheld) == ("breaks", 0)
    assert "withholding 1 record at most does not mend it" in str(result)


def test_a_t_between_thousandths() -> None:
    """Both groups are 1/6 from the table, and no hierarchy joins them."""
    lines = {"A": ("A", "one"), "B": ("B", "two")}
    hierarchy = Hierarchy("zip", lines)
    cells = "Ax Ax Ay Bx By By"
    table = pd.DataFrame([list(pair) for pair in cells.split()], columns=["zip", "s"])
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["zip"], "sensitive": ["s"]},
            "rules": {"t": "t_closeness(s, 0.1665)"},
        }
    )
    [one] = ph.search(table, policy, {"zip": hierarchy}, explain=True).relaxed
    assert (one.works, one.fails) == (Fraction("0.167"), Fraction("0.1665"))


@pytest.mark.parametrize("moment", [0, 1])
def test_ctrl_c_ends_all_explanations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """The release stands, and what was explained before is told."""
    told: list[str] = []

    def progress(step: str) -> None:
        if step.startswith("explaining"):
            told.append(step)
            if len(told) > moment:
                raise KeyboardInterrupt

    file = tmp_path / "age.csv"
    file.write_text(AGES, encoding="utf-8")
    policy = ph.Policy.from_dict(
        {
            "columns": {"quasi": ["age", "zip"], "sensitive": ["s"]},
            "hierarchies": {"age": str(file)},
            "rules": {"six": "k_anonymity(6)"},
        }
    )
    result = ph.search(TABLE, policy, explain=True, progress=progress)
    assert result.verdict == "optimal"
    steps = [one for own in result.explanation.steps.values() for one in own]
    reasons = [step.reason for step in steps]
    assert len(told) == moment + 1
    assert reasons == [""] * moment + ["interrupted"] * (2 - moment)
