"""Records withheld, along one column shortest paths that lose few enough records."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import oracle
from support.minimality_cases import truths
from support.search_cases import check
from support.search_oracle import Candidate, ClassTest, Judge, Question
from support.search_questions import (
    KINDS,
    TREE,
    VALUES,
    Case,
    Setting,
    hierarchies,
    per_class,
)
from support.so_many import so_many

import phverify as ph
from phverify.budget import Deadline
from phverify.errors import Defect
from phverify.generalization.budgeted import BUDGETED, Budgeted, budgeted
from phverify.microdata.hierarchy import Hierarchy
from phverify.spec.bitset import bits
from phverify.spec.budgeted import shown
from phverify.spec.certificate import digest
from phverify.spec.constrained import LossyStep, LossyWay, some_path, undominated
from phverify.spec.lost import CertainLosses
from phverify.spec.merging import UPWARD
from phverify.spec.minimal import Judges, Minimality
from phverify.spec.row_losses import RowLosses
from phverify.spec.source import Columns
from phverify.verbs.check_inputs import given as inputs

HALF = Fraction(1, 2)
QUASI = {
    "intervals": (("n", "q"), ("q", "n", "r"), ("n",)),
    "subtrees": (("q", "r"), ("n", "r"), ("q",)),
}
WITHHELD = st.sampled_from([Fraction(1, 8), Fraction(1, 4), Fraction(2, 5), HALF])


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("budgeted") / "f.csv"
    path.write_text("\n".join(";".join(line) for line in TREE.values()))
    return path


# Questions


@st.composite
def settings(draw: st.DrawFn, most: int = 9) -> Setting:
    """Tables with a column that is a line, missing cells among them."""
    space = draw(st.sampled_from(["intervals", "subtrees"]))
    quasi = draw(st.sampled_from(QUASI[space]))
    cells = {q: VALUES[q] for q in quasi}
    if space == "intervals":
        cells["n"] = ("1", "2", "3", "5", "8")
    hole = draw(st.sampled_from(["", *quasi]))
    drawn: dict[str, Any] = {
        q: st.sampled_from([*values, *([None] if q == hole else [])])
        for q, values in cells.items()
    }
    drawn |= {"f": st.sampled_from("aabc"), "g": st.sampled_from("01")}
    rows = draw(st.lists(st.fixed_dictionaries(drawn), min_size=3, max_size=most))
    weighing: list[dict[str, Fraction]] = [{}]
    if len(quasi) > 1:
        weighing += [{quasi[0]: Fraction(3)}, {quasi[0]: Fraction(0)}]
    weights = draw(st.sampled_from(weighing))
    along = [q for q in quasi if space == "subtrees" or q not in KINDS]
    paths = {q: draw(hierarchies(VALUES[q], 2)) for q in along}
    share = draw(WITHHELD)
    return Setting(rows, quasi, space, "loss", share, weights, paths, ())


def of_original(test: oracle.Test, rows: list[dict[str, str | None]]) -> ClassTest:
    """A criterion that compares classes with the table before sanitization."""
    whole = Counter(row["f"] for row in rows)
    return lambda inside, _: test(Counter(row["f"] for row in inside), whole)


@st.composite
def rules(draw: st.DrawFn, setting: Setting) -> list[tuple[str, ClassTest]]:
    """Rules of single classes: kept by larger classes, by unions, or by neither."""
    k = draw(st.integers(2, 5))
    close = of_original(oracle.variational(HALF), setting.rows)
    few = per_class(oracle.k_anonymous(k + 1))
    every: list[tuple[str, ClassTest]] = [
        (f"k_anonymity({k})", per_class(oracle.k_anonymous(k))),
        (f"k_anonymity({k})", per_class(oracle.k_anonymous(k))),
        ("l_diversity(f, 2)", per_class(oracle.distinct(2))),
        ("l_diversity(f, 3)", per_class(oracle.distinct(3))),
        ("alpha_k_anonymity(f, 1/2, 2)", per_class(oracle.alpha_k(HALF, 2))),
        ("entropy_l_diversity(f, 2)", per_class(oracle.entropy(Fraction(2)))),
        ("t_closeness(f, 1/2, reference=original)", close),
        (f"~k_anonymity({k + 1})", lambda inside, whole: not few(inside, whole)),
        ("l_a1(f = a) <= 1/2", lambda inside, _: 2 * share_of_a(inside) <= 1),
    ]
    return draw(st.lists(st.sampled_from(every), min_size=1, max_size=2))


def share_of_a(inside: Any) -> Fraction:
    count = sum(row["f"] == "a" for row in inside)
    return Fraction(count, len(inside))


def asked(data: st.DataObject, tree: Path, most: int = 9) -> Case:
    setting = data.draw(settings(most))
    drawn = data.draw(rules(setting))
    judge = Judge(setting.rows, setting.quasi, [test for _, test in drawn])
    written = {f"r{k}": text for k, (text, _) in enumerate(drawn)}
    return setting.case(judge, setting.policy(tree, written))


# The search


def fewest(question: Question, candidate: Candidate) -> int | None:
    """How few records of a candidate can be withheld."""
    released = candidate.released(question.judge.rows)
    every = len(released)
    ways = question.judge.kept(released, question.budget)
    good = [len(kept) for kept in ways if question.judge.proved(released, kept)]
    return every - max(good) if good else None


@so_many(90, fuzz=1500)
@given(st.data())
def test_the_least_that_withholds_fewest(tree: Path, data: st.DataObject) -> None:
    case = asked(data, tree)
    result = case.ask()
    check(case, result)
    search = result.explored.search
    question = case.question
    if not question.budget or not isinstance(search.master, Budgeted):
        return
    if result.verdict == "optimal":
        same = [c for c in question.candidates() if question.cost(c) == result.cost]
        counts = [fewest(question, candidate) for candidate in same]
        assert result.suppressed == min(n for n in counts if n is not None)
        if result.cost:
            assert result.statistics.solvers == (BUDGETED,)


@so_many(40, fuzz=600)
@given(st.data())
def test_certificates(tree: Path, data: st.DataObject) -> None:
    case = asked(data, tree, 8)
    result = case.ask()
    if result.verdict != "optimal":
        return
    certificate = result.certificate
    assert certificate is not None, result.uncertified
    given: Any = case.hierarchies
    answer = ph.check(certificate, case.frame, case.policy, given)
    assert answer.accepted, str(answer)


# The checker


def bare_checker(case: Case, orders: Columns | None = None) -> Minimality:
    """The checker on a case's table, before any claim."""
    question = case.question
    start = inputs(case.frame, case.policy, case.hierarchies)
    listed = {}
    for name in start.data.quasi:
        values = (orders or start.data.domains)[name]
        listed[name] = [[value, value] for value in values]
    weights = {name: question.weights.get(name, Fraction(1)) for name in listed}
    said = {
        "space": question.space,
        "suppress": str(question.suppress),
        "objective": question.objective,
        "weights": {name: str(weight) for name, weight in weights.items()},
        "mapping": listed,
        "closures": [],
        "minimal": [],
        "proofs": {},
        "agreed": {},
    }
    return Minimality(said, start, Judges())


@so_many(90, fuzz=1500)
@given(st.data())
def test_what_the_checker_shows(tree: Path, data: st.DataObject) -> None:
    """Without any claim: the least cost is shown, and no more."""
    case = asked(data, tree)
    checked = bare_checker(case)
    least = case.question.least()
    weights = checked.cost.weights
    if least is None:
        assert shown(checked.violations, weights, sum(weights) + 1)
        return
    total = least * checked.cost.denominator
    assert total.denominator == 1
    assert shown(checked.violations, weights, int(total))
    assert not shown(checked.violations, weights, int(total) + 1)


def test_what_a_coarser_class_loses_is_not_all_lost_below(tree: Path) -> None:
    """All as one class break the rule; apart, one record alone does."""
    cells = [("x", "a"), ("x", "b"), ("y", "a")]
    rows: list[Any] = [{"n": "1", "q": q, "f": f, "g": "0"} for q, f in cells]
    paths = {"q": {"x": ("x", "*"), "y": ("y", "*")}}
    third = Fraction(1, 3)
    setting = Setting(rows, ("n", "q"), "intervals", "loss", third, {}, paths, ())
    judge = Judge(rows, ("n", "q"), [])
    case = setting.case(judge, setting.policy(tree, {"r": "l_a1(f = a) <= 1/2"}))
    checked = bare_checker(case)
    assert shown(checked.violations, checked.cost.weights, 0)
    assert not shown(checked.violations, checked.cost.weights, 1)


@so_many(60, fuzz=1000)
@given(st.data())
def test_engine_and_checker_count_the_same(tree: Path, data: st.DataObject) -> None:
    case = asked(data, tree)
    loop = case.ask().explored.search
    if not isinstance(loop.master, Budgeted):
        return
    # Numbered alike: in the order of the same values.
    orders = {scheme.name: scheme.values for scheme in loop.space.schemes}
    checked = bare_checker(case, orders)
    # Solvers may know more of what merging keeps in this very table.
    for number, part in enumerate(loop.refuter.parts):
        if part.closure.upward != (checked.violations.closed(number) == UPWARD):
            return
    line, losses = loop.master.paths.line, loop.master.losses
    rows = RowLosses(CertainLosses(checked.violations), checked.space, line)
    for candidate in truths(loop.space):
        true = bits(k for k, one in enumerate(candidate) if one)
        beside = true & loop.master.paths.beside
        table = losses.table(beside)
        for settled in (False, True):
            lost = rows.of(beside, settled)
            if table is None:
                assert settled or lost(0, line.length) > case.question.budget
                continue
            own = table.exact if settled else table.certain
            for start, blocks in enumerate(line.blocks):
                for block in blocks:
                    assert lost(start, block.end) == own[start, block.end]


# Certificates that claim too much


def long_table() -> tuple[pd.DataFrame, ph.Policy, dict[str, Hierarchy]]:
    """Sixty records with many values of a column by intervals."""
    frame = pd.DataFrame(
        {
            "n": [str(k * k % 31) for k in range(60)],
            "q": [VALUES["q"][k * 7 % 11 % 3] for k in range(60)],
            "f": list("ab" * 30),
        }
    )
    asked: dict[str, Any] = {
        "columns": {"quasi": ["n", "q"], "sensitive": ["f"]},
        "types": {"n": "integer"},
        "rules": {"k": "k_anonymity(3)"},
    }
    lines = {"x": ("x", "xy", "*"), "y": ("y", "xy", "*"), "z": ("z", "z", "*")}
    return frame, ph.Policy.from_dict(asked), {"q": Hierarchy("q", lines)}


def test_the_certificate_needs_no_clauses() -> None:
    frame, policy, paths = long_table()
    found = ph.search(frame, policy, paths, space="intervals", suppress="1/10")
    assert (found.verdict, found.statistics.solvers) == ("optimal", (BUDGETED,))
    certificate = found.certificate
    assert certificate is not None
    assert (certificate["clauses"], certificate["bound"]) == ([], None)
    checked = ph.check(certificate, frame, policy, paths)
    assert checked.accepted
    assert any(f"by {BUDGETED}, in" in line for line in checked.verified)


@pytest.mark.parametrize("share", ["0", "1/60", "1/20"])
def test_what_costs_more_than_it_has_to_is_refused(share: str) -> None:
    """The same release, when more records may be withheld than were."""
    frame, policy, paths = long_table()
    certificate = ph.search(
        frame, policy, paths, space="intervals", suppress=share
    ).certificate
    assert certificate is not None
    forged = {k: v for k, v in certificate.items() if k != "digest"}
    forged |= {"suppress": "1/5", "clauses": [], "closures": [], "bound": None}
    checked = ph.check({**forged, "digest": digest(forged)}, frame, policy, paths)
    assert not checked.accepted


def test_a_candidate_that_fails_is_a_defect() -> None:
    frame, policy, paths = long_table()
    found = ph.search(frame, policy, paths, space="intervals", suppress="1/10")
    search = found.explored.search
    again = budgeted(search.space, search.cost, search.refuter)
    assert again is not None
    assert again.propose(Deadline()) is not None
    with pytest.raises(Defect):
        again.propose(Deadline())


# Paths


def test_one_unit_below_the_bound() -> None:
    """It weighs as much less than what is not wanted as a unit of length does."""
    steps = [[LossyStep(1, 0, 2), LossyStep(1, 5, 1), LossyStep(1, 3, 1)]]
    assert some_path(steps, 4, 1)
    assert not some_path(steps, 3, 1)


@pytest.mark.parametrize(
    ("bound", "most", "found"), [(7, 6, True), (6, 6, False), (7, 5, False)]
)
def test_a_path_that_no_weights_find(bound: int, most: int, found: bool) -> None:
    """By any weights one of the two others is lighter."""
    last = [LossyStep(2, 0, 10), LossyStep(2, 10, 0), LossyStep(2, 6, 6)]
    assert some_path([[LossyStep(1, 0, 0)], last], bound, most) == found
    halves = [LossyStep(1, 0, 5), LossyStep(1, 5, 0), LossyStep(1, 3, 3)]
    others = [LossyStep(2, 0, 5), LossyStep(2, 5, 0), LossyStep(2, 3, 3)]
    # Half of each: five and five.
    assert some_path([halves, others], 6, 5)
    assert not some_path([halves, others], 5, 5)


@so_many(600, fuzz=5000)
@given(st.data())
def test_some_path(data: st.DataObject) -> None:
    """All paths, one after the other."""
    places = data.draw(st.integers(1, 5))
    small = st.integers(0, 9)
    steps: list[list[LossyStep]] = []
    for start in range(places):
        ends = st.integers(start + 1, places)
        step = st.builds(LossyStep, ends, small, small)
        steps.append(data.draw(st.lists(step, max_size=5)))
    bound, most = data.draw(st.integers(0, 25)), data.draw(st.integers(0, 25))
    ways = all_ways(steps, 0)
    good = [way for way in ways if way.length < bound and way.lost <= most]
    assert some_path(steps, bound, most) == bool(good)


def all_ways(steps: list[list[LossyStep]], start: int) -> list[LossyWay]:
    if start == len(steps):
        return [LossyWay(0, 0)]
    ways = []
    for step in steps[start]:
        ways += [rest.on(step) for rest in all_ways(steps, step.end)]
    return ways


@given(st.lists(st.builds(LossyWay, st.integers(0, 5), st.integers(0, 5))))
def test_undominated(ways: list[LossyWay]) -> None:
    kept = set(undominated(ways))
    for way in set(ways):
        better = [
            one
            for one in ways
            if one != way and one.length <= way.length and one.lost <= way.lost
        ]
        assert (way in kept) == (not better)
